"""Does who watches a race see what the database says, whatever is lost, repeated or late on the way?"""

import asyncio
import gc
import json
import random
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import date, timedelta
from functools import partial
from typing import Any

import pytest
from django.db import connection, transaction
from django.db.models.functions import Now

from games.errors import Problem
from games.models import Attempt, Player
from leaderboard import actions, feed, moderating, progress, racing, watching
from leaderboard.hub import LONGEST_PAUSE, Hub, Member
from leaderboard.models import Entry, Progress, Race
from tests.client import Api
from tests.live.watcher import Watcher, must_see
from tests.players import EASY_MOVES, in_parallel, make_daily, make_player, make_players, own_line, win

pytestmark = pytest.mark.django_db(transaction=True)

MOVES = EASY_MOVES.split(" ")
PATIENCE = 10.0


class Client:
    """A watcher with a socket that is none: what the hub sends is taken at once."""

    def __init__(self, hub: Hub, race: int) -> None:
        self.hub, self.race = hub, race
        self.watcher = Watcher()
        self.frames: list[dict[str, Any]] = []
        self.closed: list[int] = []
        self.member: Member | None = None

    async def send(self, text: str) -> None:
        frame = json.loads(text)
        self.frames.append(frame)
        self.watcher.take(frame)

    async def close(self, code: int) -> None:
        self.closed.append(code)

    async def come(self, since: str | None = None) -> bool:
        self.member = Member(self.send, self.close)
        catch_up = partial(feed.read_missed, self.race, since) if since else None
        return await self.hub.join(self.race, lambda hub: watching.RaceTopic(hub, self.race), self.member, catch_up)

    def go(self) -> None:
        assert self.member is not None
        self.hub.leave(self.race, self.member)

    async def until(self, seen: Callable[[], bool]) -> None:
        async with asyncio.timeout(PATIENCE):
            while not seen():
                await asyncio.sleep(0.01)

    async def until_right(self) -> None:
        """Waits until it sees what it must; fails with the difference."""
        for _ in range(40):
            wanted = await asyncio.to_thread(call_and_close, must_see, self.race)
            if self.watcher.known and self.watcher.sees() == wanted:
                return
            await asyncio.sleep(0.05)
        assert self.watcher.sees() == wanted


def call_and_close(function: Callable[..., Any], *arguments: Any) -> Any:
    try:
        return function(*arguments)
    finally:
        connection.close()


def watch(main: Callable[[Hub], Awaitable[None]]) -> None:
    """Run a test in an event loop, with a hub of its own."""

    async def run() -> None:
        hub = Hub()
        try:
            await main(hub)
        finally:
            await hub.stop()

    asyncio.run(run())


@contextmanager
def in_thread(function: Callable[[], None]) -> Iterator[threading.Thread]:
    thread = threading.Thread(target=call_and_close, args=(function,))
    thread.start()
    yield thread
    thread.join()


# Random races


def act(chance: random.Random, player: Player, race: int, number: int) -> None:
    """Something that this player, or a moderator of this player's result, may do now; what is refused is refused."""
    entry, _created = racing.enter(player=player, race=race)
    attempt = Attempt.objects.get(pk=entry.attempt_id)
    what = chance.random()
    if what < 0.7:
        line = own_line(number).split(" ")[attempt.plies :][: chance.randint(1, 6)]
        actions.play_moves(player=player, attempt=attempt.pk, from_ply=attempt.plies, moves=" ".join(line), times=None)
    elif what < 0.75:
        actions.resign(player=player, attempt=attempt.pk)
    elif what < 0.8:
        with transaction.atomic():  # its time is over
            Attempt.objects.filter(pk=attempt.pk, ended_at=None).update(ends_at=Now())
            connection.cursor().execute(
                "UPDATE leaderboard_progress SET ends_at = a.ends_at FROM games_attempt a WHERE a.id = attempt_id"
                " AND a.id = %s",
                [attempt.pk],
            )
    elif what < 0.85:
        moderating.hold(attempt=attempt, because="pace")
    elif what < 0.9:
        moderating.release(attempt=attempt)
    elif what < 0.95:
        moderating.void(attempt=attempt)
    else:
        moderating.restore(attempt=attempt)


