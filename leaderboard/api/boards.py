"""REST: boards and their pages."""

from typing import Any

from django.http import HttpResponse
from django.utils.translation import gettext, gettext_noop
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request

from games.api import api_view, field, find_ruleset
from games.engine import replay
from games.errors import Problem
from games.models import Attempt, read_deal
from games.rest import check_fields, public, read_choice, read_number
from games.schema import number_query, query
from leaderboard import ranking, standings
from leaderboard.api.people import find_player
from leaderboard.models import Standing
from leaderboard.standings import BoardKey, Cursor

MAX_LIMIT = 100
MAX_RADIUS = 50


class StandingAnswer(serializers.Serializer[Any]):
    """A player's best attempt on a board: one whole attempt."""

    rank = field(serializers.IntegerField, "1, 2, 2, 4")
    row = field(serializers.IntegerField, "The row's number on the board, from 1.")
    player = field()
    official_ms = field(serializers.IntegerField)
    moves = field(serializers.IntegerField)
    points = field(serializers.IntegerField, "Without the bonus.")
    bonus = field(serializers.IntegerField, allow_null=True)
    score = field(serializers.IntegerField, "With the bonus: what the points order compares.")
    when = field(serializers.DateTimeField)
    ranked = field(serializers.BooleanField)
    replay = field(serializers.IntegerField, "The id of its replay.")


class BoardAnswer(serializers.Serializer[Any]):
    board = field(help_text="deal or ruleset")
    ruleset = field()
    deal = field(allow_null=True, help_text="The code of the deal; null on a ruleset's board.")
    order = field(help_text="time, moves or points")
    clock = field(help_text="server or client")
    note = field(allow_null=True, help_text="What to know of this board, in the language asked for.")
    total = field(serializers.IntegerField)
    previous = field(allow_null=True, help_text="The `before` of the page before; null: this is the first.")
    next = field(allow_null=True, help_text="The `after` of the next page; null: this is the last.")
    rows = StandingAnswer(many=True)


BOARD_QUERY = [
    query("order", "points where the ruleset scores points", enum=["time", "moves", "points"], default="time"),
    number_query("limit", "rows of a page, but with `around`", 1, MAX_LIMIT, 50),
    query("after", "`next` of a page"),
    query("before", "`previous` of a page"),
    query("around", "a player's name"),
    number_query("radius", "rows on either side, with `around`", 0, MAX_RADIUS, 5),
]
CLOCK_QUERY = query("clock", "client: replays sent without an attempt", enum=["server", "client"], default="server")


def _answer_board(request: Request, key: BoardKey, deal: str | None, note: str | None) -> HttpResponse:
    query = request.query_params
    chosen = [name for name in ("after", "before", "around") if name in query]
    if len(chosen) > 1:
        raise Problem(400, "one_of", gettext_noop("Send one of after, before and around."), chosen[1])
    limit = read_number(query, "limit", 1, MAX_LIMIT, 50)
    radius = read_number(query, "radius", 0, MAX_RADIUS, 5)
    window: dict[str, Any] = {"limit": radius if "around" in chosen else limit}
    for name in chosen:
        window[name] = find_player(query[name], name) if name == "around" else _read_cursor(query[name], name)
    head = replay.dump(
        {
            "board": "deal" if deal else "ruleset",
            "ruleset": key.ruleset,
            "deal": deal,
            "order": key.order,
            "clock": key.clock,
            "note": note,
        }
    )
    try:
        page = standings.read_page(key, **window)
    except Standing.DoesNotExist:
        message = gettext_noop("%(player)s does not stand on this board.")
        raise Problem(404, "not_on_board", message, "around", params={"player": window["around"].name}) from None
    return HttpResponse(f"{head[:-1]}, {page[1:]}\n", content_type="application/json")


def _read_cursor(text: str, name: str) -> Cursor:
    try:
        return Cursor.read(text)
    except ValueError:
        raise Problem(
            400, "cursor", gettext_noop("This is no cursor: send what a page gave as previous or next."), name
        ) from None


@extend_schema(parameters=BOARD_QUERY, responses=BoardAnswer, summary="A ruleset's board")
@api_view(["GET"])
@public
def show_ruleset_board(request: Request, letter: str) -> HttpResponse:
    """The best ranked win of every player in a ruleset, of all time."""
    ruleset = find_ruleset(letter)
    query = request.query_params
    check_fields(query, ("order", "limit", "after", "before", "around", "radius"))
    order = read_choice(query, "order", ranking.orders_of(ruleset.scoring), ranking.TIME)
    return _answer_board(request, BoardKey(ruleset.letter, order), None, None)


@extend_schema(parameters=[*BOARD_QUERY, CLOCK_QUERY], responses=BoardAnswer, summary="A deal's board")
@api_view(["GET"])
@public
def show_deal_board(request: Request, code: str) -> HttpResponse:
    """The best win of every player on a deal, practice too: the cards may have been known.

    Wins by the server's clock and by the clients' (`clock=client`) have a board each.
    """
    deal = read_deal(code)
    query = request.query_params
    check_fields(query, ("order", "limit", "after", "before", "around", "radius", "clock"))
    order = read_choice(query, "order", ranking.orders_of(deal.ruleset.scoring), ranking.TIME)
    clock = read_choice(query, "clock", (Attempt.SERVER, Attempt.CLIENT), Attempt.SERVER)
    key = BoardKey(deal.ruleset.letter, order, clock, deal.order)
    note = gettext("Practice stands here too: the cards may have been known.")
    return _answer_board(request, key, deal.code, note)
