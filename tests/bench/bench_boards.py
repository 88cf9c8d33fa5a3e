"""How long a board takes to read and to write, by its size: `make bench-boards ROWS=10000000`.

A PostgreSQL of its own, with fsync, in a folder that is removed in the end. The boards are made by COPY, one size
after the other, with official times as people have them (log-normal around 99 s). Reads go one after the other
over one connection, prepared; the times are those of the caller, with the way to the database and back (`SELECT 1`
shows it). Then sixteen writers, each with a connection of its own, send wins, improvements, voids and restorings for
SECONDS, and every count is compared with the rows.
"""

import os
import random
import shutil
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROWS = int(os.environ.get("ROWS") or 1_000_000)
SECONDS = float(os.environ.get("SECONDS") or 60)
WRITERS = 16
ROUNDS = 5
READS = 100
DEPTHS = (0.01, 0.5, 0.99)
TABLES = ("games_player", "games_attempt", "leaderboard_standing", "leaderboard_timebucket")

# what each table is filled with; nobody's password, no moves: a board reads neither
PLAYERS = """
COPY (SELECT i, '', false, 'row ' || i, 'row ' || i, '', true, false, now() FROM generate_series(1, {rows}) i) TO STDOUT
"""
ATTEMPTS = """
COPY (SELECT i, i, {deal}, 'T', true, 'server', now(), now(), now(), 'won', '', '{{}}', 0, 1,
    exp(11.5 + 0.5 * random_normal())::int, 35 + (random() * 40)::int, 28, 0
    FROM generate_series(1, {rows}) i) TO STDOUT
"""
STANDINGS = """
COPY (SELECT {board}, player_id, id, official_ms, counted_moves, 0, ended_at FROM games_attempt) TO STDOUT
"""
BUCKETS = """
COPY (SELECT board_id, shift, key1 >> shift, mod(attempt_id, CASE shift WHEN 16 THEN 8 ELSE 1 END), count(*)
    FROM leaderboard_standing, (VALUES (4), (10), (16)) levels (shift) GROUP BY 1, 2, 3, 4) TO STDOUT
"""
INTO = {
    "games_player (id, password, is_superuser, name, name_key, email, is_active, is_staff, joined_at)": PLAYERS,
    'games_attempt (id, player_id, deal_id, ruleset, ranked, clock, started_at, ends_at, ended_at, "end", moves,'
    ' times, plies, rules, official_ms, counted_moves, points, "left")': ATTEMPTS,
    "leaderboard_standing (board_id, player_id, attempt_id, key1, key2, key3, ended_at)": STANDINGS,
    "leaderboard_timebucket (board_id, shift, bucket, shard, count)": BUCKETS,
}

# the plain count that every bucket must equal
DIFFERENCES = """
SELECT count(*) FROM (
    SELECT board_id, shift, bucket, sum(count) AS n FROM leaderboard_timebucket GROUP BY 1, 2, 3 HAVING sum(count) <> 0
) kept FULL JOIN (
    SELECT board_id, shift, key1 >> shift AS bucket, count(*) AS n
    FROM leaderboard_standing s JOIN leaderboard_board b ON b.id = s.board_id AND b."order" = 'time',
        (VALUES (4), (10), (16)) levels (shift)
    GROUP BY 1, 2, 3
) counted USING (board_id, shift, bucket)
WHERE kept.n IS DISTINCT FROM counted.n
"""


