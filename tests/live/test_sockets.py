"""Do the websockets of real servers tell what happens, and let in whom they may?"""

import asyncio
import json
import time
from contextlib import ExitStack
from datetime import timedelta
from typing import Any

import httpx
import pytest
from channels.testing import WebsocketCommunicator

from games.engine.cards import write_cards
from games.models import Player
from leaderboard import actions, consumers
from tests.live.sockets import (
    Socket,
    enter,
    follow,
    log_in_by_session,
    log_in_by_token,
    log_out_everywhere,
    open_socket,
    play,
    status_of,
)
from tests.live.watcher import Watcher, must_see
from tests.players import EASY_MOVES, EASY_ORDER, easy_deal, make_daily, make_player, make_players, own_line
from tests.site.servers import RunningServer

pytestmark = pytest.mark.django_db(transaction=True)

MOVES = EASY_MOVES.split(" ")


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
    over = {"end", "official_ms", "ended_at", "replay"}
    rows = [row for frame in told for row in (*frame.get("rows", []), *frame.get("playing", []))]
    assert {frozenset(row) for row in rows} == {frozenset(fields), frozenset(fields | over)}


def test_moments_of_frames_are_of_the_servers_clock(server: RunningServer) -> None:
    race = make_daily()
    before = actions.read_clock() - timedelta(seconds=1)
    with open_socket(server, f"races/{race.pk}/") as socket:
        frame = socket.take()
    assert before.isoformat() <= frame["now"] <= actions.read_clock().isoformat()


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
