"""The first page."""

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.db.models import OuterRef, Subquery
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext, gettext_noop

from games.engine.rulesets import RULESETS
from games.examples import draw_pyramid
from games.views import write_page_data
from games.words import WORDS
from leaderboard import daily, ranking
from leaderboard.actions import read_clock
from leaderboard.minting import ensure_ready
from leaderboard.models import Board, Standing
from leaderboard.races import day_of
from leaderboard.words import write_time

DIFFICULTY = {"easy": gettext_noop("easy"), "medium": gettext_noop("medium"), "hard": gettext_noop("hard")}
EXAMPLE = "N"  # the ruleset of the pyramid at the top


def show_home(request: HttpRequest) -> HttpResponse:
    """What this is, today's dailies, and who leads in each ruleset."""
    ensure_ready()
    rulesets = read_leaders()
    data = write_page_data(rulesets={row["letter"]: row["name"] for row in rulesets})
    page = {"pyramid": draw_pyramid(EXAMPLE), "rulesets": rulesets, "data": data}
    return render(request, "leaderboard/home.html", page | _read_today())


def read_leaders() -> list[dict[str, object]]:
    """All rulesets, and of each the first on its board."""
    first = Standing.objects.filter(board=OuterRef("pk")).order_by("key1", "key2", "key3", "ended_at", "attempt")
    tops = Board.objects.filter(deal=None, kind=Board.RULESET, order=ranking.TIME).values_list(
        Subquery(first.values("pk")[:1])
    )
    leaders = {row.board.ruleset: row for row in Standing.objects.filter(pk__in=tops).select_related("board", "player")}
    rulesets = []
    for letter, ruleset in RULESETS.items():
        row: dict[str, object] = {"letter": letter, "slug": ruleset.slug, "name": gettext(ruleset.name)}
        if leader := leaders.get(letter):
            row |= {"player": leader.player.name, "time": write_time(leader.key1), "moves": leader.key2}
        rulesets.append(row)
    return rulesets


def _read_today() -> dict[str, object]:
    """Today's dailies, as everybody may see them, and the names of the rulesets whose daily is still being dealt."""
    now = read_clock()
    found = [row for row in daily.read_day(day_of(now), AnonymousUser(), now=now) if not row.seen.race.withdrawn_at]
    rows = [
        {
            "race": row.seen.race.pk,
            "letter": row.seen.race.ruleset,
            "name": gettext(RULESETS[row.seen.race.ruleset].name),
            "facts": _tell_facts(row),
            "top": [place._asdict() | {"time": write_time(place.official_ms)} for place in row.top],
        }
        for row in found
    ]
    there = {row["letter"] for row in rows}
    missing = [gettext(RULESETS[letter].name) for letter in settings.DAILY_RULESETS if letter not in there]
    return {"dailies": rows, "missing": missing}


def _tell_facts(row: daily.Daily) -> str:
    difficulty = DIFFICULTY.get(row.seen.race.deal.difficulty)
    players = gettext(WORDS["players"]) % {"count": row.seen.players}
    return f"{gettext(difficulty)} · {players}" if difficulty else players