def act_often(race: int, players: list[Player], seed: int, times: int) -> None:
    chance = random.Random(seed)
    for _ in range(times):
        number = chance.randrange(len(players))
        with suppress(Problem):
            act(chance, players[number], race, players[number].pk)


async def come_and_go(client: Client, chance: random.Random, done: threading.Event) -> None:
    """Watches, and is cut off again and again: with frames lost at the end, repeated, or all forgotten."""
    await client.come()
    while not done.is_set():
        await asyncio.sleep(chance.uniform(0.05, 0.6))
        if chance.random() < 0.3 and client.frames:
            client.watcher.take(client.frames[-1])
        if chance.random() < 0.5:
            client.go()
            await asyncio.sleep(chance.uniform(0, 0.5))
            since = client.watcher.known.get("since") if chance.random() < 0.8 else None
            await client.come(since)


@pytest.mark.parametrize("seed", range(2))
def test_snapshot_and_changes_are_a_fresh_snapshot(seed: int) -> None:
    race = make_daily()
    players = make_players(24)
    groups = [players[start::4] for start in range(4)]
    done = threading.Event()

    def write() -> None:
        calls = [partial(act_often, race.pk, group, seed * 10 + i, 120) for i, group in enumerate(groups)]
        in_parallel(calls)
        done.set()

    async def main(hub: Hub) -> None:
        steady, *others = [Client(hub, race.pk) for _ in range(6)]
        await steady.come()
        with in_thread(write):
            await asyncio.gather(*(come_and_go(one, random.Random(i), done) for i, one in enumerate(others)))
        for client in (steady, *others):
            await client.until_right()
        over = await asyncio.to_thread(call_and_close, lambda: set(find_over(race)))
        assert set(steady.watcher.finished) >= over, "whoever was there all the time was told of each end"

    watch(main)


def find_over(race: Race) -> list[int]:
    rows = feed.read_changes(race.pk, race.opens_at, limit=1000)
    assert rows is not None
    return [row.entry for row in rows.rows if not row.is_playing]


def test_a_new_name_is_told_when_everything_is_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watching, "REREAD", 0.5)
    race, ada = make_daily(), make_player("Ada")
    racing.enter(player=ada, race=race.pk)

    async def main(hub: Hub) -> None:
        client = Client(hub, race.pk)
        await client.come()
        await client.until(lambda: bool(client.frames))
        await asyncio.to_thread(call_and_close, lambda: Player.objects.filter(pk=ada.pk).update(name="Eve"))
        await client.until(lambda: [row["player"] for row in client.watcher.playing.values()] == ["Eve"])
        await client.until_right()

    watch(main)


# Late commits


def commit_late(race: Race, player: Player, seconds: float, stamped: threading.Event) -> None:
    """A move that is stamped now and committed later."""
    with transaction.atomic():
        entry = Entry.objects.get(race=race, player=player)
        Attempt.objects.filter(pk=entry.attempt_id).update(left=20, counted_moves=7)
        progress.follow(entry.attempt_id)
        stamped.set()
        threading.Event().wait(seconds)


def test_what_is_stamped_early_and_committed_late_is_not_stepped_over() -> None:
    race, ada, bob = make_daily(), make_player("Ada"), make_player("Bob")
    for player in (ada, bob):
        racing.enter(player=player, race=race.pk)
    attempt = Entry.objects.get(race=race, player=bob).attempt_id

    async def main(hub: Hub) -> None:
        client, stamped = Client(hub, race.pk), threading.Event()
        await client.come()
        with in_thread(partial(commit_late, race, ada, 1.9, stamped)):
            await asyncio.to_thread(stamped.wait)
            for ply, move in enumerate(MOVES[:6]):  # others commit meanwhile, and the hub looks again and again
                await asyncio.to_thread(call_and_close, partial(play, bob, attempt, ply, move))
                await asyncio.sleep(0.3)
            await client.until(lambda: any(row["moves"] == 7 for row in client.watcher.playing.values()))
        await client.until_right()

    watch(main)


