"""How much work a question may take."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limit:
    """At most so many states, at most so many seconds of a clock passed in; None is no limit.

    Raises ValueError where seconds have no clock.
    """

    states: int | None = None
    seconds: float | None = None
    clock: Callable[[], float] | None = None

    def __post_init__(self) -> None:
        if self.seconds is not None and self.clock is None:
            raise ValueError("A limit in seconds needs a clock.")


class LimitReached(Exception):
    """The limit is reached before the answer is known."""


class Meter:
    """Counts the states that the searches look at; the clock is read at every 64th of them."""

    def __init__(self, limit: Limit) -> None:
        self.states = 0
        self._most = limit.states
        self._next = 64 if limit.states is None else min(limit.states, 64)
        self._clock = limit.clock
        self._end = None
        if limit.seconds is not None and limit.clock is not None:
            self._end = limit.clock() + limit.seconds

    def count(self, states: int = 1) -> None:
        """Count states; LimitReached where there are too many of them or the time is over."""
        self.states += states
        if self.states > self._next:
            self._check()

    def _check(self) -> None:
        if self._most is not None and self.states > self._most:
            self.states = self._most
            raise LimitReached
        if self._end is not None and self._clock is not None and self._clock() >= self._end:
            raise LimitReached
        self._next = self.states + 63
        if self._most is not None:
            self._next = min(self._next, self._most)
