"""Streaks and runs of wins, from nothing but the days on which a player played."""

from datetime import date, timedelta

import pytest

from leaderboard.races import Streak, count_streak, longest_run

TODAY = date(2028, 3, 1)  # the day after a leap day


def days(*ago: int) -> list[date]:
    return [TODAY - timedelta(days=n) for n in ago]


@pytest.mark.parametrize(
    ("played", "streak"),
    [
        ([], Streak(0, 0, 0)),
        (days(0), Streak(1, 1, 0)),
        (days(1), Streak(1, 1, 0)),
        (days(2), Streak(0, 1, 0)),
        (days(0, 1, 2), Streak(3, 3, 0)),
        (days(0, 0, 1, 1), Streak(2, 2, 0)),
        (days(0, 2, 3, 4), Streak(1, 3, 0)),
        (days(*range(10)), Streak(10, 10, 1)),
        (days(*range(30)), Streak(30, 30, 3)),
        (days(*range(60)), Streak(60, 60, 3)),
    ],
    ids=["never", "today", "yesterday", "two days ago", "in a row", "twice a day", "a gap", "ten", "thirty", "sixty"],
)
def test_a_streak_is_the_days_in_a_row(played: list[date], streak: Streak) -> None:
    assert count_streak(played, TODAY) == streak
    assert count_streak(reversed(played), TODAY) == streak


def test_a_missed_day_takes_a_freeze_and_the_streak_goes_on() -> None:
    ten = days(*range(2, 12))
    assert count_streak(ten, TODAY) == Streak(10, 10, 0), "yesterday was missed"
    assert count_streak([*ten, TODAY], TODAY) == Streak(11, 11, 0)
    assert count_streak(days(*range(3, 13)), TODAY) == Streak(0, 10, 0), "two days were missed"


def test_three_freezes_last_three_days_and_no_more() -> None:
    for missed, streak in [
        (0, Streak(40, 40, 3)),
        (1, Streak(40, 40, 2)),
        (3, Streak(40, 40, 0)),
        (4, Streak(0, 40, 0)),
    ]:
        assert count_streak(days(*range(1 + missed, 41 + missed)), TODAY) == streak


def test_a_frozen_day_counts_for_nothing() -> None:
    played = days(*range(9), *range(10, 20))
    assert count_streak(played, TODAY) == Streak(19, 19, 0), "the twentieth day would have earned a freeze"


def test_taking_a_day_away_recomputes_the_streak() -> None:
    played = days(*range(9))
    assert count_streak(played, TODAY).days == 9
    del played[4]
    assert count_streak(played, TODAY) == Streak(4, 4, 0)


def test_days_to_come_do_not_count() -> None:
    assert count_streak([*days(0), TODAY + timedelta(days=1)], TODAY) == Streak(1, 1, 0)


@pytest.mark.parametrize(("wins", "run"), [("", 0), ("-", 0), ("w", 1), ("ww-www-w", 3), ("-ww", 2), ("w-w-w", 1)])
def test_the_longest_run_of_wins(wins: str, run: int) -> None:
    assert longest_run(letter == "w" for letter in wins) == run
