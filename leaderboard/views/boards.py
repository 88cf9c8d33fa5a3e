"""The pages of boards: of a ruleset in a period, of a deal, and the list of them all."""

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple

from django.core.exceptions import BadRequest
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext, gettext_noop

from games.engine.errors import CodeError
from games.engine.rulesets import RULESETS, Ruleset
from games.models import Attempt, Deal, Player, read_deal, write_code
from leaderboard import pages, periods, ranking, sight
from leaderboard.actions import read_clock
from leaderboard.models import Standing
from leaderboard.races import day_of
from leaderboard.views.charts import draw_bars
from leaderboard.views.circles import Circle, read_circle
from leaderboard.views.home import read_leaders
from leaderboard.views.links import Link, link_ghost, link_to, write_period
from leaderboard.views.ratings import list_best
from leaderboard.words import write_seconds, write_time

ROWS = 50
BINS = 30
ORDERS = {
    ranking.TIME: gettext_noop("Time"),
    ranking.MOVES: gettext_noop("Moves"),
    ranking.POINTS: gettext_noop("Points"),
}
PERIODS = {
    "": gettext_noop("All time"),
    periods.YEAR: gettext_noop("This year"),
    periods.MONTH: gettext_noop("This month"),
    periods.WEEK: gettext_noop("This week"),
    periods.DAY: gettext_noop("Today"),
}
CLOCKS = {
    Attempt.SERVER: gettext_noop("The server's clock"),
    Attempt.CLIENT: gettext_noop("Played elsewhere"),
}


class Asked(NamedTuple):
    """What of a board an address asks for."""

    key: pages.BoardKey
    after: pages.Cursor | None
    before: pages.Cursor | None
    around: Player | None
    circle: Circle


def list_boards(request: HttpRequest) -> HttpResponse:
    """Every ruleset with its best win, and the ways to seasons, days and clubs."""
    return render(request, "leaderboard/boards.html", {"rulesets": read_leaders(), "ratings": list_best()})


def show_board(request: HttpRequest, letter: str) -> HttpResponse:
    """The ranked wins of a ruleset, ever or in a period, of everybody or of a few."""
    ruleset = RULESETS.get(letter)
    if ruleset is None:
        raise Http404
    today = day_of(read_clock())
    now_names = periods.name_periods(today)
    period = request.GET.get("period", "")
    name = now_names.get(period, period)
    kind = _read_kind(name)
    key = pages.BoardKey(letter, _read_order(request, ruleset), period=name)
    page = {
        "ruleset": _name(ruleset),
        "periods": _link_periods(request, name, now_names),
        "period": _tell_period(kind, name, now_names),
        "neighbours": _link_neighbours(request, name, today.isoformat()) if name else None,
    }
    return render(request, "leaderboard/board.html", page | _read_board(request, ruleset, _read_asked(request, key)))


def show_deal_board(request: HttpRequest, code: str) -> HttpResponse:
    """All wins on a deal, practice too, by the server's clock or by the clients'."""
    try:
        deal = read_deal(code)
    except CodeError:
        raise Http404 from None
    clock = request.GET.get("clock", Attempt.SERVER)
    if clock not in CLOCKS:
        raise BadRequest("clock")
    key = pages.BoardKey(deal.ruleset.letter, _read_order(request, deal.ruleset), clock, deal.order)
    page = {
        "ruleset": _name(deal.ruleset),
        "deal": deal.code,
        "clocks": [
            Link(gettext(label), link_to(request, clock=name if name != Attempt.SERVER else None), name == clock)
            for name, label in CLOCKS.items()
        ],
    }
    asked = _read_asked(request, key)
    return render(request, "leaderboard/board.html", page | _read_board(request, deal.ruleset, asked))


# What is asked for


def _name(ruleset: Ruleset) -> dict[str, str]:
    return {"letter": ruleset.letter, "slug": ruleset.slug, "name": gettext(ruleset.name)}


def _read_order(request: HttpRequest, ruleset: Ruleset) -> str:
    order = request.GET.get("order", ranking.TIME)
    if order not in ranking.orders_of(ruleset.scoring):
        raise BadRequest("order")
    return order


def _read_kind(name: str) -> str:
    try:
        return periods.read_period(name) if name else ""
    except ValueError:
        raise BadRequest("period") from None


def _read_asked(request: HttpRequest, key: pages.BoardKey) -> Asked:
    cursors = {}
    for name in ("after", "before"):
        try:
            cursors[name] = pages.Cursor.read(request.GET[name]) if name in request.GET else None
        except ValueError:
            raise BadRequest(name) from None
    wants_me = request.GET.get("around") == "me" and isinstance(request.user, Player)
    if (cursors["after"] is not None) + (cursors["before"] is not None) + wants_me > 1:
        raise BadRequest("one of after, before, around")
    return Asked(key, **cursors, around=request.user if wants_me else None, circle=read_circle(request))  # type: ignore[arg-type]


# The ways on


def _link_periods(request: HttpRequest, name: str, now_names: dict[str, str]) -> list[Link]:
    return [
        Link(gettext(label), link_to(request, period=kind or None), now_names.get(kind, "") == name)
        for kind, label in PERIODS.items()
    ]


def _tell_period(kind: str, name: str, now_names: dict[str, str]) -> str:
    """A period for a person; of those that are now what they are called."""
    if not kind or now_names[kind] == name:
        return gettext(PERIODS[kind])
    return write_period(name)


