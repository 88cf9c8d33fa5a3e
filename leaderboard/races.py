"""Races as functions of stored times and `now`: phases, days, commitments, the human floor, streaks.

Pure: no clock, no database. Every moment is an aware datetime; a day is that of UTC.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, date, datetime, time, timedelta
from hashlib import sha256
from typing import NamedTuple

ATTEMPT_LIFE = timedelta(hours=24)
GRACE_LIFE = timedelta(hours=1)

UPCOMING, OPEN, GRACE, CLOSED = "upcoming", "open", "grace", "closed"


def phase(now: datetime, opens_at: datetime, closes_at: datetime, grace: timedelta = GRACE_LIFE) -> str:
    """Where a race stands: "upcoming", "open" (one may enter), "grace" (who entered plays on), "closed".

    A moment belongs to the phase that begins with it.
    """
    if now < opens_at:
        return UPCOMING
    if now < closes_at:
        return OPEN
    return GRACE if now < closes_at + grace else CLOSED


def end_of(started_at: datetime, closes_at: datetime) -> datetime:
    """When an attempt that was started in a race ends by itself: a day later, or an hour after the race closes."""
    return min(started_at + ATTEMPT_LIFE, closes_at + GRACE_LIFE)


# Days


def day_of(moment: datetime) -> date:
    """The UTC day of a moment."""
    return moment.astimezone(UTC).date()


def day_window(day: date) -> tuple[datetime, datetime]:
    """When a UTC day begins and when it is over."""
    start = datetime.combine(day, time(), UTC)
    return start, start + timedelta(days=1)


def read_day(text: str) -> date:
    """The day that is written 2026-11-30. Raises ValueError."""
    if not re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", text, re.ASCII):
        raise ValueError(f"A day is written 2026-11-30, not {text!r}.")
    return date.fromisoformat(text)


def read_month(text: str) -> list[date]:
    """The days of the month that is written 2026-11. Raises ValueError."""
    if not re.fullmatch(r"[0-9]{4}-[0-9]{2}", text, re.ASCII):
        raise ValueError(f"A month is written 2026-11, not {text!r}.")
    first = date.fromisoformat(f"{text}-01")
    days = (date.fromordinal(first.toordinal() + n) for n in range(31) if first.toordinal() + n <= date.max.toordinal())
    return [day for day in days if day.month == first.month]


def difficulty_of(day: date) -> str:
    """How difficult the dailies of a day are: easy on Monday and Tuesday, hard on Saturday and Sunday."""
    return ("easy", "easy", "medium", "medium", "medium", "hard", "hard")[day.weekday()]


# Commitments


def commit(day: date, code: str, nonce: str, previous: str) -> str:
    """The commitment to a daily: SHA-256 in hex of the ASCII text `day:code:nonce:previous`.

    day: 2026-11-30. code: the deal's, in exact writing. nonce: 128 bits in hex. previous: the commitment minted
    before it in the ruleset, "" for the first.
    """
    return sha256(f"{day.isoformat()}:{code}:{nonce}:{previous}".encode("ascii")).hexdigest()


class Link(NamedTuple):
    """One commitment of a chain as it is published; `code` and `nonce` are None until the day is over."""

    ruleset: str
    day: date
    commitment: str
    previous: str
    minted_at: datetime
    committed: bool
    withdrawn: bool
    code: str | None
    nonce: str | None


def check_chain(links: Sequence[Link], now: datetime) -> list[str]:
    """What is wrong with the commitments published at `now`, in the order of minting; no sentences: nothing.

    They may be those of several rulesets, and begin in the middle of their chains.
    """
    wrong: list[str] = []
    last: dict[str, Link] = {}
    days: set[tuple[str, date]] = set()
    for link in links:
        name = f"{link.ruleset} {link.day}"
        before = last.get(link.ruleset)
        if before and link.previous != before.commitment:
            wrong.append(f"{name}: does not follow the commitment of {before.day}.")
        if before and link.minted_at < before.minted_at:
            wrong.append(f"{name}: minted before the commitment that it follows.")
        last[link.ruleset] = link
        wrong += [f"{name}: {fault}" for fault in _check_link(link, now)]
        if not link.withdrawn and (link.ruleset, link.day) in days:
            wrong.append(f"{name}: there is another daily of this day.")
        if not link.withdrawn:
            days.add((link.ruleset, link.day))
    return wrong


def _check_link(link: Link, now: datetime) -> list[str]:
    begins, ends = day_window(link.day)
    wrong = []
    if link.committed != (link.minted_at < begins):
        wrong.append("it is not said rightly whether it was committed to before the day.")
    if link.code is None or link.nonce is None:
        if ends <= now:
            wrong.append("the day is over, and the cards were not told.")
        return wrong
    if link.code[:6] not in (f"PY0-{link.ruleset}-", f"PY1-{link.ruleset}-"):
        wrong.append(f"{link.code} is no deal of the ruleset.")
    if not re.fullmatch("[0-9a-f]{32}", link.nonce):
        wrong.append("the nonce is not 128 bits in hex.")
    if not link.code.isascii() or commit(link.day, link.code, link.nonce, link.previous) != link.commitment:
        wrong.append(f"{link.code} is not what was committed to.")
    return wrong


# The human floor

NOT_HELD, PACE, SAME_MOVES = "", "pace", "same_moves"


class Floor(NamedTuple):
    """What no human beats: `move_ms` a counted move on average, `seconds` in all. Written 300/10."""

    move_ms: int
    seconds: int

    @classmethod
    def read(cls, text: str) -> "Floor":
        """The floor that is written as `text`. Raises ValueError."""
        match = re.fullmatch(r"([0-9]{1,6})/([0-9]{1,5})", text, re.ASCII)
        if not match:
            raise ValueError(f"A floor is written 300/10 (ms a move/seconds), not {text!r}.")
        return cls(int(match[1]), int(match[2]))

    def __str__(self) -> str:
        return f"{self.move_ms}/{self.seconds}"


def held_reason(official_ms: int, moves: int, floor: Floor) -> str:
    """Why a ranked win is held: "pace" under the floor, "" not at all. `moves` are the counted ones."""
    too_fast = official_ms < floor.seconds * 1000 or official_ms < floor.move_ms * moves
    return PACE if too_fast else NOT_HELD


# Streaks

DAYS_A_FREEZE = 10
MOST_FREEZES = 3


class Streak(NamedTuple):
    """A run of days with a daily: how long it is now, the longest ever, and the freezes that are kept."""

    days: int
    longest: int
    freezes: int


def count_streak(played: Iterable[date], today: date) -> Streak:
    """The streak of a player who played on these days.

    Every ten days of a streak earn a freeze; three are kept at most. A day that was missed takes one, and where
    there is none the streak is over. Today is not missed yet.
    """
    followed = list(_follow_days(played, today))
    days, freezes, _frozen = followed[-1]
    return Streak(days, max(row[0] for row in followed), freezes)


def frozen_days(played: Iterable[date], today: date) -> set[date]:
    """The days that were missed and took a freeze, so that a streak went on over them."""
    return {day for _days, _freezes, frozen in _follow_days(played, today) for day in frozen}


def _follow_days(played: Iterable[date], today: date) -> Iterator[tuple[int, int, list[date]]]:
    """The streak and its freezes after each day that was played, and at last today; the days frozen before it."""
    on = {day for day in played if day <= today}
    days = freezes = 0
    last: date | None = None
    for day in sorted(on | {today}):
        missed = (day - last).days - 1 if last else 0
        frozen: list[date] = []
        if missed > freezes:
            days = freezes = 0
        elif last:
            freezes -= missed
            frozen = [last + timedelta(days=n + 1) for n in range(missed)]
        if day in on:
            days += 1
            if days % DAYS_A_FREEZE == 0:
                freezes = min(freezes + 1, MOST_FREEZES)
        yield days, freezes, frozen
        last = day


def longest_run(wins: Iterable[bool]) -> int:
    """The longest run of wins, in the order in which the games ended."""
    longest = run = 0
    for won in wins:
        run = run + 1 if won else 0
        longest = max(longest, run)
    return longest
