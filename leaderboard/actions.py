"""What changes an attempt, and with it the boards: starting, moving, resigning."""

import secrets
from collections.abc import Sequence
from contextlib import nullcontext
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any, NamedTuple

from django.conf import settings
from django.db import connection, transaction
from django.db.models import F, QuerySet
from django.db.models.functions import Now
from django.utils.translation import gettext_noop

from games.actions import pick_pooled, store_deal
from games.engine import deal as engine
from games.engine.errors import MoveError
from games.engine.moves import canonical
from games.engine.replay import MAX_TIME_MS, RULES_VERSION, Refusal, Verdict, verify
from games.engine.rulesets import Ruleset
from games.engine.scoring import bonus
from games.errors import Problem
from games.models import Attempt, Deal, Player, read_deal, write_code
from leaderboard import events, progress
from leaderboard.models import Race
from leaderboard.races import ATTEMPT_LIFE, SAME_MOVES, end_of, held_reason
from leaderboard.standings import open_boards, place_win, read_places


def read_clock() -> datetime:
    """PostgreSQL's clock: the only one that stamps what counts."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        return cursor.fetchone()[0]


# Starting


def start_practice(*, player: Player, deal: engine.Deal) -> tuple[Attempt, bool]:
    """An attempt on a deal that the player chose, and whether it is new; the open one where there is one."""
    store_deal(deal=deal)  # its seed becomes known, whether an attempt is open or not
    with transaction.atomic():
        return _start_on(player, deal)


def start_ranked(*, player: Player, ruleset: Ruleset, difficulty: str | None = None) -> tuple[Attempt, bool]:
    """A ranked attempt on cards that the player has not been shown, and whether it is new.

    One outside races is open at a time in each ruleset: the same call returns it. With a difficulty the deal is a
    proven one of the pool; where the pool has none left that nobody has met, it is any deal (`Deal.pooled` says which).
    Raises Problem (403) for a guest.
    """
    if player.guest:
        raise Problem(403, "guest", gettext_noop("Guests play for practice: sign up to be ranked."))
    with transaction.atomic():
        attempts = lock_open_attempts(player).filter(ruleset=ruleset.letter, ranked=True)
        if attempt := find_open(attempts.exclude(entries__ranked=True)):
            return attempt, False
        if difficulty and (pooled := pick_pooled(ruleset=ruleset.letter, difficulty=difficulty)):
            return create_attempt(player, pooled, ranked=True), True
        return create_attempt(player, _deal_unseen(player, ruleset), ranked=True), True


def start_dealt(*, player: Player, ruleset: Ruleset, difficulty: str | None = None) -> Attempt:
    """A new practice attempt on cards that the server deals and the player has not been shown.

    With a difficulty from the pool, as in `start_ranked`; what others have played already is taken first.
    """
    with transaction.atomic():
        lock_open_attempts(player)
        if difficulty and (pooled := pick_pooled(ruleset=ruleset.letter, difficulty=difficulty, practice_of=player)):
            return create_attempt(player, pooled, ranked=False)
        return create_attempt(player, _deal_unseen(player, ruleset), ranked=False)


def _deal_unseen(player: Player, ruleset: Ruleset) -> Deal:
    while True:
        deal = engine.Deal.from_seed(ruleset.letter, secrets.randbelow(2**35))
        if not has_seen(player, deal.order):
            return store_deal(deal=deal)


def has_seen(player: Player, order: str) -> bool:
    """Whether a player has been shown cards in that order, under whatever name or ruleset."""
    return Attempt.objects.filter(player=player, deal__order=order).exists()


def lock_open_attempts(player: Player) -> QuerySet[Attempt]:
    """The player's open attempts, once nobody else starts one for the same player before the transaction's end."""
    Player.objects.select_for_update(no_key=True).get(pk=player.pk)
    attempts = Attempt.objects.select_related("deal").filter(player=player, ended_at=None)
    # their time was over at `ends_at` whether that is stored or not; here it makes room for a new one
    attempts.filter(ends_at__lte=Now()).update(end=Attempt.EXPIRED, ended_at=F("ends_at"))
    return attempts


def find_open(attempts: QuerySet[Attempt]) -> Attempt | None:
    """The open attempt to go on with. A void one is given up: what its player starts now is to count."""
    attempt = attempts.first()
    if attempt is None or attempt.voided_at is None:
        return attempt
    Attempt.objects.filter(pk=attempt.pk, ended_at=None).update(end=Attempt.RESIGNED, ended_at=Now())
    events.wake(*progress.follow(attempt.pk))
    return None


def _start_on(player: Player, deal: engine.Deal) -> tuple[Attempt, bool]:
    attempts = lock_open_attempts(player).filter(ruleset=deal.ruleset.letter, deal__order=deal.order)
    if attempt := find_open(attempts):
        return attempt, False
    return create_attempt(player, store_deal(deal=deal), ranked=False), True


def create_attempt(player: Player, deal: Deal, *, ranked: bool, race: Race | None = None) -> Attempt:
    """A new attempt, started now (in a sprint: when that did); its player must be locked. race: the one it is in."""
    open_boards(deal, Attempt.SERVER, race)
    now = read_clock()  # as late as can be: from here on the player's time runs
    is_sprint = race is not None and race.kind == Race.SPRINT
    started_at = race.opens_at if race and is_sprint else now  # one clock for all who are in it
    ends_at = now + ATTEMPT_LIFE
    if race:
        ends_at = race.closes_at if is_sprint else end_of(now, race.closes_at)
    return Attempt.objects.create(
        player=player,
        deal=deal,
        ruleset=deal.ruleset,
        ranked=ranked,
        sandbox=race is not None and race.kind == Race.SANDBOX,
        unaided=is_sprint,
        clock=Attempt.SERVER,
        started_at=started_at,
        ends_at=ends_at,
        rules=RULES_VERSION,
        left=28,
    )


# Moving


class Stored(NamedTuple):
    """An attempt as a move finds it, and the moment of PostgreSQL's clock at which the move was received.

    end: "expired" once `ends_at` is past, whether that is stored or not. race: whose ranked entry it is, if any's.
    paused_ms: how long its clock had stood by then.
    """

    id: int
    ruleset: str
    order: str
    seed: str | None
    started_at: datetime
    end: str
    moves: str
    times: list[int]
    plies: int
    official_ms: int | None
    bonus: int | None
    held: str
    ranked: bool
    sandbox: bool
    unaided: bool
    race: int | None
    paused_ms: int
    now: datetime
    places: list[dict[str, Any]] = []
    """Where a win stands (`standings.read_places`), right after it was written."""

    @property
    def deal(self) -> engine.Deal:
        return read_deal(write_code(self.ruleset, self.order, self.seed))

    @property
    def elapsed_ms(self) -> int:
        return max(0, (self.now - self.started_at) // timedelta(milliseconds=1) - self.paused_ms)


class Played(NamedTuple):
    """What a move comes back with: the attempt as it is stored now and the verdict of its whole replay."""

    stored: Stored
    verdict: Verdict


# how long the clock has stood by a moment: what is stored, and the pause that lasts
PAUSED_BY = "paused_ms + coalesce(greatest(0, trunc(extract(epoch FROM {moment} - paused_at) * 1000)), 0)::int"

READ_ATTEMPT = f"""
SELECT a.id, a.ruleset, d."order", d.seed, a.started_at,
    CASE WHEN a."end" = '' AND a.ends_at <= now THEN 'expired' ELSE a."end" END,
    a.moves, a.times, a.plies, a.official_ms, a.bonus, a.held, a.ranked, a.sandbox,
    a.unaided, e.race_id,
    {PAUSED_BY.format(moment="now")}, now
