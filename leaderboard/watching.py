"""The topics of the hub: a race, the table of one who plays in it, and a sprint."""

import time
from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from games.engine.cards import write_cards
from games.engine.replay import dump
from games.errors import Problem
from games.models import Attempt
from games.names import clean_name, name_key
from leaderboard import describing, events, feed, settling, sight, sprinting
from leaderboard.actions import read_clock
from leaderboard.hub import GAP, LONGEST_PAUSE, NOT_FOUND, WINDOW, Hub, Topic
from leaderboard.models import Entry, Race
from leaderboard.periods import write_moment

REREAD = 30.0  # seconds between two looks at everything
REACH = timedelta(minutes=2)  # how far back such a look goes for who has ended
MOST_CHANGES = 10_000
OVER = ("closed", "withdrawn")  # in these phases only a moderator changes anything, and wakes the hubs
NOT_TO_SEE = 4403


class RaceTopic(Topic):
    """A race: its state as it was told last, and the version of each entry that was.

    Most looks read only what has changed. Where somebody has come or gone, the phase is another, or REREAD is over,
    the whole state is read: what a change does to the roster, the ranks and the counts is the database's to say.
    """

    def __init__(self, hub: Hub, race: int) -> None:
        super().__init__(hub)
        self.race = race
        self.names = {events.name_race(race)}
        self.state: feed.State
        self.snapshot: str | None = None
        self.told: dict[int, datetime] = {}
        self.reread_at = 0.0

    def __str__(self) -> str:
        return f"Race {self.race}"

    def write_snapshot(self) -> str:
        if self.snapshot is None:
            self.snapshot = dump(self.state.write())
        return self.snapshot

    async def begin(self) -> bool:
        state = await self.hub.read(feed.read_state, self.race)
        if state is None:
            return False
        self._set(state)
        self._remember(state.rows)
        self.reread_at = time.monotonic() + REREAD
        return True

    async def look(self) -> None:
        is_deep = time.monotonic() >= self.reread_at
        since = self.state.now - REACH if is_deep else self.state.now
        changes = await self.hub.read(feed.read_changes, self.race, since, limit=MOST_CHANGES)
        if changes is None:
            self.end(NOT_FOUND)
            return
        fresh = [row for row in changes.rows if self.told.get(row.entry) != row.version]
        over = [row for row in reversed(fresh) if not row.is_playing]
        after: feed.State | None = self.state.follow(changes, fresh)
        if is_deep or over or changes.phase != self.state.phase or self._somebody_came(fresh):
            after = await self.hub.read(feed.read_state, self.race)
        if after is None:
            return
        if is_deep:
            self.reread_at = time.monotonic() + REREAD
        self._change_to(after, fresh, over)

    def _somebody_came(self, fresh: list[feed.Row]) -> bool:
        known = self.state.playing
        has_room = len(known) < feed.ROSTER
        return any(
            row.is_playing and row.entry not in known and (has_room or row.entry not in self.told) for row in fresh
        )

    def _change_to(self, after: feed.State, fresh: list[feed.Row], over: list[feed.Row]) -> None:
        frame = feed.compare(self.state, after, over)
        self._set(after)
        self._remember([*fresh, *after.rows])
        if frame is not None:
            self.tell(frame)

    def _set(self, state: feed.State) -> None:
        self.state = state
        self.snapshot = None
        self.window = LONGEST_PAUSE if state.phase in OVER else WINDOW

    def _remember(self, rows: list[feed.Row]) -> None:
        """The versions that were told; of what no look reaches back to none is kept."""
        self.told |= {row.entry: row.version for row in rows}
        oldest = self.state.now - REACH - 2 * feed.OVERLAP
        self.told = {entry: version for entry, version in self.told.items() if version >= oldest}


class Table(NamedTuple):
    """The table of a player in a race."""

    order: str
    deal: str
    cards: str
    moves: str
    end: str
    players: set[int]
    """Of those who watch: who may not any more, since they play the same cards; all, of who is banned."""


class TableTopic(Topic):
    """The moves of a player in a race as they are made, for those who may see them."""

    def __init__(self, hub: Hub, attempt: int) -> None:
        super().__init__(hub)
        self.attempt = attempt
        self.table: Table

    def __str__(self) -> str:
        return f"The table of attempt {self.attempt}"

    def write_snapshot(self) -> str:
        _order, deal, cards, moves, end, _players = self.table
        return dump({"type": "table", "deal": deal, "cards": cards, "moves": moves, "end": end or None})

    async def begin(self) -> bool:
        self.table = await self.hub.read(read_table, self.attempt, set())
        return True

    async def look(self) -> None:
        watching = {member.caller.player for member in self.members if member.caller}
        after = await self.hub.read(read_table, self.attempt, watching)
        for member in list(self.members):
            if member.caller and member.caller.player in after.players:
                member.end(NOT_TO_SEE)
        before, self.table = self.table, after
        if (before.moves, before.end) != (after.moves, after.end):
            old = before.moves.split(" ") if before.moves else []
            new = after.moves.split(" ") if after.moves else []
            moves = " ".join(new[len(old) :])
            self.tell({"type": "moves", "from_ply": len(old), "moves": moves, "end": after.end or None})


