"""Many sprints at once, played by people who drop out, come back, leave and vanish, while workers are killed.

What each of them is told in the end must be what follows from the seats and the attempts (`tests.plain_sprints`).
SPRINTS says how many sprints of five (`make test-sprints`: 20), SEED what chance does.
"""

import asyncio
import contextlib
import os
import random
import time
from collections.abc import Iterator

import httpx
import pytest
from django.db import transaction

from leaderboard import events, ratings
from leaderboard.actions import read_clock
from leaderboard.models import Round, Sprint, SprintPlayer
from tests import plain_sprints
from tests.client import V1
from tests.live.sockets import log_in_by_token
from tests.live.sprinters import Follower, Sprinter
from tests.live.test_feed import call_and_close
from tests.players import make_players
from tests.site.servers import RunningServer, database_environment, serve
from tests.sprints import EASY, fill_pool, pass_time

SPRINTS = int(os.environ.get("SPRINTS") or 4)
SEED = os.environ.get("SEED") or "1"
FIVE = 5

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def server() -> Iterator[RunningServer]:
    with serve(["--workers", "2"], database_environment()) as server:
        yield server


@transaction.atomic
def let_pass(sprint: int, number: int, seconds: float, present: list[str]) -> None:
    """Let time pass in a round, unless it is over; those who are present are heard of all the time."""
    Sprint.objects.select_for_update(no_key=True).get(pk=sprint)
    if not Round.objects.filter(sprint=sprint, number=number, over_at=None).exists():
        return
    pass_time(sprint, seconds=seconds)
    SprintPlayer.objects.filter(sprint=sprint, player__name__in=present).update(heard_at=read_clock())
    events.wake_sprint(sprint)


class Meeting:
    """A sprint, the five who meet in it, and one who watches."""

    def __init__(self, url: str, five: list[Sprinter], chance: random.Random) -> None:
        self.watcher = Follower(url, "")
        self.five = five
        self.late = five[-1:] if chance.random() < 0.3 else []
        self.best_of = chance.choice([1, 1, 3])
        self.sprint = 0

    async def hold(self, trouble: "Trouble") -> None:
        host, *others = self.five
        self.sprint = host.sprint = (await host.call("sprints/", EASY | {"best_of": self.best_of}))["id"]
        following = [asyncio.ensure_future(one.follow(self.sprint)) for one in (self.watcher, *self.five)]
        await asyncio.gather(*(one.come_in(self.sprint) for one in others if one not in self.late))
        await asyncio.gather(*(one.until(lambda one=one: one.told) for one in (self.watcher, *self.five)))  # type: ignore[misc]
        running = [one.run() for one in self.five if one not in self.late]
        running += [self.come_late(one) for one in self.late]
        await asyncio.gather(self.let_time_pass(trouble), *running)
        for task in following:
            task.cancel()

    async def come_late(self, one: Sprinter) -> None:
        await one.until(lambda: one.told["phase"] in ("running", "over"))
        one.sprint = self.sprint
        if await one.do("join/", {}, ("sprint_over",)):
            await one.run()

    async def let_time_pass(self, trouble: "Trouble") -> None:
        """Nobody here waits for ten seconds, nor for two minutes."""
        watcher = self.watcher
        while (told := watcher.told)["phase"] != "over":
            seconds = 0.0
            if told["phase"] == "countdown" and trouble.came_in["countdown"].is_set():
                seconds = watcher.seconds_to(told["rounds"][-1]["opens_at"]) - 0.5
            elif told["phase"] == "running" and trouble.came_in["running"].is_set() and self.all_have_played():
                seconds = watcher.seconds_to(told["rounds"][-1]["ends_at"]) + 1
            if seconds > 0:
                present = [one.name for one in self.five if not one.is_gone]
                number = told["rounds"][-1]["number"]
                await asyncio.to_thread(call_and_close, let_pass, self.sprint, number, seconds, present)
                await watcher.until(lambda told=told: watcher.told is not told)  # type: ignore[misc]
            await asyncio.sleep(0.05)

    def all_have_played(self) -> bool:
        number = self.watcher.told["rounds"][-1]["number"]
        return all(one.is_gone or one.round >= number or not one.sprint for one in self.five)

    async def check(self) -> None:
        """Everybody comes back, whatever became of them, and is told the same."""
        expected = await asyncio.to_thread(call_and_close, plain_sprints.tell, self.sprint)
        for one in self.five:
            last = one.told
            answer = await one.call(f"sprints/{self.sprint}/")
            assert plain_sprints.reduce(answer) == expected, one.name
            if not one.is_gone:
                assert last | {"now": None, "invite_code": None} == answer | {"now": None, "invite_code": None}
        left = {row["player"] for row in self.watcher.told["players"] if row["left_at"]}
        assert left <= {one.name for one in self.five if one.is_gone}, "who has stayed was never out"


