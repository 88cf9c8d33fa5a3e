"""What a race's watchers see, read from the database: state, not messages.

A row is an entry as it stands now. A watcher who has a `State` and applies every later `Changes` to it has the state
as it stands now, whatever was said twice or lost on the way (docs/live.md has the six lines that do it).

"Changed since" cannot step over a row that was stamped before the moment and committed after it: a read reaches back
by OVERLAP, which is longer than a transaction of the web's may last. What it finds twice has the same `version`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from django.db import connection

from leaderboard import ranking, standings
from leaderboard.models import Race
from leaderboard.periods import write_moment

OVERLAP = timedelta(seconds=3)
ROSTER = 200
"""So many of those who play are told of, the first to enter; the counts tell of all."""
TOP = 10
MOST_ROWS = 500
"""Who has missed more changes than that gets a state."""

STARTED, PROGRESS, FINISHED, HELD, VOIDED = "started", "progress", "finished", "held", "voided"


@dataclass(slots=True)
class Row:
    """An entry as it stands: `said` is what a watcher is told of it, `version` when it last changed.

    An entry whose time ran out changed then, though nothing was written.
    """

    entry: int
    version: datetime
    said: dict[str, Any]

    @property
    def is_playing(self) -> bool:
        return self.said["kind"] in (STARTED, PROGRESS)


@dataclass(slots=True)
class Changes:
    """What has changed since a moment: the rows, and the first of the ranks whether they have changed or not."""

    now: datetime
    phase: str
    closes_at: datetime
    rows: list[Row]
    top: list[dict[str, Any]]


@dataclass(slots=True)
class State(Changes):
    """All that a watcher sees: `rows` are those who play, at most ROSTER; counts: entered, playing, won."""

    counts: dict[str, int] = field(default_factory=dict)

    @property
    def playing(self) -> dict[int, Row]:
        return {row.entry: row for row in self.rows}

    def follow(self, changes: Changes, rows: list[Row]) -> "State":
        """This state after changes by which nobody has come or gone."""
        newer = {row.entry: row for row in rows}
        roster = [newer.get(row.entry, row) for row in self.rows]
        return State(changes.now, changes.phase, changes.closes_at, roster, changes.top, self.counts)

    def write(self) -> dict[str, Any]:
        return {
            "type": "snapshot",
            "now": write_moment(self.now),
            "since": write_since(self.now),
            "phase": self.phase,
            "closes_at": write_moment(self.closes_at),
            "counts": self.counts,
            "top": self.top,
            "playing": [row.said for row in self.rows],
        }


def compare(before: State, after: State, over: Sequence[Row]) -> dict[str, Any] | None:
    """What to tell a watcher who has `before`, so that it has `after`; None for nothing.

    over: entries that have just ended, or been held or voided. They leave the roster with their last row; `gone` are
    those who leave it without.
    """
    old, new = before.playing, after.playing
    rows = [row.said for row in over if row.entry not in new]
    rows += [row.said for row in after.rows if row.entry not in old or row.said != old[row.entry].said]
    told: dict[str, Any] = {
        "rows": rows,
        "gone": sorted(old.keys() - new.keys() - {row.entry for row in over}),
    }
    for name in ("phase", "counts", "top"):
        if getattr(before, name) != getattr(after, name):
            told[name] = getattr(after, name)
    return write_changes(after.now, told) if any(told.values()) else None


def write_changes(now: datetime, told: dict[str, Any]) -> dict[str, Any]:
    return {"type": "changes", "now": write_moment(now), "since": write_since(now)} | told


def read_missed(race: int, since: str) -> dict[str, Any] | None:
    """What a watcher missed since the token of an earlier frame: the changes, or the state where those would not do.

    That is where more has changed than MOST_ROWS, where the roster is full (nothing says who has come up into it),
    and where the token is none. None where there is no such race.
    """
    state = read_state(race)
    if state is None:
        return None
    moment = read_since(since, state.now)
    changes = read_changes(race, moment, limit=MOST_ROWS + 1) if moment else None
    if changes is None or len(changes.rows) > MOST_ROWS or len(state.rows) == ROSTER:
        return state.write()
    rows = [row.said for row in reversed(changes.rows)]
    told = {"rows": rows, "gone": [], "phase": state.phase, "counts": state.counts, "top": state.top}
    return write_changes(state.now, told)


def write_since(moment: datetime) -> str:
    """A moment as a token: where a watcher goes on that was cut off."""
    return str(round(moment.timestamp() * 1_000_000))


def read_since(text: str, now: datetime) -> datetime | None:
    """The moment of a token; None where it is none, or lies in the time to come."""
    if not (text.isascii() and text.isdigit() and len(text) <= 16):
        return None
    moment = datetime.fromtimestamp(0, now.tzinfo) + timedelta(microseconds=int(text))
    return moment if moment <= now else None


# Reading

ROW = """p.entry_id, player.name, player.guest, e.ranked,
    CASE WHEN p.state = 'playing' AND p.ends_at <= now THEN 'expired' ELSE p.state END,
    CASE WHEN p.state = 'playing' AND p.ends_at <= now THEN 'expired' ELSE a."end" END,
    p.removed, p.moves, p.pass, a.started_at, a.official_ms,
    CASE WHEN p.state = 'playing' AND p.ends_at <= now THEN p.ends_at ELSE a.ended_at END,
    CASE WHEN p.state = 'playing' AND p.ends_at <= now THEN p.ends_at ELSE p.changed_at END, p.attempt_id"""
JOINED = """JOIN leaderboard_entry e ON e.id = p.entry_id JOIN games_attempt a ON a.id = p.attempt_id
    JOIN games_player player ON player.id = e.player_id, (SELECT %(now)s::timestamptz) clock (now)"""
READ_RACE = "SELECT clock_timestamp(), kind, opens_at, closes_at, withdrawn_at FROM leaderboard_race WHERE id = %s"
# each side of the UNION is a range of an index; the second: whose time ran out since
READ_ROWS = f"""
SELECT {ROW} FROM (
    SELECT * FROM leaderboard_progress WHERE race_id = %(race)s AND changed_at > %(since)s
    UNION
    SELECT * FROM leaderboard_progress
    WHERE race_id = %(race)s AND state = 'playing' AND ends_at > %(since)s AND ends_at <= %(now)s
) p {JOINED} ORDER BY 13 DESC, p.entry_id LIMIT %(limit)s"""
READ_ROSTER = f"""
SELECT {ROW} FROM (
    SELECT * FROM leaderboard_progress WHERE race_id = %(race)s AND state = 'playing' AND ends_at > %(now)s
    ORDER BY entry_id LIMIT {ROSTER}
) p {JOINED} ORDER BY p.entry_id"""
READ_COUNTS = """
SELECT count(*), count(*) FILTER (WHERE state = 'playing' AND ends_at > %(now)s), count(*) FILTER (WHERE state = 'won')
FROM leaderboard_progress WHERE race_id = %(race)s AND state <> 'voided'"""
READ_TOP = f"""
SELECT player.name, s.key1, s.key2, s.attempt_id FROM (
    SELECT * FROM leaderboard_standing WHERE board_id = (
        SELECT id FROM leaderboard_board
        WHERE deal_id IS NULL AND race_id = %(race)s AND "order" = '{ranking.TIME}'
    ) ORDER BY {standings.IN_ORDER} LIMIT {TOP}
) s JOIN games_player player ON player.id = s.player_id ORDER BY {standings.IN_ORDER}"""


def read_state(race: int) -> State | None:
    """All that a watcher of a race sees; None where there is no such race.

    `now` is from before the reading: what changes in the midst of it has changed since.
    """
    with connection.cursor() as cursor:
        head = _read_head(cursor, race)
        if head is None:
            return None
        at: dict[str, Any] = {"race": race, "now": head[0]}
        cursor.execute(READ_COUNTS, at)
        counts = dict(zip(("entered", "playing", "won"), cursor.fetchone(), strict=True))
        cursor.execute(READ_ROSTER, at)
        return State(*head, _read_rows(cursor), _read_top(cursor, race), counts)


def read_changes(race: int, since: datetime, *, limit: int) -> Changes | None:
    """What has changed in a race since a moment, less OVERLAP: the latest first, at most `limit` rows.

    None where there is no such race.
    """
    with connection.cursor() as cursor:
        head = _read_head(cursor, race)
        if head is None:
            return None
        cursor.execute(READ_ROWS, {"race": race, "now": head[0], "since": since - OVERLAP, "limit": limit})
        return Changes(*head, _read_rows(cursor), _read_top(cursor, race))


def _read_head(cursor: Any, race: int) -> tuple[datetime, str, datetime] | None:
    cursor.execute(READ_RACE, [race])
    row = cursor.fetchone()
    if row is None:
        return None
    now, kind, opens_at, closes_at, withdrawn_at = row
    phase = Race(kind=kind, opens_at=opens_at, closes_at=closes_at).phase_at(now)
    return now, "withdrawn" if withdrawn_at else phase, closes_at


def _read_top(cursor: Any, race: int) -> list[dict[str, Any]]:
    cursor.execute(READ_TOP, {"race": race})
    top: list[dict[str, Any]] = []
    for player, official_ms, moves, attempt in cursor.fetchall():
        is_tie = bool(top) and (top[-1]["official_ms"], top[-1]["moves"]) == (official_ms, moves)
        rank = top[-1]["rank"] if is_tie else len(top) + 1
        top.append({"rank": rank, "player": player, "official_ms": official_ms, "moves": moves, "replay": attempt})
    return top


def _read_rows(cursor: Any) -> list[Row]:
    return [_make_row(*row) for row in cursor.fetchall()]


def _make_row(
    entry: int,
    player: str,
    guest: bool,
    ranked: bool,
    state: str,
    end: str,
    removed: int,
    moves: int,
    pass_: int,
    started_at: datetime,
    official_ms: int | None,
    ended_at: datetime | None,
    version: datetime,
    attempt: int,
) -> Row:
    if state == "voided":
        return Row(entry, version, {"kind": VOIDED, "entry": entry})  # it may be somebody's of whom nothing is shown
    playing = PROGRESS if moves else STARTED
    said = {
        "kind": playing if state == "playing" else HELD if state == "held" else FINISHED,
        "entry": entry,
        "player": player,
        "guest": guest,
        "ranked": ranked,
        "removed": removed,
        "moves": moves,
        "pass": pass_,
        "started_at": write_moment(started_at),
    }
    if state != "playing":
        said |= {"end": end or None, "official_ms": official_ms, "ended_at": ended_at and write_moment(ended_at)}
        said["replay"] = attempt
    return Row(entry, version, said)
