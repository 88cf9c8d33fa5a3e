"""Does `manage.py load_replays` say what became of every line, whatever the server does meanwhile?

The server is a real daphne with a database of its own; this process has no database.
"""

import io
import json
import os
import pty
import re
import signal
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import psycopg
import pytest
from django.core.management import CommandError, call_command

from pyramid_site.database import embedded
from tests.site.servers import ROOT, RunningServer, lay_out_site, serve

PASSWORD = "a long password"
GOOD = {
    "format": "pyramid-replay/1",
    "deal": "PY1-N-AAAAAAS",
    "moves": "g2 g1g3 f1f2 e1W D",
    "times": [1840, 3120, 5200, 7044, 7610],
}
TOWER_DEALS = (ROOT / "tests" / "vectors" / "tower-deals.tsv").read_text().splitlines()


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The data folder of a new site."""
    folder = tmp_path_factory.mktemp("site")
    lay_out_site(folder)
    return folder


@pytest.fixture(scope="module")
def server(data: Path) -> Iterator[RunningServer]:
    with serve(env={"DATA_DIR": str(data)}) as server:
        yield server


@pytest.fixture
def url(server: RunningServer) -> str:
    return server.url


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    """Makes a file of lines."""

    def write_lines(*lines: str | bytes | dict[str, Any]) -> Path:
        texts = [json.dumps(line) if isinstance(line, dict) else line for line in lines]
        path = tmp_path / "file"
        path.write_bytes(b"\n".join(text if isinstance(text, bytes) else text.encode() for text in texts))
        return path

    return write_lines


class Run(NamedTuple):
    code: int
    printed: str
    error: str

    @property
    def figures(self) -> tuple[int, ...]:
        """sent, new, already there, won, refused, skipped"""
        names = ("sent", "new", "already there", "won", "refused", "skipped")
        return tuple(int(re.search(rf"^{name} +(\d+)", self.printed, re.M)[1]) for name in names)  # type: ignore[index]

    @property
    def refusals(self) -> list[tuple[int, str]]:
        return [(int(line), code) for line, code in re.findall(r"^line (\d+): ([^:]*)", self.printed, re.M)]


def load(file: Path | str, url: str, *options: str, player: str = "") -> Run:
    """The command as it runs in a shell, in this process."""
    printed = io.StringIO()
    if player:
        options = ("--player", player, "--password", PASSWORD, *options)
    code, error = 0, ""
    try:
        call_command("load_replays", str(file), "--url", url, *options, stdout=printed)
    except SystemExit as end:
        code = int(end.code or 0)
    except CommandError as problem:
        code, error = problem.returncode, str(problem)
    return Run(code, printed.getvalue(), error)


def get(url: str, path: str) -> Any:
    return httpx.get(f"{url}api/v1/{path}", trust_env=False).json()


def wait_for_games(url: str, player: str, count: int) -> None:
    end = time.monotonic() + 60
    while get(url, f"players/{player}/attempts/").get("total") != count:
        assert time.monotonic() < end
        time.sleep(0.05)


# What is in the file


def test_a_table_is_sent_with_made_up_times_and_without_what_has_no_solution(
    url: str, write: Callable[..., Path]
) -> None:
    header, solved, other, unsolved = TOWER_DEALS[0], TOWER_DEALS[1], TOWER_DEALS[2], TOWER_DEALS[3]
    double = solved.replace("6d 5h", "5h 5h")
    bad_token = other.replace("\tg2 g1 ", "\tg2 zz ")
    file = write(header, solved, "", unsolved, double, b"7\t\xff\t45\tD", bad_token)
    run = load(file, url, "--sign-up", "--ms-per-move", "250", player="table")
    assert run.figures == (2, 1, 0, 1, 3, 1)
    assert run.refusals == [(5, "cards"), (6, "table"), (7, "syntax")]
    assert "line 5: cards: Not one whole deck. Wrong: -; double: 5h; missing: 6d." in run.printed
    assert run.code == 1
    games = get(url, "players/table/attempts/")["rows"]
    assert [(game["official_ms"], game["moves"], game["deal"][:6]) for game in games] == [(45 * 250, 45, "PY0-T-")]


def test_lines_of_json_are_sent_as_they_are_and_judged_by_the_server(url: str, write: Callable[..., Path]) -> None:
    no_times = {name: value for name, value in GOOD.items() if name != "times"}
    lines = [GOOD, " ", GOOD | {"moves": "g2 g5g7", "times": [1, 2]}, "{", b'{"\xff', no_times, GOOD | {"more": 1}]
    run = load(write(*lines, GOOD | {"moves": "g2 " * 200_000}, GOOD), url, "--sign-up", player="lines")
    assert run.refusals == [
        (3, "sum"),
        (4, "json"),
        (5, "json"),
        (6, "required"),
        (7, "shape"),
        (8, "too_large"),
    ]
    assert "line 3: sum: 7 and 7 make 14; the sum must be 13. (move 2, g5g7, moves)" in run.printed
    assert run.figures == (8, 1, 1, 0, 6, 0)
    assert run.code == 1


def test_a_file_sent_again_is_already_there(url: str, write: Callable[..., Path]) -> None:
    file = write(*TOWER_DEALS[:3])
    assert load(file, url, "--sign-up", player="again").figures == (2, 2, 0, 2, 0, 0)
    run = load(file, url, player="again")
    assert (run.code, run.figures) == (0, (2, 0, 2, 2, 0, 0))


@pytest.mark.parametrize("lines", [[], [TOWER_DEALS[0]]])
def test_a_file_without_games_is_sent_at_once(url: str, write: Callable[..., Path], lines: list[str]) -> None:
    run = load(write(*lines), url, "--sign-up", player="idle")
    assert (run.code, run.figures) == (0, (0, 0, 0, 0, 0, 0))


@pytest.mark.parametrize("first", ["cards\tmoves", "[1, 2]"])
def test_what_is_neither_json_nor_such_a_table_is_not_sent(url: str, write: Callable[..., Path], first: str) -> None:
    run = load(write(first, "more"), url, "--sign-up", player="idle")
    assert run.code == 2
    assert "cards and solution" in run.error


def test_a_missing_file_is_named(url: str, tmp_path: Path) -> None:
    run = load(tmp_path / "missing", url, player="nobody")
    assert run.code == 2
    assert "missing: No such file" in run.error


# Whose games they are


def test_a_player_who_is_not_named_is_new_and_can_be_used_again(url: str, write: Callable[..., Path]) -> None:
    file = write(GOOD)
    run = load(file, url)
    assert run.figures == (1, 1, 0, 0, 0, 0)
    _, player, _, password = re.search(r"--player.*", run.printed)[0].split()  # type: ignore[index]
    assert load(file, url, "--player", player, "--password", password).figures == (1, 0, 1, 0, 0, 0)


def test_a_password_and_a_token_may_come_from_the_environment(
    url: str, write: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYRAMIDION_PASSWORD", PASSWORD)
    assert load(write(GOOD), url, "--player", "from env", "--sign-up").figures == (1, 1, 0, 0, 0, 0)
    who = {"name": "from env", "password": PASSWORD}
    token = httpx.post(f"{url}api/v1/tokens/", json=who, trust_env=False).json()["token"]
    monkeypatch.setenv("PYRAMIDION_TOKEN", token)
    assert load(write(GOOD), url).figures == (1, 0, 1, 0, 0, 0)
    # a token that was given is not logged out
    assert load(write(GOOD), url, "--token", token).figures == (1, 0, 1, 0, 0, 0)


@pytest.mark.parametrize(
    ("options", "code"),
    [
        (["--player", "never seen", "--password", PASSWORD], "credentials"),
        (["--token", "0123456789abcdef"], "token_unknown"),
        (["--player", "x", "--password", PASSWORD, "--sign-up"], "name"),
    ],
)
def test_who_is_not_let_in_is_told_why(url: str, write: Callable[..., Path], options: list[str], code: str) -> None:
    run = load(write(GOOD, GOOD), url, *options)
    assert run.code == 2
    assert f"refuses: {code}" in run.error


# What the server does meanwhile


def test_nobody_at_the_address_is_said_at_once(write: Callable[..., Path]) -> None:
    for url, why in (("http://127.0.0.1:1", "Nothing answers at http://127.0.0.1:1"), ("ftp://a", "no address")):
        begun = time.monotonic()
        run = load(write(GOOD), url, player="nobody")
        assert run.code == 2
        assert why in run.error
        assert time.monotonic() - begun < 5


def test_a_site_without_this_api_is_no_place_to_send_to(url: str, write: Callable[..., Path]) -> None:
    run = load(write(GOOD), f"{url}elsewhere", "--token", "any")
    assert run.code == 2
    assert "refuses: not_found" in run.error


def test_a_busy_server_is_waited_for(url: str, data: Path, write: Callable[..., Path]) -> None:
    load(write(GOOD), url, "--sign-up", player="patient")
    file = write(GOOD | {"moves": "g2", "times": [1]})
    login = embedded.ensure(data / "postgres", "pyramidion")
    with psycopg.connect(**login) as lock, ThreadPoolExecutor(1) as pool:  # type: ignore[arg-type]
        lock.execute("LOCK TABLE games_attempt IN EXCLUSIVE MODE")
        run = load(file, url, "--patience", "0", player="patient")
        assert run.code == 2
        assert "is busy (status 503)" in run.error
        assert run.figures == (0, 0, 0, 0, 0, 0)
        waiting = pool.submit(load, file, url, player="patient")
        time.sleep(2.5)
        assert not waiting.done()
        lock.rollback()
        assert waiting.result(60).figures == (1, 1, 0, 0, 0, 0)


def test_a_server_that_is_started_again_gets_the_rest(data: Path, server: RunningServer, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    env = {"DATA_DIR": str(data)}
    with ThreadPoolExecutor(1) as pool:
        with serve(env=env) as first:
            running = pool.submit(load, pipe, first.url, "--sign-up", player="lasting")
            with pipe.open("w", buffering=1) as lines:
                lines.write(json.dumps(GOOD) + "\n")
                wait_for_games(server.url, "lasting", 1)
                first.process.terminate()
                first.process.wait()
                lines.write(json.dumps(GOOD | {"moves": "g2", "times": [1]}) + "\n")
            with serve(["--port", str(first.port)], env=env):
                assert running.result(60).figures == (2, 2, 0, 0, 0, 0)


def test_ctrl_c_prints_what_was_sent_so_far_beside_a_progress_bar(url: str) -> None:
    screen, terminal = pty.openpty()
    termios.tcsetwinsize(terminal, (24, 80))
    command = [sys.executable, "manage.py", "load_replays", "-", "--url", url, "--player", "hasty", "--sign-up"]
    process = subprocess.Popen(
        command,
        cwd=ROOT,
        env=os.environ | {"PYRAMIDION_PASSWORD": PASSWORD},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=terminal,
        text=True,
        start_new_session=True,
    )
    os.close(terminal)
    assert process.stdin
    for count in (1, 2):
        process.stdin.write(json.dumps(GOOD | {"times": [count] * 5}) + "\n")
        process.stdin.flush()
        wait_for_games(url, "hasty", count)
    process.send_signal(signal.SIGINT)
    printed, _ = process.communicate(timeout=60)
    shown = os.read(screen, 10_000).decode()
    os.close(screen)
    assert process.returncode == 130
    assert Run(130, printed, "").figures in [(sent, sent, 0, 0, 0, 0) for sent in (1, 2)]
    assert "0 lines [00:00, ? lines/s]" in shown
    assert "Traceback" not in shown
