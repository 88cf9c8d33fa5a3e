"""Submits with 100 hints in flight against submits alone, in one run, under daphne and under uvicorn.

The hints come over 100 connections, a closed loop: as soon as one is answered its connection asks the next. Every
other attempt is one in which all cards have been seen, so that the solver is always busy, too.
"""

import asyncio
import json
import os
import statistics
import time

from tests.bench import bench_http
from tests.bench.bench_http import SERVERS, open_attempts, prepare, running, send_all

HINTS = 100
ROUNDS = 3
SUBMITS = 500


def open_practice(count: int) -> list[bytes]:
    """`count` players with a practice attempt each, as the requests that ask for a hint."""
    from django.utils import timezone
    from knox.models import AuthToken

    from games.actions import store_deal
    from games.engine.deal import Deal
    from games.models import Attempt, Player

    now, batch = timezone.now(), Player.objects.count()
    requests = []
    for number in range(count):
        name = f"hints {batch + number}"
        player = Player.objects.create(name=name, name_key=name)
        _stored, token = AuthToken.objects.create(player)
        moves = ["D"] * (24 if number % 2 else 3)
        deal = store_deal(deal=Deal.from_seed("T", 1000 + number))
        attempt = Attempt.objects.create(
            player=player, deal=deal, ruleset="T", ranked=False, clock="server", started_at=now, ends_at=now.replace(
            year=now.year + 1), rules=1, left=28, moves=" ".join(moves), plies=len(moves), times=[0] * len(moves),
        )  # fmt: skip
        requests.append(
            f"POST /api/v1/attempts/{attempt.pk}/hint/ HTTP/1.1\r\nHost: localhost\r\n"
            f"Authorization: Token {token}\r\nContent-Type: application/json\r\nContent-Length: 0\r\n\r\n".encode()
        )
    return requests


async def ask_on(port: int, request: bytes, answers: list[tuple[float, bool]]) -> None:
    """Ask for the same hint for ever; for each answer the seconds it took and whether something was proven."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    while True:
        start = time.perf_counter()
        writer.write(request)
        head = await reader.readuntil(b"\r\n\r\n")
        length = next(line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length"))
        body = json.loads(await reader.readexactly(int(length.split(b":")[1])))
        assert head.startswith(b"HTTP/1.1 200"), body
        answers.append((time.perf_counter() - start, body["hopeless"] is not None))


async def measure(port: int, submits: list[bytes], hints: list[bytes]) -> tuple[list[float], list[tuple[float, bool]]]:
    """The seconds of each submit, sorted, and the answers to the hints that were in flight meanwhile."""
    answers: list[tuple[float, bool]] = []
    asking = [asyncio.ensure_future(ask_on(port, request, answers)) for request in hints]
    if hints:
        while len(answers) < HINTS:
            await asyncio.sleep(0.05)
    answers.clear()
    seconds = await send_all(port, submits)
    for task in asking:
        task.cancel()
    for result in await asyncio.gather(*asking, return_exceptions=True):
        assert isinstance(result, asyncio.CancelledError), result
    return sorted(seconds), answers


def compare(options: list[str], port: int) -> list[float]:
    """p50 and p99 of submits alone and beside hints in ms, hints a second, their p50 in ms, the share proven."""
    alone, beside, hints = open_attempts(SUBMITS), open_attempts(SUBMITS), open_practice(HINTS)
    with running(options, port):
        asyncio.run(send_all(port, open_attempts(50)))  # threads, connections and prepared statements are there now
        without, _none = asyncio.run(measure(port, alone, []))
        start = time.perf_counter()
        seconds, answers = asyncio.run(measure(port, beside, hints))
        wall = time.perf_counter() - start
    took = sorted(each for each, _proven in answers) or [0.0]
    figures = [row[len(row) * share // 100] * 1000 for row in (without, seconds) for share in (50, 99)]
    proven = sum(proven for _each, proven in answers) / max(1, len(answers))
    return [*figures, len(answers) / wall, took[len(took) // 2] * 1000, proven]


def main() -> None:
    os.environ["DATA_DIR"] = str(bench_http.DATA)
    (bench_http.DATA / "static").mkdir(parents=True, exist_ok=True)
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "pyramid_site.settings")
    prepare()
    connections = bench_http.CONNECTIONS
    print(f"{os.cpu_count()} cores; submits over {connections} connections, alone and with {HINTS} hints in flight")
    print("server   alone p50  p99  beside p50  p99 ms  hints/s  p50 ms  proven  p99 beside / alone, each round")
    for number, (name, options) in enumerate(SERVERS.items()):
        rows = [compare(options, 8720 + number) for _round in range(ROUNDS)]
        alone, alone99, beside, beside99, rate, took, proven = map(statistics.median, zip(*rows, strict=True))
        ratios = " ".join(f"{row[3] / row[1]:.2f}" for row in rows)
        print(
            f"{name:8} {alone:9.0f} {alone99:4.0f} {beside:11.0f} {beside99:4.0f} {rate:11.0f} {took:7.0f}"
            f" {proven:7.0%}  {statistics.median(row[3] / row[1] for row in rows):.2f} ({ratios})"
        )


if __name__ == "__main__":
    main()
