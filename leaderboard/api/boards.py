"""REST: boards and their pages."""

from collections.abc import Callable
from typing import Any, NamedTuple

from django.http import HttpResponse
from django.utils.translation import gettext, gettext_noop
from django.views.decorators.http import conditional_page
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.decorators import permission_classes
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response

from games.api import api_view, field, find_ruleset
from games.engine import replay
from games.errors import Problem
from games.models import Attempt, Player, read_deal
from games.rest import check_fields, read_caller, read_choice, read_number
from games.schema import TOKEN_OR_NONE, number_query, query
from leaderboard import actions, clubs, pages, periods, races, ranking, sight, stats
from leaderboard.api.racing import INVITE_QUERY, find_followed
from leaderboard.models import Standing
from leaderboard.pages import BoardKey, Cursor, Page, keep
from leaderboard.people import find_player

MAX_LIMIT = 100
MAX_RADIUS = 50
MAX_TOP = 10
MAX_BINS = 100
MAX_OFFSET = 10**9


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
    assisted = field(serializers.BooleanField, "Whether it took a hint.")
    replay = field(serializers.IntegerField, "The id of its replay.")
    over_par = field(
        serializers.IntegerField,
        "Moves above the deal's par; null where par is not proven, or you may not see it yet.",
        allow_null=True,
    )


class MyPlaceAnswer(serializers.Serializer[Any]):
    rank = field(serializers.IntegerField)
    row = field(serializers.IntegerField)
    percentile = field(serializers.FloatField, "How many in a hundred of the others are not better; 100 at rank 1.")


class HistogramAnswer(serializers.Serializer[Any]):
    """How many official times lie in [from_ms + n * width_ms, from_ms + (n + 1) * width_ms)."""

    from_ms = field(serializers.IntegerField)
    width_ms = field(serializers.IntegerField)
    counts = serializers.ListField(child=serializers.IntegerField())
    slower = field(serializers.IntegerField, "How many are slower than the last of them: at most the slowest 1 %.")


class BoardAnswer(serializers.Serializer[Any]):
    board = field(help_text="deal, race, ruleset, day, week, month or year")
    ruleset = field()
    deal = field(allow_null=True, help_text="The code of the deal; null on other boards.")
    race = field(serializers.IntegerField, "The id of the race; null on other boards.", allow_null=True)
    period = field(allow_null=True, help_text="2026-11-30, 2026-W49, 2026-11 or 2026; null: not of a period.")
    order = field(help_text="time, moves or points")
    clock = field(help_text="server or client")
    note = field(allow_null=True, help_text="What to know of this board, in the language asked for.")
    total = field(serializers.IntegerField)
    previous = field(allow_null=True, help_text="The `before` of the page before; null: this is the first.")
    next = field(allow_null=True, help_text="The `after` of the next page; null: this is the last.")
    rows = StandingAnswer(many=True)
    top = StandingAnswer(many=True, required=False, help_text="With `top`: the first rows, of the same moment.")
    place = MyPlaceAnswer(required=False, help_text="With `around`: where that player stands.")
    histogram = HistogramAnswer(required=False, help_text="With `histogram`.")


WINDOW = ("order", "limit", "after", "before", "around", "radius", "top", "histogram", "among")
BOARD_QUERY = [
    query("order", "points where the ruleset scores points", enum=["time", "moves", "points"], default="time"),
    number_query("limit", "rows of a page, but with `around`", 1, MAX_LIMIT, 50),
    query("after", "`next` of a page"),
    query("before", "`previous` of a page"),
    query("around", "a player's name, or me"),
    number_query("radius", "rows on either side, with `around`", 0, MAX_RADIUS, 5),
    query("top", "with `around`: so many first rows as well", {"type": "integer", "minimum": 1, "maximum": MAX_TOP}),
    query(
        "histogram",
        "the times of all in at most so many bins, for a picture",
        {"type": "integer", "minimum": 1, "maximum": MAX_BINS},
    ),
]
AMONG_QUERY = query(
    "among", "friends: you and whom you follow; club:ID: the members of a club of yours; ranked among themselves"
)
BOARD_QUERY.append(AMONG_QUERY)
CLOCK_QUERY = query("clock", "client: replays sent without an attempt", enum=["server", "client"], default="server")
PERIOD_QUERY = query(
    "period",
    "ranked wins of a UTC day (2026-11-30), week from Monday (2026-W49), month (2026-11) or year (2026); "
    "day, week, month or year: the one that it is now",
)


