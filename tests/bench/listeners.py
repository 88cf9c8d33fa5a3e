"""Thousands of websocket clients that cost little: each notes when a frame came, and which it was.

All sockets of a race get the very same bytes, so a frame is looked at once, whoever gets it.
"""

import asyncio
import base64
import json
import os
import time
from dataclasses import dataclass
from typing import Any


@dataclass(slots=True)
class Arrival:
    """A frame: when the first and the last socket had it, and how many have."""

    first: float
    last: float
    count: int = 1


class Listeners:
    """Sockets at one path. `arrivals`: what came, by its bytes, in the order in which it came first."""

    def __init__(self) -> None:
        self.arrivals: dict[bytes, Arrival] = {}
        self.sockets: list[Listener] = []
        self.lost = 0
        self.opened = 0

    async def open(self, port: int, path: str, count: int) -> None:
        """Open so many, fifty at a time; back when each has had a first frame."""
        loop = asyncio.get_running_loop()
        for start in range(0, count, 50):
            some = [
                loop.create_connection(lambda: Listener(self, path), "127.0.0.1", port)
                for _ in range(min(50, count - start))
            ]
            self.sockets += [listener for _transport, listener in await asyncio.gather(*some)]
            while self.opened < len(self.sockets):
                await asyncio.sleep(0.01)

    def take(self, payload: bytes) -> None:
        now = time.perf_counter()
        if arrival := self.arrivals.get(payload):
            arrival.last = now
            arrival.count += 1
        else:
            self.arrivals[payload] = Arrival(now, now)

    def frames(self) -> list[tuple[dict[str, Any], Arrival]]:
        return [(json.loads(payload), arrival) for payload, arrival in self.arrivals.items()]

    def close(self) -> None:
        for socket in self.sockets:
            socket.closing = True
            socket.transport.abort()


class Listener(asyncio.Protocol):
    """One socket: a handshake, then frames of a server that neither masks nor splits them."""

    transport: asyncio.Transport

    def __init__(self, group: Listeners, path: str) -> None:
        self.group = group
        self.path = path
        self.buffer = bytearray()
        self.is_open = False
        self.has_frame = False
        self.closing = False

    def connection_made(self, transport: Any) -> None:
        self.transport = transport
        key = base64.b64encode(os.urandom(16)).decode()
        transport.write(
            f"GET {self.path} HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n".encode()
        )

    def data_received(self, data: bytes) -> None:
        self.buffer += data
        if not self.is_open:
            head, end, rest = self.buffer.partition(b"\r\n\r\n")
            if not end:
                return
            assert b" 101 " in head.splitlines()[0], bytes(head)
            self.is_open, self.buffer = True, rest
        while len(self.buffer) >= 2:
            start, size = 2, self.buffer[1]
            if size == 126:
                start, size = 4, int.from_bytes(self.buffer[2:4])
            elif size == 127:
                start, size = 10, int.from_bytes(self.buffer[2:10])
            if len(self.buffer) < start + size:
                return
            kind, payload = self.buffer[0] & 15, bytes(self.buffer[start : start + size])
            del self.buffer[: start + size]
            self.take(kind, payload)

    def take(self, kind: int, payload: bytes) -> None:
        if kind == 1:
            self.group.take(payload)
            if not self.has_frame:
                self.has_frame = True
                self.group.opened += 1
        elif kind == 9:
            # a pong of zeros for a mask says what the ping said
            self.transport.write(bytes([0x8A, 0x80 | len(payload)]) + bytes(4) + payload)

    def connection_lost(self, error: Exception | None) -> None:
        if not self.closing:
            self.group.lost += 1
