"""REST: reporting, and what moderators decided about one's own."""

from typing import Any

from django.utils.translation import gettext, gettext_noop
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from games import throttles
from games.api import api_view, field
from games.errors import Problem
from games.models import Attempt
from games.rest import StrictCharField, StrictSerializer, check_fields, read_caller, read_fields
from leaderboard import fair
from leaderboard.models import Report, Ruling
from leaderboard.people import find_player
from leaderboard.periods import write_moment

LISTED = 200


class ReportBody(StrictSerializer):
    """A name, or with `replay` a result."""

    player = StrictCharField(required=False, help_text="Whose name is out of place.")
    replay = serializers.IntegerField(
        required=False, min_value=1, max_value=2**63 - 1, help_text="A result that cannot be right."
    )
    because = StrictCharField(min_length=3, max_length=300, help_text="Why; the moderators read it.")

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if ("player" in attrs) == ("replay" in attrs):
            raise serializers.ValidationError(gettext("Send either player or replay."), "one_of")
        return attrs


class ReportAnswer(serializers.Serializer[Any]):
    id = field(serializers.IntegerField)
    player = field(allow_null=True, help_text="null: this player is not here any more, or is shut out.")
    replay = field(serializers.IntegerField, "null: it is about the name.", allow_null=True)
    because = field()
    made_at = field(serializers.DateTimeField)
    outcome = field(allow_null=True, help_text="upheld or dismissed; null: nobody has looked yet")
    answer = field(help_text="What the moderators say.")


class ReportsAnswer(serializers.Serializer[Any]):
    rows = ReportAnswer(many=True)


class RulingAnswer(serializers.Serializer[Any]):
    what = field(help_text="hold, release, void, restore, ban or unban")
    replay = field(serializers.IntegerField, allow_null=True)
    because = field()
    made_at = field(serializers.DateTimeField)


class RulingsAnswer(serializers.Serializer[Any]):
    rows = RulingAnswer(many=True)


@extend_schema(operation_id="reports_list", methods=["GET"], responses=ReportsAnswer, summary="My reports")
@extend_schema(methods=["POST"], request=ReportBody, responses={201: ReportAnswer}, summary="Report a name or result")
@api_view(["GET", "POST"])
def list_reports(request: Request) -> Response:
    """Tell the moderators of a name or a result, and see what came of it; open, the same again is the same report."""
    player = read_caller(request)
    if request.method == "POST":
        return Response(_describe_report(_make_report(request)), status=201)
    check_fields(request.query_params, ())
    rows = player.reports.select_related("player").order_by("-id")[:LISTED]
    return Response({"rows": [_describe_report(row) for row in rows]})


def _make_report(request: Request) -> Report:
    reporter, fields = read_caller(request), read_fields(ReportBody, request.data)
    attempt = None
    if "replay" in fields:
        # an open game is nobody's to know of
        found = Attempt.objects.select_related("player").filter(pk=fields["replay"], player__is_active=True)
        attempt = found.exclude(ended_at=None).first()
        if attempt is None:
            raise Problem(404, "not_found", gettext_noop("There is no such result."), "replay")
    player = attempt.player if attempt else find_player(fields["player"], "player")
    throttles.count("report", reporter.pk)
    return fair.report(reporter=reporter, player=player, attempt=attempt, because=fields["because"])


def _describe_report(report: Report) -> dict[str, Any]:
    return {
        "id": report.pk,
        "player": report.player.name if report.player.is_active else None,
        "replay": report.attempt_id,
        "because": report.because,
        "made_at": write_moment(report.made_at),
        "outcome": report.outcome or None,
        "answer": report.answer,
    }


@extend_schema(responses=RulingsAnswer, summary="Decisions about me")
@api_view(["GET"])
def list_rulings(request: Request) -> Response:
    """What moderators decided about one's results, and why; the newest first."""
    check_fields(request.query_params, ())
    rows = Ruling.objects.filter(player=read_caller(request)).order_by("-id")[:LISTED]
    return Response(
        {
            "rows": [
                {
                    "what": row.what,
                    "replay": row.attempt_id,
                    "because": row.because,
                    "made_at": write_moment(row.made_at),
                }
                for row in rows
            ]
        }
    )
