"""A player's figures, read from the attempts."""

from typing import Any

from django.db import connection
from django.db.models import Case, F, IntegerField, QuerySet, When
from django.db.models.expressions import RawSQL
from django.db.models.functions import Coalesce

from games.engine.rulesets import RULESETS
from games.models import Attempt, Player
from leaderboard import ranking

# a game counts as played from its first move; who has not won has no best time
READ_TOTALS = """
WITH played AS (
    SELECT *, points + coalesce(bonus, 0) AS total, "end" = 'won' AS won,
        rank() OVER (PARTITION BY ruleset, clock ORDER BY official_ms, counted_moves, ended_at, id) AS by_time,
        rank() OVER (PARTITION BY ruleset, clock
            ORDER BY official_ms IS NULL, counted_moves, official_ms, ended_at, id) AS by_moves,
        rank() OVER (PARTITION BY ruleset, clock
            ORDER BY points + coalesce(bonus, 0) DESC, official_ms, counted_moves, ended_at, id) AS by_points
    FROM games_attempt WHERE player_id = %s AND plies > 0
)
SELECT ruleset, clock, count(*), count(*) FILTER (WHERE won),
    json_agg(best ORDER BY by_time) FILTER (WHERE won AND by_time = 1) -> 0,
    json_agg(best ORDER BY by_moves) FILTER (WHERE won AND by_moves = 1) -> 0,
    json_agg(best ORDER BY by_points) FILTER (WHERE by_points = 1) -> 0
FROM played, LATERAL json_build_object('official_ms', official_ms, 'moves', counted_moves, 'points', points,
    'bonus', bonus, 'replay', id) best
GROUP BY ruleset, clock ORDER BY ruleset, clock
"""


def read_totals(player: Player) -> list[dict[str, Any]]:
    """For each ruleset and clock: games, wins, best time, fewest moves and best points (null: none yet)."""
    with connection.cursor() as cursor:
        cursor.execute(READ_TOTALS, [player.pk])
        rows = cursor.fetchall()
    names = ("ruleset", "clock", "games", "wins", "best_time", "fewest_moves", "best_points")
    totals = [dict(zip(names, row, strict=True)) for row in rows]
    for row in totals:
        if RULESETS[row["ruleset"]].scoring == "none":
            row["best_points"] = None
    return totals


# wins first; who did not win comes below, by cards left, then by how long was played
BELOW = ("left", "played_ms")
ATTEMPT_ORDERS = {
    ranking.TIME: ("lost", "official_ms", "counted_moves", *BELOW),
    ranking.MOVES: ("lost", "counted_when_won", "official_ms", *BELOW),
    ranking.POINTS: ("-total", "official_ms", "counted_moves", *BELOW),
    "when": ("-started_at",),
}


def list_attempts(player: Player, order: str, *, ruleset: str | None, with_open: bool) -> QuerySet[Attempt]:
    """A player's games in an order of ATTEMPT_ORDERS; open ones only where they may be seen."""
    games = Attempt.objects.select_related("deal").filter(player=player)
    if ruleset:
        games = games.filter(ruleset=ruleset)
    if not with_open:
        games = games.exclude(ended_at=None)
    return games.alias(
        total=F("points") + Coalesce("bonus", 0),
        lost=Case(When(end=Attempt.WON, then=0), default=1),
        counted_when_won=Case(When(end=Attempt.WON, then=F("counted_moves"))),
        played_ms=RawSQL("times[cardinality(times)]", [], IntegerField()),
    ).order_by(*ATTEMPT_ORDERS[order], "id")
