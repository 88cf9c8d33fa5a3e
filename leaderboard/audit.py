"""A race as anybody can check it: its entries written out, and every stored figure computed again."""

from collections import Counter
from collections.abc import Iterator
from datetime import timedelta
from hashlib import sha256
from typing import Any

from django.db.models import Sum

from games.engine import replay
from games.engine.rulesets import get_ruleset
from games.engine.scoring import bonus
from games.models import Attempt, read_deal
from leaderboard import races, ranking
from leaderboard.models import Board, Entry, Race, Standing, TimeBucket
from leaderboard.periods import write_moment

PAGE = 500


def read_entries(race: Race) -> Iterator[Entry]:
    """All entries of a race in the order of entering; few at a time, however many there are."""
    entries = Entry.objects.select_related("player", "attempt__deal").filter(race=race).order_by("id")
    last = 0
    while page := list(entries.filter(id__gt=last)[:PAGE]):
        yield from page
        last = page[-1].pk


# Export


def export_race(race: Race) -> Iterator[str]:
    """The entries of a closed race, a JSON text each, without a line's end: replay, official time, held or void."""
    for entry in read_entries(race):
        yield replay.dump(_describe(entry, entry.attempt.expire(now=race.closes_at + race.grace)))


def _describe(entry: Entry, attempt: Attempt) -> dict[str, Any]:
    return {
        "race": entry.race_id,
        "player": entry.player.name,
        "attempt": attempt.pk,
        "ranked": entry.ranked,
        "unranked_because": entry.unranked_because or None,
        "held": attempt.held or None,
        "void": attempt.voided_at is not None,
        "started_at": write_moment(attempt.started_at),
        "ended_at": write_moment(attempt.ended_at),
        "end": attempt.end or None,
        "official_ms": attempt.official_ms,
        "moves": attempt.counted_moves,
        "points": attempt.points,
        "bonus": attempt.bonus,
        "left": attempt.left,
        "paused_ms": attempt.count_paused(now=attempt.ends_at),
        "replay": {
            "format": replay.FORMAT,
            "deal": attempt.deal.code,
            "moves": attempt.moves,
            "times": attempt.times,
            "rules": attempt.rules,
        },
    }


# Audit


def audit_race(race: Race) -> Iterator[tuple[str, str]]:
    """Every stored figure of a race that is not what the replays give, as (where, what is wrong)."""
    expected: dict[str, dict[int, tuple[int, ...]]] = {}
    scoring = get_ruleset(race.ruleset).scoring
    for order in ranking.orders_of(scoring):
        expected[order] = {}
    for entry in read_entries(race):
        attempt = entry.attempt
        where = f"attempt {attempt.pk} of {entry.player.name}"
        for fault in [*_audit_entry(race, entry), *_audit_attempt(attempt)]:
            yield where, fault
        if entry.ranked and attempt.official_ms is not None and not attempt.held and attempt.voided_at is None:
            score = attempt.points + (attempt.bonus or 0)
            for order, rows in expected.items():
                rows[attempt.pk] = ranking.sort_key(order, attempt.official_ms, attempt.counted_moves, score)
    for board in Board.objects.filter(race=race, deal=None):
        for fault in _audit_board(board, expected.pop(board.order, {})):
            yield f"board by {board.order}", fault
    for order, rows in expected.items():
        if rows:
            yield f"board by {order}", "there is none."


def _audit_entry(race: Race, entry: Entry) -> Iterator[str]:
    attempt = entry.attempt
    if attempt.deal_id != race.deal_id or attempt.player_id != entry.player_id:
        yield "not an attempt of the player on the race's deal."
    if not entry.ranked:
        return
    if not attempt.ranked or attempt.assisted or attempt.paused_ms or attempt.clock != Attempt.SERVER:
        yield "not ranked, and yet its entry is."
    if not race.opens_at <= attempt.started_at < race.closes_at:
        yield "not started while the race was open."
    if race.kind == Race.SPRINT:
        ended_at = attempt.expire(now=race.closes_at).ended_at
        if attempt.started_at != race.opens_at or ended_at is None or ended_at > race.closes_at:
            yield "not played in its round."
    elif attempt.ends_at != races.end_of(attempt.started_at, race.closes_at):
        yield "does not end when its race lets it."
    earlier = Attempt.objects.filter(player=entry.player_id, deal__order=attempt.deal.order, id__lt=attempt.pk)
    if earlier.exists():
        yield "ranked, on cards that the player had been shown."


def _audit_attempt(attempt: Attempt) -> Iterator[str]:
    verdict = replay.verify(read_deal(attempt.deal.code), attempt.moves, attempt.times)
    if isinstance(verdict, replay.Refusal):
        yield f"the replay is refused: {verdict.reason} at {verdict.at}."
        return
    won = verdict.outcome == "won"
    official_ms = None
    if won and attempt.ended_at:
        official_ms = (attempt.ended_at - attempt.started_at) // timedelta(milliseconds=1) - attempt.paused_ms
    stored = {
        "moves": (attempt.moves, verdict.text),
        "plies": (attempt.plies, verdict.plies),
        "counted moves": (attempt.counted_moves, verdict.moves),
        "points": (attempt.points, verdict.points),
        "cards left": (attempt.left, verdict.left),
        "won": (attempt.end == Attempt.WON, won),
        "official ms": (attempt.official_ms, official_ms),
        "bonus": (attempt.bonus, bonus(verdict.position.ruleset, official_ms) if official_ms is not None else None),
        "rules": (attempt.rules, replay.RULES_VERSION),
    }
    if attempt.clock == Attempt.SERVER:
        digest = sha256(verdict.text.encode()).digest() if won else None
        stored["digest"] = (attempt.digest and bytes(attempt.digest), digest)
    for name, (found, computed) in stored.items():
        if found != computed:
            yield f"{name}: stored {found}, computed {computed}."
    if attempt.ended_at and attempt.ended_at > attempt.ends_at:
        yield "ended after its time was over."


def _audit_board(board: Board, expected: dict[int, tuple[int, ...]]) -> Iterator[str]:
    rows = Standing.objects.filter(board=board).values_list("attempt", "key1", "key2", "key3")
    there = {attempt: keys for attempt, *keys in rows.iterator()}
    for attempt in sorted(expected.keys() | there.keys()):
        found, wanted = there.get(attempt), expected.get(attempt)
        if (found and tuple(found)) != wanted:
            yield f"attempt {attempt} stands with {found and tuple(found)}, computed {wanted}."
    if board.order == ranking.TIME:
        parts = TimeBucket.objects.filter(board=board).values_list("shift", "bucket").annotate(n=Sum("count"))
        counted = {(shift, bucket): n for shift, bucket, n in parts if n}
        wanted_counts = Counter(
            (shift, keys[0] >> shift) for keys in expected.values() for shift in ranking.BUCKET_SHIFTS
        )
        if counted != dict(wanted_counts):
            yield "its counts are not those of its rows."
