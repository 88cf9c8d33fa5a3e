"""What a moderator does to a result: hold it, release it, void it, restore it. The boards follow at once.

Each says whether it changed anything; doing it twice is doing it once.
"""

from typing import Any

from django.db import transaction
from django.db.models.functions import Now

from games.engine.rulesets import get_ruleset
from games.models import Attempt
from leaderboard import events, progress, seasons
from leaderboard.standings import forget_kept_pages, place_win, step_down

PUT_UP = "UPDATE games_attempt SET {change} WHERE id = %(id)s AND {was} RETURNING *"


def hold(*, attempt: Attempt, because: str) -> bool:
    """Let a win stand outside all ranks. because: a word of at most 16 characters, such as "pace"."""
    return _take_down(attempt, {"held": "", "end": Attempt.WON}, {"held": because})


def void(*, attempt: Attempt, because: str = "") -> bool:
    """Let an attempt count for nothing. because: "ban", or nothing."""
    return _take_down(attempt, {"voided_at": None}, {"voided_at": Now(), "voided_because": because})


def release(*, attempt: Attempt) -> bool:
    """Let a held win stand in the ranks."""
    return attempt.end == Attempt.WON and _put_up(attempt, "held = ''", "held <> ''")


def restore(*, attempt: Attempt) -> bool:
    """Let a void attempt count again; not a replay that its player has submitted once more, and that one counts."""
    counting = Attempt.objects.filter(player=attempt.player_id, deal=attempt.deal_id, voided_at=None)
    equal = counting.filter(clock=Attempt.CLIENT, digest=attempt.digest)
    if attempt.clock == Attempt.CLIENT and equal.exists():  # one that comes in this moment meets the constraint
        return False
    return _put_up(attempt, "voided_at = NULL, voided_because = ''", "voided_at IS NOT NULL")


def _take_down(attempt: Attempt, was: dict[str, Any], change: dict[str, Any]) -> bool:
    with transaction.atomic():
        forget_kept_pages()
        seasons.settle(attempt=attempt.pk)  # what was final before this stays so
        if not Attempt.objects.filter(pk=attempt.pk, **was).update(**change):
            return False
        step_down(attempt.pk, attempt.player_id)
        events.wake(*progress.follow(attempt.pk))
        return True


def _put_up(attempt: Attempt, change: str, was: str) -> bool:
    with transaction.atomic():
        forget_kept_pages()
        seasons.settle(attempt=attempt.pk)
        stored = Attempt.objects.select_for_update(no_key=True).get(pk=attempt.pk)
        if stored.official_ms is None:  # it stood on no board
            void_one = Attempt.objects.filter(pk=attempt.pk, voided_at__isnull=False)
            restored = void_one.update(voided_at=None, voided_because="")
            events.wake(*progress.follow(attempt.pk))
            return bool(restored)
        placed = place_win(
            PUT_UP.format(change=change, was=was),
            {"id": stored.pk},
            scoring=get_ruleset(stored.ruleset).scoring,
            official_ms=stored.official_ms,
            moves=stored.counted_moves,
            points=stored.points + (stored.bonus or 0),
        )
        events.wake(*progress.follow(stored.pk))
        return placed is not None
