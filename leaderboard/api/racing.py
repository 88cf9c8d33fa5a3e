"""REST: races, and entering them."""

from datetime import datetime
from typing import Any

from django.http import StreamingHttpResponse
from django.utils.translation import gettext, gettext_noop
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.decorators import permission_classes
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response

from games import throttles
from games.api import api_view, field, find_ruleset
from games.errors import Problem
from games.models import read_deal
from games.rest import (
    GUEST_FIELD,
    NDJSON,
    PlayerOrGuest,
    StrictCharField,
    StrictSerializer,
    caller_or_guest,
    check_fields,
    check_title,
    has_scope,
    read_caller,
    read_choice,
    read_fields,
    read_number,
)
from games.schema import SIGNED_IN, TOKEN_OR_NONE, number_query, query
from leaderboard import actions, addresses, audit, entries, privacy, races, racing, sandbox, sight
from leaderboard.api.races import AttemptAnswer, describe_attempt
from leaderboard.models import Entry, Race
from leaderboard.periods import write_moment

MAX_LIMIT = 100
MAX_OFFSET = 10**9
WITHDRAWN = "withdrawn"
PHASES = (races.UPCOMING, races.OPEN, races.GRACE, races.CLOSED, WITHDRAWN)
UNRANKED = {
    Entry.SEEN_BEFORE: gettext_noop("You have been shown these cards before: you play them for practice."),
    Entry.OWN_DEAL: gettext_noop("You chose these cards yourself: you play them for practice."),
    Entry.GUEST: gettext_noop("Guests play for practice: sign up to be ranked."),
}
HELD = {
    races.PACE: gettext_noop(
        "This is faster than people play: it stands outside all ranks until it has been looked at."
    ),
    races.SAME_MOVES: gettext_noop(
        "These are the very moves of an earlier entry: this one stands outside all ranks until it has been looked at."
    ),
}


class EntryAnswer(serializers.Serializer[Any]):
    """A player's entry in a race."""

    attempt = field(serializers.IntegerField, "The id of its attempt, and of its replay.")
    ranked = field(serializers.BooleanField)
    unranked_because = field(allow_null=True, help_text="seen_before, own_deal or guest; null where it is ranked")
    started_at = field(serializers.DateTimeField)
    ends_at = field(serializers.DateTimeField)
    end = field(allow_null=True, help_text="null (open), won, resigned or expired")
    official_ms = field(serializers.IntegerField, allow_null=True)
    moves = field(serializers.IntegerField)
    points = field(serializers.IntegerField, "Without the bonus.")
    bonus = field(serializers.IntegerField, allow_null=True)
    left = field(serializers.IntegerField, "Tableau cards left.")
    held = field(allow_null=True, help_text="pace or same_moves: it stands outside all ranks until it is released")
    void = field(serializers.BooleanField, "Whether it counts for nothing.")
    note = field(allow_null=True, help_text="Why it does not stand in the ranks, in the language asked for.")


class RaceAnswer(serializers.Serializer[Any]):
    """What may be told of a race. The cards, and so the code of the deal, are disclosed at one's own start."""

    id = field(serializers.IntegerField)
    kind = field(help_text="daily, open, sandbox or sprint")
    name = field(help_text="Of an open race.")
    ruleset = field()
    host = field(allow_null=True, help_text="Whose race it is.")
    day = field(serializers.DateField, "The UTC day of a daily.", allow_null=True)
    phase = field(help_text=", ".join(PHASES))
    opens_at = field(serializers.DateTimeField)
    closes_at = field(serializers.DateTimeField, "Until then one may enter; who did plays on for an hour at most.")
    now = field(serializers.DateTimeField, "The server's clock, for a countdown.")
    needs_code = field(serializers.BooleanField, "Whether one enters with an invite code.")
    invite_code = field(allow_null=True, help_text="For the host alone, and apps that manage races.")
    club = field(allow_null=True, help_text="The name of the club whose members alone may enter.")
    players = field(serializers.IntegerField, "How many have entered.")
    deal = field(
        allow_null=True,
        help_text="The deal's code: once you have started, or nobody can enter any more and its board is yours to see.",
    )
    withdrawn_because = field(allow_null=True)
    entry = EntryAnswer(allow_null=True)


class RacesAnswer(serializers.Serializer[Any]):
    total = field(serializers.IntegerField)
    rows = RaceAnswer(many=True)


