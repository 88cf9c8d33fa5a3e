"""Minting dailies: cards that nobody can foresee, proven to be won, and a commitment to them.

It runs in a process of its own (`manage.py mint_dailies`), one at a time for all servers together. A web process only
sees, now and then, whether enough days are ready, and starts it where they are not.
"""

import logging
import os
import secrets
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import date, timedelta
from typing import Any, NamedTuple

from django.conf import settings
from django.db import connection, transaction

from games.actions import store_proof
from games.engine import deal as engine
from games.models import Deal
from leaderboard import races
from leaderboard.actions import read_clock
from leaderboard.models import Race
from leaderboard.racing import store_hidden

READY_DAYS = 14
AHEAD_DAYS = 21
LOOK_SECONDS = 300
ONE_MINTER = 0x5079_6461  # the advisory lock of the one that mints
ONE_CHAIN = 0x5079_6463  # with a ruleset's letter, the lock of the end of its chain

logger = logging.getLogger(__name__)


class Need(NamedTuple):
    """A daily that is missing."""

    day: date
    letter: str


def missing(letters: Sequence[str], today: date, days: int) -> list[Need]:
    """The dailies that are missing among `days` days from today on, the next first."""
    wanted = [today + timedelta(days=n) for n in range(days)]
    found = Race.objects.filter(day__in=wanted, withdrawn_at=None).values_list("day", "ruleset")
    there = set(found)
    return [Need(day, letter) for day in wanted for letter in letters if (day, letter) not in there]


@contextmanager
def only_minter() -> Iterator[bool]:
    """Whether this process is the one that mints, until the end of the block."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_lock(%s)", [ONE_MINTER])
        (taken,) = cursor.fetchone()
        try:
            yield taken
        finally:
            if taken:
                cursor.execute("SELECT pg_advisory_unlock(%s)", [ONE_MINTER])


def mint(day: date, code: str, proof: Mapping[str, Any]) -> Race | None:
    """Store a daily and its commitment at the end of its ruleset's chain; None where the day has one already.

    proof: what `games.actions.store_proof` takes.
    """
    deal = engine.Deal.from_code(code)
    letter = deal.ruleset.letter
    opens_at, closes_at = races.day_window(day)
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s, %s)", [ONE_CHAIN, ord(letter)])
        dailies = Race.objects.filter(ruleset=letter).exclude(commitment="")
        if dailies.filter(day=day, withdrawn_at=None).exists():
            return None
        previous = dailies.order_by("-id").values_list("commitment", flat=True).first() or ""
        stored = store_hidden(deal)
        store_proof(deal=stored, **proof)
        Deal.objects.filter(pk=stored.pk).update(told_from=opens_at)
        nonce, now = secrets.token_hex(16), read_clock()
        return Race.objects.create(
            kind=Race.DAILY,
            day=day,
            deal=stored,
            ruleset=letter,
            seed=deal.seed_letters,
            opens_at=opens_at,
            closes_at=closes_at,
            nonce=nonce,
            previous=previous,
            commitment=races.commit(day, code, nonce, previous),
            minted_at=now,
            committed=now < opens_at,
        )


# By itself


class _Watch:
    """When this process last looked whether enough days are ready, and the minting that it started."""

    lock = threading.Lock()
    looked_at: float | None = None
    process: subprocess.Popen[bytes] | None = None
    tidied_on: date | None = None


def _start(*command: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "django", *command],
        cwd=settings.BASE_DIR,
        env=os.environ,
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
    )


def ensure_ready() -> None:
    """Start minting where fewer than 14 days are ready, else once a day `tidy`; looks once in a while, never waits.

    The process ends with this one: it reads a pipe that nobody writes to, and is at its end when this one is.
    """
    if settings.NO_MINTING or not settings.DAILY_RULESETS or not _Watch.lock.acquire(blocking=False):
        return
    try:
        now = time.monotonic()
        if _Watch.looked_at is not None and now - _Watch.looked_at < LOOK_SECONDS:
            return
        _Watch.looked_at = now
        if _Watch.process is not None and _Watch.process.poll() is None:
            return
        today = races.day_of(read_clock())
        if missing(settings.DAILY_RULESETS, today, READY_DAYS):
            _Watch.process = _start("mint_dailies", "--days", str(AHEAD_DAYS), "--by-itself")
        elif _Watch.tidied_on != today:
            _Watch.process, _Watch.tidied_on = _start("tidy"), today
    except OSError as error:
        logger.warning("Cannot start minting: %s", error)
    finally:
        _Watch.lock.release()
