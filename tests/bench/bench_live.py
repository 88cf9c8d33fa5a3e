"""Live races under load: what a change costs, and how long it takes to reach the last of many sockets.

First many sockets watch one race in which racers make moves over REST, under daphne, under uvicorn, and more of them
under two uvicorns. Then racers play over sockets, with gaps as people have them, while others submit whole games over
REST; at the end the board that the watchers know must be the database's. All of it shares one machine.

Latency is from the moment at which the mover has the answer to the moment at which the last socket has the row.
SOCKETS, MANY, RACERS and SECONDS make a run smaller or larger.
"""

import asyncio
import json
import os
import random
import resource
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx
import psutil
from websockets.asyncio.client import connect

from tests.bench.bench_http import DATA, cpu_of, database_cpu, running
from tests.bench.listeners import Listeners

SOCKETS = int(os.environ.get("SOCKETS") or 1000)
MANY = int(os.environ.get("MANY") or 4000)
RACERS = int(os.environ.get("RACERS") or 100)
SECONDS = float(os.environ.get("SECONDS") or 30)
MOVES_A_SECOND = 10.0
WATCHERS = SOCKETS // 2
SUBMITTERS = 20
PORT = 8730


@dataclass
class Racer:
    """A player of the bench: the token, the line that wins, and where the attempt stands."""

    name: str
    token: str
    line: list[str]
    attempt: int = 0
    ply: int = 0

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Token {self.token}"}


@dataclass
class Write:
    """A move that was acknowledged."""

    player: str
    moves: int
    won: bool
    answered: float


@dataclass
class Race:
    """A race of its own, and those who may enter it."""

    id: int
    racers: list[Racer]
    writes: list[Write] = field(default_factory=list)
    busy: int = 0


def prepare() -> None:
    import django
    from django.core.management import call_command

    django.setup()
    call_command("migrate", verbosity=0)
    call_command("flush", interactive=False, verbosity=0)


def make_race(number: int, players: int) -> Race:
    """A race on the easy deal of the tests, and so many players, each with an own order of its moves."""
    from django.db import connection, transaction
    from knox.models import AuthToken

    from games.models import Player
    from leaderboard import actions, racing
    from tests.players import easy_deal, own_line

    with transaction.atomic():
        now = actions.read_clock()
        race = racing.create_race(
            host=None, name=f"bench {number}", deal=easy_deal(), opens_at=now, closes_at=now.replace(year=now.year + 1)
        )
        racers = []
        for i in range(players):
            name = f"racer {number} {i}"
            player = Player.objects.create(name=name, name_key=name)
            racers.append(Racer(name, AuthToken.objects.create(player)[1], own_line(i).split(" ")))
    connection.close()
    return Race(race.pk, racers)


# Writing


async def post(api: httpx.AsyncClient, race: Race, racer: Racer, path: str, body: Any) -> Any:
    """The answer to a call; a busy server is asked again, as it says."""
    while True:
        answer = await api.post(path, json=body, headers=racer.headers)
        if answer.status_code != 503:
            assert answer.status_code in (200, 201), answer.text
            return answer.json()
        race.busy += 1
        await asyncio.sleep(1)


async def enter(api: httpx.AsyncClient, race: Race, racer: Racer) -> None:
    racer.attempt = (await post(api, race, racer, f"races/{race.id}/attempts/", {}))["id"]


async def move(api: httpx.AsyncClient, race: Race, racer: Racer, count: int = 1) -> None:
    """The next tokens of a racer, over REST."""
    call = {"from_ply": racer.ply, "moves": " ".join(racer.line[racer.ply : racer.ply + count])}
    note(race, racer, count, await post(api, race, racer, f"attempts/{racer.attempt}/moves/", call))


def note(race: Race, racer: Racer, count: int, body: Any) -> None:
    answered = time.perf_counter()
    racer.ply += count
    race.writes.append(Write(racer.name, racer.ply, body["end"] == "won", answered))


async def let_in(api: httpx.AsyncClient, race: Race, waiting: list[Racer]) -> list[Racer]:
    """RACERS who play, some of them near the end of their games."""
    playing: list[Racer] = []
    for number in range(RACERS):
        racer = waiting.pop(0)
        await enter(api, race, racer)
        if ply := number % len(racer.line):
            await move(api, race, racer, ply)
        playing.append(racer)
    await asyncio.sleep(1)
    race.writes.clear()
    return playing


