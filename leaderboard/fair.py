"""Fair play: what moderators decide, with reason and log; bans; what players report. docs/fair-play.md."""

from collections.abc import Callable
from datetime import datetime

from django.db import IntegrityError, transaction
from django.db.models import F, Q, QuerySet
from django.db.models.functions import Now
from django.utils.translation import gettext_noop

from games.errors import Problem
from games.models import Attempt, Player
from leaderboard import events, moderating, progress
from leaderboard.models import Report, Ruling
from leaderboard.standings import forget_kept_pages

HOLD_REASON = "moderator"
CHANGES: dict[str, Callable[[Attempt], bool]] = {
    Ruling.HOLD: lambda attempt: moderating.hold(attempt=attempt, because=HOLD_REASON),
    Ruling.RELEASE: lambda attempt: moderating.release(attempt=attempt),
    Ruling.VOID: lambda attempt: moderating.void(attempt=attempt),
    Ruling.RESTORE: lambda attempt: moderating.restore(attempt=attempt),
}


def rule(*, what: str, attempt: Attempt, by: Player | None, because: str) -> bool:
    """Hold, release, void or restore a result, and log it with its reason; False where nothing was to be changed.

    Raises Problem: 400 without a reason, 409 `banned` for what is void as long as its player is banned.
    """
    _check_reason(because)
    if what == Ruling.RESTORE and is_banned(attempt.player):
        raise Problem(409, "banned", gettext_noop("This player is banned: end the ban first."))
    with transaction.atomic():
        if not CHANGES[what](attempt):
            return False
        Ruling.objects.create(what=what, player_id=attempt.player_id, attempt=attempt, because=because, by=by)
        return True


def _check_reason(because: str) -> None:
    if not because.strip():
        raise Problem(400, "reason", gettext_noop("Say why: players can read it."), "because")


# Bans


def ban(*, player: Player, by: Player | None, because: str, until: datetime | None = None) -> None:
    """Shut a player out, until a moment or for good: no call, no log-in, no socket, and nothing of theirs is shown.

    Everything they played is void at once, and counts again when the ban is lifted. Again: a new end and reason.
    Raises Problem (400) without a reason.
    """
    _check_reason(because)
    counting = Attempt.objects.filter(player=player, voided_at=None)
    void = {"voided_at": Now(), "voided_because": Ruling.BAN}
    with transaction.atomic():
        Player.objects.filter(pk=player.pk).update(is_active=False)
        counting.filter(ended_at=None).update(**void)  # first: a win that is on its way is placed nowhere any more
        Ruling.objects.create(what=Ruling.BAN, player=player, because=because, by=by, until=until)
    # each in a transaction of its own: there may be thousands. Whoever is cut off here bans once more
    for attempt in counting.filter(end=Attempt.WON):
        moderating.void(attempt=attempt, because=Ruling.BAN)
    with transaction.atomic():
        forget_kept_pages()
        counting.update(**void)
        events.wake(*set(progress.follow_all(player.pk)))


def unban(*, player: Player, by: Player | None, because: str) -> None:
    """Let a player in again; what the ban took counts again. Raises Problem: 400 without a reason, 409 `not_banned`."""
    _check_reason(because)
    if not is_banned(player):
        raise Problem(409, "not_banned", gettext_noop("This player is not banned."))
    taken = Attempt.objects.filter(player=player, voided_because=Ruling.BAN)
    one_by_one = Q(end=Attempt.WON) | Q(clock=Attempt.CLIENT)
    for attempt in taken.filter(one_by_one):
        moderating.restore(attempt=attempt)
    with transaction.atomic():
        forget_kept_pages()
        taken.exclude(one_by_one).update(voided_at=None, voided_because="")
        Player.objects.filter(pk=player.pk, deleted_at=None).update(is_active=True)
        Ruling.objects.create(what=Ruling.UNBAN, player=player, because=because, by=by)
        events.wake(*set(progress.follow_all(player.pk)))


def is_banned(player: Player) -> bool:
    latest = player.rulings.filter(what__in=(Ruling.BAN, Ruling.UNBAN)).order_by("-id").first()
    return latest is not None and latest.what == Ruling.BAN


def lift_over() -> int:
    """Lift the bans whose time is over; how many."""
    over = Ruling.objects.filter(what=Ruling.BAN, until__lte=Now()).select_related("player").order_by("player", "-id")
    lifted = 0
    for ruling in over.distinct("player"):
        latest = ruling.player.rulings.filter(what__in=(Ruling.BAN, Ruling.UNBAN)).order_by("-id").first()
        if latest == ruling:
            unban(player=ruling.player, by=None, because="The ban is over.")
            lifted += 1
    return lifted


# Reports


def report(*, reporter: Player, player: Player, attempt: Attempt | None, because: str) -> Report:
    """Tell the moderators of a name or a result; while it is open, the same again is the same report."""
    _check_reason(because)
    if reporter == player:
        raise Problem(400, "same_player", gettext_noop("Nobody reports themselves."), "player")
    about = {"reporter": reporter, "player": player, "attempt": attempt, "outcome": ""}
    while True:
        try:
            with transaction.atomic():
                return Report.objects.create(because=because, **about)
        except IntegrityError:
            if there := Report.objects.filter(**about).first():  # it may have been answered in this very moment
                return there


def answer_reports(*, reports: QuerySet[Report], outcome: str, answer: str) -> int:
    """Close open reports; the reporters can read the answer. How many."""
    return reports.filter(outcome="").update(outcome=outcome, answer=answer, answered_at=Now())


def queue() -> QuerySet[Attempt]:
    """The results that wait for a moderator: held ones, and those that somebody has reported; the oldest first."""
    held = Attempt.objects.exclude(held="").filter(voided_at=None)
    reported = Attempt.objects.filter(reports__outcome="")
    return (held | reported).distinct().order_by(F("ended_at").asc(nulls_last=True), "pk")
