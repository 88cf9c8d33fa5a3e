"""Is nothing lost and nothing left over when processes, connections, the database or clients die in the middle?"""

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import httpx
import psutil
import psycopg
import pytest
from django.db import connection
from websockets.asyncio.client import connect

from leaderboard import actions, racing
from leaderboard.models import Race
from tests.live.racers import Follower, Racer, race_through
from tests.live.sockets import log_in_by_token, open_socket
from tests.live.watcher import Watcher, must_see
from tests.players import make_daily, make_player, make_players
from tests.site.conftest import serve_from
from tests.site.servers import RunningServer, database_environment, serve

NAME = f"test-faults-{os.getpid()}"
COUNT = "SELECT count(*) FROM pg_stat_activity WHERE application_name = %s"
TERMINATE = "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE application_name = %s"
pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(scope="module")
def workers(django_db_setup: None, django_db_blocker: Any) -> Iterator[RunningServer]:
    """Two uvicorns on the tests' database."""
    with django_db_blocker.unblock():
        env = database_environment()
    with serve(["--workers", "2"], env | {"PGAPPNAME": NAME}) as server:
        yield server


def ask(statement: str) -> Any:
    with connection.cursor() as cursor:
        cursor.execute(statement, [NAME])
        return cursor.fetchone()[0]


def enter_all(server: RunningServer, race: Race) -> list[Racer]:
    racers = []
    for player in make_players(6):
        attempt = racing.enter(player=player, race=race.pk)[0].attempt_id
        racers.append(Racer(server.url, log_in_by_token(player), attempt))
    return racers


def test_a_killed_worker_costs_no_move_and_no_watcher_anything(workers: RunningServer) -> None:
    race = make_daily()
    racers, followers = enter_all(workers, race), [Follower(workers.url, race.pk) for _ in range(8)]

    def kill_workers() -> None:
        first, second = workers.family()
        first.kill()
        time.sleep(1)  # there is one left, and the next starts
        second.kill()

    asyncio.run(race_through(racers, followers, kill_workers, workers.url, race.pk))
    assert sum(follower.cut_off for follower in followers) >= 8
    assert sum(racer.cut_off for racer in racers) >= 6


def test_terminated_database_connections_cost_no_move_and_no_socket(workers: RunningServer) -> None:
    race = make_daily()
    racers, followers = enter_all(workers, race), [Follower(workers.url, race.pk) for _ in range(4)]

    def terminate() -> None:
        for _ in range(3):
            ask(TERMINATE)
            time.sleep(0.3)

    asyncio.run(race_through(racers, followers, terminate, workers.url, race.pk))
    assert sum(follower.cut_off for follower in followers) == 0
    assert sum(racer.statuses[503] for racer in racers) <= 3 * len(racers)


@contextmanager
def unreachable() -> Iterator[None]:
    """The tests' database lets nobody in, and the servers' connections have ended."""
    ours = connection.get_connection_params() | {"dbname": "postgres"}
    outside = {name: ours[name] for name in ("host", "port", "user", "dbname") if name in ours}
    allow = f'ALTER DATABASE "{connection.settings_dict["NAME"]}" ALLOW_CONNECTIONS {{}}'
    with psycopg.connect(**outside, autocommit=True) as other:
        other.execute(allow.format("false"))
        ask(TERMINATE)
        try:
            yield
        finally:
            other.execute(allow.format("true"))


def test_while_the_database_is_away_new_sockets_are_told_so_and_old_ones_stay(workers: RunningServer) -> None:
    race, other, ada = make_daily(), make_daily("N"), make_player("Ada")
    attempt, token = racing.enter(player=ada, race=race.pk)[0].attempt_id, log_in_by_token(ada)
    watcher = Watcher()
    with open_socket(workers, f"races/{race.pk}/") as feed, open_socket(workers, f"attempts/{attempt}/") as play:
        assert play.ask({"token": token})["type"] == "ready"
        watcher.take(feed.take())
        with unreachable():
            with ExitStack() as stack:
                by_token = (f"races/{race.pk}/", f"attempts/{attempt}/", f"races/{race.pk}/watch/Ada/")
                late = [stack.enter_context(open_socket(workers, path, token=token)) for path in by_token]
                by_nobody = (f"races/{other.pk}/", "daily/T/", f"races/{other.pk}/?since=1")
                late += [stack.enter_context(open_socket(workers, path)) for path in by_nobody]
                assert [socket.until_closed() for socket in late] == [(1013, "busy")] * 6
            answer = play.ask({"from_ply": 0, "moves": "D"})
            assert (answer["status"], answer["body"]["code"]) == (503, "busy")
            assert httpx.get(f"{workers.url}api/v1/races/{race.pk}/changes/", trust_env=False).status_code == 503
        assert play.ask({"from_ply": 0, "moves": "D"})["status"] == 200
        while not any(row["moves"] for row in watcher.playing.values()):
            watcher.take(feed.take())
        assert watcher.sees() == must_see(race.pk)


