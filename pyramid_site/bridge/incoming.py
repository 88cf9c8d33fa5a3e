"""What a client sends: bodies read within bounds, unpacked, and put as WSGI wants them."""

import asyncio
import contextlib
import sys
import zlib
from collections.abc import Awaitable, Callable
from io import BytesIO
from typing import Any
from urllib.parse import unquote_to_bytes

from django.utils.translation import gettext_noop

from games.errors import Problem
from pyramid_site.bridge.outgoing import OpenFile

Scope = dict[str, Any]
Receive = Callable[[], Awaitable[dict[str, Any]]]

BODY_SECONDS = 60  # for a whole body to arrive
LINGER_SECONDS = 10  # what a refused client still sends is thrown away this long: a close at once would lose the answer
WINDOW_BITS = {"gzip": 16 + zlib.MAX_WBITS, "x-gzip": 16 + zlib.MAX_WBITS, "deflate": zlib.MAX_WBITS}


class ClientGone(Exception):
    """The client went before its request was whole, or before it had the answer."""


class Body:
    """The body of a request as it arrives."""

    def __init__(self, receive: Receive) -> None:
        self.receive = receive
        self.ended = False

    async def next(self) -> bytes:
        """The next part. Raises ClientGone."""
        message = await self.receive()
        if message["type"] != "http.request":
            raise ClientGone
        self.ended = not message.get("more_body", False)
        part: bytes = message.get("body", b"")
        return part

    async def read(self, limit: int) -> bytes:
        """The whole of it, holding at most `limit` bytes and one part. Raises Problem (413, 408) or ClientGone."""
        body = await self.next()
        if not self.ended:
            try:
                async with asyncio.timeout(BODY_SECONDS):
                    body = await self._read_on([body], limit)
            except TimeoutError:
                raise Problem(408, "timeout", gettext_noop("The body took too long to arrive.")) from None
        if len(body) > limit:
            raise too_large(limit)
        return body

    async def _read_on(self, parts: list[bytes], limit: int) -> bytes:
        size = len(parts[0])
        while size <= limit and not self.ended:
            parts.append(await self.next())
            size += len(parts[-1])
        return b"".join(parts)

    async def discard(self) -> None:
        """Throws away what is still to come, for LINGER_SECONDS at most."""
        with contextlib.suppress(ClientGone, TimeoutError):
            async with asyncio.timeout(LINGER_SECONDS):
                while not self.ended:
                    await self.next()


def declared_length(scope: Scope) -> int:
    """The length that the client announces, 0 for none (the server has checked the number)."""
    return next((int(value) for name, value in scope["headers"] if name == b"content-length" and value.isdigit()), 0)


def too_large(limit: int) -> Problem:
    return Problem(
        413, "too_large", gettext_noop("The body may have %(limit)s bytes at most."), params={"limit": limit}
    )


def busy() -> Problem:
    return Problem(503, "busy", gettext_noop("The server is busy. Please try again in a second."))


def unpack_body(body: bytes, encoding: str, limit: int) -> bytes:
    """`body` without its Content-Encoding, at most `limit` bytes. Raises Problem: 415, 400, 413."""
    name = encoding.strip().lower()
    if name in ("", "identity"):
        return body
    if name not in WINDOW_BITS:
        raise Problem(
            415, "content_encoding", gettext_noop("A body may come plain or with Content-Encoding gzip or deflate.")
        )
    unpacker = zlib.decompressobj(WINDOW_BITS[name])
    try:
        plain = unpacker.decompress(body, limit + 1)
    except zlib.error:
        plain = b""
    if len(plain) > limit:
        raise too_large(limit)
    if not unpacker.eof or unpacker.unused_data:
        raise Problem(400, "compression", gettext_noop("The compressed body is broken."))
    return plain


def build_environ(scope: Scope, body: bytes, limit: int) -> dict[str, Any]:
    """The WSGI environ of a request with that (perhaps compressed) body. Raises Problem as unpack_body does."""
    root = scope.get("root_path", "").encode().decode("latin-1")
    path = unquote_to_bytes(scope.get("raw_path") or scope["path"].encode()).decode("latin-1")
    host, port = scope.get("server") or ("localhost", None)
    environ: dict[str, Any] = {
        "REQUEST_METHOD": scope["method"],
        "SCRIPT_NAME": root,
        "PATH_INFO": path.removeprefix(root) if root else path,
        "QUERY_STRING": scope["query_string"].decode("latin-1"),
        "SERVER_NAME": f"[{host}]" if ":" in host else host,
        "SERVER_PORT": str(port or 80),
        "SERVER_PROTOCOL": f"HTTP/{scope['http_version']}",
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": scope.get("scheme", "http"),
        "wsgi.errors": sys.stderr,
        "wsgi.multithread": True,
        "wsgi.multiprocess": True,
        "wsgi.run_once": False,
        "wsgi.file_wrapper": OpenFile,
    }
    if scope.get("client"):
        environ["REMOTE_ADDR"] = environ["REMOTE_HOST"] = scope["client"][0]
        environ["REMOTE_PORT"] = str(scope["client"][1])
    for name, value in scope["headers"]:
        if b"_" in name:  # a_b and a-b would be one name here, and a proxy may have checked only the other
            continue
        key = "HTTP_" + name.decode("latin-1").replace("-", "_").upper()
        text = value.decode("latin-1")
        environ[key] = environ[key] + ("; " if key == "HTTP_COOKIE" else ",") + text if key in environ else text
    if "HTTP_CONTENT_TYPE" in environ:
        environ["CONTENT_TYPE"] = environ.pop("HTTP_CONTENT_TYPE")
    if "HTTP_CONTENT_ENCODING" in environ:
        body = unpack_body(body, environ.pop("HTTP_CONTENT_ENCODING"), limit)
    environ.pop("HTTP_CONTENT_LENGTH", None)
    environ.pop("HTTP_TRANSFER_ENCODING", None)
    environ["CONTENT_LENGTH"] = str(len(body))
    environ["wsgi.input"] = BytesIO(body)
    return environ