def read_table(attempt: int, watching: set[int]) -> Table:
    """A table, and which of the players who watch it are playing the same cards now."""
    now = read_clock()
    found = Attempt.objects.select_related("deal", "player").get(pk=attempt).expire(now=now)
    playing = Attempt.objects.filter(
        player__in=watching, deal__order=found.deal.order, ended_at=None, ends_at__gt=now
    ).values_list("player", flat=True)
    cards = write_cards(found.deal.cards.cards)
    leaving = watching if found.player.is_banned else set(playing)
    return Table(found.deal.order, found.deal.code, cards, found.moves, found.end, leaving)


def find_table(race: int, player: str, viewer: int) -> int | None:
    """The attempt of a player, however the name is written, in a race, if the viewer may watch it: who has ended an
    own entry there, and is not playing the same cards; else None."""
    try:
        key = name_key(clean_name(player))
    except Problem:  # nobody has a name that may not be
        return None
    now = read_clock()
    own = Entry.objects.select_related("attempt", "player").filter(race=race, player=viewer).first()
    theirs = Entry.objects.select_related("player").filter(race=race, player__name_key=key).first()
    order = Race.objects.filter(pk=race).values_list("deal__order", flat=True).first()
    if own is None or theirs is None or theirs.player.is_banned or order is None or not own.attempt.expire(now=now).end:
        return None
    return theirs.attempt_id if sight.may_see_rest(own.player, order, now=now) else None


class SeenSprint(NamedTuple):
    """A sprint as it was read: all that is told of it, what of that is worth a frame, and when something is due."""

    told: dict[str, Any]
    gist: dict[str, Any]
    now: datetime
    due_at: datetime | None


class SprintTopic(Topic):
    """A sprint: told again after each change but those in the midst of a round, of which the round's race tells.

    To look is to settle it, so a sprint that is watched goes on by itself: it is looked at when something is due. Who
    is in it and has a socket here is heard of.
    """

    def __init__(self, hub: Hub, sprint: int) -> None:
        super().__init__(hub)
        self.sprint = sprint
        self.seen: SeenSprint
        self.read_at = 0.0
        self.heard: set[int] = set()
        self.hear_at = 0.0

    def __str__(self) -> str:
        return f"Sprint {self.sprint}"

    def write_snapshot(self) -> str:
        now = self.seen.now + timedelta(seconds=time.monotonic() - self.read_at)
        return dump({"type": "sprint", "sprint": self.seen.told | {"now": write_moment(now)}})

    async def begin(self) -> bool:
        try:
            self._set(await self.hub.read(read_sprint, self.sprint, []))
        except Problem:
            return False
        return True

    async def look(self) -> None:
        before = self.seen.gist
        try:
            self._set(await self.hub.read(read_sprint, self.sprint, self._whom_to_hear()))
        except Problem:
            self.end(NOT_FOUND)
            return
        if self.seen.gist != before:
            self.tell({"type": "sprint", "sprint": self.seen.told})

    def _whom_to_hear(self) -> set[int]:
        """Who is to be heard of with this look: newcomers at once, the others from time to time."""
        players = {member.caller.player for member in self.members if member.caller}
        if players <= self.heard and time.monotonic() < self.hear_at:
            return set()
        self.heard, self.hear_at = players, time.monotonic() + sprinting.HEARD_EVERY.total_seconds()
        return players

    def _set(self, seen: SeenSprint) -> None:
        self.seen, self.read_at = seen, time.monotonic()
        self.names = {events.name_sprint(self.sprint)}
        self.names |= {events.name_race(played["race"]) for played in seen.told["rounds"]}
        # of many wake-ups at once some are left out
        self.window = LONGEST_PAUSE if self.wakes.is_old() else WINDOW
        if seen.due_at:
            self.window = min(self.window, (seen.due_at - seen.now).total_seconds() + GAP)


def read_sprint(sprint: int, heard: Collection[int]) -> SeenSprint:
    """A sprint, settled, after these players were heard of. Raises Problem (404)."""
    sprinting.hear_all(players=heard, sprint=sprint)
    told = describing.describe_sprint(sprint, None)
    now = datetime.fromisoformat(told["now"])
    return SeenSprint(told, _leave_progress_out(told), now, settling.next_moment(sprint, now))


def _leave_progress_out(told: dict[str, Any]) -> dict[str, Any]:
    rounds = [played | {"players": [_write_end(row) for row in played["players"]]} for played in told["rounds"]]
    return told | {"now": None, "rounds": rounds}


def _write_end(row: dict[str, Any]) -> dict[str, Any]:
    return {"player": row["player"]} if row["state"] in ("waiting", "playing") else row
