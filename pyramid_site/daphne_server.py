"""daphne with bounds: of a request's body, of what waits for a client that does not read, and of its own end.

daphne 4.2.3 spools any body to disk, whatever its size, and copies all of it into memory before the application
sees the first byte; it never lets `send` wait; it cuts running requests at SIGTERM; and an exception after the
start of an answer stops its house-keeping for good. Each is mended here and nothing else is changed.
"""

import asyncio
import contextlib
import socket
from io import BytesIO
from typing import Any

from daphne.http_protocol import WebRequest
from daphne.server import Server
from daphne.ws_protocol import WebSocketProtocol
from django.conf import settings
from django.utils.translation import gettext_noop
from twisted.internet import defer
from twisted.internet import reactor as installed_reactor
from twisted.web import http

from games.errors import Problem
from pyramid_site.bridge.incoming import LINGER_SECONDS, too_large
from pyramid_site.bridge.outgoing import answer_problem, server_error

reactor: Any = installed_reactor

END_SECONDS = 10  # for running requests to end at SIGTERM
SERVICE_RESTART = 1012
MESSAGE_LIMIT = 4096  # bytes of a message from a websocket client
MOST_MESSAGES = 64  # may wait for the application
FLOOD = 4429, "flood"
ROOT_HEADER = b"daphne-root-path"  # by it daphne would let any client say below which path we are
CLOSE_SECONDS = 10  # for a client to take what waits for it and the close


class Flow:
    """Whether a client reads: closed while more than Twisted's 64 kB wait for it."""

    def __init__(self) -> None:
        self.open = asyncio.Event()
        self.open.set()

    def pauseProducing(self) -> None:
        self.open.clear()

    def resumeProducing(self) -> None:
        self.open.set()

    stopProducing = resumeProducing


class Request(WebRequest):
    """A request that is refused as soon as its body is too large, and whose small body stays in memory."""

    refused = False
    lingering: Any = None

    def __init__(self, channel: Any, queued: Any = None) -> None:
        super().__init__(channel, queued, parsePOSTFormSubmission=False)  # Django does it
        self.flow = Flow()

    def gotLength(self, length: int | None) -> None:
        self.content = BytesIO()
        if length is not None and length > settings.BODY_LIMIT:
            self.refuse()

    def handleContentChunk(self, data: bytes) -> None:
        if not self.refused and self.content.tell() + len(data) > settings.BODY_LIMIT:
            self.refuse()
        if not self.refused:
            self.content.write(data)

    def refuse(self) -> None:
        """Sends 413 now and throws away the rest: a close at once would lose the answer on its way."""
        self.refused = True
        self.content = BytesIO()
        self.channel.persistent = False
        expects = self.requestHeaders.hasHeader(b"expect")
        self.requestHeaders.removeHeader(b"expect")  # or Twisted would ask for the body now
        self.clientproto = b"HTTP/1.1"
        self.send_problem(too_large(settings.BODY_LIMIT))
        self.lingering = reactor.callLater(0 if expects else LINGER_SECONDS, self.channel.loseConnection)

    def send_problem(self, problem: Problem) -> None:
        names = self.requestHeaders.getAllRawHeaders()
        answer = answer_problem(problem, [(name, value) for name, values in names for value in values])
        self._response_started = True
        self.setResponseCode(answer.status)
        for name, value in answer.headers:
            self.responseHeaders.addRawHeader(name, value)
        http.Request.write(self, answer.body)

    def process(self) -> Any:
        if not self.refused:
            self.requestHeaders.removeHeader(ROOT_HEADER)
            return super().process()
        self.stop_lingering()
        return self.finish()

    def stop_lingering(self) -> None:
        if self.lingering is not None and self.lingering.active():
            self.lingering.cancel()

    def handle_reply(self, message: dict[str, Any]) -> None:
        if message.get("more_body") and self.producer is None and not self.finished and self.channel is not None:
            self.registerProducer(self.flow, True)
        super().handle_reply(message)

    def handle_exception(self, exception: BaseException) -> None:
        self.basic_error(500, b"", "")

    def basic_error(self, status: int, status_text: bytes, body: str) -> None:
        """daphne's own refusals, in the API's format."""
        if self._response_started:
            self.cut()
            return
        bad = Problem(400, "bad_request", gettext_noop("The request cannot be read."))
        self.send_problem(bad if status == 400 else server_error())
        self.finish()

    def cut(self) -> None:
        """Ends the connection without ending the answer: it is not whole."""
        if self.channel is not None:
            self.channel.forceAbortClient()

    def finish(self) -> None:
        if self.producer is not None:
            self.unregisterProducer()
        super().finish()

    def connectionLost(self, reason: Any) -> None:
        self.stop_lingering()
        super().connectionLost(reason)