FROM games_attempt a JOIN games_deal d ON d.id = a.deal_id
LEFT JOIN leaderboard_entry e ON e.attempt_id = a.id AND e.ranked, LATERAL clock_timestamp() now
WHERE a.id = %s AND a.player_id = %s AND a.clock = 'server'
"""

# A move lets the clock run again, but a pause that came after the move was received stands. A win's pause is the one
# that its official time leaves out
WRITE_MOVES = f"""
UPDATE games_attempt
SET moves = %(moves)s, times = %(times)s::int[], plies = %(plies)s, counted_moves = %(counted)s, points = %(points)s,
    "left" = %(left)s, "end" = %(end)s, ended_at = %(ended_at)s, official_ms = %(official_ms)s, bonus = %(bonus)s,
    held = %(held)s, digest = %(digest)s,
    paused_ms = CASE WHEN %(won)s THEN %(paused_ms)s ELSE {PAUSED_BY.format(moment="%(now)s")} END,
    paused_at = CASE WHEN NOT %(won)s AND paused_at > %(now)s THEN paused_at END
WHERE id = %(id)s AND plies = %(before)s AND ended_at IS NULL
RETURNING *
"""
# a move that wins no place on a board
WRITE_AND_SHOW = f"""
WITH written AS ({WRITE_MOVES}), shown AS ({progress.FOLLOW.format(attempt="written")})
SELECT FROM written
"""


def play_moves(*, player: Player, attempt: int, from_ply: int, moves: str, times: Sequence[object] | None) -> Played:
    """Append tokens to an attempt from ply `from_ply` (0: the start) on; all of them or none.

    times: milliseconds since the start, one a token; without them the server stamps its own. Tokens that are
    stored already and equal are not applied twice, so that a call may be repeated.
    Raises Problem: 404 no such attempt of this player, 409 `ply_mismatch` and `attempt_ended` with the true
    state, 422 with the first bad token.
    """
    sent = moves.split(" ") if moves else []
    stored = read_attempt(player, attempt)
    while True:
        overlap = stored.moves.split(" ")[from_ply:] if stored.moves else []
        if from_ply > stored.plies or not all(map(_is_same, sent, overlap)):
            raise _mismatch(stored)
        is_new = len(sent) > len(overlap)
        if is_new and stored.end in (Attempt.RESIGNED, Attempt.EXPIRED):
            raise ended(stored)
        verdict, new_times = _judge(stored, from_ply, moves, times)
        if not is_new:
            return Played(stored._replace(places=read_places(stored.id)), _verdict_of(stored))
        if written := _write_moves(stored, verdict, _keep_times(stored.times, new_times)):
            return Played(written, verdict if from_ply == stored.plies else _verdict_of(written))
        # another call wrote first: look again at what is stored; this call was received when it was
        stored = read_attempt(player, attempt)._replace(now=stored.now, paused_ms=stored.paused_ms)


def read_attempt(player: Player, attempt: int) -> Stored:
    with connection.cursor() as cursor:
        cursor.execute(READ_ATTEMPT, [attempt, player.pk])
        row = cursor.fetchone()
    if row is None:
        raise Problem(404, "not_found", gettext_noop("You have no such attempt."))
    return Stored(*row)


def _judge(stored: Stored, from_ply: int, moves: str, times: Sequence[object] | None) -> tuple[Verdict, list[int]]:
    """The verdict of the stored replay up to `from_ply` followed by `moves`, and the times of that replay."""
    kept = stored.moves.split(" ")[:from_ply] if from_ply else []
    text = " ".join([*kept, moves] if moves else kept)
    before = stored.times[:from_ply]
    if times is None:
        now = min(max(stored.elapsed_ms, *before[-1:], 0), MAX_TIME_MS)
        times = [now] * (moves.count(" ") + 1 if moves else 0)
    verdict = verify(stored.deal, text, [*before, *times])
    if isinstance(verdict, Refusal):
        raise refuse(verdict)
    return verdict, [*before, *times]  # type: ignore[list-item]


def refuse(refusal: Refusal) -> Problem:
    """A refused replay as an error: 422, the fields of the verdict beside the error's own."""
    fields = {"legal": False, "at": refusal.at, "token": refusal.token, "reason": refusal.reason}
    where = "times" if refusal.reason == "times" else "moves" if refusal.token is not None else None
    return Problem(422, refusal.reason, refusal.message, where, params=refusal.params, extra=fields)


