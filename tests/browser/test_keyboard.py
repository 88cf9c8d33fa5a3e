"""Is every ruleset played from its first card to its win by keys alone?"""

import re

import pytest
from playwright.sync_api import Page, expect

from games.engine.deal import Deal
from games.engine.moves import canonical
from games.engine.replay import Verdict, verify
from games.engine.rulesets import RULESETS
from tests.browser import table
from tests.engine.both import read_rows

GAMES = [fields for _, fields in read_rows("keyboard-games.tsv")]
# what the games hold between them: patterns of a line, and the ruleset in which it must come where that matters
EVENTS = {
    "the waste's top with a card of the tableau": (r"\b[a-g]\dW\b", RULESETS),
    "an open stock's top with a card of the tableau": (r"\b[a-g]\dS\b", "SOT"),
    "both tops with each other": (r"\bSW\b", "SOT"),
    "an open stock's top alone": (r"\bS\b", "T"),
    "the waste's top alone": (r"\bW\b", RULESETS),
    "two cards of the reserve": (r"\bh\dh\d\b", "G"),
    "a card of the reserve with one of the tableau": (r"\b[a-g]\dh\d\b", "G"),
    "a redeal": (r"\bR\b", "STDMJ"),
    "an undone redeal": (r"\bR U\b", "D"),
    "an undone draw": (r"\bD U\b", "SF"),
    "an undone removal": (r"\b[a-g]\d[a-h]\d U\b", "NGL"),
    "a card with the one that covers it": (r"\bf3e3\b", "L"),
    "a card with its last cover": (r"\bc3d3\b", "F"),
}


def test_the_games_hold_every_kind_of_move() -> None:
    assert [ruleset for ruleset, _code, _moves in GAMES] == list(RULESETS)
    for event, (pattern, rulesets) in EVENTS.items():
        assert any(re.search(pattern, moves) for ruleset, _, moves in GAMES if ruleset in rulesets), event


@pytest.mark.parametrize(("code", "moves"), [fields[1:] for fields in GAMES], ids=[fields[0] for fields in GAMES])
def test_a_whole_game_is_won_by_keyboard_alone(page: Page, server: str, code: str, moves: str) -> None:
    verdict = verify(Deal.from_code(code), moves)
    assert isinstance(verdict, Verdict)
    tokens = moves.split(" ")
    table.open_table(page, server, code)
    table.play(page, tokens, table.press)
    table.result(page, verdict.moves)
    assert table.stored(page) == " ".join(map(canonical, tokens))
    page.keyboard.press("Escape")
    expect(page.locator("#result")).to_be_hidden()
    table.removed(page, 28)
    table.moves(page, verdict.moves)
