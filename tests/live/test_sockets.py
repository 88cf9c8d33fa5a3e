"""Do the websockets of real servers let in whom they may, say what REST says, and end whatever is wrong?"""

import asyncio
import json
import socket as sockets
import time
from collections.abc import Callable
from contextlib import ExitStack
from datetime import timedelta
from typing import Any

import httpx
import psutil
import pytest
from channels.testing import WebsocketCommunicator
from django.db import connection
from websockets.asyncio.client import connect as connect_async
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from games.engine.cards import write_cards
from games.models import Attempt, Player
from games.tokens import give_token
from leaderboard import actions, consumers, racing
from leaderboard.models import Race
from tests.live.sockets import Socket, log_in_by_session, log_in_by_token, log_out_everywhere, open_socket, status_of
from tests.live.watcher import Watcher, must_see
from tests.players import EASY_MOVES, EASY_ORDER, easy_deal, make_daily, make_player, make_players, own_line
from tests.site.servers import RunningServer, database_environment, serve

pytestmark = pytest.mark.django_db(transaction=True)

MOVES = EASY_MOVES.split(" ")


def enter(player: Player, race: Race) -> int:
    return racing.enter(player=player, race=race.pk)[0].attempt_id


def play(player: Player, attempt: int, moves: str, ply: int = 0) -> None:
    actions.play_moves(player=player, attempt=attempt, from_ply=ply, moves=moves, times=None)


def follow(socket: Socket, watcher: Watcher, holds: Callable[[], bool]) -> None:
    """Take frames until the watcher knows what it must."""
    end = time.monotonic() + 10
    while not holds():
        assert time.monotonic() < end, watcher.__dict__
        watcher.take(socket.take())


# The feed


@pytest.mark.parametrize("path", ["races/{race}/", "daily/T/"])
def test_a_socket_gets_a_snapshot_and_then_what_changes(server: RunningServer, path: str) -> None:
    race, ada = make_daily(), make_player("Ada")
    watcher = Watcher()
    with open_socket(server, path.format(race=race.pk)) as socket:
        watcher.take(socket.take())
        assert watcher.sees() == must_see(race.pk)
        attempt = enter(ada, race)
        play(ada, attempt, MOVES[0])
        follow(socket, watcher, lambda: any(row["moves"] for row in watcher.playing.values()))
        play(ada, attempt, " ".join(MOVES[1:]), 1)
        follow(socket, watcher, lambda: bool(watcher.finished))
        assert watcher.sees() == must_see(race.pk)


def test_who_comes_back_gets_what_was_missed(server: RunningServer) -> None:
    race, other, players = make_daily(), make_daily("N"), make_players(3)
    watcher = Watcher()
    with open_socket(server, f"races/{race.pk}/") as socket:
        watcher.take(socket.take())
    for player in players:
        play(player, enter(player, race), own_line(player.pk))
    with open_socket(server, f"races/{race.pk}/?since={watcher.known['since']}") as socket:
        frame = socket.take()
        assert (frame["type"], len(frame["rows"])) == ("changes", 3)
        watcher.take(frame)
        assert watcher.sees() == must_see(race.pk)
    with open_socket(server, f"races/{other.pk}/?since={watcher.known['since']}") as socket:
        assert socket.take()["rows"] == []
    for since in ("nonsense", "9" * 16, "9" * 100, "%FF", "-1", "1.5", "%00"):
        with open_socket(server, f"races/{race.pk}/?since={since}") as socket:
            assert socket.take()["type"] == "snapshot", since


def test_nothing_that_a_watcher_is_told_says_a_card(server: RunningServer) -> None:
    race, players = make_daily(), make_players(3)
    attempts = [enter(player, race) for player in players]
    told: list[Any] = []
    with open_socket(server, f"races/{race.pk}/") as feed, open_socket(server, "daily/T/") as daily:
        told += [feed.take(), daily.take()]
        for ply, move in enumerate(MOVES[:6]):
            for player, attempt in zip(players, attempts, strict=True):
                play(player, attempt, move, ply)
        actions.resign(player=players[0], attempt=attempts[0])
        while not any(row["kind"] == "finished" for row in told[-1].get("rows", [])):
            told.append(feed.take())
        since = told[0]["since"]
        with open_socket(server, f"races/{race.pk}/?since={since}") as later:
            told.append(later.take())
        stranger = log_in_by_token(make_player("Stranger"))
        with open_socket(server, f"attempts/{attempts[1]}/", token=stranger) as foreign:
            told += [foreign.take(), foreign.ask({"from_ply": 0, "moves": "g1g2"})]
        told.append(httpx.get(f"{server.url}api/v1/races/{race.pk}/changes/", trust_env=False).json())
        told.append(httpx.get(f"{server.url}api/v1/races/{race.pk}/changes/?since={since}", trust_env=False).json())
    text = json.dumps(told)
    cards = write_cards(easy_deal().cards)
    assert not [secret for secret in (EASY_ORDER, cards, "PY0-", "PY1-", "g1g2", "position") if secret in text]
    fields = {"kind", "entry", "player", "guest", "ranked", "removed", "moves", "pass", "started_at"}
    over = {"end", "official_ms", "ended_at"}
    rows = [row for frame in told for row in (*frame.get("rows", []), *frame.get("playing", []))]
    assert {frozenset(row) for row in rows} == {frozenset(fields), frozenset(fields | over)}


