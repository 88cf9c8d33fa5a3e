"""Does a socket end, with a code and a reason, for what no client sends, for none that reads, and for no address?"""

import asyncio
import socket as sockets
import time
from typing import Any

import psutil
import pytest
from django.db import connection
from websockets.asyncio.client import connect as connect_async
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from games.models import Attempt
from tests.live.sockets import (
    Socket,
    enter,
    follow,
    log_in_by_token,
    open_socket,
    play,
    status_of,
)
from tests.live.watcher import Watcher
from tests.players import EASY_MOVES, make_daily, make_player, make_players
from tests.site.servers import RunningServer

pytestmark = pytest.mark.django_db(transaction=True)

MOVES = EASY_MOVES.split(" ")


# What a client may send


def test_what_no_client_sends_is_closed_with_a_code_and_a_reason(server: RunningServer) -> None:
    race, ada = make_daily(), make_player("Ada")
    play_path, token = f"attempts/{enter(ada, race)}/", log_in_by_token(ada)
    wrong: list[tuple[Any, int, str]] = [
        (b"\x00\x01", 1003, "binary"),
        (b"{}", 1003, "binary"),
        ("x", 4400, "bad_frame"),
        ("", 4400, "bad_frame"),
        ("[]", 4400, "bad_frame"),
        ("null", 4400, "bad_frame"),
        ('{"from_ply": NaN}', 4400, "bad_frame"),
        ("[" * 4000, 4400, "bad_frame"),
        ('{"moves": ' + "[" * 2000 + "]" * 2000 + "}", 4400, "bad_frame"),
        ({"ref": [], "from_ply": 0, "moves": ""}, 4400, "bad_frame"),
        ({"ref": 1.5, "from_ply": 0, "moves": ""}, 4400, "bad_frame"),
    ]
    for value, code, reason in wrong:
        with open_socket(server, play_path, token=token) as socket:
            socket.take()
            socket.send(value)
            assert socket.until_closed() == (code, reason), value
    for path in (f"races/{race.pk}/", play_path):
        with open_socket(server, path, token=token) as socket:
            socket.send("x" * 4097)
            assert socket.until_closed()[0] == 1009
        with open_socket(server, path, token=token) as socket:
            socket.send("x" * 4096)
            assert socket.until_closed() == (4400, "bad_frame")


def test_a_deep_frame_is_answered_or_closed(server: RunningServer) -> None:
    ada = make_player("Ada")
    path, token = f"attempts/{enter(ada, make_daily())}/", log_in_by_token(ada)
    seen = set()
    for depth in range(900, 1001, 4):  # somewhere here it is too deep for reading, or for writing
        with open_socket(server, path, token=token) as socket:
            socket.take()
            socket.send('{"from_ply": 0, "moves": ' + "[" * depth + "]" * depth + "}")
            try:
                seen.add(socket.take()["status"])
            except ConnectionClosed:
                seen.add(socket.connection.close_code)
    assert seen == {400, 4400}


def test_a_flood_is_closed(server: RunningServer) -> None:
    race, ada = make_daily(), make_player("Ada")
    with open_socket(server, f"attempts/{enter(ada, race)}/", token=log_in_by_token(ada)) as socket:
        socket.take()
        assert socket.ask({"from_ply": 0, "moves": MOVES[0]})["status"] == 200
        try:
            for _ in range(2000):
                socket.send({"from_ply": 0, "moves": MOVES[0]})
        except ConnectionClosed:
            pass
        assert socket.until_closed() == (4429, "flood")
    assert Attempt.objects.get().moves == MOVES[0]


def test_an_address_that_has_nothing_is_refused_or_closed(server: RunningServer) -> None:
    race, ada = make_daily(), make_player("Ada")
    token = log_in_by_token(ada)
    play(ada, enter(ada, race), EASY_MOVES)
    for path in ("races/", "races/x/", f"races/{race.pk}", f"races/{race.pk}/x/", "races/-1/", "daily/", "daily/T/x/"):
        assert status_of(server, path) == 403, path
    table = f"races/{race.pk}/watch"
    codes = {
        "races/0/": 4404,
        "races/99999999999999999999/": 4404,
        f"races/{'9' * 1000}/": 4404,
        "sprints/0/": 4404,
        "sprints/99999999999999999999/": 4404,
        "daily/N/": 4404,
        "daily/%C3%BC/": 4404,
        "daily/%00/": 4404,
        f"daily/{'T' * 300}/": 4404,
        f"{table}/Nobody/": 4403,
        f"{table}/%00/": 4403,
        f"{table}/%FF%FE/": 4403,
        f"{table}/%ED%A0%80/": 4403,
        f"races/{'9' * 30}/watch/Ada/": 4403,
    }
    for path, code in codes.items():
        with open_socket(server, path, token=token) as socket:
            assert socket.until_closed()[0] == code, path


def test_two_hundred_sockets_come_and_go_at_once(server: RunningServer) -> None:
    race = make_daily()
    process = (server.family() or [psutil.Process(server.process.pid)])[-1]

    async def come_and_go() -> None:
        async def once(number: int) -> None:
            url = f"ws://127.0.0.1:{server.port}/ws/races/{race.pk if number % 4 else 0}/"
            client = await connect_async(url, proxy=None, open_timeout=30)
            if number % 2:
                await client.recv()
            client.transport.abort()

        await asyncio.gather(*(once(number) for number in range(200) if number % 8))

    asyncio.run(come_and_go())
    for _ in range(40):  # some only begin: the handshake, and nothing more
        with sockets.create_connection(("127.0.0.1", server.port)) as half:
            half.sendall(f"GET /ws/races/{race.pk}/ HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\n".encode())
    with open_socket(server, f"races/{race.pk}/") as socket:
        assert socket.take()["type"] == "snapshot"
    end = time.monotonic() + 10
    while process.num_fds() > 60:
        assert time.monotonic() < end, process.num_fds()
        time.sleep(0.1)


# Who does not read


def connect_deaf(server: RunningServer, path: str) -> Any:
    """A client that reads nothing by itself, with as small a buffer as can be."""
    client = sockets.socket()
    client.setsockopt(sockets.SOL_SOCKET, sockets.SO_RCVBUF, 2048)
    client.setsockopt(sockets.IPPROTO_TCP, sockets.TCP_MAXSEG, 536)  # keeps the server's small as well
    client.connect(("127.0.0.1", server.port))
    return connect(f"ws://127.0.0.1:{server.port}/ws/{path}", sock=client, max_queue=1, compression=None)


def test_who_does_not_read_is_closed_and_slows_nobody(server: RunningServer) -> None:
    race = make_daily()
    for player in make_players(60):
        enter(player, race)
    watcher = Watcher()
    slowest = 0.0
    with connect_deaf(server, f"races/{race.pk}/") as deaf, open_socket(server, f"races/{race.pk}/") as socket:
        watcher.take(socket.take())
        with connection.cursor() as cursor:
            for number in range(1, 60):
                cursor.execute(
                    "UPDATE leaderboard_progress SET moves = %s, changed_at = clock_timestamp() WHERE race_id = %s",
                    [number, race.pk],
                )
                cursor.execute("SELECT pg_notify('pyramidion', %s)", [f"race {race.pk}"])
                began = time.monotonic()
                follow(socket, watcher, lambda n=number: all(r["moves"] == n for r in watcher.playing.values()))  # type: ignore[misc]
                slowest = max(slowest, time.monotonic() - began)
        assert Socket(deaf).until_closed() == (4008, "lagging")
    assert slowest < 2
