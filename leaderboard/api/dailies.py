"""REST: the dailies: today, a day, a month, streaks, commitments."""

import re
from datetime import date, datetime
from typing import Any

from django.conf import settings
from django.utils.translation import gettext_noop
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.decorators import permission_classes
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response

from games.api import api_view, field, find_ruleset
from games.errors import Problem
from games.models import Player
from games.rest import check_fields, public, read_number
from games.schema import TOKEN_OR_NONE, number_query, query
from leaderboard import actions, daily, minting, races
from leaderboard.api.racing import EntryAnswer, RaceAnswer, describe_entry, describe_race
from leaderboard.models import Race
from leaderboard.people import find_player
from leaderboard.periods import write_moment

MOST_LINKS = 1000


class TopAnswer(serializers.Serializer[Any]):
    rank = field(serializers.IntegerField)
    player = field()
    official_ms = field(serializers.IntegerField)
    moves = field(serializers.IntegerField)
    replay = field(serializers.IntegerField)


class DailyAnswer(RaceAnswer):
    """The race of a UTC day in a ruleset."""

    difficulty = field(help_text="easy, medium or hard")
    par = field(
        serializers.IntegerField,
        "The fewest moves: once you have ended it; for everybody else once it is closed.",
        allow_null=True,
    )
    commitment = field(help_text="What was published of its cards when it was minted.")
    committed = field(serializers.BooleanField, "Whether that was before the day began.")
    top = TopAnswer(many=True)


class StreaksAnswer(serializers.Serializer[Any]):
    """Days in a row with a daily that ended after at least one move, won or not."""

    days = field(serializers.IntegerField, "The streak now; today is not missed yet.")
    longest = field(serializers.IntegerField, "The longest ever.")
    freezes = field(serializers.IntegerField, "Days that may be missed: one for every ten days, three at most.")
    longest_run = field(serializers.IntegerField, "The most dailies won one after the other.")


class TodayAnswer(serializers.Serializer[Any]):
    day = field(serializers.DateField)
    now = field(serializers.DateTimeField, "The server's clock, for a countdown.")
    next_at = field(serializers.DateTimeField, "When the next day begins.")
    dailies = DailyAnswer(many=True)
    missing = serializers.ListField(
        child=serializers.CharField(),
        help_text="Rulesets whose daily is still being dealt: the first start takes a moment.",
    )
    streak = StreaksAnswer(allow_null=True, help_text="Of the player who asks.")


class ResultAnswer(serializers.Serializer[Any]):
    day = field(serializers.DateField)
    ruleset = field()
    race = field(serializers.IntegerField)
    players = field(serializers.IntegerField, "How many stand in its ranks.")
    rank = field(serializers.IntegerField, "By time; null: not in the ranks.", allow_null=True)
    medal = field(allow_null=True, help_text="gold, silver or bronze, once the race is closed")
    entry = EntryAnswer(allow_null=True)


class CalendarAnswer(serializers.Serializer[Any]):
    month = field()
    dailies = ResultAnswer(many=True)
    streak = StreaksAnswer(allow_null=True, help_text="Of the player who asks.")


class LinkAnswer(serializers.Serializer[Any]):
    """SHA-256 of `day:code:nonce:previous`, published when the daily was minted."""

    ruleset = field()
    day = field(serializers.DateField)
    commitment = field()
    previous = field(help_text="The commitment minted before it in the ruleset; empty for the first.")
    minted_at = field(serializers.DateTimeField)
    committed = field(serializers.BooleanField, "Whether that was before the day began.")
    withdrawn_at = field(serializers.DateTimeField, allow_null=True)
    withdrawn_because = field(allow_null=True)
    code = field(allow_null=True, help_text="The deal's code, once the day is over.")
    nonce = field(allow_null=True, help_text="Once the day is over.")


class LinksAnswer(serializers.Serializer[Any]):
    now = field(serializers.DateTimeField)
    next = field(allow_null=True, help_text="The `after` of the next page; null: this is the last.")
    rows = LinkAnswer(many=True)


def _describe_daily(one: daily.Daily, viewer: Any, now: datetime) -> dict[str, Any]:
    race = one.seen.race
    return describe_race(one.seen, viewer, now) | {
        "difficulty": race.deal.difficulty,
        "par": one.par,
        "commitment": race.commitment,
        "committed": race.committed,
        "top": [place._asdict() for place in one.top],
    }


def _describe_streaks(viewer: Any, now: datetime) -> dict[str, Any] | None:
    if not isinstance(viewer, Player):
        return None
    found = daily.read_streaks(viewer, now=now)
    return found.streak._asdict() | {"longest_run": found.longest_run}