# Reading the query


class Window(NamedTuple):
    """What of a board is asked for. around: the player; bins: of the histogram, 0 for none; among: of these alone."""

    limit: int
    after: Cursor | None = None
    before: Cursor | None = None
    around: Player | None = None
    top: int = 0
    bins: int = 0
    among: tuple[int, ...] | None = None


def _read_window(request: Request) -> Window:
    query = request.query_params
    chosen = [name for name in ("after", "before", "around") if name in query]
    if len(chosen) > 1:
        raise Problem(400, "one_of", gettext_noop("Send one of after, before and around."), chosen[1])
    limit = read_number(query, "limit", 1, MAX_LIMIT, 50)
    radius = read_number(query, "radius", 0, MAX_RADIUS, 5)
    top = read_number(query, "top", 1, MAX_TOP) if "top" in query else 0
    bins = read_number(query, "histogram", 1, MAX_BINS) if "histogram" in query else 0
    if top and "around" not in query:
        raise Problem(400, "needs_around", gettext_noop("This goes with around only."), "top")
    return Window(
        limit=radius if "around" in query else limit,
        after=_read_cursor(query["after"], "after") if "after" in query else None,
        before=_read_cursor(query["before"], "before") if "before" in query else None,
        around=read_around(request, query["around"]) if "around" in query else None,
        top=top,
        bins=bins,
        among=read_among(request, query["among"]) if "among" in query else None,
    )


def read_among(request: Request, text: str) -> tuple[int, ...]:
    """The ids of the players whom `among` names. Raises Problem (400, 404), or NotAuthenticated (401)."""
    player = read_caller(request)
    if "histogram" in request.query_params:
        raise Problem(400, "needs_everybody", gettext_noop("A histogram is of everybody: leave among out."), "among")
    return clubs.read_among(player, text)


def read_around(request: Request, name: str) -> Player:
    """The player whom `around` names. Raises Problem (404), or NotAuthenticated (401) for "me"."""
    return read_caller(request) if name == "me" else find_player(name, "around")


def _read_cursor(text: str, name: str) -> Cursor:
    try:
        return Cursor.read(text)
    except ValueError:
        raise Problem(
            400, "cursor", gettext_noop("This is no cursor: send what a page gave as previous or next."), name
        ) from None


def _read_order(request: Request, scoring: str) -> str:
    return read_choice(request.query_params, "order", ranking.orders_of(scoring), ranking.TIME)


# Answering


def _answer_board(request: Request, key: BoardKey, head: dict[str, Any]) -> HttpResponse:
    window = _read_window(request)
    place: dict[str, Any] = {}
    try:
        read = keep if window.around is None else lambda _name, read: read()
        found = read(f"page {key} {window}", lambda: _read(key, window))
    except Standing.DoesNotExist:
        assert window.around
        raise not_on_board(window.around) from None
    page: Page = found[0]
    told = _read_told(request, found)
    if window.around:
        assert page.own_rank
        others = page.total - 1
        share = 1000 * (page.total - page.own_rank) // others / 10 if others else 100.0
        place["place"] = {"rank": page.own_rank, "row": page.own_row, "percentile": share}
    if window.bins:
        counted = keep(f"histogram {key} {window.bins}", lambda: pages.read_histogram(key, window.bins))
        place["histogram"] = counted._asdict()
    front = {"total": page.total, "previous": page.previous, "next": page.next}
    more = "".join(f', "{name}": {replay.dump(value)}' for name, value in place.items())
    if window.top:
        more += f', "top": {_write_rows(found[1], told)}'
    text = f'{replay.dump(head | front)[:-1]}, "rows": {_write_rows(page, told)}{more}}}\n'
    return HttpResponse(text, content_type="application/json", headers={"Cache-Control": "no-cache"})


