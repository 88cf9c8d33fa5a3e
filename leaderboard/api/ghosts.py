"""REST: ghosts, the pace of a game that has ended or of the computer's, to be shown beside one's own play."""

from datetime import datetime
from itertools import pairwise
from typing import Any

from django.utils.translation import gettext, gettext_noop
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.decorators import permission_classes
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response

from games.api import api_view, field
from games.engine.opponent import STRENGTHS, opponent
from games.engine.replay import trace_removed
from games.errors import Problem
from games.models import Attempt
from games.rest import check_fields, read_caller, read_choice
from games.schema import TOKEN_OR_NONE, query
from leaderboard import actions, sight, stats
from leaderboard.people import find_player

COMPUTER = {
    "easy": gettext_noop("Computer (easy)"),
    "medium": gettext_noop("Computer (medium)"),
    "strong": gettext_noop("Computer (strong)"),
}


class GhostStepAnswer(serializers.Serializer[Any]):
    t = field(serializers.IntegerField, "Milliseconds since the start, without pauses.")
    removed = field(serializers.IntegerField, "Cards of the tableau's 28 that are gone from then on.")


class GhostAnswer(serializers.Serializer[Any]):
    """How far a game had come at which moment. No card and no move is told."""

    id = field(serializers.IntegerField, "The id of its replay.")
    player = field()
    deal = field(help_text="The code of its deal.")
    ruleset = field()
    end = field(help_text="won, resigned or expired")
    official_ms = field(serializers.IntegerField, "Of a win.", allow_null=True)
    moves = field(serializers.IntegerField)
    may_see = field(serializers.BooleanField, "Whether its replay may be seen now: its cards and moves, too.")
    timeline = GhostStepAnswer(many=True)


@extend_schema(responses=GhostAnswer, auth=TOKEN_OR_NONE, summary="A ghost")
@api_view(["GET"])
@permission_classes([AllowAny])
def show_ghost(request: Request, attempt: int) -> Response:
    """The pace of a game that has ended: the cards removed over time, undone ones come back.

    For who may see its replay, and for who plays the same cards outside a race.
    """
    found, now = Attempt.objects.select_related("deal", "player").filter(pk=attempt).first(), actions.read_clock()
    if found is None or not sight.may_see_ghost(request.user, found, now=now):
        raise Problem(404, "not_found", gettext_noop("There is no ghost here that you may see now."))
    return Response(_describe(found, request.user, now))


def _describe(game: Attempt, viewer: sight.Viewer, now: datetime) -> dict[str, Any]:
    return {
        "id": game.pk,
        "player": game.player.name,
        "deal": game.deal.code,
        "ruleset": game.ruleset,
        "end": game.end,
        "official_ms": game.official_ms,
        "moves": game.counted_moves,
        "may_see": sight.may_see_replay(viewer, game, now=now),
        "timeline": trace(game.moves, game.times),
    }


@extend_schema(
    parameters=[query("player", "whose game, by name", required=True)],
    responses=GhostAnswer,
    summary="A player's ghost",
)
@api_view(["GET"])
def show_rival(request: Request, attempt: int) -> Response:
    """The pace of a player's best game on the deal of an attempt of one's own.

    The best is the fastest win, else what left the fewest cards, by the server's clock; else the same of what was
    played elsewhere. Refused are a name that nobody has (404 `player`), a player without a game there (404 `no_game`),
    and everybody but oneself while a race lies open on the cards and one's own game goes on (409 `race_open`).
    """
    params = request.query_params
    check_fields(params, ("player",))
    own = _find_own(request, attempt)
    if "player" not in params:
        raise Problem(400, "required", gettext_noop("This must be sent."), "player")
    rival, now = find_player(params["player"], "player"), actions.read_clock()
    if rival != own.player and not sight.may_see_ghosts(own.player, own.deal.order, now=now):
        message = gettext_noop("While a race lies open on these cards, nobody else's game runs beside yours.")
        raise Problem(409, "race_open", message, "player")
    game = stats.find_best_game(rival, own.deal, now=now)
    if game is None:
        message = gettext_noop("%(player)s has ended no game on these cards.")
        raise Problem(404, "no_game", message, "player", params={"player": rival.name})
    return Response(_describe(game, own.player, now))


def _find_own(request: Request, attempt: int) -> Attempt:
    """An attempt of the caller's. Raises Problem (404)."""
    found = Attempt.objects.select_related("deal", "player").filter(pk=attempt, player=read_caller(request)).first()
    if found is None:
        raise Problem(404, "not_found", gettext_noop("You have no such attempt."))
    return found


class OpponentAnswer(serializers.Serializer[Any]):
    """How far the computer has come at which moment. It is no player, and stands on no board."""

    name = field(help_text="In the language asked for.")
    strength = field(help_text=", ".join(STRENGTHS))
    end = field(help_text="won or resigned")
    official_ms = field(serializers.IntegerField, "Of a win.", allow_null=True)
    moves = field(serializers.IntegerField)
    timeline = GhostStepAnswer(many=True)


@extend_schema(
    parameters=[query("strength", "how well and how fast it plays", enum=STRENGTHS, default="medium")],
    responses=OpponentAnswer,
    summary="The computer's pace",
)
@api_view(["GET"])
def show_opponent(request: Request, attempt: int) -> Response:
    """The pace at which the computer plays the deal of an attempt of one's own, ranked or practice.

    It plays from the visible cards at a human pace: on a deal always the same game in each strength. No card and no
    move is told; that it won tells that the deal can be won, as the progress of other players does.
    """
    check_fields(request.query_params, ("strength",))
    strength = read_choice(request.query_params, "strength", STRENGTHS, "medium")
    game = opponent(_find_own(request, attempt).deal.cards, strength)
    return Response(
        {
            "name": gettext(COMPUTER[strength]),
            "strength": strength,
            "end": Attempt.WON if game.won else Attempt.RESIGNED,
            "official_ms": game.times[-1] if game.won else None,
            "moves": len(game.tokens),
            "timeline": trace(" ".join(game.tokens), list(game.times)),
        }
    )


def trace(moves: str, times: list[int]) -> list[dict[str, int]]:
    """The moments at which the number of removed cards changed, from 0 at 0 ms; of one moment the last."""
    points = list({0: 0, **dict(zip(times, trace_removed(moves), strict=True))}.items())
    changed = [points[0], *(after for before, after in pairwise(points) if before[1] != after[1])]
    return [{"t": t, "removed": removed} for t, removed in changed]
