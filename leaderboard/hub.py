"""One hub a process: what is watched is read once, encoded once, and put into the queue of every socket.

Channels' own way, a message a consumer through a layer and a thread, is worn out by a few hundred sockets. Here a
socket has a bounded queue and a task that empties it: one that does not read keeps nobody waiting, and is closed.
"""

import asyncio
import gc
import logging
import time
from collections import deque
from collections.abc import Awaitable, Callable, Hashable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, TypeVar

from django.db import Error, close_old_connections, connections

from games.engine.replay import dump
from leaderboard import callers, events

T = TypeVar("T")

COLLECTED = 1000  # ended sockets leave 25 kB each in cycles, which the collector would not look at for long
WINDOW = 0.25  # seconds from one look at a topic that nobody wakes to the next
GAP = 0.02  # at least, however often it is woken
REST = 4  # a look that took long is followed by a pause so many times as long
LONGEST_PAUSE = 2.0
QUEUE = 32  # frames that may wait for a socket
CHECK = 3.0  # seconds between two looks at who may still be here
BEGIN = 3.0  # seconds that a newcomer waits for a topic that nobody has read yet
LAGGING, NOT_ALLOWED, NOT_FOUND = 4008, 4401, 4404

logger = logging.getLogger(__name__)


class Member:
    """A socket in the hub. send: sends a text, waiting while the client does not read. close: closes with a code."""

    def __init__(
        self,
        send: Callable[[str], Awaitable[None]],
        close: Callable[[int], Awaitable[None]],
        caller: callers.Caller | None = None,
    ) -> None:
        self.send = send
        self.close = close
        self.caller = caller
        self.queue: deque[str] = deque()
        self.filled = asyncio.Event()
        self.ended = False
        self.writing: asyncio.Future[None] | None = None
        self.closing: asyncio.Future[None] | None = None

    def start(self) -> None:
        """Begin to send what is in the queue."""
        if not self.ended:
            self.writing = asyncio.ensure_future(self._write())

    async def _write(self) -> None:
        while True:
            while self.queue:
                await self.send(self.queue.popleft())
            self.filled.clear()
            await self.filled.wait()

    def put(self, text: str) -> None:
        if len(self.queue) >= QUEUE:
            self.end(LAGGING)
        elif not self.ended:
            self.queue.append(text)
            self.filled.set()

    def end(self, code: int) -> None:
        """Have the socket closed, even if a send is stuck; what waits for it is dropped."""
        if not self.ended:
            self.leave()
            self.closing = asyncio.ensure_future(self.close(code))

    def leave(self) -> None:
        """The socket has gone, or is going."""
        self.ended = True
        self.queue.clear()
        if self.writing is not None:
            self.writing.cancel()


class Topic:
    """What some sockets watch. A subclass says how it is read and what a newcomer is told.

    `begin` reads for the first time and says whether there is such a thing; `look` reads what has changed and tells
    it. What the database refuses is logged, and tried again. window: seconds from one look to the next. names: of the
    races and sprints whose wake-ups it heeds.
    """

    window = WINDOW

    def __init__(self, hub: "Hub") -> None:
        self.hub = hub
        self.members: set[Member] = set()
        self.users = 0  # those who are here, and those who are coming
        self.woken = asyncio.Event()
        self.wakes = events.Wakes()
        self.names: set[str] = set()
        self.ready: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self.task = asyncio.ensure_future(self._run())

    async def begin(self) -> bool:
        raise NotImplementedError

    async def look(self) -> None:
        raise NotImplementedError

    def write_snapshot(self) -> str:
        raise NotImplementedError

    def tell(self, frame: dict[str, Any]) -> None:
        """Put a frame into every queue."""
        text = dump(frame)
        for member in self.members:
            member.put(text)

    def end(self, code: int) -> None:
        """Have every socket closed: there is nothing to be watched any more."""
        for member in self.members:
            member.end(code)

    async def _run(self) -> None:
        pause = 0.0
        while True:
            began = time.monotonic()
            try:
                if self.ready.done():
                    await self.look()
                else:
                    self.ready.set_result(await self.begin())
                took = time.monotonic() - began
                pause = max(self.window - took - max(GAP, took), REST * took)
            except Error as error:
                took, pause = 0.0, min(2 * max(pause, WINDOW), LONGEST_PAUSE)
                logger.warning("%s could not be read: %s", self, error)
            except Exception:
                took, pause = 0.0, LONGEST_PAUSE
                logger.exception("%s could not be read", self)
            await asyncio.sleep(max(GAP, took))
            try:
                async with asyncio.timeout(pause):
                    await self.woken.wait()
            except TimeoutError:
                pass
            self.woken.clear()


