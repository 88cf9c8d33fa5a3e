"""Random games ply by ply, undos included, for tests of what players know."""

import random
from collections import deque
from collections.abc import Iterator

from games.engine.deal import Deal
from games.engine.position import Position
from games.engine.view import View


def random_deal(rng: random.Random, letter: str) -> Deal:
    return Deal.from_seed(letter, rng.getrandbits(35))


def walk(rng: random.Random, deal: Deal, plies: int) -> Iterator[tuple[list[str], Position, set[int]]]:
    """(tokens so far, position, cards seen outside the tableau) at every ply; removals come often, undos in runs."""
    position = Position.start(deal)
    log: deque[Position] = deque(maxlen=deal.ruleset.undo)
    tokens: list[str] = []
    seen = look(position)
    undoing = 0
    yield tokens, position, seen
    for _ in range(plies):
        moves = position.legal_moves()
        if position.is_won or (not moves and not log):
            return
        if log and (undoing or not moves or rng.random() < 0.1):
            undoing = undoing - 1 if undoing else rng.randrange(12)
            token, position = "U", log.pop()
        else:
            undoing = 0
            removals = [move for move in moves if move not in ("D", "R")]
            token = rng.choice(removals if removals and rng.random() < 0.6 else moves)
            log.append(position)
            position = position.play(token)
        tokens.append(token)
        seen |= look(position)
        yield tokens, position, seen


def look(position: Position) -> set[int]:
    """The cards outside the tableau that a player sees in one position."""
    seen = {card for column in position.reserve for card in column} | set(position.waste[-1:])
    return seen | set(position.stock[:1]) if position.ruleset.stock == "open" else seen


def shuffle_unseen(rng: random.Random, deal: Deal, view: View) -> Deal:
    """A deal that looks the same: the unseen cards change places among themselves."""
    unseen = sorted(view.unseen)
    rng.shuffle(unseen)
    cards = iter(unseen)
    order = [next(cards) if card in view.unseen else card for card in deal.cards]
    return Deal.from_cards(deal.ruleset.letter, order)