def play(player: Player, attempt: int, ply: int, move: str) -> None:
    actions.play_moves(player=player, attempt=attempt, from_ply=ply, moves=move, times=None)


def test_what_no_overlap_reaches_is_found_when_everything_is_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watching, "REREAD", 1.0)
    monkeypatch.setattr(feed, "OVERLAP", timedelta(0))
    race, ada = make_daily(), make_player("Ada")
    racing.enter(player=ada, race=race.pk)

    async def main(hub: Hub) -> None:
        client, stamped = Client(hub, race.pk), threading.Event()
        await client.come()
        with in_thread(partial(commit_late, race, ada, 0.7, stamped)):
            pass
        await client.until(lambda: any(row["moves"] == 7 for row in client.watcher.playing.values()))
        await client.until_right()

    watch(main)


# Frames


def test_kinds_of_changes_come_as_they_happen() -> None:
    race, ada = make_daily(), make_player("Ada")

    async def main(hub: Hub) -> None:
        client = Client(hub, race.pk)
        await client.come()
        assert [frame["type"] for frame in client.frames] in ([], ["snapshot"])

        async def see(kind: str, call: Callable[[], Any]) -> None:
            await asyncio.to_thread(call_and_close, call)
            await client.until(lambda: any(row["kind"] == kind for row in client.frames[-1].get("rows", [])))
            client.frames.append({})

        await see("started", lambda: racing.enter(player=ada, race=race.pk))
        attempt = await asyncio.to_thread(call_and_close, lambda: Entry.objects.get(race=race).attempt)
        await see("progress", lambda: play(ada, attempt.pk, 0, MOVES[0]))
        await see("finished", lambda: play(ada, attempt.pk, 1, " ".join(MOVES[1:])))
        await see("held", lambda: moderating.hold(attempt=attempt, because="pace"))
        await see("voided", lambda: moderating.void(attempt=attempt))
        assert client.watcher.known["top"] == []
        await asyncio.to_thread(call_and_close, lambda: Race.objects.update(closes_at=Now()))
        await client.until(lambda: client.watcher.known["phase"] == "grace")
        await client.until_right()

    watch(main)


def test_an_entry_whose_time_runs_out_is_over_though_nothing_is_written() -> None:
    race, ada = make_daily(), make_player("Ada")
    entry, _created = racing.enter(player=ada, race=race.pk)

    async def main(hub: Hub) -> None:
        client = Client(hub, race.pk)
        await client.come()
        await client.until(lambda: bool(client.watcher.playing))

        def run_out() -> None:
            Attempt.objects.filter(pk=entry.attempt_id).update(ends_at=Now() + timedelta(seconds=0.6))
            ends_at = Attempt.objects.get(pk=entry.attempt_id).ends_at
            Progress.objects.filter(entry=entry).update(ends_at=ends_at)

        await asyncio.to_thread(call_and_close, run_out)
        await client.until(lambda: entry.pk in client.watcher.finished)
        assert client.watcher.finished[entry.pk]["end"] == "expired"
        await client.until_right()

    watch(main)


def test_of_many_players_the_first_to_enter_are_told_of_and_the_next_come_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feed, "ROSTER", 3)
    monkeypatch.setattr(feed, "READ_ROSTER", feed.READ_ROSTER.replace("LIMIT 200", "LIMIT 3"))
    race, players = make_daily(), make_players(6)
    entries = [racing.enter(player=player, race=race.pk)[0] for player in players[:5]]

    async def main(hub: Hub) -> None:
        client = Client(hub, race.pk)
        await client.come()
        await client.until_right()
        assert sorted(client.watcher.playing) == [entry.pk for entry in entries[:3]]
        since = client.watcher.known["since"]
        frames = len(client.frames)
        await asyncio.to_thread(call_and_close, partial(play, players[4], entries[4].attempt_id, 0, MOVES[0]))
        await asyncio.to_thread(call_and_close, lambda: racing.enter(player=players[5], race=race.pk))
        await client.until_right()
        assert all(not frame.get("rows") for frame in client.frames[frames:]), "who is outside only counts"
        await asyncio.to_thread(
            call_and_close, lambda: actions.resign(player=players[0], attempt=entries[0].attempt_id)
        )
        await client.until_right()
        assert sorted(client.watcher.playing) == [entry.pk for entry in entries[1:4]]
        missed = await asyncio.to_thread(call_and_close, partial(feed.read_missed, race.pk, since))
        assert missed["type"] == "snapshot", "changes alone do not say who came up"

    watch(main)


