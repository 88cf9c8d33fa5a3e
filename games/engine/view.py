"""Views: what a player can know of a deal, and nothing else. Source: rules.md, "End" (what *seen* means)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from games.engine.deal import Deal
from games.engine.fold import fold, get_position
from games.engine.moves import TABLEAU_SIZE
from games.engine.position import Position
from games.engine.rulesets import Ruleset


@dataclass(frozen=True)
class View:
    """A position as its player knows it: unseen cards are not in it, in no order and under no name.

    tableau, waste, reserve, pass_: as in a Position. stock: in drawing order, None for a card that was not seen yet.
    unseen: the cards that were not seen, which anybody can count; where they lie is unknown.
    """

    ruleset: Ruleset
    tableau: tuple[int | None, ...]
    stock: tuple[int | None, ...]
    waste: tuple[int, ...]
    reserve: tuple[tuple[int, ...], ...]
    pass_: int
    unseen: frozenset[int]

    @classmethod
    def of(cls, deal: Deal, tokens: Sequence[str]) -> Self:
        """The view after a whole replay, undo tokens included; MoveError for the first token that is refused."""
        end = fold(deal, list(tokens))
        position = get_position(deal, end)
        if end.at < len(tokens):
            refusal = position.find_refusal(tokens[end.at])
            assert refusal is not None
            raise refusal
        rest = deal.cards[TABLEAU_SIZE:]
        unseen = frozenset(rest[_count_seen(deal.ruleset, tokens, len(rest)) :])
        stock = tuple(None if card in unseen else card for card in position.stock)
        return cls(deal.ruleset, position.tableau, stock, position.waste, position.reserve, position.pass_, unseen)

    @property
    def position(self) -> Position | None:
        """The whole position, as soon as every card has been seen."""
        return None if self.unseen else self.some_position

    @property
    def some_position(self) -> Position:
        """One of the positions that look like this, the unseen cards in a fixed order.

        What may be played now is the same in all of them; what a draw would turn is not.
        """
        guesses = iter(sorted(self.unseen))
        stock = tuple(next(guesses) if card is None else card for card in self.stock)
        return Position(self.ruleset, self.tableau, stock, self.waste, self.reserve, self.pass_)


def _count_seen(ruleset: Ruleset, tokens: Sequence[str], rest: int) -> int:
    """How many of the cards outside the tableau, in the order of the deal, have been seen.

    The stock shrinks from its front alone, so the most that ever left it says it, with the open top one more. A
    redeal comes after the last card.
    """
    if ruleset.stock == "reserve" or "R" in tokens:
        return rest
    top = int(ruleset.stock == "open")
    gone = most = ruleset.start
    log: list[int] = []
    for token in tokens:
        if token == "U":
            gone = log.pop()
            continue
        log.append(gone)
        if token == "D" or "S" in token:
            gone += 1
            most = max(most, gone)
    return min(most + top, rest)