class Socket(WebSocketProtocol):
    """A websocket that lets `send` wait while its client does not read, and says why it closes."""

    maxMessagePayloadSize: int

    def onConnect(self, request: Any) -> Any:
        self.flow = Flow()
        self.transport.unregisterProducer()
        self.transport.registerProducer(self.flow, True)
        request.headers.pop(ROOT_HEADER.decode(), None)
        return super().onConnect(request)

    def serverSend(self, content: str | bytes, binary: bool = False) -> None:
        limit, self.maxMessagePayloadSize = self.maxMessagePayloadSize, 0  # it is for what clients send
        super().serverSend(content, binary)
        self.maxMessagePayloadSize = limit

    def onMessage(self, payload: bytes, isBinary: bool) -> None:
        if self.application_queue.qsize() < MOST_MESSAGES:
            super().onMessage(payload, isBinary)
        elif self.state == self.STATE_OPEN:
            while not self.application_queue.empty():
                self.application_queue.get_nowait()
            self.close_with(*FLOOD)

    def close_with(self, code: int, reason: str) -> None:
        """Close; sendClose would refuse the codes below 3000."""
        self.sendCloseFrame(code=code, reasonUtf8=reason.encode(), isReply=False)

    def handle_reply(self, message: dict[str, Any]) -> None:
        if message["type"] == "websocket.close" and self.state == self.STATE_OPEN:
            self.close_with(message.get("code") or 1000, message.get("reason") or "")
        else:
            super().handle_reply(message)


class BoundedServer(Server):
    """daphne's server with the classes above.

    listener: a listening socket. A websocket may live for ever if it answers the pings. A request has no limit of
    time here either: daphne's would end a long answer as if it were whole.
    """

    def __init__(self, application: Any, listener: socket.socket) -> None:
        super().__init__(
            application,
            ["given"],
            http_timeout=None,
            request_buffer_size=settings.BODY_LIMIT + 1,
            websocket_timeout=-1,
            websocket_connect_timeout=20,
            websocket_handshake_timeout=20,
            ping_interval=20,
            ping_timeout=30,
            websocket_max_message_size=MESSAGE_LIMIT,
            websocket_max_frame_size=MESSAGE_LIMIT,
            verbosity=0,
            server_name="",
            ready_callable=self.listen,
        )
        self.endpoints: list[str] = []
        self.listener = listener

    def listen(self) -> None:
        """Puts the classes above in the place of daphne's, which run() has just made use of, and lets clients in."""
        self.ws_factory.protocol = Socket
        # a client is told why (1009: its message is too large)
        self.ws_factory.setProtocolOptions(failByDrop=False, closeHandshakeTimeout=CLOSE_SECONDS)
        build = self.http_factory.buildProtocol

        def build_protocol(address: Any) -> Any:
            protocol = build(address)
            protocol.requestFactory = Request
            return protocol

        self.http_factory.buildProtocol = build_protocol
        with self.listener as listener:  # Twisted makes a copy
            listener.setblocking(False)
            self.port = reactor.adoptStreamPort(listener.fileno(), listener.family, self.http_factory)

    async def handle_reply(self, protocol: Any, message: dict[str, Any]) -> None:
        await super().handle_reply(protocol, message)
        await protocol.flow.open.wait()

    def kill_all_applications(self) -> Any:
        """At SIGTERM: lets nobody in, closes the websockets, and lets running requests end."""
        self.port.stopListening()
        for protocol in self.connections:
            if isinstance(protocol, Socket) and protocol.state == Socket.STATE_OPEN:
                protocol.sendCloseFrame(code=SERVICE_RESTART)
        running = [
            found["application_instance"] for found in self.connections.values() if "application_instance" in found
        ]
        return defer.Deferred.fromFuture(asyncio.ensure_future(end_tasks(running)))


async def end_tasks(tasks: list[asyncio.Future[Any]]) -> None:
    """Waits END_SECONDS for `tasks`, then cancels them."""
    if not tasks:
        return
    _, late = await asyncio.wait(tasks, timeout=END_SECONDS)
    for task in late:
        task.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await asyncio.gather(*late, return_exceptions=True)
