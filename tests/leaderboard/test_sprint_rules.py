"""Sprints and ratings without a clock or a database: phases, when a round is over, ranks, the model's order."""

from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leaderboard import sprints
from leaderboard.rating import PROVISIONAL, Skill, rate
from leaderboard.sprints import Runner, Score

START = datetime(2026, 12, 1, 10, tzinfo=UTC)
CLOSE = START + sprints.ROUND_LIFE


def at(seconds: float) -> datetime:
    return START + timedelta(seconds=seconds)


def won(player: int, seconds: float, *, counts: bool = True) -> Runner:
    return Runner(player, None, "won", at(seconds), round(seconds * 1000), 0, counts)


def test_a_phase_begins_with_its_moment() -> None:
    assert sprints.phase(START, None, None) == "lobby"
    assert sprints.phase(at(-0.001), START, None) == "countdown"
    assert sprints.phase(START, START, None) == "running"
    assert sprints.phase(at(9), START, at(8)) == "over"


def test_a_silent_player_is_out_two_minutes_after_the_last_word_and_not_before_the_set_time() -> None:
    assert sprints.last_sign(START, None) == START
    assert sprints.last_sign(START, at(50)) == at(50)
    assert sprints.last_sign(START, at(-50)) == START
    assert sprints.silent_from(START, None) == at(120)
    assert sprints.silent_from(START, at(3600)) == at(3600)
    assert sprints.silent_from(at(3550), at(3600)) == at(3670)


@pytest.mark.parametrize(
    ("runners", "over"),
    [
        ([], START),
        ([Runner(1), Runner(2)], CLOSE),
        ([won(1, 60), Runner(2)], at(180)),
        ([won(1, 60), won(2, 90)], at(90)),
        ([won(1, 60), Runner(2, out_at=at(70))], at(70)),
        ([won(1, 60, counts=False), Runner(2)], CLOSE),
        ([won(1, 60, counts=False), won(2, 300), Runner(3)], at(420)),
        ([Runner(1, end="resigned", ended_at=at(5)), Runner(2, out_at=at(9))], at(9)),
        ([won(1, 60), won(2, 400)], at(180)),
        ([Runner(1, out_at=START), Runner(2, out_at=START)], START),
    ],
)
def test_a_round_is_over_once_all_are_done_or_two_minutes_after_the_first_win(
    runners: list[Runner], over: datetime
) -> None:
    assert sprints.over_at(runners, START, CLOSE) == over


def test_wins_come_by_time_then_the_others_by_cards_left_then_who_left() -> None:
    runners = [
        Runner(1, left=3),
        won(2, 50),
        Runner(3, out_at=at(10), left=1),
        won(4, 40),
        Runner(5, end="resigned", ended_at=at(20), left=3),
        won(6, 30, counts=False),
        Runner(7, out_at=at(20)),
        won(8, 200),
    ]
    assert sprints.rank_round(runners, at(160)) == {4: 1, 2: 2, 8: 3, 1: 4, 5: 4, 3: 6, 7: 6}
    assert not sprints.has_won(runners[-1], at(160)), "too late"


def test_a_sprint_is_decided_by_more_than_half_of_the_rounds() -> None:
    rounds = [([won(1, 50), won(2, 60)], at(60)), ([won(1, 70), won(2, 60)], at(70)), ([Runner(1), Runner(2)], CLOSE)]
    assert sprints.add_up(rounds) == {1: Score(1, 1 + 2 + 1), 2: Score(1, 2 + 1 + 1)}
    assert not sprints.is_decided(sprints.add_up(rounds[:1]), 1, 3)
    assert sprints.is_decided(sprints.add_up([rounds[0]] * 2), 2, 3)
    assert not sprints.is_decided(sprints.add_up(rounds[:2]), 2, 3)
    assert sprints.is_decided(sprints.add_up(rounds), 3, 3)
    assert sprints.rank_all({1: Score(1, 4), 2: Score(1, 3), 3: Score(0, 3), 4: Score(1, 4)}) == {
        2: 1,
        1: 2,
        4: 2,
        3: 4,
    }


def test_who_was_not_in_a_round_stands_behind_all_of_it() -> None:
    rounds = [([won(1, 50), won(2, 60)], at(60)), ([won(1, 50), won(2, 60), won(3, 70)], at(70))]
    assert sprints.add_up(rounds)[3] == Score(0, 3 + 3)


@given(st.integers(2, 20).flatmap(lambda count: st.permutations(range(1, count + 1))))
@settings(max_examples=20, deadline=None)
def test_a_round_moves_ratings_in_the_order_of_its_ranks(ranks: list[int]) -> None:
    after = rate([Skill()] * len(ranks), ranks)
    means = [skill.mu for _rank, skill in sorted(zip(ranks, after, strict=True))]
    assert all(mean > following for mean, following in pairwise(means))
    assert all(skill.sigma <= Skill().sigma and skill.rounds == 1 for skill in after)


def test_who_came_on_the_same_rank_moves_alike() -> None:
    first, second, also_second, last = rate([Skill()] * 4, [1, 2, 2, 4])
    assert first.mu > second.mu == also_second.mu > last.mu


def test_a_newcomer_is_shown_as_1500_and_provisional() -> None:
    assert (Skill().rating, Skill().uncertainty, Skill().is_provisional) == (1500, 500, True)
    assert not Skill(rounds=PROVISIONAL).is_provisional


def test_a_long_favourite_is_told_apart_with_less_doubt() -> None:
    strong, weak = Skill(), Skill()
    for _ in range(PROVISIONAL):
        strong, weak = rate([strong, weak], [1, 2])
    assert strong.rating > 1700 > 1300 > weak.rating
    assert strong.uncertainty == weak.uncertainty < 420
