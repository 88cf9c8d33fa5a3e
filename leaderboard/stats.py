"""A player's figures and two players', and who stands below a race's ranks: read from the attempts."""

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple

from django.db import connection
from django.db.models import Case, F, IntegerField, Q, QuerySet, When
from django.db.models.expressions import RawSQL
from django.db.models.functions import Coalesce

from games.engine.rulesets import RULESETS
from games.models import Attempt, Deal, Player
from leaderboard import ranking
from leaderboard.models import Race

# an open game counts from its first move, but is nobody's best yet; a void one is none, a held one is no best
READ_TOTALS = """
SELECT ruleset, clock, count(*), count(*) FILTER (WHERE "end" = 'won'),
    (array_agg(game ORDER BY official_ms, counted_moves, ended_at, id) FILTER (WHERE "end" = 'won' AND held = ''))[1],
    (array_agg(game ORDER BY counted_moves, official_ms, ended_at, id) FILTER (WHERE "end" = 'won' AND held = ''))[1],
    (array_agg(game ORDER BY points + coalesce(bonus, 0) DESC, official_ms, counted_moves, ended_at, id)
        FILTER (WHERE held = '' AND (ended_at IS NOT NULL OR ends_at <= clock_timestamp())))[1]
FROM games_attempt, LATERAL json_build_object('official_ms', official_ms, 'moves', counted_moves,
    'points', points, 'bonus', bonus, 'replay', id) game
WHERE player_id = %s AND plies > 0 AND voided_at IS NULL AND NOT sandbox
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
    games = Attempt.objects.select_related("deal").filter(player=player, plies__gt=0, sandbox=False)
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


def find_best_game(player: Player, deal: Deal, *, now: datetime) -> Attempt | None:
    """A player's best ended game on a deal, held and void ones aside: by the server's clock where there is one."""
    games = list_attempts(player, ranking.TIME, ruleset=deal.ruleset, with_open=False, now=now)
    counting = games.select_related("deal", "player").filter(deal=deal, held="", voided_at=None)
    best = counting.filter(clock=Attempt.SERVER).first() or counting.first()
    return best and best.expire(now=now)


def list_win_times(player: Player, ruleset: str, limit: int) -> list[int]:
    """The official times (ms) of a player's latest wins by the server's clock, the newest last; held and void aside."""
    won = Attempt.objects.filter(player=player, ruleset=ruleset, clock=Attempt.SERVER, end=Attempt.WON)
    times = won.filter(held="", voided_at=None).order_by("-ended_at", "-id").values_list("official_ms", flat=True)
    return [ms for ms in times[:limit] if ms is not None][::-1]


# Below a race's ranks, in the order of `ranking.below_key`
MEMBERS = "(%(among)s::bigint[] IS NULL OR e.player_id = ANY(%(among)s))"
READ_BELOW = f"""
WITH below AS (
    SELECT a.*, a.times[cardinality(a.times)] AS played_ms,
        CASE WHEN a."end" = '' THEN 'expired' ELSE a."end" END AS ending
    FROM leaderboard_entry e JOIN games_attempt a ON a.id = e.attempt_id
    WHERE e.race_id = %(race)s AND {MEMBERS} AND e.ranked AND a.voided_at IS NULL
        AND (a.ended_at IS NOT NULL OR a.ends_at <= clock_timestamp()) AND (a."end" <> 'won' OR a.held <> '')
), page AS (
    SELECT *, row_number() OVER (ORDER BY "end" <> 'won', official_ms, CASE WHEN "end" = 'won' THEN counted_moves END,
        "left", played_ms NULLS LAST, coalesce(ended_at, ends_at), id) AS place
    FROM below ORDER BY place LIMIT %(limit)s OFFSET %(offset)s
)
SELECT (SELECT count(*) FROM below), coalesce(json_agg(json_build_object(
    'player', player.name, 'held', nullif(held, ''), 'end', ending, 'left', "left", 'official_ms', official_ms,
    'played_ms', played_ms, 'moves', counted_moves, 'points', points, 'bonus', bonus, 'replay', page.id
) ORDER BY place), '[]')::text
FROM page JOIN games_player player ON player.id = page.player_id
"""


def list_below(
    race: Race, *, limit: int, offset: int, among: Sequence[int] | None = None
) -> tuple[int, list[dict[str, Any]]]:
    """How many ranked entries of a race have ended outside its ranks, and a page of them; among: of these players."""
    return _list_beside(READ_BELOW, race, limit, offset, among)


# Guests have no rank; who won stands in a list of their own, in the order that the ranks have
READ_GUESTS = f"""
WITH guests AS (
    SELECT a.* FROM leaderboard_entry e JOIN games_attempt a ON a.id = e.attempt_id
    WHERE e.race_id = %(race)s AND {MEMBERS} AND e.unranked_because = 'guest' AND a."end" = 'won'
        AND a.voided_at IS NULL
), page AS (
    SELECT *, row_number() OVER (ORDER BY official_ms, counted_moves, ended_at, id) AS place
    FROM guests ORDER BY place LIMIT %(limit)s OFFSET %(offset)s
)
SELECT (SELECT count(*) FROM guests), coalesce(json_agg(json_build_object(
    'row', place, 'player', player.name, 'official_ms', official_ms, 'moves', counted_moves, 'points', points,
    'bonus', bonus, 'replay', page.id
) ORDER BY place), '[]')::text
FROM page JOIN games_player player ON player.id = page.player_id
"""


def list_guests(
    race: Race, *, limit: int, offset: int, among: Sequence[int] | None = None
) -> tuple[int, list[dict[str, Any]]]:
    """How many entered a race as guests and won, and a page of them by time; under the names they have now."""
    return _list_beside(READ_GUESTS, race, limit, offset, among)


def _list_beside(
    sql: str, race: Race, limit: int, offset: int, among: Sequence[int] | None
) -> tuple[int, list[dict[str, Any]]]:
    params = {"race": race.pk, "limit": limit, "offset": offset, "among": None if among is None else list(among)}
    with connection.cursor() as cursor:
        cursor.execute(sql, params)
        total, rows = cursor.fetchone()
    return total, json.loads(rows)


# Two players beside each other

SHARED = """
WITH best AS (
    SELECT DISTINCT ON (deal_id, player_id) deal_id, player_id, json_build_object('official_ms', official_ms,
        'moves', counted_moves, 'replay', a.id) AS game, official_ms, counted_moves
    FROM games_attempt a JOIN games_deal d ON d.id = a.deal_id
    WHERE player_id IN (%(a)s, %(b)s) AND a.ruleset = %(ruleset)s AND clock = 'server' AND "end" = 'won' AND held = ''
        AND voided_at IS NULL AND NOT sandbox
    ORDER BY deal_id, player_id, official_ms, counted_moves, ended_at, a.id
)
SELECT d.ruleset, d."order", d.seed, x.game, y.game,
    sign(y.official_ms - x.official_ms)::int
FROM best x JOIN best y ON y.deal_id = x.deal_id AND y.player_id = %(b)s
JOIN games_deal d ON d.id = x.deal_id
WHERE x.player_id = %(a)s
ORDER BY d.id DESC
"""


class Shared(NamedTuple):
    """A deal that two players have won and each one's best game by time. faster: 1 the first, -1 the second, or 0."""

    ruleset: str
    order: str
    seed: str | None
    first: dict[str, Any]
    second: dict[str, Any]
    faster: int


def list_shared(first: Player, second: Player, ruleset: str) -> list[Shared]:
    """The deals of a ruleset that both have won by the server's clock, the newest first; held and void wins aside."""
    with connection.cursor() as cursor:
        cursor.execute(SHARED, {"a": first.pk, "b": second.pk, "ruleset": ruleset})
        return [Shared(*row) for row in cursor.fetchall()]
