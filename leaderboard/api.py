"""REST: attempts and their moves, replays, boards, what a player has done."""

from typing import Any

from django.http import HttpResponse
from django.utils.translation import gettext, gettext_noop
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.decorators import permission_classes
from rest_framework.exceptions import NotAuthenticated
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response

from games.api import ReplayBody, VerdictAnswer, api_view, field, find_ruleset, write_verdict
from games.engine import replay
from games.engine.cards import write_cards
from games.errors import Problem
from games.models import Attempt, Player, read_deal
from games.names import clean_name, name_key
from games.rest import (
    StrictCharField,
    StrictSerializer,
    check_fields,
    public,
    read_choice,
    read_fields,
    read_number,
)
from leaderboard import actions, ranking, standings, stats
from leaderboard.models import Standing
from leaderboard.standings import BoardKey, Cursor

MAX_LIMIT = 100
MAX_RADIUS = 50
MAX_OFFSET = 10**9

# a token is looked at where there is one
TOKEN_OR_NONE: Any = [{}, {"tokenAuth": []}]

# Attempts


class NewAttempt(StrictSerializer):
    """A deal code for practice, or a ruleset for a ranked attempt on cards the player has not been shown."""

    deal = StrictCharField(required=False)
    ruleset = StrictCharField(required=False)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if len(attrs) != 1:
            raise serializers.ValidationError(gettext("Send either deal or ruleset."), "one_of")
        return attrs


class MovesBody(StrictSerializer):
    """Tokens to append, and the ply that they follow: with it a call may be repeated."""

    from_ply = serializers.IntegerField(
        min_value=0,
        max_value=replay.MAX_TOKENS,
        help_text="How many tokens come before these; 0 at the start.",
    )
    moves = StrictCharField(allow_blank=True, help_text="One token or many, separated by one space.")
    times = serializers.ListField(
        child=serializers.IntegerField(min_value=0, max_value=replay.MAX_TIME_MS),
        required=False,
        help_text="Milliseconds since the start, one a token; without them the server stamps its own.",
    )


class PlaceAnswer(serializers.Serializer[Any]):
    board = field(help_text="deal or ruleset")
    rank = field(serializers.IntegerField, "By time.")
    total = field(serializers.IntegerField)
    best = field(serializers.BooleanField, "Whether the player stands there with this attempt.")


class PlayedAnswer(serializers.Serializer[Any]):
    """What a move comes back with."""

    attempt = field(serializers.IntegerField)
    ply = field(serializers.IntegerField, "Tokens stored.")
    end = field(allow_null=True, help_text="null (open), won, resigned or expired")
    official_ms = field(serializers.IntegerField, "Of a win: whole ms by the server's clock.", allow_null=True)
    bonus = field(serializers.IntegerField, "Of a win where points are scored.", allow_null=True)
    position = field(help_text="The position after the last stored token.")
    verdict = VerdictAnswer()
    places = PlaceAnswer(many=True)


class ReplayAnswer(serializers.Serializer[Any]):
    """A replay, ready to be sent back as it is, and its verdict."""

    id = field(serializers.IntegerField)
    player = field()
    ranked = field(serializers.BooleanField)
    clock = field(help_text="server or client: whose clock official_ms is from")
    started_at = field(serializers.DateTimeField)
    ended_at = field(serializers.DateTimeField, allow_null=True)
    end = field(allow_null=True, help_text="null (open), won, resigned or expired")
    official_ms = field(serializers.IntegerField, allow_null=True)
    bonus = field(serializers.IntegerField, allow_null=True)
    replay = ReplayBody()
    verdict = VerdictAnswer()
    places = PlaceAnswer(many=True)


class AttemptAnswer(ReplayAnswer):
    """An attempt as its player sees it: the cards, and where it stands."""

    ends_at = field(serializers.DateTimeField)
    cards = field(help_text="In dealing order: 28 of the tableau from the apex, then the stock.")
    position = field(help_text="The position after the last token.")


