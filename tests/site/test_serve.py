"""Does `manage.py serve` start, say so, spread its clients, mend itself and end, whoever ends it?"""

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import urlopen

import psutil
import pytest
from django.core.management import CommandError
from django.db import connection
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from games.management.commands.serve import open_listeners
from pyramid_site.workers import Worker
from tests.site.servers import ROOT, RunningServer, database_environment, running_server, serve

ENVIRONMENT = {"DJANGO_SETTINGS_MODULE": "tests.site.echo_settings"}


def get(server: RunningServer, path: str) -> tuple[int, bytes]:
    """The status and the body of one request on a connection of its own."""
    with closing(http.client.HTTPConnection(urlsplit(server.url).netloc, timeout=20)) as client:
        client.request("GET", path)
        answer = client.getresponse()
        return answer.status, answer.read()


def worker_pid(server: RunningServer) -> int:
    """The process that answers this time."""
    return json.loads(get(server, "/state/")[1])["pid"]


def wait_until(holds: Callable[[], object], seconds: float = 15) -> None:
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "It did not happen."
        time.sleep(0.05)


@contextmanager
def taken_port(*, shared: bool) -> Iterator[int]:
    """A port that a stranger listens on; shared: as one who would share it."""
    with socket.socket() as stranger:
        if shared:
            stranger.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        stranger.bind(("127.0.0.1", 0))
        stranger.listen()
        yield stranger.getsockname()[1]


@pytest.mark.parametrize("count", [1, 2])
@pytest.mark.parametrize("shared", [False, True])
def test_a_port_of_another_program_is_never_shared(count: int, shared: bool) -> None:
    with taken_port(shared=shared) as port, pytest.raises(CommandError, match="another program listens there"):
        open_listeners("127.0.0.1", port, count)


def test_listeners_of_one_server_share_its_port() -> None:
    listeners = open_listeners("localhost", 0, 3)
    assert len({listener.getsockname() for listener in listeners}) == 1
    with pytest.raises(CommandError, match="another program"):
        open_listeners("localhost", listeners[0].getsockname()[1], 3)
    for listener in listeners:
        listener.close()


@pytest.mark.parametrize(
    ("host", "port", "sentence"),
    [
        ("no.such.host.invalid", 0, "There is no address no.such.host.invalid"),
        ("192.0.2.1", 0, "Cannot listen on 192.0.2.1, port 0: Cannot assign requested address"),
        ("127.0.0.1", 70000, "There is no port 70000"),
    ],
)
def test_a_wrong_address_is_refused_in_a_sentence(host: str, port: int, sentence: str) -> None:
    with pytest.raises(CommandError, match=sentence):
        open_listeners(host, port, 1)


def test_a_taken_port_ends_the_command_with_a_sentence() -> None:
    with taken_port(shared=False) as port:
        command = [sys.executable, "manage.py", "serve"]
        environment = os.environ | ENVIRONMENT | {"PORT": str(port)}
        said = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=30)
    assert said.returncode == 1
    sentence = f"CommandError: Cannot listen on 127.0.0.1, port {port}: another program listens there.\n"
    assert (said.stdout, said.stderr) == ("", sentence)


@pytest.mark.parametrize(
    ("arguments", "number"),
    [(["--host", "::1"], signal.SIGINT), (["--host", "::1", "--workers", "1"], signal.SIGTERM)],
)
def test_a_signal_ends_everything_after_the_running_requests(arguments: list[str], number: signal.Signals) -> None:
    with serve(arguments, ENVIRONMENT) as server, ThreadPoolExecutor() as pool:
        assert server.url == f"http://[::1]:{server.port}/"
        family = server.family()
        with connect(f"ws://[::1]:{server.port}/ws/repeat/") as websocket:
            sleeper = pool.submit(get, server, "/sleep/?s=1")
            time.sleep(0.3)
            server.process.send_signal(number)
            assert sleeper.result() == (200, b"slept")
            with pytest.raises(ConnectionClosed):
                websocket.recv(timeout=5)
            assert websocket.close_code == 1012
        assert server.process.wait(15) == 0
        assert not [process for process in family if process.is_running()]
        assert "Traceback" not in server.log.read_text()
        with pytest.raises(ConnectionRefusedError):
            get(server, "/")


def test_workers_share_the_clients_and_one_that_is_killed_is_replaced() -> None:
    with serve(["--workers", "2"], ENVIRONMENT) as server:
        pids = {worker_pid(server) for _ in range(40)}
        assert len(pids) == 2
        assert pids == {process.pid for process in server.family()}
        with ThreadPoolExecutor(8) as pool:
            os.kill(min(pids), signal.SIGKILL)
            later = set(pool.map(lambda _: worker_pid(server), range(40)))  # nobody is refused meanwhile
        wait_until(lambda: len({worker_pid(server) for _ in range(20)}) == 2)
        assert max(pids) in later
        assert min(pids) not in later
        assert len(server.family()) == 2
        assert f"Worker {min(pids)} ended (-9)" in server.log.read_text()


def test_workers_end_when_their_parent_is_killed_and_so_does_the_database(tmp_path: Path) -> None:
    data = {"DATA_DIR": str(tmp_path)}
    with serve(["--workers", "2"], ENVIRONMENT | data) as server:
        assert "The pages have neither style nor scripts before manage.py collectstatic" in server.log.read_text()
        for _ in range(10):
            assert get(server, "/database/")[0] == 200
        postmaster = int((tmp_path / "postgres/data/postmaster.pid").read_text().split()[0])
        workers = server.family()
        server.process.kill()
        _, left = psutil.wait_procs(workers, 10)
        assert not left
        wait_until(lambda: not psutil.pid_exists(postmaster))


@pytest.mark.django_db(transaction=True)
def test_a_server_can_use_the_database_of_a_test() -> None:
    with running_server("daphne", ENVIRONMENT | database_environment()) as url:
        with urlopen(f"{url}/database/") as answer:
            assert json.load(answer)["name"] == connection.settings_dict["NAME"]


def test_a_worker_that_dies_at_once_is_started_again_after_growing_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DJANGO_SETTINGS_MODULE", "no.such.settings")
    lifeline, held = os.pipe()
    with socket.create_server(("127.0.0.1", 0)) as listener:
        worker = Worker(listener, lifeline, [])
        pauses = []
        for _ in range(2):
            wait_until(lambda: worker.process.poll() is not None)
            pid = worker.process.pid
            worker.look_after()
            assert worker.process.pid == pid  # not at once
            pauses.append(worker.pause)
            wait_until(lambda pid=pid: worker.look_after() or worker.process.pid != pid)
        worker.process.kill()
        worker.process.wait()
    os.close(lifeline)
    os.close(held)
    assert pauses == [0.5, 1.0]
