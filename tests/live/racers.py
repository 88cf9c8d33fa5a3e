"""Clients that go on whatever happens to the server: racers who move over sockets, and watchers."""

import asyncio
import json
import time
from collections import Counter
from collections.abc import Callable
from typing import Any

import httpx
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import WebSocketException

from tests.live.watcher import Watcher

GONE = (OSError, WebSocketException, TimeoutError)
PATIENCE = 20.0  # seconds


class Racer:
    """Draws a card and takes it back, for ever, a move a call. A call without an answer is made again."""

    def __init__(self, url: str, token: str, attempt: int) -> None:
        self.address = f"{url.replace('http', 'ws', 1)}ws/attempts/{attempt}/"
        self.token = token
        self.attempt = attempt
        self.acknowledged = 0
        self.statuses: Counter[int] = Counter()
        self.cut_off = 0

    async def race(self, stop: asyncio.Event) -> None:
        protocols: Any = ["pyramidion", f"token.{self.token}"]
        while not stop.is_set():
            try:
                async with connect(self.address, subprotocols=protocols, proxy=None, close_timeout=1) as socket:
                    await self.play(socket, stop)
            except GONE:
                self.cut_off += 1
                await asyncio.sleep(0.1)

    async def play(self, socket: ClientConnection, stop: asyncio.Event) -> None:
        async with asyncio.timeout(PATIENCE):
            await socket.recv()
        while not stop.is_set():
            call = {"from_ply": self.acknowledged, "moves": "DU"[self.acknowledged % 2]}
            async with asyncio.timeout(PATIENCE):
                await socket.send(json.dumps(call))
                answer = json.loads(await socket.recv())
            self.statuses[answer["status"]] += 1
            self.acknowledged += answer["status"] == 200
            await asyncio.sleep(0.06)


class Follower:
    """Watches a race, and comes back where it was."""

    def __init__(self, url: str, race: int) -> None:
        self.address = f"{url.replace('http', 'ws', 1)}ws/races/{race}/"
        self.watcher = Watcher()
        self.cut_off = 0

    async def watch(self) -> None:
        while True:
            since = self.watcher.known.get("since")
            try:
                async with connect(self.address + (f"?since={since}" if since else ""), proxy=None) as socket:
                    async for text in socket:
                        self.watcher.take(json.loads(text))
            except GONE:
                self.cut_off += 1
            await asyncio.sleep(0.1)


async def race_through(
    racers: list[Racer], followers: list[Follower], trouble: Callable[[], None], url: str, race: int
) -> None:
    """Let them race while there is trouble, and for a while after it; then all must be as if there had been none."""
    stop = asyncio.Event()
    watching = [asyncio.ensure_future(follower.watch()) for follower in followers]
    racing = [asyncio.ensure_future(racer.race(stop)) for racer in racers]
    await until(lambda: all(racer.acknowledged > 3 for racer in racers))
    await asyncio.to_thread(trouble)
    before = [racer.acknowledged for racer in racers]
    await until(lambda: all(racer.acknowledged > ply + 3 for racer, ply in zip(racers, before, strict=True)))
    stop.set()
    await asyncio.gather(*racing)
    async with httpx.AsyncClient(base_url=f"{url}api/v1/", trust_env=False) as api:
        for racer in racers:
            headers = {"Authorization": f"Token {racer.token}"}
            attempt = (await api.get(f"attempts/{racer.attempt}/", headers=headers)).json()
            moves = attempt["replay"]["moves"].split(" ")
            # an answer that was cut off may have been the last
            assert racer.acknowledged <= len(moves) <= racer.acknowledged + 1
            assert moves == [*"DU" * len(moves)][: len(moves)]
            assert set(racer.statuses) <= {200, 503}, racer.statuses
            assert (await api.post(f"attempts/{racer.attempt}/resign/", headers=headers)).status_code == 200
        snapshot = (await api.get(f"races/{race}/changes/")).json()
    assert snapshot["playing"] == []
    wanted = {name: snapshot[name] for name in ("phase", "counts", "top", "playing")}
    await until(lambda: all(follower.watcher.sees() == wanted for follower in followers))
    for task in watching:
        task.cancel()


async def until(holds: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < end, "It did not happen."
        await asyncio.sleep(0.02)
