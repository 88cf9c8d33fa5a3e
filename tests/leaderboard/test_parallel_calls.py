"""Calls at the same moment: real threads, each on a connection of its own."""

import os
import random
import time
from collections import Counter
from collections.abc import Callable
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction

from games.models import Attempt, Deal, Player
from leaderboard import actions, moderating
from leaderboard.models import Standing
from tests.client import Api, but_now
from tests.leaderboard.plain_boards import check_boards
from tests.players import (
    EASY_MOVES,
    EASY_ORDER,
    easy_deal,
    easy_line,
    in_parallel,
    log_in,
    make_player,
    make_players,
    open_attempt,
    place,
    solved_deals,
)

pytestmark = pytest.mark.django_db(transaction=True)

EASY = EASY_MOVES.split(" ")
CODE = f"PY0-T-{EASY_ORDER}"
MANY = 20
WRITERS_SECONDS = float(os.environ.get("WRITERS_SECONDS", "3"))


def post_in_parallel(player: Player, path: str, bodies: list[Any]) -> list[tuple[int, Any]]:
    """The answers of a player's calls to one path, one call a body, all at the same moment."""
    token = log_in(player).token
    return in_parallel([partial(Api(token).post, path, body) for body in bodies])


@pytest.mark.parametrize("body", [{"deal": CODE}, {"ruleset": "T"}], ids=["by deal", "by ruleset"])
def test_twenty_equal_starts_make_one_attempt(body: dict[str, str]) -> None:
    answers = post_in_parallel(make_player("Ada"), "attempts/", [body] * MANY)
    assert Counter(status for status, _answer in answers) == {201: 1, 200: MANY - 1}
    assert all(answer == but_now(answers[0][1]) for _status, answer in answers)
    assert Attempt.objects.count() == 1
    assert Deal.objects.count() == 1, "cards that nobody was shown leave nothing"


def test_starts_on_different_deals_do_not_hold_each_other_up() -> None:
    player = make_player("Ada")
    bodies = [{"deal": deal.code} for deal, _line in solved_deals()[:10]] * 2
    answers = post_in_parallel(player, "attempts/", bodies)
    assert Counter(status for status, _answer in answers) == {201: 10, 200: 10}
    assert Attempt.objects.filter(ended_at=None).count() == 10


def test_many_players_start_on_a_new_deal_at_once() -> None:
    tokens = [log_in(player).token for player in make_players(MANY)]
    answers = in_parallel([partial(Api(token).post, "attempts/", {"deal": CODE}) for token in tokens])
    assert [status for status, _answer in answers] == [201] * MANY
    assert Deal.objects.count() == 1


@pytest.mark.parametrize("count", [3, 16], ids=["in the middle", "to a win"])
@pytest.mark.parametrize("with_times", [True, False])
def test_twenty_equal_moves_are_stored_once_and_answered_alike(count: int, with_times: bool) -> None:
    player = make_player("Ada")
    attempt = open_attempt(player, easy_deal())
    body: dict[str, Any] = {"from_ply": 0, "moves": " ".join(EASY[:count])}
    if with_times:
        body["times"] = list(range(count))
    answers = post_in_parallel(player, f"attempts/{attempt.pk}/moves/", [body] * MANY)
    assert [status for status, _answer in answers] == [200] * MANY
    assert all(answer == answers[0][1] for _status, answer in answers)
    attempt.refresh_from_db()
    assert (attempt.plies, len(attempt.times)) == (count, count)
    assert Standing.objects.filter(board__period="").count() == (4 if count == 16 else 0)
    check_boards()


def test_of_two_continuations_one_wins_and_the_other_is_told_the_true_state() -> None:
    player = make_player("Ada")
    for _round in range(10):
        attempt = open_attempt(player, easy_deal())
        bodies = [{"from_ply": 0, "moves": moves} for moves in ("g1g2 g3g4", "g1g2 g5g6", "g7", "D D D")]
        answers = post_in_parallel(player, f"attempts/{attempt.pk}/moves/", bodies)
        assert Counter(status for status, _answer in answers) == {200: 1, 409: 3}
        winner = next(n for n, (status, _answer) in enumerate(answers) if status == 200)
        moves = bodies[winner]["moves"]
        state = {"ply": len(moves.split()), "moves": moves, "end": None}
        assert [answer["state"] for status, answer in answers if status == 409] == [state] * 3
        attempt.refresh_from_db()
        assert attempt.moves == moves
        actions.resign(player=player, attempt=attempt.pk)


