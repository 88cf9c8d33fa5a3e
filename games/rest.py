"""What every REST view shares: strict reading, one way to answer errors, who asks."""

import json
import logging
import re
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from hmac import compare_digest
from typing import Any

from django.contrib import auth
from django.db import InternalError, OperationalError, connection, transaction
from django.http import Http404, HttpResponse, QueryDict
from django.utils import timezone
from django.utils.translation import gettext, gettext_noop
from knox.auth import TokenAuthentication as KnoxAuthentication
from knox.crypto import hash_token
from knox.models import AuthToken
from knox.settings import CONSTANTS
from psycopg.errors import TransactionTimeout
from rest_framework import exceptions, parsers, renderers, serializers
from rest_framework.authentication import BaseAuthentication, CSRFCheck, get_authorization_header
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.permissions import SAFE_METHODS, BasePermission
from rest_framework.request import Request
from rest_framework.response import Response

from games import actions, throttles
from games.engine import replay
from games.engine.errors import CodeError, EngineError
from games.errors import Problem
from games.models import Player
from games.scopes import READ, needed_scope

JSON = "application/json"
NDJSON = "application/x-ndjson"

logger = logging.getLogger(__name__)

# Views


def public(view: Callable[..., Any]) -> Callable[..., Any]:
    """Below @api_view: nobody is asked who they are, and a token that comes along is not looked at."""
    view.authentication_classes = ()  # type: ignore[attr-defined]
    view.permission_classes = ()  # type: ignore[attr-defined]
    return view


# Reading


