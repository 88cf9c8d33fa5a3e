"""What changes a sprint: making one, joining, leaving, starting it; and the time that passes.

Nothing waits for a moment to come. Whoever reads a sprint or changes it settles first what time has done (`settle`):
silent players are out, a round begins or is over. Each such step is one transaction under a lock on the sprint, and
looks again at what is stored once it has the lock. Locks are taken sprint first, then seats, then attempts.
"""

from datetime import datetime, timedelta
from hmac import compare_digest

from django.db import transaction
from django.db.models import Q, Value
from django.db.models.functions import Least, Now
from django.utils.translation import gettext_noop

from games.actions import pick_pooled
from games.engine import deal as engine
from games.engine.rulesets import Ruleset, get_ruleset
from games.errors import Problem
from games.models import Attempt, Deal, Player, read_deal
from leaderboard import actions, events, progress, racing, ratings, rounds, sprints
from leaderboard.models import Entry, Progress, Race, Round, Seat, Sprint, SprintPlayer

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
    member = SprintPlayer.objects.filter(sprint=sprint, player=player, left_at=None)
    member.filter(heard_at__lt=Now() - HEARD_EVERY).update(heard_at=Now())


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
        current = _current(found)
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
            _drop(found, member, actions.read_clock())
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
        if _current(found) is not None:
            return
        if found.members.filter(left_at=None).count() < 2:
            raise Problem(409, "too_few", gettext_noop("A sprint needs two players."))
        _begin_round(found, 1, actions.read_clock() + sprints.COUNTDOWN)


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
            SprintPlayer(sprint=again, player_id=member.player_id, joined_at=member.joined_at, heard_at=now)
            for member in members
        )
        found.rematch = again
        found.save(update_fields=["rematch"])
        return again


# What time does


def settle(pk: int) -> None:
    """Store what has become of a sprint by now; of many who do so at once one writes, and the others find it done."""
    while _take_step(pk, locked=False):
        with transaction.atomic():
            _take_step(pk, locked=True)


def settle_all(*, host: Player | None = None) -> None:
    """Settle the sprints that are not over (those of a host), also where nobody looks any more."""
    running = Sprint.objects.filter(ended_at=None)
    for pk in (running.filter(host=host) if host else running).order_by("pk").values_list("pk", flat=True):
        settle(pk)


def _take_step(pk: int, *, locked: bool) -> bool:
    """Whether something is due; with the lock it is done."""
    sprint = Sprint.objects.filter(pk=pk, ended_at=None)
    found = (sprint.select_for_update(no_key=True) if locked else sprint).first()
    if found is None:
        return False
    now = actions.read_clock()
    current = _current(found)
    return (
        _drop_silent(found, current, now, locked)
        or (current is not None and _follow_round(found, current, now, locked))
        or (current is None and _open_lobby(found, now, locked))
    )


def _drop_silent(sprint: Sprint, current: Round | None, now: datetime, locked: bool) -> bool:
    moved = {}
    if current:
        moved = {seen.runner.player: seen.moved_at for seen in rounds.read_runners([current.pk])[current.pk]}
    awaited = sprint.starts_at if current is None or current.number == 1 else None
    members = sprint.members.filter(left_at=None)
    silent = [
        (moment, member)
        for member in members.order_by("id")
        if (moment := sprints.silent_from(member.heard_at, moved.get(member.player_id), awaited)) <= now
    ]
    if locked:
        for moment, member in silent:
            _drop(sprint, member, moment)
    return bool(silent)


def _drop(sprint: Sprint, member: SprintPlayer, moment: datetime) -> None:
    """Let a player be out of a sprint since a moment. Under its lock."""
    member.left_at, member.ready = moment, False
    member.save(update_fields=["left_at", "ready"])
    if sprint.host_id == member.player_id:
        heir = sprint.members.filter(left_at=None).order_by("joined_at", "id").first()
        if heir:
            sprint.host_id = heir.player_id
            sprint.save(update_fields=["host"])
    current = _current(sprint)
    if current is None or current.over_at:
        return
    if moment <= current.race.opens_at:
        current.seats.filter(player=member.player_id).delete()
        return
    seat = current.seats.select_for_update(no_key=True).filter(player=member.player_id).first()
    if seat is None:
        return
    entered = Attempt.objects.filter(entries__race=current.race_id, player=member.player_id)
    mine = list(entered.values_list("pk", flat=True))
    # of who moves at this moment the attempt ends one way, and the other finds it ended
    if mine and not Attempt.objects.filter(pk__in=mine, ended_at=None, ends_at__gt=Now()).update(
        end=Attempt.RESIGNED, ended_at=Now()
    ):
        return
    seat.out_at = moment
    seat.save(update_fields=["out_at"])
    progress.follow_these(mine)
    events.wake(current.race_id)


def _open_lobby(sprint: Sprint, now: datetime, locked: bool) -> bool:
    """The set time has come, or nobody is left."""
    present = sprint.members.filter(left_at=None).count()
    is_due = sprint.starts_at is not None and now >= sprint.starts_at - sprints.COUNTDOWN
    begins = is_due and present >= 2
    ends = present == 0 or (sprint.starts_at is not None and now >= sprint.starts_at and not begins)
    if locked and begins:
        assert sprint.starts_at
        late = now >= sprint.starts_at  # nobody asked in time: nobody has seen a countdown
        _begin_round(sprint, 1, now + sprints.COUNTDOWN if late else sprint.starts_at)
    elif locked and ends:
        _end(sprint, now)
    return begins or ends


