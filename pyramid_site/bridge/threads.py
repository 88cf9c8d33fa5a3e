"""A fixed number of threads for an event loop."""

import asyncio
import contextlib
import threading
from collections.abc import Callable
from queue import SimpleQueue
from typing import Any, TypeVar

T = TypeVar("T")
Call = tuple[Callable[..., Any], tuple[Any, ...], asyncio.AbstractEventLoop, "asyncio.Future[Any]"]


class Threads:
    """`count` threads, started by the first call, that end with the process, even if a call hangs.

    A call costs 15 µs where one through concurrent.futures costs 55 (with uvloop 5 and 26): every request makes one.
    """

    def __init__(self, count: int, name: str) -> None:
        self.count = count
        self.name = name
        self.started = False
        self.waiting: SimpleQueue[Call] = SimpleQueue()

    def run(self, function: Callable[..., T], *arguments: Any) -> "asyncio.Future[T]":
        """What `function` returns or raises, in a thread; it runs even if nobody waits for that any more."""
        if not self.started:
            self.started = True
            for number in range(self.count):
                threading.Thread(target=self._work, name=f"{self.name}-{number}", daemon=True).start()
        loop = asyncio.get_running_loop()
        future: asyncio.Future[T] = loop.create_future()
        self.waiting.put((function, arguments, loop, future))
        return future

    def _work(self) -> None:
        while True:
            self._work_once(*self.waiting.get())

    @staticmethod
    def _work_once(
        function: Callable[..., T],
        arguments: tuple[Any, ...],
        loop: asyncio.AbstractEventLoop,
        future: "asyncio.Future[T]",
    ) -> None:
        try:
            settle, outcome = future.set_result, function(*arguments)
        except BaseException as error:
            settle, outcome = future.set_exception, error  # type: ignore[assignment]
        with contextlib.suppress(RuntimeError):  # the loop has closed: the process ends
            loop.call_soon_threadsafe(_settle, future, settle, outcome)


def _settle(future: "asyncio.Future[T]", settle: Callable[[Any], None], outcome: Any) -> None:
    if not future.cancelled():
        settle(outcome)
