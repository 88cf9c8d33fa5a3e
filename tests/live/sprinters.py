"""Players of sprints as they are: with a wrong clock, a bad line, and no patience."""

import asyncio
import contextlib
import json
import random
import time
from collections.abc import Callable
from datetime import datetime
from typing import Any

import httpx
from websockets.asyncio.client import ClientConnection, connect

from games.models import read_deal
from tests.live.frames import check_frame
from tests.live.racers import GONE
from tests.sprints import lines

PATIENCE = 60.0  # seconds
PLANS = {"win": 9, "part": 4, "resign": 2, "leave": 2, "leave early": 1, "vanish": 2, "nothing": 1}
HOURS = 3600.0


class Follower:
    """Holds the socket of a sprint, and opens it again whatever ends it. skew: how wrong the own clock goes."""

    def __init__(self, url: str, token: str, skew: float = 0) -> None:
        self.url, self.token, self.skew = url, token, skew
        self.told: dict[str, Any] = {}
        self.ahead = 0.0  # of the server's clock, as far as is known
        self.socket: ClientConnection | None = None
        self.cut_off = 0
        self.is_gone = False

    @property
    def protocols(self) -> Any:
        return ["pyramidion", *([f"token.{self.token}"] if self.token else [])]

    def address(self, path: str) -> str:
        return f"{self.url.replace('http', 'ws', 1)}ws/{path}"

    def clock(self) -> float:
        return time.time() + self.skew

    def seconds_to(self, moment: str) -> float:
        """Until a moment of the server's, by the own clock and what the server said last."""
        return datetime.fromisoformat(moment).timestamp() - self.clock() - self.ahead

    def take(self, told: dict[str, Any]) -> None:
        self.told = told
        self.ahead = datetime.fromisoformat(told["now"]).timestamp() - self.clock()

    async def follow(self, sprint: int) -> None:
        while not self.is_gone:
            with contextlib.suppress(*GONE):
                async with connect(
                    self.address(f"sprints/{sprint}/"), subprotocols=self.protocols, proxy=None, close_timeout=1
                ) as self.socket:
                    async for text in self.socket:
                        check_frame(frame := json.loads(text))
                        self.take(frame["sprint"])
            self.cut_off += 1
            await asyncio.sleep(0.1)

    async def drop(self) -> None:
        """Lose the connection."""
        if self.socket is not None:
            await self.socket.close()

    async def until(self, holds: Callable[[], Any]) -> None:
        end = time.monotonic() + PATIENCE
        while not holds():
            assert time.monotonic() < end, (self, self.told)
            await asyncio.sleep(0.03)


