"""Sprints as functions of stored times and `now`: phases, when a round is over, who came where.

Pure: no clock, no database. Every moment is an aware datetime.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

COUNTDOWN = timedelta(seconds=10)
BREAK = timedelta(seconds=20)
"""From the end of a round to the start of the next, at least."""
LAST_MINUTES = timedelta(minutes=2)
"""From the first win to the end of a round."""
SILENCE = timedelta(minutes=2)
"""Who has sent nothing for so long is out."""
ROUND_LIFE = timedelta(hours=1)
"""A round that nobody wins, and somebody plays on, ends then."""

LOBBY, COUNTING, RUNNING, OVER = "lobby", "countdown", "running", "over"


def phase(now: datetime, opens_at: datetime | None, ended_at: datetime | None) -> str:
    """Where a sprint stands: "lobby", "countdown" (to its round's start), "running", "over".

    opens_at: when its last round starts, None before there is one. ended_at: when the last round was over.
    """
    if ended_at is not None:
        return OVER
    if opens_at is None:
        return LOBBY
    return COUNTING if now < opens_at else RUNNING


def last_sign(heard_at: datetime, moved_at: datetime | None) -> datetime:
    """When something last came from a player. moved_at: when the player's attempt last changed."""
    return max(heard_at, moved_at or heard_at)


def silent_from(last_sign: datetime, awaited_at: datetime | None) -> datetime:
    """When a player who sends nothing more is out.

    awaited_at: when the first round starts: nobody is out before, nor needs to be heard of earlier than two minutes
    before it.
    """
    return max(last_sign + SILENCE, awaited_at or last_sign)


class Runner(NamedTuple):
    """A player in a round. out_at: who left, or sent nothing, before the own attempt had ended.

    end, ended_at, official_ms, left: of the attempt; without one nothing has ended, and all 28 cards are left.
    counts: whether the result is neither held nor void.
    """

    player: int
    out_at: datetime | None = None
    end: str = ""
    ended_at: datetime | None = None
    official_ms: int | None = None
    left: int = 28
    counts: bool = True

    @property
    def done_at(self) -> datetime | None:
        return self.out_at or self.ended_at


def first_win(runners: Iterable[Runner]) -> datetime | None:
    """When a round was first won; a held or void win ends nothing."""
    wins = [runner.ended_at for runner in runners if runner.end == "won" and runner.counts and runner.ended_at]
    return min(wins, default=None)


def over_at(runners: Sequence[Runner], opens_at: datetime, closes_at: datetime) -> datetime:
    """When a round is over, as far as is known: once all are done, two minutes after the first win, or at its close."""
    won = first_win(runners)
    latest = min(closes_at, won + LAST_MINUTES) if won else closes_at
    done = [runner.done_at for runner in runners]
    if any(moment is None for moment in done):
        return latest
    return max(opens_at, min(latest, max((moment for moment in done if moment), default=opens_at)))


def rank_round(runners: Iterable[Runner], over: datetime) -> dict[int, int]:
    """The ranks (1, 2, 2, 4) by player: wins by time, then who did not win by cards left, then who left.

    over: a win after it is none. Held and void results have no rank.
    """
    keys = {runner.player: _key(runner, over) for runner in runners if runner.counts}
    return rank_keys(keys)


def has_won(runner: Runner, over: datetime) -> bool:
    """Whether a runner has won a round that was over at that moment."""
    in_time = runner.ended_at is not None and runner.ended_at <= over
    return runner.end == "won" and in_time and runner.out_at is None and runner.counts


def _key(runner: Runner, over: datetime) -> tuple[int, int]:
    if has_won(runner, over):
        return 0, runner.official_ms or 0
    return (2, 0) if runner.out_at else (1, runner.left)


def rank_keys(keys: Mapping[int, tuple[int, ...]]) -> dict[int, int]:
    """Ranks 1, 2, 2, 4 of what is sorted by a key, less is better."""
    ordered = sorted(keys.values())
    first = {key: place for place, key in reversed(list(enumerate(ordered, 1)))}
    return {name: first[key] for name, key in keys.items()}


class Score(NamedTuple):
    """What a player has of a sprint's rounds: those won, and the sum of the ranks (one after the last where none)."""

    won: int
    ranks: int


def add_up(rounds: Sequence[tuple[Sequence[Runner], datetime]]) -> dict[int, Score]:
    """The scores by player of the rounds that are over: of each its runners, and when it was over."""
    players = {runner.player for runners, _over in rounds for runner in runners}
    won, ranks = dict.fromkeys(players, 0), dict.fromkeys(players, 0)
    for runners, over in rounds:
        places = rank_round(runners, over)
        winners = {runner.player for runner in runners if has_won(runner, over)}
        for player in players:
            ranks[player] += places.get(player, len(runners) + 1)
            won[player] += player in winners and places[player] == 1
    return {player: Score(won[player], ranks[player]) for player in players}


def rank_all(scores: Mapping[int, Score]) -> dict[int, int]:
    """The ranks of a sprint: by rounds won, then by the sum of the ranks."""
    return rank_keys({player: (-score.won, score.ranks) for player, score in scores.items()})


def is_decided(scores: Mapping[int, Score], played: int, best_of: int) -> bool:
    """Whether no further round is played: somebody has won more than half of them, or all were played."""
    return played >= best_of or any(score.won > best_of // 2 for score in scores.values())
