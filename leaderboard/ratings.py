"""Ratings, stored: what each round of a rated sprint did to them, boards, and giving them all anew.

A ruleset's rounds are rated one after the other, under a lock, in the order of `Round.settled_at`; so the same rounds
with the same results give the same ratings again (`recompute`).
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from django.db import connection, transaction
from django.db.models import Count, OuterRef, Q, QuerySet, Subquery, Window
from django.db.models.functions import Coalesce, Now, Rank

from games.models import Player
from leaderboard import rounds, sprints
from leaderboard.models import Rating, RatingChange, Round
from leaderboard.periods import write_moment
from leaderboard.rating import Skill, rate

LOCK = "SELECT pg_advisory_xact_lock(hashtext('rating'), ascii(%s))"
PAGE = 200


def rate_round(played: Round) -> None:
    """Let the ratings follow a round that is over. Once, inside the transaction that stores that it is."""
    letter = played.race.ruleset
    _lock(letter)
    Round.objects.filter(pk=played.pk).update(settled_at=Now())
    ranks = _read_ranks([played])[played.pk]
    stored = Rating.objects.filter(ruleset=letter, player__in=ranks)
    skills = {row.player_id: Skill(row.mu, row.sigma, row.rounds) for row in stored}
    after = _rate(ranks, skills)
    RatingChange.objects.bulk_create(_write_changes(played.pk, ranks, after))
    _store(letter, after)


def _lock(letter: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(LOCK, [letter])


def _read_ranks(played: Sequence[Round]) -> dict[int, dict[int, int]]:
    """The ranks of those whose results count, by round; none where fewer than two are left."""
    seen = rounds.read_runners([one.pk for one in played])
    found: dict[int, dict[int, int]] = {}
    for one in played:
        assert one.over_at
        ranks = sprints.rank_round((row.runner for row in seen[one.pk] if row.rated), one.over_at)
        found[one.pk] = ranks if len(ranks) > 1 else {}
    return found


def _rate(ranks: Mapping[int, int], skills: Mapping[int, Skill]) -> dict[int, Skill]:
    if not ranks:
        return {}
    players = sorted(ranks)
    after = rate([skills.get(player, Skill()) for player in players], [ranks[player] for player in players])
    return dict(zip(players, after, strict=True))


def _write_changes(played: int, ranks: Mapping[int, int], after: Mapping[int, Skill]) -> list[RatingChange]:
    return [
        RatingChange(round_id=played, player_id=player, rank=ranks[player], **skill._asdict())
        for player, skill in after.items()
    ]


def _store(letter: str, skills: Mapping[int, Skill]) -> None:
    Rating.objects.bulk_create(
        [Rating(player_id=player, ruleset=letter, **skill._asdict()) for player, skill in sorted(skills.items())],
        update_conflicts=True,
        unique_fields=["player", "ruleset"],
        update_fields=["mu", "sigma", "rounds"],
    )


class Change(NamedTuple):
    """What a player's rating in a ruleset was, and what it is (None: none)."""

    ruleset: str
    player: str
    before: Skill | None
    after: Skill | None


def recompute(letter: str) -> list[Change]:
    """Give the ratings of a ruleset anew, from all its rounds as they stand now; the changes, by name.

    So a result that was voided since counts for nobody, and one that was released for all.
    """
    with transaction.atomic():
        _lock(letter)
        before = _read_skills(letter)
        rated = Round.objects.filter(race__ruleset=letter, settled_at__isnull=False)
        played = list(rated.select_related("race").order_by("settled_at", "id"))
        skills: dict[int, Skill] = {}
        RatingChange.objects.filter(round__in=played).delete()
        for start in range(0, len(played), PAGE):
            page = played[start : start + PAGE]
            for pk, ranks in _read_ranks(page).items():
                after = _rate(ranks, skills)
                skills |= after
                RatingChange.objects.bulk_create(_write_changes(pk, ranks, after))
        Rating.objects.filter(ruleset=letter).exclude(player__in=skills).delete()
        _store(letter, skills)
        after_all = _read_skills(letter)
    names = dict(Player.objects.filter(pk__in=before | after_all).values_list("pk", "name"))
    changed = [pk for pk in before | after_all if before.get(pk) != after_all.get(pk)]
    return sorted(Change(letter, names[pk], before.get(pk), after_all.get(pk)) for pk in changed)