def _is_same(sent: str, stored: str) -> bool:
    """Whether a token as sent is the stored one, in either order of its cards."""
    try:
        return sent == stored or canonical(sent) == stored
    except MoveError:
        return False


def _keep_times(stored: list[int], times: list[int]) -> list[int]:
    """The times to store: those stored already stay as they are, and none after them is earlier."""
    last, new = stored[-1] if stored else 0, times[len(stored) :]
    if new and new[0] < last:
        new = [max(time, last) for time in new]
    return [*stored, *new]


def _verdict_of(stored: Stored) -> Verdict:
    verdict = verify(stored.deal, stored.moves, stored.times)
    assert isinstance(verdict, Verdict), "a stored replay is legal"
    return verdict


def _write_moves(stored: Stored, verdict: Verdict, times: list[int]) -> Stored | None:
    """The attempt as it stands after the write, or None where it had changed since it was read."""
    after = stored._replace(moves=verdict.text, times=times, plies=verdict.plies)
    params = after._asdict() | {
        "times": write_array(times),
        "before": stored.plies,
        "counted": verdict.moves,
        "points": verdict.points,
        "left": verdict.left,
        "won": verdict.outcome == "won",
        "pass": verdict.position.pass_,
        "ended_at": None,
        "digest": None,
    }
    if params["won"]:
        return _write_win(after, verdict, params)
    return after if write_row(WRITE_AND_SHOW, params) else None


