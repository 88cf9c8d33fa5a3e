"""The rounds of sprints, read: who runs in them, and how each stands."""

from collections.abc import Collection
from datetime import datetime
from typing import NamedTuple

from django.db import connection

from leaderboard.sprints import Runner


class Seen(NamedTuple):
    """A runner with what a sprint shows of it. attempt: None before it is begun. moved_at: when it last changed.

    banned: of such a player nothing is shown. rated: whether the result counts for the ratings, once it is neither held
    nor void.
    """

    runner: Runner
    name: str
    attempt: int | None
    moves: int
    held: str
    void: bool
    banned: bool
    rated: bool
    moved_at: datetime | None


READ_RUNNERS = """
SELECT s.round_id, s.player_id, player.name, s.out_at, a.id,
    CASE WHEN a."end" = '' AND a.ends_at <= now THEN 'expired' ELSE coalesce(a."end", '') END,
    CASE WHEN a."end" = '' AND a.ends_at <= now THEN a.ends_at ELSE a.ended_at END,
    a.official_ms, coalesce(a."left", 28), coalesce(a.counted_moves, 0), coalesce(a.held, ''),
    a.voided_at IS NOT NULL, NOT player.is_active AND player.deleted_at IS NULL,
    coalesce(e.ranked, true) AND NOT player.guest, p.changed_at
FROM leaderboard_seat s JOIN leaderboard_round r ON r.id = s.round_id
JOIN games_player player ON player.id = s.player_id
LEFT JOIN leaderboard_entry e ON e.race_id = r.race_id AND e.player_id = s.player_id
LEFT JOIN games_attempt a ON a.id = e.attempt_id LEFT JOIN leaderboard_progress p ON p.entry_id = e.id,
    LATERAL clock_timestamp() now
WHERE s.round_id = ANY(%s) ORDER BY s.id
"""


def read_runners(rounds: Collection[int]) -> dict[int, list[Seen]]:
    """Who runs in these rounds, by the id of the round, in the order in which they came."""
    found: dict[int, list[Seen]] = {pk: [] for pk in rounds}
    with connection.cursor() as cursor:
        cursor.execute(READ_RUNNERS, [list(rounds)])
        for pk, *row in cursor.fetchall():
            found[pk].append(_make_seen(*row))
    return found


def _make_seen(
    player: int,
    name: str,
    out_at: datetime | None,
    attempt: int | None,
    end: str,
    ended_at: datetime | None,
    official_ms: int | None,
    left: int,
    moves: int,
    held: str,
    void: bool,
    banned: bool,
    rated: bool,
    moved_at: datetime | None,
) -> Seen:
    runner = Runner(player, out_at, end, ended_at, official_ms, left, counts=not (held or void or banned))
    return Seen(runner, name, attempt, moves, held, void, banned, rated, moved_at)
