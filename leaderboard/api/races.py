"""REST: attempts and their moves, replays."""

from datetime import datetime
from typing import Any

from django.utils.translation import gettext, gettext_noop
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.decorators import permission_classes
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response

from games import throttles
from games.actions import may_see_par, tell_hopeless
from games.api import (
    ProofAnswer,
    ReplayBody,
    VerdictAnswer,
    api_view,
    describe_proof,
    field,
    find_ruleset,
    write_verdict,
)
from games.engine import replay
from games.engine.cards import write_cards
from games.errors import Problem
from games.models import DIFFICULTIES, Attempt, Player, read_deal
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
    read_number,
)
from games.schema import TOKEN_OR_NONE
from leaderboard import actions, addresses, pausing, settling, sight, standings, submitting
from leaderboard.models import Race
from leaderboard.periods import write_moment

# Attempts


class NewAttempt(StrictSerializer):
    """A deal code for practice, or a ruleset for an attempt on cards the player has not been shown."""

    deal = StrictCharField(required=False)
    ruleset = StrictCharField(required=False)
    difficulty = serializers.ChoiceField(
        DIFFICULTIES, required=False, help_text="With ruleset: a deal that is proven to be won, from a pool."
    )
    ranked = StrictBooleanField(required=False, help_text="With ruleset: false for practice; true where left out.")
    guest = GUEST_FIELD

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if ("deal" in attrs) == ("ruleset" in attrs):
            raise serializers.ValidationError(gettext("Send either deal or ruleset."), "one_of")
        if "difficulty" in attrs and "deal" in attrs:
            message = gettext("A difficulty is for a ruleset; a deal has its own.")
            raise serializers.ValidationError({"difficulty": message}, "one_of")
        if attrs.get("ranked") and "deal" in attrs:
            message = gettext("A deal of your choice is played for practice.")
            raise serializers.ValidationError({"ranked": message}, "one_of")
        return attrs


class MovesBody(StrictSerializer):
    """Tokens to append, and the ply that they follow: with it a call may be repeated."""

    from_ply = serializers.IntegerField(
        min_value=0,
        max_value=replay.MAX_TOKENS,
        help_text="How many tokens come before these; 0 at the start.",
    )
    moves = StrictCharField(allow_blank=True, help_text="One token or many, separated by one space.")
    times = serializers.ListField(
        child=serializers.IntegerField(min_value=0, max_value=replay.MAX_TIME_MS),
        required=False,
        help_text="Milliseconds since the start, one a token; without them the server stamps its own.",
    )


HELD_FIELD: Any = field(
    allow_null=True,
    help_text="Of a ranked win that stands outside all ranks until it has been looked at: pace (faster than people "
    "play) or same_moves (the very moves of an earlier entry)",
)


class PlaceAnswer(serializers.Serializer[Any]):
    board = field(help_text="deal, race or ruleset")
    rank = field(serializers.IntegerField, "By time.")
    total = field(serializers.IntegerField)
    best = field(serializers.BooleanField, "Whether the player stands there with this attempt.")


class PlayedAnswer(serializers.Serializer[Any]):
    """What a move comes back with."""

    attempt = field(serializers.IntegerField)
    ply = field(serializers.IntegerField, "Tokens stored.")
    end = field(allow_null=True, help_text="null (open), won, resigned or expired")
    official_ms = field(serializers.IntegerField, "Of a win: whole ms by the server's clock.", allow_null=True)
    bonus = field(serializers.IntegerField, "Of a win where points are scored.", allow_null=True)
    held = HELD_FIELD
    position = field(help_text="The position after the last stored token.")
    hopeless = field(
        serializers.BooleanField,
        "Where the ruleset tells it: true once all cards are seen and it is proven that no win is left.",
        required=False,
    )
    verdict = VerdictAnswer()
    places = PlaceAnswer(many=True)


