"""REST: what a player has done."""

from collections.abc import Iterable, Iterator
from typing import Any

from django.http import StreamingHttpResponse
from django.utils.translation import gettext_noop
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.decorators import permission_classes
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response

from games import throttles
from games.api import api_view, field, find_ruleset
from games.engine import replay
from games.errors import Problem
from games.models import Attempt, Player, write_code
from games.rest import (
    JSON,
    StrictCharField,
    StrictSerializer,
    check_fields,
    public,
    read_caller,
    read_choice,
    read_fields,
    read_number,
)
from games.schema import TOKEN_OR_NONE, number_query, query
from leaderboard import actions, people, ranking, sight, stats
from leaderboard.people import find_player
from leaderboard.periods import write_moment

MAX_LIMIT = 100
MAX_OFFSET = 10**9


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
    deal = field(allow_null=True, help_text="null: cards of a race that you have not started.")
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
    held = field(allow_null=True, help_text="pace, same_moves or what a moderator said; null: it is not held.")
    void = field(serializers.BooleanField, "Whether it counts for nothing.")


class GamesAnswer(serializers.Serializer[Any]):
    total = field(serializers.IntegerField)
    rows = GameAnswer(many=True)


def _describe_player(player: Player) -> Response:
    return Response(
        {
            "name": player.name,
            "joined_at": write_moment(player.joined_at),
            "rulesets": stats.read_totals(player),
        }
    )


class PasswordBody(StrictSerializer):
    password = StrictCharField(required=False, help_text="One's own; a guest has none.")


class NameBody(StrictSerializer):
    name = StrictCharField(help_text="2 to 24 characters.")


class NameAnswer(serializers.Serializer[Any]):
    name = field()


@extend_schema(methods=["GET"], responses=PlayerAnswer, summary="Me")
@extend_schema(methods=["DELETE"], request=PasswordBody, responses={204: None}, summary="Delete my account")
@api_view(["GET", "DELETE"])
def show_me(request: Request) -> Response:
    """One's own totals and personal bests in each ruleset.

    To delete the account anonymises it for ever: games and ranks stay, and nothing tells whose they were.
    """
    player = read_caller(request)
    if request.method == "DELETE":
        password = read_fields(PasswordBody, request.data).get("password")
        throttles.count("log_in", throttles.address(request))  # who has the session must not find out the password
        people.delete_account(player=player, password=password)
        return Response(status=204)
    return _describe_player(player)


@extend_schema(request=NameBody, responses=NameAnswer, summary="Change my name")
@api_view(["PUT"])
def rename_me(request: Request) -> Response:
    """Another name, or the same written otherwise, once in 30 days.

    The old one leads to the player from then on, and nobody else gets it.
    """
    return Response({"name": people.rename(player=read_caller(request), **read_fields(NameBody, request.data)).name})


@extend_schema(responses=OpenApiTypes.OBJECT, summary="My data")
@api_view(["GET"])
def export_me(request: Request) -> StreamingHttpResponse:
    """All that is stored of a player as one JSON document: account, attempts with their replays, entries, clubs."""
    check_fields(request.query_params, ())
    parts = people.collect(read_caller(request))
    headers = {"Content-Disposition": 'attachment; filename="pyramidion.json"', "Cache-Control": "no-store"}
    return StreamingHttpResponse(_write_parts(parts), content_type=JSON, headers=headers)


def _write_parts(parts: Iterable[tuple[str, Any]]) -> Iterator[bytes]:
    """A JSON object, written as its parts come."""
    for number, (name, part) in enumerate(parts):
        yield f"{', ' if number else '{'}{replay.dump(name)}: ".encode()
        if isinstance(part, dict | list):
            yield replay.dump(part).encode()
        else:
            yield b"["
            for index, row in enumerate(part):
                yield f"{', ' if index else ''}{replay.dump(row)}".encode()
            yield b"]"
    yield b"}\n"


@extend_schema(responses=PlayerAnswer, summary="A player")
@api_view(["GET"])
@public
def show_player(request: Request, name: str) -> Response:
    """A player's totals and personal bests in each ruleset."""
    return _describe_player(find_player(name))


