"""The days, weeks, months and years that have boards, by name. Pure: it knows dates, but no clock.

A name says what it is: 2026-11-30 a day, 2026-W49 a week (from Monday, as ISO 8601 counts them), 2026-11 a month,
2026 a year. The day is that of UTC.
"""

import re
from datetime import date, datetime
from typing import overload

DAY, WEEK, MONTH, YEAR = KINDS = ("day", "week", "month", "year")

FORMS = {DAY: r"\d{4}-\d\d-\d\d", WEEK: r"\d{4}-W\d\d", MONTH: r"\d{4}-\d\d", YEAR: r"\d{4}"}


def name_periods(day: date) -> dict[str, str]:
    """The names of the periods that a day lies in, by kind."""
    year, week, _weekday = day.isocalendar()
    return {
        DAY: day.isoformat(),
        WEEK: f"{year:04}-W{week:02}",
        MONTH: day.isoformat()[:7],
        YEAR: day.isoformat()[:4],
    }


def read_period(text: str) -> str:
    """The kind of the period of that name. Raises ValueError where there is no such period."""
    for kind, form in FORMS.items():
        if re.fullmatch(form, text, re.ASCII):
            if kind == WEEK:
                date.fromisocalendar(int(text[:4]), int(text[6:]), 1)
            else:
                date.fromisoformat(f"{text}-01-01"[: max(len(text), 10)] if kind != MONTH else f"{text}-01")
            return kind
    raise ValueError(text)


def first_day(name: str) -> date:
    """The first day of a period, by its name. Raises ValueError where there is no such period."""
    kind = read_period(name)
    if kind == WEEK:
        return date.fromisocalendar(int(name[:4]), int(name[6:]), 1)
    return date.fromisoformat(name + {DAY: "", MONTH: "-01", YEAR: "-01-01"}[kind])


def name_neighbours(name: str) -> tuple[str | None, str | None]:
    """The names of the periods before and after one; None beyond the calendar."""
    kind, first = read_period(name), first_day(name)
    longest = {DAY: 1, WEEK: 7, MONTH: 31, YEAR: 366}[kind]
    return _name_of(kind, first.toordinal() - 1), _name_of(kind, first.toordinal() + longest)


def _name_of(kind: str, ordinal: int) -> str | None:
    in_calendar = date.min.toordinal() <= ordinal <= date.max.toordinal()
    return name_periods(date.fromordinal(ordinal))[kind] if in_calendar else None


@overload
def write_moment(moment: datetime) -> str: ...


@overload
def write_moment(moment: datetime | None) -> str | None: ...


def write_moment(moment: datetime | None) -> str | None:
    """A moment as every answer and frame says it: ISO 8601 with microseconds; None is none."""
    return None if moment is None else moment.isoformat(timespec="microseconds")