@extend_schema(operation_id="daily_today", responses=TodayAnswer, auth=TOKEN_OR_NONE, summary="Today's dailies")
@api_view(["GET"])
@permission_classes([AllowAny])
def show_today(request: Request) -> Response:
    """The dailies of this UTC day: what may be told of each, one's own entry, the first three, how many play."""
    check_fields(request.query_params, ())
    minting.ensure_ready()
    now = actions.read_clock()
    day = races.day_of(now)
    rows = daily.read_day(day, request.user, now=now)
    there = {row.seen.race.ruleset for row in rows if row.seen.race.withdrawn_at is None}
    return Response(
        {
            "day": day.isoformat(),
            "now": write_moment(now),
            "next_at": write_moment(races.day_window(day)[1]),
            "dailies": [_describe_daily(row, request.user, now) for row in rows],
            "missing": [letter for letter in settings.DAILY_RULESETS if letter not in there],
            "streak": _describe_streaks(request.user, now),
        }
    )


@extend_schema(responses=DailyAnswer, auth=TOKEN_OR_NONE, summary="A daily")
@api_view(["GET"])
@permission_classes([AllowAny])
def show_daily(request: Request, day: str, letter: str) -> Response:
    """The daily of a day in a ruleset. Once its day is over its deal is there for practice, by its code."""
    check_fields(request.query_params, ())
    ruleset = find_ruleset(letter)
    now = actions.read_clock()
    rows = daily.read_day(_read_day(day), request.user, now=now, letter=ruleset.letter)
    if not rows:
        raise _no_daily("letter")
    return Response(_describe_daily(rows[0], request.user, now))


def _read_day(text: str) -> date:
    try:
        return races.read_day(text)
    except ValueError:
        raise _no_daily("day") from None


def _no_daily(where: str) -> Problem:
    return Problem(404, "no_daily", gettext_noop("There is no such daily."), where)


@extend_schema(
    parameters=[query("month", "2026-11; this month where it is left out")],
    responses=CalendarAnswer,
    auth=TOKEN_OR_NONE,
    summary="A month of dailies",
)
@api_view(["GET"])
@permission_classes([AllowAny])
def show_calendar(request: Request) -> Response:
    """One's result, rank and medal in each daily of a month so far, and how many stand in its ranks."""
    params = request.query_params
    check_fields(params, ("month",))
    now = actions.read_clock()
    month = params.get("month", races.day_of(now).isoformat()[:7])
    try:
        days = races.read_month(month)
    except ValueError:
        raise Problem(400, "month", gettext_noop("A month is written 2026-11."), "month") from None
    return Response(
        {
            "month": month,
            "dailies": [_describe_result(row, now) for row in daily.read_month(days, request.user, now=now)],
            "streak": _describe_streaks(request.user, now),
        }
    )


def _describe_result(result: daily.Result, now: datetime) -> dict[str, Any]:
    race: Race = result.race
    return {
        "day": race.day and race.day.isoformat(),
        "ruleset": race.ruleset,
        "race": race.pk,
        "players": result.field,
        "rank": result.rank,
        "medal": daily.medal_of(result, now),
        "entry": describe_entry(result.entry, now),
    }


@extend_schema(responses=StreaksAnswer, summary="A player's streak")
@api_view(["GET"])
@public
def show_streaks(request: Request, name: str) -> Response:
    """A player's days in a row with a daily, and the longest run of dailies won."""
    check_fields(request.query_params, ())
    return Response(_describe_streaks(find_player(name), actions.read_clock()))


@extend_schema(
    parameters=[
        query("ruleset", "a letter"),
        query("after", "`next` of a page"),
        number_query("limit", "commitments of a page", 1, MOST_LINKS, MOST_LINKS),
    ],
    responses=LinksAnswer,
    summary="Commitments",
)
@api_view(["GET"])
@public
def list_commitments(request: Request) -> Response:
    """The commitments to all dailies in the order of minting; `manage.py check_commitments` verifies a download.

    Those of the days to come are public, too; code and nonce follow once the day is over.
    """
    params = request.query_params
    check_fields(params, ("ruleset", "after", "limit"))
    limit = read_number(params, "limit", 1, MOST_LINKS, MOST_LINKS)
    ruleset = find_ruleset(params["ruleset"], status=400).letter if "ruleset" in params else None
    now, after = actions.read_clock(), params.get("after")
    try:
        if after is not None and not re.fullmatch("[0-9a-f]{64}", after):
            raise Race.DoesNotExist
        found = daily.read_links(ruleset=ruleset, after=after, limit=limit + 1)
    except Race.DoesNotExist:
        raise Problem(400, "cursor", gettext_noop("This is no commitment."), "after") from None
    rows = found[:limit]
    return Response(
        {
            "now": write_moment(now),
            "next": rows[-1].commitment if len(found) > limit else None,
            "rows": [daily.link_of(race, now) for race in rows],
        }
    )
