"""What the OpenAPI page says beyond the views: the token in the header, and the one form of every error."""

from typing import Any

from drf_spectacular.extensions import OpenApiAuthenticationExtension

ERROR = {
    "type": "object",
    "description": "Every error of the API. A refused replay's has the fields of its verdict too.",
    "required": ["code", "detail", "where"],
    "properties": {
        "code": {"type": "string", "description": "Stable, for programs."},
        "detail": {
            "type": "string",
            "description": "A sentence in the language asked for (Accept-Language: en, de).",
        },
        "where": {
            "type": "string",
            "nullable": True,
            "description": "The field, or the place in the body, that is wrong.",
        },
        "errors": {
            "type": "array",
            "description": "All of them, where several fields are wrong.",
            "items": {"$ref": "#/components/schemas/Error"},
        },
    },
}
ANSWER = {
    "description": "What was wrong, and where; nothing was changed.",
    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}},
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


def describe_errors(result: dict[str, Any], **_more: Any) -> dict[str, Any]:
    """Spectacular's hook: give every call the form of its errors."""
    result["components"]["schemas"]["Error"] = ERROR
    for calls in result["paths"].values():
        for call in calls.values():
            call["responses"].setdefault("4XX", ANSWER)
    return result