async def move_steadily(api: httpx.AsyncClient, race: Race, playing: list[Racer], waiting: list[Racer]) -> None:
    """MOVES_A_SECOND in all by those who play, one after the other; who has won makes room for the next."""
    start = time.perf_counter()
    running: set[asyncio.Task[None]] = set()
    for number in range(int(SECONDS * MOVES_A_SECOND)):
        await asyncio.sleep(max(0.0, start + number / MOVES_A_SECOND - time.perf_counter()))
        place = number % len(playing)
        if playing[place].ply == len(playing[place].line):
            playing[place] = waiting.pop(0)
            await enter(api, race, playing[place])
        running.add(asyncio.ensure_future(move(api, race, playing[place])))
    await asyncio.gather(*running)


# Figures


def percentile(values: list[float], part: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * part))] if ordered else float("nan")


def write_ms(values: list[float]) -> str:
    p50, p99, most = (percentile(values, part) * 1000 for part in (0.5, 0.99, 1))
    return f"p50 {p50:6.1f}  p99 {p99:6.1f}  max {most:6.1f} ms (of {len(values)})"


def find_delays(race: Race, listeners: Listeners) -> tuple[list[float], list[float]]:
    """Seconds from each answer to the last socket: of moves, and of finishes. Each must have come to all."""
    progress: list[float] = []
    finishes: list[float] = []
    frames = [(frame["rows"], arrival) for frame, arrival in listeners.frames() if frame["type"] == "changes"]
    for write in race.writes:
        last, told = 0.0, 0
        for rows, arrival in frames:  # each process has frames of its own
            if any(row["player"] == write.player and row["moves"] >= write.moves for row in rows):
                last, told = max(last, arrival.last), told + arrival.count
                if told >= len(listeners.sockets):
                    break
        assert told >= len(listeners.sockets), write
        (finishes if write.won else progress).append(max(0.0, last - write.answered))
    return progress, finishes


@contextmanager
def measured(server: psutil.Process, title: str) -> Iterator[None]:
    """Print the cores that the server and PostgreSQL take in the block."""
    processes = [server, *server.children(recursive=True)]
    before, database, start = cpu_of(processes), database_cpu(), time.perf_counter()
    yield
    wall = time.perf_counter() - start
    spent, spent_database = (cpu_of(processes) - before) / wall, (database_cpu() - database) / wall
    print(f"{title}: server {spent:.2f} core, PostgreSQL {spent_database:.2f} core, over {wall:.0f} s")


def memory(server: psutil.Process) -> int:
    return sum(process.memory_info().rss for process in [server, *server.children(recursive=True)])


# The two loads


async def watch_steady_race(server: psutil.Process, race: Race, sockets: int) -> None:
    """`sockets` watch, RACERS make MOVES_A_SECOND."""
    listeners = Listeners()
    before, start = memory(server), time.perf_counter()
    await listeners.open(PORT, f"/ws/races/{race.id}/", sockets)
    took = time.perf_counter() - start
    print(f"  opened in {took:.1f} s; {(memory(server) - before) / sockets / 1024:.1f} KB a socket")
    async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{PORT}/api/v1/", trust_env=False, timeout=30) as api:
        waiting = list(race.racers)
        playing = await let_in(api, race, waiting)
        with measured(server, "  with their moves"):
            await move_steadily(api, race, playing, waiting)
        await asyncio.sleep(2)
    progress, finishes = find_delays(race, listeners)
    print(f"  progress: {write_ms(progress)}\n  finishes: {write_ms(finishes)}\n  sockets lost: {listeners.lost}")
    listeners.close()


async def play_over_socket(race: Race, racer: Racer, chance: random.Random, end: float, seconds: list[float]) -> None:
    """A move a second, with gaps as people make them."""
    protocols: Any = ["pyramidion", f"token.{racer.token}"]
    address = f"ws://127.0.0.1:{PORT}/ws/attempts/{racer.attempt}/"
    async with connect(address, subprotocols=protocols, proxy=None, compression=None) as socket:
        await socket.recv()
        while racer.ply < len(racer.line):
            await asyncio.sleep(chance.lognormvariate(-0.5, 1))  # a second on average
            if time.perf_counter() > end:
                return
            start = time.perf_counter()
            await socket.send(json.dumps({"ref": racer.ply, "from_ply": racer.ply, "moves": racer.line[racer.ply]}))
            answer = json.loads(await socket.recv())
            if answer["status"] == 503:
                race.busy += 1
                continue
            assert answer["status"] == 200, answer
            note(race, racer, 1, answer["body"])
            seconds.append(time.perf_counter() - start)


