"""Races and entries, read for somebody."""

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from django.db.models import Count, IntegerField, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce

from games.models import Player
from leaderboard import races, sight
from leaderboard.models import Entry, Progress, Race


class SeenRace(NamedTuple):
    """A race as a viewer sees it: how many have entered, the viewer's entry, and whether the cards may be told."""

    race: Race
    players: int
    entry: Entry | None
    shows_deal: bool


COUNT_ENTRIES = (
    Progress.objects.filter(race=OuterRef("pk"))
    .exclude(state="voided")
    .order_by()
    .values("race")
    .annotate(count=Count("pk"))
    .values("count")
)


def see_races(found: QuerySet[Race], viewer: sight.Viewer, *, now: datetime) -> list[SeenRace]:
    """These races in their order, in a few queries however many they are."""
    counted = found.select_related("deal", "host", "club")
    rows = list(counted.annotate(players=Coalesce(Subquery(COUNT_ENTRIES, IntegerField()), 0)))
    mine: dict[int, Entry] = {}
    if isinstance(viewer, Player):
        entries = Entry.objects.select_related("attempt").filter(player=viewer, race__in=rows)
        mine = {entry.race_id: entry for entry in entries}
    shown = _shown(rows, viewer, now)
    return [SeenRace(row, row.players, mine.get(row.pk), row.pk in shown) for row in rows]


def _shown(rows: Sequence[Race], viewer: sight.Viewer, now: datetime) -> set[int]:
    """The races whose cards may be told: nobody can enter any more, or the viewer knows them."""
    opened = [row for row in rows if row.opens_at <= now]
    hidden = sight.hidden_orders(viewer, [row.deal.order for row in opened], now=now)
    own = {row.pk for row in rows if row.chosen and row.host == viewer}
    return own | {row.pk for row in opened if row.deal.order not in hidden}


def find_race(race: int, viewer: sight.Viewer, *, now: datetime) -> SeenRace | None:
    """The race of an id, as the viewer sees it."""
    return next(iter(see_races(Race.objects.filter(pk=race), viewer, now=now)), None)


def in_phase(phase: str, now: datetime) -> Q:
    """The races that are in a phase ("withdrawn" is one, too)."""
    if phase == "withdrawn":
        return Q(withdrawn_at__isnull=False)
    edge = now - races.GRACE_LIFE
    conditions = {
        races.UPCOMING: Q(opens_at__gt=now),
        races.OPEN: Q(opens_at__lte=now, closes_at__gt=now),
        races.GRACE: Q(closes_at__lte=now, closes_at__gt=edge) & ~Q(kind=Race.SPRINT),
        races.CLOSED: Q(closes_at__lte=edge) | Q(closes_at__lte=now, kind=Race.SPRINT),
    }
    return conditions[phase] & Q(withdrawn_at=None)


def list_races(
    viewer: sight.Viewer, *, now: datetime, kind: str, ruleset: str | None, phase: str | None, offset: int, limit: int
) -> tuple[int, list[SeenRace]]:
    """How many races there are, and a page of them, the last to open first.

    A race with an invite code is there for its host and for who has entered, a club's for its members.
    """
    found = Race.objects.filter(kind=kind).order_by("-opens_at", "-id")
    listed = Q(invite_code="", club=None)
    if isinstance(viewer, Player):
        listed |= Q(host=viewer) | Q(pk__in=Entry.objects.filter(player=viewer).values("race"))
        listed |= Q(invite_code="", club__in=viewer.memberships.values("club"))
    found = found.filter(listed)
    if ruleset:
        found = found.filter(ruleset=ruleset)
    if phase:
        found = found.filter(in_phase(phase, now))
    return found.count(), see_races(found[offset : offset + limit], viewer, now=now)
