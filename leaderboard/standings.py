"""Boards in SQL: opening them, placing a win, taking one off, counting a rank. `ranking.sort_key` is the order; this
only repeats it.

A win is one statement: it stores the attempt, its standings and their time buckets together. Locks are taken attempt
first, then standings by board, then buckets by (board, level, bucket, part), so that two writers never wait for each
other in a circle. READ COMMITTED is enough: whatever a win compares itself with or counts on, it has locked (ON
CONFLICT sees the latest version, and so does `old`).
"""

from collections.abc import Sequence
from datetime import date, timedelta
from typing import Any

from django.db import DatabaseError, connection
from django.db.models import Q

from games.engine.rulesets import get_ruleset
from games.models import Attempt, Deal
from leaderboard import progress, ranking
from leaderboard.models import Board, Epoch, Race
from leaderboard.periods import name_periods
from leaderboard.races import day_of

# An attempt with the race that it counts in, and the UTC day on whose boards it stands
RACE_OF = """
    LEFT JOIN leaderboard_entry entry ON entry.attempt_id = {attempt}.id AND entry.ranked
    LEFT JOIN leaderboard_race race ON race.id = entry.race_id,
    LATERAL (
        SELECT coalesce(race.day, (coalesce(race.opens_at, {attempt}.started_at) AT TIME ZONE 'UTC')::date)
    ) d (day)"""
# Whether a win stands on a board (b). Each side of the OR names a beginning of the index on boards: there are several
# boards to every deal
STANDS = """{attempt}.held = '' AND {attempt}.voided_at IS NULL AND (
        (NOT {attempt}.sandbox AND b.deal_id = {attempt}.deal_id AND b.race_id IS NULL AND b.clock = {attempt}.clock)
        OR (b.deal_id IS NULL AND b.race_id = entry.race_id AND {attempt}.ranked)
        OR (b.deal_id IS NULL AND b.race_id IS NULL AND b.ruleset = {attempt}.ruleset AND {attempt}.ranked
            AND NOT {attempt}.sandbox
            AND b.period IN ('', to_char(d.day, 'YYYY-MM-DD'), to_char(d.day, 'IYYY-"W"IW'), to_char(d.day, 'YYYY-MM'),
                to_char(d.day, 'YYYY'))))"""


def open_boards(deal: Deal, clock: str, race: Race | None = None, days: Sequence[date] = ()) -> None:
    """Make the boards that a win on `deal` by `clock` can stand on, where they are missing.

    By the server's clock also those of the race, the ruleset, and the periods of `days`: of the race's day, or of
    today (and where midnight is near tomorrow) without a race.
    """
    if clock == Attempt.SERVER:
        days = days or ([race.day or day_of(race.opens_at)] if race else _read_days())
    kinds = {"": Board.RULESET} | {name: kind for day in days for kind, name in name_periods(day).items()}
    wanted: list[dict[str, Any]] = [{"kind": Board.DEAL, "deal_id": deal.pk}]
    if clock == Attempt.SERVER:
        wanted += [{"kind": Board.RACE, "race_id": race.pk}] if race else []
        wanted += [{"kind": kind, "period": name} for name, kind in kinds.items()]
    those = Q(deal=None, race=None, ruleset=deal.ruleset, period__in=kinds) | Q(deal=deal, race=None, clock=clock)
    if race:
        those |= Q(deal=None, race=race)
    # those of a name are made together: where one order is there, the others are, too
    there = set(Board.objects.filter(those).values_list("kind", "period"))
    missing = [name for name in wanted if (name["kind"], name.get("period", "")) not in there]
    orders = ranking.orders_of(get_ruleset(deal.ruleset).scoring)
    boards = [Board(ruleset=deal.ruleset, clock=clock, order=order, **name) for name in missing for order in orders]
    if boards:
        Board.objects.bulk_create(boards, ignore_conflicts=True)


