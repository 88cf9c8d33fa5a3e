"""Does who watches a sprint over a socket see what GET answers, and does a sprint that is watched go on by itself?"""

import asyncio
import json
import time
from collections.abc import Callable
from datetime import datetime, timedelta
from functools import partial
from typing import Any
from unittest.mock import ANY

import pytest

from games.models import Attempt, Player
from leaderboard import callers, events, sprinting, sprints, watching
from leaderboard.actions import read_clock
from leaderboard.hub import Hub, Member
from leaderboard.models import Race, Round, Sprint, SprintPlayer
from tests.client import Api
from tests.live.sockets import Socket, log_in_by_token, open_socket
from tests.live.test_feed import call_and_close, watch
from tests.players import log_in, make_player
from tests.site.servers import RunningServer
from tests.sprints import begin, enter, fill_pool, make_sprint, pass_time, win

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def people() -> list[Api]:
    fill_pool(3)
    return [log_in(make_player(name)) for name in ("Ada", "Bob", "Cleo")]


def let_pass(sprint: int, *, seconds: float) -> None:
    """Let time pass, and have the hubs look: what they were to wait for has come."""
    pass_time(sprint, seconds=seconds)
    events.wake_sprint(sprint)


def take_until(socket: Socket, holds: Callable[[dict[str, Any]], bool]) -> list[dict[str, Any]]:
    """The sprints of the frames up to the one of which that holds."""
    frames = [socket.take()["sprint"]]
    while not holds(frames[-1]):
        frames.append(socket.take()["sprint"])
    return frames


def states(told: dict[str, Any]) -> dict[str, str]:
    return {row["player"]: row["state"] for row in told["rounds"][-1]["players"]}


def test_every_change_is_told_as_get_tells_it(server: RunningServer, people: list[Api]) -> None:
    ada, bob, _cleo = people
    sprint = make_sprint(ada, invite_code="secret")
    path = f"sprints/{sprint}/"
    with open_socket(server, f"{path}?invite_code=secret") as socket:

        def follow(holds: Callable[[dict[str, Any]], bool]) -> list[dict[str, Any]]:
            frames = take_until(socket, holds)
            assert frames[-1] | {"now": ANY} == Api().get(f"{path}?invite_code=secret")[1]
            return frames

        follow(lambda told: told["present"] == 1)
        assert bob.post(f"{path}join/", {"invite_code": "secret"})[1]["invite_code"] == "secret"
        follow(lambda told: told["present"] == 2)
        bob.post(f"{path}ready/", {"ready": True})
        follow(lambda told: told["players"][1]["ready"])
        ada.post(f"{path}start/", {})
        follow(lambda told: told["phase"] == "countdown")
        let_pass(sprint, seconds=10)
        follow(lambda told: told["phase"] == "running")
        win(bob, sprint)
        follow(lambda told: states(told)["Bob"] == "won" and minutes_left(told) <= 2)
        ada.post(f"{path}leave/", {})
        assert follow(lambda told: told["phase"] == "over")[-1]["host"] == "Bob"
        again = bob.post(f"{path}rematch/", {})[1]["id"]
        assert follow(lambda told: told["rematch"] is not None)[-1]["rematch"] == again


def test_a_watched_sprint_goes_on_though_nobody_calls(server: RunningServer, people: list[Api]) -> None:
    ada, bob, cleo = people
    in_a_while = (read_clock() + timedelta(minutes=9)).isoformat()
    sprint = make_sprint(ada, bob, cleo, best_of=3, starts_at=in_a_while)
    with open_socket(server, f"sprints/{sprint}/") as socket:
        assert socket.take()["sprint"]["phase"] == "lobby"
        let_pass(sprint, seconds=9 * 60 - 10.2)  # nothing wakes the hub when the moment has come
        take_until(socket, lambda told: told["phase"] == "countdown")
        hear_everybody(sprint)
        let_pass(sprint, seconds=9.8)
        take_until(socket, lambda told: told["phase"] == "running")
        win(bob, sprint)
        take_until(socket, lambda told: minutes_left(told) <= 2)
        hear_everybody(sprint, ahead=timedelta(seconds=100))
        let_pass(sprint, seconds=119.8)
        ended = take_until(socket, lambda told: len(told["rounds"]) == 2)[-1]
        assert (ended["phase"], ended["players"][1]["won"]) == ("countdown", 1)
        let_pass(sprint, seconds=121)  # and all are silent
        assert take_until(socket, lambda told: told["phase"] == "over")[-1]["present"] == 0


def hear_everybody(sprint: int, ahead: timedelta = timedelta()) -> None:
    SprintPlayer.objects.filter(sprint=sprint).update(heard_at=read_clock() + ahead)


def minutes_left(told: dict[str, Any]) -> float:
    ends_at, now = (datetime.fromisoformat(moment) for moment in (told["rounds"][-1]["ends_at"], told["now"]))
    return (ends_at - now) / timedelta(minutes=1)


