"""A second, deliberately naive reading of the rules: lists of card texts, no tricks, nothing shared with the engine.

Written from the rules text alone, so that an error in the engine and an error here are unlikely to be the same one.
This is the game; naive_replay.py judges replays with it. Cards are texts ("Kd", "X1"), places are texts ("a1" .. "g7",
"h1" .. "h8", "S", "W").
"""

import re
from dataclasses import dataclass

# letter | slug | name | passes | stock | start | goal | target | jokers | special | undo | scoring   (- is unlimited)
TABLE = """
N | relaxed  | Relaxed      | - | closed  | 1 | tableau | 13 | 0 |                            | 100   | tens
S | strict   | Strict       | 3 | open    | 0 | all     | 13 | 0 |                            | 100   | tens
O | original | Original     | 1 | open    | 0 | all     | 13 | 0 |                            | 100   | tens
T | tower    | Three passes | 3 | open    | 0 | tableau | 13 | 0 |                            | -     | cards
A | one-pass | One pass     | 1 | closed  | 0 | tableau | 13 | 0 |                            | -     | cards
D | two-pass | Two passes   | 2 | closed  | 0 | tableau | 13 | 0 |                            | -     | cards
B | classic  | Classic      | 3 | closed  | 0 | tableau | 13 | 0 |                            | -     | cards
C | endless  | Endless      | - | closed  | 0 | tableau | 13 | 0 |                            | -     | cards
G | giza     | Giza         | 1 | reserve | 0 | tableau | 13 | 0 |                            | -     | cards
M | points   | Points       | 4 | closed  | 0 | tableau | 13 | 0 |                            | -     | points
P | hard     | Hard points  | 1 | closed  | 0 | tableau | 13 | 0 |                            | -     | points
L | lenient  | Lenient      | 4 | closed  | 0 | tableau | 13 | 0 | one cover allowed          | -     | points
J | joker    | Joker        | 4 | closed  | 0 | tableau | 13 | 2 |                            | -     | points
E | elevens  | Elevens      | 4 | closed  | 0 | tableau | 11 | 0 |                            | -     | points
X | tens     | Tens         | 4 | closed  | 0 | tableau | 10 | 0 |                            | -     | points
F | free     | Free pairs   | - | closed  | 0 | tableau | 13 | 0 | cover pairs; tells hopeless | -, +1 | none
"""


@dataclass(frozen=True)
class Rules:
    letter: str
    slug: str
    name: str
    passes: int | None
    stock: str
    start: int
    goal: str
    target: int
    jokers: int
    lenient: bool
    cover_pairs: bool
    tells_hopeless: bool
    undo: int | None
    undo_counts: bool
    scoring: str


def read_row(line: str) -> Rules:
    letter, slug, name, passes, stock, start, goal, target, jokers, special, undo, scoring = (
        part.strip() for part in line.split("|")
    )
    return Rules(
        letter=letter,
        slug=slug,
        name=name,
        passes=None if passes == "-" else int(passes),
        stock=stock,
        start=int(start),
        goal=goal,
        target=int(target),
        jokers=int(jokers),
        lenient="one cover allowed" in special,
        cover_pairs="cover pairs" in special,
        tells_hopeless="tells hopeless" in special,
        undo=None if undo.startswith("-") else int(undo),
        undo_counts=undo.endswith("+1"),
        scoring=scoring,
    )


RULES = {row.letter: row for row in map(read_row, TABLE.strip().splitlines())}

CELLS = [f"{row}{column}" for number, row in enumerate("abcdefg", 1) for column in range(1, number + 1)]
COLUMNS = [f"h{number}" for number in range(1, 9)]
PLACES = [*CELLS, *COLUMNS, "S", "W"]
CELL_INDEX = {cell: index for index, cell in enumerate(CELLS)}
PLACE_ORDER = {place: number for number, place in enumerate(PLACES)}


def covers_of(cell: str) -> list[str]:
    if cell[0] == "g":
        return []
    below = "abcdefg"["abcdefg".index(cell[0]) + 1]
    return [below + cell[1], below + str(int(cell[1]) + 1)]


COVERS = {cell: covers_of(cell) for cell in CELLS}

DECK = [rank + suit for suit in "cdhs" for rank in "A23456789TJQK"]
JOKERS = ["X1", "X2"]
VALUES = {card: 0 if card in JOKERS else "A23456789TJQK".index(card[0]) + 1 for card in [*DECK, *JOKERS]}


class Refused(Exception):
    """A token was refused: `reason` is the code, `place` the place the sentence is about, if any."""

    def __init__(self, reason: str, place: str | None = None) -> None:
        super().__init__(reason, place)
        self.reason = reason
        self.place = place


