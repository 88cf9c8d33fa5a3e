"""The pages of days: the month of dailies, and the season that a month is."""

from datetime import date, datetime
from typing import Any
from urllib.parse import urlencode

from django.core.exceptions import BadRequest
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext

from games.engine.rulesets import RULESETS
from games.models import Attempt, Player
from leaderboard import daily, periods, sight
from leaderboard.actions import read_clock
from leaderboard.models import Race
from leaderboard.pages import keep
from leaderboard.races import day_of, read_month
from leaderboard.seasons import read_season
from leaderboard.views.circles import read_circle
from leaderboard.views.links import Link, link_to, read_offset, write_period
from leaderboard.words import write_time

ROWS = 50


def _link_months(month: str, today: date, address: Any) -> dict[str, Any]:
    """The months beside one, as far as there have been dailies and no further than now."""
    before, after = periods.name_neighbours(month)
    first = Race.objects.filter(kind=Race.DAILY).order_by("day").values_list("day", flat=True).first()
    oldest = (first or today).isoformat()[:7]
    there = [name if name and oldest <= name <= today.isoformat()[:7] else None for name in (before, after)]
    links = [Link(write_period(name), address(name), False) if name else None for name in there]
    return {"before": links[0], "after": links[1]}


# The calendar


def show_calendar(request: HttpRequest) -> HttpResponse:
    """A month's dailies day by day, with the viewer's results."""
    now = read_clock()
    today = day_of(now)
    month = request.GET.get("month", today.isoformat()[:7])
    try:
        days = read_month(month)
    except ValueError:
        raise BadRequest("month") from None
    results = daily.read_month(days, request.user, now=now)
    known = _find_known(results, request.user, now)
    by_day: dict[date, list[dict[str, Any]]] = {}
    for result in results:
        assert result.race.day
        by_day.setdefault(result.race.day, []).append(_tell_result(result, known, now))
    page = {
        "first": days[0],
        "days": [{"day": day, "dailies": by_day.get(day, []), "is_today": day == today} for day in days],
        "begins": days[0].isoweekday(),
        "weekdays": [date(2024, 1, number) for number in range(1, 8)],  # a Monday and the six days after it
        "any": bool(results),
        "streak": daily.read_streaks(request.user, now=now).streak if isinstance(request.user, Player) else None,
        "season": reverse("season", args=[month]),
    }
    return render(
        request,
        "leaderboard/calendar.html",
        page | _link_months(month, today, lambda name: link_to(request, month=name)),
    )


def _find_known(results: list[daily.Result], viewer: sight.Viewer, now: datetime) -> set[str]:
    """The card orders of the days that are over which may be named: none that another race still hides."""
    orders = {result.race.deal.order for result in results if result.race.closes_at <= now}
    return orders - sight.hidden_orders(viewer, orders, now=now)


def _tell_result(result: daily.Result, known: set[str], now: datetime) -> dict[str, Any]:
    race, entry = result.race, result.entry
    attempt = entry.attempt.expire(now=now) if entry else None
    won = attempt is not None and attempt.end == Attempt.WON
    return {
        "race": race.pk,
        "letter": race.ruleset,
        "name": gettext(RULESETS[race.ruleset].name),
        "medal": daily.medal_of(result, now),
        "rank": result.rank,
        "field": result.field,
        "entered": entry is not None,
        "is_over": attempt is not None and bool(attempt.end),
        "won": won,
        "time": write_time(attempt.official_ms) if attempt and attempt.official_ms is not None else None,
        "is_open": race.closes_at > now,
        "deal": race.code if race.closes_at <= now and race.deal.order in known else None,
    }


# Seasons


def show_this_season(request: HttpRequest) -> HttpResponse:
    """The season that it is now."""
    return show_season(request, day_of(read_clock()).isoformat()[:7])


def show_season(request: HttpRequest, month: str) -> HttpResponse:
    """The points that a month's dailies gave, over all rulesets or in one."""
    try:
        days = read_month(month)
    except ValueError:
        raise Http404 from None
    letter = request.GET.get("ruleset")
    if letter is not None and letter not in RULESETS:
        raise BadRequest("ruleset")
    offset = read_offset(request)
    viewer = request.user if isinstance(request.user, Player) else None
    circle = read_circle(request)
    own = read_season(days, ruleset=letter, limit=0, around=viewer, among=circle.players) if viewer else None
    wants_me = request.GET.get("around") == "me"
    if wants_me and own:
        offset = (own["rows"][0]["row"] - 1) // ROWS * ROWS
    season = keep(
        f"season {month} {letter} {ROWS} {offset} {circle.players}",
        lambda: read_season(days, ruleset=letter, limit=ROWS, offset=offset, among=circle.players),
    )
    today = day_of(read_clock())
    kept = {name: request.GET[name] for name in ("ruleset", "among") if name in request.GET}
    query = f"?{urlencode(kept, safe=':')}" if kept else ""
    played = Race.objects.filter(day__in=days).order_by("ruleset").values_list("ruleset", flat=True).distinct()
    page = {
        "first": days[0],
        "circle": circle,
        "rows": season["rows"],
        "total": season["total"],
        "own": own["rows"][0] if own else None,
        "own_is_elsewhere": bool(own) and all(row["player"] != viewer.name for row in season["rows"]),  # type: ignore[union-attr]
        "missed": wants_me and viewer is not None and own is None,
        "to_me": link_to(request, around="me"),
        "is_running": month == today.isoformat()[:7],
        "rulesets": [Link(gettext("All rulesets"), link_to(request, ruleset=None), letter is None)]
        + [Link(gettext(RULESETS[one].name), link_to(request, ruleset=one), one == letter) for one in played],
        "previous": link_to(request, offset=max(0, offset - ROWS) or None) if offset else None,
        "next": link_to(request, offset=offset + ROWS) if offset + ROWS < season["total"] else None,
        "calendar": f"{reverse('calendar')}?month={month}",
    }
    return render(
        request,
        "leaderboard/season.html",
        page | _link_months(month, today, lambda name: reverse("season", args=[name]) + query),
    )