def _follow_round(sprint: Sprint, current: Round, now: datetime, locked: bool) -> bool:
    race = current.race
    if now < race.opens_at:
        is_void = current.seats.count() < 2
        if is_void and locked:
            _call_off(sprint, current, now)
        return is_void
    runners = [seen.runner for seen in rounds.read_runners([current.pk])[current.pk]]
    over = sprints.over_at(runners, race.opens_at, race.closes_at)
    if now >= over:
        if locked:
            _finish_round(sprint, current, over)
        return True
    won = sprints.first_win(runners)
    is_bounded = won is None or race.closes_at <= won + sprints.LAST_MINUTES
    if not is_bounded and won and locked:
        _bound(race, won + sprints.LAST_MINUTES)
    return not is_bounded


def _bound(race: Race, moment: datetime) -> None:
    """Let a round end at that moment for all who still play."""
    race.closes_at = moment
    race.save(update_fields=["closes_at"])
    Attempt.objects.filter(entries__race=race, ended_at=None).update(ends_at=moment)
    Progress.objects.filter(race=race, state="playing").update(ends_at=moment)
    events.wake(race.pk)


def _begin_round(sprint: Sprint, number: int, opens_at: datetime) -> None:
    """A round with all who are there, on cards that nobody has been shown (or those that were chosen)."""
    deal = _take_deal(sprint)
    race = Race.objects.create(
        kind=Race.SPRINT,
        host=sprint.maker if sprint.deal else None,
        deal=racing.store_hidden(deal),
        ruleset=sprint.ruleset,
        seed=deal.seed_letters,
        chosen=bool(sprint.deal),
        opens_at=opens_at,
        closes_at=opens_at + sprints.ROUND_LIFE,
    )
    made = Round.objects.create(sprint=sprint, number=number, race=race)
    seen = Attempt.objects.filter(deal__order=deal.order).values("player")
    present = sprint.members.filter(left_at=None).exclude(player__in=seen).order_by("joined_at", "id")
    Seat.objects.bulk_create(Seat(round=made, player_id=player) for player in present.values_list("player", flat=True))
    if number == 1:
        sprint.starts_at = opens_at
        sprint.save(update_fields=["starts_at"])


def _take_deal(sprint: Sprint) -> engine.Deal:
    if sprint.deal:
        return read_deal(sprint.deal)
    ruleset = get_ruleset(sprint.ruleset)
    while sprint.difficulty and (pooled := pick_pooled(ruleset=ruleset.letter, difficulty=sprint.difficulty)):
        # out of the pool, so that nobody else is dealt it; of two who take it one does
        if Deal.objects.filter(pk=pooled.pk, pooled=True).update(pooled=False):
            return read_deal(pooled.code)
    return racing.draw_deal(ruleset)


def _call_off(sprint: Sprint, current: Round, now: datetime) -> None:
    """Too few are left for a round that has not started: there was none, and nobody has seen its cards."""
    race, number = Race.objects.select_for_update().get(pk=current.race_id), current.number
    if race.entries.exists():  # it has started in this moment
        return
    current.delete()
    race.delete()
    if number > 1:
        _end(sprint, now)
        return
    sprint.starts_at = None
    sprint.save(update_fields=["starts_at"])


def _finish_round(sprint: Sprint, current: Round, over: datetime) -> None:
    """Store that a round is over, let the ratings follow, and begin the next or end the sprint."""
    race = current.race
    playing = Attempt.objects.select_for_update(no_key=True, of=("self",)).filter(entries__race=race, ended_at=None)
    late = list(playing.order_by("pk").values_list("pk", flat=True))
    Attempt.objects.filter(pk__in=late, ended_at=None).update(
        end=Attempt.EXPIRED, ended_at=Least("ends_at", Value(over)), ends_at=Least("ends_at", Value(over))
    )
    progress.follow_these(late)
    race.closes_at = max(over, race.opens_at + timedelta(microseconds=1))
    race.save(update_fields=["closes_at"])
    current.over_at = over
    current.save(update_fields=["over_at"])
    if not sprint.deal:
        ratings.rate_round(current)
    events.wake(race.pk)
    played = list(sprint.rounds.order_by("number"))
    seen = rounds.read_runners([one.pk for one in played])
    results = [([row.runner for row in seen[one.pk]], one.over_at or over) for one in played]
    is_decided = sprints.is_decided(sprints.add_up(results), len(played), sprint.best_of)
    if is_decided or sprint.members.filter(left_at=None).count() < 2:
        _end(sprint, over)
        return
    earliest = actions.read_clock() + sprints.COUNTDOWN
    _begin_round(sprint, current.number + 1, max(over + sprints.BREAK, earliest))


def _end(sprint: Sprint, moment: datetime) -> None:
    sprint.ended_at = moment
    sprint.save(update_fields=["ended_at"])


def _lock(pk: int) -> Sprint:
    sprint = Sprint.objects.select_for_update(no_key=True).filter(pk=pk).first()
    if sprint is None:
        raise no_such_sprint()
    return sprint


def _current(sprint: Sprint) -> Round | None:
    return sprint.rounds.select_related("race").order_by("-number").first()


def _over() -> Problem:
    return Problem(409, "sprint_over", gettext_noop("This sprint is over."))


def _not_in() -> Problem:
    return Problem(403, "not_in_sprint", gettext_noop("You are not in this sprint."))
