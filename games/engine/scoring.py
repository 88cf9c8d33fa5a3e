"""Points. Source: rules.md, "Scoring"."""

from typing import NamedTuple

from games.engine.rulesets import Ruleset

BONUS_SECONDS = 600


class Scoring(NamedTuple):
    """Points for each tableau card removed, each pair, each single and each redeal."""

    card: int
    pair: int
    single: int
    redeal: int


SCORINGS = {
    "tens": Scoring(10, 0, 0, 0),
    "cards": Scoring(1, 0, 0, 0),
    "points": Scoring(0, 20, 15, -10),
    "none": Scoring(0, 0, 0, 0),
}


def get_scoring(ruleset: Ruleset) -> Scoring:
    """What the moves of a ruleset score."""
    return SCORINGS[ruleset.scoring]


def bonus(ruleset: Ruleset, official_ms: int) -> int | None:
    """The bonus of a win in `official_ms` milliseconds; None where the ruleset does not score points."""
    if ruleset.scoring != "points":
        return None
    return max(0, BONUS_SECONDS - official_ms // 1000)