def test_a_longer_and_a_shorter_call_end_with_all_the_tokens() -> None:
    player = make_player("Ada")
    for _round in range(5):
        attempt = open_attempt(player, easy_deal())
        bodies = [{"from_ply": 0, "moves": " ".join(EASY[:count])} for count in (1, 2, 3, 5, 8, 13, 15)]
        answers = post_in_parallel(player, f"attempts/{attempt.pk}/moves/", bodies)
        assert {status for status, _answer in answers} == {200}
        attempt.refresh_from_db()
        assert attempt.moves == " ".join(EASY[:15])
        assert attempt.times == sorted(attempt.times)
        actions.resign(player=player, attempt=attempt.pk)


def test_wins_of_one_player_at_once_leave_the_best_standing() -> None:
    player = make_player("Ada")
    generator = random.Random(1)
    at = actions.read_clock()
    wins = [(generator.choice([5000, 5050, 5100, 7000]), generator.randint(16, 18)) for _ in range(MANY)]
    in_parallel([partial(place, player, ms, moves, ended_at=at) for ms, moves in wins])
    assert check_boards() == {"deal": 2, "ruleset": 2}
    board = Standing.objects.get(board__kind="ruleset", board__order="time")
    assert (board.key1, board.key2) == min(wins)


def test_a_replay_sent_twenty_times_is_one_replay() -> None:
    moves = {"format": "pyramid-replay/1", "deal": CODE, "moves": EASY_MOVES, "times": list(range(16))}
    answers = post_in_parallel(make_player("Ada"), "replays/", [moves] * MANY)
    assert Counter(status for status, _answer in answers) == {201: 1, 200: MANY - 1}
    assert all(answer == answers[0][1] for _status, answer in answers)
    assert Attempt.objects.count() == 1
    assert check_boards() == {"deal": 2}


def test_different_replays_of_a_player_at_once_leave_the_best_standing() -> None:
    bodies = [
        {"format": "pyramid-replay/1", "deal": CODE, "moves": easy_line(moves), "times": [0] * (2 * moves - 17) + [ms]}
        for moves, ms in zip([16, 17, 18, 19] * 5, [900, 950, 1000, 800, 820] * 4, strict=True)
    ]
    answers = post_in_parallel(make_player("Ada"), "replays/", bodies)
    assert [status for status, _answer in answers] == [201] * MANY
    assert check_boards() == {"deal": 2}


def test_a_win_and_giving_up_at_once_are_exactly_one_end() -> None:
    player = make_player("Ada")
    token = log_in(player).token
    ends: Counter[str] = Counter()
    for _round in range(15):
        attempt = open_attempt(player, easy_deal())
        path = f"attempts/{attempt.pk}/"
        body = {"from_ply": 0, "moves": EASY_MOVES}
        (won, win), (resigned, end) = in_parallel(
            [partial(Api(token).post, f"{path}moves/", body), partial(Api(token).post, f"{path}resign/")]
        )
        attempt.refresh_from_db()
        ends[attempt.end] += 1
        assert (won, resigned) == ((200, 409) if attempt.end == "won" else (409, 200))
        assert (end if attempt.end == "won" else win)["state"]["end"] == attempt.end
        check_boards()
    assert set(ends) <= {"won", "resigned"}


def test_a_start_and_moves_as_the_time_runs_out_leave_one_open_attempt() -> None:
    player = make_player("Ada")
    token = log_in(player).token
    old = open_attempt(player, easy_deal(), ranked=False)
    Attempt.objects.filter(pk=old.pk).update(ends_at=actions.read_clock() + timedelta(milliseconds=1200))
    end = time.monotonic() + 2
    acknowledged = [0]

    def start() -> set[int]:
        ids = set()
        while time.monotonic() < end:
            status, answer = Api(token).post("attempts/", {"deal": CODE})
            assert status in (200, 201)
            ids.add(answer["id"])
        return ids

    def move() -> set[int]:
        while time.monotonic() < end:
            ply = acknowledged[-1]
            status, answer = Api(token).post(f"attempts/{old.pk}/moves/", {"from_ply": ply, "moves": "D U"})
            if status == 200:
                acknowledged.append(answer["ply"])
            else:
                assert (status, answer["code"], answer["state"]["end"]) == (409, "attempt_ended", "expired")
        return set()

    ids = set().union(*in_parallel([start, start, start, move]))
    old.refresh_from_db()
    assert (old.end, old.ended_at) == ("expired", old.ends_at)
    assert old.plies == acknowledged[-1] > 0, "nothing acknowledged is lost"
    (new,) = Attempt.objects.filter(ended_at=None)
    assert ids == {old.pk, new.pk}


