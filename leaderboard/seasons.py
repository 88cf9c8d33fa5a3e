"""Seasons: calendar months, and the points that their dailies give. The formula is `ranking.season_points`.

A daily counts from the moment it closes. Two days later its points become final: they are stored, by the first who
settles, and until somebody does they are computed, which is the same, since whoever holds, voids, releases or
restores a result of that day settles it first.
"""

import json
from collections.abc import Sequence
from datetime import date
from typing import Any, NamedTuple

from django.db import connection, transaction

from games.models import Player
from leaderboard import ranking
from leaderboard.models import SeasonDay, SeasonPoints

FINAL_AFTER = "interval '48 hours'"
POINTS = "1000 * (field + 1 - rank) / (field + 1)"  # ranking.season_points

IN_RANKS = f"""
SELECT day.race_id, s.player_id, s.attempt_id, s.ended_at,
    rank() OVER (PARTITION BY s.board_id ORDER BY s.key1, s.key2, s.key3) AS rank,
    count(*) OVER (PARTITION BY s.board_id) AS field
FROM day JOIN leaderboard_board b ON b.deal_id IS NULL AND b.race_id = day.race_id AND b."order" = '{ranking.TIME}'
JOIN leaderboard_standing s ON s.board_id = b.id"""

DUE = f"""
SELECT race.id FROM leaderboard_race race
WHERE race.day IS NOT NULL AND race.withdrawn_at IS NULL AND race.closes_at <= clock_timestamp() - {FINAL_AFTER}
    AND NOT EXISTS (SELECT FROM leaderboard_seasonday WHERE race_id = race.id)"""
OF_ATTEMPT = " AND race.id = (SELECT race_id FROM leaderboard_entry WHERE attempt_id = %s AND ranked)"

# ON CONFLICT: who is second waits for the first, and stores nothing
SETTLE = f"""
WITH day AS (
    INSERT INTO leaderboard_seasonday (race_id, settled_at, field)
    SELECT race.id, clock_timestamp(), (
        SELECT count(*) FROM leaderboard_standing s JOIN leaderboard_board b ON b.id = s.board_id
        WHERE b.deal_id IS NULL AND b.race_id = race.id AND b."order" = '{ranking.TIME}')
    FROM leaderboard_race race WHERE race.id = %s
    ON CONFLICT DO NOTHING
    RETURNING race_id
)
INSERT INTO leaderboard_seasonpoints (day_id, player_id, attempt_id, rank, points)
SELECT race_id, player_id, attempt_id, rank, {POINTS} FROM ({IN_RANKS}) ranked
"""


def settle(*, attempt: int | None = None) -> list[int]:
    """Store the points of the dailies (or of the one that an attempt is in) that are final; the races' ids."""
    with connection.cursor() as cursor:
        cursor.execute(DUE if attempt is None else DUE + OF_ATTEMPT, [] if attempt is None else [attempt])
        due = sorted(race for (race,) in cursor.fetchall())
        for race in due:
            cursor.execute(SETTLE, [race])
    return due


class Change(NamedTuple):
    """What a player's points of a day were, and what they are (None: none)."""

    race: int
    player: str
    before: int | None
    after: int | None


READ_POINTS = """
SELECT player.name, p.points FROM leaderboard_seasonpoints p JOIN games_player player ON player.id = p.player_id
WHERE p.day_id = %s
"""


def recompute(race: int) -> list[Change]:
    """Give the final points of a day anew, from the ranks as they are now; the changes, by name.

    For moderators who will not leave the others with what a void result left them. An unsettled day has none.
    """
    with transaction.atomic(), connection.cursor() as cursor:
        if not SeasonDay.objects.select_for_update().filter(pk=race).exists():
            return []
        before = _read_points(cursor, race)
        SeasonPoints.objects.filter(day=race).delete()
        SeasonDay.objects.filter(pk=race).delete()
        cursor.execute(SETTLE, [race])
        after = _read_points(cursor, race)
    names = sorted(name for name in before | after if before.get(name) != after.get(name))
    return [Change(race, name, before.get(name), after.get(name)) for name in names]


def _read_points(cursor: Any, race: int) -> dict[str, int]:
    cursor.execute(READ_POINTS, [race])
    return dict(cursor.fetchall())


READ_SEASON = f"""
WITH day AS (
    SELECT race.id AS race_id FROM leaderboard_race race
    WHERE race.day = ANY(%(days)s::date[]) AND race.withdrawn_at IS NULL AND race.closes_at <= clock_timestamp()
        AND (race.ruleset = %(ruleset)s OR %(ruleset)s = '')
        AND NOT EXISTS (SELECT FROM leaderboard_seasonday WHERE race_id = race.id)
), result (player_id, points, ended_at, final) AS (
    SELECT player_id, {POINTS}, ended_at, closes_at <= clock_timestamp() - {FINAL_AFTER}
    FROM ({IN_RANKS}) ranked JOIN leaderboard_race race ON race.id = race_id
    UNION ALL
    SELECT p.player_id, p.points, a.ended_at, true
    FROM leaderboard_race race JOIN leaderboard_seasonpoints p ON p.day_id = race.id
    JOIN games_attempt a ON a.id = p.attempt_id
    WHERE race.day = ANY(%(days)s::date[]) AND (race.ruleset = %(ruleset)s OR %(ruleset)s = '')
        AND race.withdrawn_at IS NULL AND a.held = '' AND a.voided_at IS NULL
), total AS (
    SELECT player_id, sum(points) AS points, count(*) AS dailies, bool_and(final) AS final, max(ended_at) AS ended_at
    FROM result WHERE %(among)s::bigint[] IS NULL OR player_id = ANY(%(among)s) GROUP BY player_id
), ranked AS (
    SELECT *, rank() OVER (ORDER BY points DESC) AS rank,
        row_number() OVER (ORDER BY points DESC, ended_at, player_id) AS row, count(*) OVER () AS size
    FROM total
), middle AS (
    SELECT row FROM ranked WHERE player_id = %(player)s::bigint
)
SELECT count(*), coalesce((SELECT max(size) FROM ranked), 0), coalesce(json_agg(json_build_object(
    'rank', r.rank, 'row', r.row, 'player', player.name, 'points', r.points, 'dailies', r.dailies, 'final', r.final
) ORDER BY r.row), '[]')::text
FROM ranked r JOIN games_player player ON player.id = r.player_id
WHERE CASE WHEN %(player)s::bigint IS NULL THEN r.row > %(offset)s AND r.row <= %(offset)s + %(limit)s
    ELSE r.row BETWEEN (SELECT row FROM middle) - %(limit)s AND (SELECT row FROM middle) + %(limit)s END
"""


def read_season(
    days: Sequence[date],
    *,
    ruleset: str | None,
    limit: int,
    offset: int = 0,
    around: Player | None = None,
    among: Sequence[int] | None = None,
) -> dict[str, Any] | None:
    """A page of the season of these days: {"total", "rows": [...]}; None where the player around is not in it.

    Over all rulesets' dailies, or one's. around: that player's row and up to `limit` on either side. among: the rows
    of these players alone, with the points that they have and the ranks that those give among themselves.
    """
    params: dict[str, Any] = {"days": list(days), "ruleset": ruleset or "", "limit": limit, "offset": offset}
    params["among"] = None if among is None else list(among)
    with connection.cursor() as cursor:
        cursor.execute(READ_SEASON, params | {"player": around and around.pk})
        size, total, rows = cursor.fetchone()
    return None if around and not size else {"total": total, "rows": json.loads(rows)}
