"""Clients of the websockets of a real server."""

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from django.contrib.sessions.models import Session
from django.test import Client
from knox.models import AuthToken
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection, connect

from games.models import Player
from leaderboard import actions, racing
from leaderboard.models import Race
from tests.live.frames import check_frame
from tests.live.watcher import Watcher
from tests.site.servers import RunningServer

PATIENCE = 10.0  # seconds
ARGUMENTS = {"daphne": (), "uvicorn": ("--workers", "1")}


class Socket:
    """An open socket. token: goes in the subprotocol; session: in the cookie, with our own Origin."""

    def __init__(self, connection: ClientConnection) -> None:
        self.connection = connection

    def send(self, value: Any) -> None:
        """A text or bytes as they are, anything else as JSON."""
        self.connection.send(value if isinstance(value, str | bytes) else json.dumps(value))

    def take(self, seconds: float = PATIENCE) -> dict[str, Any]:
        """The next frame, which is as it is described."""
        frame = json.loads(self.connection.recv(timeout=seconds))
        check_frame(frame)
        return frame

    def ask(self, value: Any) -> dict[str, Any]:
        self.send(value)
        return self.take()

    def until_closed(self, seconds: float = PATIENCE) -> tuple[int | None, str | None]:
        """Code and reason, after whatever comes before."""
        try:
            while True:
                self.connection.recv(timeout=seconds)
        except ConnectionClosed:
            return self.connection.close_code, self.connection.close_reason


@contextmanager
def open_socket(
    server: RunningServer,
    path: str,
    *,
    token: str | None = None,
    session: str | None = None,
    origin: str | None = None,
    protocols: tuple[str, ...] = ("pyramidion",),
    **headers: str,
) -> Iterator[Socket]:
    """A socket at a path below /ws/."""
    if session:
        headers["Cookie"] = f"sessionid={session}"
        origin = origin or server.url.rstrip("/")
    with connect(
        f"ws://127.0.0.1:{server.port}/ws/{path}",
        subprotocols=[*protocols, *([f"token.{token}"] if token else [])] or None,  # type: ignore[list-item, arg-type]
        origin=origin,  # type: ignore[arg-type]
        additional_headers={name.replace("_", "-"): value for name, value in headers.items()},
        proxy=None,
    ) as connection:
        yield Socket(connection)


def status_of(server: RunningServer, path: str, **more: Any) -> int:
    """101 for a socket that opens, or the status of the refusal."""
    try:
        with open_socket(server, path, **more):
            return 101
    except InvalidStatus as refusal:
        return refusal.response.status_code


def log_in_by_token(player: Player) -> str:
    return AuthToken.objects.create(player)[1]


def log_in_by_session(player: Player) -> str:
    client = Client()
    client.force_login(player)
    return client.cookies["sessionid"].value


def log_out_everywhere() -> None:
    Session.objects.all().delete()


def enter(player: Player, race: Race) -> int:
    return racing.enter(player=player, race=race.pk)[0].attempt_id


def play(player: Player, attempt: int, moves: str, ply: int = 0) -> None:
    actions.play_moves(player=player, attempt=attempt, from_ply=ply, moves=moves, times=None)


def follow(socket: Socket, watcher: Watcher, holds: Callable[[], bool]) -> None:
    """Take frames until the watcher knows what it must."""
    end = time.monotonic() + 10
    while not holds():
        assert time.monotonic() < end, watcher.__dict__
        watcher.take(socket.take())
