"""The pages of clubs: one's own, a club, and an invitation that asks first."""

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext

from games.accounts.views import for_players
from games.engine.rulesets import RULESETS
from games.errors import Problem
from games.models import Player
from leaderboard import clubs, entries
from leaderboard.actions import read_clock
from leaderboard.models import Board, Club, Membership, Race, Standing
from leaderboard.views.races import head_race, name_groups
from leaderboard.words import write_form_data

RACES = 20
ROLES = (Membership.OWNER, Membership.MANAGER, Membership.MEMBER)


@for_players
def list_clubs(request: HttpRequest) -> HttpResponse:
    """One's clubs, joining one by its code, and making one."""
    assert isinstance(request.user, Player)
    mine = request.user.memberships.select_related("club").order_by("club__name")
    return render(request, "leaderboard/clubs.html", {"mine": mine, "data": write_form_data()})


@for_players
def show_invitation(request: HttpRequest, code: str) -> HttpResponse:
    """Asks whether to join the club with that invite code; who is in it already is sent there."""
    assert isinstance(request.user, Player)
    club = Club.objects.filter(invite_code=code.upper().replace("\0", ""), dissolved_at=None).first()
    if club is None:
        page = {"status": 404, "sentence": gettext("This is no club's invite code.")}
        return render(request, "error.html", page, status=404)
    if club.memberships.filter(player=request.user).exists():
        return redirect("club", club.pk)
    page = {"club": club, "members": club.memberships.count(), "data": write_form_data()}
    return render(request, "leaderboard/club_join.html", page)


@for_players
def show_club(request: HttpRequest, club: int) -> HttpResponse:
    """A club of one's own: its members and what may be changed of them, its boards and its races."""
    assert isinstance(request.user, Player)
    try:
        own = clubs.find_membership(request.user, club)
    except Problem:
        raise Http404 from None
    members = list(own.club.memberships.select_related("player").filter(player__is_active=True).order_by("since"))
    members.sort(key=lambda row: ROLES.index(row.role))
    join = request.build_absolute_uri(reverse("club-join", args=[own.club.invite_code]))
    page = {
        "club": own.club,
        "own": own,
        "is_owner": own.role == Membership.OWNER,
        "is_manager": own.role in clubs.MANAGERS,
        "members": [_tell_member(row, own) for row in members],
        "join": join,
        "rulesets": _list_rulesets([row.player_id for row in members]),
        "races": _list_races(own.club, request.user),
        "groups": name_groups(),
        "data": write_form_data(),
    }
    return render(request, "leaderboard/club.html", page)


def _tell_member(row: Membership, own: Membership) -> dict[str, Any]:
    """A member, and what the viewer may do about it (`clubs.set_role` and `clubs.remove_member` decide)."""
    is_other = row.pk != own.pk
    is_owner = own.role == Membership.OWNER
    may_remove = is_owner or (own.role == Membership.MANAGER and row.role == Membership.MEMBER)
    return {
        "name": row.player.name,
        "role": row.role,
        "since": row.since,
        "may_promote": is_other and is_owner and row.role == Membership.MEMBER,
        "may_demote": is_other and is_owner and row.role == Membership.MANAGER,
        "may_hand_over": is_other and is_owner,
        "may_remove": is_other and may_remove,
    }


def _list_rulesets(members: list[int]) -> list[dict[str, str]]:
    """The rulesets in which a member stands on a board."""
    boards = Board.objects.filter(deal=None, kind=Board.RULESET, order="time")
    standings = Standing.objects.filter(player__in=members, board__in=boards)
    letters = set(standings.values_list("board__ruleset", flat=True))
    return [{"letter": row.letter, "name": gettext(row.name)} for row in RULESETS.values() if row.letter in letters]


def _list_races(club: Club, viewer: Player) -> list[dict[str, Any]]:
    found = Race.objects.filter(club=club).order_by("-opens_at", "-id")[:RACES]
    return [head_race(seen) for seen in entries.see_races(found, viewer, now=read_clock())]
