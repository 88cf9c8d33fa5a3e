"""What an address asks for, and the ways from a page to itself with another choice."""

from datetime import datetime
from typing import NamedTuple

from django.core.exceptions import BadRequest
from django.http import HttpRequest
from django.template.defaultfilters import date as format_date
from django.urls import reverse
from django.utils.translation import gettext

from leaderboard import periods

PAGING = ("after", "before", "around", "offset")  # another choice begins at the top


class Link(NamedTuple):
    """A choice: what it is called, where it leads, and whether it is the one that is shown."""

    label: str
    url: str
    is_current: bool


def link_to(request: HttpRequest, **changes: str | int | None) -> str:
    """The address of this page with other values in its query; None: without one."""
    query = request.GET.copy()
    for name in PAGING:
        query.pop(name, None)
    for name, value in changes.items():
        query.pop(name, None)
        if value is not None:
            query[name] = str(value)
    text = query.urlencode(safe=":")
    return f"{request.path}?{text}" if text else request.path


def link_ghost(code: str, attempt: int) -> str:
    """Where a deal is played beside the ghost of a game on it."""
    return f"{reverse('play-deal', args=[code])}?ghost={attempt}"


def read_offset(request: HttpRequest) -> int:
    """How many rows to skip. Raises BadRequest."""
    text = request.GET.get("offset", "0")
    if not (text.isascii() and text.isdigit() and len(text) <= 6):
        raise BadRequest("offset")
    return int(text)


def write_period(name: str) -> str:
    """The name of a period as a person writes it. 2026-W49: Week 49, 2026."""
    kind = periods.read_period(name)
    if kind == periods.WEEK:
        return gettext("Week %(week)s, %(year)s") % {"week": int(name[6:]), "year": name[:4]}
    if kind == periods.YEAR:
        return name
    day = datetime.fromisoformat(name if kind == periods.DAY else f"{name}-01")
    return format_date(day, "DATE_FORMAT" if kind == periods.DAY else "F Y")
