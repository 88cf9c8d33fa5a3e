"""Whose a race's feed, boards and export are. Every address, page, socket and export asks here; the test is a table.

Of an open race they are everybody's. Of one by invitation they are the host's, of who has entered and of who brings the
code; of a club's the host's, of who has entered and the members'. What one needs to enter (name, window, ruleset, how
many have) is everybody's, and so are the places elsewhere of those who have played.
"""

from collections.abc import Mapping
from hmac import compare_digest
from typing import NamedTuple

from django.contrib.auth.models import AnonymousUser
from django.db.models import Q
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext_noop

from games.errors import Problem
from games.models import Player
from leaderboard.models import Race


class Invitation(NamedTuple):
    """What somebody brings. stamp: what a page left in a cookie when it was given the code (`stamp`)."""

    code: str = ""
    stamp: str = ""


def read_invitation(race: int, code: str | None, cookies: Mapping[str, str]) -> Invitation:
    return Invitation(code or "", cookies.get(name_cookie(race), ""))


def name_cookie(race: int) -> str:
    return f"invited-{race}"


def stamp(race: Race) -> str:
    """What says that its bearer has had the invite code of a race; another code makes it worth nothing."""
    return salted_hmac("leaderboard.privacy", f"{race.pk} {race.invite_code}", algorithm="sha256").hexdigest()


def is_inside(race: Race, player: int | None, invitation: Invitation) -> bool:
    """Whether feed, boards and export of a race may be read by a player (None: by somebody unknown)."""
    if not (race.invite_code or race.club_id):
        return True
    if player is not None:
        own = Q(host=player) | Q(entries__player=player) | Q(club__memberships__player=player)
        if Race.objects.filter(own, pk=race.pk).exists():
            return True
    return race.club_id is None and _is_invited(race, invitation)


def _is_invited(race: Race, invitation: Invitation) -> bool:
    has_code = compare_digest(race.invite_code.encode(), invitation.code.encode(errors="replace"))
    return has_code or compare_digest(stamp(race).encode(), invitation.stamp.encode(errors="replace"))


def check_inside(race: Race, viewer: Player | AnonymousUser, invitation: Invitation) -> None:
    """Raises Problem (403 `club` or `invite_code`) for who is outside."""
    if is_inside(race, viewer.pk, invitation):
        return
    if race.club_id:
        raise Problem(403, "club", gettext_noop("This race is for the members of a club."))
    message = gettext_noop("This race is for who was invited: send its invite code.")
    raise Problem(403, "invite_code", message, "invite_code")


def may_follow(race: int, player: int | None, invitation: Invitation) -> bool:
    """The same of a race by its id; True where there is none, which is for others to say."""
    found = Race.objects.filter(pk=race).first()
    return found is None or is_inside(found, player, invitation)