def _read_days() -> list[date]:
    """Today by PostgreSQL's clock; both days around midnight, since an attempt starts a moment later than asked."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        now = cursor.fetchone()[0]
    return sorted({day_of(now), day_of(now + timedelta(minutes=1))})


# what a standing holds of its attempt, beside the keys
COPIES = ("ended_at", "deal_id", "points", "bonus", "ranked", "assisted")
COPIED = ", ".join(COPIES)

IN_ORDER = "key1, key2, key3, ended_at, attempt_id"
FROM_BELOW = "key1 DESC, key2 DESC, key3 DESC, ended_at DESC, attempt_id DESC"


def row_of(alias: str) -> str:
    return f"({alias}.key1, {alias}.key2, {alias}.key3, {alias}.ended_at, {alias}.attempt_id)"


# Counts follow what `changed` returns (board_id, new_ms, old_ms). The coarsest level is everybody's: there a
# connection writes a shard of its own, so that writers seldom wait for each other's commits
LEVELS = ", ".join(
    f"({shift}, {f'mod(pg_backend_pid(), {ranking.SHARDS})' if shift == ranking.BUCKET_SHIFTS[-1] else 0})"
    for shift in ranking.BUCKET_SHIFTS
)
BY_TIME = f""""order" = '{ranking.TIME}'"""
MOVE_COUNTS = f"""INSERT INTO leaderboard_timebucket AS t (board_id, shift, bucket, shard, count)
    SELECT board_id, shift, ms >> shift, shard, sum(step)
    FROM {{changed}},
        LATERAL (VALUES (new_ms, 1), (old_ms, -1)) steps (ms, step), (VALUES {LEVELS}) levels (shift, shard)
    WHERE ms IS NOT NULL
    GROUP BY 1, 2, 3, 4 HAVING sum(step) <> 0 ORDER BY 1, 2, 3, 4
    ON CONFLICT (board_id, shift, bucket, shard) DO UPDATE SET count = t.count + excluded.count"""

MOVED_FROM = f"""(SELECT * FROM changed UNION ALL SELECT * FROM removed) steps_of
        JOIN leaderboard_board board ON board.id = board_id AND {BY_TIME}"""

PLACE_WIN = f"""
WITH won AS (
    {{write}}
), keys ("order", key1, key2, key3) AS (
    SELECT * FROM unnest(%(orders)s::text[], %(key1)s::int[], %(key2)s::int[], %(key3)s::int[])
), board AS (
    SELECT b.id, b."order" FROM won {RACE_OF.format(attempt="won")}, leaderboard_board b
    WHERE {STANDS.format(attempt="won")}
), placed AS (
    INSERT INTO leaderboard_standing AS s (board_id, player_id, attempt_id, key1, key2, key3, {COPIED})
    SELECT board.id, won.player_id, won.id, keys.key1, keys.key2, keys.key3, {", ".join(f"won.{c}" for c in COPIES)}
    FROM won, board JOIN keys USING ("order") ORDER BY board.id
    ON CONFLICT (board_id, player_id) DO UPDATE
    SET attempt_id = excluded.attempt_id, key1 = excluded.key1, key2 = excluded.key2, key3 = excluded.key3,
        ({COPIED}) = ROW({", ".join(f"excluded.{c}" for c in COPIES)})
    WHERE {row_of("s")} > {row_of("excluded")}
    RETURNING new.board_id, new.key1 AS new_ms, old.key1 AS old_ms
), moved AS (
    {MOVE_COUNTS.format(changed="placed JOIN board ON board.id = board_id AND " + BY_TIME)}
), shown AS (
    {progress.FOLLOW.format(attempt="won")}
)
SELECT id FROM won
"""


def place_win(
    write: str,
    params: dict[str, Any],
    *,
    scoring: str,
    official_ms: int,
    moves: int,
    points: int,
    attempt: int | None = None,
) -> list[dict[str, Any]] | None:
    """Store a won attempt and place it on its boards, in one statement; None where `write` touched no row.

    write: an INSERT or UPDATE of games_attempt RETURNING *, with its `params`. points: with the bonus.
    attempt: the id, where it is known: the places (`read_places`) are then read on the same way to the database,
    after the write and before anybody else's.
    """
    orders = ranking.orders_of(scoring)
    keys = zip(*(ranking.sort_key(order, official_ms, moves, points) for order in orders), strict=True)
    columns = dict(zip(("key1", "key2", "key3"), map(list, keys), strict=True))
    connection.ensure_connection()
    with connection.cursor() as writer, connection.cursor() as reader:
        try:
            with connection.wrap_database_errors, connection.connection.pipeline():
                writer.execute(
                    PLACE_WIN.format(write=write), {"pass": None} | params | columns | {"orders": list(orders)}
                )
                reader.execute(READ_PLACES, [attempt])
        except DatabaseError:
            connection.close()  # it may be stuck in the middle of the pipeline
            raise
        return _name_places(reader.fetchall()) if writer.rowcount == 1 else None


LOCK_STANDINGS = """
SELECT s.board_id, b."order" FROM leaderboard_standing s JOIN leaderboard_board b ON b.id = s.board_id
WHERE s.attempt_id = %s ORDER BY s.board_id FOR UPDATE OF s
"""
CANDIDATES = f"""
SELECT b.id, b."order", a.id, a.official_ms, a.counted_moves, a.points + coalesce(a.bonus, 0), a.ended_at
FROM games_attempt a {RACE_OF.format(attempt="a")}, leaderboard_board b
WHERE a.player_id = %(player)s AND a."end" = 'won' AND b.id = ANY(%(boards)s) AND {STANDS.format(attempt="a")}
"""
REPLACE = f"""
WITH best (board_id, attempt_id, key1, key2, key3) AS (
    SELECT * FROM unnest(%(boards)s::bigint[], %(attempts)s::bigint[], %(key1)s::int[], %(key2)s::int[],
        %(key3)s::int[])
), changed AS (
    UPDATE leaderboard_standing s
    SET attempt_id = best.attempt_id, key1 = best.key1, key2 = best.key2, key3 = best.key3,
        ({COPIED}) = ROW({", ".join(f"a.{c}" for c in COPIES)})
    FROM best JOIN games_attempt a ON a.id = best.attempt_id
    WHERE s.board_id = best.board_id AND s.player_id = %(player)s
    RETURNING new.board_id, new.key1 AS new_ms, old.key1 AS old_ms
), removed AS (
    DELETE FROM leaderboard_standing s USING best
    WHERE s.board_id = best.board_id AND s.player_id = %(player)s AND best.attempt_id IS NULL
    RETURNING s.board_id, NULL::int AS new_ms, s.key1 AS old_ms
), moved AS (
    {MOVE_COUNTS.format(changed=MOVED_FROM)}
)
SELECT
"""


def step_down(attempt: int, player: int) -> None:
    """Take an attempt off its boards: on each the player's next best whole attempt takes its place, if there is one.

    Inside the transaction that has just held or voided the attempt. A win of the player's that is written meanwhile
    waits for the standings that are locked here; what it compares itself with is what this leaves.
    """
    with connection.cursor() as cursor:
        cursor.execute(LOCK_STANDINGS, [attempt])
        boards = [board for board, _order in cursor.fetchall()]
        if not boards:
            return
        # a statement of its own: it sees what was written while the standings were waited for
        cursor.execute(CANDIDATES, {"player": player, "boards": boards})
        best: dict[int, tuple[Any, ...]] = {}
        for board, order, pk, official_ms, moves, points, ended_at in cursor.fetchall():
            key = (*ranking.sort_key(order, official_ms, moves, points), ended_at, pk)
            best[board] = min(key, best.get(board, key))
        rows = [best.get(board, (None,) * 5) for board in boards]
        key1, key2, key3, _ended, attempts = map(list, zip(*rows, strict=True))
        keys = {"key1": key1, "key2": key2, "key3": key3, "attempts": attempts}
        cursor.execute(REPLACE, {"boards": boards, "player": player, **keys})


NEXT_EPOCH = """
INSERT INTO leaderboard_epoch AS epoch (id, number) VALUES (1, 1)
ON CONFLICT (id) DO UPDATE SET number = epoch.number + 1
"""


def forget_kept_pages() -> None:
    """Let every process read boards anew once this is committed: what they keep may show what was taken back.

    The first thing in its transaction: who waits here for another holds nothing that the other may wait for.
    """
    with connection.cursor() as cursor:
        cursor.execute(NEXT_EPOCH)


def read_epoch() -> int:
    """What pages that are kept belong to: see `forget_kept_pages`."""
    return Epoch.objects.values_list("number", flat=True).first() or 0


# every winner has a place in the time order's buckets
TOTAL = f"""(SELECT coalesce(sum(count), 0) FROM leaderboard_timebucket
    WHERE board_id = {{board}} AND shift = {ranking.BUCKET_SHIFTS[-1]})"""
BETTER = "(s.key1, s.key2, s.key3) < (f.key1, f.key2, f.key3)"


def _count_level(shift: int, coarser: int) -> str:
    """How many stand in the buckets of a level that lie below a row's and inside its bucket of the level above."""
    return f"""(SELECT coalesce(sum(count), 0) FROM leaderboard_timebucket
     WHERE board_id = f.board_id AND shift = {shift}
       AND bucket >= f.key1 >> {coarser} << {coarser - shift} AND bucket < f.key1 >> {shift})"""