class ReplayAnswer(serializers.Serializer[Any]):
    """A replay, ready to be sent back as it is, and its verdict."""

    id = field(serializers.IntegerField)
    player = field()
    deal = field(help_text="The deal's code.")
    ruleset = field()
    ranked = field(serializers.BooleanField)
    assisted = field(serializers.BooleanField, "Whether it took a hint; then it is practice.")
    clock = field(help_text="server or client: whose clock official_ms is from")
    started_at = field(serializers.DateTimeField)
    ended_at = field(serializers.DateTimeField, allow_null=True)
    end = field(allow_null=True, help_text="null (open), won, resigned or expired")
    official_ms = field(serializers.IntegerField, allow_null=True)
    bonus = field(serializers.IntegerField, allow_null=True)
    held = HELD_FIELD
    paused_ms = field(serializers.IntegerField, "How long the clock has stood: times and official_ms leave that out.")
    replay = ReplayBody()
    verdict = VerdictAnswer()
    places = PlaceAnswer(many=True)


class RaceNameAnswer(serializers.Serializer[Any]):
    id = field(serializers.IntegerField)
    kind = field(help_text="daily, open, sandbox or sprint")
    name = field(help_text="Of an open race.")
    day = field(serializers.DateField, "The UTC day of a daily.", allow_null=True)
    sprint = field(serializers.IntegerField, "The sprint whose round it is.", allow_null=True)


class AttemptAnswer(ReplayAnswer, ProofAnswer):
    """An attempt as its player sees it: the cards, and where it stands.

    Once it has ended, and no other is open on the same cards, with what is known of the deal.
    """

    now = field(serializers.DateTimeField, "The server's clock, so that the player's own does not matter.")
    ends_at = field(serializers.DateTimeField)
    paused_at = field(serializers.DateTimeField, "Since when the clock stands; null: it runs.", allow_null=True)
    race = RaceNameAnswer(allow_null=True)
    proven = field(serializers.BooleanField, "Whether the deal is one of the pool: proven to be won.")
    difficulty = field(
        allow_null=True, help_text="easy, medium or hard; of other deals than those of the pool only once it has ended"
    )
    hopeless = field(
        serializers.BooleanField,
        "Where the ruleset tells it: true once all cards are seen and it is proven that no win is left.",
        required=False,
    )
    over_par = field(
        serializers.IntegerField, "Moves of a win beyond `par`; null for no win.", allow_null=True, required=False
    )
    cards = field(help_text="In dealing order: 28 of the tableau from the apex, then the stock.")
    position = field(help_text="The position after the last token.")


def _describe_replay(attempt: Attempt, verdict: replay.Verdict, now: datetime) -> dict[str, Any]:
    return {
        "id": attempt.pk,
        "player": attempt.player.name,
        "deal": attempt.deal.code,
        "ruleset": attempt.ruleset,
        "ranked": attempt.ranked,
        "assisted": attempt.assisted,
        "clock": attempt.clock,
        "started_at": write_moment(attempt.started_at),
        "ended_at": write_moment(attempt.ended_at),
        "end": attempt.end or None,
        "official_ms": attempt.official_ms,
        "bonus": attempt.bonus,
        "held": attempt.held or None,
        "paused_ms": attempt.count_paused(now=now),
        "replay": {
            "format": replay.FORMAT,
            "deal": attempt.deal.code,
            "moves": attempt.moves,
            "times": attempt.times,
            "rules": attempt.rules,
        },
        "verdict": write_verdict(verdict),
        "places": standings.read_places(attempt.pk) if attempt.end == Attempt.WON else [],
    }


def describe_attempt(attempt: Attempt) -> dict[str, Any]:
    verdict, deal, now = _judge_stored(attempt), attempt.deal, actions.read_clock()
    answer = _describe_replay(attempt, verdict, now) | {
        "now": write_moment(now),
        "ends_at": write_moment(attempt.ends_at),
        "paused_at": None if attempt.end else write_moment(attempt.paused_at),
        "race": _name_race(attempt),
        "proven": deal.pooled,
        "difficulty": deal.difficulty if deal.pooled else None,
        "cards": write_cards(deal.cards.cards),
        "position": verdict.position.text,
    }
    if not attempt.end and deal.cards.ruleset.tells_hopeless:
        answer["hopeless"] = tell_hopeless(deal=deal.cards, moves=attempt.moves)
    if attempt.end and may_see_par(attempt.player, deal):
        answer |= describe_proof(deal)
        par = answer["par"] if attempt.end == Attempt.WON else None
        answer["over_par"] = None if par is None else attempt.counted_moves - par
    return answer


