"""REST: seasons."""

from typing import Any

from django.http import HttpResponse
from django.utils.translation import gettext_noop
from django.views.decorators.http import conditional_page
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.decorators import permission_classes
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response

from games.api import api_view, field, find_ruleset
from games.errors import Problem
from games.rest import check_fields, read_number
from games.schema import TOKEN_OR_NONE, number_query, query
from leaderboard import races, seasons
from leaderboard.api.boards import AMONG_QUERY, MAX_LIMIT, MAX_OFFSET, MAX_RADIUS, not_on_board, read_among, read_around
from leaderboard.pages import keep


class SeasonRowAnswer(serializers.Serializer[Any]):
    rank = field(serializers.IntegerField, "1, 2, 2, 4")
    row = field(serializers.IntegerField)
    player = field()
    points = field(serializers.IntegerField)
    dailies = field(serializers.IntegerField, "How many dailies they are from.")
    final = field(serializers.BooleanField, "Whether none of them can change any more.")


class SeasonAnswer(serializers.Serializer[Any]):
    month = field()
    ruleset = field(allow_null=True)
    total = field(serializers.IntegerField)
    rows = SeasonRowAnswer(many=True)


@extend_schema(
    parameters=[
        query("ruleset", "the dailies of one ruleset"),
        number_query("limit", "rows of a page, but with `around`", 1, MAX_LIMIT, 50),
        number_query("offset", "rows to skip", 0, MAX_OFFSET, 0),
        query("around", "a player's name, or me"),
        number_query("radius", "rows on either side, with `around`", 0, MAX_RADIUS, 5),
        AMONG_QUERY,
    ],
    responses=SeasonAnswer,
    auth=TOKEN_OR_NONE,
    summary="A season",
)
@conditional_page
@api_view(["GET"])
@permission_classes([AllowAny])
def show_season(request: Request, month: str) -> HttpResponse:
    """The points that a calendar month's dailies gave: 1000 * (n + 1 - rank) / (n + 1) for a rank among n, rounded
    down. A daily counts once it has closed, and its points are final two days later.
    """
    query = request.query_params
    check_fields(query, ("ruleset", "limit", "offset", "around", "radius", "among"))
    try:
        days = races.read_month(month)
    except ValueError:
        raise Problem(404, "month", gettext_noop("A month is written 2026-11."), "month") from None
    ruleset = find_ruleset(query["ruleset"], status=400).letter if "ruleset" in query else None
    limit, radius = read_number(query, "limit", 1, MAX_LIMIT, 50), read_number(query, "radius", 0, MAX_RADIUS, 5)
    offset = read_number(query, "offset", 0, MAX_OFFSET, 0)
    if "around" in query and "offset" in query:
        raise Problem(400, "one_of", gettext_noop("Send one of offset and around."), "around")
    around = read_around(request, query["around"]) if "around" in query else None
    among = read_among(request, query["among"]) if "among" in query else None
    if around:
        page = seasons.read_season(days, ruleset=ruleset, limit=radius, around=around, among=among)
    else:
        page = keep(
            f"season {month} {ruleset} {limit} {offset} {among}",
            lambda: seasons.read_season(days, ruleset=ruleset, limit=limit, offset=offset, among=among),
        )
    if page is None:
        assert around
        raise not_on_board(around)
    return Response({"month": month, "ruleset": ruleset} | page)
