"""How much work a question may take."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limit:
    """At most so many states, at most so many seconds of a clock passed in; None is no limit."""

    states: int | None = None
    seconds: float | None = None
    clock: Callable[[], float] | None = None

    def __post_init__(self) -> None:
        if self.seconds is not None and self.clock is None:
            raise ValueError("A limit in seconds needs a clock.")


class LimitReached(Exception):
    """The limit is reached before the answer is known."""


class Meter:
    """Counts states; a search asks `check` every STRIDE states."""

    STRIDE = 64

    def __init__(self, limit: Limit) -> None:
        self.states = 0
        self._most = limit.states
        self._clock = limit.clock
        self._end = None
        if limit.seconds is not None and limit.clock is not None:
            self._end = limit.clock() + limit.seconds

    def spend(self, states: int) -> None:
        """Count states; LimitReached if there were too many of them or the time is over."""
        self.states += states
        if self._most is not None and self.states >= self._most:
            raise LimitReached
        if self._end is not None and self._clock is not None and self._clock() >= self._end:
            raise LimitReached
