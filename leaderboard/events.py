"""Waking the hubs of all processes after something was committed. A lost wake-up costs one window of a hub, no more.

NOTIFY is a statement of its own after the commit: inside a transaction it makes all commits wait for each other.
"""

import asyncio
import logging
import threading
import time
from collections import deque
from collections.abc import Callable
from typing import Any

import psycopg
from django.conf import settings
from django.db import Error, connection, transaction

CHANNEL = "pyramidion"
MOST = 4  # wake-ups of a race or a sprint in a second, from one process; the hubs look by themselves as often
FIRST_PAUSE, LONGEST_PAUSE = 0.1, 5.0

logger = logging.getLogger(__name__)

_woken: dict[str, "Wakes"] = {}
_lock = threading.Lock()


class Wakes:
    """When a race or a sprint was woken: MOST times in a second at most."""

    def __init__(self) -> None:
        self.latest = deque([-1.0] * MOST, MOST)

    def is_due(self) -> bool:
        """Whether it may be woken now; if so, it is."""
        now = time.monotonic()
        if now - self.latest[0] < 1:
            return False
        self.latest.append(now)
        return True

    def is_old(self) -> bool:
        return time.monotonic() - self.latest[-1] >= 1


def wake(*races: int) -> None:
    """Once the transaction is committed (now where there is none), tell every hub to look at these races."""
    _wake_later([name_race(race) for race in races])


def wake_sprint(sprint: int) -> None:
    """The same of a sprint."""
    _wake_later([name_sprint(sprint)])


def name_race(race: int) -> str:
    return f"race {race}"


def name_sprint(sprint: int) -> str:
    return f"sprint {sprint}"


def _wake_later(names: list[str]) -> None:
    transaction.on_commit(lambda: _notify(names), robust=True)


def _notify(names: list[str]) -> None:
    try:
        for name in filter(_is_due, names):
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_notify(%s, %s)", [CHANNEL, name])
    except Error as error:
        logger.warning("A wake-up was lost: %s", error)


def _is_due(name: str) -> bool:
    with _lock:
        for other in [other for other, wakes in _woken.items() if wakes.is_old()]:
            del _woken[other]
        return _woken.setdefault(name, Wakes()).is_due()


async def listen(wake: Callable[[str], Any]) -> None:
    """Call `wake` with the name of each race and sprint that is told of, for ever; a lost connection is made again."""
    pause = FIRST_PAUSE
    while True:
        try:
            parameters = await asyncio.to_thread(_read_parameters)
            async with await psycopg.AsyncConnection.connect(**parameters) as listening:
                await listening.execute(f"LISTEN {CHANNEL}")
                pause = FIRST_PAUSE
                async for notice in listening.notifies():
                    wake(notice.payload)
        except (psycopg.Error, Error, OSError) as error:
            logger.warning("Not listening for wake-ups: %s", error)
        except Exception:
            logger.exception("Not listening for wake-ups")
        await asyncio.sleep(pause)
        pause = min(2 * pause, LONGEST_PAUSE)


def _read_parameters() -> dict[str, Any]:
    """How to connect for listening: as the site does, or straight to PostgreSQL where the site goes through a pool."""
    if settings.LISTEN_DATABASE_URL:
        return {"conninfo": settings.LISTEN_DATABASE_URL, "autocommit": True}
    ours = connection.get_connection_params()
    skip = ("cursor_factory", "context", "prepare_threshold")
    return {name: value for name, value in ours.items() if name not in skip} | {"autocommit": True}
