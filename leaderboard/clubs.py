"""What changes who knows whom: following, and clubs. Whatever is counted is counted under a lock on what it is of."""

import re
import secrets

from django.db import transaction
from django.db.models.functions import Now
from django.utils.translation import gettext_noop

from games.errors import Problem
from games.models import Player
from leaderboard.models import Club, Follow, Membership

MOST_FOLLOWED = 1000
MOST_MEMBERS = 1000
MOST_CLUBS = 50
CODE_LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"  # none that looks like another
MANAGERS = (Membership.OWNER, Membership.MANAGER)


def follow(*, player: Player, other: Player) -> None:
    """See another's results beside one's own; twice is once. Raises Problem: 400 oneself, 409 `too_many`."""
    if player == other:
        raise Problem(400, "same_player", gettext_noop("Nobody follows themselves."), "name")
    with transaction.atomic():
        _lock_player(player)
        if Follow.objects.filter(follower=player).exclude(followed=other).count() >= MOST_FOLLOWED:
            raise _too_many(gettext_noop("You follow %(most)s players: that is as many as can be."), MOST_FOLLOWED)
        Follow.objects.get_or_create(follower=player, followed=other)


def unfollow(*, player: Player, other: Player) -> None:
    """The opposite; twice is once."""
    Follow.objects.filter(follower=player, followed=other).delete()


def make_club(*, owner: Player, name: str) -> Club:
    """A new club with one member. Raises Problem: 403 for a guest, 409 `too_many`."""
    with transaction.atomic():
        _check_new_member(owner)
        club = Club.objects.create(name=name, invite_code=_draw_code())
        Membership.objects.create(club=club, player=owner, role=Membership.OWNER)
        return club


def join(*, player: Player, invite_code: str) -> Club:
    """Become a member of the club with that invite code; twice is once.

    Raises Problem: 403 for a guest or a wrong code, 409 `too_many` clubs or members.
    """
    with transaction.atomic():
        club = Club.objects.select_for_update().filter(invite_code=invite_code.upper(), dissolved_at=None).first()
        if club is None:
            raise Problem(403, "invite_code", gettext_noop("This is no club's invite code."), "invite_code")
        if not club.memberships.filter(player=player).exists():
            _check_new_member(player)
            if club.memberships.count() >= MOST_MEMBERS:
                raise _too_many(gettext_noop("The club has %(most)s members: that is as many as can be."), MOST_MEMBERS)
            Membership.objects.create(club=club, player=player)
        return club


def remove_member(*, by: Player, club: int, member: Player) -> None:
    """Leave a club, or as its manager remove a member; who is none is none.

    Raises Problem: 404 no such club of one's own, 403 `not_a_manager`, 409 `owner` for the owner, who hands the club
    over or dissolves it.
    """
    with transaction.atomic():
        own = _lock_club(by, club)
        theirs = own if member == by else own.club.memberships.filter(player=member).first()
        if theirs is None:
            return
        if theirs.role == Membership.OWNER:
            message = gettext_noop("The owner hands the club over first, or dissolves it.")
            raise Problem(409, "owner", message, "name")
        if member != by and (own.role not in MANAGERS or (theirs.role, own.role) == (Membership.MANAGER,) * 2):
            raise _not_a_manager()
        theirs.delete()


def set_role(*, by: Player, club: int, member: Player, role: str) -> None:
    """As the owner make a member a manager or a plain member again, or with "owner" hand the club over.

    Raises Problem: 404 no such club of one's own, or no such member; 403 `not_the_owner`; 409 `owner` for oneself.
    """
    with transaction.atomic():
        own = _lock_club(by, club)
        if own.role != Membership.OWNER:
            raise _not_the_owner()
        theirs = own.club.memberships.filter(player=member).first()
        if theirs is None:
            raise Problem(404, "member", gettext_noop("The club has no such member."), "name")
        if theirs == own:
            if role != Membership.OWNER:
                raise Problem(409, "owner", gettext_noop("The owner hands the club over to somebody."), "name")
            return
        if role == Membership.OWNER:  # a club has one owner at any moment
            own.role = Membership.MANAGER
            own.save(update_fields=["role"])
        theirs.role = role
        theirs.save(update_fields=["role"])


def change_code(*, by: Player, club: int) -> Club:
    """A new invite code; the old one is void. Raises Problem: 404, 403 `not_a_manager`."""
    with transaction.atomic():
        own = _lock_club(by, club)
        if own.role not in MANAGERS:
            raise _not_a_manager()
        own.club.invite_code = _draw_code()
        own.club.save(update_fields=["invite_code"])
        return own.club


def dissolve(*, by: Player, club: int) -> None:
    """End a club: nobody is a member any more, its races stay as they are. Raises Problem: 404, 403 `not_the_owner`."""
    with transaction.atomic():
        own = _lock_club(by, club)
        if own.role != Membership.OWNER:
            raise _not_the_owner()
        Club.objects.filter(pk=club).update(dissolved_at=Now())
        Membership.objects.filter(club=club).delete()


def find_membership(player: Player, club: int) -> Membership:
    """The player's membership of a club. Raises Problem (404): who is no member is not told whether there is one."""
    found = Membership.objects.select_related("club").filter(club=club, player=player).first()
    if found is None:
        raise no_such_club()
    return found


def no_such_club() -> Problem:
    return Problem(404, "not_found", gettext_noop("You are in no such club."))


def read_among(player: Player, text: str) -> tuple[int, ...]:
    """The ids of the players whom a text names: "friends" (oneself and whom one follows), or "club:7" (its members).

    Raises Problem: 400 for another text, 404 for a club that is not one's own.
    """
    if text == "friends":
        return (player.pk, *player.follows.values_list("followed", flat=True).order_by("followed"))
    if match := re.fullmatch("club:([0-9]{1,18})", text):
        membership = find_membership(player, int(match[1]))
        return tuple(membership.club.memberships.values_list("player", flat=True).order_by("player"))
    raise Problem(400, "invalid_choice", gettext_noop("This must be friends or club: and a club's id."), "among")


def _lock_club(player: Player, club: int) -> Membership:
    """The player's membership; nobody changes the club's members before the transaction's end."""
    Club.objects.select_for_update().filter(pk=club).first()
    return find_membership(player, club)


def _lock_player(player: Player) -> None:
    Player.objects.select_for_update(no_key=True).get(pk=player.pk)


def _check_new_member(player: Player) -> None:
    if player.guest:
        raise Problem(403, "guest", gettext_noop("Sign up first: clubs are for players with a name of their own."))
    _lock_player(player)
    if player.memberships.count() >= MOST_CLUBS:
        raise _too_many(gettext_noop("You are in %(most)s clubs: that is as many as can be."), MOST_CLUBS)


def _draw_code() -> str:
    return "".join(secrets.choice(CODE_LETTERS) for _ in range(10))


def _too_many(message: str, most: int) -> Problem:
    return Problem(409, "too_many", message, params={"most": most})


def _not_a_manager() -> Problem:
    return Problem(403, "not_a_manager", gettext_noop("Only those who manage the club can do that."))


def _not_the_owner() -> Problem:
    return Problem(403, "not_the_owner", gettext_noop("Only the club's owner can do that."))
