"""Dailies of known cards, for tests."""

from datetime import date
from typing import Any

from games.engine.deal import Deal
from leaderboard import minting
from leaderboard.actions import read_clock
from leaderboard.models import Race
from leaderboard.races import day_of
from tests.players import EASY_MOVES, easy_deal

EASY_PROOF: dict[str, Any] = {
    "verdict": "winnable",
    "line": EASY_MOVES.split(" "),
    "par_proven": True,
    "difficulty": "easy",
    "number": 1,
}


def today() -> date:
    return day_of(read_clock())


def mint_easy(letter: str = "T", day: date | None = None) -> Race:
    """A daily on the easy deal, of today where no other day is named."""
    race = minting.mint(day or today(), easy_deal(letter).code, EASY_PROOF)
    assert race is not None
    return race


def mint_seed(seed: int, letter: str = "T", day: date | None = None) -> Race:
    """A daily on a deal with a seed; nothing is proven of it but what the test says."""
    race = minting.mint(day or today(), Deal.from_seed(letter, seed).code, EASY_PROOF)
    assert race is not None
    return race
