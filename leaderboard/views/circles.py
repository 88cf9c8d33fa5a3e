"""Whom a board is shown among, as the address says (`among`): everybody, friends, a club of one's own; of a race its
guests, too, who stand on a list beside the ranks."""

from typing import NamedTuple

from django.core.exceptions import BadRequest
from django.http import Http404, HttpRequest
from django.utils.translation import gettext

from games.errors import Problem
from games.models import Player
from leaderboard import clubs, sight
from leaderboard.views.links import Link, link_to

EVERYBODY, FRIENDS, GUESTS = "", "friends", "guests"
STRANGER, ALONE = "stranger", "alone"


class Circle(NamedTuple):
    """Whom a board is shown among. value: as `among` names it; players: their ids, None where it is everybody (or the
    guests); tabs: the choices; note: what there is to explain: to a STRANGER, to who follows nobody (ALONE), or of
    GUESTS."""

    value: str
    players: tuple[int, ...] | None
    tabs: list[Link]
    note: str = ""

    def read_names(self) -> list[str] | None:
        """The names of the players, but of who is shut out; None where it is everybody (or the guests)."""
        if self.players is None:
            return None
        active = Player.objects.filter(pk__in=self.players, is_active=True)
        return list(active.order_by("pk").values_list("name", flat=True))


def read_circle(request: HttpRequest, *, with_guests: bool = False) -> Circle:
    """What an address asks for. Raises BadRequest, or Http404 for a club that is not one's own."""
    value = request.GET.get("among", EVERYBODY)
    tabs = _link_tabs(request, value, with_guests)
    if value == EVERYBODY:
        return Circle(value, None, tabs)
    if value == GUESTS and with_guests:
        return Circle(value, None, tabs, GUESTS)
    if not isinstance(request.user, Player) and (value == FRIENDS or value.startswith("club:")):
        return Circle(value, (), tabs, STRANGER)
    try:
        players = clubs.read_among(request.user, value)  # type: ignore[arg-type]  # any other text is refused first
    except Problem as problem:
        if problem.status == 404:
            raise Http404 from None
        raise BadRequest("among") from None
    return Circle(value, players, tabs, ALONE if value == FRIENDS and len(players) == 1 else "")


def list_clubs(viewer: sight.Viewer) -> list[tuple[int, str]]:
    """The viewer's clubs, (id, name), by name."""
    if not isinstance(viewer, Player):
        return []
    return list(viewer.memberships.order_by("club__name").values_list("club", "club__name"))


def _link_tabs(request: HttpRequest, chosen: str, with_guests: bool) -> list[Link]:
    names = {EVERYBODY: gettext("Everybody"), FRIENDS: gettext("Friends")}
    names |= {f"club:{club}": name for club, name in list_clubs(request.user)}
    if with_guests:
        names[GUESTS] = gettext("Guests")
    return [Link(name, link_to(request, among=value or None), value == chosen) for value, name in names.items()]
