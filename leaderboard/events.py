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
MOST = 4  # wake-ups of a race in a second, from one process; the hubs look by themselves as often
FIRST_PAUSE, LONGEST_PAUSE = 0.1, 5.0

logger = logging.getLogger(__name__)

_woken: dict[int, "Wakes"] = {}
_lock = threading.Lock()


class Wakes:
    """When a race was woken: MOST times in a second at most."""

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
    transaction.on_commit(lambda: _notify(races), robust=True)


def _notify(races: tuple[int, ...]) -> None:
    try:
        for race in filter(_is_due, races):
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_notify(%s, %s)", [CHANNEL, str(race)])
    except Error as error:
        logger.warning("A wake-up was lost: %s", error)


def _is_due(race: int) -> bool:
    with _lock:
        for other in [other for other, wakes in _woken.items() if wakes.is_old()]:
            del _woken[other]
        return _woken.setdefault(race, Wakes()).is_due()


async def listen(wake: Callable[[int], Any]) -> None:
    """Call `wake` with the id of each race that is told of, for ever; a lost connection is made again."""
    pause = FIRST_PAUSE
    while True:
        try:
            parameters = await asyncio.to_thread(_read_parameters)
            async with await psycopg.AsyncConnection.connect(**parameters) as listening:
                await listening.execute(f"LISTEN {CHANNEL}")
                pause = FIRST_PAUSE
                async for notice in listening.notifies():
                    if notice.payload.isdigit():
                        wake(int(notice.payload))
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
