"""What every REST view shares: strict reading, one way to answer errors, the token in the header."""

import json
import re
from collections.abc import Collection
from hmac import compare_digest
from typing import Any

from django.db import OperationalError
from django.http import Http404
from django.utils import timezone
from django.utils.translation import gettext, gettext_noop
from knox.auth import TokenAuthentication as KnoxAuthentication
from knox.crypto import hash_token
from knox.models import AuthToken
from knox.settings import CONSTANTS
from rest_framework import exceptions, parsers, renderers, serializers
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.utils.serializer_helpers import ReturnDict

from games.engine import replay
from games.engine.errors import EngineError
from games.errors import Problem
from games.models import Player

# Reading


def read_json(body: bytes) -> Any:
    """The value of a JSON body: UTF-8 without BOM, no NaN or Infinity. Raises Problem (400, "json")."""
    try:
        return json.loads(body.decode("utf-8"), parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        at = f"character {error.pos + 1}" if isinstance(error, json.JSONDecodeError) else None
        raise Problem(400, "json", gettext_noop("The body is not JSON."), at) from None


def _refuse_constant(name: str) -> None:
    raise ValueError(name)


class JSONParser(parsers.BaseParser):
    media_type = "application/json"

    def parse(self, stream: Any, media_type: str | None = None, parser_context: Any = None) -> Any:
        return read_json(stream.read())


class NDJSONParser(parsers.BaseParser):
    """Newline-delimited JSON, handed on as bytes: each line is judged by itself."""

    media_type = "application/x-ndjson"

    def parse(self, stream: Any, media_type: str | None = None, parser_context: Any = None) -> bytes:
        return stream.read()


class StrictCharField(serializers.CharField):
    """Text only: a number is not quietly turned into text."""

    def to_internal_value(self, data: Any) -> str:
        if not isinstance(data, str):
            self.fail("invalid")
        return super().to_internal_value(data)


class StrictSerializer(serializers.Serializer[Any]):
    """Refuses fields that it does not know: a misspelt name must not be dropped in silence."""

    def to_internal_value(self, data: Any) -> Any:
        if isinstance(data, dict) and (unknown := [name for name in data if name not in self.fields]):
            raise serializers.ValidationError(
                {name: serializers.ErrorDetail(gettext("There is no such field."), "unknown_field") for name in unknown}
            )
        return super().to_internal_value(data)


def read_fields(serializer: type[StrictSerializer], data: Any) -> dict[str, Any]:
    """The checked fields of a request's body or query. Raises DRF's ValidationError."""
    reader = serializer(data=data)
    reader.is_valid(raise_exception=True)
    return reader.validated_data


# On the busiest calls DRF's serializers cost more than the rest of the call; these three read the same strictly.


def check_fields(data: Any, names: Collection[str]) -> None:
    """Refuse what is no object, or has other fields than `names`. Raises Problem (400)."""
    if not isinstance(data, dict):
        raise Problem(400, "invalid", gettext_noop("The body must be a JSON object."))
    for name in data:
        if name not in names:
            raise Problem(400, "unknown_field", gettext_noop("There is no such field."), str(name))


def read_number(data: Any, name: str, low: int, high: int, default: int | None = None) -> int:
    """A whole number in low .. high: a JSON number, or digits in a query. Raises Problem (400)."""
    number = data.get(name, default)
    if isinstance(number, str) and re.fullmatch("[0-9]{1,18}", number):
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
    media_type = "application/json"
    format = "json"
    charset = None

    def render(self, data: Any, accepted_media_type: str | None = None, renderer_context: Any = None) -> bytes:
        return b"" if data is None else replay.dump(plain(data)).encode()


def plain(data: Any) -> Any:
    """`data` without DRF's wrappers."""
    return dict(data) if isinstance(data, ReturnDict) else data


class JSONNegotiation(BaseContentNegotiation):
    """The API speaks JSON, whatever is asked for."""

    def select_parser(self, request: Request, parsers: Any) -> Any:
        kind = (request.content_type or "").partition(";")[0].strip().lower()
        return next((parser for parser in parsers if parser.media_type == kind), None)

    def select_renderer(self, request: Request, renderers: Any, format_suffix: str | None = None) -> Any:
        return renderers[0], renderers[0].media_type


def translate(error: EngineError | Problem | replay.Refusal) -> str:
    """The sentence of an error in the language of the request."""
    return gettext(error.message) % error.params


def answer_error(error: Exception, context: Any = None) -> Response | None:
    """DRF's exception handler: every error as {"code", "detail", "where", ...}; None for what is a bug."""
    headers = {}
    if isinstance(error, Problem):
        status, body = error.status, error_body(error.code, translate(error), error.where, **error.extra)
    elif isinstance(error, EngineError):
        status, body = 400, error_body(error.code, translate(error), getattr(error, "part", None))
    elif isinstance(error, exceptions.ValidationError):
        found = list(_flatten(error.detail))
        status, body = 400, found[0] | ({"errors": found} if len(found) > 1 else {})
    elif isinstance(error, Http404):
        status, body = 404, error_body("not_found", gettext("There is nothing at this address."))
    elif isinstance(error, exceptions.APIException):
        status = error.status_code
        body = error_body(error.get_codes(), str(error.detail))  # type: ignore[arg-type]
        if header := getattr(error, "auth_header", None):
            headers["WWW-Authenticate"] = header
        if (wait := getattr(error, "wait", None)) is not None:
            headers["Retry-After"] = str(int(wait) + 1)
    elif isinstance(error, OperationalError):
        status, body = 503, error_body("busy", gettext("The database is busy. Please try again."))
        headers["Retry-After"] = "1"
    else:
        return None
    return Response(body, status=status, headers=headers)


def error_body(code: str, detail: str, where: str | None = None, **extra: Any) -> dict[str, Any]:
    """One error as the API writes it; `extra` are further fields."""
    return {"code": code, "detail": detail, "where": where} | extra


def _flatten(detail: Any, where: str = "") -> Any:
    if isinstance(detail, dict):
        for name, inner in detail.items():
            place = where if name == "non_field_errors" else f"{where}.{name}" if where else name
            yield from _flatten(inner, place)
    elif isinstance(detail, list):
        for inner in detail:
            yield from _flatten(inner, where)
    else:
        yield error_body(detail.code, str(detail), where or None)


# Who asks


class TokenAuthentication(KnoxAuthentication):
    """Knox's tokens in one query. An expired token is left to the next log-in to clear away."""

    def authenticate_credentials(self, token: bytes) -> tuple[Player, AuthToken]:
        text = token.decode("ascii", "replace")
        key = text[: CONSTANTS.TOKEN_KEY_LENGTH]
        for stored in AuthToken.objects.filter(token_key=key.replace("\0", "")).select_related("user"):
            if compare_digest(hash_token(text), stored.digest):
                if stored.expiry is not None and stored.expiry < timezone.now():
                    raise exceptions.AuthenticationFailed(gettext("This token has expired."), "token_expired")
                return self.validate_user(stored)
        raise exceptions.AuthenticationFailed(gettext("This token is not known."), "token_unknown")
