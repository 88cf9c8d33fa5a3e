"""REST: ghosts, the pace of a game that has ended, to be shown beside one's own play."""

from itertools import pairwise
from typing import Any

from django.utils.translation import gettext_noop
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.decorators import permission_classes
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response

from games.api import api_view, field
from games.engine.replay import trace_removed
from games.errors import Problem
from games.models import Attempt
from games.schema import TOKEN_OR_NONE
from leaderboard import actions, sight


class GhostStepAnswer(serializers.Serializer[Any]):
    t = field(serializers.IntegerField, "Milliseconds since the start, without pauses.")
    removed = field(serializers.IntegerField, "Cards of the tableau's 28 that are gone from then on.")


class GhostAnswer(serializers.Serializer[Any]):
    """How far a game had come at which moment. No card and no move is told."""

    id = field(serializers.IntegerField, "The id of its replay.")
    player = field()
    ruleset = field()
    end = field(help_text="won, resigned or expired")
    official_ms = field(serializers.IntegerField, "Of a win.", allow_null=True)
    moves = field(serializers.IntegerField)
    timeline = GhostStepAnswer(many=True)


@extend_schema(responses=GhostAnswer, auth=TOKEN_OR_NONE, summary="A ghost")
@api_view(["GET"])
@permission_classes([AllowAny])
def show_ghost(request: Request, attempt: int) -> Response:
    """The pace of a game that has ended: the cards removed over time, undone ones come back.

    For who may see its replay.
    """
    found, now = Attempt.objects.select_related("deal", "player").filter(pk=attempt).first(), actions.read_clock()
    if found is None or not found.expire(now=now).end or not sight.may_see_replay(request.user, found, now=now):
        raise Problem(404, "not_found", gettext_noop("There is no ghost here that you may see now."))
    return Response(
        {
            "id": found.pk,
            "player": found.player.name,
            "ruleset": found.ruleset,
            "end": found.end,
            "official_ms": found.official_ms,
            "moves": found.counted_moves,
            "timeline": trace(found.moves, found.times),
        }
    )


def trace(moves: str, times: list[int]) -> list[dict[str, int]]:
    """The moments at which the number of removed cards changed, from 0 at 0 ms; of one moment the last."""
    points = list({0: 0, **dict(zip(times, trace_removed(moves), strict=True))}.items())
    changed = [points[0], *(after for before, after in pairwise(points) if before[1] != after[1])]
    return [{"t": t, "removed": removed} for t, removed in changed]
