"""The drawn examples of the rules: where cards lie on a table of a ruleset, and what can be played there.

Lengths are those of the cards' own drawings: a card is 100 wide and 140 high.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Literal

from django.utils.translation import gettext as _

from games.engine.cards import RANKS, SUITS, is_joker, write_card
from games.engine.deal import Deal
from games.engine.moves import ROWS, TABLEAU_CELLS, read_token
from games.engine.position import Position
from games.engine.rulesets import Ruleset
from games.words import WORDS

WIDTH, HEIGHT, STEP, COLUMN = 100, 140, 72, 107
RESERVE_STEP = 48
PILES = 6 * STEP + HEIGHT + 24  # where the piles begin, from the top
LINE = 46  # of the words below the piles
EDGE = 6  # for the rings around cards
FIRST_SEED = 18  # PY1-N-AAAAAAS is the deal of the documentation

Look = Literal["free", "covered", "pair", "alone", "back", "place"]


@dataclass(frozen=True)
class Drawn:
    """A card at a place; without a card the back of one, or the outline of an empty pile."""

    card: str
    x: float
    y: float
    look: Look

    @property
    def joker(self) -> bool:
        return self.card[0] == "X"

    @property
    def rank(self) -> str:
        """What stands in the corner, in the reader's language: "T" is 10."""
        return write_rank(self.card[0])

    @property
    def name(self) -> str:
        """The rank as it is read out, without the suit."""
        if not self.card:
            return _("any card")
        return _(WORDS[self.card[0]]) if self.card[0] in "AJQKX" else self.rank

    @property
    def suit(self) -> str:
        return self.card[1]

    @property
    def court(self) -> str:
        """The letter of a jack, queen or king; empty for all others."""
        return self.card[0] if self.card[0] in "JQK" else ""

    @property
    def colour(self) -> str:
        return "red" if self.suit in "dh" else "black"


@dataclass(frozen=True)
class Word:
    """The name of a pile. anchor: the end of the text that lies at x."""

    text: str
    x: float
    y: float
    anchor: Literal["start", "end"]


@dataclass(frozen=True)
class Figure:
    """Cards from the lowest to the one on top, and words."""

    width: float
    height: float
    cards: list[Drawn]
    words: list[Word] = field(default_factory=list)

    @property
    def name(self) -> str:
        """Its cards as they are read out."""
        return " + ".join(card.name for card in self.cards)

    @property
    def box(self) -> str:
        """The viewBox of an SVG that holds it."""
        return f"{-EDGE} {-EDGE} {self.width + 2 * EDGE} {self.height + 2 * EDGE}"


@dataclass(frozen=True)
class Opening:
    """A deal whose foot holds a pair that leaves together and a card that leaves alone: cells of the tableau."""

    position: Position
    pair: tuple[str, str]
    alone: str

    def card(self, cell: str) -> str:
        """The text of a cell's card."""
        card = self.position.tableau[TABLEAU_CELLS.index(cell)]
        assert card is not None
        return write_card(card)


@cache
def find_opening(letter: str) -> Opening:
    """The first deal from PY1-?-AAAAAAS on that shows both."""
    seed = FIRST_SEED
    while True:
        position = Position.start(Deal.from_seed(letter, seed))
        moves = [read_token(token) for token in position.legal_moves() if token[0] == "g"]
        alone = [move[0] for move in moves if len(move) == 1]
        pairs = [move for move in moves if len(move) == 2 and _is_plain(position, move)]
        if alone and pairs:
            return Opening(position, (pairs[0][0], pairs[0][1]), alone[0])
        seed += 1


def _is_plain(position: Position, cells: tuple[str, ...]) -> bool:
    """Whether these are two cards of the tableau, neither a joker."""
    cards = [position.tableau[TABLEAU_CELLS.index(cell)] for cell in cells if cell in TABLEAU_CELLS]
    return len(cards) == 2 and not any(card is None or is_joker(card) for card in cards)


def draw_pyramid(letter: str) -> Figure:
    """The pyramid of a ruleset's opening, with a pair and a single card marked."""
    opening = find_opening(letter)
    marks: dict[str, Look] = {opening.pair[0]: "pair", opening.pair[1]: "pair", opening.alone: "alone"}
    cards = []
    for cell in TABLEAU_CELLS:
        row, column = ROWS.index(cell[0]), int(cell[1]) - 1
        look = marks.get(cell, "covered" if row < 6 else "free")
        cards.append(Drawn(opening.card(cell), (column + 3 - row / 2) * COLUMN, row * STEP, look))
    return Figure(6 * COLUMN + WIDTH, 6 * STEP + HEIGHT, cards)


