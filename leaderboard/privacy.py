"""Whose a race's feed, boards and export are, and a sprint. Every address, page, socket and export asks here; the test
is a table.

Of an open race they are everybody's. Of one by invitation they are the host's, of who has entered and of who brings the
code; of a club's the host's, of who has entered and the members'. A sprint with a code and the races of its rounds are
for who is in it, or was, and for who brings the code. What one needs to enter (name, window, ruleset, how many have) is
everybody's, and so are the places elsewhere of those who have played.
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
from leaderboard.models import Race, Sprint

Guarded = Race | Sprint


class Invitation(NamedTuple):
    """What somebody brings. stamp: what a page left in a cookie when it was given the code (`stamp`)."""

    code: str = ""
    stamp: str = ""


def find_guarded(race: Race) -> Guarded:
    """What says whose a race is: of a sprint's round the sprint, else the race."""
    if race.kind != Race.SPRINT:
        return race
    return Sprint.objects.filter(rounds__race=race).first() or race


def is_open(guarded: Guarded) -> bool:
    """Whether it is everybody's."""
    return not (guarded.invite_code or _has_club(guarded))


def _has_club(guarded: Guarded) -> bool:
    return isinstance(guarded, Race) and guarded.club_id is not None


def read_invitation(guarded: Guarded, code: str | None, cookies: Mapping[str, str]) -> Invitation:
    return Invitation(code or "", cookies.get(name_cookie(guarded), ""))


def name_cookie(guarded: Guarded) -> str:
    return f"invited-{_name(guarded)}"


def _name(guarded: Guarded) -> str:
    return str(guarded.pk) if isinstance(guarded, Race) else f"sprint-{guarded.pk}"


def stamp(guarded: Guarded) -> str:
    """What says that its bearer has had the invite code; another code makes it worth nothing."""
    text = f"{_name(guarded)} {guarded.invite_code}"
    return salted_hmac("leaderboard.privacy", text, algorithm="sha256").hexdigest()


def is_inside(guarded: Guarded, player: int | None, invitation: Invitation) -> bool:
    """Whether feed, boards and export of a race, or a sprint, may be read by a player (None: by somebody unknown)."""
    if is_open(guarded) or (player is not None and _is_own(guarded, player)):
        return True
    return not _has_club(guarded) and _is_invited(guarded, invitation)


def _is_own(guarded: Guarded, player: int) -> bool:
    if isinstance(guarded, Sprint):
        return guarded.members.filter(player=player).exists()
    own = Q(host=player) | Q(entries__player=player) | Q(club__memberships__player=player)
    return Race.objects.filter(own, pk=guarded.pk).exists()


def _is_invited(guarded: Guarded, invitation: Invitation) -> bool:
    has_code = compare_digest(guarded.invite_code.encode(), invitation.code.encode(errors="replace"))
    return has_code or compare_digest(stamp(guarded).encode(), invitation.stamp.encode(errors="replace"))


def check_inside(guarded: Guarded, viewer: Player | AnonymousUser, invitation: Invitation) -> None:
    """Raises Problem (403 `club` or `invite_code`) for who is outside."""
    if is_inside(guarded, viewer.pk, invitation):
        return
    if _has_club(guarded):
        raise Problem(403, "club", gettext_noop("This race is for the members of a club."))
    message = gettext_noop("This race is for who was invited: send its invite code.")
    if isinstance(guarded, Sprint):
        message = gettext_noop("This sprint is for who was invited: send its invite code.")
    raise Problem(403, "invite_code", message, "invite_code")


def may_follow(found: Guarded | None, player: int | None, code: str, cookies: Mapping[str, str]) -> bool:
    """The same for a socket; True where there is no such thing, which is for others to say."""
    if found is None:
        return True
    guarded = find_guarded(found) if isinstance(found, Race) else found
    return is_inside(guarded, player, read_invitation(guarded, code, cookies))


def may_follow_race(race: int, player: int | None, code: str, cookies: Mapping[str, str]) -> bool:
    return may_follow(Race.objects.filter(pk=race).first(), player, code, cookies)


def may_follow_sprint(sprint: int, player: int | None, code: str, cookies: Mapping[str, str]) -> bool:
    return may_follow(Sprint.objects.filter(pk=sprint).first(), player, code, cookies)
