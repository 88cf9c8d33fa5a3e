"""What a client gets back: whole answers, errors, and long answers in pieces."""

import asyncio
import json
import threading
from collections.abc import AsyncGenerator, Iterable
from dataclasses import dataclass
from typing import Any, BinaryIO

from django.db import connections
from django.http import HttpRequest
from django.utils.translation import get_language_from_request, gettext, gettext_noop, override

from games.errors import Problem

Headers = list[tuple[bytes, bytes]]

PIECE = 256 * 1024  # bytes of a long answer that wait for a client at a time


@dataclass(slots=True)
class Answer:
    """A response: all of `body`, then the pieces of `rest` where it is a long one.

    rest is open: close() has to be called, whatever happens.
    """

    status: int
    headers: Headers
    body: bytes
    rest: Any = None

    @property
    def start(self) -> dict[str, Any]:
        return {"type": "http.response.start", "status": self.status, "headers": self.headers}


@dataclass(slots=True)
class OpenFile:
    """What Django hands over (as `wsgi.file_wrapper`) where a response is a file: its close() ends the response."""

    file: BinaryIO
    block_size: int

    def read(self) -> bytes:
        """The next piece; a short one is the last."""
        return self.file.read(PIECE)

    def close(self) -> None:
        self.file.close()


def read_response(status: int, headers: Headers, response: Any, method: str) -> Answer:
    """The answer that a response of Django stands for; the whole of it, unless it is long."""
    is_file = isinstance(response, OpenFile)
    is_long = is_file or response.streaming
    body = b"" if is_long else b"".join(response)
    if status in (204, 304):
        headers = [pair for pair in headers if pair[0] != b"content-length"]
    elif not is_long and not any(name == b"content-length" for name, _ in headers):
        headers.append((b"content-length", b"%d" % len(body)))
    if method == "HEAD" or status in (204, 304):
        return Answer(status, headers, b"")
    if is_file:
        body = response.read()
        is_long = len(body) == PIECE
    return Answer(status, headers, body, response if is_long else None)


def answer_problem(problem: Problem, headers: Iterable[tuple[bytes, bytes]]) -> Answer:
    """`problem` in the API's error format, in the language that the request's `headers` ask for."""
    request = HttpRequest()
    request.META["HTTP_ACCEPT_LANGUAGE"] = b",".join(
        value for name, value in headers if name.lower() == b"accept-language"
    ).decode("latin-1")
    with override(get_language_from_request(request)):
        detail = gettext(problem.message) % problem.params
    body = json.dumps({"code": problem.code, "detail": detail, "where": problem.where}, ensure_ascii=False).encode()
    kind = {"Content-Type": "application/json", "Content-Length": str(len(body)), "Cache-Control": "no-store"}
    if problem.status == 503:
        kind["Retry-After"] = "1"
    elif problem.status == 415:
        kind["Accept-Encoding"] = "gzip, deflate"
    elif problem.status in (408, 413):  # the rest of the body would be read as the next request
        kind["Connection"] = "close"
    return Answer(problem.status, encode_headers(kind.items()), body)


def server_error() -> Problem:
    return Problem(500, "server_error", gettext_noop("Something is wrong on the server."))


def encode_headers(headers: Iterable[tuple[str, str]]) -> Headers:
    # Django writes cookies with a space in front, which h11 does not let pass
    return [(name.lower().encode("latin-1"), value.strip(" \t").encode("latin-1")) for name, value in headers]


class NotWanted(Exception):
    """The client has gone."""


class Stream:
    """The pieces of a response on their way from the thread that makes them to the event loop, PIECE bytes at most."""

    def __init__(self, response: Any) -> None:
        self.response = response
        self.loop = asyncio.get_running_loop()
        self.ready = asyncio.Event()
        self.changed = threading.Condition()
        self.waiting: list[bytes] = []
        self.size = 0
        self.ended = self.gone = False
        self.error: BaseException | None = None

    def run(self) -> None:
        """In a thread beside those of the calls: makes the pieces. Its database connection ends with it."""
        try:
            self._make_pieces()
        except BaseException as error:  # also SystemExit, which must not end the server
            self.error = None if isinstance(error, NotWanted) else error
        self.ended = True
        self.loop.call_soon_threadsafe(self.ready.set)

    def _make_pieces(self) -> None:
        try:
            for piece in self.response:
                self._put(piece)
        finally:
            try:
                self.response.close()
            finally:
                connections.close_all()

    def _put(self, piece: bytes) -> None:
        with self.changed:
            self.changed.wait_for(lambda: self.size < PIECE or self.gone)
            if self.gone:
                raise NotWanted
            if piece:
                self.waiting.append(piece)
                self.size += len(piece)
                if len(self.waiting) == 1:
                    self.loop.call_soon_threadsafe(self.ready.set)

    def leave(self) -> None:
        """Nobody wants the rest."""
        with self.changed:
            self.gone = True
            self.changed.notify()
        self.ready.set()

    async def read(self) -> AsyncGenerator[bytes]:
        """What has been made meanwhile, again and again. Raises what the making raised."""
        while not self.gone:
            await self.ready.wait()
            self.ready.clear()
            ended = self.ended
            with self.changed:
                pieces, self.waiting, self.size = self.waiting, [], 0
                self.changed.notify()
            if pieces:
                yield b"".join(pieces)
            if ended:
                break
        if self.error is not None:
            raise self.error if isinstance(self.error, Exception) else RuntimeError(repr(self.error))
