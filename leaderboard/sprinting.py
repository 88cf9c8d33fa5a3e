"""What changes a sprint: making one, joining, leaving, starting it, meeting again.

Each of these settles first what time has done (`settling`), and is one transaction under a lock on the sprint.
"""

from collections.abc import Collection
from datetime import datetime, timedelta
from hmac import compare_digest

from django.db import transaction
from django.db.models import F, Q
from django.db.models.functions import Now
from django.utils.translation import gettext_noop

from games.engine import deal as engine
from games.engine.rulesets import Ruleset
from games.errors import Problem
from games.models import Player, read_deal
from leaderboard import actions, racing, sprints
from leaderboard.models import Entry, Round, Seat, Sprint, SprintPlayer
from leaderboard.settling import begin_round, current_round, drop, lock, settle, settle_all

FARTHEST = timedelta(days=7)
MOST_SPRINTS = 5
HEARD_EVERY = timedelta(seconds=10)


def make_sprint(
    *,
    host: Player,
    ruleset: Ruleset,
    difficulty: str = "",
    deal: engine.Deal | None = None,
    invite_code: str = "",
    most: int,
    best_of: int,
    starts_at: datetime | None = None,
) -> Sprint:
    """A sprint whose host is the first in it. deal: cards that the host chose; then nobody's rating moves.

    Raises Problem: 400 `past` or `too_far` for the set time, 409 `too_many_sprints`, `seen_before`.
    """
    now = actions.read_clock()
    if starts_at and starts_at < now + sprints.COUNTDOWN:
        message = gettext_noop("A sprint starts %(seconds)s seconds from now at the earliest.")
        raise Problem(400, "past", message, "starts_at", params={"seconds": sprints.COUNTDOWN.seconds})
    if starts_at and starts_at > now + FARTHEST:
        message = gettext_noop("A sprint starts at most %(days)s days ahead.")
        raise Problem(400, "too_far", message, "starts_at", params={"days": FARTHEST.days})
    if deal and actions.has_seen(host, deal.order):
        raise racing.seen_before()
    settle_all(host=host)
    with transaction.atomic():
        Player.objects.select_for_update(no_key=True).get(pk=host.pk)
        if Sprint.objects.filter(host=host, ended_at=None).count() >= MOST_SPRINTS:
            message = gettext_noop("You have %(most)s sprints that are not over: that is as many as can be.")
            raise Problem(409, "too_many_sprints", message, params={"most": MOST_SPRINTS})
        sprint = Sprint.objects.create(
            maker=host,
            host=host,
            ruleset=ruleset.letter,
            difficulty=difficulty,
            deal=deal.code if deal else "",
            invite_code=invite_code,
            most=most,
            best_of=best_of,
            starts_at=starts_at,
        )
        SprintPlayer.objects.create(sprint=sprint, player=host, joined_at=now, heard_at=now)
        return sprint


def find_sprint(pk: int) -> Sprint:
    """The sprint of an id as it stands now. Raises Problem (404)."""
    settle(pk)
    sprint = Sprint.objects.select_related("host").filter(pk=pk).first()
    if sprint is None:
        raise no_such_sprint()
    return sprint


def no_such_sprint() -> Problem:
    return Problem(404, "not_found", gettext_noop("There is no such sprint."))


def list_lobbies(now: datetime) -> list[Sprint]:
    """The public sprints that wait for players, the newest first: with a set time, or with somebody who is there."""
    heard = SprintPlayer.objects.filter(left_at=None, heard_at__gt=now - sprints.SILENCE)
    there = Q(starts_at__gt=now) | Q(starts_at=None, pk__in=heard.values("sprint"))
    found = Sprint.objects.filter(there, ended_at=None, invite_code="", rounds__isnull=True, host__is_active=True)
    return list(found.select_related("host").order_by("-id")[:100])


def hear(*, player: Player, sprint: int) -> None:
    """Note that a player in a sprint has sent something."""
    hear_all(players=[player.pk], sprint=sprint)


def hear_all(*, players: Collection[int], sprint: int) -> None:
    """Note the same of those of these players who are in a sprint."""
    members = SprintPlayer.objects.filter(sprint=sprint, player__in=players, left_at=None)
    is_news = Q(heard_at__lt=Now() - HEARD_EVERY) | Q(heard_at__lt=F("joined_at"))
    members.filter(is_news).update(heard_at=Now())


