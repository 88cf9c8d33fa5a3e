"""Submits with 100 hints in flight against submits alone, in one run, under daphne and under uvicorn.

The hints come over 100 connections, a closed loop: as soon as one is answered its connection asks the next. Every
other attempt is one in which all cards have been seen, so that the solver is always busy, too.
"""

import asyncio
import json
import os
import time

from tests.bench import bench_http
from tests.bench.bench_http import SERVERS, open_attempts, prepare, running, send_all

HINTS = 100
TURNS = 5
SUBMITS = 150


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


async def ask_until(port: int, request: bytes, ends: asyncio.Event, answers: list[tuple[float, bool]]) -> None:
    """Ask for the same hint again and again; for each answer the seconds it took and whether something was proven."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    while not ends.is_set():
        start = time.perf_counter()
        writer.write(request)
        head = await reader.readuntil(b"\r\n\r\n")
        length = next(line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length"))
        body = json.loads(await reader.readexactly(int(length.split(b":")[1])))
        assert head.startswith(b"HTTP/1.1 200"), body
        answers.append((time.perf_counter() - start, body["hopeless"] is not None))
    writer.close()


async def send_beside(
    port: int, submits: list[bytes], hints: list[bytes]
) -> tuple[list[float], list[tuple[float, bool]]]:
    """The seconds of each submit, and the answers to the hints that were in flight meanwhile."""
    answers: list[tuple[float, bool]] = []
    ends = asyncio.Event()
    asking = [asyncio.ensure_future(ask_until(port, request, ends, answers)) for request in hints]
    await asyncio.sleep(0.5)  # all of them are in flight
    seconds = await send_all(port, submits)
    there = list(answers)
    ends.set()
    await asyncio.gather(*asking)
    return seconds, there


def compare(options: list[str], port: int) -> str:
    """A row of the table: submits alone and beside hints by turns, so that what else runs slows both."""
    turns = [(open_attempts(SUBMITS), open_attempts(SUBMITS)) for _turn in range(TURNS)]
    hints = open_practice(HINTS)
    alone: list[float] = []
    beside: list[float] = []
    answers: list[tuple[float, bool]] = []
    wall = 0.0
    with running(options, port):
        asyncio.run(send_all(port, open_attempts(50)))  # threads, connections and prepared statements are there now
        for first, second in turns:
            alone += asyncio.run(send_all(port, first))
            start = time.perf_counter()
            seconds, there = asyncio.run(send_beside(port, second, hints))
            wall += time.perf_counter() - start
            beside += seconds
            answers += there
    one, two, took = sorted(alone), sorted(beside), sorted(each for each, _proven in answers) or [0.0]
    p50, p99, p50_beside, p99_beside = (row[len(row) * share // 100] * 1000 for row in (one, two) for share in (50, 99))
    return (
        f"{p50:9.0f} {p99:4.0f} {p50_beside:11.0f} {p99_beside:4.0f} {p99_beside / p99:6.2f} {len(answers) / wall:8.0f}"
        f" {took[len(took) // 2] * 1000:7.0f} {sum(proven for _each, proven in answers) / max(1, len(answers)):7.0%}"
    )


def main() -> None:
    os.environ["DATA_DIR"] = str(bench_http.DATA)
    os.environ["NO_MINTING"] = "1"
    (bench_http.DATA / "static").mkdir(parents=True, exist_ok=True)
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "pyramid_site.settings")
    prepare()
    connections = bench_http.CONNECTIONS
    print(f"{os.cpu_count()} cores; submits over {connections} connections, alone and with {HINTS} hints in flight")
    print("server   alone p50  p99  beside p50  p99 ms  ratio  hints/s  p50 ms  proven")
    for number, (name, options) in enumerate(SERVERS.items()):
        print(f"{name:8} {compare(options, 8720 + number)}", flush=True)


if __name__ == "__main__":
    main()
