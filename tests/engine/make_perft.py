"""Choose the positions of tests/vectors/perft.tsv and count them naively: python -m tests.engine.make_perft (minutes).

Seeded by ruleset; a run writes the same file again (with the same version of Python).
"""

import random
import sys
from collections.abc import Iterator

from tests.engine.make_vectors import random_code, random_line, write
from tests.engine.naive import JOKERS, RULES, VALUES, Game, Rules
from tests.engine.naive_replay import deck_of, read_code

Random = random.Random

FEWEST, MOST = 50_000, 150_000
KINDS = {"start": 2, "middle": 4, "small": 2, "stock's end": 4}
HEAD = """# Made by tests/engine/make_perft.py with the naive implementation; not typed by hand.
# How many legal lines of so many moves (no undo) a position has; a won game or a dead end ends a line.
# Twelve positions a ruleset: 2 starts, 4 from the middle, 2 of few cards with wins on the way, 4 with 0 to 3 cards of
# stock left (Giza: with empty columns).
# position\tdepth\tlines"""


def count_leaves(game: Game, deepest: int) -> Iterator[tuple[int, int, bool]]:
    """(depth, leaves, whether a won game ends a line before) for depth 1 .. `deepest` while there are 1 .. MOST."""
    layer = {game.text(): (game, 1)}
    won = False
    for depth in range(1, deepest + 1):
        below: dict[str, tuple[Game, int]] = {}
        leaves = 0
        for before, ways in layer.values():
            won = won or before.is_won()
            for token in before.legal_moves():
                leaves += ways
                after = before.copy()
                after.play(token)
                text = after.text()
                below[text] = (after, ways + (below[text][1] if text in below else 0))
        if not 0 < leaves <= MOST:
            return
        yield depth, leaves, won
        layer = below


def perft_rows() -> Iterator[tuple[str, int, int]]:
    for rules in RULES.values():
        rng = Random(f"perft {rules.letter}")
        for kind, count in KINDS.items():
            for number in range(count):
                text, depth, leaves = find_row(rng, rules, kind, number)
                print(rules.letter, kind, number, depth, leaves, file=sys.stderr, flush=True)
                yield text, depth, leaves


def find_row(rng: Random, rules: Rules, kind: str, number: int) -> tuple[str, int, int]:
    tries = 0
    while True:
        tries += 1
        games = [candidate(rng, rules, kind, number) for _ in range(8)]
        game = max(games, key=lambda game: len(game.legal_moves()))
        # A deep count of few branches is slow for those who count one by one.
        for depth, leaves, won in count_leaves(game, 8 + tries // 8):
            if leaves >= FEWEST and (won or kind != "small"):
                return game.text(), depth, leaves


def candidate(rng: Random, rules: Rules, kind: str, number: int) -> Game:
    if kind == "small":
        return small_deck(rng, rules)
    if kind == "stock's end":
        return near_the_end(rng, rules, number)
    if kind == "middle" and number % 2:
        game = Game.deal(rules, cards_that_pair_below(rng, rules))
    else:
        game = Game.deal(*read_code(random_code(rng, rules))[:2])
    if kind == "middle":
        random_line(rng, game, rng.randrange(3, 20), 0.0, 0.7)
    return game


def cards_that_pair(rng: Random, rules: Rules) -> list[str]:
    """Sixteen cards of four ranks that pair two by two, shuffled; jokers with them."""
    low = rng.sample(range(1, (rules.target + 1) // 2), 2)
    worth = [*low, *(rules.target - value for value in low)]
    cards = [card for card in deck_of(rules) if VALUES[card] in worth]
    cards += JOKERS if rules.jokers else []
    rng.shuffle(cards)
    return cards


def cards_that_pair_below(rng: Random, rules: Rules) -> list[str]:
    """A whole deal with sixteen pairing cards in the two lowest rows and at the end of the stock."""
    pairing = cards_that_pair(rng, rules)
    rest = [card for card in deck_of(rules) if card not in pairing]
    rng.shuffle(rest)
    return rest[:15] + pairing[:13] + rest[15:] + pairing[13:]


def near_the_end(rng: Random, rules: Rules, number: int) -> Game:
    """A position with `number` cards of stock left, in the last pass or the one before; Giza: with empty columns."""
    game = Game.deal(rules, cards_that_pair_below(rng, rules))
    if rules.stock == "reserve":
        for column in rng.sample(game.columns, 2 + number):
            column.clear()
        return game
    line = game.waste + game.stock
    cut = len(line) - number
    game.waste, game.stock = line[:cut], line[cut:]
    game.pass_number = max(1, rng.choice((0, -1)) + (rules.passes or 5))
    return game


def small_deck(rng: Random, rules: Rules) -> Game:
    """A few cards that pair, in the lowest row, some above it, stock and waste."""
    cards = cards_that_pair(rng, rules)[: rng.randrange(10, 17)]
    game = Game(rules)
    lowest = 7 if rules.goal == "tableau" else rng.randrange(3, 6)
    for place in [*rng.sample(range(21, 28), lowest), *rng.sample(range(15, 21), 2)]:
        game.tableau[place] = cards.pop()
    if rules.stock == "reserve":
        for dealt, card in enumerate(cards):
            game.columns[dealt % 4].append(card)
    else:
        cut = rng.randrange(1, 4)
        game.waste, game.stock = cards[:cut], cards[cut:]
    return game


def main() -> None:
    write("perft.tsv", HEAD, perft_rows())


if __name__ == "__main__":
    main()
