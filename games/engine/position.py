"""Positions: what lies where, what may be played and why not. Source: rules.md, formats.md."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Self

from games.engine.cards import CARD_TEXTS, DECK_SIZE, VALUES, is_joker, read_card
from games.engine.deal import Deal
from games.engine.errors import CardError, MoveError, PositionError, gettext_noop
from games.engine.moves import (
    CELL_INDEX,
    CELLS,
    COLUMN_INDEX,
    RESERVE_CELLS,
    ROWS,
    TABLEAU_BITS,
    TABLEAU_CELLS,
    TABLEAU_SIZE,
    can_leave_alone,
    can_pair,
    is_cover_pair,
    is_exposed,
    read_token,
    write_token,
)
from games.engine.rulesets import RULESETS, Ruleset

COLUMN_SIZE = 3
RESERVE_COLUMNS = len(RESERVE_CELLS)

_PASS = re.compile("[1-9][0-9]{0,8}")
_SENTENCES = {
    "no_such_cell": gettext_noop("There is no %(place)s in this layout."),
    "same_card": gettext_noop("A card cannot pair with itself."),
    "after_end": gettext_noop("The game is won; nothing can follow."),
    "stock_empty": gettext_noop("The stock is empty."),
    "stock_not_empty": gettext_noop("The stock still has cards."),
    "no_redeal_left": gettext_noop("No redeal is left."),
    "waste_empty": gettext_noop("The waste is empty."),
    "nothing_to_undo": gettext_noop("There is nothing to undo."),
    "not_open": gettext_noop("No card can be played from the stock here."),
    "gone": gettext_noop("%(place)s is gone."),
    "covered": gettext_noop("%(place)s is covered."),
    "sum": gettext_noop("%(first)s and %(second)s make %(sum)s; the sum must be %(target)s."),
    "not_single": gettext_noop("%(value)s is less than %(target)s; it cannot leave alone."),
}
_EMPTY_COLUMN = gettext_noop("Column %(place)s is empty.")
_LONE_JOKER = gettext_noop("A joker cannot leave alone.")


@dataclass(frozen=True, slots=True)
class Position:
    """One state of the board, without history.

    tableau: 28 cards in layout order, None for a gone one. stock: in drawing order, the next one first.
    waste: bottom to top. reserve: eight columns, bottom to top (no columns at all where the ruleset has no
    reserve). pass_: from 1.
    """

    ruleset: Ruleset
    tableau: tuple[int | None, ...]
    stock: tuple[int, ...]
    waste: tuple[int, ...]
    reserve: tuple[tuple[int, ...], ...]
    pass_: int
    present: int = field(default=-1, compare=False, repr=False)
    """The tableau cards left as a mask, bit 0 the apex; worked out where it is not given."""

    def __post_init__(self) -> None:
        if self.present < 0:
            cards = zip(TABLEAU_BITS, self.tableau, strict=True)
            object.__setattr__(self, "present", sum([bit for bit, card in cards if card is not None]))

    def __hash__(self) -> int:
        return hash((self.tableau, self.stock, self.waste, self.reserve, self.pass_))

    @classmethod
    def start(cls, deal: Deal) -> Self:
        """The position before the first move of a deal."""
        ruleset = deal.ruleset
        rest = deal.cards[TABLEAU_SIZE:]
        if ruleset.stock == "reserve":
            columns = tuple(rest[k::RESERVE_COLUMNS] for k in range(RESERVE_COLUMNS))
            return cls(ruleset, deal.cards[:TABLEAU_SIZE], (), (), columns, 1)
        turned = ruleset.start
        return cls(ruleset, deal.cards[:TABLEAU_SIZE], rest[turned:], rest[:turned], (), 1)

    @classmethod
    def read(cls, text: str) -> Self:
        """Read what `text` writes: LETTER TABLEAU STOCK WASTE PASS. PositionError says what is wrong.

        Any subset of the deck may lie in any places, up to the size of the layout.
        """
        fields = text.split(" ")
        if len(fields) != 5:
            raise _error("fields", gettext_noop("A position has five fields with one space between them."))
        letter, tableau, stock, waste, number = fields
        ruleset = RULESETS.get(letter)
        if ruleset is None:
            raise _error("ruleset", gettext_noop("There is no ruleset %(letter)s."), letter=letter)
        reserve: tuple[tuple[int, ...], ...] = ()
        if ruleset.stock == "reserve":
            reserve, stock = _read_reserve(stock), "-"
        position = cls(
            ruleset,
            _read_tableau(tableau),
            _read_run(stock),
            _read_run(waste),
            reserve,
            _read_pass(number, ruleset),
        )
        position._check_deck()
        return position

    @property
    def text(self) -> str:
        """The position as text that `read` reads back: LETTER TABLEAU STOCK WASTE PASS."""
        cards = ["--" if card is None else CARD_TEXTS[card] for card in self.tableau]
        rows = ["".join(cards[r * (r + 1) // 2 : (r + 1) * (r + 2) // 2]) for r in range(len(ROWS))]
        stock = "/".join(map(_write_run, self.reserve)) if self.reserve else _write_run(self.stock)
        return f"{self.ruleset.letter} {'/'.join(rows)} {stock} {_write_run(self.waste)} {self.pass_}"

    def __str__(self) -> str:
        return self.text

    @property
    def left(self) -> int:
        """Tableau cards left."""
        return self.present.bit_count()

    @property
    def removed(self) -> int:
        """Tableau cells without a card."""
        return TABLEAU_SIZE - self.left

    @property
    def left_all(self) -> int:
        """Cards left anywhere."""
        return self.left + len(self.stock) + len(self.waste) + sum(map(len, self.reserve))

    @property
    def exposed(self) -> tuple[str, ...]:
        """The tableau cells whose cards play, from the apex on."""
        return tuple(cell for cell in TABLEAU_CELLS if self._plays(cell))

    @property
    def is_won(self) -> bool:
        """Whether the goal is met."""
        return not self.present and (self.ruleset.goal == "tableau" or not self.left_all)

    @property
    def is_dead_end(self) -> bool:
        """Whether there is no legal move, in a position that is not won."""
        if self.is_won or self.stock or self._redeal_refusal() is None:
            return False
        return next(self._removals(), None) is None

    def legal_moves(self) -> tuple[str, ...]:
        """All legal tokens as written, no undo: removals by place (a1 .. g7, h1 .. h8, S, W), D, R."""
        if self.is_won:
            return ()
        moves = list(self._removals())
        if self.stock:
            moves.append("D")
        if self._redeal_refusal() is None:
            moves.append("R")
        return tuple(moves)

    def play(self, token: str) -> "Position":
        """The position after a legal token; MoveError with the reason code of formats.md otherwise."""
        refusal = self.find_refusal(token)
        if refusal is not None:
            raise refusal
        if token == "D":
            return replace(self, stock=self.stock[1:], waste=(*self.waste, self.stock[0]))
        if token == "R":
            return replace(self, stock=self.waste, waste=(), pass_=self.pass_ + 1)
        position = self
        for place in read_token(token):
            position = position._without(place)
        return position

    def find_refusal(self, token: str) -> MoveError | None:
        """Why a token is refused here, None if it is legal. A position has no history, so no undo is."""
        try:
            places = read_token(token)
        except MoveError as error:
            return error
        found = self._find_reason(places)
        if found is None:
            return None
        code, message, params = found
        return MoveError(code, message, params, token)

    def _find_reason(self, places: tuple[str, ...]) -> "_Reason | None":
        moves = ("D", "R", "U")
        for place in places:
            if place not in moves and not self._has_place(place):
                return _reason("no_such_cell", place=place)
        if len(places) == 2 and places[0] == places[1]:
            return _reason("same_card")
        if self.is_won:
            return _reason("after_end")
        if places == ("D",):
            return None if self.stock else _reason("stock_empty")
        if places == ("R",):
            code = self._redeal_refusal()
            return None if code is None else _reason(code)
        if places == ("U",):
            return _reason("nothing_to_undo")
        return self._find_hindrance(places) or self._find_misfit(places)

    def _redeal_refusal(self) -> str | None:
        passes = self.ruleset.passes
        if self.stock:
            return "stock_not_empty"
        if passes is not None and self.pass_ >= passes:
            return "no_redeal_left"
        return None if self.waste else "waste_empty"

    def _find_hindrance(self, places: tuple[str, ...]) -> "_Reason | None":
        """Why one of the cards cannot be played at all: level by level, the card sent first named first."""
        if "S" in places and self.ruleset.stock != "open":
            return _reason("not_open")
        for place in places:
            if place == "S" and not self.stock:
                return _reason("stock_empty")
            if place == "W" and not self.waste:
                return _reason("waste_empty")
        for place in places:
            if self._card_at(place) is None:
                if place in COLUMN_INDEX:
                    return "gone", _EMPTY_COLUMN, {"place": place}
                return _reason("gone", place=place)
        for place in places:
            other = places[0] if place == places[-1] else places[-1]
            if not self._plays(place) and not self._is_cover_pair(place, other):
                return _reason("covered", place=place)
        return None

    def _find_misfit(self, places: tuple[str, ...]) -> "_Reason | None":
        """Why available cards do not leave: by what they are worth."""
        cards = [card for place in places if (card := self._card_at(place)) is not None]
        target = self.ruleset.target
        if len(cards) == 2:
            if can_pair(self.ruleset, cards[0], cards[1]):
                return None
            first, second = VALUES[cards[0]], VALUES[cards[1]]
            return _reason("sum", first=first, second=second, sum=first + second, target=target)
        if can_leave_alone(self.ruleset, cards[0]):
            return None
        if is_joker(cards[0]):
            return "not_single", _LONE_JOKER, {}
        return _reason("not_single", value=VALUES[cards[0]], target=target)

    def _removals(self) -> Iterator[str]:
        ruleset = self.ruleset
        places = [
            (place, card, plays)
            for place in CELLS
            if (card := self._card_at(place)) is not None
            and (place != "S" or ruleset.stock == "open")
            and ((plays := self._plays(place)) or ruleset.cover_pairs)
        ]
        for i, (place, card, plays) in enumerate(places):
            if plays and can_leave_alone(ruleset, card):
                yield place
            for other, other_card, other_plays in places[i + 1 :]:
                if can_pair(ruleset, card, other_card) and (
                    (plays and other_plays) or self._is_cover_pair(place, other)
                ):
                    yield write_token((place, other))

    def _has_place(self, place: str) -> bool:
        return place in CELL_INDEX or place in ("S", "W") or (place in COLUMN_INDEX and bool(self.reserve))

    def _card_at(self, place: str) -> int | None:
        index = CELL_INDEX.get(place)
        if index is not None:
            return self.tableau[index]
        if place == "W":
            return self.waste[-1] if self.waste else None
        if place == "S":
            return self.stock[0] if self.stock else None
        column = self.reserve[COLUMN_INDEX[place]] if self.reserve else ()
        return column[-1] if column else None

    def _plays(self, place: str) -> bool:
        """Whether the card of a place that holds one is not kept from play by covers."""
        index = CELL_INDEX.get(place)
        return index is None or is_exposed(self.ruleset, self.present, index)

    def _is_cover_pair(self, place: str, other: str) -> bool:
        index, other_index = CELL_INDEX.get(place), CELL_INDEX.get(other)
        if index is None or other_index is None:
            return False
        return is_cover_pair(self.ruleset, self.present, index, other_index)

    def _without(self, place: str) -> "Position":
        index = CELL_INDEX.get(place)
        if index is not None:
            tableau = (*self.tableau[:index], None, *self.tableau[index + 1 :])
            return replace(self, tableau=tableau, present=self.present ^ TABLEAU_BITS[index])
        if place == "W":
            return replace(self, waste=self.waste[:-1])
        if place == "S":
            return replace(self, stock=self.stock[1:])
        k = COLUMN_INDEX[place]
        return replace(self, reserve=(*self.reserve[:k], self.reserve[k][:-1], *self.reserve[k + 1 :]))

    def _check_deck(self) -> None:
        """PositionError if the cards are not distinct cards of the deck, or more than the layout holds."""
        size = DECK_SIZE + self.ruleset.jokers
        tableau = [card for card in self.tableau if card is not None]
        cards = [*tableau, *self.stock, *self.waste, *(card for column in self.reserve for card in column)]
        seen = set()
        for card in cards:
            if card >= size:
                raise _error("cards", gettext_noop("This deck has no %(card)s."), card=CARD_TEXTS[card])
            if card in seen:
                raise _error("cards", gettext_noop("%(card)s lies in two places."), card=CARD_TEXTS[card])
            seen.add(card)
        if len(self.stock) + len(self.waste) > (0 if self.reserve else size - TABLEAU_SIZE):
            raise _error("cards", gettext_noop("Stock and waste hold too many cards."))


_Reason = tuple[str, str, dict[str, str | int]]


def _reason(code: str, **params: str | int) -> _Reason:
    return code, _SENTENCES[code], params


def _error(code: str, message: str, **params: str | int) -> PositionError:
    return PositionError(code, message, params)


def _write_run(cards: tuple[int, ...]) -> str:
    return "".join([CARD_TEXTS[card] for card in cards]) or "-"


def _read_run(text: str) -> tuple[int, ...]:
    if text == "-":
        return ()
    if not text:
        raise _error("fields", gettext_noop("An empty field is written as a dash."))
    return tuple(_read_card(text[i : i + 2]) for i in range(0, len(text), 2))


def _read_card(text: str) -> int:
    try:
        return read_card(text)
    except CardError as error:
        raise PositionError("cards", error.message, error.params) from None


def _read_tableau(text: str) -> tuple[int | None, ...]:
    rows = text.split("/")
    if [len(row) for row in rows] != [2 * r for r in range(1, len(ROWS) + 1)]:
        raise _error("tableau", gettext_noop("The tableau has seven rows of one to seven cards."))
    joined = "".join(rows)
    pieces = [joined[i : i + 2] for i in range(0, len(joined), 2)]
    return tuple(None if piece == "--" else _read_card(piece) for piece in pieces)


def _read_reserve(text: str) -> tuple[tuple[int, ...], ...]:
    columns = tuple(map(_read_run, text.split("/")))
    if len(columns) != RESERVE_COLUMNS or max(map(len, columns)) > COLUMN_SIZE:
        raise _error("reserve", gettext_noop("The reserve has eight columns of at most three cards."))
    return columns


def _read_pass(text: str, ruleset: Ruleset) -> int:
    number = int(text) if _PASS.fullmatch(text) else 0
    if not number or (ruleset.passes is not None and number > ruleset.passes):
        raise _error("pass", gettext_noop("There is no pass %(number)s here."), number=text)
    return number