def read_json(body: bytes) -> Any:
    """The value of a JSON body: UTF-8 without BOM, no NaN or Infinity. Raises Problem (400, "json")."""
    try:
        return replay.read_json(body.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        at = f"character {error.pos + 1}" if isinstance(error, json.JSONDecodeError) else None
        raise Problem(400, "json", gettext_noop("The body is not JSON."), at) from None


class JSONParser(parsers.BaseParser):
    media_type = JSON

    def parse(self, stream: Any, media_type: str | None = None, parser_context: Any = None) -> Any:
        return read_json(stream.read())


class StrictCharField(serializers.CharField):
    """Text only: a number is not quietly turned into text. White space stays, and an empty text is a text."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"trim_whitespace": False} | options)

    def run_validation(self, data: Any = serializers.empty) -> Any:
        if data is not serializers.empty and not isinstance(data, str):
            self.fail("invalid")
        if data == "" and self.allow_blank:
            return ""
        return serializers.Field.run_validation(self, data)  # CharField's has a code of its own for an empty text


def check_title(title: str) -> None:
    """For the names of things (a player's are `games.names`). Raises DRF's ValidationError."""
    if not title.isprintable() or title != title.strip():
        message = gettext("A name has no space at its ends and no characters that are not seen.")
        raise serializers.ValidationError(message, "invalid")


class StrictEmailField(StrictCharField, serializers.EmailField):
    """An email address, as strict."""


class StrictBooleanField(serializers.BooleanField):
    """true or false only, not words or numbers that may mean one of them."""

    def to_internal_value(self, data: Any) -> bool:
        if not isinstance(data, bool):
            self.fail("invalid", input=data)
        return data


class StrictSerializer(serializers.Serializer[Any]):
    """Refuses fields that it does not know: a misspelt name must not be dropped in silence."""

    def run_validation(self, data: Any = serializers.empty) -> Any:
        check_fields(data, self.fields)
        return super().run_validation(data)


def read_fields(serializer: type[StrictSerializer], data: Any) -> dict[str, Any]:
    """The checked fields of a request's body or query. Raises DRF's ValidationError."""
    reader = serializer(data=data)
    reader.is_valid(raise_exception=True)
    return reader.validated_data


# On the busiest calls DRF's serializers cost more than the rest of the call; these three read the same strictly.


def check_fields(data: Any, names: Collection[str]) -> None:
    """Refuse what is no object, has other fields than `names`, or (a query) one twice. Raises Problem (400)."""
    if not isinstance(data, dict):
        raise Problem(400, "invalid", gettext_noop("The body must be a JSON object."))
    for name in data:
        if name not in names:
            raise Problem(400, "unknown_field", gettext_noop("There is no such field."), name)
        if isinstance(data, QueryDict) and len(data.getlist(name)) > 1:
            raise Problem(400, "repeated", gettext_noop("Send this once."), name)


def read_number(data: Any, name: str, low: int, high: int, default: int | None = None) -> int:
    """A whole number in low .. high: a JSON number, or digits in a query. Raises Problem (400)."""
    number = data.get(name, default)
    if isinstance(data, QueryDict) and isinstance(number, str) and re.fullmatch("[0-9]{1,18}", number):
        number = int(number)
    if type(number) is not int or not low <= number <= high:
        code = "required" if name not in data else "invalid"
        message = gettext_noop("This must be a whole number from %(low)s to %(high)s.")
        raise Problem(400, code, message, name, params={"low": low, "high": high})
    return number


def read_choice(data: Any, name: str, choices: Collection[str], default: str) -> str:
    """One of `choices`. Raises Problem (400)."""
    choice = data.get(name, default)
    if choice not in choices:
        message = gettext_noop("This must be one of %(choices)s.")
        raise Problem(400, "invalid_choice", message, name, params={"choices": ", ".join(choices)})
    return choice


# Answering


class JSONRenderer(renderers.BaseRenderer):
    media_type = JSON
    format = "json"
    charset = None

    def render(self, data: Any, accepted_media_type: str | None = None, renderer_context: Any = None) -> bytes:
        return b"" if data is None else f"{replay.dump(data)}\n".encode()


def read_media_type(request: Request) -> str:
    """The Content-Type of a request without its parameters, in small letters."""
    return (request.content_type or "").partition(";")[0].strip().lower()


class JSONNegotiation(BaseContentNegotiation):
    """The API speaks JSON, whatever is asked for."""

    def select_parser(self, request: Request, parsers: Any) -> Any:
        return next((parser for parser in parsers if parser.media_type == read_media_type(request)), None)

    def select_renderer(self, request: Request, renderers: Any, format_suffix: str | None = None) -> Any:
        return renderers[0], renderers[0].media_type


def translate(error: EngineError | Problem | replay.Refusal) -> str:
    """The sentence of an error in the language of the request."""
    return gettext(error.message) % error.params


def answer_error(error: Exception, context: Any = None) -> Response | None:
    """DRF's exception handler: every error as {"code", "detail", "where", ...}; None for what is a bug."""
    headers: dict[str, str] = {}
    if isinstance(error, Problem):
        status, body = error.status, error_body(error.code, translate(error), error.where, **error.extra)
        if status == 429:
            headers["Retry-After"] = str(error.params["seconds"])
    elif isinstance(error, CodeError):
        status, body = 400, error_body("deal", translate(error), f"deal.{error.part}")
    elif isinstance(error, exceptions.ValidationError):
        found = list(_flatten(error.detail))
        status, body = 400, found[0] | ({"errors": found} if len(found) > 1 else {})
    elif isinstance(error, Http404):
        status, body = 404, error_body("not_found", gettext("There is nothing at this address."))
    elif isinstance(error, exceptions.APIException):
        status = error.status_code
        body = error_body(error.get_codes(), str(error.detail))  # type: ignore[arg-type]
    elif is_busy(error):
        logger.warning("Answered 503: %s", error)
        status, body, headers = 503, busy_body(), {"Retry-After": "1"}
    else:
        return None
    if status == 401:
        headers["WWW-Authenticate"] = "Token"
    return Response(body, status=status, headers=headers)


def is_busy(error: BaseException | None) -> bool:
    """Whether the database did not answer in time, or not at all: the same call may go through later."""
    # to psycopg the end of a web transaction's time is an internal error
    return isinstance(error, OperationalError) or (
        isinstance(error, InternalError) and isinstance(error.__cause__, TransactionTimeout)
    )


def busy_body() -> dict[str, Any]:
    return error_body("busy", gettext("The database is busy. Please try again."))


def error_body(code: str, detail: str, where: str | None = None, **extra: Any) -> dict[str, Any]:
    """One error as the API writes it; `extra` are further fields."""
    return {"code": code, "detail": detail, "where": where or None} | extra


def _flatten(detail: Any, where: str = "") -> Any:
    if isinstance(detail, dict):
        for name, inner in detail.items():
            place = where if name == "non_field_errors" else f"{where}.{name}" if where else name
            yield from _flatten(inner, place)
    elif isinstance(detail, list):
        for inner in detail:
            yield from _flatten(inner, where)
    else:
        yield error_body(detail.code, str(detail), where)


# Who asks

PLAYER_FIELDS = [field.attname for field in Player._meta.concrete_fields]
# Every call asks this: building the same with the ORM costs more than asking
READ_TOKENS = f"""
SELECT t.digest, t.expiry, given.scopes, {", ".join(f"p.{name}" for name in PLAYER_FIELDS)}
FROM knox_authtoken t JOIN games_player p ON p.id = t.user_id
LEFT JOIN games_apitoken given ON given.token_id = t.digest
WHERE t.token_key = %s
"""


class TokenAuthentication(KnoxAuthentication):
    """Knox's tokens in one query. An expired token is left to the next log-in to clear away."""

    def authenticate(self, request: Request) -> tuple[Player, AuthToken] | None:
        words = get_authorization_header(request).split()
        if not words or words[0].lower() != b"token":
            return None
        if len(words) != 2:
            raise _refuse_token("token_malformed", gettext_noop("Write `Authorization: Token <token>`."))
        player, token = self.authenticate_credentials(words[1])
        needed = needed_scope(request.method or "", request.path_info)
        if token.scopes is not None and needed not in (READ, *token.scopes):
            message = gettext_noop("This token may not do that: it was given to an app, without the scope %(scope)s.")
            raise Problem(403, "scope", message, "Authorization", params={"scope": needed})
        return player, token

    def authenticate_credentials(self, token: bytes) -> tuple[Player, AuthToken]:
        """The player and the token, whose `scopes` are those that it was given with, or None for all."""
        text = token.decode("ascii", "replace").replace("\0", "\ufffd")  # PostgreSQL takes no NUL
        with connection.cursor() as cursor:
            cursor.execute(READ_TOKENS, [text[: CONSTANTS.TOKEN_KEY_LENGTH]])
            rows = cursor.fetchall()
        for digest, expiry, scopes, *values in rows:
            if compare_digest(hash_token(text), digest):
                player = Player.from_db(connection.alias, PLAYER_FIELDS, values)
                if expiry is not None and expiry < timezone.now():
                    raise _refuse_token("token_expired", gettext_noop("This token has expired."))
                if not player.is_active:
                    raise _refuse_token("player_inactive", gettext_noop("This player has been deactivated."))
                found = AuthToken(digest=digest, expiry=expiry, user=player)
                found.scopes = scopes
                return player, found
        raise _refuse_token("token_unknown", gettext_noop("This token is not known."))


def _refuse_token(code: str, message: str) -> Problem:
    return Problem(401, code, message, "Authorization")


class SessionAuthentication(BaseAuthentication):
    """The session of who has logged in on a page: a cookie, so that what changes anything needs a CSRF token."""

    def authenticate(self, request: Request) -> tuple[Player, None] | None:
        player = request._request.user  # a deactivated one is nobody to Django
        if not isinstance(player, Player):
            return None
        check_csrf(request)
        return player, None


def check_csrf(request: Request) -> None:
    """Raises Problem (403) where a call that changes something may come from another site's page."""
    check = CSRFCheck(lambda _request: HttpResponse())
    check.process_request(request._request)
    if check.process_view(request._request, lambda _request: HttpResponse(), (), {}):
        message = gettext_noop("This call needs the CSRF token of the page. Load the page again.")
        raise Problem(403, "csrf_failed", message, "X-CSRFToken")


def read_caller(request: Request) -> Player:
    """The player who calls. Raises NotAuthenticated (401)."""
    if not isinstance(request.user, Player):
        raise exceptions.NotAuthenticated
    return request.user


def has_scope(request: Request, scope: str) -> bool:
    """Whether the caller's token may do what has this scope; a session may do everything."""
    scopes = getattr(request.auth, "scopes", None)
    return scopes is None or scope in scopes


GUEST_FIELD: Any = StrictBooleanField(
    required=False, help_text="true: who has no player yet plays as a new guest, by a session cookie."
)


class PlayerOrGuest(BasePermission):
    """For players, and for who says `"guest": true`; what only reads is for everybody."""

    def has_permission(self, request: Request, view: Any) -> bool:
        wanted = isinstance(request.data, dict) and request.data.get("guest") is True
        return wanted or isinstance(request.user, Player) or request.method in SAFE_METHODS


@contextmanager
def caller_or_guest(request: Request) -> Iterator[Player]:
    """The player who calls; where there is none, a new guest, whose session begins once the block has passed.

    For views with the permission PlayerOrGuest. If the block fails no guest is left. Raises Problem (403, 429).
    """
    if isinstance(request.user, Player):
        yield request.user
        return
    check_csrf(request)
    throttles.count("guest", throttles.address(request))
    with transaction.atomic():
        player = actions.start_guest()
        yield player
    auth.login(request._request, player)
