"""The pages."""

from django.db.models import OuterRef, Subquery
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext, gettext_noop

from games.engine.cards import write_card
from games.engine.deal import Deal
from games.engine.rulesets import RULESETS
from games.views import write_page_data
from leaderboard import ranking
from leaderboard.minting import ensure_ready
from leaderboard.models import Board, Standing

SUITS = {"c": "♣", "d": "♦", "h": "♥", "s": "♠"}
RANKS = {"T": "10", "J": gettext_noop("J"), "Q": gettext_noop("Q"), "K": gettext_noop("K")}
EXAMPLE = "PY1-N-AAAAAAS"


def show_home(request: HttpRequest) -> HttpResponse:
    """What this is, and who leads in each ruleset."""
    ensure_ready()
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
    data = write_page_data(rulesets={row["letter"]: row["name"] for row in rulesets})
    return render(request, "leaderboard/home.html", {"pyramid": _draw_pyramid(), "rulesets": rulesets, "data": data})


def write_time(milliseconds: int) -> str:
    """3 minutes, 2.05 seconds: 3:02.05."""
    minutes, rest = divmod(milliseconds, 60_000)
    return f"{minutes}:{rest // 1000:02}.{rest % 1000 // 10:02}"


def _draw_pyramid() -> list[list[dict[str, object]]]:
    cards = iter(Deal.from_code(EXAMPLE).cards)
    rows = [[write_card(next(cards)) for _ in range(row + 1)] for row in range(7)]
    return [
        [{"rank": gettext(RANKS.get(text[0], text[0])), "suit": SUITS[text[1]], "red": text[1] in "dh"} for text in row]
        for row in rows
    ]
