"""REST as a stranger sees it: one call in, status and value out, every error checked for its one form."""

import json
import re
from typing import Any
from unittest.mock import ANY

from django.test import Client

V1 = "/api/v1/"
NOTHING: Any = object()
ERROR_FIELDS = {"code", "detail", "where"}
REFUSAL_FIELDS = {"legal", "at", "token", "reason"}


class Api:
    """Calls of one caller. `token` and `language` go with every call unless it brings its own; `headers` are
    those of the latest answer."""

    def __init__(self, token: str | None = None, language: str | None = None) -> None:
        self.token = token
        self.language = language
        self.headers: dict[str, str] = {}

    def call(
        self,
        method: str,
        path: str,
        data: Any = NOTHING,
        *,
        body: bytes = b"",
        content_type: str | None = "application/json",
        token: str | None = NOTHING,
        language: str | None = None,
        **environ: str,
    ) -> tuple[int, Any]:
        """Status and value of an answer (JSON; a list of values for newline-delimited JSON; None for no body).

        path: below /api/v1/, or from the root with a leading slash. data: sent as JSON; body: sent as it is.
        environ: further WSGI variables, such as HTTP_AUTHORIZATION. What the server raises is raised here.
        """
        token = self.token if token is NOTHING else token
        if token is not None:
            environ.setdefault("HTTP_AUTHORIZATION", f"Token {token}")
        if language or self.language:
            environ.setdefault("HTTP_ACCEPT_LANGUAGE", language or self.language or "")
        if content_type is not None:  # the client of Django's sets it for a body only
            environ.setdefault("CONTENT_TYPE", content_type)
        body = body if data is NOTHING else json.dumps(data).encode()
        address = path if path.startswith("/") else V1 + path
        response = Client().generic(method, address, body, content_type or "", **environ)
        self.headers = dict(response.headers)
        value = _read(response)
        if response.status_code >= 400:
            check_error(response.status_code, value, self.headers)
        return response.status_code, value

    def get(self, path: str, **more: Any) -> tuple[int, Any]:
        return self.call("GET", path, **more)

    def post(self, path: str, data: Any = NOTHING, **more: Any) -> tuple[int, Any]:
        return self.call("POST", path, data, **more)

    def delete(self, path: str, **more: Any) -> tuple[int, Any]:
        return self.call("DELETE", path, **more)


def check_error(status: int, value: Any, headers: dict[str, str]) -> None:
    """Assert that an answer is an error in the API's one form, with the headers that HTTP asks of its status."""
    assert 400 <= status < 500 or status == 503, value
    assert headers["Content-Type"] == "application/json"
    more = set(value) - ERROR_FIELDS
    _check_fields(value, more)
    assert more in (set(), {"errors"}, {"state"}, REFUSAL_FIELDS), value
    if "errors" in value:
        assert len(value["errors"]) > 1
        for error in value["errors"]:
            _check_fields(error, set())
        assert value["errors"][0] == {name: value[name] for name in ERROR_FIELDS}
    if "state" in value:
        assert status == 409
        assert set(value["state"]) == {"ply", "moves", "end"}
    if "legal" in value:
        assert status == 422
        assert value["legal"] is False
        assert value["reason"] == value["code"]
    assert ("WWW-Authenticate" in headers) == (status == 401)
    assert ("Allow" in headers) or status != 405


def _check_fields(error: Any, more: set[str]) -> None:
    assert set(error) == ERROR_FIELDS | more
    assert re.fullmatch("[a-z][a-z_]*", error["code"]), error
    assert isinstance(error["detail"], str)
    assert len(error["detail"]) > 3
    assert not re.search(r"%\(|\{[a-z]|Traceback", error["detail"]), "a sentence without its values"
    assert error["where"] is None or (isinstance(error["where"], str) and error["where"])


def but_now(answer: dict[str, Any]) -> dict[str, Any]:
    """An answer that equals one of another moment: the server's clock may stand elsewhere."""
    return answer | {"now": ANY}


def _read(response: Any) -> Any:
    kind = response.headers.get("Content-Type", "").partition(";")[0]
    content = b"".join(response.streaming_content) if response.streaming else response.content
    if kind == "application/x-ndjson":
        return [json.loads(line) for line in content.splitlines()]
    if not content:
        return None
    if kind == "application/json":
        return json.loads(content)
    return content.decode()