def _write_win(after: Stored, verdict: Verdict, params: dict[str, Any]) -> Stored | None:
    ruleset, official_ms = verdict.position.ruleset, after.elapsed_ms
    after = after._replace(end=Attempt.WON, official_ms=official_ms, bonus=bonus(ruleset, official_ms))
    digest = sha256(after.moves.encode()).digest()
    with transaction.atomic() if after.race else nullcontext():
        if (after.ranked and not after.sandbox) or after.unaided:
            after = after._replace(held=_hold(after, verdict.moves, digest))
        params |= after._asdict() | {"times": params["times"], "ended_at": after.now, "digest": digest}
        if after.race:
            events.wake(after.race)
        if after.held:
            return after if write_row(WRITE_AND_SHOW, params) else None
        places = place_win(
            WRITE_MOVES,
            params,
            scoring=ruleset.scoring,
            official_ms=official_ms,
            moves=verdict.moves,
            points=verdict.points + (after.bonus or 0),
            attempt=after.id,
        )
    return None if places is None else after._replace(places=places)


def write_row(statement: str, params: dict[str, Any]) -> bool:
    """Whether a statement wrote its one row."""
    with connection.cursor() as cursor:
        cursor.execute(statement, params)
        return cursor.rowcount == 1


# who sends the same moves at the same moment waits here, so that one of the two is the earlier
LOCK_MOVES = "SELECT pg_advisory_xact_lock(hashtextextended(%s, %s))"
FIND_MOVES = """
SELECT FROM games_attempt a JOIN leaderboard_entry e ON e.attempt_id = a.id AND e.race_id = %s
WHERE a.deal_id = (SELECT deal_id FROM games_attempt WHERE id = %s) AND a.clock = 'server' AND a.digest = %s LIMIT 1
"""


def _hold(win: Stored, moves: int, digest: bytes) -> str:
    """Why a win that is ranked or in a sprint is held, "" where it is not. In a race: inside its transaction."""
    assert win.official_ms is not None
    floor = settings.HUMAN_FLOORS.get(win.ruleset, settings.HUMAN_FLOORS["*"])
    held = held_reason(win.official_ms, moves, floor)
    if held or win.race is None:
        return held
    with connection.cursor() as cursor:
        cursor.execute(LOCK_MOVES, [digest.hex(), win.race])
        cursor.execute(FIND_MOVES, [win.race, win.id, digest])
        return SAME_MOVES if cursor.fetchone() is not None else held


def write_array(numbers: list[int]) -> str:
    """Whole numbers as PostgreSQL reads an array; psycopg would look at each one's type."""
    return f"{{{str(numbers)[1:-1]}}}"


def _state(stored: Stored) -> dict[str, Any]:
    return {"state": {"ply": stored.plies, "moves": stored.moves, "end": stored.end or None}}


def _mismatch(stored: Stored) -> Problem:
    message = gettext_noop("The attempt stands at ply %(plies)s with other moves than yours.")
    return Problem(409, "ply_mismatch", message, "from_ply", params={"plies": stored.plies}, extra=_state(stored))


def ended(stored: Stored) -> Problem:
    return Problem(409, "attempt_ended", gettext_noop("This attempt has ended."), extra=_state(stored))


def resign(*, player: Player, attempt: int) -> None:
    """End an open attempt. Resigning twice is resigning once; Problem 404, or 409 for one that ended otherwise."""
    mine = Attempt.objects.filter(pk=attempt, player=player, clock=Attempt.SERVER)
    with transaction.atomic():
        if mine.filter(ended_at=None, ends_at__gt=Now()).update(end=Attempt.RESIGNED, ended_at=Now()):
            events.wake(*progress.follow(attempt))
            return
    stored = read_attempt(player, attempt)
    if stored.end != Attempt.RESIGNED:
        raise ended(stored)