def _link_neighbours(request: HttpRequest, name: str, today: str) -> list[Link | None]:
    """The period before and the one after, up to now."""
    there = [
        other if other and periods.first_day(other).isoformat() <= today else None
        for other in periods.name_neighbours(name)
    ]
    return [other and Link(write_period(other), link_to(request, period=other), False) for other in there]  # type: ignore[misc]


def _link_orders(request: HttpRequest, ruleset: Ruleset, chosen: str) -> list[Link]:
    names = {order: None if order == ranking.TIME else order for order in ranking.orders_of(ruleset.scoring)}
    return [
        Link(gettext(ORDERS[order]), link_to(request, order=name), order == chosen) for order, name in names.items()
    ]


# The rows


def _read_board(request: HttpRequest, ruleset: Ruleset, asked: Asked) -> dict[str, Any]:
    """What the page shows of the board: its rows, one's own place, the picture of the times, the pages beside it."""
    key, among, missed = asked.key, asked.circle.players, False
    window: dict[str, Any] = {"limit": ROWS, "after": asked.after, "before": asked.before, "among": among}
    own = _find_own(request.user, asked)
    if asked.around and own is None:
        missed = True
    elif asked.around:
        window |= {"limit": ROWS // 2, "around": asked.around}
    page = _read_page(key, window)
    rows = _link_ghosts(key.ruleset, page.cards, _tell_rows(page, request.user))
    me = own["player"] if own else None
    bars, slower = [], 0
    if among is None and page.total > 1:
        bins = min(BINS, 5 + page.total // 4)
        histogram = pages.keep(f"histogram {key} {bins}", lambda: pages.read_histogram(key, bins))
        bars = draw_bars(histogram, own["official_ms"] if own and key.order == ranking.TIME else None)
        slower = histogram.slower
    return {
        "orders": _link_orders(request, ruleset, key.order),
        "total": page.total,
        "rows": rows,
        "own": own,
        "own_is_elsewhere": own is not None and all(row["player"] != me for row in rows),
        "missed": missed,
        "circle": asked.circle,
        "with_points": ruleset.scoring == "points",
        "with_par": any(row["over_par"] is not None for row in rows),
        "bars": bars,
        "slower": slower,
        "bars_from": bars and write_seconds(bars[0].low),
        "bars_to": bars and write_seconds(bars[-1].high),
        "picture": _tell_picture(bars, page.total),
        "to_me": link_to(request, around="me"),
        "previous": page.previous and link_to(request, before=page.previous),
        "next": page.next and link_to(request, after=page.next),
    }


def _read_page(key: pages.BoardKey, window: dict[str, Any]) -> pages.Page:
    """A page, for a moment the same for everybody; what is read around somebody is read anew."""

    def read() -> pages.Page:
        return pages.read_pages(key, **window)[0]

    return read() if "around" in window else pages.keep(f"board page {key} {window}", read)


def _find_own(viewer: sight.Viewer, asked: Asked) -> dict[str, Any] | None:
    """The viewer's row, and how many in a hundred of the others are not better."""
    if not isinstance(viewer, Player):
        return None
    try:
        page = pages.read_pages(asked.key, limit=0, around=viewer, among=asked.circle.players)[0]
    except Standing.DoesNotExist:
        return None
    assert page.own_rank
    others = page.total - 1
    share = 100 * (page.total - page.own_rank) // others if others else None
    return _tell_rows(page, viewer)[0] | {"share": share}


def _tell_rows(page: pages.Page, viewer: sight.Viewer) -> list[dict[str, Any]]:
    """The rows for the page: times as text; over par and the way to the replay where they may be told."""
    now = read_clock()
    told = sight.told_orders(viewer, page.cards, now=now) if page.cards else set()
    par = sight.par_orders(viewer, told, now=now) if told and any(over is not None for over in page.over_par) else set()
    rows = []
    for text, cards, over in zip(page.rows, page.cards, page.over_par, strict=True):
        row = json.loads(text + "}")
        rows.append(
            row
            | {
                "time": write_time(row["official_ms"]),
                "when": datetime.fromisoformat(row["when"]),
                "over_par": over if cards in par else None,
                "may_see": cards in told,
            }
        )
    return rows


def _link_ghosts(letter: str, orders: Sequence[str], rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows of a page, each with where to beat it; orders: of their deals, some of which lie in open races."""
    free = sight.ghost_orders(orders, now=read_clock()) if orders else set()
    seeds = dict(Deal.objects.filter(ruleset=letter, order__in=free).values_list("order", "seed"))
    return [
        row | {"beat": order in seeds and link_ghost(write_code(letter, order, seeds[order]), row["replay"])}
        for order, row in zip(orders, rows, strict=True)
    ]


def _tell_picture(bars: list[Any], total: int) -> str:
    """The picture of the times in words."""
    if not bars:
        return ""
    most = max(bars, key=lambda bar: bar.times)
    return gettext(
        "How %(total)s times are spread, from %(low)s to %(high)s. Most lie between %(from)s and %(to)s."
    ) % {
        "total": total,
        "low": write_seconds(bars[0].low),
        "high": write_seconds(bars[-1].high),
        "from": write_seconds(most.low),
        "to": write_seconds(most.high),
    }