class Sprinter(Follower):
    """One who is in a sprint. number: makes the moves that win other ones than those of the others in it."""

    def __init__(self, url: str, api: httpx.AsyncClient, name: str, token: str, number: int, seed: str) -> None:
        self.chance = random.Random(seed)
        super().__init__(url, token, self.chance.uniform(-12, 12) * HOURS)
        self.api, self.name, self.number = api, name, number
        self.sprint = 0
        self.round = 0  # the last in which nothing more is to be done
        self.plans: dict[int, str] = {}
        self.acknowledged: dict[int, list[str]] = {}
        """The moves by attempt."""

    async def call(self, path: str, body: Any = None, refusals: tuple[str, ...] = ()) -> Any:
        """An answer, or {} where the call was refused for one of these reasons. Without an answer it is made again."""
        headers = {"Authorization": f"Token {self.token}"}
        async with asyncio.timeout(PATIENCE):
            while True:
                with contextlib.suppress(httpx.TransportError):
                    method = "GET" if body is None else "POST"
                    answer = await self.api.request(method, path, json=body, headers=headers)
                    if answer.status_code in (200, 201):
                        return answer.json()
                    if answer.status_code != 503:
                        assert answer.json()["code"] in refusals, (self.name, path, answer.text)
                        return {}
                await asyncio.sleep(0.1)

    async def do(self, what: str, body: Any = None, refusals: tuple[str, ...] = ()) -> Any:
        """A call of the sprint; what comes back is known then, unless it is an attempt."""
        answer = await self.call(f"sprints/{self.sprint}/{what}", body, refusals)
        if "rounds" in answer:
            self.take(answer)
        return answer

    # A sprint from its lobby to its end

    async def come_in(self, sprint: int) -> None:
        self.sprint = sprint
        await asyncio.sleep(self.chance.uniform(0, 0.3))
        await self.do("join/", {})
        if self.chance.random() < 0.2:
            await self.do("leave/", {})
            await self.do("join/", {})
        await self.do("ready/", {"ready": True})

    async def run(self) -> None:
        """Take part until the sprint is over, or as long as it pleases."""
        while not self.is_gone:
            await self.until(self.is_to_act)
            if self.told["phase"] == "over":
                return
            if self.told["phase"] == "lobby":
                await self.do("start/", {}, ("too_few", "not_the_host"))
                if self.told["phase"] == "lobby" and self.told["present"] < 2:
                    await self.go()
                continue
            number = self.told["rounds"][-1]["number"]
            await self.play_round(self.plan(number))
            self.round = number

    def is_to_act(self) -> bool:
        if self.told["phase"] in ("lobby", "over"):
            return self.told["phase"] == "over" or self.told["host"] == self.name
        last = self.told["rounds"][-1]
        has_come = self.seconds_to(last["opens_at"]) <= 0 or self.plan(last["number"]) == "leave early"
        return last["number"] > self.round and has_come

    def plan(self, number: int) -> str:
        """What to do in a round."""
        return self.plans.setdefault(number, self.chance.choices(list(PLANS), list(PLANS.values()))[0])

    async def play_round(self, plan: str) -> None:
        if plan == "vanish":
            await self.vanish()
        elif plan == "leave early":
            await self.go()
        elif plan != "nothing" and (attempt := await self.begin()):
            line = ["D", "U"] * self.number + lines()[read_deal(attempt["deal"]).order].split(" ")
            await self.play(attempt, line if plan == "win" else line[: self.chance.randrange(len(line))])
            if plan == "resign":
                await self.call(f"attempts/{attempt['id']}/resign/", {}, ("attempt_ended",))
            if plan == "leave":
                await self.go()

    async def begin(self) -> Any:
        """The attempt as it stands; where the round does not wait for one, {}."""
        attempt = await self.do("attempts/", {}, ("not_in_sprint", "race_closed"))
        if attempt:
            stored, known = attempt["replay"]["moves"].split(), self.acknowledged.get(attempt["id"], [])
            assert stored[: len(known)] == known, f"{self.name}: what was acknowledged is stored"
            self.acknowledged[attempt["id"]] = stored
        return attempt

    async def play(self, attempt: Any, moves: list[str]) -> None:
        """Send moves in some calls, with what happens to people in between."""
        while not attempt["end"] and len(sent := self.acknowledged[attempt["id"]]) < len(moves):
            if self.chance.random() < 0.15:  # the page is loaded anew
                await self.drop()
                attempt = await self.begin()
                continue
            call = {"from_ply": len(sent), "moves": " ".join(moves[len(sent) :][: self.chance.randint(1, 15)])}
            if not await (self.send if self.chance.random() < 0.4 else self.post)(attempt["id"], call):
                return
            sent += call["moves"].split(" ")
            await asyncio.sleep(self.chance.uniform(0, 0.1))

    async def post(self, attempt: int, call: dict[str, Any]) -> bool:
        return bool(await self.call(f"attempts/{attempt}/moves/", call, ("attempt_ended",)))

    async def send(self, attempt: int, call: dict[str, Any]) -> bool:
        """The same over a socket, as often as it takes."""
        while True:
            with contextlib.suppress(*GONE):
                async with (
                    connect(
                        self.address(f"attempts/{attempt}/"), subprotocols=self.protocols, proxy=None, close_timeout=1
                    ) as socket,
                    asyncio.timeout(PATIENCE),
                ):
                    await socket.recv()
                    await socket.send(json.dumps(call))
                    answer = json.loads(await socket.recv())
                if answer["status"] != 503:
                    assert answer["status"] == 200 or answer["body"]["code"] == "attempt_ended", (self.name, answer)
                    return answer["status"] == 200
            await asyncio.sleep(0.1)

    async def vanish(self) -> None:
        self.is_gone = True
        await self.drop()

    async def go(self) -> None:
        await self.do("leave/", {})
        await self.vanish()
