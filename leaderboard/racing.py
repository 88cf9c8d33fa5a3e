"""What changes a race: making one, entering it, withdrawing a daily."""

import secrets
from datetime import datetime, timedelta
from hmac import compare_digest

from django.db import connection, transaction
from django.utils.translation import gettext_noop

from games.actions import store_deal
from games.engine import deal as engine
from games.engine import replay
from games.engine.rulesets import Ruleset
from games.errors import Problem
from games.models import Attempt, Deal, Player, read_deal
from leaderboard import actions, events, moderating, progress, races, sight
from leaderboard.clubs import find_membership
from leaderboard.models import Club, Entry, Race, Seat

LONGEST = timedelta(days=31)
FARTHEST = timedelta(days=366)
MOST_RACES = 20


def make_race(
    *,
    host: Player,
    name: str,
    deal: engine.Deal | Ruleset,
    opens_at: datetime | None,
    closes_at: datetime,
    invite_code: str = "",
    club: int | None = None,
) -> Race:
    """A race of a player's. deal: one that the host chose (who then plays for practice), or a ruleset: the server
    deals cards that nobody knows. opens_at: None for now. club: one of the host's, whose members alone may enter.

    Raises Problem: 400 for a window that may not be, 409 `too_many_races`, and `deal_in_race` for cards that the host
    knows from a race that is not over.
    """
    now = actions.read_clock()
    opens_at = opens_at or now
    check_window(now, opens_at, closes_at)
    # to who does not know the cards the answer must not tell that they are in a race
    order = deal.order if isinstance(deal, engine.Deal) else None
    if order and actions.has_seen(host, order) and sight.races_on([order], now).exists():
        raise Problem(409, "deal_in_race", gettext_noop("These cards are in a race that is not over."), "deal")
    with transaction.atomic():
        Player.objects.select_for_update(no_key=True).get(pk=host.pk)
        if Race.objects.filter(host=host, closes_at__gt=now).count() >= MOST_RACES:
            message = gettext_noop("You have %(most)s races that are not over: that is as many as can be.")
            raise Problem(409, "too_many_races", message, params={"most": MOST_RACES})
        membership = club and find_membership(host, club)
        return create_race(
            host=host,
            name=name,
            deal=deal,
            opens_at=opens_at,
            closes_at=closes_at,
            invite_code=invite_code,
            club=membership.club if membership else None,
        )


def create_race(
    *,
    host: Player | None,
    name: str,
    deal: engine.Deal | Ruleset,
    opens_at: datetime,
    closes_at: datetime,
    invite_code: str = "",
    club: Club | None = None,
    kind: str = Race.OPEN,
) -> Race:
    """Store a race whose window was checked; see `make_race`. Of two that make the sandbox at once there is one."""
    cards = deal if isinstance(deal, engine.Deal) else draw_deal(deal)
    fields = {
        "name": name,
        "host": host,
        "deal": store_hidden(cards),
        "ruleset": cards.ruleset.letter,
        "seed": cards.seed_letters,
        "chosen": isinstance(deal, engine.Deal),
        "invite_code": invite_code,
        "club": club,
        "closes_at": closes_at,
    }
    if kind == Race.SANDBOX:
        return Race.objects.get_or_create(kind=kind, opens_at=opens_at, defaults=fields)[0]
    return Race.objects.create(kind=kind, opens_at=opens_at, **fields)


def check_window(now: datetime, opens_at: datetime, closes_at: datetime) -> None:
    """Raises Problem (400) for a window that a race may not have."""
    if opens_at < now:
        raise Problem(400, "past", gettext_noop("A race cannot open in the past."), "opens_at")
    if opens_at > now + FARTHEST:
        message = gettext_noop("A race opens at most %(days)s days ahead.")
        raise Problem(400, "too_far", message, "opens_at", params={"days": FARTHEST.days})
    if closes_at <= opens_at:
        raise Problem(400, "window", gettext_noop("A race closes after it opens."), "closes_at")
    if closes_at - opens_at > LONGEST:
        message = gettext_noop("A race is open for at most %(days)s days.")
        raise Problem(400, "too_long", message, "closes_at", params={"days": LONGEST.days})


def draw_deal(ruleset: Ruleset) -> engine.Deal:
    """A deal by chance, of cards that nobody has been shown and no race has used."""
    while True:
        deal = engine.Deal.from_seed(ruleset.letter, secrets.randbelow(2**35))
        if not Deal.objects.filter(order=deal.order).exists():
            return deal


def store_hidden(deal: engine.Deal) -> Deal:
    """The stored deal of a race to come. Its seed is left out until somebody is shown the cards."""
    stored, _created = Deal.objects.get_or_create(ruleset=deal.ruleset.letter, order=deal.order)
    return stored


