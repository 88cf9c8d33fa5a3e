"""The rules of races: phases to the microsecond, days and months, the human floor."""

from datetime import UTC, date, datetime, timedelta, timezone

import pytest

from leaderboard import races
from leaderboard.races import Floor

INSTANT = timedelta(microseconds=1)


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


OPENS, CLOSES = at("2026-11-30"), at("2026-12-01")


@pytest.mark.parametrize(
    ("now", "phase"),
    [
        (OPENS - INSTANT, "upcoming"),
        (OPENS, "open"),
        (at("2026-11-30T23:59:59.9"), "open"),
        (CLOSES - INSTANT, "open"),
        (CLOSES, "grace"),
        (CLOSES + timedelta(hours=1) - INSTANT, "grace"),
        (CLOSES + timedelta(hours=1), "closed"),
        (at("9999-01-01"), "closed"),
    ],
)
def test_a_moment_belongs_to_the_phase_that_begins_with_it(now: datetime, phase: str) -> None:
    assert races.phase(now, OPENS, CLOSES) == phase
    elsewhere = now.astimezone(timezone(timedelta(hours=-8)))
    assert races.phase(elsewhere, OPENS, CLOSES) == phase, "wherever the clock hangs"


@pytest.mark.parametrize(
    ("started_at", "ends_at"),
    [
        (OPENS, at("2026-12-01")),
        (OPENS + timedelta(minutes=59), at("2026-12-01T00:59")),
        (OPENS + timedelta(hours=1), at("2026-12-01T01:00")),
        (OPENS + timedelta(hours=1) + INSTANT, at("2026-12-01T01:00")),
        (at("2026-11-30T23:59:59.9"), at("2026-12-01T01:00")),
    ],
)
def test_an_attempt_ends_after_a_day_or_with_the_grace_hour(started_at: datetime, ends_at: datetime) -> None:
    assert races.end_of(started_at, CLOSES) == ends_at


def test_in_a_long_race_an_attempt_has_its_day() -> None:
    assert races.end_of(OPENS, OPENS + timedelta(days=7)) == OPENS + timedelta(days=1)


@pytest.mark.parametrize(
    ("day", "begins", "ends"),
    [
        (date(2028, 2, 28), at("2028-02-28"), at("2028-02-29")),
        (date(2028, 2, 29), at("2028-02-29"), at("2028-03-01")),
        (date(2026, 12, 31), at("2026-12-31"), at("2027-01-01")),
    ],
)
def test_a_day_is_that_of_utc(day: date, begins: datetime, ends: datetime) -> None:
    assert races.day_window(day) == (begins, ends)
    assert races.day_of(begins) == races.day_of(ends - INSTANT) == day
    assert races.day_of(begins.astimezone(timezone(timedelta(hours=9)))) == day
    assert races.day_of(ends) == day + timedelta(days=1)


@pytest.mark.parametrize(
    ("month", "count", "last"),
    [("2026-11", 30, 30), ("2028-02", 29, 29), ("2026-02", 28, 28), ("2026-12", 31, 31), ("9999-12", 31, 31)],
)
def test_a_month_has_its_days(month: str, count: int, last: int) -> None:
    days = races.read_month(month)
    assert (len(days), days[0].day, days[-1].day) == (count, 1, last)
    assert {f"{day:%Y-%m}" for day in days} == {month}


@pytest.mark.parametrize("text", ["2026-13", "2026-1", "0000-01", "2026-11-01", "", "2026-11 ", "２０２６-11", "now"])
def test_what_is_no_month_is_refused(text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011
        races.read_month(text)


@pytest.mark.parametrize(
    "text", ["2026-02-29", "20261130", "2026-11-31", "2026-W01-1", "", "2026-11-30T00:00", "today"]
)
def test_what_is_no_day_is_refused(text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011
        races.read_day(text)


def test_a_day_reads_as_it_is_written() -> None:
    assert races.read_day("2028-02-29") == date(2028, 2, 29)


@pytest.mark.parametrize(
    ("official_ms", "moves", "held"),
    [
        (10_000, 20, ""),
        (9_999, 20, "pace"),
        (15_000, 50, ""),
        (14_999, 50, "pace"),
        (0, 0, "pace"),
        (86_400_000, 4000, ""),
    ],
)
def test_what_no_human_beats_is_held(official_ms: int, moves: int, held: str) -> None:
    assert races.held_reason(official_ms, moves, Floor(move_ms=300, seconds=10)) == held


def test_a_floor_of_nothing_holds_nothing() -> None:
    assert races.held_reason(0, 4000, Floor(0, 0)) == ""


def test_a_floor_reads_as_it_is_written() -> None:
    assert str(Floor.read("300/10")) == "300/10"
    for text in ("300", "300/", "/10", "-1/10", "300/1.5", "300/10/1", " 300/10", "³/1"):
        with pytest.raises(ValueError, match="300/10"):
            Floor.read(text)
