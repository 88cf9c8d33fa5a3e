"""Submits and board reads a second over HTTP, beside a bare ping, under daphne and under uvicorn.

The database is the embedded one in a folder of its own, with fsync. Requests come from this process over 16
keep-alive connections, a closed loop. CPU is what the operating system accounts to the server's processes (and to
PostgreSQL's), divided by the requests.
"""

import asyncio
import json
import os
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta
from pathlib import Path

import psutil

ROOT = Path(__file__).parents[2]
DATA = ROOT / ".data" / "bench"
CONNECTIONS = 16
ROUNDS = 3
PINGS, SUBMITS, READS = 4000, 1200, 2000
BOARD_ROWS = 100_000
SERVERS = {"daphne": [], "uvicorn": ["--workers", "1"]}

FILL_BOARD = """
WITH player AS (
    INSERT INTO games_player (password, is_superuser, name, name_key, email, is_active, is_staff)
    SELECT '', false, 'row ' || i, 'row ' || i, '', true, false FROM generate_series(1, %(rows)s) i
    RETURNING id
), attempt AS (
    INSERT INTO games_attempt (player_id, deal_id, ruleset, ranked, clock, started_at, ends_at, ended_at, "end", moves,
        times, plies, rules, official_ms, counted_moves, points, "left")
    SELECT id, %(deal)s, 'T', true, 'server', now(), now(), now(), 'won', '', '{}', 0, 1,
        exp(11.5 + 0.5 * random_normal())::int, 35 + (random() * 40)::int, 28, 0 FROM player
    RETURNING id, player_id, official_ms, counted_moves, ended_at
)
INSERT INTO leaderboard_standing (board_id, player_id, attempt_id, key1, key2, key3, ended_at, deal_id, points, ranked,
    assisted)
SELECT %(board)s, player_id, id, official_ms, counted_moves, 0, ended_at, %(deal)s, 28, true, false FROM attempt
"""
FILL_BUCKETS = """
INSERT INTO leaderboard_timebucket (board_id, shift, bucket, shard, count)
SELECT board_id, shift, key1 >> shift, 0, count(*)
FROM leaderboard_standing, (VALUES (4), (10), (16)) levels (shift)
WHERE board_id = %(board)s GROUP BY 1, 2, 3
"""


def prepare() -> None:
    """An empty database with a ruleset's board of BOARD_ROWS rows."""
    import django
    from django.core.management import call_command
    from django.db import connection

    django.setup()
    call_command("migrate", verbosity=0)
    call_command("flush", interactive=False, verbosity=0)
    from games.actions import store_deal
    from games.engine.deal import Deal
    from leaderboard.models import Board
    from leaderboard.standings import open_boards

    deal = store_deal(deal=Deal.from_seed("T", 0))
    open_boards(deal, "server")
    board = Board.objects.get(kind="ruleset", order="time")
    with connection.cursor() as cursor:
        cursor.execute(FILL_BOARD, {"rows": BOARD_ROWS, "deal": deal.pk, "board": board.pk})
        cursor.execute(FILL_BUCKETS, {"board": board.pk})
        cursor.execute("VACUUM ANALYZE")


def open_attempts(count: int) -> list[bytes]:
    """`count` players with a ranked attempt each on a public deal, as the requests that win them."""
    from django.db import transaction
    from django.utils import timezone
    from knox.models import AuthToken

    from games.actions import store_deal
    from games.engine.cards import read_cards
    from games.engine.deal import Deal
    from games.models import Attempt, Player
    from leaderboard.standings import open_boards

    rows = [line.split("\t") for line in (ROOT / "tests/vectors/tower-deals.tsv").read_text().splitlines()]
    games = [(row[1], row[3]) for row in rows if len(row) == 4 and 40 <= len(row[3].split()) <= 50]
    batch = Player.objects.count()
    requests = []
    with transaction.atomic():
        for number in range(count):
            cards, solution = games[number % len(games)]
            deal = store_deal(deal=Deal.from_cards("T", read_cards(cards)))
            if number < len(games):
                open_boards(deal, "server")
            name = f"bench {batch + number}"
            player = Player.objects.create(name=name, name_key=name)
            _stored, token = AuthToken.objects.create(player)
            started = timezone.now() - timedelta(milliseconds=random.randint(20_000, 3_000_000))
            attempt = Attempt.objects.create(
                player=player, deal=deal, ruleset="T", ranked=True, clock="server", started_at=started,
                ends_at=started + timedelta(hours=24), rules=1, left=28,
            )  # fmt: skip
            body = json.dumps({"from_ply": 0, "moves": solution}).encode()
            head = (
                f"POST /api/v1/attempts/{attempt.pk}/moves/ HTTP/1.1\r\nHost: localhost\r\n"
                f"Authorization: Token {token}\r\n"
                f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
            )
            requests.append(head.encode() + body)
    return requests