def test_a_frozen_client_slows_nobody_and_catches_up(workers: RunningServer) -> None:
    race, ada = make_daily(), make_player("Ada")
    code = (
        "import sys; from websockets.sync.client import connect\n"
        "for text in connect(sys.argv[1], proxy=None): print(text, flush=True)"
    )
    address = f"ws://127.0.0.1:{workers.port}/ws/races/{race.pk}/"
    with subprocess.Popen([sys.executable, "-c", code, address], stdout=subprocess.PIPE, text=True) as frozen:
        assert frozen.stdout is not None
        try:
            assert '"snapshot"' in frozen.stdout.readline()
            frozen.send_signal(signal.SIGSTOP)
            watcher = Watcher()
            with open_socket(workers, f"races/{race.pk}/") as socket:
                watcher.take(socket.take())
                attempt = racing.enter(player=ada, race=race.pk)[0].attempt_id
                for ply in range(4):
                    move = "DU"[ply % 2]
                    actions.play_moves(player=ada, attempt=attempt, from_ply=ply, moves=move, times=None)
                    while not any(row["moves"] == ply // 2 + 1 for row in watcher.playing.values()):
                        watcher.take(socket.take(2))
            frozen.send_signal(signal.SIGCONT)
            while '"moves": 2' not in frozen.stdout.readline():
                pass
        finally:
            frozen.kill()
    assert watcher.sees() == must_see(race.pk)


def test_waves_of_sockets_leave_no_connection_behind(workers: RunningServer) -> None:
    race, ada = make_daily(), make_player("Ada")
    attempt, token = racing.enter(player=ada, race=race.pk)[0].attempt_id, log_in_by_token(ada)
    base = f"ws://127.0.0.1:{workers.port}/ws/"

    async def wave() -> None:
        async def one(number: int) -> Any:
            path, protocols = f"races/{race.pk}/", ["pyramidion"]
            if number % 2:
                path, protocols = f"attempts/{attempt}/", ["pyramidion", f"token.{token}"]
            socket = await connect(base + path, subprotocols=protocols, proxy=None, open_timeout=30)  # type: ignore[arg-type]
            await socket.recv()
            return socket

        opened = await asyncio.gather(*(one(number) for number in range(200)))
        await asyncio.gather(*(socket.close() for socket in opened))

    def open_files() -> int:
        return sum(process.num_fds() for process in workers.family())

    asyncio.run(wave())
    connections, files = ask(COUNT), open_files()
    assert connections <= 2 * (4 + 2)  # of a worker: threads for HTTP, the reader and the listener
    asyncio.run(wave())
    assert ask(COUNT) <= connections + 1
    wait_until(lambda: open_files() <= files + 2)


def wait_until(holds: Callable[[], bool]) -> None:
    end = time.monotonic() + 10
    while not holds():
        assert time.monotonic() < end, "It did not happen."
        time.sleep(0.05)


def sign_up(url: str, name: str) -> str:
    answer = httpx.post(f"{url}api/v1/players/", json={"name": name, "password": "a long password"}, trust_env=False)
    return answer.json()["token"]


def enter_by_rest(url: str, name: str, race: int) -> Racer:
    token = sign_up(url, name)
    headers = {"Authorization": f"Token {token}"}
    entry = httpx.post(f"{url}api/v1/races/{race}/attempts/", json={}, headers=headers, trust_env=False)
    return Racer(url, token, entry.json()["id"])


def test_a_database_that_is_killed_and_comes_back_costs_no_move_and_no_watcher(tmp_path: Path) -> None:
    with serve_from(tmp_path) as address:
        url = f"{address}/"
        headers = {"Authorization": f"Token {sign_up(url, 'Host')}"}
        window = {"name": "x", "ruleset": "T", "closes_at": "2999-01-01T00:00:00Z"}
        window["closes_at"] = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 3600))
        race = httpx.post(f"{url}api/v1/races/", json=window, headers=headers, trust_env=False).json()["id"]
        racers = [enter_by_rest(url, name, race) for name in ("Ada", "Bob", "Cid")]

        def restart() -> None:
            postmaster = int((tmp_path / "postgres/data/postmaster.pid").read_text().split()[0])
            process = psutil.Process(postmaster)
            process.send_signal(signal.SIGINT)  # a fast shutdown
            process.wait(10)

        followers = [Follower(url, race) for _ in range(4)]
        asyncio.run(race_through(racers, followers, restart, url, race))
        assert sum(follower.cut_off for follower in followers) == 0