# Who may come in


def test_pages_of_other_origins_are_refused(server: RunningServer) -> None:
    path, here = f"races/{make_daily().pk}/", f"127.0.0.1:{server.port}"
    allowed = [None, f"http://{here}", f"HTTP://{here}", "https://trusted.example"]
    refused = [
        "null",
        "https://evil.example",
        f"https://{here}",
        "http://127.0.0.1",
        f"http://127.0.0.1:{server.port + 1}",
        f"http://localhost:{server.port}",
        f"http://{here}/",
        f"http://{here}.evil.example",
        "http://trusted.example",
        "https://trusted.example:8443",
        "https://www.trusted.example",
    ]
    assert {origin: status_of(server, path, origin=origin) for origin in allowed} == dict.fromkeys(allowed, 101)
    for origin in refused:  # 400: daphne's own word for what is no origin of a page
        assert status_of(server, path, origin=origin) in (400, 403), origin


def test_a_session_counts_only_for_a_page_of_ours(server: RunningServer) -> None:
    race, ada = make_daily(), make_player("Ada")
    path, session = f"attempts/{enter(ada, race)}/", log_in_by_session(ada)
    with open_socket(server, path, session=session) as socket:
        assert socket.take()["type"] == "ready"
        assert socket.ask({"from_ply": 0, "moves": MOVES[0]})["status"] == 200
    with open_socket(server, path, Cookie=f"sessionid={session}") as socket:
        socket.send({"from_ply": 0, "moves": MOVES[0]})
        assert socket.until_closed() == (4401, "not_allowed")
    assert status_of(server, path, session=session, origin="https://evil.example") == 403


def test_a_token_comes_in_a_subprotocol_or_in_the_first_frame(server: RunningServer) -> None:
    race, ada = make_daily(), make_player("Ada")
    path, token = f"attempts/{enter(ada, race)}/", log_in_by_token(ada)
    with open_socket(server, path, token=token) as socket:
        assert socket.connection.subprotocol == "pyramidion"
        assert socket.take()["type"] == "ready"
    with open_socket(server, path) as socket:
        assert socket.ask({"token": token})["type"] == "ready"
    for wrong in ("", "x", token[:-1] + "!", "Ünï", "\0", "\ud800", 'a"b'):
        with open_socket(server, path) as socket:
            socket.send({"token": wrong})
            assert socket.until_closed() == (4401, "not_allowed"), wrong
    with open_socket(server, path, token="unknown") as socket:
        assert socket.until_closed() == (4401, "not_allowed")
    for first in ({"from_ply": 0, "moves": "g1g2"}, {"token": 1}, {"token": token, "ref": 1}, {}):
        with open_socket(server, f"{path}?token={token}") as socket:
            socket.send(first)
            assert socket.until_closed() == (4401, "not_allowed"), first


def test_who_needs_a_token_and_sends_none_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(consumers, "SILENCE", 0.1)

    async def main() -> None:
        client = WebsocketCommunicator(consumers.Play.as_asgi(), "/")
        assert await client.connect() == (True, None)
        assert await client.receive_output(5) == {"type": "websocket.close", "code": 4401, "reason": "not_allowed"}

    asyncio.run(main())