class NewRace(StrictSerializer):
    """A race. With a ruleset the server deals cards that nobody knows; with a deal the host plays for practice."""

    name = StrictCharField(min_length=1, max_length=60, validators=[check_title], help_text="1 to 60 characters.")
    ruleset = StrictCharField(required=False, help_text="The letter of a ruleset.")
    deal = StrictCharField(required=False, help_text="A deal code.")
    opens_at = serializers.DateTimeField(
        required=False, help_text="Now where it is left out; UTC where it says no zone."
    )
    closes_at = serializers.DateTimeField(help_text="At most 31 days after it opens.")
    invite_code = StrictCharField(
        required=False, min_length=4, max_length=32, help_text="Who enters must send it; the race is in no list."
    )
    club = serializers.IntegerField(
        required=False, min_value=1, max_value=2**63 - 1, help_text="A club of yours: for its members alone."
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if ("deal" in attrs) == ("ruleset" in attrs):
            raise serializers.ValidationError(gettext("Send either deal or ruleset."), "one_of")
        return attrs


class EnterBody(StrictSerializer):
    invite_code = StrictCharField(required=False, help_text="Of a race that needs one.")
    guest = GUEST_FIELD


class EnteredAnswer(AttemptAnswer):
    """One's attempt in a race."""

    unranked_because = field(allow_null=True, help_text="seen_before, own_deal or guest; null where it is ranked")
    note = field(allow_null=True, help_text="Why it is practice, in the language asked for.")


def describe_entry(entry: Entry | None, now: datetime) -> dict[str, Any] | None:
    if entry is None:
        return None
    attempt = entry.attempt.expire(now=now)
    held = attempt.held if entry.ranked else ""
    note = UNRANKED.get(entry.unranked_because) or HELD.get(held)
    return {
        "attempt": attempt.pk,
        "ranked": entry.ranked,
        "unranked_because": entry.unranked_because or None,
        "started_at": write_moment(attempt.started_at),
        "ends_at": write_moment(attempt.ends_at),
        "end": attempt.end or None,
        "official_ms": attempt.official_ms,
        "moves": attempt.counted_moves,
        "points": attempt.points,
        "bonus": attempt.bonus,
        "left": attempt.left,
        "held": held or None,
        "void": attempt.voided_at is not None,
        "note": gettext(note) if note else None,
    }


def phase_of(race: Race, now: datetime) -> str:
    return WITHDRAWN if race.withdrawn_at else race.phase_at(now)


def describe_race(seen: entries.SeenRace, viewer: Any, now: datetime, *, tells_code: bool = False) -> dict[str, Any]:
    """tells_code: whether the caller may manage the viewer's races, and so be told their invite codes."""
    race = seen.race
    return {
        "id": race.pk,
        "kind": race.kind,
        "name": race.name,
        "ruleset": race.ruleset,
        "host": race.host_name,
        "day": race.day and race.day.isoformat(),
        "phase": phase_of(race, now),
        "opens_at": write_moment(race.opens_at),
        "closes_at": write_moment(race.closes_at),
        "now": write_moment(now),
        "needs_code": bool(race.invite_code),
        "invite_code": race.invite_code or None if tells_code and race.host == viewer else None,
        "club": race.club and race.club.name,
        "players": seen.players,
        "deal": race.code if seen.shows_deal else None,
        "withdrawn_because": race.withdrawn_because or None,
        "entry": describe_entry(seen.entry, now),
    }


@extend_schema(
    operation_id="races_list",
    methods=["GET"],
    parameters=[
        query("kind", "daily or open", enum=[Race.OPEN, Race.DAILY], default=Race.OPEN),
        query("ruleset", "a letter"),
        query("phase", "only races in it", enum=PHASES),
        number_query("limit", "races of a page", 1, MAX_LIMIT, 50),
        number_query("offset", "races to skip", 0, MAX_OFFSET, 0),
    ],
    responses=RacesAnswer,
    auth=TOKEN_OR_NONE,
    summary="Races",
)
@extend_schema(methods=["POST"], request=NewRace, responses={201: RaceAnswer}, auth=SIGNED_IN, summary="Make a race")
@api_view(["GET", "POST"])
@permission_classes([AllowAny])
def list_races(request: Request) -> Response:
    """Races, the last to open first, and making one (with a token; it is yours to invite people to).

    Races with an invite code are listed for their host and for who has entered, those of a club for its members.
    """
    if request.method == "POST":
        return _make_race(request)
    params = request.query_params
    check_fields(params, ("kind", "ruleset", "phase", "limit", "offset"))
    now = actions.read_clock()
    total, rows = entries.list_races(
        request.user,
        now=now,
        kind=read_choice(params, "kind", (Race.OPEN, Race.DAILY), Race.OPEN),
        ruleset=find_ruleset(params["ruleset"], status=400).letter if "ruleset" in params else None,
        phase=read_choice(params, "phase", PHASES, PHASES[0]) if "phase" in params else None,
        offset=read_number(params, "offset", 0, MAX_OFFSET, 0),
        limit=read_number(params, "limit", 1, MAX_LIMIT, 50),
    )
    may_manage = has_scope(request, "races")
    told = [describe_race(row, request.user, now, tells_code=may_manage) for row in rows]
    return Response({"total": total, "rows": told})


def _make_race(request: Request) -> Response:
    host = read_caller(request)
    fields = read_fields(NewRace, request.data)
    race = racing.make_race(
        host=host,
        name=fields["name"],
        deal=read_deal(fields["deal"]) if "deal" in fields else find_ruleset(fields["ruleset"], status=400),
        opens_at=fields.get("opens_at"),
        closes_at=fields["closes_at"],
        invite_code=fields.get("invite_code", ""),
        club=fields.get("club"),
    )
    return Response(_describe_found(request, race.pk), status=201)


def _describe_found(request: Request, race: int) -> dict[str, Any]:
    now = actions.read_clock()
    found = entries.find_race(race, request.user, now=now)
    if found is None:
        raise racing.no_such_race()
    told = describe_race(found, request.user, now, tells_code=has_scope(request, "races"))
    # by the deal's board its results could be read
    guarded = privacy.find_guarded(found.race)
    return (
        told
        if privacy.is_inside(guarded, request.user.pk, _read_invitation(request, guarded))
        else told | {"deal": None}
    )


INVITE_QUERY = query("invite_code", "of a race by invitation, where the caller neither hosts nor has entered it")


def find_followed(request: Request, race: int) -> Race:
    """The race whose feed, boards or export the caller asks for. Raises Problem: 404, 403 `invite_code` or `club`."""
    found = Race.objects.select_related("deal").filter(pk=race).first()
    if found is None:
        raise racing.no_such_race()
    check_invited(request, privacy.find_guarded(found))
    return found


def check_invited(request: Request, guarded: privacy.Guarded) -> None:
    """Raises Problem: 403 `invite_code` or `club`."""
    privacy.check_inside(guarded, request.user, _read_invitation(request, guarded))


def _read_invitation(request: Request, guarded: privacy.Guarded) -> privacy.Invitation:
    return privacy.read_invitation(guarded, request.query_params.get("invite_code"), request.COOKIES)


@extend_schema(parameters=[INVITE_QUERY], responses=RaceAnswer, auth=TOKEN_OR_NONE, summary="A race")
@api_view(["GET"])
@permission_classes([AllowAny])
def show_race(request: Request, race: int) -> Response:
    """A race, and one's own entry in it."""
    return Response(_describe_found(request, race))


@extend_schema(
    request=EnterBody,
    responses={201: EnteredAnswer, 200: EnteredAnswer},
    auth=TOKEN_OR_NONE,
    summary="Enter a race",
)
@api_view(["POST"])
@permission_classes([PlayerOrGuest])
def enter_race(request: Request, race: int) -> Response:
    """Starts one's attempt in a race and shows the cards; again: the same attempt and the same start (200).

    It is ranked, unless one has been shown the cards before; then it is practice, and the answer says so.
    """
    fields = read_fields(EnterBody, request.data)
    with caller_or_guest(request) as player:
        entry, created = racing.enter(player=player, race=race, invite_code=fields.get("invite_code", ""))
        if created:
            addresses.note(entry.attempt, throttles.address(request))
    entry.attempt.player = player
    entry.attempt.expire(now=actions.read_clock())
    answer = describe_attempt(entry.attempt) | {
        "unranked_because": entry.unranked_because or None,
        "note": gettext(UNRANKED[entry.unranked_because]) if entry.unranked_because else None,
    }
    return Response(answer, status=201 if created else 200)


@extend_schema(
    parameters=[INVITE_QUERY],
    responses={(200, NDJSON): OpenApiTypes.STR},
    auth=TOKEN_OR_NONE,
    summary="Export a race",
)
@api_view(["GET"])
@permission_classes([AllowAny])
def export_race(request: Request, race: int) -> StreamingHttpResponse:
    """All entries of a closed race as newline-delimited JSON: replay, official time, held or void.

    With it everybody can check the race without this server (docs/audit.md). A race with an invite code is exported
    for its host, who has entered and who sends the code, a club's for its members.
    """
    check_fields(request.query_params, ("invite_code",))
    now = actions.read_clock()
    found = find_followed(request, race)
    if found.phase_at(now) != races.CLOSED:
        raise Problem(409, "race_not_closed", gettext_noop("A race is exported once it is closed."))
    if not sight.may_see_rest(request.user, found.deal.order, now=now):
        raise Problem(409, "cards_in_play", gettext_noop("The cards of this race are still being played."))
    lines = (f"{line}\n".encode() for line in audit.export_race(found))
    return StreamingHttpResponse(lines, content_type=NDJSON)


class SandboxAnswer(RaceAnswer):
    """The sandbox of this hour, with what one need not find out: its deal, and moves that win it."""

    sample_deal = field()
    sample_moves = field(help_text="Tokens separated by one space.")


@extend_schema(responses=SandboxAnswer, auth=TOKEN_OR_NONE, summary="The sandbox")
@api_view(["GET"])
@permission_classes([AllowAny])
def show_sandbox(request: Request) -> Response:
    """A race that is always open, to try an app with: a new one every hour, whose winning moves are told.

    What is played in it stands on its own board and on no other, is never held, and is nobody's best.
    """
    check_fields(request.query_params, ())
    race, sample = sandbox.find_or_make(actions.read_clock())
    samples = {"sample_deal": sample.deal, "sample_moves": sample.moves}
    return Response(_describe_found(request, race.pk) | samples)
