"""Who may see what of a race's cards. Every address, page, frame and export asks here; the test is a table.

A race lies open from its start until an hour after its close, a sprint's round until its close (`Race.phase_at`).
Before that nothing tells that its deal is one's; a withdrawn race hides nothing.

- The cards, and with them the code of the deal: who has started an attempt on them; everybody once nobody can enter.
- The rest (other people's replays, par and line): who has ended an attempt on them; everybody else once the race is
  closed. Nobody while an own attempt on the same cards is open; but of who has ended one before, and practises on them
  again with no race open on them, replays are not hidden: they could be looked up before that game began.
"""

from collections.abc import Collection, Iterable
from datetime import datetime
from typing import NamedTuple

from django.contrib.auth.models import AnonymousUser
from django.db.models import Q, QuerySet

from games.models import Attempt, Deal, Player
from leaderboard import races
from leaderboard.models import Race

Viewer = Player | AnonymousUser


def races_on(orders: Collection[str], now: datetime) -> QuerySet[Race]:
    """The races that lie open on cards in these orders: open for entering, or in the hour after."""
    played = Q(closes_at__gt=now) | Q(closes_at__gt=now - races.GRACE_LIFE) & ~Q(kind=Race.SPRINT)
    return Race.objects.filter(played, opens_at__lte=now, withdrawn_at=None).filter(deal__order__in=orders)


def hidden_orders(viewer: Viewer, orders: Iterable[str], *, now: datetime) -> set[str]:
    """Those of the orders whose cards (and code) the viewer may not be told: of a race that can still be entered."""
    can_enter = races_on(set(orders), now).filter(closes_at__gt=now)
    hidden = set(can_enter.values_list("deal__order", flat=True))
    return hidden - _met(viewer, hidden).keys()


def told_orders(viewer: Viewer, orders: Iterable[str], *, now: datetime) -> set[str]:
    """Those of the orders of which the rest may be told: other people's replays, par and line (see `par_orders`)."""
    orders = set(orders)
    live = set(races_on(orders, now).values_list("deal__order", flat=True))
    met = _met(viewer, orders, now=now)
    return {order for order in orders if met.get(order, order not in live)}


def par_orders(viewer: Viewer, orders: Iterable[str], *, now: datetime) -> set[str]:
    """Those of the orders whose par may be told; of a daily to come nobody's: as if it were not known."""
    told = told_orders(viewer, orders, now=now)
    return told - set(Deal.objects.filter(order__in=told, told_from__gt=now).values_list("order", flat=True))


def ghost_orders(orders: Iterable[str], *, now: datetime) -> set[str]:
    """Those of the orders that anybody may play beside the ghosts of others: no race lies open on them."""
    orders = set(orders)
    return orders - set(races_on(orders, now).values_list("deal__order", flat=True))


def may_see_rest(viewer: Viewer, order: str, *, now: datetime) -> bool:
    """Whether other people's replays, par and line of cards in this order may be shown."""
    return order in told_orders(viewer, [order], now=now)


def may_see_replay(viewer: Viewer, attempt: Attempt, *, now: datetime) -> bool:
    """Whether a replay may be shown: one's own always, another's once it has ended and the rest may be seen."""
    if viewer == attempt.player:
        return True
    if attempt.voided_because or attempt.player.is_banned:  # of who is banned nothing is shown
        return False
    if not attempt.expire(now=now).end:
        return False
    order = attempt.deal.order
    return may_see_rest(viewer, order, now=now) or _practises_again(viewer, order, now=now)


def _practises_again(viewer: Viewer, order: str, *, now: datetime) -> bool:
    """Whether the viewer has ended a game on these cards and plays them again for practice alone, with no race open."""
    if not isinstance(viewer, Player):
        return False
    still_open = Q(ended_at=None, ends_at__gt=now)
    own = Attempt.objects.filter(player=viewer, deal__order=order)
    counts = own.filter(still_open).filter(Q(ranked=True) | Q(entries__isnull=False))
    return own.exclude(still_open).exists() and not counts.exists() and bool(ghost_orders([order], now=now))


def may_see_ghost(viewer: Viewer, attempt: Attempt, *, now: datetime) -> bool:
    """Whether the pace of a game may be shown: as its replay, and to who plays the same cards outside a race, too.

    That is what ghosts are for, and they tell no card and no move. While a race lies open on the cards nothing of
    others is told beyond its live progress.
    """
    if not attempt.expire(now=now).end:
        return False
    if viewer == attempt.player:
        return True
    if attempt.voided_because or attempt.player.is_banned:
        return False
    return may_see_ghosts(viewer, attempt.deal.order, now=now)


def may_see_ghosts(viewer: Viewer, order: str, *, now: datetime) -> bool:
    """Whether the pace of others' games on cards in this order may be shown."""
    return may_see_rest(viewer, order, now=now) or bool(ghost_orders([order], now=now))


class Hidden(NamedTuple):
    """Why a replay may not be shown: "race" (until then), "playing" (the viewer plays these cards), "open" (it is still
    played), "none" (there is nothing more to say)."""

    why: str
    until: datetime | None = None


def explain_hidden(viewer: Viewer, attempt: Attempt, *, now: datetime) -> Hidden:
    """Why `may_see_replay` says no. That cards are those of a race is told of the race's own entries alone."""
    if attempt.voided_because:
        return Hidden("none")
    if isinstance(viewer, Player) and not _met(viewer, [attempt.deal.order], now=now).get(attempt.deal.order, True):
        return Hidden("playing")
    live = races_on([attempt.deal.order], now).filter(entries__attempt=attempt).order_by("-closes_at").first()
    if live:
        return Hidden("race", live.closes_at + live.grace)
    return Hidden("none" if attempt.expire(now=now).end else "open")


def _met(viewer: Viewer, orders: Collection[str], *, now: datetime | None = None) -> dict[str, bool]:
    """The orders that the viewer has been shown, and whether all attempts on each are over (by `now`)."""
    if not isinstance(viewer, Player) or not orders:
        return {}
    attempts = Attempt.objects.filter(player=viewer, deal__order__in=orders)
    met: dict[str, bool] = {}
    for order, ended_at, ends_at in attempts.values_list("deal__order", "ended_at", "ends_at"):
        is_over = ended_at is not None or now is None or ends_at <= now
        met[order] = met.get(order, True) and is_over
    return met
