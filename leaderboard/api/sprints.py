"""REST: sprints."""

from typing import Any

from django.utils.translation import gettext
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.decorators import permission_classes
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response

from games import throttles
from games.api import api_view, field, find_ruleset
from games.models import DIFFICULTIES, Player, read_deal
from games.rest import (
    GUEST_FIELD,
    PlayerOrGuest,
    StrictBooleanField,
    StrictCharField,
    StrictSerializer,
    caller_or_guest,
    check_fields,
    read_caller,
    read_fields,
)
from games.schema import TOKEN_OR_NONE, query
from leaderboard import actions, addresses, sprinting, sprints
from leaderboard.api.races import describe_attempt
from leaderboard.api.racing import UNRANKED, EnteredAnswer, check_invited
from leaderboard.describing import describe_head, describe_sprint
from leaderboard.models import Sprint, SprintPlayer

PHASES = (sprints.LOBBY, sprints.COUNTING, sprints.RUNNING, sprints.OVER)


class SprintRunnerAnswer(serializers.Serializer[Any]):
    """A player in a round."""

    player = field()
    state = field(help_text="waiting (not begun), playing, won, resigned, expired, or out: left, or silent")
    removed = field(serializers.IntegerField, "Cards of the tableau's 28.")
    moves = field(serializers.IntegerField)
    official_ms = field(serializers.IntegerField, "Of a win: whole ms since the round's start.", allow_null=True)
    replay = field(serializers.IntegerField, "The attempt's id, once begun.", allow_null=True)
    held = field(allow_null=True, help_text="Why a win has no rank before it was looked at.")
    void = field(serializers.BooleanField, "Whether it counts for nothing.")
    rank = field(serializers.IntegerField, "Once the round is over; null while held or void.", allow_null=True)


class RoundAnswer(serializers.Serializer[Any]):
    number = field(serializers.IntegerField)
    race = field(serializers.IntegerField, "Its race: ws/races/ID/ shows it as it happens.")
    opens_at = field(serializers.DateTimeField, "Everybody's start.")
    ends_at = field(serializers.DateTimeField, "When it is over, at the latest.")
    over_at = field(serializers.DateTimeField, allow_null=True)
    players = SprintRunnerAnswer(many=True)


class SprintPlayerAnswer(serializers.Serializer[Any]):
    player = field()
    ready = field(serializers.BooleanField)
    joined_at = field(serializers.DateTimeField)
    left_at = field(serializers.DateTimeField, "Who has left, or sent nothing for two minutes.", allow_null=True)
    won = field(serializers.IntegerField, "Rounds won.")
    rank = field(serializers.IntegerField, "In the rounds that are over.", allow_null=True)


class SprintHeadAnswer(serializers.Serializer[Any]):
    """A sprint in a list of lobbies."""

    id = field(serializers.IntegerField)
    host = field(allow_null=True, help_text="Who can start it.")
    ruleset = field()
    difficulty = field(allow_null=True, help_text="Of the deals, as long as the pool has any.")
    rated = field(serializers.BooleanField, "Whether ratings follow it: where the server deals.")
    needs_code = field(serializers.BooleanField, "Whether one joins with an invite code.")
    most = field(serializers.IntegerField, "So many players at most.")
    best_of = field(serializers.IntegerField)
    present = field(serializers.IntegerField, "How many are in it.")
    starts_at = field(
        serializers.DateTimeField, "The set time, or when the first round starts; null: the host says.", allow_null=True
    )


class SprintAnswer(SprintHeadAnswer):
    """A sprint as it stands."""

    phase = field(help_text=", ".join(PHASES))
    now = field(serializers.DateTimeField, "The server's clock, for a countdown.")
    invite_code = field(allow_null=True, help_text="For those who are in it.")
    ended_at = field(serializers.DateTimeField, allow_null=True)
    rematch = field(serializers.IntegerField, "The sprint in which the same people meet again.", allow_null=True)
    players = SprintPlayerAnswer(many=True)
    rounds = RoundAnswer(many=True)


class SprintsAnswer(serializers.Serializer[Any]):
    rows = SprintHeadAnswer(many=True)


