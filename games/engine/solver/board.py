"""A position as bits: what pairs with what, what lies on what.

Bit i (0..27) is tableau cell i. The loose cards follow from bit 28 on: waste from the bottom and then the stock,
so that they lie in drawing order (the line), or the reserve column by column. The cells of the layout are the
tableau and the reserve; the cards left are one mask.
"""

from collections.abc import Iterable, Iterator

from games.engine.cards import VALUES, is_joker
from games.engine.moves import COVER_MASKS, FULL_TABLEAU, TABLEAU_SIZE, can_leave_alone, can_pair
from games.engine.position import Position
from games.engine.solver.ideas import ALL_IDEAS, Idea


def bits_of(mask: int) -> Iterator[int]:
    """The single bits of a mask, lowest first."""
    while mask:
        bit = mask & -mask
        mask ^= bit
        yield bit


def indices_of(mask: int) -> Iterator[int]:
    """The bit numbers of a mask, lowest first."""
    while mask:
        bit = mask & -mask
        mask ^= bit
        yield bit.bit_length() - 1


def mask_of(flags: Iterable[bool]) -> int:
    """The mask of the places where a flag is set."""
    return sum([1 << i for i, flag in enumerate(flags) if flag])


class Board:
    """What stays the same while one position is solved.

    values: by bit, -1 where there is no card. pairs: by bit, the cards that it pairs with by value. match: those
    it can ever leave together with. top: the first card of the stock, one past the line if there is none.
    weights: by bit, what the card adds to the key of the relaxed game (see relaxed.py).
    """

    def __init__(self, position: Position, ideas: frozenset[Idea] = ALL_IDEAS) -> None:
        ruleset = position.ruleset
        reserve = [card for column in position.reserve for card in column]
        cards: list[int | None] = [*position.tableau, *reserve, *position.waste, *position.stock]
        self.position = position
        self.ruleset = ruleset
        self.ideas = ideas
        self.size = len(cards)
        self.tableau = position.present
        loose = (1 << self.size) - 1 ^ FULL_TABLEAU
        self.line = 0 if reserve else loose
        self.cells = self.tableau | (loose ^ self.line)
        self.full = self.tableau | loose
        self.top = 1 << TABLEAU_SIZE + len(position.waste) if self.line else 1 << self.size
        self.open = ruleset.stock == "open"
        self.goal_all = ruleset.goal == "all"
        self.goal = self.full if self.goal_all else self.tableau
        self.redeals = None if ruleset.passes is None else ruleset.passes - position.pass_
        self.values = tuple(-1 if card is None else VALUES[card] for card in cards)
        self.alone = mask_of(card is not None and can_leave_alone(ruleset, card) for card in cards)
        self.jokers = mask_of(card is not None and is_joker(card) for card in cards)
        self.pairs = tuple(self._find_partners(cards, i) for i in range(self.size))
        self.covers = self._find_covers()
        self.under = tuple(mask_of(mask >> i & 1 == 1 for mask in self.covers) for i in range(self.size))
        self.match = self._find_matches()
        self.forced = self._find_forced()
        self.passing = self._find_passing()
        self.dropped = self._find_dropped()
        self.weights = tuple(self._weigh(i) for i in range(self.size))

    def is_exposed(self, cells: int, i: int) -> bool:
        """Whether the card of cell i plays when these cells are left."""
        return (cells & self.covers[i]).bit_count() <= (1 if self.ruleset.lenient and i < TABLEAU_SIZE else 0)

    def weigh(self, mask: int) -> int:
        """The key of the relaxed game for these cards."""
        loose = mask & ~FULL_TABLEAU
        if not loose:
            return mask
        return (mask ^ loose) + sum([self.weights[i] for i in indices_of(loose)])

    def _find_partners(self, cards: list[int | None], i: int) -> int:
        card = cards[i]
        if card is None:
            return 0
        return mask_of(
            other is not None and k != i and can_pair(self.ruleset, card, other) for k, other in enumerate(cards)
        )

    def _find_covers(self) -> tuple[int, ...]:
        """By bit, the cards that lie on it: rows of the tableau, columns of the reserve."""
        covers = [mask & self.full for mask in COVER_MASKS] + [0] * (self.size - TABLEAU_SIZE)
        first = TABLEAU_SIZE
        for column in self.position.reserve:
            end = first + len(column)
            for i in range(first, end):
                covers[i] = (1 << end) - (2 << i)
            first = end
        return tuple(covers)

    def _find_matches(self) -> tuple[int, ...]:
        """By bit, the cards it can ever leave together with.

        Of two cells one above the other the upper one leaves first; not so in lenient rules, and not for a card
        and its cover where there are cover pairs.
        """
        if self.ruleset.lenient:
            return self.pairs
        above = [0] * self.size
        for i in range(self.size - 1, -1, -1):
            for k in indices_of(self.covers[i]):
                above[i] |= 1 << k | above[k]
        if self.ruleset.cover_pairs:
            above = [mask & ~covers for mask, covers in zip(above, self.covers, strict=True)]
        never = [mask | mask_of(other >> i & 1 == 1 for other in above) for i, mask in enumerate(above)]
        return tuple(pairs & ~mask for pairs, mask in zip(self.pairs, never, strict=True))

    def _find_forced(self) -> int:
        """Cells whose cards leave alone as soon as they are exposed (SINGLES_AT_ONCE).

        Safe where no joker is about: the goal wants them gone, nothing else can take them along, it costs one
        move now as later, and a card less in the layout takes no move away.
        """
        if Idea.SINGLES_AT_ONCE not in self.ideas or self.jokers:
            return 0
        return self.alone & self.cells & self.goal

    def _find_passing(self) -> int:
        """Cards of an open stock that leave alone instead of being drawn (SINGLES_NOT_DRAWN).

        Safe where no joker is about: removing one from the stock top costs the move that drawing it costs, and
        gone it neither covers the waste nor has to be drawn again. In a closed stock it would be a move more.
        """
        if Idea.SINGLES_NOT_DRAWN not in self.ideas or self.jokers or not self.open:
            return 0
        return self.alone & self.line

    def _find_dropped(self) -> int:
        """Cards of the line that do not count when the question is whether, not how soon (SINGLES_DROPPED).

        Safe where no joker is about: they can leave as soon as they are met, which costs no time of the line, and
        gone they cover nothing.
        """
        if Idea.SINGLES_DROPPED not in self.ideas or self.jokers:
            return 0
        return self.alone & self.line

    def _weigh(self, i: int) -> int:
        if i < TABLEAU_SIZE:
            return 1 << i
        # Loose singles take part in the goal "all" only.
        if self.alone >> i & 1 and not self.goal_all:
            return 0
        return 1 << count_shift(self.values[i])


def count_shift(value: int) -> int:
    """Where the number of loose cards of a value stands in a key of the relaxed game: 3 bits."""
    return TABLEAU_SIZE + 3 * value
