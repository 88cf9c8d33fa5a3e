"""REST: players, tokens, rulesets, deals, hints, and replays judged without being stored."""

import dataclasses
from collections.abc import Callable
from typing import Any

from django.contrib import auth
from django.contrib.auth.models import AnonymousUser
from django.contrib.auth.password_validation import validate_password
from django.http import HttpResponse
from django.utils import timezone
from django.utils.translation import gettext, gettext_noop
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiExample, PolymorphicProxySerializer, extend_schema
from knox.models import AuthToken
from rest_framework import decorators, serializers
from rest_framework.exceptions import UnsupportedMediaType
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response

from games import actions, log_ins, throttles
from games.engine import replay
from games.engine.cards import read_cards, write_cards
from games.engine.deal import Deal as EngineDeal
from games.engine.errors import CardError, CodeError
from games.engine.position import Position
from games.engine.rulesets import RULESETS, Ruleset
from games.errors import Problem
from games.models import Deal, Player, read_deal
from games.rest import (
    JSON,
    NDJSON,
    StrictCharField,
    StrictEmailField,
    StrictSerializer,
    check_fields,
    public,
    read_caller,
    read_fields,
    read_media_type,
    translate,
)
from games.schema import TOKEN_OR_NONE

MAX_LINES = 1000


def api_view(methods: list[str]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """DRF's; what answers GET answers HEAD."""
    return decorators.api_view([*methods, "HEAD"] if "GET" in methods else methods)


def field(kind: type[serializers.Field] = serializers.CharField, help_text: str = "", **more: Any) -> Any:
    """A field of an answer, for the schema."""
    return kind(help_text=help_text, **more)


# Players and tokens


class SignUp(StrictSerializer):
    """A new player. A name is taken where another looks like it."""

    name = StrictCharField(help_text="2 to 24 characters.")
    password = StrictCharField(max_length=128, validators=[validate_password])
    email = StrictEmailField(required=False, allow_blank=True, max_length=254)


class LogIn(StrictSerializer):
    """The name may be written otherwise than it was at first, in other case for example."""

    name = StrictCharField()
    password = StrictCharField()
    code = StrictCharField(
        required=False, help_text="Of a player with two-factor log-in: the app's, or a recovery code."
    )


class TokenAnswer(serializers.Serializer[Any]):
    """A new token of a player."""

    player = serializers.CharField()
    token = serializers.CharField(help_text="Sent as `Authorization: Token <token>`. It is shown only now.")
    expires = serializers.DateTimeField()


def _answer_token(player: Player) -> Response:
    return write_token(*actions.issue_token(player=player))


def write_token(stored: AuthToken, text: str) -> Response:
    expires = stored.expiry.isoformat(timespec="microseconds")
    return Response({"player": stored.user.name, "token": text, "expires": expires}, status=201)


@extend_schema(request=SignUp, responses={201: TokenAnswer}, summary="Sign up")
@api_view(["POST"])
@public
def sign_up(request: Request) -> Response:
    """Makes a player and answers with an API token."""
    fields = read_fields(SignUp, request.data)
    throttles.count("sign_up", throttles.address(request))
    player = actions.sign_up(**fields)
    log_ins.remember(request, player)
    return _answer_token(player)


class ClaimedAnswer(serializers.Serializer[Any]):
    """The player that was a guest; its tokens go on."""

    player = serializers.CharField()


@extend_schema(request=None, responses={201: TokenAnswer}, summary="Play as a guest")
@api_view(["POST"])
@public
def start_guest(request: Request) -> Response:
    """Makes a guest and answers with its API token: a player for practice, which can be signed up later."""
    check_fields(request.data, ())
    throttles.count("guest", throttles.address(request))
    return _answer_token(actions.start_guest())


@extend_schema(request=SignUp, responses={200: ClaimedAnswer}, summary="Sign up a guest")
@api_view(["POST"])
def claim_guest(request: Request) -> Response:
    """Gives a guest a name and a password. It stays the same player; what it plays from now on can be ranked."""
    fields = read_fields(SignUp, request.data)
    throttles.count("sign_up", throttles.address(request))
    claimed = actions.claim_guest(player=read_caller(request), **fields)
    log_ins.remember(request, claimed)
    if not request.auth:
        auth.update_session_auth_hash(request._request, claimed)  # a new password ends all sessions but this one
    return Response({"player": claimed.name})


@extend_schema(request=LogIn, responses={201: TokenAnswer}, summary="Log in")
@api_view(["POST"])
@public
def log_in(request: Request) -> Response:
    """Answers with a new API token; a player may have many.

    Who has turned two-factor log-in on must send a `code` too (401 `second_factor`).
    """
    fields = read_fields(LogIn, request.data)
    log_ins.count_try(request, fields["name"])
    player = actions.log_in(**fields)
    log_ins.remember(request, player)
    return _answer_token(player)


@extend_schema(request=None, responses={204: None}, summary="Log out")
@api_view(["DELETE"])
def log_out(request: Request) -> Response:
    """Ends the token that the call carries, or the session."""
    if request.auth:
        request.auth.delete()
    else:
        auth.logout(request._request)
    return Response(status=204)


# Rulesets and deals


class RulesetAnswer(serializers.Serializer[Any]):
    """All that makes a ruleset; null is unlimited."""

    letter = field()
    slug = field()
    name = field(help_text="In the language asked for.")
    passes = field(serializers.IntegerField, "Runs through the stock.", allow_null=True)
    stock = field(help_text="closed, open or reserve")
    start = field(serializers.IntegerField, "Cards turned to the waste before play.")
    goal = field(help_text="tableau or all")
    target = field(serializers.IntegerField)
    jokers = field(serializers.IntegerField)
    lenient = field(serializers.BooleanField, "A card with one cover plays.")
    cover_pairs = field(serializers.BooleanField, "A card pairs with its last cover.")
    tells_hopeless = field(serializers.BooleanField)
    undo = field(serializers.IntegerField, "Moves that can be taken back.", allow_null=True)
    undo_counts = field(serializers.BooleanField, "An undo counts as a move.")
    scoring = field(help_text="tens, cards, points or none")


def _describe(ruleset: Ruleset) -> dict[str, Any]:
    return dataclasses.asdict(ruleset) | {"name": gettext(ruleset.name)}


@extend_schema(responses=RulesetAnswer(many=True), summary="All rulesets")
@api_view(["GET"])
@public
def list_rulesets(request: Request) -> Response:
    """The sixteen rulesets with every field of their rules."""
    return Response([_describe(ruleset) for ruleset in RULESETS.values()])


@extend_schema(responses=RulesetAnswer, summary="A ruleset")
@api_view(["GET"])
@public
def show_ruleset(request: Request, letter: str) -> Response:
    """One ruleset with every field of its rules."""
    return Response(_describe(find_ruleset(letter)))


def find_ruleset(letter: str, status: int = 404) -> Ruleset:
    """The ruleset of a letter. Raises Problem: 404 for one in an address, another status elsewhere."""
    if letter not in RULESETS:
        message = gettext_noop("There is no ruleset %(letter)s.")
        raise Problem(status, "ruleset", message, "ruleset", params={"letter": letter})
    return RULESETS[letter]


class ProofAnswer(serializers.Serializer[Any]):
    """What is known of a deal; only in answers to who has ended an attempt on it and is not playing these cards."""

    winnable = field(serializers.BooleanField, "null: not known", allow_null=True, required=False)
    par = field(serializers.IntegerField, "The fewest moves known that win.", allow_null=True, required=False)
    par_proven = field(serializers.BooleanField, "Whether no line is shorter.", required=False)
    line = field(allow_null=True, required=False, help_text="The tokens of a line of `par` moves.")
    difficulty = field(allow_null=True, required=False, help_text="easy, medium or hard, of a winnable deal.")
    difficulty_number = field(
        serializers.IntegerField, "0 (the easiest) to 1000, of a winnable deal.", allow_null=True, required=False
    )


def describe_proof(deal: Deal) -> dict[str, Any]:
    """What is known of a deal, for who may see it."""
    if deal.told_from and timezone.now() < deal.told_from:
        deal = Deal(verdict="", par_proven=False, line="", difficulty="")
    return {
        "winnable": {"winnable": True, "unwinnable": False}.get(deal.verdict),
        "par": deal.par,
        "par_proven": deal.par_proven,
        "line": deal.line or None,
        "difficulty": deal.difficulty or None,
        "difficulty_number": deal.difficulty_number,
    }


class DealAnswer(ProofAnswer):
    """The cards that a code stands for."""

    code = field(help_text="PY1 where a seed is known, else PY0.")
    py0 = field(help_text="The code that names the order of the cards by itself.")
    ruleset = field()
    cards = field(help_text="In dealing order: 28 of the tableau from the apex, then the stock.")
    position = field(help_text="The position at the start.")


class NewDeal(StrictSerializer):
    """The cards of a deal from elsewhere, and the letter of the ruleset it is played by."""

    ruleset = StrictCharField()
    cards = StrictCharField(max_length=400, help_text="52 (54) cards separated by spaces, in dealing order.")


def _describe_deal(deal: EngineDeal, viewer: Player | AnonymousUser) -> dict[str, Any]:
    letter = deal.ruleset.letter
    known = Deal.objects.filter(ruleset=letter, order=deal.order).first()
    proof = describe_proof(known) if known and actions.may_see_par(viewer, known) else {}
    return proof | {
        "code": known.code if known and deal.seed_letters is None else deal.code,
        "py0": f"PY0-{letter}-{deal.order}",
        "ruleset": letter,
        "cards": write_cards(deal.cards),
        "position": Position.start(deal).text,
    }


@extend_schema(responses=DealAnswer, auth=TOKEN_OR_NONE, summary="A deal")
@api_view(["GET"])
@decorators.permission_classes([AllowAny])
def show_deal(request: Request, code: str) -> Response:
    """Cards and ruleset of any valid deal code; reading is forgiving.

    Who has ended an attempt on it, and is not playing these cards, sees what is known of it as well.
    """
    return Response(_describe_deal(read_deal(code), request.user))


@extend_schema(request=NewDeal, responses=DealAnswer, summary="The code of given cards")
@api_view(["POST"])
@public
def name_deal(request: Request) -> Response:
    """The code of a deal from elsewhere. Wrong, missing and double cards are named."""
    fields = read_fields(NewDeal, request.data)
    ruleset = find_ruleset(fields["ruleset"], status=400)
    try:
        deal = EngineDeal.from_cards(ruleset.letter, read_cards(fields["cards"]))
    except (CardError, CodeError) as error:
        raise Problem(400, "cards", error.message, "cards", params=error.params) from None
    return Response(_describe_deal(deal, AnonymousUser()))


# Hints


class HintAnswer(serializers.Serializer[Any]):
    """A move for an attempt as it stands at `ply`, and why."""

    attempt = field(serializers.IntegerField)
    ply = field(serializers.IntegerField, "The tokens that the move comes after.")
    move = field(allow_null=True, help_text="A legal token; null: there is none.")
    reason = field(help_text="A stable code.")
    sentence = field(help_text="The reason in the language asked for.")
    par_from_here = field(serializers.IntegerField, "The fewest moves that win, if proven.", allow_null=True)
    hopeless = field(
        serializers.BooleanField, "true: it is proven that no win is left; false: that one is.", allow_null=True
    )


@extend_schema(request=None, responses={200: HintAnswer}, summary="Ask for a hint")
@api_view(["POST"])
def take_hint(request: Request, attempt: int) -> Response:
    """A legal move and why, in practice only; the attempt is `assisted` from then on.

    While cards are unseen the hint knows only what the player sees. Once all have been seen it follows a shortest
    line, or says that no win is left, where the solver proves it within two seconds.
    """
    check_fields(request.data, ())
    player = read_caller(request)
    throttles.count("hint", player.pk)
    given = actions.give_hint(player=player, attempt=attempt)
    return Response(
        {
            "attempt": given.attempt,
            "ply": given.ply,
            "move": given.hint.move,
            "reason": given.hint.reason,
            "sentence": gettext(given.hint.message) % given.hint.params,
            "par_from_here": given.par_from_here,
            "hopeless": given.hopeless,
        }
    )


# Judging


class ReplayBody(StrictSerializer):
    """pyramid-replay/1"""

    format = StrictCharField(help_text="pyramid-replay/1")
    deal = StrictCharField(help_text="A deal code.")
    moves = StrictCharField(allow_blank=True, help_text="Tokens separated by one space; at most 4,000.")
    times = serializers.ListField(
        child=serializers.IntegerField(min_value=0, max_value=replay.MAX_TIME_MS),
        required=False,
        help_text="Milliseconds since the start at which each token was played, never decreasing.",
    )
    rules = serializers.IntegerField(required=False, min_value=1, max_value=1, help_text="1")


class VerdictAnswer(serializers.Serializer[Any]):
    """The verdict on a legal replay."""

    legal = field(serializers.BooleanField, "true")
    deal = field()
    outcome = field(help_text="won, dead_end or unfinished")
    plies = field(serializers.IntegerField, "All tokens.")
    moves = field(serializers.IntegerField, "Those that count.")
    undos = field(serializers.IntegerField)
    points = field(serializers.IntegerField, "Without the bonus.")
    bonus = field(serializers.IntegerField, "Of a timed win where points are scored.", allow_null=True)
    removed = field(serializers.IntegerField, "Tableau cards.")
    left = field(serializers.IntegerField, "Tableau cards.")
    removed_all = field(serializers.IntegerField)
    left_all = field(serializers.IntegerField)
    elapsed_ms = field(serializers.IntegerField, "The last of the times.", allow_null=True)
    rules = field(serializers.IntegerField, "The version of the rules.")

    def get_fields(self) -> dict[str, serializers.Field]:
        # `pass` is a word of Python's
        return super().get_fields() | {"pass": serializers.IntegerField(help_text="The pass it stands in.")}


class RefusalAnswer(serializers.Serializer[Any]):
    """The verdict on a replay that is refused: the first bad token, and why."""

    legal = field(serializers.BooleanField, "false")
    at = field(serializers.IntegerField, "Index of the bad token (or time), from 0.", allow_null=True)
    token = field(allow_null=True, help_text="The bad token as it was sent.")
    reason = field(help_text="A stable code.")
    detail = field(help_text="A sentence in the language asked for.")


JudgedAnswer = PolymorphicProxySerializer("JudgedAnswer", [VerdictAnswer, RefusalAnswer], None)


def write_verdict(verdict: replay.Verdict | replay.Refusal) -> dict[str, Any]:
    """A verdict with its sentence in the language of the request."""
    if isinstance(verdict, replay.Refusal):
        return verdict.as_dict() | {"detail": translate(verdict)}
    return verdict.as_dict()


@extend_schema(
    request={JSON: ReplayBody, NDJSON: OpenApiTypes.STR},
    responses={(200, JSON): JudgedAnswer, (200, NDJSON): OpenApiTypes.STR},
    summary="Judge replays",
    examples=[
        OpenApiExample(
            "a replay",
            request_only=True,
            value={"format": replay.FORMAT, "deal": "PY1-N-AAAAAAS", "moves": "g2 g1g3 f1f2 e1W D"},
        )
    ],
)
@api_view(["POST"])
@public
def validate_replays(request: Request) -> HttpResponse:
    """Judges without storing: one replay as JSON, or up to 1,000 as newline-delimited JSON.

    The verdicts of newline-delimited JSON come one a line in input order, with `"line"` from 1; blank lines are
    counted, not answered. Whatever is wrong with a replay is said in its verdict (200).
    """
    kind = read_media_type(request)
    body = request._request.body
    if kind == JSON:
        return Response(write_verdict(replay.judge(body)))
    if kind != NDJSON:
        raise UnsupportedMediaType(kind)
    lines = [(number, line) for number, line in enumerate(body.split(b"\n"), 1) if line.strip()]
    if len(lines) > MAX_LINES:
        message = gettext_noop("At most %(most)s replays are judged at once.")
        raise Problem(400, "too_many_lines", message, params={"most": MAX_LINES})
    answers = (replay.dump(write_verdict(replay.judge(line)) | {"line": number}) for number, line in lines)
    return HttpResponse("".join(f"{answer}\n" for answer in answers), content_type=kind)