async def submit_games(
    api: httpx.AsyncClient,
    race: Race,
    waiting: Iterator[Racer],
    chance: random.Random,
    end: float,
    seconds: list[float],
) -> None:
    """Enter as one player after the other, and win in one call."""
    while time.perf_counter() < end and (racer := next(waiting, None)):
        await enter(api, race, racer)
        start = time.perf_counter()
        await move(api, race, racer, len(racer.line))
        seconds.append(time.perf_counter() - start)
        await asyncio.sleep(chance.lognormvariate(0.6, 0.5))


async def race_for_real(server: psutil.Process, race: Race) -> None:
    """RACERS play over sockets, WATCHERS watch, SUBMITTERS submit; nothing may be lost."""
    listeners = Listeners()
    moves: list[float] = []
    submits: list[float] = []
    waiting = iter(race.racers)
    async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{PORT}/api/v1/", trust_env=False, timeout=30) as api:
        racers = [next(waiting) for _ in range(RACERS)]
        for racer in racers:
            await enter(api, race, racer)
        await listeners.open(PORT, f"/ws/races/{race.id}/", WATCHERS)
        with measured(server, f"  {RACERS} racers on sockets, {WATCHERS} watchers, {SUBMITTERS} submitters"):
            end = time.perf_counter() + SECONDS
            await asyncio.gather(
                *(play_over_socket(race, one, random.Random(i), end, moves) for i, one in enumerate(racers)),
                *(submit_games(api, race, waiting, random.Random(-1 - i), end, submits) for i in range(SUBMITTERS)),
            )
        await asyncio.sleep(2)
        await check_nothing_is_lost(api, race, listeners)
    progress, finishes = find_delays(race, listeners)
    print(f"  a move over a socket: {write_ms(moves)}\n  a game over REST:     {write_ms(submits)}")
    print(f"  progress: {write_ms(progress)}\n  finishes: {write_ms(finishes)}\n  sockets lost: {listeners.lost}")
    listeners.close()


async def check_nothing_is_lost(api: httpx.AsyncClient, race: Race, listeners: Listeners) -> None:
    """What was acknowledged is stored, and what the watchers know is what a fresh snapshot says."""
    known: dict[str, Any] = {}
    rows: dict[str, Any] = {}
    for frame, _arrival in listeners.frames():
        known |= {name: frame[name] for name in ("counts", "top") if name in frame}
        rows |= {row["player"]: row for row in (*frame.get("playing", []), *frame.get("rows", []))}
    fresh = (await api.get(f"races/{race.id}/changes/")).json()
    assert known == {name: fresh[name] for name in known}, "the board of the watchers is the database's"
    board = (await api.get(f"races/{race.id}/board/?limit=100")).json()["rows"][:10]
    assert [row["player"] for row in board] == [row["player"] for row in known["top"]]
    for racer in race.racers:
        if racer.attempt:
            stored = (await api.get(f"attempts/{racer.attempt}/", headers=racer.headers)).json()
            assert stored["replay"]["moves"].split() == racer.line[: racer.ply], racer.name
            assert (rows[racer.name]["moves"], stored["end"] == "won") == (racer.ply, racer.ply == len(racer.line))
    print(
        f"  nothing lost of {len(race.writes)} acknowledged calls, {race.busy} times busy; the board is the database's"
    )


def main() -> None:
    _soft, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    os.environ["DATA_DIR"] = str(DATA)
    os.environ["HUMAN_FLOORS"] = "*=0/0"
    os.environ["MOST_SOCKETS"] = "10000"  # all come from one address
    os.environ["NO_MINTING"] = "1"  # a new server would solve deals meanwhile
    (DATA / "static").mkdir(parents=True, exist_ok=True)
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "pyramid_site.settings")
    prepare()
    spares = RACERS + int(SECONDS * MOVES_A_SECOND / 4)
    loads = (
        ("daphne", [], SOCKETS),
        ("uvicorn", ["--workers", "1"], SOCKETS),
        ("2 uvicorns", ["--workers", "2"], MANY),
    )
    print(f"{os.cpu_count()} cores; {RACERS} racers, {MOVES_A_SECOND:.0f} moves a second, {SECONDS:.0f} s")
    for number, (name, options, sockets) in enumerate(loads):
        race = make_race(number, spares)
        print(f"{name}, {sockets} sockets")
        with running(options, PORT) as server:
            asyncio.run(watch_steady_race(server, race, sockets))
    for number, (name, options, _sockets) in enumerate(loads[:2], start=len(loads)):
        race = make_race(number, 860)
        print(f"{name}, a race for real")
        with running(options, PORT) as server:
            asyncio.run(race_for_real(server, race))


if __name__ == "__main__":
    main()