def get(path: str) -> bytes:
    return f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()


async def send_all(port: int, requests: list[bytes]) -> list[float]:
    """Send the requests over CONNECTIONS connections; the seconds each took. Any answer but 200 ends the run."""
    waiting = iter(requests)
    seconds: list[float] = []

    async def client() -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        for request in waiting:
            start = time.perf_counter()
            writer.write(request)
            head = await reader.readuntil(b"\r\n\r\n")
            length = next(line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length"))
            body = await reader.readexactly(int(length.split(b":")[1]))
            seconds.append(time.perf_counter() - start)
            if not head.startswith(b"HTTP/1.1 200"):
                sys.exit(f"{head.decode()}{body.decode()}")
        writer.close()

    await asyncio.gather(*(client() for _ in range(CONNECTIONS)))
    return seconds


@contextmanager
def running(options: list[str], port: int) -> Iterator[psutil.Process]:
    """A server on `port`, answering."""
    command = [sys.executable, "manage.py", "serve", "--port", str(port), *options]
    server = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout
        for line in server.stdout:
            if "ready" in line:
                break
        yield psutil.Process(server.pid)
    finally:
        server.terminate()
        server.wait()


def cpu_of(processes: list[psutil.Process]) -> float:
    return sum(sum(process.cpu_times()[:2]) for process in processes)


def postgres() -> psutil.Process:
    """The bench's PostgreSQL: its cpu_times() count the backends that have ended, too."""
    pid = int((DATA / "postgres" / "data" / "postmaster.pid").read_text().split()[0])
    return psutil.Process(pid)


def database_cpu() -> float:
    """Seconds of PostgreSQL's processes, living and ended."""
    server = postgres()
    spent = sum(server.cpu_times()[:4])
    for process in server.children():
        with suppress(psutil.NoSuchProcess):
            spent += sum(process.cpu_times()[:2])
    return spent


def measure(server: psutil.Process, port: int, requests: list[bytes]) -> tuple[float, float, float, float, float]:
    """req/s, server CPU ms, PostgreSQL CPU ms a request, p50 ms, p99 ms."""
    asyncio.run(send_all(port, requests[:50]))  # threads, connections and prepared statements are there now
    requests = requests[50:]
    processes = [server, *server.children(recursive=True)]
    before, before_database, start = cpu_of(processes), database_cpu(), time.perf_counter()
    seconds = sorted(asyncio.run(send_all(port, requests)))
    wall, count = time.perf_counter() - start, len(requests)
    return (
        count / wall,
        (cpu_of(processes) - before) / count * 1000,
        (database_cpu() - before_database) / count * 1000,
        seconds[count // 2] * 1000,
        seconds[count * 99 // 100] * 1000,
    )


def main() -> None:
    os.environ["DATA_DIR"] = str(DATA)
    (DATA / "static").mkdir(parents=True, exist_ok=True)
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "pyramid_site.settings")
    prepare()
    results: dict[tuple[str, str], list[tuple[float, ...]]] = {}
    for _round in range(ROUNDS):
        for number, (name, options) in enumerate(SERVERS.items()):
            port = 8710 + number
            submits = open_attempts(SUBMITS)
            with running(options, port) as server:
                for what, requests in (
                    ("ping", [get("/ping/")] * PINGS),
                    ("submit", submits),
                    ("top 100", [get("/api/v1/rulesets/T/board/?limit=100")] * READS),
                ):
                    results.setdefault((name, what), []).append(measure(server, port, requests))
    print(f"{os.cpu_count()} cores, {CONNECTIONS} connections, medians of {ROUNDS} rounds; board of {BOARD_ROWS} rows")
    print("server   what      req/s  server CPU ms  PostgreSQL CPU ms  p50 ms  p99 ms  CPU / ping's")
    for (name, what), rounds in results.items():
        rate, cpu, database, p50, p99 = (statistics.median(column) for column in zip(*rounds, strict=True))
        ping = statistics.median(row[1] for row in results[name, "ping"])
        print(f"{name:8} {what:8} {rate:6.0f} {cpu:14.2f} {database:18.2f} {p50:7.1f} {p99:7.1f} {cpu / ping:13.1f}")


if __name__ == "__main__":
    main()
