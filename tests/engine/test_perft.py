"""How many lines of play are there? The engine and the naive implementation count what tests/vectors/perft.tsv says.

Equal positions are counted together, which is quick. PERFT=all counts every line one by one, all rows, both
implementations (many minutes); without it one row a ruleset is counted so, by the engine.
"""

import os
import re
from collections.abc import Callable
from typing import Any

import pytest

from games.engine.position import Position
from tests.engine.both import read_rows
from tests.engine.naive import RULES, Game

ROWS = [(where, fields[0], int(fields[1]), int(fields[2])) for where, fields in read_rows("perft.tsv")]
ALL = os.environ.get("PERFT") == "all"

letters = pytest.mark.parametrize("letter", RULES)


def count_together(start: Any, depth: int, play: Callable[[Any, str], Any], name: Callable[[Any], Any]) -> int:
    """Legal lines of `depth` moves; positions of one `name` are kept once, with the number of ways to them."""
    layer = {name(start): (start, 1)}
    for _ in range(depth - 1):
        below: dict[Any, tuple[Any, int]] = {}
        for position, ways in layer.values():
            for token in position.legal_moves():
                after = play(position, token)
                key = name(after)
                below[key] = (after, ways + (below[key][1] if key in below else 0))
        layer = below
    return sum(ways * len(position.legal_moves()) for position, ways in layer.values())


def count_engine(text: str, depth: int) -> int:
    return count_together(Position.read(text), depth, Position.play, lambda position: position)


def count_naive(text: str, depth: int) -> int:
    return count_together(Game.read(text), depth, play_naive, name_naive)


def play_naive(game: Game, token: str) -> Game:
    after = game.copy()
    # Not checked once more: that the listed moves are just those not refused is asked in test_naive_agrees.py.
    after.apply(token, re.findall("[a-h][0-9]|S|W", token))
    return after


def name_naive(game: Game) -> tuple[Any, ...]:
    """All that the text of a position says, faster to make."""
    columns = tuple(map(tuple, game.columns))
    return tuple(game.tableau), tuple(game.stock), tuple(game.waste), columns, game.pass_number


def count_engine_one_by_one(position: Position, depth: int) -> int:
    moves = position.legal_moves()
    if depth == 1:
        return len(moves)
    return sum(count_engine_one_by_one(position.play(token), depth - 1) for token in moves)


def count_naive_one_by_one(game: Game, depth: int) -> int:
    moves = game.legal_moves()
    if depth == 1:
        return len(moves)
    leaves = 0
    for token in moves:
        leaves += count_naive_one_by_one(play_naive(game, token), depth - 1)
    return leaves


def rows_of(letter: str) -> list[tuple[str, str, int, int]]:
    return [row for row in ROWS if row[1].startswith(letter)]


def tell_wrong(rows: list[tuple[str, str, int, int]], count: Callable[[str, int], int]) -> list[str]:
    answers = [(where, text, depth, leaves, count(text, depth)) for where, text, depth, leaves in rows]
    return [
        f"{where}: {leaves} lines of {depth} moves, not {answer}: {text}"
        for where, text, depth, leaves, answer in answers
        if answer != leaves
    ]


@letters
def test_the_engine_counts_the_leaves_of_twelve_positions_of_every_ruleset(letter: str) -> None:
    assert not tell_wrong(rows_of(letter), count_engine)


@letters
def test_the_naive_implementation_counts_the_same_leaves(letter: str) -> None:
    assert not tell_wrong(rows_of(letter), count_naive)


@letters
def test_counting_one_by_one_gives_the_same_leaves(letter: str) -> None:
    """Without it, positions that are equal but play differently would be hidden behind one another."""
    rows = rows_of(letter) if ALL else sorted(rows_of(letter), key=lambda row: row[3])[:1]
    assert not tell_wrong(rows, lambda text, depth: count_engine_one_by_one(Position.read(text), depth))
    if ALL:
        assert not tell_wrong(rows, lambda text, depth: count_naive_one_by_one(Game.read(text), depth))


@letters
def test_every_ruleset_has_twelve_positions_four_of_them_close_to_the_end_of_the_stock(letter: str) -> None:
    rows = rows_of(letter)
    assert len(rows) == len({text for _where, text, _depth, _leaves in rows}) == 12
    assert all(50_000 <= leaves <= 150_000 for _where, _text, _depth, leaves in rows)
    stocks = [text.split(" ")[2] for _where, text, _depth, _leaves in rows]
    close = [s for s in stocks if (s.count("-") >= 2 if RULES[letter].stock == "reserve" else len(s) <= 6)]
    assert len(close) >= 4
