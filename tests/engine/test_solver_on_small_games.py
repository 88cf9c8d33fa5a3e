"""Does the solver say of small games what a search through everything that can happen says? Every ruleset."""

import os
from collections import Counter
from functools import cache

import pytest

from games.engine.position import Position
from games.engine.rulesets import RULESETS
from games.engine.solver import ALL_IDEAS, Answer, Idea, most_removable, shortest, winnable
from tests.engine.small_games import Truth, small_games

LETTERS = list(RULESETS)
# More of them: SOLVER_CASES=1000 SOLVER_SEED=7 pytest tests/engine/test_solver_on_small_games.py
CASES = int(os.environ.get("SOLVER_CASES", "40"))
SEED = int(os.environ.get("SOLVER_SEED", "1"))


@cache
def load_games(letter: str) -> list[tuple[Position, Truth]]:
    return list(small_games(SEED, letter, CASES))


def check_line(position: Position, answer: Answer) -> None:
    """A line is there when the position can be won; it is legal and wins with its last token."""
    assert (answer.line is not None) == (answer.verdict == "winnable")
    assert answer.par == (None if answer.line is None else len(answer.line))
    if answer.line is not None:
        for token in answer.line:
            assert not position.is_won
            position = position.play(token)
        assert position.is_won


def expect(truth: Truth) -> str:
    return "unwinnable" if truth.fewest is None else "winnable"


@pytest.mark.parametrize("letter", LETTERS)
def test_the_small_games_are_of_all_kinds(letter: str) -> None:
    games = load_games(letter)
    verdicts = Counter(expect(truth) for _, truth in games)
    assert min(verdicts["winnable"], verdicts["unwinnable"]) >= CASES // 20
    assert any(position.waste or any(map(len, position.reserve)) for position, _ in games)
    if RULESETS[letter].passes not in (None, 1):
        assert {position.pass_ for position, _ in games} == set(range(1, RULESETS[letter].passes + 1))


@pytest.mark.parametrize("letter", LETTERS)
def test_the_fewest_moves_are_those_of_a_search_through_everything(letter: str) -> None:
    for position, truth in load_games(letter):
        answer = shortest(position)
        assert (answer.verdict, answer.par) == (expect(truth), truth.fewest), position.text
        assert answer.par_proven == (truth.fewest is not None)
        check_line(position, answer)


@pytest.mark.parametrize("letter", LETTERS)
def test_a_verdict_alone_is_that_of_a_search_through_everything(letter: str) -> None:
    for position, truth in load_games(letter):
        answer = winnable(position)
        assert answer.verdict == expect(truth), position.text
        check_line(position, answer)


@pytest.mark.parametrize("letter", LETTERS)
def test_as_many_cards_can_be_removed_as_a_search_through_everything_finds(letter: str) -> None:
    for position, truth in load_games(letter):
        most = most_removable(position)
        assert (most.tableau, most.total) == (truth.most_tableau, truth.most_total), position.text
        assert most.proven


@pytest.mark.parametrize("letter", LETTERS)
@pytest.mark.parametrize("idea", Idea)
def test_every_idea_can_be_left_out(letter: str, idea: Idea) -> None:
    ideas = ALL_IDEAS - {idea}
    for position, truth in load_games(letter)[:12]:
        answer = shortest(position, ideas=ideas)
        assert (answer.verdict, answer.par) == (expect(truth), truth.fewest), position.text
        check_line(position, answer)
        assert winnable(position, ideas=ideas).verdict == expect(truth), position.text
        most = most_removable(position, ideas=ideas)
        assert (most.tableau, most.total, most.proven) == (truth.most_tableau, truth.most_total, True), position.text


@pytest.mark.parametrize("letter", LETTERS)
def test_all_ideas_can_be_left_out(letter: str) -> None:
    for position, truth in load_games(letter)[:12]:
        answer = shortest(position, ideas=frozenset())
        assert (answer.verdict, answer.par) == (expect(truth), truth.fewest), position.text
        most = most_removable(position, ideas=frozenset())
        assert (most.tableau, most.total) == (truth.most_tableau, truth.most_total), position.text
