"""A client of the REST API: one connection that is kept, patient with a server that is busy or gone for a while."""

import http.client
import json
import time
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit

API = "/api/v1/"
TIMEOUT = 30.0  # seconds without a byte
BUSY = (429, 502, 503, 504)
LONGEST_PAUSE = 5.0


class ServerError(Exception):
    """The server cannot be reached, is busy for too long, or is not the one that was meant."""


class Client:
    """Calls of one caller; `token` goes with every call once it is set.

    url: the site's address, http or https, with the path it is served under if there is one. patience: seconds for
    which a call is repeated while the server is busy (503 and the like) or the connection is lost. Every call may
    thus reach the server more than once. The first call is not repeated when nobody answers it.
    """

    def __init__(self, url: str, patience: float = 60.0) -> None:
        parts = urlsplit(url)
        kinds = {"http": http.client.HTTPConnection, "https": http.client.HTTPSConnection}
        try:
            self._connection = kinds[parts.scheme](parts.hostname or "", parts.port, timeout=TIMEOUT)
        except (KeyError, ValueError):
            raise ServerError(f"{url} is no address of a site, such as http://127.0.0.1:8000.") from None
        self.url = url
        self.token = ""
        self._patience = patience
        self._path = parts.path.rstrip("/") + API
        self._was_there = False

    def call(self, method: str, path: str, body: bytes | dict[str, Any] = b"") -> tuple[int, dict[str, Any]]:
        """Status and JSON of an answer ({} where it has no JSON object). path: below /api/v1/. Raises ServerError."""
        if isinstance(body, dict):
            body = json.dumps(body).encode()
        end = time.monotonic() + self._patience
        pause = 0.0  # a kept connection may have been closed meanwhile: then a new one works at once
        while True:
            try:
                status, headers, text = self._exchange(method, path, body)
            except (OSError, http.client.HTTPException) as error:
                self._connection.close()
                why, wait = f"Nothing answers at {self.url} ({str(error) or type(error).__name__}).", pause
                if not self._was_there:
                    raise ServerError(why) from None
                pause = min(LONGEST_PAUSE, max(0.1, 2 * pause))
            else:
                self._was_there = True
                if status not in BUSY:
                    return status, _read(status, headers, text)
                why, wait = f"{self.url} is busy (status {status}).", _read_wait(headers.get("Retry-After"))
            if time.monotonic() + wait > end:
                raise ServerError(why)
            time.sleep(wait)

    def _exchange(self, method: str, path: str, body: bytes) -> tuple[int, http.client.HTTPMessage, bytes]:
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if self.token:
            headers["Authorization"] = f"Token {self.token}"
        with suppress(BrokenPipeError):  # a body that is too large is answered before it has all arrived
            self._connection.request(method, self._path + path, body, headers)
        response = self._connection.getresponse()
        return response.status, response.headers, response.read()


def _read(status: int, headers: http.client.HTTPMessage, text: bytes) -> dict[str, Any]:
    if 300 <= status < 400:
        raise ServerError(f"The site has moved to {headers.get('Location')}.")
    try:
        value = json.loads(text)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def _read_wait(text: str | None) -> float:
    """Seconds to wait by a Retry-After header; a date is not worth reading: 1."""
    return float(text) if text and text.isascii() and text.isdigit() else 1.0