@contextmanager
def a_database() -> Iterator[Any]:
    """A migrated database in a new folder; the folder is removed when PostgreSQL has left it."""
    folder = Path(tempfile.mkdtemp(prefix="bench-boards-", dir=os.environ.get("BENCH_DIR")))
    os.environ |= {
        "DATA_DIR": str(folder),
        "DJANGO_SETTINGS_MODULE": "pyramid_site.settings",
        "POSTGRES_SERVER_OPTIONS": "shared_buffers=2GB,maintenance_work_mem=1GB,max_wal_size=8GB",
    }
    import django
    from django.core.management import call_command
    from django.db import connection

    django.setup()
    call_command("migrate", verbosity=0)
    try:
        yield connection
    finally:
        connection.close()
        pid = int((folder / "postgres/data/postmaster.pid").read_text().split()[0])
        os.kill(pid, 2)
        while (folder / "postgres/data/postmaster.pid").exists():
            time.sleep(0.1)
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def without_indexes(db: Any) -> Iterator[None]:
    """Load first, index then; what the loaded rows refer to is there, so nobody needs to look it up."""
    db.execute(
        """SELECT conrelid::regclass, conname, pg_get_constraintdef(oid) FROM pg_constraint
        WHERE conrelid::regclass::text = ANY(%s) AND contype IN ('p', 'u') ORDER BY conname""",
        [list(TABLES)],
    )
    constraints = db.fetchall()
    db.execute("SET session_replication_role = replica")
    db.execute(
        """SELECT indexrelid::regclass, pg_get_indexdef(indexrelid) FROM pg_index
        WHERE indrelid::regclass::text = ANY(%s)
        AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid AND contype IN ('p', 'u'))""",
        [list(TABLES)],
    )
    indexes = db.fetchall()
    for index, _made in indexes:
        db.execute(f"DROP INDEX {index}")
    for table, name, _made in constraints:
        db.execute(f"ALTER TABLE {table} DROP CONSTRAINT {name} CASCADE")
    yield
    for table, name, made in constraints:
        db.execute(f'ALTER TABLE {table} ADD CONSTRAINT "{name}" {made}')
    for _index, made in indexes:
        db.execute(made)
    db.execute("SET session_replication_role = origin")


def fill(db: Any, rows: int, deal: int, board: int) -> None:
    """A time board of `rows` rows and nothing else."""
    db.execute(f"TRUNCATE {', '.join(TABLES)} CASCADE")
    with without_indexes(db):
        for table, query in INTO.items():
            copy_rows(query.format(rows=rows, deal=deal, board=board), table)
    for table in ("games_player", "games_attempt", "leaderboard_standing"):
        db.execute(f"SELECT setval(pg_get_serial_sequence('{table}', 'id'), max(id)) FROM {table}")
    db.execute("VACUUM ANALYZE")


def copy_rows(query: str, table: str) -> None:
    """What a COPY of one connection says is what a COPY of another reads."""
    import psycopg
    from django.db import connection

    connection.ensure_connection()
    params = connection.get_connection_params()
    names = ("dbname", "user", "password", "host", "port", "requirepeer")
    login = {name: value for name, value in params.items() if name in names and value}
    with psycopg.connect(**login) as source, source.cursor().copy(query) as rows:
        with connection.connection.cursor().copy(f"COPY {table} FROM STDIN") as into:
            for block in rows:
                into.write(block)


def measure_reads(rows: int) -> dict[str, float]:
    """The median ms of each read, over random players near each depth; each round asks for everything."""
    from django.db import connection

    from games.models import Player
    from leaderboard.models import Standing
    from leaderboard.standings import BoardKey, read_page, read_places

    key = BoardKey("T", "time")
    order = Standing.objects.order_by("key1", "key2", "key3", "ended_at", "attempt")
    near: dict[float, list[Standing]] = {}
    for depth in DEPTHS:
        start = max(int(depth * rows) - 50, 0)
        near[depth] = list(order[start : start + READS])
    players = {row.player_id: Player(pk=row.player_id) for rows_ in near.values() for row in rows_}

    def ask() -> None:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
            cursor.fetchone()

    reads: dict[str, list[Callable[[], Any]]] = {"select 1": [ask] * READS}
    reads["top 100"] = [lambda: read_page(key, limit=100)] * READS
    for depth, found in near.items():
        reads[f"rank {depth:.0%}"] = [lambda row=row: read_places(row.attempt_id) for row in found]  # type: ignore[misc]
        reads[f"around {depth:.0%}"] = [
            lambda row=row: read_page(key, limit=5, around=players[row.player_id])  # type: ignore[misc]
            for row in found
        ]
    seconds: dict[str, list[float]] = {name: [] for name in reads}
    for round_ in range(ROUNDS + 1):
        for name, calls in reads.items():
            for call in calls:
                start_ = time.perf_counter()
                call()
                if round_:  # the first is for plans and caches
                    seconds[name].append(time.perf_counter() - start_)
    return {name: statistics.median(found) * 1000 for name, found in seconds.items()}


