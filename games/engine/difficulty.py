"""How difficult a deal is for somebody who sees what lies open: games played by a fixed policy (playout.py).

The number is a hardness from 0 to 1000: 1000 less the mean worth of the play-outs. A game won is worth 1000 less one
for each move (at least 500), so that deals that every play-out wins differ by how long it takes; a lost one is worth
250 times the share of the tableau that it took off, so that deals that none wins differ by how far it gets. The label
comes from thresholds for each ruleset that split its winnable deals in thirds (thresholds.py, made by
`manage.py calibrate`). Nothing here says whether a deal can be won at all: that is the solver's business.
"""

from dataclasses import dataclass
from hashlib import sha256
from typing import Literal

from games.engine.deal import Deal
from games.engine.moves import TABLEAU_SIZE
from games.engine.playout import Table, play_out
from games.engine.thresholds import THRESHOLDS

PLAYOUTS = 300
WON, WON_LATE, LOST = 1000, 500, 250

Label = Literal["easy", "medium", "hard"]


@dataclass(frozen=True, slots=True)
class Difficulty:
    """label and number (0 is the easiest, 1000 the hardest); wins of so many playouts."""

    label: Label
    number: int
    wins: int
    playouts: int


def rate(deal: Deal) -> Difficulty:
    """The difficulty of a deal that can be won; always the same for the same order of cards and ruleset."""
    number, wins = measure(deal)
    easy, medium = THRESHOLDS[deal.ruleset.letter]
    label: Label = "easy" if number <= easy else "medium" if number <= medium else "hard"
    return Difficulty(label, number, wins, PLAYOUTS)


def measure(deal: Deal) -> tuple[int, int]:
    """(hardness, wins) of a deal's play-outs; rulesets that play alike measure the same."""
    table = Table(deal)
    wins = removed = worth = 0
    for k in range(PLAYOUTS):
        seed = int.from_bytes(sha256(f"{deal.order}{k}".encode("ascii")).digest()[:8], "big")
        playout = play_out(table, seed)
        if playout.won:
            wins += 1
            worth += max(WON - len(playout.tokens), WON_LATE)
        else:
            removed += TABLEAU_SIZE - playout.left
    return WON - round((worth + LOST * removed / TABLEAU_SIZE) / PLAYOUTS), wins