def not_on_board(player: Player) -> Problem:
    message = gettext_noop("%(player)s does not stand on this board.")
    return Problem(404, "not_on_board", message, "around", params={"player": player.name})


def _read(key: BoardKey, window: Window) -> list[Page]:
    return pages.read_pages(
        key,
        limit=window.limit,
        after=window.after,
        before=window.before,
        around=window.around,
        top=window.top,
        among=window.among,
    )


def _read_told(request: Request, found: list[Page]) -> set[str]:
    """The card orders on these pages whose par the caller may see."""
    orders = {
        cards for page in found for cards, over in zip(page.cards, page.over_par, strict=True) if over is not None
    }
    return sight.par_orders(request.user, orders, now=actions.read_clock()) if orders else set()


def _write_rows(page: Page, told: set[str]) -> str:
    rows = zip(page.rows, page.cards, page.over_par, strict=True)
    over_par = ((row, "null" if over is None or cards not in told else over) for row, cards, over in rows)
    return "[" + ", ".join(f'{row}, "over_par": {over}}}' for row, over in over_par) + "]"


def _head(kind: str, key: BoardKey, **more: Any) -> dict[str, Any]:
    names = {"board": kind, "ruleset": key.ruleset, "deal": None, "race": key.race, "period": key.period or None}
    return names | {"order": key.order, "clock": key.clock, "note": None} | more


# Boards


@extend_schema(
    parameters=[*BOARD_QUERY, PERIOD_QUERY], responses=BoardAnswer, auth=TOKEN_OR_NONE, summary="A ruleset's board"
)
@conditional_page
@api_view(["GET"])
@permission_classes([AllowAny])
def show_ruleset_board(request: Request, letter: str) -> HttpResponse:
    """The best ranked win of every player in a ruleset: of all time, or of a day, week, month or year."""
    ruleset = find_ruleset(letter)
    check_fields(request.query_params, (*WINDOW, "period"))
    kind, period = "ruleset", ""
    if "period" in request.query_params:
        kind, period = _read_period(request.query_params["period"])
    key = BoardKey(ruleset.letter, _read_order(request, ruleset.scoring), period=period)
    return _answer_board(request, key, _head(kind, key))


def _read_period(text: str) -> tuple[str, str]:
    """Kind and name of a period: named, or the one of that kind that it is now."""
    try:
        if text in periods.KINDS:
            return text, periods.name_periods(races.day_of(actions.read_clock()))[text]
        return periods.read_period(text), text
    except ValueError:
        message = gettext_noop(
            "A period is written 2026-11-30, 2026-W49, 2026-11 or 2026, or day, week, month or year."
        )
        raise Problem(400, "period", message, "period") from None


@extend_schema(
    parameters=[*BOARD_QUERY, CLOCK_QUERY], responses=BoardAnswer, auth=TOKEN_OR_NONE, summary="A deal's board"
)
@conditional_page
@api_view(["GET"])
@permission_classes([AllowAny])
def show_deal_board(request: Request, code: str) -> HttpResponse:
    """The best win of every player on a deal, practice too: the cards may have been known.

    Wins by the server's clock and by the clients' (`clock=client`) have a board each.
    """
    deal = read_deal(code)
    check_fields(request.query_params, (*WINDOW, "clock"))
    order = _read_order(request, deal.ruleset.scoring)
    clock = read_choice(request.query_params, "clock", (Attempt.SERVER, Attempt.CLIENT), Attempt.SERVER)
    key = BoardKey(deal.ruleset.letter, order, clock, deal.order)
    note = gettext("Practice stands here too: the cards may have been known.")
    return _answer_board(request, key, _head("deal", key, deal=deal.code, note=note))


