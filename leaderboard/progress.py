"""What a race shows of an entry while it is played, kept beside the attempt in a narrow table.

A feed reads the rows that changed since a moment. So every statement that changes what is shown of an attempt stamps
its row here by PostgreSQL's clock, in the same transaction (`FOLLOW` in the same statement); a reader allows for the
time that a transaction may last (`feed.OVERLAP`).
"""

from django.db import connection

STATE = """CASE WHEN {a}.voided_at IS NOT NULL THEN 'voided' WHEN {a}.held <> '' THEN 'held'
    WHEN {a}."end" = '' THEN 'playing' ELSE {a}."end" END"""

# the row of an attempt that was just written; %(pass)s is null where the pass stays what it was
FOLLOW = f"""
UPDATE leaderboard_progress p
SET state = {STATE.format(a="a")}, removed = 28 - a."left", moves = a.counted_moves, pass = coalesce(%(pass)s, p.pass),
    changed_at = clock_timestamp()
FROM {{attempt}} a WHERE a.id = p.attempt_id"""

BEGIN = f"""
INSERT INTO leaderboard_progress (entry_id, race_id, attempt_id, state, removed, moves, pass, ends_at, changed_at)
SELECT e.id, e.race_id, a.id, {STATE.format(a="a")}, 28 - a."left", a.counted_moves, %(pass)s, a.ends_at,
    clock_timestamp()
FROM leaderboard_entry e JOIN games_attempt a ON a.id = e.attempt_id WHERE e.id = %(entry)s"""


def begin(entry: int, *, pass_: int = 1) -> None:
    """Show a new entry. pass_: the pass that its attempt stands in. Inside the transaction that enters it."""
    with connection.cursor() as cursor:
        cursor.execute(BEGIN, {"entry": entry, "pass": pass_})


def follow(attempt: int) -> list[int]:
    """Show what has become of an attempt; the races that it is in. Inside the transaction that changed it."""
    with connection.cursor() as cursor:
        statement = FOLLOW.format(attempt="games_attempt") + " AND a.id = %(attempt)s RETURNING p.race_id"
        cursor.execute(statement, {"attempt": attempt, "pass": None})
        return [race for (race,) in cursor.fetchall()]


def follow_all(player: int) -> list[int]:
    """The same for every attempt of a player."""
    with connection.cursor() as cursor:
        statement = FOLLOW.format(attempt="games_attempt") + " AND a.player_id = %(player)s RETURNING p.race_id"
        cursor.execute(statement, {"player": player, "pass": None})
        return [race for (race,) in cursor.fetchall()]


def follow_these(attempts: list[int]) -> None:
    """The same for several attempts."""
    with connection.cursor() as cursor:
        statement = FOLLOW.format(attempt="games_attempt") + " AND a.id = ANY(%(attempts)s)"
        cursor.execute(statement, {"attempts": attempts, "pass": None})