def _describe_replay(attempt: Attempt, verdict: replay.Verdict) -> dict[str, Any]:
    return {
        "id": attempt.pk,
        "player": attempt.player.name,
        "ranked": attempt.ranked,
        "clock": attempt.clock,
        "started_at": attempt.started_at.isoformat(),
        "ended_at": attempt.ended_at and attempt.ended_at.isoformat(),
        "end": attempt.end or None,
        "official_ms": attempt.official_ms,
        "bonus": attempt.bonus,
        "replay": {
            "format": replay.FORMAT,
            "deal": attempt.deal.code,
            "moves": attempt.moves,
            "times": attempt.times,
            "rules": attempt.rules,
        },
        "verdict": write_verdict(verdict),
        "places": standings.read_places(attempt.pk) if attempt.end == Attempt.WON else [],
    }


def _describe_attempt(attempt: Attempt) -> dict[str, Any]:
    verdict = _judge_stored(attempt)
    return _describe_replay(attempt, verdict) | {
        "ends_at": attempt.ends_at.isoformat(),
        "cards": write_cards(attempt.deal.cards.cards),
        "position": verdict.position.text,
    }


def _judge_stored(attempt: Attempt) -> replay.Verdict:
    verdict = replay.verify(attempt.deal.cards, attempt.moves, attempt.times)
    assert isinstance(verdict, replay.Verdict), "a stored replay is legal"
    return verdict


def _read_caller(request: Request) -> Player:
    """The player who calls. Raises NotAuthenticated (401)."""
    if not isinstance(request.user, Player):
        raise NotAuthenticated
    return request.user


def _find_attempt(pk: int, **more: Any) -> Attempt:
    attempt = Attempt.objects.select_related("deal", "player").filter(pk=pk, **more).first()
    if attempt is None:
        raise Problem(404, "not_found", gettext_noop("There is no such attempt of yours."))
    attempt.expire(now=actions.read_clock())
    return attempt


@extend_schema(request=NewAttempt, responses={201: AttemptAnswer, 200: AttemptAnswer}, summary="Start an attempt")
@api_view(["POST"])
def start_attempt(request: Request) -> Response:
    """Starts the server's clock and shows the cards; an open attempt is returned again (200).

    With `ruleset` the server deals cards that the player has not been shown, and the attempt is ranked. With
    `deal` it is practice.
    """
    fields = read_fields(NewAttempt, request.data)
    if "deal" in fields:
        attempt, created = actions.start_practice(player=_read_caller(request), deal=read_deal(fields["deal"]))
    else:
        ruleset = find_ruleset(fields["ruleset"], status=400)
        attempt, created = actions.start_ranked(player=_read_caller(request), ruleset=ruleset)
    return Response(_describe_attempt(attempt), status=201 if created else 200)


@extend_schema(responses=AttemptAnswer, summary="An attempt")
@api_view(["GET"])
def show_attempt(request: Request, attempt: int) -> Response:
    """State, outcome and replay of an attempt of one's own."""
    return Response(_describe_attempt(_find_attempt(attempt, player=_read_caller(request))))


@extend_schema(request=None, responses=AttemptAnswer, summary="Give up")
@api_view(["POST"])
def resign_attempt(request: Request, attempt: int) -> Response:
    """Ends an open attempt; giving up twice is giving up once."""
    check_fields(request.data, ())
    actions.resign(player=_read_caller(request), attempt=attempt)
    return Response(_describe_attempt(_find_attempt(attempt)))


@extend_schema(request=MovesBody, responses={200: PlayedAnswer}, summary="Move")
@api_view(["POST"])
def play_moves(request: Request, attempt: int) -> Response:
    """Appends tokens, all or none: the first bad one refuses the call (422, with the verdict).

    A call may be repeated: tokens that are stored already and equal are not applied twice. Where the attempt
    stands with other tokens the answer is 409 with the true state.
    """
    data: Any = request.data
    check_fields(data, ("from_ply", "moves", "times"))
    from_ply = read_number(data, "from_ply", 0, replay.MAX_TOKENS)
    moves, times = data.get("moves"), data.get("times")
    if not isinstance(moves, str):
        raise Problem(400, "invalid" if "moves" in data else "required", gettext_noop("This must be a text."), "moves")
    if "times" in data and not isinstance(times, list):
        raise Problem(400, "invalid", gettext_noop("This must be a list."), "times")
    stored, verdict = actions.play_moves(
        player=_read_caller(request), attempt=attempt, from_ply=from_ply, moves=moves, times=times
    )
    return Response(
        {
            "attempt": stored.id,
            "ply": stored.plies,
            "end": stored.end or None,
            "official_ms": stored.official_ms,
            "bonus": stored.bonus,
            "position": verdict.position.text,
            "verdict": write_verdict(verdict),
            "places": stored.places,
        }
    )


