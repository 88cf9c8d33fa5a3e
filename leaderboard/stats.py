"""A player's figures, read from the attempts."""

from datetime import datetime
from typing import Any

from django.db import connection
from django.db.models import Case, F, IntegerField, Q, QuerySet, When
from django.db.models.expressions import RawSQL
from django.db.models.functions import Coalesce

from games.engine.rulesets import RULESETS
from games.models import Attempt, Player
from leaderboard import ranking

# an open game counts from its first move, but is nobody's best yet
READ_TOTALS = """
SELECT ruleset, clock, count(*), count(*) FILTER (WHERE "end" = 'won'),
    (array_agg(game ORDER BY official_ms, counted_moves, ended_at, id) FILTER (WHERE "end" = 'won'))[1],
    (array_agg(game ORDER BY counted_moves, official_ms, ended_at, id) FILTER (WHERE "end" = 'won'))[1],
    (array_agg(game ORDER BY points + coalesce(bonus, 0) DESC, official_ms, counted_moves, ended_at, id)
        FILTER (WHERE ended_at IS NOT NULL OR ends_at <= clock_timestamp()))[1]
FROM games_attempt, LATERAL json_build_object('official_ms', official_ms, 'moves', counted_moves,
    'points', points, 'bonus', bonus, 'replay', id) game
WHERE player_id = %s AND plies > 0
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


# who did not win comes below the wins: by cards left, then by how long was played
BELOW = ("left", "played_ms")
ATTEMPT_ORDERS = {
    ranking.TIME: ("lost", "official_ms", "moves_of_a_win", *BELOW, "ended_at", "id"),
    ranking.MOVES: ("lost", "moves_of_a_win", "official_ms", *BELOW, "ended_at", "id"),
    ranking.POINTS: ("lost", "-points_of_a_win", "official_ms", "moves_of_a_win", *BELOW, "ended_at", "id"),
    "when": ("-started_at", "-id"),
}


def list_attempts(
    player: Player, order: str, *, ruleset: str | None, with_open: bool, now: datetime
) -> QuerySet[Attempt]:
    """A player's games (from the first move) in an order of ATTEMPT_ORDERS; open ones only where they may be seen."""
    games = Attempt.objects.select_related("deal").filter(player=player, plies__gt=0)
    if ruleset:
        games = games.filter(ruleset=ruleset)
    if not with_open:
        games = games.filter(Q(ended_at__isnull=False) | Q(ends_at__lte=now))
    won = Q(end=Attempt.WON)
    return games.alias(
        points_of_a_win=Case(When(won, then=F("points") + Coalesce("bonus", 0))),
        lost=Case(When(won, then=0), default=1),
        moves_of_a_win=Case(When(won, then=F("counted_moves"))),
        played_ms=Case(When(~won, then=RawSQL("times[cardinality(times)]", [], IntegerField()))),
    ).order_by(*ATTEMPT_ORDERS[order])
