"""REST: ratings."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.decorators import permission_classes
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response

from games.api import api_view, field, find_ruleset
from games.rest import check_fields, public, read_number
from games.schema import TOKEN_OR_NONE, number_query
from leaderboard import ratings
from leaderboard.api.boards import AMONG_QUERY, read_among
from leaderboard.people import find_player

MAX_LIMIT = 100
MAX_OFFSET = 10**9
MAX_POINTS = 1000


class RatingAnswer(serializers.Serializer[Any]):
    rating = field(serializers.IntegerField, "1500 for a newcomer.")
    uncertainty = field(serializers.IntegerField, "The standard deviation of the rating.")
    rounds = field(serializers.IntegerField, "From so many rounds.")
    provisional = field(serializers.BooleanField, "Whether they are fewer than ten.")


class RatedPlayerAnswer(RatingAnswer):
    rank = field(serializers.IntegerField, "1, 2, 2, 4")
    player = field()


class RatingsAnswer(serializers.Serializer[Any]):
    ruleset = field()
    total = field(serializers.IntegerField)
    rows = RatedPlayerAnswer(many=True)


class PointAnswer(RatingAnswer):
    """A player's rating after a round."""

    at = field(serializers.DateTimeField, "When the round was over.")
    sprint = field(serializers.IntegerField)
    race = field(serializers.IntegerField)
    rank = field(serializers.IntegerField, "Among those whose results counted.")


class CurveAnswer(RatingAnswer):
    ruleset = field()
    rank = field(serializers.IntegerField, "On the ruleset's board of ratings.")
    total = field(serializers.IntegerField, "How many stand there.")
    curve = PointAnswer(many=True)


class CurvesAnswer(serializers.Serializer[Any]):
    player = field()
    rulesets = CurveAnswer(many=True)


@extend_schema(
    parameters=[
        number_query("limit", "rows of a page", 1, MAX_LIMIT, 50),
        number_query("offset", "rows to skip", 0, MAX_OFFSET, 0),
        AMONG_QUERY,
    ],
    responses=RatingsAnswer,
    auth=TOKEN_OR_NONE,
    summary="The best ratings",
)
@api_view(["GET"])
@permission_classes([AllowAny])
def show_ratings(request: Request, letter: str) -> Response:
    """The ratings of a ruleset, the best first; those of fewer than ten rounds are provisional."""
    params = request.query_params
    check_fields(params, ("limit", "offset", "among"))
    ruleset = find_ruleset(letter)
    total, rows = ratings.read_board(
        ruleset.letter,
        limit=read_number(params, "limit", 1, MAX_LIMIT, 50),
        offset=read_number(params, "offset", 0, MAX_OFFSET, 0),
        among=read_among(request, params["among"]) if "among" in params else None,
    )
    return Response({"ruleset": ruleset.letter, "total": total, "rows": rows})


@extend_schema(
    parameters=[number_query("points", "of each curve, the latest", 1, MAX_POINTS, 100)],
    responses=CurvesAnswer,
    summary="A player's ratings",
)
@api_view(["GET"])
@public
def show_curves(request: Request, name: str) -> Response:
    """A player's rating in each ruleset of which a rated sprint was played, and what it was after each round."""
    params = request.query_params
    check_fields(params, ("points",))
    player = find_player(name)
    curves = ratings.read_curves(player, points=read_number(params, "points", 1, MAX_POINTS, 100))
    return Response({"player": player.name, "rulesets": curves})
