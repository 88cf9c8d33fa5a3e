"""The websockets: a race's feed, a table that is watched, a sprint, and play. docs/live.md describes the frames.

A consumer only admits a client and passes frames on; what is told is `watching`'s, how it gets there `hub`'s, and a
move over a socket is the very call that it is over REST. `scope["call"]` makes that call (pyramid_site.asgi).
"""

import asyncio
import contextlib
import json
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable
from typing import Any
from urllib.parse import parse_qs

from channels.consumer import get_handler_name
from channels.exceptions import StopConsumer
from channels.generic.websocket import AsyncWebsocketConsumer
from django.conf import settings
from django.db import DataError, Error
from django.utils.crypto import get_random_string

from games import throttles
from games.engine.replay import dump, read_json
from games.errors import Problem
from leaderboard import callers, daily, feed, privacy, watching
from leaderboard.actions import read_clock
from leaderboard.hub import LAGGING, NOT_ALLOWED, NOT_FOUND, Member, hub

PROTOCOL = "pyramidion"
TOKEN_MARK = "token."
FRAME_LIMIT = 4096  # bytes of a frame from a client

BAD_DATA, TOO_BIG, TRY_LATER, BAD_FRAME, FLOOD = 1003, 1009, 1013, 4400, 4429
TOO_MANY = 4430
REASONS = {
    BAD_DATA: "binary",
    TOO_BIG: "too_large",
    TRY_LATER: "busy",
    BAD_FRAME: "bad_frame",
    NOT_ALLOWED: "not_allowed",
    watching.NOT_TO_SEE: "not_to_see",
    NOT_FOUND: "not_found",
    LAGGING: "lagging",
    FLOOD: "flood",
    TOO_MANY: "too_many",
}

FLOOD_BURST, FLOOD_RATE = 40, 20  # frames from a client: so many at once, so many a second
SILENCE = 10.0  # seconds in which a socket that needs a caller waits for the token


# the sockets of this process, by who has them: a player, or where nobody is known an address
OPEN: Counter[str] = Counter()


