"""A player who removes whatever comes, for comparison with the play-outs: slow, and nothing shared with them."""

import random

from games.engine.deal import Deal
from games.engine.position import Position


def play_carelessly(deal: Deal, rng: random.Random) -> bool:
    """Any removal there is, else a draw, else a redeal as long as passes bring something; whether it wins."""
    position = Position.start(deal)
    moved = False
    while True:
        moves = position.legal_moves()
        removals = [move for move in moves if move not in ("D", "R")]
        if removals:
            position, moved = position.play(rng.choice(removals)), True
        elif moves == ("D",):
            position = position.play("D")
        elif moves == ("R",) and moved:
            position, moved = position.play("R"), False
        else:
            return position.is_won