def _name_race(attempt: Attempt) -> dict[str, Any] | None:
    """The race that an attempt is in; the one that it is ranked in, where it is in several."""
    entry = attempt.entries.select_related("race").order_by("-ranked", "id").first()
    if entry is None:
        return None
    race = entry.race
    named = {"id": race.pk, "kind": race.kind, "name": race.name, "day": race.day and race.day.isoformat()}
    return named | {"sprint": race.round.sprint_id if race.kind == Race.SPRINT else None}


def _judge_stored(attempt: Attempt) -> replay.Verdict:
    verdict = replay.verify(attempt.deal.cards, attempt.moves, attempt.times)
    assert isinstance(verdict, replay.Verdict), "a stored replay is legal"
    return verdict


def _find_attempt(pk: int, **more: Any) -> Attempt:
    attempt = Attempt.objects.select_related("deal", "player").filter(pk=pk, **more).first()
    if attempt is None:
        raise Problem(404, "not_found", gettext_noop("You have no such attempt."))
    attempt.expire(now=actions.read_clock())
    return attempt


def _start(player: Player, fields: dict[str, Any]) -> tuple[Attempt, bool]:
    if "deal" in fields:
        return actions.start_practice(player=player, deal=read_deal(fields["deal"]))
    ruleset, difficulty = find_ruleset(fields["ruleset"], status=400), fields.get("difficulty")
    if fields.get("ranked", True):
        return actions.start_ranked(player=player, ruleset=ruleset, difficulty=difficulty)
    return actions.start_dealt(player=player, ruleset=ruleset, difficulty=difficulty), True


@extend_schema(
    request=NewAttempt,
    responses={201: AttemptAnswer, 200: AttemptAnswer},
    auth=TOKEN_OR_NONE,
    summary="Start an attempt",
)
@api_view(["POST"])
@permission_classes([PlayerOrGuest])
def start_attempt(request: Request) -> Response:
    """Starts the server's clock and shows the cards; an open attempt is returned again (200).

    With `ruleset` the server deals cards that the player has not been shown, and the attempt is ranked, or with
    `ranked`: false practice: a new one with every call. With a `difficulty` too they are from a pool of deals that
    are proven to be won; where the pool has none left, they are any cards and the answer says so (`proven`: false).
    With `deal` it is practice.
    """
    fields = read_fields(NewAttempt, request.data)
    with caller_or_guest(request) as player:
        attempt, created = _start(player, fields)
        if created:
            addresses.note(attempt, throttles.address(request))
    return Response(describe_attempt(attempt), status=201 if created else 200)


@extend_schema(responses=AttemptAnswer, summary="An attempt")
@api_view(["GET"])
def show_attempt(request: Request, attempt: int) -> Response:
    """State, outcome and replay of an attempt of one's own."""
    return Response(describe_attempt(_find_attempt(attempt, player=read_caller(request))))


@extend_schema(request=None, responses=AttemptAnswer, summary="Give up")
@api_view(["POST"])
def resign_attempt(request: Request, attempt: int) -> Response:
    """Ends an open attempt; giving up twice is giving up once."""
    check_fields(request.data, ())
    actions.resign(player=read_caller(request), attempt=attempt)
    return Response(describe_attempt(_find_attempt(attempt)))


@extend_schema(request=None, responses=AttemptAnswer, summary="Pause")
@api_view(["POST"])
def pause_attempt(request: Request, attempt: int) -> Response:
    """Stops the clock of a practice attempt outside races until it is resumed, or the next move.

    Pausing twice is pausing once. `ends_at` stays.
    """
    check_fields(request.data, ())
    pausing.pause(player=read_caller(request), attempt=attempt)
    return Response(describe_attempt(_find_attempt(attempt)))


