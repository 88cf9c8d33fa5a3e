"""What time does to a sprint: silent players are out, a round begins or is over.

Nothing waits for a moment to come. Whoever reads a sprint or changes it settles it first (`settle`). Each step is one
transaction under a lock on the sprint, and looks again at what is stored once it has the lock. Locks are taken sprint
first, then seats, then attempts.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Value
from django.db.models.functions import Least, Now

from games.actions import pick_pooled
from games.engine import deal as engine
from games.engine.rulesets import get_ruleset
from games.models import Attempt, Deal, Player, read_deal
from leaderboard import actions, events, progress, racing, ratings, rounds, sprints
from leaderboard.models import Progress, Race, Round, Seat, Sprint, SprintPlayer


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


def follow_win(attempt: int) -> None:
    """Let the sprint in which a game was won know at once: the round ends two minutes later, whether anybody looks
    by then or not."""
    for pk in Round.objects.filter(race__entries__attempt=attempt, over_at=None).values_list("sprint", flat=True):
        settle(pk)


def lock(pk: int) -> Sprint | None:
    """A sprint, under the lock of whoever changes it; its watchers are woken once that is committed."""
    events.wake_sprint(pk)
    return Sprint.objects.select_for_update(no_key=True).filter(pk=pk).first()


def next_moment(pk: int, now: datetime) -> datetime | None:
    """When, after now, something is due in a sprint or its round starts, if nobody does anything before."""
    found = Sprint.objects.filter(pk=pk, ended_at=None).first()
    if found is None:
        return None
    current = current_round(found)
    seen = _read_runners(current)
    moments = [moment for moment, _member in _read_silences(found, current, seen)]
    if current is not None:
        race, runners = current.race, [row.runner for row in seen]
        moments += [race.opens_at, sprints.over_at(runners, race.opens_at, race.closes_at)]
    elif found.starts_at:
        moments += [found.starts_at - sprints.COUNTDOWN, found.starts_at]
    return min((moment for moment in moments if moment > now), default=None)


def _take_step(pk: int, *, locked: bool) -> bool:
    """Whether something is due; with the lock it is done."""
    found = lock(pk) if locked else Sprint.objects.filter(pk=pk).first()
    if found is None or found.ended_at:
        return False
    now = actions.read_clock()
    current = current_round(found)
    seen = _read_runners(current)
    return (
        _drop_silent(found, _read_silences(found, current, seen), now, locked)
        or (current is not None and _follow_round(found, current, [row.runner for row in seen], now, locked))
        or (current is None and _open_lobby(found, now, locked))
    )


def _drop_silent(sprint: Sprint, silences: list[tuple[datetime, SprintPlayer]], now: datetime, locked: bool) -> bool:
    silent = [(moment, member) for moment, member in silences if moment <= now]
    if locked and silent:
        drop(sprint, silent)
    return bool(silent)


def _read_silences(
    sprint: Sprint, current: Round | None, seen: list[rounds.Seen]
) -> list[tuple[datetime, SprintPlayer]]:
    """Who is in a sprint, each with the moment from which on who sends nothing is out. seen: the current round's.

    Who has not come to a rematch is out once its round starts; whose account is shut or gone, since the last sign.
    """
    moved = {row.runner.player: row.moved_at for row in seen}
    awaited = sprint.starts_at if current is None or current.number == 1 else None
    silences = []
    for member in sprint.members.filter(left_at=None).select_related("player").order_by("id"):
        heard_at = sprints.last_sign(member.heard_at, moved.get(member.player_id))
        moment = sprints.silent_from(heard_at, awaited) if member.player.is_active else heard_at
        if current and not member.has_come:
            moment = min(moment, current.race.opens_at)
        silences.append((moment, member))
    return silences


def _read_runners(current: Round | None) -> list[rounds.Seen]:
    return rounds.read_runners([current.pk])[current.pk] if current else []


def drop(sprint: Sprint, going: Sequence[tuple[datetime, SprintPlayer]]) -> None:
    """Let players be out of a sprint, each since a moment. Under its lock."""
    for moment, member in going:
        member.left_at, member.ready = moment, False
    SprintPlayer.objects.bulk_update([member for _moment, member in going], ["left_at", "ready"])
    since = {member.player_id: moment for moment, member in going}
    if sprint.host_id in since:
        heir = sprint.members.filter(left_at=None).order_by("joined_at", "id").first()
        if heir:
            sprint.host_id = heir.player_id
            sprint.save(update_fields=["host"])
    current = current_round(sprint)
    if current and not current.over_at:
        early = [player for player, moment in since.items() if moment <= current.race.opens_at]
        current.seats.filter(player__in=early).delete()
        _give_up(current, since)


def _give_up(current: Round, since: Mapping[int, datetime]) -> None:
    """Let players be out of a round that runs; not those whose attempt has ended by itself."""
    seats = list(current.seats.select_for_update(no_key=True).filter(player__in=since).order_by("id"))
    entered = Attempt.objects.filter(entries__race=current.race_id, player__in=since)
    # of who moves at this moment the attempt ends one way, and the other finds it ended
    playing = entered.select_for_update(no_key=True, of=("self",)).filter(ended_at=None, ends_at__gt=Now())
    given_up = dict(playing.order_by("pk").values_list("player", "pk"))
    Attempt.objects.filter(pk__in=given_up.values()).update(end=Attempt.RESIGNED, ended_at=Now())
    done = set(entered.values_list("player", flat=True)) - given_up.keys()
    out = [seat for seat in seats if seat.player_id not in done]
    for seat in out:
        seat.out_at = since[seat.player_id]
    Seat.objects.bulk_update(out, ["out_at"])
    progress.follow_these(list(given_up.values()))
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
        begin_round(sprint, 1, now + sprints.COUNTDOWN if late else sprint.starts_at)
    elif locked and ends:
        _end(sprint, now)
    return begins or ends


def _follow_round(sprint: Sprint, current: Round, runners: list[sprints.Runner], now: datetime, locked: bool) -> bool:
    race = current.race
    if now < race.opens_at:
        is_void = current.seats.count() < 2
        if is_void and locked:
            _call_off(sprint, current, now)
        return is_void
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


def begin_round(sprint: Sprint, number: int, opens_at: datetime) -> None:
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
    begin_round(sprint, current.number + 1, max(over + sprints.BREAK, earliest))


def _end(sprint: Sprint, moment: datetime) -> None:
    sprint.ended_at = moment
    sprint.save(update_fields=["ended_at"])


def current_round(sprint: Sprint) -> Round | None:
    """The round that runs or counts down, or the last that was over."""
    return sprint.rounds.select_related("race").order_by("-number").first()
