"""Does the engine judge damaged solutions as the naive implementation does, and never break?"""

import random

import pytest

from games.engine import replay
from games.engine.cards import read_cards
from games.engine.deal import Deal
from tests.engine import naive_replay
from tests.engine.both import read_rows, without_sentence
from tests.engine.naive import RULES

CHANGES = 4  # a deal
NONSENSE = ["", "x", "DD", "a2", "h1", "g1g1", "SS", "ẞ", "\ud800", "g1\n", "None", "0", "U" * 50, "g4g5g6"]

SOLVED = [
    (where, fields[1], fields[3])
    for where, fields in read_rows("tower-deals.tsv")
    if fields[0] != "id" and fields[2] != "0"
]


def damage(rng: random.Random, line: list[str], others: list[str]) -> list[str]:
    """The line with one to three things wrong; some changes leave it legal."""
    line = line[:]
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        at = rng.randrange(len(line))
        change = rng.choice(("drop", "swap", "repeat", "replace", "turn", "undo", "redo", "insert", "cut", "go on"))
        if change == "drop" and len(line) > 1:
            del line[at]
        elif change == "swap":
            line[at - 1], line[at] = line[at], line[at - 1]
        elif change == "repeat":
            line.insert(at, line[at])
        elif change == "replace":
            line[at] = rng.choice(others)
        elif change == "turn":
            line[at] = line[at][len(line[at]) // 2 :] + line[at][: len(line[at]) // 2]
        elif change == "undo":
            line.insert(at, "U")
        elif change == "redo":
            line[at:at] = [line[at], "U"]
        elif change == "insert":
            line.insert(at, rng.choice(NONSENSE))
        elif change == "cut":
            line = line[: at + 1]
        else:
            line.append(rng.choice((*others, "U", "D", "R", "x")))
    return line


def test_every_published_solution_wins_in_both_with_its_published_length() -> None:
    assert len(SOLVED) == 679
    for where, cards, solution in SOLVED:
        deal = Deal.from_cards("T", read_cards(cards))
        verdict = replay.verify(deal, solution)
        expected = naive_replay.verify(RULES["T"], cards.split(" "), deal.code, solution, None)
        assert expected["outcome"] == "won", where
        assert without_sentence(verdict) == expected, where


@pytest.mark.parametrize("letter", ["T", "S", "O", "B", "L", "F"])
def test_damaged_solutions_get_the_naive_verdict(letter: str) -> None:
    """T is their own ruleset; under the others most lines are refused, each at a place of its own."""
    rng = random.Random(letter)
    verdicts: dict[str, int] = {}
    for where, cards, solution in SOLVED if letter == "T" else SOLVED[::5]:
        deal = Deal.from_cards(letter, read_cards(cards))
        line = solution.split(" ")
        for _ in range(CHANGES):
            moves = " ".join(damage(rng, line, line + NONSENSE))
            times = sorted(rng.randrange(10**6) for _ in moves.split(" ")) if rng.random() < 0.2 else None
            answer = without_sentence(replay.verify(deal, moves, times))
            expected = naive_replay.verify(RULES[letter], cards.split(" "), deal.code, moves, times)
            assert answer == expected, (where, moves, times)
            kind = answer.get("outcome") or answer["reason"]
            verdicts[kind] = verdicts.get(kind, 0) + 1
    # The changes must reach far more than one kind of mistake.
    assert len(verdicts) >= (12 if letter == "T" else 5), verdicts