@extend_schema(request=None, responses=AttemptAnswer, summary="Go on")
@api_view(["POST"])
def resume_attempt(request: Request, attempt: int) -> Response:
    """Lets the clock of a paused attempt run on; where it runs already, nothing changes."""
    check_fields(request.data, ())
    pausing.resume(player=read_caller(request), attempt=attempt)
    return Response(describe_attempt(_find_attempt(attempt)))


@extend_schema(request=MovesBody, responses={200: PlayedAnswer}, summary="Move")
@api_view(["POST"])
def play_moves(request: Request, attempt: int) -> Response:
    """Appends tokens, all or none: the first bad one refuses the call (422, with the verdict).

    A call may be repeated: tokens that are stored already and equal are not applied twice. Where the attempt
    stands with other tokens the answer is 409 with the true state.
    """
    data: Any = request.data
    check_fields(data, ("from_ply", "moves", "times"))
    from_ply = read_number(data, "from_ply", 0, replay.MAX_TOKENS)
    moves, times = data.get("moves"), data.get("times")
    if not isinstance(moves, str):
        raise Problem(400, "invalid" if "moves" in data else "required", gettext_noop("This must be a text."), "moves")
    if "times" in data and not isinstance(times, list):
        raise Problem(400, "invalid", gettext_noop("This must be a list."), "times")
    stored, verdict = actions.play_moves(
        player=read_caller(request), attempt=attempt, from_ply=from_ply, moves=moves, times=times
    )
    if stored.end == Attempt.WON:
        settling.follow_win(stored.id)
    answer = {
        "attempt": stored.id,
        "ply": stored.plies,
        "end": stored.end or None,
        "official_ms": stored.official_ms,
        "bonus": stored.bonus,
        "held": stored.held or None,
        "position": verdict.position.text,
        "verdict": write_verdict(verdict),
        "places": stored.places,
    }
    if not stored.end and verdict.position.ruleset.tells_hopeless:
        answer["hopeless"] = tell_hopeless(deal=stored.deal, moves=stored.moves)
    return Response(answer)


# Replays


@extend_schema(
    request=ReplayBody,
    responses={201: ReplayAnswer, 200: ReplayAnswer},
    summary="Submit a replay",
)
@api_view(["POST"])
def submit_replay(request: Request) -> Response:
    """Stores a whole game played elsewhere, judged here; `times` are required.

    It carries the client's clock: practice, on the deal's board of that clock. The same game by the same player
    again is the same replay (200), unless a moderator has voided that.
    """
    data: Any = request.data
    verdict = replay.judge_document(data)
    if isinstance(verdict, replay.Refusal):
        raise actions.refuse(verdict)
    if "times" not in data:
        raise Problem(400, "required", gettext_noop("A replay without an attempt needs times."), "times")
    if not verdict.plies:
        raise Problem(400, "no_moves", gettext_noop("A game counts from its first move."), "moves")
    attempt, created = submitting.submit_replay(
        player=read_caller(request), verdict=verdict, deal=read_deal(verdict.deal), times=data["times"]
    )
    return Response(_describe_replay(attempt, verdict, attempt.ends_at), status=201 if created else 200)


@extend_schema(responses=ReplayAnswer, auth=TOKEN_OR_NONE, summary="A replay")
@api_view(["GET"])
@permission_classes([AllowAny])
def show_replay(request: Request, attempt: int) -> Response:
    """A replay and its verdict: everybody's once the game has ended, one's own at any time.

    Who is playing the same cards sees the replays of others when that attempt has ended, or at once where it is
    practice after an earlier one; those of a race are for who has ended an attempt in it, and for everybody once it is
    over.
    """
    found, now = Attempt.objects.select_related("deal", "player").filter(pk=attempt).first(), actions.read_clock()
    if found is None or not sight.may_see_replay(request.user, found, now=now):
        raise Problem(404, "not_found", gettext_noop("There is no replay here that you may see now."))
    return Response(_describe_replay(found, _judge_stored(found), now))