class Hub:
    """The topics of this process, and the sockets whose callers are looked at again every CHECK seconds."""

    def __init__(self) -> None:
        self.topics: dict[Hashable, Topic] = {}
        self.ended = 0
        self.guarded: set[Member] = set()
        self.reader = ThreadPoolExecutor(1, "feed")
        self.tasks: list[asyncio.Future[None]] = []

    def start(self) -> None:
        """Listen, and look after the callers; once, by whoever comes first."""
        if not self.tasks:
            self.tasks = [asyncio.ensure_future(events.listen(self.wake)), asyncio.ensure_future(self._guard())]

    def wake(self, name: str) -> None:
        """Look now at what heeds the wake-ups of that race or sprint."""
        for topic in self.topics.values():
            if name in topic.names and topic.wakes.is_due():  # of many processes each may wake it
                topic.woken.set()

    async def read(self, function: Callable[..., T], *arguments: Any, **more: Any) -> T:
        """What a function that asks the database returns. All are asked one after the other, in one thread."""
        call = partial(_read, function, *arguments, **more)
        return await asyncio.get_running_loop().run_in_executor(self.reader, call)

    def guard(self, member: Member) -> None:
        """Close the socket soon after its caller may not be here any more."""
        self.start()
        if member.caller is not None:
            self.guarded.add(member)

    async def join(
        self,
        key: Hashable,
        make: Callable[["Hub"], Topic],
        member: Member,
        catch_up: Callable[[], dict[str, Any] | None] | None = None,
    ) -> bool:
        """Let a socket watch a topic; False where there is no such thing. Raises TimeoutError after BEGIN.

        catch_up: asks the database for the first frame of who was here before; without it that is a snapshot.
        """
        self.guard(member)
        topic = self.topics.get(key)
        if topic is None:
            topic = self.topics[key] = make(self)
        topic.users += 1
        try:
            async with asyncio.timeout(BEGIN):
                is_there = await asyncio.shield(topic.ready)
            if not is_there:
                return False
            if catch_up is None:
                # nothing is awaited between the two: no change is missed, and none comes first
                member.put(topic.write_snapshot())
                topic.members.add(member)
            else:
                topic.members.add(member)
                if frame := await self.read(catch_up):
                    member.queue.appendleft(dump(frame))
            member.start()
            return True
        finally:
            topic.users -= 1
            self._end_if_unused(key)

    def leave(self, key: Hashable, member: Member) -> None:
        """A socket has gone, or never was there."""
        member.leave()
        self.guarded.discard(member)
        self.ended += 1
        if self.ended % COLLECTED == 0:
            gc.collect()  # 70 ms with 600 sockets open
        if topic := self.topics.get(key):
            topic.members.discard(member)
            self._end_if_unused(key)

    def _end_if_unused(self, key: Hashable) -> None:
        topic = self.topics.get(key)
        if topic is not None and not topic.members and not topic.users:
            topic.task.cancel()
            del self.topics[key]

    async def _guard(self) -> None:
        while True:
            await asyncio.sleep(CHECK)
            guarded = list(self.guarded)
            try:
                gone = await self.read(callers.find_gone, {member.caller for member in guarded if member.caller})
            except Error as error:
                logger.warning("Who may still be here could not be read: %s", error)
                continue
            except Exception:
                logger.exception("Who may still be here could not be read")
                continue
            for member in guarded:
                if member.caller in gone:
                    member.end(NOT_ALLOWED)

    async def stop(self) -> None:
        """End everything (of a hub in a test)."""
        for task in [*self.tasks, *(topic.task for topic in self.topics.values())]:
            task.cancel()
        self.topics.clear()
        await asyncio.get_running_loop().run_in_executor(self.reader, _close)
        self.reader.shutdown()


def _read(function: Callable[..., T], *arguments: Any, **more: Any) -> T:
    close_old_connections()
    return function(*arguments, **more)


def _close() -> None:
    connections.close_all()


hub = Hub()
"""This process's."""
