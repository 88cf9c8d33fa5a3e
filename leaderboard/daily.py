"""Dailies, read for somebody: a day, a month, a streak, the commitments."""

from collections.abc import Sequence
from datetime import date, datetime
from typing import Any, NamedTuple

from django.db import connection
from django.db.models import F
from django.db.models.functions import Now

from games.models import Attempt, Player
from leaderboard import entries, races, ranking, sight, standings
from leaderboard.models import Entry, Race
from leaderboard.periods import write_moment

TOP = 3
MEDALS = {1: "gold", 2: "silver", 3: "bronze"}


class Place(NamedTuple):
    """A row of a race's board by time."""

    rank: int
    player: str
    official_ms: int
    moves: int
    replay: int


class Daily(NamedTuple):
    """A daily as a viewer sees it. par: where it may be told."""

    seen: entries.SeenRace
    par: int | None
    top: list[Place]


READ_TOPS = f"""
SELECT b.race_id, player.name, s.key1, s.key2, s.attempt_id
FROM leaderboard_board b, LATERAL (
    SELECT * FROM leaderboard_standing WHERE board_id = b.id
    ORDER BY {standings.IN_ORDER} LIMIT {TOP}
) s JOIN games_player player ON player.id = s.player_id
WHERE b.race_id = ANY(%s) AND b."order" = '{ranking.TIME}' AND b.deal_id IS NULL
ORDER BY b.race_id, {standings.IN_ORDER}
"""


def read_tops(ids: Sequence[int]) -> dict[int, list[Place]]:
    """The first three of each race, by time."""
    tops: dict[int, list[Place]] = {}
    with connection.cursor() as cursor:
        cursor.execute(READ_TOPS, [list(ids)])
        for race, player, ms, moves, attempt in cursor.fetchall():
            rows = tops.setdefault(race, [])
            is_tie = bool(rows) and (rows[-1].official_ms, rows[-1].moves) == (ms, moves)
            rows.append(Place(rows[-1].rank if is_tie else len(rows) + 1, player, ms, moves, attempt))
    return tops


def read_day(day: date, viewer: sight.Viewer, *, now: datetime, letter: str | None = None) -> list[Daily]:
    """The dailies of a day; a withdrawn one only where no other has taken its place."""
    found = Race.objects.filter(day=day, **({"ruleset": letter} if letter else {}))
    newest = found.order_by("ruleset", F("withdrawn_at").desc(nulls_first=True), "-id").distinct("ruleset")
    rows = entries.see_races(newest, viewer, now=now)
    opened = [row.race for row in rows if row.race.opens_at <= now]
    tops = read_tops([race.pk for race in opened])
    told = sight.told_orders(viewer, [race.deal.order for race in opened], now=now)
    opened_ids = {race.pk for race in opened}
    return [
        Daily(
            row,
            row.race.deal.par if row.race.pk in opened_ids and row.race.deal.order in told else None,
            tops.get(row.race.pk, []),
        )
        for row in rows
    ]


def find_today(letter: str) -> int | None:
    """The id of the daily that is open now in a ruleset."""
    found = Race.objects.filter(kind=Race.DAILY, ruleset=letter, withdrawn_at=None)
    return found.filter(opens_at__lte=Now(), closes_at__gt=Now()).values_list("pk", flat=True).first()


# A month


class Result(NamedTuple):
    """How a daily stands for a player: the field is who stands in its ranks. rank: None outside the ranks."""

    race: Race
    field: int
    rank: int | None
    entry: Entry | None


READ_RANKS = f"""
SELECT b.race_id, {standings.TOTAL.format(board="b.id")}, CASE WHEN f.id IS NOT NULL THEN 1 + {standings.IN_BUCKETS} END
FROM leaderboard_board b
LEFT JOIN leaderboard_standing f ON f.board_id = b.id AND f.player_id = %s
WHERE b.race_id = ANY(%s) AND b."order" = '{ranking.TIME}' AND b.deal_id IS NULL
"""


