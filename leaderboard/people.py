"""What becomes of a player beside the games: another name, all that is stored of one, and the end of an account."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

from django.contrib.auth.hashers import check_password
from django.db import transaction
from django.db.models import Exists, OuterRef
from django.db.models.functions import Now
from django.utils import timezone
from django.utils.translation import gettext_noop

from games import actions as players
from games.errors import Problem
from games.models import Attempt, Player
from games.names import clean_name, name_key
from leaderboard import events, progress, ratings
from leaderboard.models import Club, Entry, Follow, Membership, Race, ResultPicture, SprintPlayer
from leaderboard.periods import write_moment
from leaderboard.standings import forget_kept_pages


def find_player(name: str, where: str = "name") -> Player:
    """The player who has that name, or had it, however it is written. Raises Problem (404)."""
    try:
        key = name_key(clean_name(name))
    except Problem:  # nobody has a name that may not be
        key = ""
    active = Player.objects.filter(is_active=True)
    found = active.filter(name_key=key).first() or active.filter(old_names__name_key=key).first()
    if found is None:
        raise Problem(404, "player", gettext_noop("There is no such player."), where)
    return found


def rename(*, player: Player, name: str) -> Player:
    """Another name for a player, on every board at once; see `games.actions.rename`."""
    if name == player.name and not player.guest:
        return player
    with transaction.atomic():
        forget_kept_pages()
        return players.rename(player=player, name=name)


def delete_account(*, player: Player, password: str | None) -> None:
    """Anonymise a player for ever: games, ranks and races stay, and nothing tells whose they were.

    Open attempts end as given up; a club goes to its oldest manager or else member, or is dissolved.
    Raises Problem (403) for a wrong password; a guest has none.
    """
    if not player.guest and not check_password(password or "", player.password):
        raise Problem(403, "password", gettext_noop("This is not your password."), "password")
    with transaction.atomic():
        forget_kept_pages()
        players.anonymise(player=player)
        _give_up(player)
        for club in player.memberships.order_by("club").values_list("club", flat=True):
            _leave(club, player)
        Follow.objects.filter(follower=player).delete()
        Follow.objects.filter(followed=player).delete()
        Race.objects.filter(host=player).update(host=None)
        ResultPicture.objects.filter(attempt__player=player).delete()


GUEST_DAYS = 30


def forget_guests() -> int:
    """Anonymise the guests who have not played for GUEST_DAYS days, as deleted accounts are; how many."""
    long_ago = timezone.now() - timedelta(days=GUEST_DAYS)
    guests = Player.objects.filter(guest=True, deleted_at=None, joined_at__lt=long_ago)
    played = Attempt.objects.filter(player=OuterRef("pk"), started_at__gte=long_ago)
    unused = list(guests.exclude(Exists(played)).exclude(last_login__gte=long_ago))
    for guest in unused:  # each in a transaction of its own: there may be thousands
        delete_account(player=guest, password=None)
    return len(unused)


def _give_up(player: Player) -> None:
    races: set[int] = set()
    for attempt in Attempt.objects.filter(player=player, ended_at=None, ends_at__gt=Now()):
        if Attempt.objects.filter(pk=attempt.pk, ended_at=None).update(end=Attempt.RESIGNED, ended_at=Now()):
            races.update(progress.follow(attempt.pk))
    events.wake(*races)


def _leave(club: int, player: Player) -> None:
    Club.objects.select_for_update().get(pk=club)
    own = Membership.objects.filter(club=club, player=player).first()  # as it is now that nobody changes it
    if own is None:
        return
    own.delete()
    if own.role != Membership.OWNER:
        return
    others = Membership.objects.filter(club=club, player__is_active=True).order_by("since")
    if heir := others.filter(role=Membership.MANAGER).first() or others.first():
        Membership.objects.filter(pk=heir.pk).update(role=Membership.OWNER)
    else:
        Membership.objects.filter(club=club).delete()
        Club.objects.filter(pk=club).update(dissolved_at=Now())


# All that is stored of a player


def collect(player: Player) -> Iterator[tuple[str, Any]]:
    """What is stored of a player, part by part; lists are read as they are taken."""
    yield (
        "account",
        {
            "name": player.name,
            "email": player.email or None,
            "guest": player.guest,
            "joined_at": write_moment(player.joined_at),
            "renamed_at": write_moment(player.renamed_at),
        },
    )
    yield "attempts", map(_describe_attempt, Attempt.objects.filter(player=player).select_related("deal").iterator())
    entries = Entry.objects.filter(player=player).select_related("race").iterator()
    yield "entries", map(_describe_entry, entries)
    yield "races", ({"id": race.pk, "name": race.name} for race in Race.objects.filter(host=player))
    sprints = SprintPlayer.objects.filter(player=player).order_by("id").values_list("sprint", "joined_at", "left_at")
    yield (
        "sprints",
        [{"id": pk, "joined_at": write_moment(at), "left_at": write_moment(left)} for pk, at, left in sprints],
    )
    yield "ratings", ratings.read_curves(player)
    yield "following", list(player.follows.filter(followed__is_active=True).values_list("followed__name", flat=True))
    memberships = player.memberships.select_related("club")
    yield "clubs", [{"name": row.club.name, "role": row.role, "since": write_moment(row.since)} for row in memberships]


def _describe_attempt(attempt: Attempt) -> dict[str, Any]:
    return {
        "id": attempt.pk,
        "ranked": attempt.ranked,
        "assisted": attempt.assisted,
        "clock": attempt.clock,
        "started_at": write_moment(attempt.started_at),
        "ended_at": write_moment(attempt.ended_at),
        "end": attempt.end or None,
        "official_ms": attempt.official_ms,
        "held": attempt.held or None,
        "voided_at": write_moment(attempt.voided_at),
        "replay": {
            "format": "pyramid-replay/1",
            "deal": attempt.deal.code,
            "moves": attempt.moves,
            "times": attempt.times,
            "rules": attempt.rules,
        },
    }


def _describe_entry(entry: Entry) -> dict[str, Any]:
    return {
        "race": entry.race_id,
        "name": str(entry.race),
        "attempt": entry.attempt_id,
        "ranked": entry.ranked,
        "unranked_because": entry.unranked_because or None,
    }