@extend_schema(
    parameters=[
        query("ruleset", "a letter"),
        query("order", "wins first, by this", enum=list(stats.ATTEMPT_ORDERS), default="time"),
        number_query("limit", "games of a page", 1, MAX_LIMIT, 50),
        number_query("offset", "games to skip", 0, MAX_OFFSET, 0),
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
    player = read_caller(request) if name == "me" else find_player(name)
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
    hidden = sight.hidden_orders(request.user, [game.deal.order for game in rows], now=now)
    return Response({"total": games.count(), "rows": [_describe_game(game, hidden) for game in rows]})


def _describe_game(game: Attempt, hidden: set[str]) -> dict[str, Any]:
    return {
        "replay": game.pk,
        "deal": None if game.deal.order in hidden else game.deal.code,
        "ruleset": game.ruleset,
        "ranked": game.ranked,
        "clock": game.clock,
        "started_at": write_moment(game.started_at),
        "end": game.end or None,
        "official_ms": game.official_ms,
        "moves": game.counted_moves,
        "points": game.points,
        "bonus": game.bonus,
        "left": game.left,
        "held": game.held or None,
        "void": game.voided_at is not None,
    }


class SideAnswer(serializers.Serializer[Any]):
    """One of the two. The bests are those of the player's games by the server's clock; null: there is none."""

    player = field()
    games = field(serializers.IntegerField)
    wins = field(serializers.IntegerField)
    best_time = BestAnswer(allow_null=True)
    fewest_moves = BestAnswer(allow_null=True)
    best_points = BestAnswer(allow_null=True)
    faster = field(serializers.IntegerField, "On how many of the shared deals.")


class SharedGameAnswer(serializers.Serializer[Any]):
    official_ms = field(serializers.IntegerField)
    moves = field(serializers.IntegerField)
    replay = field(serializers.IntegerField)


class SharedAnswer(serializers.Serializer[Any]):
    deal = field()
    a = SharedGameAnswer()
    b = SharedGameAnswer()
    faster = field(allow_null=True, help_text="a, b or null: equally fast")


class ComparisonAnswer(serializers.Serializer[Any]):
    ruleset = field()
    a = SideAnswer()
    b = SideAnswer()
    shared = field(serializers.IntegerField, "Deals that both have won, and that you may know of.")
    rows = SharedAnswer(many=True)


@extend_schema(
    parameters=[
        query("a", "a player's name, or me", required=True),
        query("b", "another player's name, or me", required=True),
        query("ruleset", "a letter", required=True),
        number_query("limit", "shared deals of a page, the newest first", 1, MAX_LIMIT, 50),
        number_query("offset", "shared deals to skip", 0, MAX_OFFSET, 0),
    ],
    responses=ComparisonAnswer,
    auth=TOKEN_OR_NONE,
    summary="Two players",
)
@api_view(["GET"])
@permission_classes([AllowAny])
def compare_players(request: Request) -> Response:
    """Two players side by side in a ruleset: their bests, the deals that both have won, and who was faster how often.

    Deals of a race that can still be entered are left out until you have been shown their cards.
    """
    query = request.query_params
    check_fields(query, ("a", "b", "ruleset", "limit", "offset"))
    for name in ("a", "b", "ruleset"):
        if name not in query:
            raise Problem(400, "required", gettext_noop("This must be sent."), name)
    ruleset = find_ruleset(query["ruleset"], status=400).letter
    first, second = (read_caller(request) if query[x] == "me" else find_player(query[x], x) for x in ("a", "b"))
    if first == second:
        raise Problem(400, "same_player", gettext_noop("Name two players."), "b")
    offset = read_number(query, "offset", 0, MAX_OFFSET, 0)
    limit = read_number(query, "limit", 1, MAX_LIMIT, 50)
    shared = stats.list_shared(first, second, ruleset)
    hidden = sight.hidden_orders(request.user, {row.order for row in shared}, now=actions.read_clock())
    shared = [row for row in shared if row.order not in hidden]
    return Response(
        {
            "ruleset": ruleset,
            "a": _describe_side(first, ruleset, sum(row.faster > 0 for row in shared)),
            "b": _describe_side(second, ruleset, sum(row.faster < 0 for row in shared)),
            "shared": len(shared),
            "rows": [
                {
                    "deal": write_code(row.ruleset, row.order, row.seed),
                    "a": row.first,
                    "b": row.second,
                    "faster": {1: "a", -1: "b"}.get(row.faster),
                }
                for row in shared[offset : offset + limit]
            ],
        }
    )


def _describe_side(player: Player, ruleset: str, faster: int) -> dict[str, Any]:
    none = {"games": 0, "wins": 0, "best_time": None, "fewest_moves": None, "best_points": None}
    totals = [row for row in stats.read_totals(player) if (row["ruleset"], row["clock"]) == (ruleset, Attempt.SERVER)]
    found = totals[0] if totals else none
    return {"player": player.name} | {name: found[name] for name in none} | {"faster": faster}