def read_month(days: Sequence[date], viewer: sight.Viewer, *, now: datetime) -> list[Result]:
    """The dailies of these days that have begun, and how the viewer did."""
    found = (
        Race.objects.filter(day__in=days, opens_at__lte=now, withdrawn_at=None)
        .order_by("day", "ruleset")
        .select_related("deal")
    )
    rows = list(found)
    player = viewer.pk if isinstance(viewer, Player) else None
    with connection.cursor() as cursor:
        cursor.execute(READ_RANKS, [player, [race.pk for race in rows]])
        ranks = {race: (int(total), rank) for race, total, rank in cursor.fetchall()}
    entered = Entry.objects.select_related("attempt").filter(race__in=rows)
    mine = {entry.race_id: entry for entry in entered.filter(player_id=player)} if player else {}
    return [Result(race, *ranks.get(race.pk, (0, None)), mine.get(race.pk)) for race in rows]


def medal_of(result: Result, now: datetime) -> str | None:
    """The medal for a rank of 1 to 3, once nobody can change it by playing."""
    is_over = races.phase(now, result.race.opens_at, result.race.closes_at) == races.CLOSED
    return MEDALS.get(result.rank or 0) if is_over else None


# Streaks


class Streaks(NamedTuple):
    """A player's streak of days with a daily, and the longest run of dailies won."""

    streak: races.Streak
    longest_run: int


class Diary(NamedTuple):
    """A player's days with a daily and whether one was won, the days that took a freeze, and the streaks."""

    days: dict[date, bool]
    frozen: set[date]
    streaks: Streaks


def read_diary(player: Player, *, now: datetime) -> Diary:
    """Computed from the entries alone: a day counts by a daily of that day that ended after a move, won or not."""
    ended = Entry.objects.filter(player=player, race__kind=Race.DAILY, attempt__voided_at=None)
    rows = ended.values_list("race__day", "attempt__plies", "attempt__end", "attempt__ended_at", "attempt__ends_at")
    over = [
        (ended_at or ends_at, day, plies, end == Attempt.WON)
        for day, plies, end, ended_at, ends_at in rows
        if ended_at or ends_at <= now
    ]
    over.sort(key=lambda row: row[:2])
    days: dict[date, bool] = {}
    for _at, day, plies, won in over:
        if day and plies:
            days[day] = days.get(day, False) or won
    today = races.day_of(now)
    streaks = Streaks(races.count_streak(days, today), races.longest_run(won for _at, _day, _plies, won in over))
    return Diary(days, races.frozen_days(days, today), streaks)


def read_streaks(player: Player, *, now: datetime) -> Streaks:
    """The streaks of a player's diary."""
    return read_diary(player, now=now).streaks


# Commitments


def read_links(*, ruleset: str | None, after: str | None, limit: int) -> list[Race]:
    """The dailies in the order of minting, after the commitment `after`. Raises Race.DoesNotExist."""
    found = Race.objects.exclude(commitment="").select_related("deal").order_by("id")
    if ruleset:
        found = found.filter(ruleset=ruleset)
    if after:
        found = found.filter(id__gt=Race.objects.exclude(commitment="").get(commitment=after).pk)
    return list(found[:limit])


def link_of(race: Race, now: datetime) -> dict[str, Any]:
    """A commitment as it is published: code and nonce once the day is over."""
    assert race.day is not None
    assert race.minted_at is not None
    is_over = race.closes_at <= now
    return {
        "ruleset": race.ruleset,
        "day": race.day.isoformat(),
        "commitment": race.commitment,
        "previous": race.previous,
        "minted_at": write_moment(race.minted_at),
        "committed": race.committed,
        "withdrawn_at": write_moment(race.withdrawn_at),
        "withdrawn_because": race.withdrawn_because or None,
        "code": race.code if is_over else None,
        "nonce": race.nonce if is_over else None,
    }
