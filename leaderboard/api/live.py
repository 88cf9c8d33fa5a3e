"""REST: what the watchers of a race see, for clients that poll. The frames are those of its websocket."""

from typing import Any

from django.utils.translation import gettext_noop
from drf_spectacular.utils import PolymorphicProxySerializer, extend_schema
from rest_framework import serializers
from rest_framework.decorators import permission_classes
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response

from games.api import api_view, field
from games.errors import Problem
from games.rest import check_fields
from games.schema import TOKEN_OR_NONE, query
from leaderboard import feed, racing
from leaderboard.actions import read_clock
from leaderboard.api.dailies import TopAnswer
from leaderboard.api.racing import INVITE_QUERY, find_followed


class RowAnswer(serializers.Serializer[Any]):
    """An entry as it stands. kind: started, progress, finished, held or voided; the first two are being played.

    Of a void one nothing else is told.
    """

    kind = field()
    entry = field(serializers.IntegerField, "Names the entry in later frames.")
    player = field(required=False)
    guest = field(serializers.BooleanField, required=False)
    ranked = field(serializers.BooleanField, required=False)
    removed = field(serializers.IntegerField, "Cards of the tableau's 28.", required=False)
    moves = field(serializers.IntegerField, "Those that count.", required=False)
    started_at = field(serializers.DateTimeField, required=False)
    end = field(allow_null=True, required=False, help_text="Of one that is over: won, resigned or expired")
    official_ms = field(serializers.IntegerField, "Of a win.", allow_null=True, required=False)
    ended_at = field(serializers.DateTimeField, allow_null=True, required=False)
    replay = field(
        serializers.IntegerField, "Of one that is over: its replay's id, for who may see it.", required=False
    )

    def get_fields(self) -> dict[str, serializers.Field]:
        # `pass` is a word of Python's
        return super().get_fields() | {
            "pass": serializers.IntegerField(help_text="The pass it stands in.", required=False)
        }


class CountsAnswer(serializers.Serializer[Any]):
    """How many have entered, are playing now, and have won; void ones are not counted."""

    entered = field(serializers.IntegerField)
    playing = field(serializers.IntegerField)
    won = field(serializers.IntegerField)


class FrameAnswer(serializers.Serializer[Any]):
    now = field(serializers.DateTimeField, "The server's clock.")
    since = field(help_text="Send it with the next call to get what has changed since this one.")
    phase = field(help_text="upcoming, open, grace, closed or withdrawn")
    counts = CountsAnswer()
    top = TopAnswer(many=True, help_text="The first ten by time.")


class SnapshotAnswer(FrameAnswer):
    """All that a watcher sees."""

    type = field(help_text="snapshot")
    closes_at = field(serializers.DateTimeField)
    playing = RowAnswer(many=True, help_text="Who is playing: of many the first 200 that entered.")


class ChangesAnswer(FrameAnswer):
    """What has changed."""

    type = field(help_text="changes")
    rows = RowAnswer(many=True, help_text="Each replaces what was known of its entry.")
    gone = field(
        serializers.ListField,
        "Entries that are not playing any more and have no row.",
        child=serializers.IntegerField(),
    )


@extend_schema(
    parameters=[query("since", "The `since` of an earlier answer; without it a snapshot is sent."), INVITE_QUERY],
    responses=PolymorphicProxySerializer("FeedAnswer", [SnapshotAnswer, ChangesAnswer], None),
    auth=TOKEN_OR_NONE,
    summary="A race as it happens",
)
@api_view(["GET"])
@permission_classes([AllowAny])
def show_changes(request: Request, race: int) -> Response:
    """What has changed in a race since an earlier answer, at once; a snapshot where that is less than the changes.

    The same frames, pushed, are to be had over the websocket `ws/races/{id}/`: see docs/live.md.
    """
    check_fields(request.query_params, ("since", "invite_code"))
    since = request.query_params.get("since")
    if since is not None and feed.read_since(since, read_clock()) is None:
        raise Problem(400, "invalid", gettext_noop("Send the `since` of an earlier answer."), "since")
    find_followed(request, race)
    state = feed.read_state(race) if since is None else None
    frame = state.write() if state else feed.read_missed(race, since) if since else None
    if frame is None:
        raise racing.no_such_race()
    return Response(frame)