FINEST = ranking.BUCKET_SHIFTS[0]
IN_BUCKETS = f"""
    {" + ".join(map(_count_level, ranking.BUCKET_SHIFTS, (*ranking.BUCKET_SHIFTS[1:], 31)))}
    + (SELECT count(*) FROM leaderboard_standing s WHERE s.board_id = f.board_id AND s.key1 <= f.key1
       AND s.key1 >= f.key1 >> {FINEST} << {FINEST} AND {BETTER})"""

READ_PLACES = f"""
WITH a AS MATERIALIZED (
    SELECT * FROM games_attempt WHERE id = %s::bigint AND "end" = 'won'
), b AS MATERIALIZED (
    SELECT b.id, b.kind FROM a {RACE_OF.format(attempt="a")}, leaderboard_board b
    WHERE b."order" = '{ranking.TIME}' AND b.period = '' AND {STANDS.format(attempt="a")}
)
SELECT b.kind, 1 + {IN_BUCKETS},
    {TOTAL.format(board="b.id")}, f.attempt_id = a.id
FROM a, b JOIN leaderboard_standing f ON f.board_id = b.id
WHERE f.player_id = a.player_id
ORDER BY b.kind
"""


def read_places(attempt: int) -> list[dict[str, Any]]:
    """Where the player of a won attempt stands by time: {"board", "rank", "total", "best"} for each board.

    best: whether it is with this attempt.
    """
    with connection.cursor() as cursor:
        cursor.execute(READ_PLACES, [attempt])
        return _name_places(cursor.fetchall())


def _name_places(rows: list[tuple[Any, ...]]) -> list[dict[str, Any]]:
    return [dict(zip(("board", "rank", "total", "best"), row, strict=True)) for row in rows]
