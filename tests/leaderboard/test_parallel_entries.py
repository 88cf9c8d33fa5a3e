"""Entering at the same moment: one attempt, and never a ranked one on cards that were shown before."""

from collections import Counter
from datetime import timedelta
from functools import partial
from typing import Any

import pytest

from games.models import Attempt, Deal
from leaderboard import actions, racing
from leaderboard.models import Board, Entry, Race
from tests.client import Api, but_now
from tests.players import EASY_ORDER, easy_deal, in_parallel, log_in, make_player, make_players

pytestmark = pytest.mark.django_db(transaction=True)


def make_race(letter: str = "T") -> Race:
    now = actions.read_clock()
    race = racing.create_race(
        host=None, name="x", deal=easy_deal(letter), opens_at=now, closes_at=now + timedelta(days=1)
    )
    Race.objects.update(chosen=False)
    return race


def test_twenty_equal_entries_are_one() -> None:
    race, api = make_race(), log_in(make_player("Ada"))
    answers = in_parallel([partial(Api(api.token).post, f"races/{race.pk}/attempts/", {})] * 20)
    assert Counter(status for status, _answer in answers) == {201: 1, 200: 19}
    assert all(answer == but_now(answers[0][1]) for _status, answer in answers)
    assert Attempt.objects.count() == Entry.objects.count() == 1


def test_many_players_enter_at_once() -> None:
    race = make_race()
    calls = [partial(log_in(player).post, f"races/{race.pk}/attempts/", {}) for player in make_players(16)]
    answers = in_parallel(calls)
    assert {(status, answer["ranked"]) for status, answer in answers} == {(201, True)}
    assert Deal.objects.count() == 1
    assert Board.objects.filter(kind="deal").count() == 2


def test_of_all_ways_to_the_same_cards_at_most_one_is_ranked() -> None:
    """Entering two races and practising, on the same cards under two rulesets, all at the same moment."""
    paths: list[tuple[str, Any]] = [
        ("attempts/", {"deal": f"PY0-T-{EASY_ORDER}"}),
        ("attempts/", {"deal": f"PY0-N-{EASY_ORDER}"}),
        *((f"races/{make_race(letter).pk}/attempts/", {}) for letter in "TTNN"),
    ]
    for player in make_players(5):
        token = log_in(player).token
        answers = in_parallel([partial(Api(token).post, path, body) for path, body in paths])
        assert {status for status, _answer in answers} <= {200, 201}
        attempts = Attempt.objects.filter(player=player).order_by("started_at", "id")
        assert len(attempts) == 2, "one on each deal"
        assert [attempt.ranked for attempt in attempts][1:] == [False], "the first at most is on unknown cards"
        entries = Entry.objects.filter(player=player)
        assert len(entries) == 4
        assert sum(entry.ranked for entry in entries) == attempts.filter(ranked=True).count() <= 1


def test_a_ranked_start_and_entries_are_open_side_by_side() -> None:
    races = [make_race(), make_race("N")]
    token = log_in(make_player("Ada")).token
    paths = [("attempts/", {"ruleset": "T"})] * 6 + [(f"races/{race.pk}/attempts/", {}) for race in races] * 3
    answers = in_parallel([partial(Api(token).post, path, body) for path, body in paths])
    assert Counter(status for status, _answer in answers) == {201: 3, 200: 9}
    assert Attempt.objects.count() == 3
