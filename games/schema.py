"""What the OpenAPI page says beyond the views: who asks, strict bodies, the one form of every error."""

from typing import Any

from django.conf import settings
from drf_spectacular.extensions import OpenApiAuthenticationExtension, OpenApiSerializerExtension
from drf_spectacular.utils import OpenApiParameter

ERROR = {
    "type": "object",
    "description": "Every error of the API. Where `code` and `where` are the same, so is the mistake.",
    "required": ["code", "detail", "where"],
    "additionalProperties": False,
    "properties": {
        "code": {"type": "string", "description": "Stable, for programs."},
        "detail": {
            "type": "string",
            "description": "A sentence in the language asked for (Accept-Language: en, de).",
        },
        "where": {
            "type": "string",
            "nullable": True,
            "description": "The field (or `field.part`), parameter, header or place in the body that is wrong.",
        },
        "errors": {
            "type": "array",
            "description": "All of them, where several fields are wrong.",
            "items": {"$ref": "#/components/schemas/Error"},
        },
        "legal": {"type": "boolean", "enum": [False], "description": "Of a refused replay (422), with the next three."},
        "at": {"type": "integer", "nullable": True, "description": "Index of the bad token, from 0."},
        "token": {"type": "string", "nullable": True, "description": "The bad token as it was sent."},
        "reason": {"type": "string", "description": "The code once more, by the name that it has in a verdict."},
        "state": {
            "type": "object",
            "description": "The true state of an attempt that stands elsewhere or has ended (409).",
            "required": ["ply", "moves", "end"],
            "additionalProperties": False,
            "properties": {
                "ply": {"type": "integer", "description": "Tokens stored."},
                "moves": {"type": "string", "description": "The tokens."},
                "end": {"type": "string", "nullable": True, "description": "null (open), won, resigned or expired"},
            },
        },
    },
}


SIGNED_IN: Any = [{"tokenAuth": []}, {"pageSession": []}]
# who asks is looked at where it is told
TOKEN_OR_NONE: Any = [{}, *SIGNED_IN]


def query(name: str, description: str, kind: Any = str, **more: Any) -> OpenApiParameter:
    """A parameter of an address's query."""
    return OpenApiParameter(name, kind, OpenApiParameter.QUERY, description=description, **more)


def number_query(name: str, description: str, low: int, high: int, default: int) -> OpenApiParameter:
    """A whole number of an address's query, in low .. high."""
    return query(name, description, {"type": "integer", "minimum": low, "maximum": high, "default": default})


def _answer(description: str) -> dict[str, Any]:
    content = {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
    return {"description": description, "content": content}


REFUSED = _answer("What was wrong, and where; nothing was changed.")
BUSY = _answer("Nothing was changed; the same call may be sent again after a second.")

PATH_PARAMETERS: dict[str, tuple[str, str | int]] = {
    "club": ("The club's id.", 1),
    "letter": ("The letter of a ruleset.", "N"),
    "code": ("A deal code; case, dashes and spaces do not matter.", "PY1-N-AAAAAAS"),
    "name": ("A player's name; case does not matter.", "Ada"),
    "attempt": ("The id of an attempt, which is that of its replay.", 1),
    "race": ("The id of a race.", 1),
    "sprint": ("The id of a sprint.", 1),
    "day": ("A UTC day.", "2026-11-30"),
    "month": ("A month.", "2026-11"),
}


class TokenScheme(OpenApiAuthenticationExtension):
    target_class = "games.rest.TokenAuthentication"
    name = "tokenAuth"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:
        return {
            "type": "apiKey",
            "in": "header",
            "name": "Authorization",
            "description": "`Token <token>`, with the token of signing up or logging in.",
        }


class SessionScheme(OpenApiAuthenticationExtension):
    target_class = "games.rest.SessionAuthentication"
    name = "pageSession"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:
        return {
            "type": "apiKey",
            "in": "cookie",
            "name": settings.SESSION_COOKIE_NAME,
            "description": "The session of who has logged in on a page of this site. What changes anything also needs "
            "the header `X-CSRFToken`, with the value of the cookie `csrftoken`. A token comes first.",
        }


class StrictBody(OpenApiSerializerExtension):
    target_class = "games.rest.StrictSerializer"
    match_subclasses = True

    def map_serializer(self, auto_schema: Any, direction: Any) -> dict[str, Any]:
        schema = auto_schema._map_serializer(self.target, direction, bypass_extensions=True)
        return schema | {"additionalProperties": False}


def describe_errors(result: dict[str, Any], **_more: Any) -> dict[str, Any]:
    """Spectacular's hook: give every call the form of its errors, and what its address holds."""
    result["components"]["schemas"]["Error"] = ERROR
    for calls in result["paths"].values():
        for call in calls.values():
            refusals = [status for status in call["responses"] if status.startswith("4")]
            call["responses"] |= dict.fromkeys([*refusals, "4XX"], REFUSED) | {"503": BUSY}
            for parameter in call.get("parameters", ()):
                if parameter["in"] == "path":
                    parameter["description"], parameter["example"] = PATH_PARAMETERS[parameter["name"]]
    return result