def test_who_may_not_be_here_any_more_loses_the_socket(server: RunningServer) -> None:
    race = make_daily()
    players = dict(zip(("revoked", "banned", "logged out", "new password", "stays"), make_players(5), strict=True))
    attempts = {name: enter(player, race) for name, player in players.items()}
    tokens = {name: log_in_by_token(player) for name, player in players.items()}
    kept = log_in_by_token(players["new password"])
    with ExitStack() as stack:

        def come(path: str, **caller: str) -> Socket:
            socket = stack.enter_context(open_socket(server, path, **caller))  # type: ignore[arg-type]
            socket.take()
            return socket

        def come_later(path: str, token: str) -> Socket:
            socket = come(path)
            socket.send({"token": token})
            return socket

        play_path, feed_path = "attempts/{}/".format, f"races/{race.pk}/"
        going = [
            *(come(play_path(attempts[name]), token=tokens[name]) for name in ("revoked", "banned")),
            *(come(feed_path, token=tokens[name]) for name in ("revoked", "banned")),
            come_later(feed_path, tokens["banned"]),
            come(play_path(attempts["banned"]), session=log_in_by_session(players["banned"])),
            come(play_path(attempts["new password"]), session=log_in_by_session(players["new password"])),
            come(play_path(attempts["logged out"]), session=log_in_by_session(players["logged out"])),
        ]
        staying = [
            come(play_path(attempts["stays"]), token=tokens["stays"]),
            come(play_path(attempts["new password"]), token=kept),
        ]
        assert going[4].connection.close_code is None
        Player.objects.filter(pk=players["banned"].pk).update(is_active=False)
        players["revoked"].auth_token_set.all().delete()  # type: ignore[attr-defined]
        players["new password"].set_unusable_password()
        players["new password"].save()
        log_out_everywhere()
        end = time.monotonic() + 5
        assert [socket.until_closed(max(0.01, end - time.monotonic())) for socket in going] == [
            (4401, "not_allowed")
        ] * len(going)
        assert [socket.ask({"from_ply": 0, "moves": MOVES[0]})["status"] for socket in staying] == [200, 200]


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


# Play


def describe(answer: httpx.Response) -> tuple[int, Any]:
    return answer.status_code, answer.json()


@pytest.mark.parametrize("by", ["token", "session"])
def test_a_move_over_a_socket_is_the_move_over_rest(server: RunningServer, by: str) -> None:
    race, ada, bob = make_daily(), make_player("Ada"), make_player("Bob")
    mine, others = enter(ada, race), enter(bob, race)
    caller = {by: log_in_by_token(ada) if by == "token" else log_in_by_session(ada)}
    api = httpx.Client(
        base_url=f"{server.url}api/v1/",
        headers={"Authorization": f"Token {log_in_by_token(ada)}", "Accept-Language": "de"},
        trust_env=False,
    )
    calls: list[tuple[int, Any, int]] = [
        (mine, {"from_ply": 0, "moves": MOVES[0]}, 200),
        (mine, {"from_ply": 1, "moves": "g3g4 g5g6"}, 200),
        (mine, {"from_ply": 3, "moves": "a1"}, 422),
        (mine, {"from_ply": 3, "moves": "zz"}, 422),
        (mine, {"from_ply": 0, "moves": "D D"}, 409),
        (mine, {"from_ply": 9, "moves": ""}, 409),
        (mine, {}, 400),
        (mine, {"from_ply": 0, "moves": 1}, 400),
        (mine, {"from_ply": 0, "moves": "", "more": 1}, 400),
        (mine, {"from_ply": 10**30, "moves": "\ud800"}, 400),
        (mine, {"from_ply": 0, "moves": "\ud800\0"}, 409),
        (mine, {"from_ply": 3, "moves": "g7", "times": [1, "x"]}, 422),
        (others, {"from_ply": 0, "moves": MOVES[0]}, 404),
        (10**18, {"from_ply": 0, "moves": MOVES[0]}, 404),
        (10**30, {"from_ply": 0, "moves": MOVES[0]}, 404),
        (mine, {"from_ply": 3, "moves": " ".join(MOVES[3:])}, 200),
        (mine, {"from_ply": 16, "moves": "D"}, 422),
    ]
    for number, (attempt, call, status) in enumerate(calls):
        with open_socket(server, f"attempts/{attempt}/", Accept_Language="de", **caller) as socket:  # type: ignore[arg-type]
            assert socket.take()["type"] == "ready"
            answer = socket.ask(call | {"ref": number})
            assert (answer["type"], answer["ref"], answer["status"]) == ("answer", number, status), call
            repeated = socket.ask(call)
            assert (repeated["ref"], repeated["status"], repeated["body"]) == (None, status, answer["body"])
        body = json.dumps(call)
        over_rest = api.post(f"attempts/{attempt}/moves/", content=body, headers={"Content-Type": "application/json"})
        assert describe(over_rest) == (answer["status"], answer["body"]), call
    assert Attempt.objects.get(pk=mine).end == "won"
    assert Attempt.objects.get(pk=others).moves == ""


def test_a_token_of_an_app_does_over_a_socket_what_its_scopes_say(server: RunningServer) -> None:
    ada = make_player("Ada")
    path = f"attempts/{enter(ada, make_daily())}/"
    for scopes, status in ([], 403), (["races"], 403), (["play"], 200):
        _stored, token = give_token(player=ada, name="app", scopes=scopes)
        with open_socket(server, path, token=token) as socket:
            socket.take()
            assert socket.ask({"from_ply": 0, "moves": MOVES[0]})["status"] == status, scopes


