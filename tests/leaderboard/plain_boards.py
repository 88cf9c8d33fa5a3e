"""The boards once more, in plain Python, from nothing but the attempts."""

from collections import Counter
from itertools import groupby
from typing import Any, NamedTuple

from games.models import Attempt
from leaderboard.models import Board, Entry, Standing, TimeBucket

KEYS = {
    "time": lambda a: (a.official_ms, a.counted_moves),
    "moves": lambda a: (a.counted_moves, a.official_ms),
    "points": lambda a: (-a.points - (a.bonus or 0), a.official_ms, a.counted_moves),
}


class Row(NamedTuple):
    rank: int
    number: int
    attempt: Attempt


PERIODS = {
    "day": lambda day: day.strftime("%Y-%m-%d"),
    "week": lambda day: day.strftime("%G-W%V"),
    "month": lambda day: day.strftime("%Y-%m"),
    "year": lambda day: day.strftime("%Y"),
}


def stands_on(board: Board, attempt: Attempt) -> bool:
    if attempt.end != "won" or attempt.held or attempt.voided_at:
        return False
    if attempt.sandbox and board.kind != "race":
        return False
    if board.kind == "deal":
        return (attempt.deal_id, attempt.clock) == (board.deal_id, board.clock)
    entry = attempt.ranked_entry  # type: ignore[attr-defined]
    if board.kind == "race":
        return entry is not None and entry.race_id == board.race_id
    if not attempt.ranked or attempt.ruleset != board.ruleset:
        return False
    day = (entry.race.day or entry.race.opens_at.date()) if entry else attempt.started_at.date()
    return board.kind == "ruleset" or PERIODS[board.kind](day) == board.period


def compute_rows(board: Board, attempts: list[Attempt]) -> list[Row]:
    """All rows of a board in order, each with its rank and its number."""
    key = KEYS[board.order]
    wins = [attempt for attempt in attempts if stands_on(board, attempt)]
    wins.sort(key=lambda a: (*key(a), a.ended_at, a.pk))
    best: dict[int, Attempt] = {}
    for win in wins:
        best.setdefault(win.player_id, win)
    rows: list[Row] = []
    for _key, tied in groupby(best.values(), key):
        rank = len(rows) + 1
        rows += [Row(rank, len(rows) + n, attempt) for n, attempt in enumerate(tied, 1)]
    return rows


def list_attempts() -> list[Attempt]:
    """All attempts, each with its ranked entry in a race, if it has one."""
    entries = {entry.attempt_id: entry for entry in Entry.objects.select_related("race").filter(ranked=True)}
    attempts = list(Attempt.objects.select_related("player", "deal"))
    for attempt in attempts:
        attempt.ranked_entry = entries.get(attempt.pk)  # type: ignore[attr-defined]
    return attempts


def check_boards() -> dict[str, int]:
    """Assert that every standing and every bucket is what the attempts say; how many rows each kind of board has,
    but for those of periods, which are checked alike."""
    attempts = list_attempts()
    sizes: Counter[str] = Counter()
    for board in Board.objects.all():
        rows = compute_rows(board, attempts)
        stored = Standing.objects.filter(board=board).order_by("key1", "key2", "key3", "ended_at", "attempt")
        copies = ("player", "ended_at", "deal", "points", "bonus", "ranked", "assisted")
        attempted = [row.attempt for row in rows]
        assert [
            (a.pk, a.player_id, a.ended_at, a.deal_id, a.points, a.bonus, a.ranked, a.assisted) for a in attempted
        ] == list(stored.values_list("attempt", *copies)), board
        assert read_buckets(board) == count_buckets(rows if board.order == "time" else []), board
        if not board.period:
            sizes[board.kind] += len(rows)
    return dict(sizes)


def read_buckets(board: Board) -> dict[tuple[int, int], int]:
    """The counts that are kept of a board, by level and bucket."""
    counts: Counter[tuple[int, int]] = Counter()
    for shift, bucket, count in TimeBucket.objects.filter(board=board).values_list("shift", "bucket", "count"):
        counts[shift, bucket] += count
    return {place: count for place, count in counts.items() if count}


def count_buckets(rows: list[Row]) -> dict[tuple[int, int], int]:
    """How many rows have an official time in each of the 16 ms, 1.024 s and 65.536 s that make the levels."""
    return Counter((shift, row.attempt.official_ms // 2**shift) for row in rows for shift in (4, 10, 16))


def describe(row: Row) -> dict[str, Any]:
    """A row as a page of the API writes it, but for its moment, which stays a datetime."""
    attempt = row.attempt
    return {
        "rank": row.rank,
        "row": row.number,
        "player": attempt.player.name,
        "official_ms": attempt.official_ms,
        "moves": attempt.counted_moves,
        "points": attempt.points,
        "bonus": attempt.bonus,
        "score": attempt.points + (attempt.bonus or 0),
        "when": attempt.ended_at,
        "ranked": attempt.ranked,
        "assisted": attempt.assisted,
        "replay": attempt.pk,
    }