def play_at_random(players: list[Player], tokens: dict[int, str], seed: int, end: float) -> Counter[str]:
    """Win, give up and send replays as random players on few deals, and moderate what others did, until `end`."""
    generator = random.Random(seed)
    done: Counter[str] = Counter()
    while time.monotonic() < end:
        player = generator.choice(players)
        api = Api(tokens[player.pk])
        deal, line = generator.choice(solved_deals()[:3])
        ms = generator.choice([3000, 3040, 3090, 3100, 60_000, 60_010])
        if generator.random() < 0.2 and (
            attempt := Attempt.objects.filter(player=player, end="won").order_by("?").first()
        ):
            word = generator.choice(["void", "restore", "hold", "release"])
            getattr(moderating, word)(attempt=attempt, **({"because": "pace"} if word == "hold" else {}))
            done["moderated"] += 1
            continue
        if generator.random() < 0.2:
            times = [0] * line.count(" ") + [ms + generator.randrange(3)]
            body = {"format": "pyramid-replay/1", "deal": deal.code, "moves": line, "times": times}
            status, answer = api.post("replays/", body)
            done[f"replay {status}"] += 1
            continue
        started_at = actions.read_clock() - timedelta(milliseconds=ms)
        try:
            with transaction.atomic():
                attempt = open_attempt(player, deal, ranked=generator.random() < 0.8, started_at=started_at)
        except IntegrityError:  # this player is playing already
            done["busy"] += 1
            continue
        if generator.random() < 0.1:
            status, answer = api.post(f"attempts/{attempt.pk}/resign/")
        else:
            body = {"from_ply": 0, "moves": "D U " * generator.randrange(2) + line}
            status, answer = api.post(f"attempts/{attempt.pk}/moves/", body)
        done[f"{answer['end']} {status}"] += 1
    return done


def test_sixteen_writers_leave_the_boards_that_the_attempts_make() -> None:
    players = make_players(12)
    tokens = {player.pk: log_in(player).token or "" for player in players}
    end = time.monotonic() + WRITERS_SECONDS
    calls: list[Callable[[], Counter[str]]] = [
        partial(play_at_random, players, tokens, seed, end) for seed in range(16)
    ]
    done: Counter[str] = sum(in_parallel(calls), Counter())
    assert set(done) <= {"replay 201", "replay 200", "won 200", "resigned 200", "busy", "moderated"}
    assert Attempt.objects.filter(end="won", clock="server").count() == done["won 200"] > 20
    sizes = check_boards()
    standing = Attempt.objects.filter(ranked=True, end="won", held="", voided_at=None)
    assert sizes["ruleset"] == 2 * standing.values("player").distinct().count()
    assert not Attempt.objects.filter(ended_at=None).exists()


def test_a_row_that_stays_locked_is_503_and_nothing_is_changed() -> None:
    player = make_player("Ada")
    token = log_in(player).token
    attempt = open_attempt(player, easy_deal())
    body = {"from_ply": 0, "moves": EASY_MOVES}

    def wait_and_win() -> tuple[int, Any]:
        with connection.cursor() as cursor:
            cursor.execute("SELECT set_config('lock_timeout', '50ms', false)")
        return Api(token).post(f"attempts/{attempt.pk}/moves/", body)

    with transaction.atomic():
        Attempt.objects.select_for_update().get(pk=attempt.pk)
        ((status, answer),) = in_parallel([wait_and_win])
    assert (status, answer["code"]) == (503, "busy")
    attempt.refresh_from_db()
    assert (attempt.plies, attempt.end) == (0, "")
    assert not Standing.objects.exists()
    assert Api(token).post(f"attempts/{attempt.pk}/moves/", body)[0] == 200