class NewSprint(StrictSerializer):
    """A sprint. With a ruleset the server deals cards that nobody has seen; with a deal code nothing is rated."""

    ruleset = StrictCharField(required=False, help_text="The letter of a ruleset.")
    difficulty = serializers.ChoiceField(
        DIFFICULTIES, required=False, help_text="With ruleset: deals that are proven to be won, from a pool."
    )
    deal = StrictCharField(required=False, help_text="A deal code; for one round.")
    invite_code = StrictCharField(
        required=False, min_length=4, max_length=32, help_text="Who joins must send it; the sprint is in no list."
    )
    players = serializers.IntegerField(required=False, default=10, min_value=2, max_value=100, help_text="At most.")
    best_of = serializers.ChoiceField([1, 3, 5], required=False, default=1, help_text="Rounds at most.")
    starts_at = serializers.DateTimeField(
        required=False, help_text="A set time, at most 7 days ahead; without it the host starts. UTC without a zone."
    )
    guest = GUEST_FIELD

    def validate_best_of(self, best_of: Any) -> int:
        if type(self.initial_data.get("best_of", best_of)) is not int:  # a choice is compared as a text
            raise serializers.ValidationError(gettext("This must be 1, 3 or 5."), "invalid_choice")
        return best_of

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if ("deal" in attrs) == ("ruleset" in attrs):
            raise serializers.ValidationError(gettext("Send either deal or ruleset."), "one_of")
        if "difficulty" in attrs and "deal" in attrs:
            message = gettext("A difficulty is for a ruleset; a deal has its own.")
            raise serializers.ValidationError({"difficulty": message}, "one_of")
        if "deal" in attrs and attrs["best_of"] > 1:
            message = gettext("Chosen cards are for one round.")
            raise serializers.ValidationError({"best_of": message}, "one_of")
        return attrs


class JoinSprintBody(StrictSerializer):
    invite_code = StrictCharField(required=False, help_text="Of a sprint that needs one.")
    guest = GUEST_FIELD


class ReadyBody(StrictSerializer):
    ready = StrictBooleanField()


@extend_schema(
    operation_id="sprints_list", methods=["GET"], responses=SprintsAnswer, auth=TOKEN_OR_NONE, summary="Open lobbies"
)
@extend_schema(
    methods=["POST"], request=NewSprint, responses={201: SprintAnswer}, auth=TOKEN_OR_NONE, summary="Make a sprint"
)
@api_view(["GET", "POST"])
@permission_classes([PlayerOrGuest])
def list_sprints(request: Request) -> Response:
    """The public sprints that wait for players, the newest first, a hundred at most; and making one, as its host."""
    if request.method == "POST":
        fields = read_fields(NewSprint, request.data)
        with caller_or_guest(request) as host:
            sprint = _make_sprint(host, fields)
        return Response(describe_sprint(sprint.pk, host), status=201)
    check_fields(request.query_params, ())
    found = sprinting.list_lobbies(actions.read_clock())
    there = SprintPlayer.objects.filter(sprint__in=found, left_at=None).values_list("sprint", flat=True)
    counts = {sprint.pk: 0 for sprint in found}
    for pk in there:
        counts[pk] += 1
    return Response({"rows": [describe_head(sprint, counts[sprint.pk]) for sprint in found]})


def _make_sprint(host: Player, fields: dict[str, Any]) -> Sprint:
    deal = read_deal(fields["deal"]) if "deal" in fields else None
    return sprinting.make_sprint(
        host=host,
        ruleset=deal.ruleset if deal else find_ruleset(fields["ruleset"], status=400),
        deal=deal,
        difficulty=fields.get("difficulty", ""),
        invite_code=fields.get("invite_code", ""),
        most=fields["players"],
        best_of=fields["best_of"],
        starts_at=fields.get("starts_at"),
    )


def _check_invited(request: Request, sprint: int) -> None:
    """Raises Problem (403 `invite_code`); who asks for what there is not is told so by others."""
    if found := Sprint.objects.filter(pk=sprint).first():
        check_invited(request, found)