def test_who_begins_and_moves_is_left_to_the_race_to_tell(people: list[Api]) -> None:
    ada, bob, _cleo = people
    sprint = make_sprint(ada, bob)
    begin(ada, sprint)
    before = watching.read_sprint(sprint, []).gist
    attempt = enter(ada, sprint)
    assert ada.post(f"attempts/{attempt['id']}/moves/", {"from_ply": 0, "moves": "D U"})[0] == 200
    after = watching.read_sprint(sprint, [])
    assert (states(after.told)["Ada"], after.gist) == ("playing", before)
    assert ada.post(f"attempts/{attempt['id']}/resign/", {})[0] == 200
    assert watching.read_sprint(sprint, []).gist != before


def test_it_is_known_when_something_is_due_next(people: list[Api]) -> None:
    ada, bob, _cleo = people
    sprint = make_sprint(ada, bob, starts_at=(read_clock() + timedelta(minutes=9)).isoformat(), best_of=3)

    def due(after: datetime | None) -> timedelta:
        seen = watching.read_sprint(sprint, [])
        assert seen.due_at
        assert after
        return seen.due_at - after

    found = Sprint.objects.get()
    assert due(found.starts_at) == -sprints.COUNTDOWN
    pass_time(sprint, seconds=9 * 60 - 9)
    found.refresh_from_db()
    assert due(found.starts_at) == timedelta(), "the start"
    hear_everybody(sprint)
    pass_time(sprint, seconds=9)
    assert due(SprintPlayer.objects.earliest("heard_at").heard_at) == sprints.SILENCE
    hear_everybody(sprint, ahead=sprints.ROUND_LIFE)
    assert due(Race.objects.get().opens_at) == sprints.ROUND_LIFE
    win(ada, sprint)
    assert due(Attempt.objects.get().ended_at) == sprints.LAST_MINUTES
    bob.post(f"sprints/{sprint}/attempts/", {})
    pass_time(sprint, seconds=120)
    assert len(watching.read_sprint(sprint, []).told["rounds"]) == 2
    assert due(Round.objects.earliest("number").over_at) == sprints.BREAK
    ada.post(f"sprints/{sprint}/leave/", {})
    assert watching.read_sprint(sprint, []).due_at is None, "it is over"


class Listener:
    """A socket that is none: what the hub sends is taken at once."""

    def __init__(self, hub: Hub, sprint: int, player: Player) -> None:
        self.hub, self.sprint = hub, sprint
        self.told: list[dict[str, Any]] = []
        self.member = Member(self.take, self.close, callers.find_by_token(log_in_by_token(player)))

    async def take(self, text: str) -> None:
        self.told.append(json.loads(text)["sprint"])

    async def close(self, code: int) -> None:
        raise AssertionError(code)

    async def come(self) -> None:
        key = ("sprint", self.sprint)
        assert await self.hub.join(key, lambda hub: watching.SprintTopic(hub, self.sprint), self.member)

    async def until(self, holds: Callable[[dict[str, Any]], bool]) -> None:
        async with asyncio.timeout(10):
            while not holds(self.told[-1]):
                await asyncio.sleep(0.02)


def test_who_is_in_it_is_heard_of_through_a_socket_and_who_only_watches_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sprinting, "HEARD_EVERY", timedelta(seconds=0.1))
    ada, bob, cleo, dan = (make_player(name) for name in ("Ada", "Bob", "Cleo", "Dan"))
    sprint = make_sprint(log_in(ada), log_in(bob), log_in(cleo))
    log_in(cleo).post(f"sprints/{sprint}/leave/", {})
    hub_names = {"Ada": ada, "Cleo": cleo, "Dan": dan}

    def there(told: dict[str, Any]) -> set[str]:
        return {row["player"] for row in told["players"] if row["left_at"] is None}

    def let_pass_and_wait() -> None:
        """A hundred seconds pass, and Ada is heard of again."""
        let_pass(sprint, seconds=100)
        end = time.monotonic() + 10
        while SprintPlayer.objects.get(player=ada).heard_at < read_clock() - timedelta(seconds=90):
            assert time.monotonic() < end
            time.sleep(0.02)

    async def main(hub: Hub) -> None:
        listeners = {
            name: await asyncio.to_thread(call_and_close, Listener, hub, sprint, player)
            for name, player in hub_names.items()
        }
        for listener in listeners.values():
            await listener.come()
        for _ in range(2):
            await asyncio.to_thread(call_and_close, let_pass_and_wait)
        await listeners["Dan"].until(lambda told: there(told) == {"Ada"})
        hub.leave(("sprint", sprint), listeners["Ada"].member)
        await asyncio.to_thread(call_and_close, partial(let_pass, sprint, seconds=121))
        await listeners["Dan"].until(lambda told: there(told) == set() and told["phase"] == "over")

    watch(main)
    assert SprintPlayer.objects.count() == 3