def draw_table(ruleset: Ruleset) -> Figure:
    """The whole table before the first move, with a pair and a single card marked."""
    position = find_opening(ruleset.letter).position
    reserve = ruleset.stock == "reserve"
    columns, deep = (9, HEIGHT + 2 * RESERVE_STEP) if reserve else (7, HEIGHT)
    right = (columns - 1) * COLUMN
    aside = (columns - 7) / 2 * COLUMN
    cards = [replace(card, x=card.x + aside) for card in draw_pyramid(ruleset.letter).cards]
    cards += _draw_reserve(position) if reserve else _draw_stock(position)
    cards.append(Drawn("", right, PILES + deep - HEIGHT, "place"))
    line = PILES + deep + LINE - 6
    words = [
        Word(_("Foundation"), right + WIDTH, line, "end"),
        Word(_("Reserve") if reserve else _("Stock"), 0, line, "start"),
    ]
    if not reserve:
        words.append(Word(_("Waste"), COLUMN, line, "start"))
    return Figure(right + WIDTH, PILES + deep + LINE, cards, words)


def _draw_stock(position: Position) -> Iterator[Drawn]:
    yield Drawn("", 0, PILES, "back")
    if position.ruleset.stock == "open":
        yield Drawn(write_card(position.stock[0]), 0, PILES, "free")
    if position.waste:
        yield Drawn(write_card(position.waste[-1]), COLUMN, PILES, "free")
    else:
        yield Drawn("", COLUMN, PILES, "place")


def _draw_reserve(position: Position) -> Iterator[Drawn]:
    for k, column in enumerate(position.reserve):
        for i, card in enumerate(column):
            look: Look = "free" if card == column[-1] else "covered"
            yield Drawn(write_card(card), k * COLUMN, PILES + i * RESERVE_STEP, look)


def list_covering(ruleset: Ruleset) -> tuple[str, str]:
    """Two cards that make the sum, the first under the second, for the example of covered cards."""
    return "8d", f"{RANKS[ruleset.target - 8 - 1]}s"


def draw_covering(ruleset: Ruleset) -> Figure:
    """Three rows, two cards of the lowest gone: what is free, and what one card or two still cover."""
    under, over = list_covering(ruleset)
    width = 2 * COLUMN + WIDTH
    half: Look = "free" if ruleset.lenient else "pair" if ruleset.cover_pairs else "covered"
    cards = [
        Drawn("", 0, 2 * STEP, "place"),
        Drawn("", COLUMN, 2 * STEP, "place"),
        Drawn("9h", COLUMN, 0, "covered"),
        Drawn("4c", COLUMN / 2, STEP, "free"),
        Drawn(under, 1.5 * COLUMN, STEP, half),
        Drawn(over, 2 * COLUMN, 2 * STEP, "pair" if ruleset.cover_pairs else "free"),
    ]
    return Figure(width, 2 * STEP + HEIGHT, cards)


def draw_removals(ruleset: Ruleset) -> list[Figure]:
    """What leaves together, and what alone; the suits take turns, for they do not matter."""
    figures = [
        _draw_row((f"{high}{SUITS[turn % 4]}", "free"), (f"{low}{SUITS[(turn + 1) % 4]}", "free"))
        for turn, (high, low) in enumerate(list_pairs(ruleset))
    ]
    if ruleset.jokers:
        figures.append(_draw_row(("X1", "free"), ("", "place")))
    return figures + [
        _draw_row((f"{rank}{SUITS[turn % 4]}", "alone")) for turn, rank in enumerate(list_singles(ruleset))
    ]


def _draw_row(*cards: tuple[str, Look]) -> Figure:
    drawn = [Drawn(card, k * COLUMN, 0, look) for k, (card, look) in enumerate(cards)]
    return Figure((len(cards) - 1) * COLUMN + WIDTH, HEIGHT, drawn)


def list_pairs(ruleset: Ruleset) -> list[tuple[str, str]]:
    """The ranks that leave together ("T" is 10), the high one first; without jokers."""
    values = dict(zip(RANKS, range(1, 14), strict=True))
    return [
        (high, low)
        for high, value in reversed(values.items())
        for low, other in values.items()
        if value + other == ruleset.target and value >= other
    ]


def list_singles(ruleset: Ruleset) -> list[str]:
    """The ranks that leave alone."""
    return [rank for value, rank in enumerate(RANKS, 1) if value >= ruleset.target]


def write_rank(rank: str) -> str:
    """What a card's corner shows in the reader's language: "T" is 10."""
    return "10" if rank == "T" else _(WORDS[f"letter_{rank}"]) if rank in "JQK" else rank
