"""Small positions of every ruleset, and a search through all that can happen from them.

The search knows nothing but `Position`: no ideas, no bounds. What it says is what the solver is held to.
"""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

from games.engine.cards import VALUES
from games.engine.moves import TABLEAU_SIZE
from games.engine.position import COLUMN_SIZE, RESERVE_COLUMNS, Position
from games.engine.rulesets import RULESETS, Ruleset

# A position from which more can be reached is left out: the search would take too long.
MOST_POSITIONS = 8000
MOST_LOOSE = 7
Key = tuple[object, ...]


@dataclass(frozen=True)
class Truth:
    """What can be done from a position: moves of a shortest win (None: no win), cards that can be removed."""

    fewest: int | None
    most_tableau: int
    most_total: int


def search_all(position: Position) -> Truth | None:
    """Breadth first through everything; None if that is more than MOST_POSITIONS."""
    seen = {make_key(position)}
    todo = deque([(position, 0)])
    fewest = None
    most_tableau = most_total = 0
    while todo:
        at, moves = todo.popleft()
        most_tableau = max(most_tableau, position.left - at.left)
        most_total = max(most_total, position.left_all - at.left_all)
        if at.is_won and fewest is None:
            fewest = moves
        for token in at.legal_moves():
            after = at.play(token)
            key = make_key(after)
            if key not in seen:
                seen.add(key)
                todo.append((after, moves + 1))
        if len(seen) > MOST_POSITIONS:
            return None
    return Truth(fewest, most_tableau, most_total)


def make_key(position: Position) -> Key:
    """Where passes are unlimited, their number makes no difference; counting it, there would be no end."""
    pass_ = position.pass_ if position.ruleset.passes else 0
    return position.tableau, position.stock, position.waste, position.reserve, pass_


def deal_small(random: Random, letter: str) -> Position:
    """A position with few cards: the top rows or scattered cells, up to seven loose cards, any pass."""
    ruleset = RULESETS[letter]
    deck = make_deck(random, ruleset)
    tableau: list[int | None] = [None] * TABLEAU_SIZE
    for cell in choose_cells(random):
        if deck:
            tableau[cell] = deck.pop()
    loose = deck[: random.randint(0, MOST_LOOSE)]
    if ruleset.stock == "reserve":
        columns: list[list[int]] = [[] for _ in range(RESERVE_COLUMNS)]
        for card in loose:
            random.choice([column for column in columns if len(column) < COLUMN_SIZE]).append(card)
        return Position(ruleset, tuple(tableau), (), (), tuple(map(tuple, columns)), 1)
    waste = random.choice([ruleset.start, random.randint(0, len(loose))])
    pass_ = random.randint(1, ruleset.passes or 3)
    return Position(ruleset, tuple(tableau), tuple(loose[waste:]), tuple(loose[:waste]), (), pass_)


def make_deck(random: Random, ruleset: Ruleset) -> list[int]:
    """Mostly cards that fit together two by two, with some singles; or all of a few ranks and what fits these."""
    jokers = list(range(52, 52 + random.randint(0, ruleset.jokers)))
    if random.random() < 0.3:
        ranks = set(random.sample(range(1, 14), random.randint(2, 4)))
        ranks |= {ruleset.target - rank for rank in ranks if 0 < ruleset.target - rank < 14}
        deck = [card for card in range(52) if VALUES[card] in ranks]
    else:
        cards = random.sample(range(52), 52)
        deck = []
        for _ in range(random.randint(3, 9)):
            card = cards.pop()
            fits = [other for other in cards if VALUES[card] + VALUES[other] == ruleset.target]
            if fits:
                cards.remove(fits[0])
                deck += [card, fits[0]]
            elif random.random() < 0.5:
                deck.append(card)
    deck += jokers
    random.shuffle(deck)
    return deck


def choose_cells(random: Random) -> list[int]:
    """Cells of the tableau that hold cards: two to four rows from the apex, some with holes; or any cells."""
    if random.random() < 0.25:
        return random.sample(range(TABLEAU_SIZE), random.randint(1, 9))
    rows = random.randint(1, 4)
    holes = random.choice([0, 0, 0.15])
    return [cell for cell in range(rows * (rows + 1) // 2) if random.random() >= holes]


def small_games(seed: int, letter: str, count: int) -> Iterator[tuple[Position, Truth]]:
    """So many positions that are not won, and the truth about each."""
    random = Random(f"{seed} {letter}")
    while count:
        position = deal_small(random, letter)
        truth = None if position.is_won else search_all(position)
        if truth:
            count -= 1
            yield position, truth
