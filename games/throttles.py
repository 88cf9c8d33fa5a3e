"""How often something may be done: counted in PostgreSQL, exactly, by all processes together."""

import re
from ipaddress import ip_address, ip_network
from typing import Any, NamedTuple
from uuid import UUID

from django.conf import settings
from django.db import connection
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext_noop

from games.errors import Problem

# One statement counts and compares: where the limit is reached it writes nothing and returns nothing.
TAKE = """
INSERT INTO games_counter AS c (key, count, ends_at)
VALUES (%(key)s, 1, statement_timestamp() + make_interval(secs => %(seconds)s))
ON CONFLICT (key) DO UPDATE SET
    count = CASE WHEN c.ends_at > statement_timestamp() THEN c.count + 1 ELSE 1 END,
    ends_at = CASE WHEN c.ends_at > statement_timestamp() THEN c.ends_at ELSE excluded.ends_at END
WHERE c.count < %(times)s OR c.ends_at <= statement_timestamp()
RETURNING count
"""
READ_LEFT = """
SELECT ceil(extract(epoch FROM ends_at - statement_timestamp()))::int FROM games_counter WHERE key = %(key)s
"""
MARK = """
INSERT INTO games_counter AS c (key, count, ends_at)
VALUES (%(key)s, 1, statement_timestamp() + make_interval(secs => %(seconds)s))
ON CONFLICT (key) DO UPDATE SET ends_at = excluded.ends_at
"""
IS_MARKED = "SELECT FROM games_counter WHERE key = %(key)s AND ends_at > statement_timestamp()"
# Whoever opens a window clears two that are over away: there are never many.
CLEAR = """
DELETE FROM games_counter WHERE key IN (
    SELECT key FROM games_counter WHERE ends_at < statement_timestamp() ORDER BY ends_at LIMIT 2 FOR UPDATE SKIP LOCKED
)
"""


class Limit(NamedTuple):
    """So many times in a window of so many seconds, which begins with the first."""

    times: int
    seconds: int

    @classmethod
    def read(cls, text: str) -> "Limit":
        """The limit of a text, "60/300". Raises ValueError."""
        if not re.fullmatch("[1-9][0-9]{0,8}/[1-9][0-9]{0,8}", text):
            raise ValueError(f"{text!r} must look like 60/300: so many times in so many seconds.")
        times, seconds = text.split("/")
        return cls(int(times), int(seconds))


class Rate(NamedTuple):
    """So many units at once, and so many a second after that. Written 1000/100."""

    burst: int
    second: int

    @classmethod
    def read(cls, text: str) -> "Rate":
        """The rate of a text. Raises ValueError."""
        if not re.fullmatch("[1-9][0-9]{0,8}/[1-9][0-9]{0,8}", text):
            raise ValueError(
                f"{text!r} must look like 1000/100: so many calls at once, and so many a second after that."
            )
        burst, second = text.split("/")
        return cls(int(burst), int(second))


def count(what: str, who: Any) -> None:
    """Count that somebody does something. Raises Problem (429, with `seconds` in its params) beyond settings.LIMITS."""
    left = take(what, who, settings.LIMITS[what])
    if left is not None:
        raise too_many(left)


def too_many(seconds: int) -> Problem:
    message = gettext_noop("Too many calls: try again in %(seconds)s seconds.")
    return Problem(429, "throttled", message, params={"seconds": seconds})


def take(what: str, who: Any, limit: Limit) -> int | None:
    """Count it, if the limit is not reached: None; else the seconds until the window ends, and nothing is counted."""
    params = limit._asdict() | {"key": _key(what, who)}
    with connection.cursor() as cursor:
        cursor.execute(TAKE, params)
        if taken := cursor.fetchone():
            if taken[0] == 1:
                cursor.execute(CLEAR)
            return None
        cursor.execute(READ_LEFT, params)
        left = cursor.fetchone()
        return max(1, left[0]) if left else 1


def _key(what: str, who: Any) -> UUID:
    digest = salted_hmac("games.throttles", f"{what} {who}", algorithm="sha256").digest()
    return UUID(bytes=digest[:16])


def mark(what: str, who: Any, seconds: int) -> None:
    """Remember something for so many seconds from now on, as nothing that can be read. A crash may forget it."""
    with connection.cursor() as cursor:
        cursor.execute(MARK, {"key": _key(what, who), "seconds": seconds})


def is_marked(what: str, who: Any) -> bool:
    with connection.cursor() as cursor:
        cursor.execute(IS_MARKED, {"key": _key(what, who)})
        return cursor.fetchone() is not None


def address(request: Any) -> str:
    """What counts as one client (`name_address`)."""
    return name_address(request.META.get("REMOTE_ADDR", ""))


def name_address(text: str) -> str:
    """An IPv4 address, or the /64 that one line has of IPv6."""
    try:
        found = ip_address(text.partition("%")[0])
    except ValueError:
        return text  # a server behind a Unix socket knows none
    if found.version == 4:
        return str(found)
    if found.ipv4_mapped:
        return str(found.ipv4_mapped)
    return str(ip_network((found, 64), strict=False))
