"""The computer opponent: whole games at a human pace, played from what is visible on the table.

Who plays in which strength:

- easy: whatever fits, by lot; one time in four a pair is overlooked while there is something to draw. Two redeals
  without a win are enough.
- medium: a play-out (see `playout`): spares what the tableau needs.
- strong: hints (see `hint`) until every card has been seen; then it knows the order of the stock, as anybody may who
  has drawn through it, rehearses the rest a few times in its head and plays the best rehearsal.

Nobody looks at a card before it was turned. The same deal, strength and seed give the same game, move by move.
"""

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from itertools import accumulate, count
from math import exp
from statistics import NormalDist
from typing import NamedTuple

from games.engine.deal import Deal
from games.engine.hint import hint
from games.engine.playout import Playout, Table, play_out
from games.engine.position import Position
from games.engine.view import View

REHEARSALS = 16
OVERLOOKED = 0.25
PATIENCE = 2  # redeals of the easy one
SPREAD = 0.45  # of the logarithm of a gap


class Pace(NamedTuple):
    """Medians in ms: the first look, a removal, a draw or redeal."""

    look: int
    removal: int
    turn: int


PACES = {
    "easy": Pace(6000, 3600, 1700),
    "medium": Pace(4500, 2500, 1150),
    "strong": Pace(3500, 1700, 750),
}
STRENGTHS = tuple(PACES)


@dataclass(frozen=True)
class OpponentGame:
    """A game of the computer's. times: ms since the start, one a token. won: else it has given up after the last."""

    tokens: tuple[str, ...]
    times: tuple[int, ...]
    won: bool


def opponent(deal: Deal, strength: str, seed: int = 0) -> OpponentGame:
    """The game that the computer plays on a deal in one of STRENGTHS; KeyError for another."""
    pace = PACES[strength]
    lots = _draw_lots(f"{seed} {strength} {deal.ruleset.letter} {deal.order}")
    tokens = _PLAYERS[strength](deal, lots)
    normal = NormalDist()
    medians = [pace.turn if token in ("D", "R") else pace.removal for token in tokens]
    medians[:1] = [pace.look + median for median in medians[:1]]
    gaps = (round(median * exp(SPREAD * normal.inv_cdf(next(lots)))) for median in medians)
    end = Position.start(deal)
    for token in tokens:
        end = end.play(token)
    return OpponentGame(tuple(tokens), tuple(accumulate(gaps)), end.is_won)


def _draw_lots(seed: str) -> Iterator[float]:
    """Numbers between 0 and 1, neither included, without end."""
    for block in count():
        for number in struct.unpack(">4Q", sha256(f"{seed} {block}".encode()).digest()):
            yield ((number >> 12) + 0.5) / (1 << 52)


def _draw_word(lots: Iterator[float]) -> int:
    return int(next(lots) * (1 << 52))


def _play_easy(deal: Deal, lots: Iterator[float]) -> list[str]:
    position, tokens, redeals = Position.start(deal), [], 0
    while not position.is_won:
        legal = position.legal_moves()
        removals = [move for move in legal if move not in ("D", "R")]
        if removals and not ("D" in legal and next(lots) < OVERLOOKED):
            move = removals[int(next(lots) * len(removals))]
        elif "D" in legal:
            move = "D"
        elif "R" in legal and redeals < PATIENCE:
            move, redeals = "R", redeals + 1
        else:
            break
        tokens.append(move)
        position = position.play(move)
    return tokens


def _play_medium(deal: Deal, lots: Iterator[float]) -> list[str]:
    return play_out(Table(deal), _draw_word(lots)).tokens


def _play_strong(deal: Deal, lots: Iterator[float]) -> list[str]:
    tokens, view = _play_hints(deal)
    position = view.position
    if position is None or position.is_won:
        return tokens
    table = Table(position)
    best: Playout | None = None
    for _rehearsal in range(REHEARSALS):
        played = play_out(table, _draw_word(lots))
        if best is None or played.left < best.left or played.won:
            best = played
        if best.won:
            break
    assert best is not None
    return tokens + best.tokens


def _play_hints(deal: Deal) -> tuple[list[str], View]:
    """Play by hints until every card has been seen, or the game is over."""
    tokens: list[str] = []
    while (view := View.of(deal, tokens)).unseen:
        found = hint(view)
        if found is None or found.move is None:
            break
        tokens.append(found.move)
    return tokens, view


_PLAYERS = {"easy": _play_easy, "medium": _play_medium, "strong": _play_strong}