# Replays


@extend_schema(
    request=ReplayBody,
    responses={201: ReplayAnswer, 200: ReplayAnswer},
    summary="Submit a replay",
)
@api_view(["POST"])
def submit_replay(request: Request) -> Response:
    """Stores a whole game played elsewhere, judged here; `times` are required.

    It carries the client's clock: practice, on the deal's board of that clock. The same game by the same player
    again is the same replay (200).
    """
    data: Any = request.data
    verdict = replay.judge_document(data)
    if isinstance(verdict, replay.Refusal):
        raise actions.refuse(verdict)
    if "times" not in data:
        raise Problem(400, "required", gettext_noop("A replay without an attempt needs times."), "times")
    if not verdict.plies:
        raise Problem(400, "no_moves", gettext_noop("A game counts from its first move."), "moves")
    attempt, created = actions.submit_replay(
        player=_read_caller(request), verdict=verdict, deal=read_deal(verdict.deal), times=data["times"]
    )
    return Response(_describe_replay(attempt, verdict), status=201 if created else 200)


@extend_schema(responses=ReplayAnswer, auth=TOKEN_OR_NONE, summary="A replay")
@api_view(["GET"])
@permission_classes([AllowAny])
def show_replay(request: Request, attempt: int) -> Response:
    """A replay and its verdict: everybody's once the game has ended, one's own at any time.

    Who is playing the same cards sees the replays of others when that attempt has ended.
    """
    found = _find_attempt(attempt)
    if not actions.may_see_replay(request.user, found):
        raise Problem(404, "not_found", gettext_noop("There is no replay here that you may see now."))
    return Response(_describe_replay(found, _judge_stored(found)))


# Boards


class StandingAnswer(serializers.Serializer[Any]):
    """A player's best attempt on a board: one whole attempt."""

    rank = field(serializers.IntegerField, "1, 2, 2, 4")
    row = field(serializers.IntegerField, "The row's number on the board, from 1.")
    player = field()
    official_ms = field(serializers.IntegerField)
    moves = field(serializers.IntegerField)
    points = field(serializers.IntegerField, "Without the bonus.")
    bonus = field(serializers.IntegerField, allow_null=True)
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


def _query(name: str, description: str, kind: Any = str, **more: Any) -> OpenApiParameter:
    return OpenApiParameter(name, kind, OpenApiParameter.QUERY, description=description, **more)


def _number_query(name: str, description: str, low: int, high: int, default: int) -> OpenApiParameter:
    return _query(name, description, {"type": "integer", "minimum": low, "maximum": high, "default": default})


BOARD_QUERY = [
    _query("order", "points where the ruleset scores points", enum=["time", "moves", "points"], default="time"),
    _number_query("limit", "rows of a page, but with `around`", 1, MAX_LIMIT, 50),
    _query("after", "`next` of a page"),
    _query("before", "`previous` of a page"),
    _query("around", "a player's name"),
    _number_query("radius", "rows on either side, with `around`", 0, MAX_RADIUS, 5),
]
CLOCK_QUERY = _query("clock", "client: replays sent without an attempt", enum=["server", "client"], default="server")


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
    return HttpResponse(f"{head[:-1]}, {page[1:]}", content_type="application/json")


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


# Players


class BestAnswer(serializers.Serializer[Any]):
    official_ms = field(serializers.IntegerField, allow_null=True)
    moves = field(serializers.IntegerField)
    points = field(serializers.IntegerField, "Without the bonus.")
    bonus = field(serializers.IntegerField, allow_null=True)
    replay = field(serializers.IntegerField)


class TotalsAnswer(serializers.Serializer[Any]):
    """Games by one clock in one ruleset; a game counts from its first move. null: there is none yet."""

    ruleset = field()
    clock = field(help_text="server or client")
    games = field(serializers.IntegerField)
    wins = field(serializers.IntegerField)
    best_time = BestAnswer(allow_null=True)
    fewest_moves = BestAnswer(allow_null=True)
    best_points = BestAnswer(allow_null=True)