def _read_skills(letter: str) -> dict[int, Skill]:
    return {row.player_id: Skill(row.mu, row.sigma, row.rounds) for row in Rating.objects.filter(ruleset=letter)}


# Reading


def describe(row: Rating | RatingChange) -> dict[str, Any]:
    skill = Skill(row.mu, row.sigma, row.rounds)
    return {
        "rating": skill.rating,
        "uncertainty": skill.uncertainty,
        "rounds": skill.rounds,
        "provisional": skill.is_provisional,
    }


def read_board(
    letter: str, *, limit: int, offset: int, among: Sequence[int] | None = None
) -> tuple[int, list[dict[str, Any]]]:
    """How many have a rating in a ruleset, and a page of them, the best first; among: of these players alone."""
    there = _list_shown(letter, among)
    ranked = there.annotate(rank=Window(Rank(), order_by="-mu")).select_related("player").order_by("-mu", "player")
    rows = ranked[offset : offset + limit]
    return there.count(), [{"rank": row.rank, "player": row.player.name} | describe(row) for row in rows]


def find_row(letter: str, player: Player, among: Sequence[int] | None = None) -> int | None:
    """The number of a player's row on a ruleset's board of ratings, from 1; None where the player has none."""
    there = _list_shown(letter, among)
    own = there.filter(player=player).first()
    if own is None:
        return None
    return 1 + there.filter(Q(mu__gt=own.mu) | Q(mu=own.mu, player__lt=player.pk)).count()


def read_best() -> list[dict[str, Any]]:
    """Of each ruleset in which anybody has a rating: the best one."""
    shown = Rating.objects.filter(player__is_active=True)
    best = shown.order_by("ruleset", "-mu", "player").distinct("ruleset").select_related("player")
    return [{"ruleset": row.ruleset, "player": row.player.name} | describe(row) for row in best]


def _list_shown(letter: str, among: Sequence[int] | None = None) -> QuerySet[Rating]:
    """The ratings of a ruleset, or those of a few, without those of who is banned or gone."""
    shown = Rating.objects.filter(ruleset=letter, player__is_active=True)
    return shown if among is None else shown.filter(player__in=among)


def _count_others(**of: Any) -> Coalesce:
    """How many shown ratings of the same ruleset there are, of such ones."""
    others = Rating.objects.filter(ruleset=OuterRef("ruleset"), player__is_active=True, **of)
    return Coalesce(Subquery(others.order_by().values("ruleset").annotate(n=Count("pk")).values("n")), 0)


def read_curves(player: Player, *, points: int | None = None) -> list[dict[str, Any]]:
    """A player's ratings by ruleset: each with its place on the ruleset's board, and with its latest points (None:
    all), what it was after each round.
    """
    curves = []
    placed = player.ratings.annotate(board_rank=1 + _count_others(mu__gt=OuterRef("mu")), total=_count_others())
    for row in placed.order_by("ruleset"):
        changes = player.rating_changes.select_related("round").filter(round__race__ruleset=row.ruleset)
        latest = list(changes.order_by("-rounds")[:points])
        curve = [_describe_point(change) for change in reversed(latest)]
        place = {"ruleset": row.ruleset, "rank": row.board_rank, "total": row.total}
        curves.append(place | describe(row) | {"curve": curve})
    return curves


def _describe_point(change: RatingChange) -> dict[str, Any]:
    over = change.round.over_at
    assert over
    return {
        "at": write_moment(over),
        "sprint": change.round.sprint_id,
        "race": change.round.race_id,
        "rank": change.rank,
    } | describe(change)