class Closed(Exception):
    """The socket is to be closed with this code."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


class Socket(AsyncWebsocketConsumer):
    """What all sockets share: who may connect, who it is, what a client may send, how it ends."""

    key: Any = None  # of the topic
    caller: callers.Caller | None = None
    token = ""
    member: Member | None = None
    needs_caller = False
    ended = False
    owner = ""  # for whom it counts in OPEN
    allowance = float(FLOOD_BURST)
    heard_at = 0.0

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        async def send_if_open(message: dict[str, Any]) -> None:
            # to uvicorn, sending to a client that has gone is an OSError, after a close of its own a RuntimeError
            with contextlib.suppress(OSError, RuntimeError):
                await send(message)

        try:
            await super().__call__(scope, receive, send_if_open)
        finally:
            self.count_for("")
            if self.member is not None:
                hub.leave(self.key, self.member)

    async def dispatch(self, message: dict[str, Any]) -> None:
        """Channels' own would go to the database's thread and back for every event."""
        await getattr(self, get_handler_name(message))(message)

    async def websocket_disconnect(self, message: dict[str, Any]) -> None:
        raise StopConsumer

    async def connect(self) -> None:
        if not callers.is_allowed_origin(self.scope):
            await self.close()  # before it is accepted: 403
            return
        protocols = self.scope["subprotocols"]
        await self.accept(PROTOCOL if PROTOCOL in protocols else None)
        token = next((name[len(TOKEN_MARK) :] for name in protocols if name.startswith(TOKEN_MARK)), None)
        async with self.closing():
            if token is not None:
                await self.identify(token)
            elif key := callers.read_cookies(self.scope).get(settings.SESSION_COOKIE_NAME):
                self.caller = await hub.read(callers.find_by_session, key)
            self.count_for(self.name_owner())
            if self.caller or not self.needs_caller:
                await self.begin()
            else:
                self.wait_for_caller()

    @contextlib.asynccontextmanager
    async def closing(self) -> AsyncIterator[None]:
        """Close the socket where the block says so, or where the database cannot be asked."""
        try:
            yield
        except Closed as closed:
            await self.end(closed.code)
        except RecursionError:  # a frame that could be read, but is too deep to be written
            await self.end(BAD_FRAME)
        except DataError:  # it was asked for what can be nobody's: a name with a NUL
            await self.end(NOT_FOUND)
        except (Error, TimeoutError):
            await self.end(TRY_LATER)

    async def identify(self, token: str) -> None:
        """Find out whose token it is. Raises Closed."""
        try:
            self.caller, self.token = await hub.read(callers.find_by_token, token), token
        except Problem:
            raise Closed(NOT_ALLOWED) from None
        self.count_for(self.name_owner())
        if self.member is not None:
            self.member.caller = self.caller
            hub.guard(self.member)

    def name_owner(self) -> str:
        """The player, or the address; "" where a server behind a Unix socket knows none."""
        if self.caller:
            return f"player {self.caller.player}"
        host, _port = self.scope.get("client") or ("", 0)
        return throttles.name_address(host)

    def count_for(self, owner: str) -> None:
        """Let the socket count for somebody else ("": nobody). Raises Closed where these have as many as may be."""
        if owner == self.owner:
            return
        if OPEN[owner] >= settings.MOST_SOCKETS:
            raise Closed(TOO_MANY)
        for name, step in ((self.owner, -1), (owner, 1)):
            OPEN[name] += step if name else 0
            if not OPEN[name]:
                del OPEN[name]
        self.owner = owner

    def wait_for_caller(self) -> None:
        """The token may come in a frame: then it begins."""
        self.needs_caller = True
        asyncio.get_running_loop().call_later(SILENCE, self.end_if_unknown)

    def end_if_unknown(self) -> None:
        if self.caller is None:
            self.ending = asyncio.ensure_future(self.end(NOT_ALLOWED))

    async def begin(self) -> None:
        """The socket is open, and its caller known where one is needed. Raises Closed."""
        raise NotImplementedError

    async def hear(self, frame: dict[str, Any]) -> None:
        """A frame of the client's. Raises Closed for one that says nothing."""
        raise Closed(BAD_FRAME)

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        if self.ended:
            return
        async with self.closing():
            frame = self.read_frame(text_data)
            if set(frame) == {"token"} and isinstance(frame["token"], str) and self.caller is None:
                await self.identify(frame["token"])
                if self.needs_caller:
                    await self.begin()
            elif self.caller is None and self.needs_caller:
                raise Closed(NOT_ALLOWED)
            else:
                await self.hear(frame)

    def read_frame(self, text: str | None) -> dict[str, Any]:
        now = time.monotonic()
        self.allowance = min(FLOOD_BURST, self.allowance + (now - (self.heard_at or now)) * FLOOD_RATE) - 1
        self.heard_at = now
        if self.allowance < 0:
            raise Closed(FLOOD)
        if text is None:
            raise Closed(BAD_DATA)
        if len(text.encode()) > FRAME_LIMIT:
            raise Closed(TOO_BIG)
        try:
            frame = read_json(text)
        except (ValueError, RecursionError):
            raise Closed(BAD_FRAME) from None
        if not isinstance(frame, dict):
            raise Closed(BAD_FRAME)
        return frame

    def make_member(self) -> Member:
        self.member = Member(self.send_text, self.end, self.caller)
        return self.member

    async def send_text(self, text: str) -> None:
        await self.base_send({"type": "websocket.send", "text": text})

    async def end(self, code: int) -> None:
        """Close the socket, once; nothing is sent to it any more."""
        if self.ended:
            return
        self.ended = True
        if self.member is not None:
            self.member.leave()
        await self.close(code=code, reason=REASONS[code])


class Watcher(Socket):
    """A socket that watches a topic of the hub."""

    async def watch(self, key: Any, make: Any, catch_up: Any = None) -> None:
        self.key = key
        if not await hub.join(key, make, self.make_member(), catch_up):
            raise Closed(NOT_FOUND)

    async def is_inside(self, may_follow: Callable[..., bool], key: int) -> bool:
        """Whether what is private may be watched; who is not known yet may say who it is. Raises Closed."""
        code = parse_qs(self.scope["query_string"].decode("latin-1")).get("invite_code", [""])[-1]
        player = self.caller and self.caller.player
        if await hub.read(may_follow, key, player, code, callers.read_cookies(self.scope)):
            return True
        if self.caller:
            raise Closed(watching.NOT_TO_SEE)
        self.wait_for_caller()
        return False


