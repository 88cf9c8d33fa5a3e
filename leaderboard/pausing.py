"""What stops and starts the clock of a practice attempt outside races. Each is one statement, and twice is once."""

from django.utils.translation import gettext_noop

from games.errors import Problem
from games.models import Player
from leaderboard import actions
from leaderboard.models import Entry

MINE = """id = %(id)s AND player_id = %(player)s AND clock = 'server' AND ended_at IS NULL
    AND ends_at > clock_timestamp()"""
PAUSE = f"""
UPDATE games_attempt SET paused_at = clock_timestamp()
WHERE {MINE} AND paused_at IS NULL AND NOT ranked
    AND NOT EXISTS (SELECT FROM leaderboard_entry e WHERE e.attempt_id = games_attempt.id)
"""
RESUME = f"""
UPDATE games_attempt SET paused_ms = {actions.PAUSED_BY.format(moment="clock_timestamp()")}, paused_at = NULL
WHERE {MINE} AND paused_at IS NOT NULL
"""


def pause(*, player: Player, attempt: int) -> None:
    """Stop the clock of an attempt; its `ends_at` stays.

    Raises Problem: 404 no such attempt of this player; 409 `attempt_ended` with the true state, `ranked`, `in_race`.
    """
    if actions.write_row(PAUSE, {"id": attempt, "player": player.pk}):
        return
    stored = actions.read_attempt(player, attempt)
    if stored.end:
        raise actions.ended(stored)
    if stored.ranked:
        raise Problem(409, "ranked", gettext_noop("The clock of a ranked attempt does not stop."))
    if Entry.objects.filter(attempt=attempt).exists():
        raise Problem(409, "in_race", gettext_noop("The clock of an attempt in a race does not stop."))


def resume(*, player: Player, attempt: int) -> None:
    """Let the clock run on, as a move does too. Raises Problem: 404, or 409 `attempt_ended` with the true state."""
    if actions.write_row(RESUME, {"id": attempt, "player": player.pk}):
        return
    stored = actions.read_attempt(player, attempt)
    if stored.end:
        raise actions.ended(stored)