def compare_ranks(rows: int) -> None:
    """Ranks from the buckets and by a plain count, for random players: they must be equal."""
    from django.db import connection

    from leaderboard.models import Standing
    from leaderboard.standings import read_places

    low = Standing.objects.order_by("pk")[0].pk
    for standing in Standing.objects.filter(pk__in=[low + random.randrange(rows) for _ in range(20)]):
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT count(*) FROM leaderboard_standing WHERE board_id = %s AND (key1, key2, key3) < (%s, %s, %s)",
                [standing.board_id, standing.key1, standing.key2, standing.key3],
            )
            better = cursor.fetchone()[0]
        (place,) = (place for place in read_places(standing.attempt_id) if place["board"] == "ruleset")
        assert (place["rank"], place["total"]) == (better + 1, rows), (place, better)


def main() -> None:
    with a_database() as connection:
        from games.actions import store_deal
        from games.engine.deal import Deal
        from leaderboard.models import Board
        from leaderboard.standings import open_boards

        deal = store_deal(deal=Deal.from_seed("T", 0))
        open_boards(deal, "server")
        board = Board.objects.get(kind="ruleset", order="time")
        sizes = [10**n for n in range(3, 8) if 10**n < ROWS] + [ROWS]
        first: dict[str, float] = {}
        print(f"{os.cpu_count()} cores; median ms of {ROUNDS * READS} reads (times what {sizes[0]:,} rows take)")
        for rows in sizes:
            begun = time.monotonic()
            with connection.cursor() as cursor:
                fill(cursor.cursor, rows, deal.pk, board.pk)
            filled = time.monotonic() - begun
            found = measure_reads(rows)
            first = first or found
            compare_ranks(rows)
            figures = ", ".join(f"{name} {ms:.2f} ({ms / first[name]:.1f})" for name, ms in found.items())
            print(f"{rows:>10,} rows, filled in {filled:.0f} s: {figures}", flush=True)
        write(SECONDS)


def write(seconds: float) -> None:
    """Sixteen writers on the biggest board; how often they wrote, and that nothing was counted wrong."""
    from django.db import connection

    written: list[int] = []
    failed: list[BaseException] = []
    end = time.monotonic() + seconds
    threads = [threading.Thread(target=run_writer, args=(seed, end, written, failed)) for seed in range(WRITERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with connection.cursor() as cursor:
        cursor.execute(DIFFERENCES)
        wrong = cursor.fetchone()[0]
        cursor.execute("SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()")
        deadlocks = cursor.fetchone()[0]
    print(
        f"{WRITERS} writers, {seconds:.0f} s: {sum(written) / seconds:.0f} writes/s, {deadlocks} deadlocks, "
        f"{len(failed)} errors, {wrong} wrong counts"
    )
    if wrong or failed or deadlocks:
        sys.exit(str(failed[:3]))


def run_writer(seed: int, end: float, written: list[int], failed: list[BaseException]) -> None:
    """Wins of random players, most of them improvements of the few that are sent often."""
    from django.db import connection

    from games.models import Deal
    from leaderboard.standings import place_win
    from tests.players import INSERT_WIN

    generator = random.Random(seed)
    count = 0
    deal = Deal.objects.get(ruleset="T")
    try:
        while time.monotonic() < end:
            official_ms = round(generator.lognormvariate(11.5, 0.5))
            params = {
                "player": 1 + generator.randrange(ROWS if generator.random() < 0.5 else 100), "deal": deal.pk,
                "ruleset": "T", "ranked": True, "at": "2026-11-30T12:00:00+00:00", "moves": 40,
                "official_ms": official_ms, "points": 28, "bonus": None,
            }  # fmt: skip
            placed = place_win(INSERT_WIN, params, scoring="cards", official_ms=official_ms, moves=40, points=28)
            assert placed is not None
            count += 1
    except BaseException as error:
        failed.append(error)
    finally:
        written.append(count)
        connection.close()


if __name__ == "__main__":
    main()