class RaceFeed(Watcher):
    """ws/races/{id}/: everybody may look, at a race by invitation or of a club those inside its privacy."""

    async def begin(self) -> None:
        race = self.scope["url_route"]["kwargs"]["race"]
        if await self.is_inside(privacy.may_follow_race, race):
            await self.watch_race(race)

    async def watch_race(self, race: int) -> None:
        since = parse_qs(self.scope["query_string"].decode("latin-1")).get("since")
        catch_up = None if since is None else lambda: feed.read_missed(race, since[-1])
        await self.watch(race, lambda hub: watching.RaceTopic(hub, race), catch_up)


class DailyFeed(RaceFeed):
    """ws/daily/{letter}/: today's daily of a ruleset."""

    async def begin(self) -> None:
        race = await hub.read(daily.find_today, self.scope["url_route"]["kwargs"]["letter"])
        if race is None:
            raise Closed(NOT_FOUND)
        await self.watch_race(race)


class TableFeed(Watcher):
    """ws/races/{id}/watch/{player}/: the table of a player, for those who have ended their own entry."""

    needs_caller = True

    async def begin(self) -> None:
        assert self.caller is not None
        route = self.scope["url_route"]["kwargs"]
        attempt = await hub.read(watching.find_table, route["race"], route["player"], self.caller.player)
        if attempt is None:
            raise Closed(watching.NOT_TO_SEE)
        await self.watch(("table", attempt), lambda hub: watching.TableTopic(hub, attempt))


class SprintFeed(Watcher):
    """ws/sprints/{id}/: everybody may look, at one by invitation those inside its privacy.

    Who is in it is heard of as long as the socket is open.
    """

    async def begin(self) -> None:
        sprint = self.scope["url_route"]["kwargs"]["sprint"]
        if await self.is_inside(privacy.may_follow_sprint, sprint):
            await self.watch(("sprint", sprint), lambda hub: watching.SprintTopic(hub, sprint))


class Play(Socket):
    """ws/attempts/{id}/: a frame is the body of `POST attempts/{id}/moves/`, with a `ref` of the client's choice.

    The answer: {"type": "answer", "ref", "status", "body"}. One at a time, in the order in which they came.
    """

    needs_caller = True

    async def begin(self) -> None:
        hub.guard(self.make_member())
        await self.send_text(dump({"type": "ready", "now": (await hub.read(read_clock)).isoformat()}))

    async def hear(self, frame: dict[str, Any]) -> None:
        ref = frame.pop("ref", None)
        if not isinstance(ref, int | str | None):
            raise Closed(BAD_FRAME)
        path = f"/api/v1/attempts/{self.scope['url_route']['kwargs']['attempt']}/moves/"
        status, body = await self.scope["call"](path, self.write_headers(), dump(frame).encode())
        answer = {"type": "answer", "ref": ref, "status": status, "body": json.loads(body)}
        await self.send_text(dump(answer))

    def write_headers(self) -> list[tuple[bytes, bytes]]:
        """Those of the call: who it is, and the language.

        The Origin was checked when the socket was opened, so the pair of values that CSRF wants is ours to send.
        """
        headers = {"content-type": "application/json", "host": callers.read_header(self.scope, "host") or ""}
        for name in ("accept-language", "origin", "x-forwarded-proto"):
            if value := callers.read_header(self.scope, name):
                headers[name] = value
        if self.token:
            headers["authorization"] = f"Token {self.token}"
        elif self.caller:
            pair = get_random_string(32)
            cookies = {settings.SESSION_COOKIE_NAME: self.caller.session, settings.CSRF_COOKIE_NAME: pair}
            if language := callers.read_cookies(self.scope).get(settings.LANGUAGE_COOKIE_NAME):
                cookies[settings.LANGUAGE_COOKIE_NAME] = language  # that of the page, before the browser's
            headers["cookie"] = "; ".join(f"{name}={value}" for name, value in cookies.items())
            headers["x-csrftoken"] = pair
        return [(name.encode(), value.encode("latin-1")) for name, value in headers.items()]