def join(*, player: Player, sprint: int, invite_code: str = "") -> None:
    """Come into a sprint; twice is once. Who comes once a round runs is in from the next one on.

    Raises Problem: 404, 403 `invite_code`, 409 `sprint_over`, `sprint_full`, `left`, `seen_before`.
    """
    settle(sprint)
    with transaction.atomic():
        found = _lock(sprint)
        member = found.members.filter(player=player).first()
        if member and member.left_at is None:
            return
        if found.ended_at:
            raise _over()
        if found.invite_code and not compare_digest(found.invite_code.encode(), invite_code.encode()):
            raise Problem(403, "invite_code", gettext_noop("This is not the sprint's invite code."), "invite_code")
        current = current_round(found)
        if member and current:
            raise Problem(409, "left", gettext_noop("Who has left a sprint that has started stays out of it."))
        if found.members.filter(left_at=None).count() >= found.most:
            raise Problem(409, "sprint_full", gettext_noop("This sprint is full."))
        if found.deal and actions.has_seen(player, read_deal(found.deal).order):
            raise racing.seen_before()
        now = actions.read_clock()
        fields = {"joined_at": now, "heard_at": now, "left_at": None, "ready": False}
        SprintPlayer.objects.update_or_create(sprint=found, player=player, defaults=fields)
        if current and now < current.race.opens_at:
            Seat.objects.create(round=current, player=player)


def leave(*, player: Player, sprint: int) -> None:
    """Leave a sprint; twice is once. Who leaves a round that runs has given up. The host's place passes on."""
    settle(sprint)
    with transaction.atomic():
        found = _lock(sprint)
        if member := found.members.filter(player=player, left_at=None).first():
            drop(found, [(actions.read_clock(), member)])
    settle(sprint)


def set_ready(*, player: Player, sprint: int, ready: bool) -> None:
    """Say whether one is ready. Raises Problem: 404, 403 `not_in_sprint`, 409 `sprint_over`."""
    settle(sprint)
    with transaction.atomic():
        found = _lock(sprint)
        changed = found.members.filter(player=player, left_at=None).update(ready=ready, heard_at=Now())
        if not changed:
            raise _not_in()
        if found.ended_at:
            raise _over()


def start(*, player: Player, sprint: int) -> None:
    """As the host, begin the countdown; where it has begun, nothing changes.

    Raises Problem: 404, 403 `not_the_host`, 409 `sprint_over`, `too_few`.
    """
    settle(sprint)
    with transaction.atomic():
        found = _lock(sprint)
        if found.host_id != player.pk:
            raise Problem(403, "not_the_host", gettext_noop("Only the sprint's host can start it."))
        if found.ended_at:
            raise _over()
        if current_round(found) is not None:
            return
        if found.members.filter(left_at=None, heard_at__gte=F("joined_at")).count() < 2:
            raise Problem(409, "too_few", gettext_noop("A sprint needs two players."))
        begin_round(found, 1, actions.read_clock() + sprints.COUNTDOWN)


def enter(*, player: Player, sprint: int) -> tuple[Entry, bool]:
    """The player's entry in the round that runs, and whether it is new: the cards are disclosed.

    The time has run since the round's start. Raises Problem: 404, 403 `not_in_sprint`, 409 `not_started`, and what
    `racing.enter` raises.
    """
    settle(sprint)
    hear(player=player, sprint=sprint)
    last = Round.objects.filter(sprint=sprint).order_by("-number").first()
    if last is None:
        if not Sprint.objects.filter(pk=sprint).exists():
            raise no_such_sprint()
        raise Problem(409, "not_started", gettext_noop("This sprint has not started."))
    return racing.enter(player=player, race=last.race_id)


def make_rematch(*, player: Player, sprint: int) -> Sprint:
    """The lobby in which the same people meet again; there is one, whoever asks for it.

    The others have a place in it for as long as they were heard of; nobody races in it who does not come.
    Raises Problem: 404, 403 `not_in_sprint`, 409 `sprint_running`.
    """
    settle(sprint)
    with transaction.atomic():
        found = _lock(sprint)
        members = list(found.members.filter(left_at=None).order_by("joined_at", "id"))
        if player.pk not in [member.player_id for member in members]:
            raise _not_in()
        if found.ended_at is None:
            raise Problem(409, "sprint_running", gettext_noop("This sprint is not over."))
        if found.rematch:
            hear(player=player, sprint=found.rematch.pk)
            return found.rematch
        again = Sprint.objects.create(
            maker=found.host,
            host=found.host,
            ruleset=found.ruleset,
            difficulty=found.difficulty,
            invite_code=found.invite_code,
            most=found.most,
            best_of=found.best_of,
        )
        now = actions.read_clock()
        SprintPlayer.objects.bulk_create(
            SprintPlayer(
                sprint=again,
                player_id=member.player_id,
                joined_at=now,
                heard_at=now if member.player_id == player.pk else member.heard_at,
            )
            for member in members
        )
        found.rematch = again
        found.save(update_fields=["rematch"])
        return again


def _lock(pk: int) -> Sprint:
    sprint = lock(pk)
    if sprint is None:
        raise no_such_sprint()
    return sprint


def _over() -> Problem:
    return Problem(409, "sprint_over", gettext_noop("This sprint is over."))


def _not_in() -> Problem:
    return Problem(403, "not_in_sprint", gettext_noop("You are not in this sprint."))