class PlayerAnswer(serializers.Serializer[Any]):
    name = field()
    joined_at = field(serializers.DateTimeField)
    rulesets = TotalsAnswer(many=True)


class GameAnswer(serializers.Serializer[Any]):
    """One game of a player, in short."""

    replay = field(serializers.IntegerField)
    deal = field()
    ruleset = field()
    ranked = field(serializers.BooleanField)
    clock = field()
    started_at = field(serializers.DateTimeField)
    end = field(allow_null=True, help_text="null (open), won, resigned or expired")
    official_ms = field(serializers.IntegerField, allow_null=True)
    moves = field(serializers.IntegerField)
    points = field(serializers.IntegerField)
    bonus = field(serializers.IntegerField, allow_null=True)
    left = field(serializers.IntegerField, "Tableau cards left.")


class GamesAnswer(serializers.Serializer[Any]):
    total = field(serializers.IntegerField)
    rows = GameAnswer(many=True)


def find_player(name: str, where: str = "name") -> Player:
    """The player of that name, however it is written. Raises Problem (404)."""
    try:
        return Player.objects.get(name_key=name_key(clean_name(name)), is_active=True)
    except (Player.DoesNotExist, Problem):  # nobody has a name that may not be
        raise Problem(404, "player", gettext_noop("There is no such player."), where) from None


def _describe_player(player: Player) -> Response:
    return Response(
        {
            "name": player.name,
            "joined_at": player.joined_at.isoformat(),
            "rulesets": stats.read_totals(player),
        }
    )


@extend_schema(responses=PlayerAnswer, summary="Me")
@api_view(["GET"])
def show_me(request: Request) -> Response:
    """One's own totals and personal bests in each ruleset."""
    return _describe_player(_read_caller(request))


@extend_schema(responses=PlayerAnswer, summary="A player")
@api_view(["GET"])
@public
def show_player(request: Request, name: str) -> Response:
    """A player's totals and personal bests in each ruleset."""
    return _describe_player(find_player(name))


@extend_schema(
    parameters=[
        _query("ruleset", "a letter"),
        _query("order", "wins first, by this", enum=list(stats.ATTEMPT_ORDERS), default="time"),
        _number_query("limit", "games of a page", 1, MAX_LIMIT, 50),
        _number_query("offset", "games to skip", 0, MAX_OFFSET, 0),
    ],
    responses=GamesAnswer,
    auth=TOKEN_OR_NONE,
    summary="A player's games",
)
@api_view(["GET"])
@permission_classes([AllowAny])
def list_attempts(request: Request, name: str) -> Response:
    """The games of a player, by time then moves; who did not win stands below, by cards left.

    Open games are shown to their player alone.
    """
    query = request.query_params
    check_fields(query, ("ruleset", "order", "limit", "offset"))
    player = _read_caller(request) if name == "me" else find_player(name)
    ruleset = find_ruleset(query["ruleset"], status=400).letter if "ruleset" in query else None
    now = actions.read_clock()
    games = stats.list_attempts(
        player,
        read_choice(query, "order", stats.ATTEMPT_ORDERS, ranking.TIME),
        ruleset=ruleset,
        with_open=request.user == player,
        now=now,
    )
    offset = read_number(query, "offset", 0, MAX_OFFSET, 0)
    limit = read_number(query, "limit", 1, MAX_LIMIT, 50)
    rows = list(games[offset : offset + limit])
    for game in rows:
        game.expire(now=now)
    return Response({"total": games.count(), "rows": [_describe_game(game) for game in rows]})


def _describe_game(game: Attempt) -> dict[str, Any]:
    return {
        "replay": game.pk,
        "deal": game.deal.code,
        "ruleset": game.ruleset,
        "ranked": game.ranked,
        "clock": game.clock,
        "started_at": game.started_at.isoformat(),
        "end": game.end or None,
        "official_ms": game.official_ms,
        "moves": game.counted_moves,
        "points": game.points,
        "bonus": game.bonus,
        "left": game.left,
    }