def test_behind_https_a_page_plays_by_its_session() -> None:
    race, ada = make_daily(), make_player("Ada")
    attempt, session = enter(ada, race), log_in_by_session(ada)
    with serve(["--workers", "1"], database_environment() | {"BEHIND_HTTPS": "1"}) as server:
        origin = f"https://127.0.0.1:{server.port}"
        path = f"attempts/{attempt}/"
        with open_socket(server, path, session=session, origin=origin, X_Forwarded_Proto="https") as socket:
            socket.take()
            assert socket.ask({"from_ply": 0, "moves": MOVES[0]})["status"] == 200
        plain = f"http://127.0.0.1:{server.port}"
        assert status_of(server, path, session=session, origin=plain, X_Forwarded_Proto="https") == 403


# Tables

TABLE = [
    ("anonymous", 4401),
    ("not entered", 4403),
    ("playing", 4403),
    ("ended", None),
    ("out of time", None),
    ("won", None),
    ("ended, playing the same cards again", 4403),
    ("ended, playing them in another ruleset", 4403),
    ("ended in another race", 4403),
]


def come_as(who: str, race: Race, other: Race) -> str:
    """The token of one of the table's viewers, after what made them one."""
    viewer = make_player(f"Viewer {chr(97 + [row[0] for row in TABLE].index(who))}")
    if who == "ended in another race":
        actions.resign(player=viewer, attempt=enter(viewer, other))
    elif who != "not entered":
        attempt = enter(viewer, race)
        if who == "won":
            play(viewer, attempt, EASY_MOVES)
        elif who == "out of time":
            Attempt.objects.filter(pk=attempt).update(ends_at=actions.read_clock())
        elif who != "playing":
            actions.resign(player=viewer, attempt=attempt)
        if who == "ended, playing the same cards again":
            actions.start_practice(player=viewer, deal=easy_deal())
        if who == "ended, playing them in another ruleset":
            actions.start_practice(player=viewer, deal=easy_deal("N"))
    return log_in_by_token(viewer)


def test_who_may_watch_a_table(server: RunningServer) -> None:
    race, other, zoe = make_daily(), make_daily("N"), make_player("Zoë Ünicode")
    attempt = enter(zoe, race)
    play(zoe, attempt, MOVES[0])
    for who, code in TABLE:
        token = None if who == "anonymous" else come_as(who, race, other)
        with open_socket(server, f"races/{race.pk}/watch/zo%C3%AB%20%C3%BCnicode/", token=token) as socket:
            if who == "anonymous":
                socket.send({})
            if code:
                assert socket.until_closed()[0] == code, who
                continue
            frame = socket.take()
            assert (frame["type"], frame["moves"], frame["end"]) == ("table", MOVES[0], None), who


def test_a_table_is_watched_move_by_move_until_the_watcher_plays_the_same_cards(server: RunningServer) -> None:
    race, ada, bob = make_daily(), make_player("Ada"), make_player("Bob")
    attempt = enter(ada, race)
    actions.resign(player=bob, attempt=enter(bob, race))
    with open_socket(server, f"races/{race.pk}/watch/Ada/", token=log_in_by_token(bob)) as socket:
        table = socket.take()
        assert (table["moves"], table["deal"], table["cards"]) == ("", race.code, write_cards(race.deal.cards.cards))
        play(ada, attempt, MOVES[0])
        assert socket.take() == {"type": "moves", "from_ply": 0, "moves": MOVES[0], "end": None}
        play(ada, attempt, " ".join(MOVES[1:]), 1)
        assert socket.take() == {"type": "moves", "from_ply": 1, "moves": " ".join(MOVES[1:]), "end": "won"}
        actions.start_practice(player=bob, deal=easy_deal())
        assert socket.until_closed() == (4403, "not_to_see")


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
                cursor.execute("SELECT pg_notify('pyramidion', %s)", [str(race.pk)])
                began = time.monotonic()
                follow(socket, watcher, lambda n=number: all(r["moves"] == n for r in watcher.playing.values()))  # type: ignore[misc]
                slowest = max(slowest, time.monotonic() - began)
        assert Socket(deaf).until_closed() == (4008, "lagging")
    assert slowest < 2


def test_moments_of_frames_are_of_the_servers_clock(server: RunningServer) -> None:
    race = make_daily()
    before = actions.read_clock() - timedelta(seconds=1)
    with open_socket(server, f"races/{race.pk}/") as socket:
        frame = socket.take()
    assert before.isoformat() <= frame["now"] <= actions.read_clock().isoformat()