def enter(*, player: Player, race: int, invite_code: str = "") -> tuple[Entry, bool]:
    """The player's entry in a race, and whether it is new: the cards are disclosed and the time runs from here on.

    Again: the same entry. Who has been shown the cards before enters unranked.
    Raises Problem: 404, 403 `invite_code`, `club` or `not_in_sprint`; 409 `race_upcoming`, `race_closed`,
    `race_withdrawn`, and in a sprint `seen_before`.
    """
    with transaction.atomic():
        attempts = actions.lock_open_attempts(player)
        with connection.cursor() as cursor:  # a withdrawal waits for who is entering, and is seen by who enters after
            cursor.execute("SELECT FROM leaderboard_race WHERE id = %s FOR KEY SHARE", [race])
        found = Race.objects.select_related("deal", "host", "club").filter(pk=race).first()
        if found is None:
            raise no_such_race()
        if entry := found.entries.select_related("attempt__deal", "attempt__player").filter(player=player).first():
            entry.race = found
            return entry, False
        if found.invite_code and not compare_digest(found.invite_code.encode(), invite_code.encode()):
            raise Problem(403, "invite_code", gettext_noop("This is not the race's invite code."), "invite_code")
        if found.club and not found.club.memberships.filter(player=player).exists():
            raise Problem(403, "club", gettext_noop("This race is for the members of a club."))
        if found.kind == Race.SPRINT:
            _check_seat(player, found)
        because = _why_unranked(player, found)
        if because == Entry.SEEN_BEFORE and found.kind == Race.SPRINT:
            raise seen_before()
        open_one = actions.find_open(attempts.filter(deal=found.deal)) if because else None
        deal = store_deal(deal=read_deal(found.code))  # now its seed may be known
        attempt = open_one or actions.create_attempt(player, deal, ranked=not because, race=found)
        attempt.deal = deal
        starts_now = not open_one and found.kind != Race.SPRINT
        _check_phase(found, attempt.started_at if starts_now else actions.read_clock())
        entry = Entry(race=found, player=player, attempt=attempt, ranked=not because, unranked_because=because)
        entry.save(force_insert=True)
        progress.begin(entry.pk, pass_=_read_pass(attempt))
        return entry, True


def _check_seat(player: Player, race: Race) -> None:
    """Raises Problem for who may not play in a sprint's round; who leaves it waits until who enters has entered."""
    _check_phase(race, actions.read_clock())
    seat = Seat.objects.select_for_update(no_key=True, of=("self",)).filter(round__race=race, player=player).first()
    if seat is None or seat.out_at:
        raise Problem(403, "not_in_sprint", gettext_noop("You are not in this round of the sprint."))


def seen_before() -> Problem:
    return Problem(409, "seen_before", gettext_noop("You have been shown these cards before."), "deal")


def _read_pass(attempt: Attempt) -> int:
    """The pass that an attempt stands in; one that goes on in a race may have redealt before."""
    verdict = replay.verify(attempt.deal.cards, attempt.moves, attempt.times)
    assert isinstance(verdict, replay.Verdict), "a stored replay is legal"
    return verdict.pass_


def no_such_race() -> Problem:
    return Problem(404, "not_found", gettext_noop("There is no such race."))


def _why_unranked(player: Player, race: Race) -> str:
    if race.kind == Race.SANDBOX:  # its cards are known; only one attempt on them may be open
        is_playing = Attempt.objects.filter(player=player, deal=race.deal, ended_at=None).exists()
        return Entry.SEEN_BEFORE if is_playing else ""
    if race.chosen and race.host == player:
        return Entry.OWN_DEAL
    if player.guest:
        return Entry.GUEST
    return Entry.SEEN_BEFORE if actions.has_seen(player, race.deal.order) else ""


def _check_phase(race: Race, now: datetime) -> None:
    """Raises Problem (409) where a race cannot be entered at a moment."""
    if race.withdrawn_at:
        raise Problem(409, "race_withdrawn", gettext_noop("This race was withdrawn."))
    phase = race.phase_at(now)
    if phase == races.UPCOMING:
        raise Problem(409, "race_upcoming", gettext_noop("This race is not open yet."))
    if phase != races.OPEN:
        raise Problem(409, "race_closed", gettext_noop("This race is closed for entering."))


def withdraw_race(*, race: Race, because: str) -> None:
    """Withdraw a race, on the record: nobody enters any more, and a daily's day is free for another.

    What was ranked in it is void, and stays so when it is still being played. Again: what is not void yet becomes so.
    """
    with transaction.atomic():
        Race.objects.select_for_update().get(pk=race.pk)
        withdrawn = Race.objects.filter(pk=race.pk, withdrawn_at=None)
        withdrawn.update(withdrawn_at=actions.read_clock(), withdrawn_because=because)
        events.wake(race.pk)
    for entry in Entry.objects.select_related("attempt").filter(race=race, ranked=True, attempt__voided_at=None):
        moderating.void(attempt=entry.attempt)