class Trouble:
    """Workers are killed: first one in a countdown, then both in a race, then one now and then, once others answer."""

    def __init__(self, server: RunningServer, api: httpx.AsyncClient, meetings: list[Meeting]) -> None:
        self.server, self.api, self.meetings = server, api, meetings
        self.chance = random.Random(SEED)
        self.came_in = {"countdown": asyncio.Event(), "running": asyncio.Event()}
        self.killed = 0

    def phases(self) -> set[str]:
        return {meeting.watcher.told.get("phase", "") for meeting in self.meetings}

    async def come(self) -> None:
        for phase, count in (("countdown", 1), ("running", 2)):
            while phase not in self.phases():
                await asyncio.sleep(0.05)
            await asyncio.sleep(0.5)
            await self.kill(count)
            self.came_in[phase].set()
        for _ in range(SPRINTS // 3):
            await asyncio.sleep(self.chance.uniform(2, 4))
            await self.kill(1)

    async def kill(self, count: int) -> None:
        for worker in self.chance.sample(workers := self.server.family(), min(count, len(workers))):
            worker.kill()
            self.killed += 1
        is_back = False
        while not is_back:
            await asyncio.sleep(0.1)
            with contextlib.suppress(httpx.TransportError):
                is_back = (await self.api.get("sprints/")).status_code == 200


async def meet(server: RunningServer, people: list[tuple[str, str]]) -> list[Meeting]:
    chance = random.Random(SEED)
    limits = httpx.Limits(max_connections=50)
    base_url = f"{server.url.rstrip('/')}{V1}"
    async with httpx.AsyncClient(base_url=base_url, trust_env=False, timeout=30, limits=limits) as api:
        sprinters = [
            Sprinter(server.url, api, name, token, number % FIVE, f"{SEED} {number}")
            for number, (name, token) in enumerate(people)
        ]
        meetings = [Meeting(server.url, sprinters[i : i + FIVE], chance) for i in range(0, len(sprinters), FIVE)]
        trouble = Trouble(server, api, meetings)
        killing = asyncio.ensure_future(trouble.come())
        start = time.monotonic()
        await asyncio.gather(*(meeting.hold(trouble) for meeting in meetings))
        killing.cancel()
        took = time.monotonic() - start
        for meeting in meetings:
            await meeting.check()
    cut_off = sum(one.cut_off for one in sprinters)
    print(f"{len(meetings)} sprints in {took:.1f} s, {trouble.killed} workers killed, {cut_off} sockets cut off")
    assert trouble.killed >= 3
    assert cut_off >= len(meetings)
    return meetings


def test_many_sprints_end_as_the_database_says_whoever_drops_out_and_whatever_is_killed(server: RunningServer) -> None:
    print(f"SPRINTS={SPRINTS} SEED={SEED}")
    fill_pool(3 * SPRINTS)
    people = [(player.name, log_in_by_token(player)) for player in make_players(FIVE * SPRINTS)]
    meetings = asyncio.run(meet(server, people))
    runners = [row for one in meetings for played in one.watcher.told["rounds"] for row in played["players"]]
    wins = sum(row["state"] == "won" for row in runners)
    print(f"{len(runners)} seats in rounds, {wins} wins")
    assert wins > SPRINTS
    assert ratings.recompute("T") == [], "what was rated live is what all rounds give"