def test_there_is_no_feed_of_a_race_that_is_not_there() -> None:
    async def main(hub: Hub) -> None:
        client = Client(hub, 999)
        assert not await client.come()
        assert hub.topics == {}

    watch(main)


def test_a_topic_ends_with_its_last_watcher() -> None:
    race = make_daily()

    async def main(hub: Hub) -> None:
        first, second = Client(hub, race.pk), Client(hub, race.pk)
        await first.come()
        await second.come()
        first.go()
        assert list(hub.topics) == [race.pk]
        second.go()
        assert hub.topics == {}

    watch(main)


def test_what_ended_sockets_leave_behind_is_collected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("leaderboard.hub.COLLECTED", 3)
    race = make_daily()

    async def main(hub: Hub) -> None:
        clients = [Client(hub, race.pk) for _ in range(4)]
        for client in clients:
            await client.come()
        before = gc.get_stats()[2]["collections"]
        for client in clients:
            client.go()
        assert gc.get_stats()[2]["collections"] == before + 1

    watch(main)


def test_a_race_that_is_over_is_looked_at_less_often() -> None:
    race = make_daily(day=date(2026, 1, 1))

    async def main(hub: Hub) -> None:
        await Client(hub, race.pk).come()
        assert hub.topics[race.pk].window == LONGEST_PAUSE

    watch(main)


def test_who_does_not_read_is_closed_and_keeps_nobody_waiting() -> None:
    race = make_daily()

    class Stuck(Client):
        async def send(self, text: str) -> None:
            await asyncio.Event().wait()

    async def main(hub: Hub) -> None:
        stuck, well = Stuck(hub, race.pk), Client(hub, race.pk)
        await stuck.come()
        await well.come()
        await well.until(lambda: bool(well.frames))
        topic = hub.topics[race.pk]
        for number in range(80):
            topic.tell(feed.write_changes(topic.state.now, {"rows": [], "gone": [number]}))  # type: ignore[attr-defined]
            await asyncio.sleep(0)
        await well.until(lambda: well.frames[-1].get("gone") == [79])
        await well.until(lambda: stuck.closed == [4008])
        assert well.closed == []

    watch(main)


# Over REST


def test_who_polls_sees_the_same() -> None:
    race, ada = make_daily(), make_player("Ada")
    path = f"races/{race.pk}/changes/"
    polling = Watcher()
    status, frame = Api().get(path)
    assert (status, frame["type"]) == (200, "snapshot")
    polling.take(frame)
    win(ada, 60_000, race=race)
    for player in make_players(3):
        racing.enter(player=player, race=race.pk)
    status, frame = Api().get(f"{path}?since={frame['since']}")
    assert (status, frame["type"], len(frame["rows"])) == (200, "changes", 4)
    polling.take(frame)
    assert polling.sees() == must_see(race.pk)
    assert Api().get(f"{path}?since=nonsense")[1]["where"] == "since"
    assert Api().get(f"{path}?since=9999999999999999")[0] == 400
    assert Api().get(f"{path}?since={'9' * 40}")[0] == 400
    assert Api().get(f"{path}?after=1")[1]["code"] == "unknown_field"
    assert Api().get("races/999/changes/")[0] == 404
    assert Api().get(f"races/999/changes/?since={frame['since']}")[0] == 404