@extend_schema(
    parameters=[*BOARD_QUERY, INVITE_QUERY], responses=BoardAnswer, auth=TOKEN_OR_NONE, summary="A race's board"
)
@conditional_page
@api_view(["GET"])
@permission_classes([AllowAny])
def show_race_board(request: Request, race: int) -> HttpResponse:
    """The ranked wins of a race. Who does not stand in its ranks is below: `races/{race}/board/below/`."""
    found = find_followed(request, race)
    check_fields(request.query_params, (*WINDOW, "invite_code"))
    key = BoardKey(found.ruleset, _read_order(request, find_ruleset(found.ruleset).scoring), race=found.pk)
    return _answer_board(request, key, _head("race", key))


class BelowRowAnswer(serializers.Serializer[Any]):
    """An entry outside the ranks: held, or not won."""

    player = field()
    held = field(allow_null=True, help_text="Why it is held; null: it was not won.")
    end = field(help_text="won (held), resigned or expired")
    left = field(serializers.IntegerField, "Tableau cards left.")
    official_ms = field(serializers.IntegerField, "Of a held win.", allow_null=True)
    played_ms = field(serializers.IntegerField, "The time of the last token; null: there is none.", allow_null=True)
    moves = field(serializers.IntegerField)
    points = field(serializers.IntegerField, "Without the bonus.")
    bonus = field(serializers.IntegerField, allow_null=True)
    replay = field(serializers.IntegerField)


class GuestRowAnswer(serializers.Serializer[Any]):
    """A win of somebody who entered as a guest."""

    row = field(serializers.IntegerField)
    player = field()
    official_ms = field(serializers.IntegerField)
    moves = field(serializers.IntegerField)
    points = field(serializers.IntegerField, "Without the bonus.")
    bonus = field(serializers.IntegerField, allow_null=True)
    replay = field(serializers.IntegerField)


class GuestsAnswer(serializers.Serializer[Any]):
    race = field(serializers.IntegerField)
    total = field(serializers.IntegerField)
    rows = GuestRowAnswer(many=True)


class BelowAnswer(serializers.Serializer[Any]):
    race = field(serializers.IntegerField)
    total = field(serializers.IntegerField)
    rows = BelowRowAnswer(many=True)


LIST_QUERY = [
    number_query("limit", "rows of a page", 1, MAX_LIMIT, 50),
    number_query("offset", "rows to skip", 0, MAX_OFFSET, 0),
    AMONG_QUERY,
    INVITE_QUERY,
]


def _list(request: Request, race: int, read: Callable[..., tuple[int, list[dict[str, Any]]]]) -> Response:
    """A page of a list beside a race's ranks."""
    found = find_followed(request, race)
    query = request.query_params
    check_fields(query, ("limit", "offset", "among", "invite_code"))
    limit, offset = read_number(query, "limit", 1, MAX_LIMIT, 50), read_number(query, "offset", 0, MAX_OFFSET, 0)
    among = read_among(request, query["among"]) if "among" in query else None
    total, rows = read(found, limit=limit, offset=offset, among=among)
    return Response({"race": found.pk, "total": total, "rows": rows})


@extend_schema(parameters=LIST_QUERY, responses=BelowAnswer, auth=TOKEN_OR_NONE, summary="Below a race's ranks")
@conditional_page
@api_view(["GET"])
@permission_classes([AllowAny])
def show_below(request: Request, race: int) -> Response:
    """The ranked entries that have ended and stand in no rank.

    First those that are held, by time, then those that were not won: by cards left, then by time played.
    """
    return _list(request, race, stats.list_below)


@extend_schema(parameters=LIST_QUERY, responses=GuestsAnswer, auth=TOKEN_OR_NONE, summary="The guests of a race")
@conditional_page
@api_view(["GET"])
@permission_classes([AllowAny])
def show_guests(request: Request, race: int) -> Response:
    """Who entered as a guest and won, by time then moves, beside the ranks; who has signed up since under that name."""
    return _list(request, race, stats.list_guests)
