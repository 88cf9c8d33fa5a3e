"""Sprints for tests: on deals of the pool, whose winning moves are known; and time that passes at once."""

from collections.abc import Sequence
from datetime import timedelta
from functools import cache
from typing import Any

from django.db import transaction
from django.db.models import F

from games.actions import store_deal
from games.engine import deal as engine
from games.engine.rulesets import RULESETS
from games.models import Attempt, Deal, Player
from leaderboard import actions, ratings, sprinting, sprints
from leaderboard.actions import read_clock
from leaderboard.models import Entry, Progress, Race, RatingChange, Round, Seat, Sprint, SprintPlayer
from leaderboard.rating import Skill
from tests.client import Api
from tests.players import easy_deal, make_player, own_line, solved_deals

EASY = {"ruleset": "T", "difficulty": "easy"}


@cache
def lines() -> dict[str, str]:
    return {deal.order: line for deal, line in solved_deals()}


def fill_pool(count: int, first: int = 0) -> None:
    """Put proven deals into the pool, all said to be easy."""
    for deal, line in solved_deals()[first : first + count]:
        stored = store_deal(deal=deal)
        proof = {"verdict": "winnable", "par": len(line.split(" ")), "par_proven": True, "line": line}
        Deal.objects.filter(pk=stored.pk).update(**proof, difficulty="easy", difficulty_number=1, pooled=True)


def make_sprint(host: Api, *others: Api, **fields: Any) -> int:
    """The id of a sprint that these are in."""
    status, answer = host.post("sprints/", EASY | fields)
    assert status == 201, answer
    for other in others:
        assert other.post(f"sprints/{answer['id']}/join/", {})[0] == 200
    return answer["id"]


def begin(host: Api, sprint: int) -> None:
    """Start it, and let the countdown pass."""
    status, answer = host.post(f"sprints/{sprint}/start/", {})
    assert (status, answer["phase"]) == (200, "countdown")
    pass_time(sprint, seconds=10)


def enter(api: Api, sprint: int) -> dict[str, Any]:
    status, attempt = api.post(f"sprints/{sprint}/attempts/", {})
    assert status == 201, attempt
    return attempt


def win(api: Api, sprint: int) -> dict[str, Any]:
    """Win the round that runs, in moves that nobody else makes: what the last comes back with."""
    status, attempt = api.post(f"sprints/{sprint}/attempts/", {})
    assert status in (200, 201), attempt
    entry = Entry.objects.select_related("attempt__deal").get(attempt=attempt["id"])
    before = Entry.objects.filter(race=entry.race_id, pk__lt=entry.pk).count()
    moves = " ".join(["D U"] * before + [lines()[entry.attempt.deal.order]])
    status, answer = api.post(f"attempts/{attempt['id']}/moves/", {"from_ply": 0, "moves": moves})
    assert (status, answer["end"]) == (200, "won")
    return answer


def give_ratings(letter: str, *results: Sequence[Player]) -> None:
    """Rated rounds that nobody played: of each the players, the first one first. Once a ruleset."""
    now, maker = read_clock(), results[0][0]
    sprint = Sprint.objects.create(maker=maker, host=maker, ruleset=letter, most=100, best_of=5, ended_at=now)
    skills: dict[int, Skill] = {}
    for number, players in enumerate(results, 1):
        over_at = now - timedelta(hours=1 + len(results) - number)
        window = {"opens_at": over_at - timedelta(minutes=9), "closes_at": over_at}
        deal = store_deal(deal=engine.Deal.from_seed(letter, 7000 + number))
        race = Race.objects.create(kind=Race.SPRINT, ruleset=letter, deal=deal, **window)
        played = Round.objects.create(sprint=sprint, number=number, race=race, over_at=over_at, settled_at=over_at)
        ranks = {player.pk: rank for rank, player in enumerate(players, 1)}
        after = ratings._rate(ranks, skills)
        RatingChange.objects.bulk_create(ratings._write_changes(played.pk, ranks, after))
        skills |= after
    ratings._store(letter, skills)


def leave_traces() -> None:
    """Sprints for pages to show: the first is over, the second waits for its time, in five days, as the third
    does, which is by invitation."""
    ada, bob = (make_player(name) for name in ("Sprinting Ada", "Sprinting Bob"))
    over = sprinting.make_sprint(host=ada, ruleset=RULESETS["T"], deal=easy_deal("T"), most=2, best_of=1).pk
    sprinting.join(player=bob, sprint=over)
    sprinting.start(player=ada, sprint=over)
    pass_time(over, seconds=sprints.COUNTDOWN.seconds)
    for player in (bob, ada):
        entry, _created = sprinting.enter(player=player, sprint=over)
        moves = own_line(player.pk)
        actions.play_moves(player=player, attempt=entry.attempt_id, from_ply=0, moves=moves, times=None)
    sprinting.find_sprint(over)
    starts_at = actions.read_clock() + timedelta(days=5)
    sprinting.make_sprint(host=ada, ruleset=RULESETS["G"], most=100, best_of=3, starts_at=starts_at)
    sprinting.make_sprint(
        host=ada, ruleset=RULESETS["G"], invite_code="milk first", most=9, best_of=3, starts_at=starts_at
    )


@transaction.atomic
def pass_time(sprint: int, *, seconds: float) -> None:
    """Let all that is stored of a sprint have happened, and end, so much earlier."""
    back = timedelta(seconds=seconds)
    rounds = Round.objects.filter(sprint=sprint)
    races = Race.objects.filter(round__in=rounds).values("pk")
    entries = Entry.objects.filter(race__in=races)
    moments: list[tuple[Any, tuple[str, ...]]] = [
        (Sprint.objects.filter(pk=sprint), ("starts_at", "ended_at")),
        (SprintPlayer.objects.filter(sprint=sprint), ("joined_at", "heard_at", "left_at")),
        (rounds, ("over_at",)),
        (Seat.objects.filter(round__in=rounds), ("out_at",)),
        (Race.objects.filter(pk__in=races), ("opens_at", "closes_at")),
        (Attempt.objects.filter(pk__in=entries.values("attempt")), ("started_at", "ends_at", "ended_at")),
        (Progress.objects.filter(entry__in=entries), ("ends_at", "changed_at")),
    ]
    for rows, fields in moments:
        rows.update(**{name: F(name) - back for name in fields})
