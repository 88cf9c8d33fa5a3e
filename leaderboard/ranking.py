"""The order of the boards, written once. Pure: no clock, no database.

A standing is one whole attempt, compared as a tuple; equal keys share a rank, and inside a tie the earlier
comes first.
"""

TIME, MOVES, POINTS = "time", "moves", "points"

# how the time order is counted: buckets of 2**4, 2**10 and 2**16 ms (16 ms, about 1 s, about 1 min), the finest first
BUCKET_SHIFTS = (4, 10, 16)
# a minute is everybody's, so its count is kept in so many parts, of which a connection always writes the same one
SHARDS = 8


def orders_of(scoring: str) -> tuple[str, ...]:
    """The orders in which a ruleset's boards are kept, by its `scoring`."""
    return (TIME, MOVES, POINTS) if scoring == "points" else (TIME, MOVES)


def sort_key(order: str, official_ms: int, moves: int, points: int) -> tuple[int, int, int]:
    """What a won attempt is compared by; less is better. `points` with the bonus.

    time: by official time (ms), then moves. moves: by moves, then time. points: by points, then time, then moves.
    """
    if order == TIME:
        return official_ms, moves, 0
    if order == MOVES:
        return moves, official_ms, 0
    if order == POINTS:
        return -points, official_ms, moves
    raise ValueError(f"There is no order {order!r}.")


# in which of the keys official time and moves are
TIME_AND_MOVES = {TIME: ("key1", "key2"), MOVES: ("key2", "key1"), POINTS: ("key2", "key3")}


def below_key(official_ms: int | None, moves: int, left: int, played_ms: int | None) -> tuple[int, ...]:
    """How entries outside a race's ranks follow each other; less comes first.

    The held wins (with an official time) by time, then moves; then who did not win, by tableau cards left, then by
    the time played; without a token (None) last.
    """
    if official_ms is not None:
        return 0, official_ms, moves
    return 1, left, 2**31 if played_ms is None else played_ms


def season_points(rank: int, field: int) -> int:
    """What a rank among `field` ranked players of a daily is worth in its season: 0 to 999, whole.

    The thousandths of a field with one player more that it leaves behind: 500 for playing alone, 999 for the first
    of a thousand.
    """
    return 1000 * (field + 1 - rank) // (field + 1)
