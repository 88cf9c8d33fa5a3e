"""The ASGI application for HTTP."""

import asyncio
import contextlib
import logging
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from games.errors import Problem
from pyramid_site.bridge.incoming import (
    Body,
    ClientGone,
    Receive,
    Scope,
    build_environ,
    busy,
    declared_length,
    too_large,
)
from pyramid_site.bridge.outgoing import (
    Answer,
    OpenFile,
    Stream,
    answer_problem,
    encode_headers,
    read_response,
    server_error,
)
from pyramid_site.bridge.threads import Threads

logger = logging.getLogger(__name__)

Send = Callable[[dict[str, Any]], Awaitable[None]]

SLOW_QUEUE = 4  # times as many slow calls may wait as others: few of them run at a time
SLOW_REST = 0.02  # seconds; a call takes about 5 ms of the processor
STALL_SECONDS = 30  # for a client to take one piece of a long answer


@dataclass
class Line:
    """Calls that run in the same threads, and how many more of them may run or wait."""

    threads: Threads
    free: int


class ThreadedDjango:
    """The ASGI application for HTTP.

    app: a WSGI application whose responses are Django's. threads: how many calls run at a time. queue: how many may
    wait; past that the answer is 503 at once. limit: bytes of a body, both as sent and unpacked. slow: the end of the
    paths whose calls may take seconds; they wait in a line of their own, for `slow_threads` other threads.
    """

    def __init__(
        self,
        app: Callable[..., Any],
        *,
        threads: int,
        queue: int,
        limit: int,
        slow: str | None = None,
        slow_threads: int = 1,
    ) -> None:
        self.app = app
        self.limit = limit
        self.queue = queue
        self.calls = Threads(threads, "http")
        self.line = Line(self.calls, threads + queue)
        self.slow = slow
        self.slow_line = Line(Threads(slow_threads, "slow"), slow_threads + SLOW_QUEUE * queue)
        self.streams = Threads(threads, "stream")
        self.free_streams = threads

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        body = Body(receive)
        try:
            if declared_length(scope) > self.limit:
                raise too_large(self.limit)
            answer = await self.run(scope, await body.read(self.limit))
        except ClientGone:
            return
        except Problem as problem:
            answer = answer_problem(problem, scope["headers"])
        if answer.rest is not None:
            await self.send_long(answer, scope, receive, send)
            return
        await send(answer.start)
        if not body.ended and (b"expect", b"100-continue") not in scope["headers"]:
            await send({"type": "http.response.body", "body": answer.body, "more_body": True})
            await body.discard()
            answer.body = b""
        await send({"type": "http.response.body", "body": answer.body})

    async def post(
        self, socket: Scope, path: str, headers: list[tuple[bytes, bytes]], body: bytes
    ) -> tuple[int, bytes]:
        """Status and body of a call that a client makes over its websocket; its address is the socket's."""
        headers = [*headers, (b"content-length", str(len(body)).encode())]
        scope: Scope = {
            "type": "http",
            "http_version": "1.1",
            "method": "POST",
            "scheme": "https" if socket.get("scheme") == "wss" else "http",
            "path": path,
            "query_string": b"",
            "headers": headers,
            "client": socket.get("client"),
            "server": socket.get("server"),
        }
        try:
            answer = await self.run(scope, body)
        except Problem as problem:
            answer = answer_problem(problem, headers)
        return answer.status, answer.body

    async def run(self, scope: Scope, body: bytes) -> Answer:
        """The application's answer, made in a thread. Raises Problem (503, and those of the body)."""
        line = self.slow_line if self.slow and scope["path"].endswith(self.slow) else self.line
        if not line.free:
            raise busy()
        line.free -= 1
        future = line.threads.run(self.call if line is self.line else self.call_slow, scope, body)
        try:
            answer = await asyncio.shield(future)
        except asyncio.CancelledError:
            future.add_done_callback(self.close_unsent)
            raise
        finally:
            line.free += 1
        if answer.rest is not None and not self.free_streams and not isinstance(answer.rest, OpenFile):
            self.calls.run(answer.rest.close)
            raise busy()
        return answer

    def close_unsent(self, future: asyncio.Future[Answer]) -> None:
        """Ends a long answer that came too late for its client."""
        if future.exception() is None and future.result().rest is not None:
            self.calls.run(future.result().rest.close)

    def call(self, scope: Scope, body: bytes) -> Answer:
        """In a thread: one request. Raises only Problem; whatever else goes wrong is logged and is a 500."""
        try:
            return self.call_app(build_environ(scope, body, self.limit))
        except Problem:
            raise
        except BaseException:  # also SystemExit, which must not end the server
            return answer_mistake(scope)

    def call_slow(self, scope: Scope, body: bytes) -> Answer:
        """The same for a slow one, which leaves the processor to the others while any of them waits."""
        if self.line.free < self.queue:
            time.sleep(SLOW_REST)
        return self.call(scope, body)

    def call_app(self, environ: dict[str, Any]) -> Answer:
        started: list[Any] = []
        response = self.app(environ, lambda status, headers, exc_info=None: started.extend((status, headers)))
        answer = None
        try:
            answer = read_response(int(started[0][:3]), encode_headers(started[1]), response, environ["REQUEST_METHOD"])
            return answer
        finally:
            if answer is None or answer.rest is None:
                response.close()

    async def send_long(self, answer: Answer, scope: Scope, receive: Receive, send: Send) -> None:
        """Sends a long answer as the client takes it; stops where the client goes."""
        sending = asyncio.ensure_future(self.send_pieces(answer, scope, send))
        going = asyncio.ensure_future(receive())  # the body is read, so what comes next is http.disconnect
        try:
            await asyncio.wait((sending, going), return_when=asyncio.FIRST_COMPLETED)
        finally:
            going.cancel()
            if not sending.done():
                sending.cancel()
        if sending.done():
            sending.result()

    async def send_pieces(self, answer: Answer, scope: Scope, send: Send) -> None:
        started = False
        read = self.read_file if isinstance(answer.rest, OpenFile) else self.read_stream
        try:
            async with contextlib.aclosing(read(answer)) as pieces:
                async for piece in pieces:
                    if not started:
                        started = True
                        await send(answer.start)
                    async with asyncio.timeout(STALL_SECONDS):
                        await send({"type": "http.response.body", "body": piece, "more_body": True})
        except Exception:
            if started:
                raise  # the server cuts the connection: an end would make the answer look whole
            answer = answer_mistake(scope)
            await send(answer.start)
            await send({"type": "http.response.body", "body": answer.body})
            return
        if not started:
            await send(answer.start)
        await send({"type": "http.response.body", "body": b""})

    async def read_file(self, answer: Answer) -> AsyncGenerator[bytes]:
        """The pieces of a file: a thread is taken only to read one, not while the client takes it."""
        piece = answer.body
        try:
            while piece:
                yield piece
                piece = await self.calls.run(answer.rest.read)
        finally:
            self.calls.run(answer.rest.close)

    async def read_stream(self, answer: Answer) -> AsyncGenerator[bytes]:
        """The pieces that a response makes, in a thread beside those of the calls."""
        stream = Stream(answer.rest)
        self.free_streams -= 1
        self.streams.run(stream.run)
        try:
            async for piece in stream.read():
                yield piece
        finally:
            stream.leave()
            self.free_streams += 1


def answer_mistake(scope: Scope) -> Answer:
    """Logs the exception being handled; a 500 that says nothing of it."""
    logger.exception("The application failed at %s %s", scope["method"], scope["path"])
    return answer_problem(server_error(), scope["headers"])