class Game:
    """A position that changes as it is played, with the counters and the log of undoable moves."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.tableau: list[str | None] = [None] * 28
        self.stock: list[str] = []  # the next to be drawn is the first
        self.waste: list[str] = []  # the top is the last
        self.columns: list[list[str]] = [[] for _ in range(8)]  # the end is the last
        self.pass_number = 1
        self.points = 0
        self.moves = 0
        self.undos = 0
        self.plies = 0
        self.log: list[Game] = []

    # -- beginnings and copies

    @classmethod
    def deal(cls, rules: Rules, cards: list[str]) -> "Game":
        game = cls(rules)
        game.tableau = list(cards[:28])
        rest = list(cards[28:])
        if rules.stock == "reserve":
            for dealt, card in enumerate(rest):
                game.columns[dealt % 8].append(card)
        else:
            game.waste = rest[: rules.start]
            game.stock = rest[rules.start :]
        return game

    def copy(self) -> "Game":
        """The cards, the pass and the points; a copy has an empty log."""
        other = Game.__new__(Game)
        other.rules = self.rules
        other.tableau = self.tableau[:]
        other.stock = self.stock[:]
        other.waste = self.waste[:]
        other.columns = [column[:] for column in self.columns]
        other.pass_number = self.pass_number
        other.points = self.points
        other.moves = self.moves
        other.undos = self.undos
        other.plies = self.plies
        other.log = []
        return other

    # -- what lies where

    def card_at(self, place: str) -> str | None:
        if place == "S":
            return self.stock[0] if self.stock else None
        if place == "W":
            return self.waste[-1] if self.waste else None
        if place[0] == "h":
            column = self.columns[int(place[1]) - 1]
            return column[-1] if column else None
        return self.tableau[CELL_INDEX[place]]

    def covers_left(self, cell: str) -> list[str]:
        return [cover for cover in COVERS[cell] if self.tableau[CELL_INDEX[cover]] is not None]

    def exposed(self) -> list[str]:
        allowed = 1 if self.rules.lenient else 0
        return [
            cell
            for cell in CELLS
            if self.tableau[CELL_INDEX[cell]] is not None and len(self.covers_left(cell)) <= allowed
        ]

    def available(self) -> list[str]:
        places = self.exposed()
        places += [place for place in COLUMNS if self.card_at(place) is not None]
        if self.rules.stock == "open" and self.stock:
            places.append("S")
        if self.waste:
            places.append("W")
        return places

    def tableau_left(self) -> int:
        return sum(card is not None for card in self.tableau)

    def all_left(self) -> int:
        return self.tableau_left() + len(self.stock) + len(self.waste) + sum(len(c) for c in self.columns)

    # -- which cards leave together

    def leaves_alone(self, card: str) -> bool:
        return card not in JOKERS and VALUES[card] >= self.rules.target

    def pairs(self, one: str, other: str) -> bool:
        if one in JOKERS or other in JOKERS:
            return True
        return VALUES[one] + VALUES[other] == self.rules.target

    # -- the end

    def is_won(self) -> bool:
        return (self.tableau_left() if self.rules.goal == "tableau" else self.all_left()) == 0

    def is_dead_end(self) -> bool:
        return not self.is_won() and not self.legal_moves()

    def outcome(self) -> str:
        if self.is_won():
            return "won"
        return "dead_end" if self.is_dead_end() else "unfinished"

    # -- all legal moves, from the rules' list of available cards

    def legal_moves(self) -> list[str]:
        if self.is_won():
            return []
        places = self.available()
        removals: list[tuple[str, ...]] = []
        for number, place in enumerate(places):
            card = self.card_at(place)
            assert card is not None
            if self.leaves_alone(card):
                removals.append((place,))
            for later in places[number + 1 :]:
                partner = self.card_at(later)
                assert partner is not None
                if self.pairs(card, partner):
                    removals.append((place, later))
        if self.rules.cover_pairs:
            removals += self.cover_pair_moves()
        removals.sort(key=lambda taken: [PLACE_ORDER[place] for place in taken])
        tokens = ["".join(taken) for taken in removals]
        if self.stock:
            tokens.append("D")
        elif self.waste and self.may_redeal():
            tokens.append("R")
        return tokens

    def cover_pair_moves(self) -> list[tuple[str, ...]]:
        found: list[tuple[str, ...]] = []
        exposed = self.exposed()
        for cell in CELLS:
            card = self.card_at(cell)
            left = self.covers_left(cell)
            if card is not None and len(left) == 1 and left[0] in exposed:
                cover = self.card_at(left[0])
                assert cover is not None
                if self.pairs(card, cover):
                    found.append((cell, left[0]))
        return found

    def may_redeal(self) -> bool:
        return self.rules.passes is None or self.pass_number < self.rules.passes

    # -- one token, checked from the list of reason codes

    def play(self, token: str) -> None:
        """Play the token, or raise Refused and change nothing."""
        places = self.check(token)
        if token == "U":
            before = self.log.pop()
            self.tableau, self.stock, self.waste = before.tableau, before.stock, before.waste
            self.columns, self.pass_number, self.points = before.columns, before.pass_number, before.points
            self.undos += 1
            self.moves += 1 if self.rules.undo_counts else 0
        else:
            self.log.append(self.copy())
            if self.rules.undo is not None and len(self.log) > self.rules.undo:
                self.log.pop(0)
            self.apply(token, places)
            self.moves += 1
        self.plies += 1

    def apply(self, token: str, places: list[str]) -> None:
        """Move the cards of a token known to be legal, and score it."""
        if token == "D":
            self.waste.append(self.stock.pop(0))
        elif token == "R":
            self.stock = self.waste
            self.waste = []
            self.pass_number += 1
            if self.rules.scoring == "points":
                self.points -= 10
        else:
            for place in places:
                self.take(place)
            if self.rules.scoring == "points":
                self.points += 20 if len(places) == 2 else 15
            each = {"tens": 10, "cards": 1, "points": 0, "none": 0}[self.rules.scoring]
            self.points += each * sum(place in CELLS for place in places)

    def take(self, place: str) -> None:
        if place == "S":
            self.stock.pop(0)
        elif place == "W":
            self.waste.pop()
        elif place[0] == "h":
            self.columns[int(place[1]) - 1].pop()
        else:
            self.tableau[CELL_INDEX[place]] = None

    def check(self, token: str) -> list[str]:
        """The places of a legal token ([] for D, R and U); raises Refused with the first reason that applies."""
        if not re.fullmatch("D|R|U|([a-h][0-9]|S|W)([a-h][0-9]|S|W)?", token):
            raise Refused("syntax")
        places = [] if token in ("D", "R", "U") else re.findall("[a-h][0-9]|S|W", token)
        for place in places:
            on_layout = place in PLACES and (place[0] != "h" or self.rules.stock == "reserve")
            if not on_layout:
                raise Refused("no_such_cell", place)
        if len(places) == 2 and places[0] == places[1]:
            raise Refused("same_card", places[0])
        if self.is_won():
            raise Refused("after_end")
        if token == "D":
            self.check_draw()
        elif token == "R":
            self.check_redeal()
        elif token == "U":
            if not self.log:
                raise Refused("nothing_to_undo")
        else:
            self.check_removal(places)
        return places

    def check_draw(self) -> None:
        if not self.stock:
            raise Refused("stock_empty")

    def check_redeal(self) -> None:
        if self.stock:
            raise Refused("stock_not_empty")
        if not self.may_redeal():
            raise Refused("no_redeal_left")
        if not self.waste:
            raise Refused("waste_empty")

    def check_removal(self, places: list[str]) -> None:
        for place in places:
            if place == "S" and self.rules.stock != "open":
                raise Refused("not_open", place)
        for place in places:
            if place == "S" and not self.stock:
                raise Refused("stock_empty", place)
            if place == "W" and not self.waste:
                raise Refused("waste_empty", place)
        for place in places:
            if self.card_at(place) is None:
                raise Refused("gone", place)
        for place in places:
            if place in CELLS and self.is_covered(place, places):
                raise Refused("covered", place)
        cards = [self.card_at(place) or "" for place in places]
        if len(cards) == 2 and not self.pairs(cards[0], cards[1]):
            raise Refused("sum")
        if len(cards) == 1 and not self.leaves_alone(cards[0]):
            raise Refused("not_single", places[0])

    def is_covered(self, cell: str, places: list[str]) -> bool:
        exposed = self.exposed()
        if cell in exposed:
            return False
        left = self.covers_left(cell)
        cover_pair = self.rules.cover_pairs and len(left) == 1 and left[0] in exposed and left[0] in places
        return not cover_pair

    # -- the text of a position

    def text(self) -> str:
        rows = [[cell for cell in CELLS if cell[0] == row] for row in "abcdefg"]
        tableau = "/".join("".join(self.card_at(cell) or "--" for cell in row) for row in rows)
        if self.rules.stock == "reserve":
            stock = "/".join("".join(column) or "-" for column in self.columns)
        else:
            stock = "".join(self.stock) or "-"
        waste = "".join(self.waste) or "-"
        return f"{self.rules.letter} {tableau} {stock} {waste} {self.pass_number}"

    @classmethod
    def read(cls, text: str) -> "Game":
        letter, tableau, stock, waste, pass_number = text.split(" ")
        game = cls(RULES[letter])
        rows = tableau.split("/")
        if [len(row) for row in rows] != [2, 4, 6, 8, 10, 12, 14]:
            raise ValueError(f"the tableau of {text!r} has not seven rows of one to seven cards")
        game.tableau = [None if card == "--" else card for row in rows for card in split_cards(row)]
        if game.rules.stock == "reserve":
            game.columns = [split_cards(column) for column in stock.split("/")]
        else:
            game.stock = split_cards(stock)
        game.waste = split_cards(waste)
        game.pass_number = int(pass_number)
        return game


def split_cards(text: str) -> list[str]:
    return [] if text == "-" else [text[i : i + 2] for i in range(0, len(text), 2)]
