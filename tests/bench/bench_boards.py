"""How long a board takes to read and to write, by its size: `make bench-boards ROWS=10000000`.

A PostgreSQL of its own, with fsync, in a folder that is removed in the end (BENCH_DIR keeps one for the next time).
Boards of a thousand rows, ten times as many and so on are made by COPY, side by side in the same tables, with official
times as people have them (log-normal around 99 s). Reads go one after the other over one connection, prepared, in
rounds over all boards, so that what else runs on the machine slows them alike; the times are those of the caller, with
the way to the database and back (`select 1` shows it). Then sixteen writers, each with a connection of its own, send
wins, improvements, voids and restorings to the biggest board for SECONDS, and every count is compared with the rows.
"""

import os
import random
import shutil
import signal
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

ROWS = int(os.environ.get("ROWS") or 1_000_000)
SECONDS = float(os.environ.get("SECONDS") or 60)
WRITERS = 16
ROUNDS = 5
READS = 100
DEPTHS = (0.01, 0.5, 0.99)
LETTERS = "NBCDATF"  # a ruleset for every size
TABLES = ("games_player", "games_attempt", "leaderboard_standing", "leaderboard_timebucket")

# what each table is filled with; nobody's password, no moves: a board reads neither
PLAYERS = """
COPY (SELECT i, '', false, 'row ' || i, 'row ' || i, '', true, false, now() FROM generate_series(1, {rows}) i) TO STDOUT
"""
ATTEMPTS = """
COPY (SELECT {before} + i, i, {deal}, '{letter}', true, 'server', now(), now(), now(), 'won', '', '{{}}', 0, 1,
    exp(11.5 + 0.5 * random_normal())::int, 35 + (random() * 40)::int, 28, 0
    FROM generate_series(1, {rows}) i) TO STDOUT
"""
STANDINGS = """
COPY (SELECT {board}, player_id, id, official_ms, counted_moves, 0, ended_at, deal_id, points, ranked, false
    FROM games_attempt
    WHERE id > {before} AND id <= {before} + {rows}) TO STDOUT
"""
BUCKETS = """
COPY (SELECT board_id, shift, key1 >> shift, mod(attempt_id, CASE shift WHEN 16 THEN 8 ELSE 1 END), count(*)
    FROM leaderboard_standing, (VALUES (4), (10), (16)) levels (shift) GROUP BY 1, 2, 3, 4) TO STDOUT
"""
INTO_PLAYERS = "games_player (id, password, is_superuser, name, name_key, email, is_active, is_staff, joined_at)"
INTO_ATTEMPTS = (
    'games_attempt (id, player_id, deal_id, ruleset, ranked, clock, started_at, ends_at, ended_at, "end", moves,'
    ' times, plies, rules, official_ms, counted_moves, points, "left")'
)
INTO_STANDINGS = (
    "leaderboard_standing (board_id, player_id, attempt_id, key1, key2, key3, ended_at, deal_id, points, ranked,"
    " assisted)"
)
INTO_BUCKETS = "leaderboard_timebucket (board_id, shift, bucket, shard, count)"

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
    """A migrated database in a new folder, which is removed when PostgreSQL has left it; or the one in BENCH_DIR."""
    kept = os.environ.get("BENCH_DIR")
    folder = Path(kept or tempfile.mkdtemp(prefix="bench-boards-"))
    os.environ |= {
        "DATA_DIR": str(folder),
        "DJANGO_SETTINGS_MODULE": "pyramid_site.settings",
        "POSTGRES_SERVER_OPTIONS": "shared_buffers=4GB,maintenance_work_mem=1GB,max_wal_size=16GB",
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
        if not kept:
            pid = int((folder / "postgres/data/postmaster.pid").read_text().split()[0])
            os.kill(pid, signal.SIGINT)
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


def make_boards(db: Any, sizes: dict[str, int]) -> None:
    """For each ruleset's letter a time board of so many rows, and nothing else."""
    from games.actions import store_deal
    from games.engine.deal import Deal
    from leaderboard.models import Board
    from leaderboard.standings import open_boards

    db.execute(f"TRUNCATE {', '.join(TABLES)} CASCADE")
    with without_indexes(db):
        copy_rows(PLAYERS.format(rows=max(sizes.values())), INTO_PLAYERS)
        before = 0
        for letter, rows in sizes.items():
            deal = store_deal(deal=Deal.from_seed(letter, 0))
            open_boards(deal, "server")
            board = Board.objects.get(kind="ruleset", ruleset=letter, order="time")
            names = {"rows": rows, "before": before, "deal": deal.pk, "letter": letter, "board": board.pk}
            copy_rows(ATTEMPTS.format(**names), INTO_ATTEMPTS)
            copy_rows(STANDINGS.format(**names), INTO_STANDINGS)
            before += rows
        copy_rows(BUCKETS, INTO_BUCKETS)
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


def list_reads(letter: str, rows: int) -> dict[str, list[Callable[[], Any]]]:
    """READS calls of each kind to a board, around players near each depth."""
    from django.db import connection

    from games.models import Player
    from leaderboard.models import Standing
    from leaderboard.pages import BoardKey, read_page
    from leaderboard.standings import read_places

    def ask() -> None:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
            cursor.fetchone()

    key = BoardKey(letter, "time")
    board = Standing.objects.filter(board__kind="ruleset", board__ruleset=letter, board__order="time")
    order = board.order_by("key1", "key2", "key3", "ended_at", "attempt")
    reads: dict[str, list[Callable[[], Any]]] = {"select 1": [ask] * READS}
    reads["top 100"] = [partial(read_page, key, limit=100)] * READS
    for depth in DEPTHS:
        start = min(max(int(depth * rows) - READS // 2, 0), rows - READS)
        found = list(order[start : start + READS])
        players = [Player(pk=row.player_id) for row in found]
        reads[f"rank {depth:.0%}"] = [partial(read_places, row.attempt_id) for row in found]
        reads[f"around {depth:.0%}"] = [partial(read_page, key, limit=5, around=player) for player in players]
    return reads


def measure_reads(sizes: dict[str, int]) -> dict[tuple[str, str], list[float]]:
    """The ms that each read of each board took, sorted; every round asks all boards for everything."""
    boards = {letter: list_reads(letter, rows) for letter, rows in sizes.items()}
    seconds: dict[tuple[str, str], list[float]] = {}
    for round_ in range(ROUNDS + 1):
        for name in next(iter(boards.values())):
            for number in range(READS):
                for letter, reads in boards.items():
                    start = time.perf_counter()
                    reads[name][number]()
                    if round_:  # the first is for plans and caches
                        seconds.setdefault((letter, name), []).append(time.perf_counter() - start)
    return {place: sorted(one * 1000 for one in found) for place, found in seconds.items()}


def compare_ranks(letter: str, rows: int) -> None:
    """Ranks from the buckets and by a plain count, for random players: they must be equal."""
    from django.db import connection

    from leaderboard.models import Standing
    from leaderboard.standings import read_places

    board = Standing.objects.filter(board__kind="ruleset", board__ruleset=letter, board__order="time")
    for standing in board.filter(player__in=[1 + random.randrange(rows) for _ in range(10)]):
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT count(*) FROM leaderboard_standing WHERE board_id = %s AND (key1, key2, key3) < (%s, %s, %s)",
                [standing.board_id, standing.key1, standing.key2, standing.key3],
            )
            better = cursor.fetchone()[0]
        (place,) = (place for place in read_places(standing.attempt_id) if place["board"] == "ruleset")
        assert (place["rank"], place["total"]) == (better + 1, rows), (place, better)


def main() -> None:
    powers = [10**n for n in range(3, 9) if 10**n < ROWS] + [ROWS]
    sizes = dict(zip(LETTERS, powers, strict=False))
    with a_database() as connection:
        from leaderboard.models import Standing

        begun = time.monotonic()
        if Standing.objects.count() < sum(powers):
            with connection.cursor() as cursor:
                make_boards(cursor.cursor, sizes)
        print(f"{os.cpu_count()} cores; boards made in {time.monotonic() - begun:.0f} s", flush=True)
        for letter, rows in sizes.items():
            compare_ranks(letter, rows)
        found = measure_reads(sizes)
        print_table("median", sizes, {place: times[len(times) // 2] for place, times in found.items()})
        print_table("fastest tenth", sizes, {place: times[len(times) // 10] for place, times in found.items()})
        write(SECONDS, *list(sizes.items())[-1])


def print_table(what: str, sizes: dict[str, int], found: dict[tuple[str, str], float]) -> None:
    """A line for each size: ms, and how many times that of the smallest board."""
    names = list(dict.fromkeys(name for _letter, name in found))
    first = next(iter(sizes))
    print(f"{what} of {ROUNDS * READS} reads, ms (times what {sizes[first]:,} rows take)")
    print("rows".rjust(12), *(name.rjust(13) for name in names))
    for letter, rows in sizes.items():
        cells = (f"{found[letter, name]:.2f} ({found[letter, name] / found[first, name]:.1f})" for name in names)
        print(f"{rows:12,}", *(cell.rjust(13) for cell in cells), flush=True)


def write(seconds: float, letter: str, rows: int) -> None:
    """Sixteen writers on the biggest board; how often they wrote, and that nothing was counted wrong."""
    from django.db import connection

    from games.models import Deal

    deal = Deal.objects.get(ruleset=letter).pk
    written: Counter[str] = Counter()
    failed: list[BaseException] = []
    end = time.monotonic() + seconds
    threads = [
        threading.Thread(target=run_writer, args=(seed, end, deal, letter, rows, written, failed))
        for seed in range(WRITERS)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with connection.cursor() as cursor:
        cursor.execute(DIFFERENCES)
        wrong = cursor.fetchone()[0]
        cursor.execute("SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()")
        deadlocks = cursor.fetchone()[0]
    done = ", ".join(f"{count / seconds:.0f} {what}/s" for what, count in sorted(written.items()))
    print(
        f"{WRITERS} writers, {seconds:.0f} s: {done}; {deadlocks} deadlocks, {len(failed)} errors, {wrong} wrong counts"
    )
    if wrong or failed or deadlocks:
        sys.exit(str(failed[:3]))


def run_writer(
    seed: int, end: float, deal: int, letter: str, rows: int, written: Counter[str], failed: list[BaseException]
) -> None:
    """Wins of random players, half of them of a hundred who improve; one in ten is voided, and then restored."""
    from django.db import connection

    from games.models import Attempt
    from leaderboard import moderating
    from leaderboard.standings import place_win
    from tests.players import INSERT_WIN

    generator = random.Random(seed)
    try:
        while time.monotonic() < end:
            player = 1 + generator.randrange(rows if generator.random() < 0.5 else 100)
            if generator.random() < 0.1:
                attempt = Attempt.objects.filter(player_id=player).order_by("official_ms").first()
                assert attempt
                written["voids"] += moderating.void(attempt=attempt)
                written["restorings"] += moderating.restore(attempt=attempt)
                continue
            official_ms = round(generator.lognormvariate(11.5, 0.5))
            params = {
                "player": player, "deal": deal, "ruleset": letter, "ranked": True, "at": datetime.now(UTC),
                "moves": 40, "official_ms": official_ms, "points": 28, "bonus": None,
            }  # fmt: skip
            placed = place_win(INSERT_WIN, params, scoring="cards", official_ms=official_ms, moves=40, points=28)
            assert placed is not None
            written["wins"] += 1
    except BaseException as error:
        failed.append(error)
    finally:
        connection.close()


if __name__ == "__main__":
    main()
