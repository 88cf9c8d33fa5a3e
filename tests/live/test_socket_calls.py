"""Is play over a socket play over REST, and who may watch a table?"""

import json
from typing import Any

import httpx
import pytest

from games.engine.cards import write_cards
from games.models import Attempt
from games.tokens import give_token
from leaderboard import actions
from leaderboard.models import Race
from tests.live.sockets import enter, log_in_by_session, log_in_by_token, open_socket, play, status_of
from tests.players import EASY_MOVES, easy_deal, make_daily, make_player
from tests.site.servers import RunningServer, database_environment, serve

pytestmark = pytest.mark.django_db(transaction=True)

MOVES = EASY_MOVES.split(" ")


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
