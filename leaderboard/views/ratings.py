"""Ratings on pages: the board of a ruleset's, and what a player's page shows of them."""

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext, gettext_noop

from games.engine.rulesets import RULESETS
from games.models import Player
from leaderboard import ratings
from leaderboard.rating import PROVISIONAL, Skill
from leaderboard.views.charts import draw_curve
from leaderboard.views.circles import Circle, read_circle
from leaderboard.views.links import link_to, read_offset

ROWS = 50
POINTS = 100  # of a curve, the latest
ABOUT = gettext_noop(
    "Each round of a sprint moves the ratings of those who played it. What stands behind ± is how uncertain one still is; until %(rounds)s rounds it is provisional."  # noqa: E501
)


def show_board(request: HttpRequest, letter: str) -> HttpResponse:
    """The ratings of a ruleset, the best first."""
    ruleset = RULESETS.get(letter)
    if ruleset is None:
        raise Http404
    offset = read_offset(request)
    circle = read_circle(request)
    total, rows = ratings.read_board(letter, limit=ROWS, offset=offset, among=circle.players)
    page = {
        "ruleset": {"letter": letter, "slug": ruleset.slug, "name": gettext(ruleset.name)},
        "circle": circle,
        "total": total,
        "rows": [_tell(row) for row in rows],
        "about": gettext(ABOUT) % {"rounds": PROVISIONAL},
        "to_me": _link_to_own(request, letter, circle),
        "previous": link_to(request, offset=max(0, offset - ROWS) or None) if offset else None,
        "next": link_to(request, offset=offset + ROWS) if offset + ROWS < total else None,
    }
    return render(request, "leaderboard/rating_board.html", page)


def _link_to_own(request: HttpRequest, letter: str, circle: Circle) -> str | None:
    """The way to the viewer's own row; None where there is none."""
    viewer = request.user
    row = ratings.find_row(letter, viewer, circle.players) if isinstance(viewer, Player) else None
    if row is None:
        return None
    return f"{link_to(request, offset=(row - 1) // ROWS * ROWS or None)}#me"


def list_best() -> list[dict[str, Any]]:
    """The rulesets in which anybody has a rating, each with its best, for the list of all boards."""
    return [_tell(row) | {"name": gettext(RULESETS[row["ruleset"]].name)} for row in ratings.read_best()]


def _tell(row: dict[str, Any]) -> dict[str, Any]:
    """A rating with how it is said to who hears it, and why it may change much yet."""
    counted = gettext("provisional, %(rounds)s of %(needed)s rounds") % {"rounds": row["rounds"], "needed": PROVISIONAL}
    return row | {
        "aloud": gettext("%(rating)s, give or take %(uncertainty)s") % row,
        "caution": counted if row["provisional"] else "",
    }


def list_curves(player: Player) -> list[dict[str, Any]]:
    """A player's ratings, each with its curve as a picture and in words."""
    return [_tell_curve(row) for row in ratings.read_curves(player, points=POINTS)]


def _tell_curve(row: dict[str, Any]) -> dict[str, Any]:
    newcomer = Skill()
    begins = [(newcomer.rating, newcomer.uncertainty)] if row["rounds"] == len(row["curve"]) else []
    points = begins + [(point["rating"], point["uncertainty"]) for point in row["curve"]]
    values = [value for value, _margin in points]
    text = gettext(
        "The rating after each of %(rounds)s rounds, and how uncertain it was: from %(first)s to %(last)s; the highest %(best)s."  # noqa: E501
    ) % {"rounds": len(row["curve"]), "first": values[0], "last": values[-1], "best": max(values)}
    return _tell(row) | {
        "name": gettext(RULESETS[row["ruleset"]].name),
        "place": gettext("Rank %(rank)s of %(total)s") % row,
        "drawn": draw_curve(points),
        "text": text,
    }