INVITE_QUERY = query("invite_code", "of a sprint by invitation, where the caller is not in it")


@extend_schema(parameters=[INVITE_QUERY], responses=SprintAnswer, auth=TOKEN_OR_NONE, summary="A sprint")
@api_view(["GET"])
@permission_classes([AllowAny])
def show_sprint(request: Request, sprint: int) -> Response:
    """A sprint as it stands: its phase by the server's clock, who is in it, how far they are, and the results.

    Who is in it asks at least once in two minutes: a player who sends nothing for so long is out. One with an invite
    code is told to who is or was in it, and to who sends the code (else 403 `invite_code`).
    """
    check_fields(request.query_params, ("invite_code",))
    _check_invited(request, sprint)
    answer = describe_sprint(sprint, request.user)
    if isinstance(request.user, Player):
        sprinting.hear(player=request.user, sprint=sprint)
    return Response(answer)


@extend_schema(request=JoinSprintBody, responses=SprintAnswer, auth=TOKEN_OR_NONE, summary="Join a sprint")
@api_view(["POST"])
@permission_classes([PlayerOrGuest])
def join_sprint(request: Request, sprint: int) -> Response:
    """Come into a sprint; twice is once. Who comes while a round runs waits for the next, and may watch."""
    fields = read_fields(JoinSprintBody, request.data)
    with caller_or_guest(request) as player:
        sprinting.join(player=player, sprint=sprint, invite_code=fields.get("invite_code", ""))
    return Response(describe_sprint(sprint, player))


@extend_schema(request=None, responses=SprintAnswer, summary="Leave a sprint")
@api_view(["POST"])
def leave_sprint(request: Request, sprint: int) -> Response:
    """Leave a sprint: in a round that runs that is to give up, and counts last. The host's place passes on."""
    check_fields(request.data, ())
    player = read_caller(request)
    _check_invited(request, sprint)
    sprinting.leave(player=player, sprint=sprint)
    return Response(describe_sprint(sprint, player))


@extend_schema(request=ReadyBody, responses=SprintAnswer, summary="Say whether I am ready")
@api_view(["POST"])
def set_ready(request: Request, sprint: int) -> Response:
    """Tells the others, and the host, who starts when it pleases."""
    player = read_caller(request)
    sprinting.set_ready(player=player, sprint=sprint, ready=read_fields(ReadyBody, request.data)["ready"])
    return Response(describe_sprint(sprint, player))


@extend_schema(request=None, responses=SprintAnswer, summary="Start a sprint")
@api_view(["POST"])
def start_sprint(request: Request, sprint: int) -> Response:
    """Begins the countdown of ten seconds, as the host; twice is once."""
    check_fields(request.data, ())
    player = read_caller(request)
    sprinting.start(player=player, sprint=sprint)
    return Response(describe_sprint(sprint, player))


@extend_schema(request=None, responses=SprintAnswer, summary="Meet again")
@api_view(["POST"])
def rematch_sprint(request: Request, sprint: int) -> Response:
    """The lobby of another sprint with the same people, once this one is over; there is one, whoever asks."""
    check_fields(request.data, ())
    player = read_caller(request)
    return Response(describe_sprint(sprinting.make_rematch(player=player, sprint=sprint).pk, player))


@extend_schema(request=None, responses={201: EnteredAnswer, 200: EnteredAnswer}, summary="Play a sprint's round")
@api_view(["POST"])
def enter_sprint(request: Request, sprint: int) -> Response:
    """Shows the cards of the round that runs, as entering a race does; the time has run since the round's start.

    Again, as after a lost connection: the same attempt as it stands (200).
    """
    check_fields(request.data, ())
    player = read_caller(request)
    entry, created = sprinting.enter(player=player, sprint=sprint)
    if created:
        addresses.note(entry.attempt, throttles.address(request))
    entry.attempt.player = player
    entry.attempt.expire(now=actions.read_clock())
    because = entry.unranked_because
    note = {"unranked_because": because or None, "note": gettext(UNRANKED[because]) if because else None}
    return Response(describe_attempt(entry.attempt) | note, status=201 if created else 200)
