"""The sixteen rulesets as rows of data: read the fields, never compare a letter. Source: rules.md."""

from dataclasses import dataclass
from typing import Literal

from games.engine.errors import CodeError, gettext_noop


@dataclass(frozen=True, slots=True)
class Ruleset:
    """One way to play.

    passes and undo: None is unlimited. start: cards turned to the waste before play. tells_hopeless: players
    are told unasked when the game can no longer be won. undo_counts: an undo counts as a move.
    """

    letter: str
    slug: str
    name: str
    passes: int | None = None
    stock: Literal["closed", "open", "reserve"] = "closed"
    start: int = 0
    goal: Literal["tableau", "all"] = "tableau"
    target: int = 13
    jokers: int = 0
    lenient: bool = False
    cover_pairs: bool = False
    tells_hopeless: bool = False
    undo: int | None = None
    undo_counts: bool = False
    scoring: Literal["tens", "cards", "points", "none"] = "cards"

    def __hash__(self) -> int:
        return hash(self.letter)


_ = gettext_noop
_ROWS = (
    Ruleset("N", "relaxed", _("Relaxed"), start=1, undo=100, scoring="tens"),
    Ruleset("S", "strict", _("Strict"), 3, "open", goal="all", undo=100, scoring="tens"),
    Ruleset("O", "original", _("Original"), 1, "open", goal="all", undo=100, scoring="tens"),
    Ruleset("T", "tower", _("Three passes"), 3, "open"),
    Ruleset("A", "one-pass", _("One pass"), 1),
    Ruleset("D", "two-pass", _("Two passes"), 2),
    Ruleset("B", "classic", _("Classic"), 3),
    Ruleset("C", "endless", _("Endless")),
    Ruleset("G", "giza", _("Giza"), 1, "reserve"),
    Ruleset("M", "points", _("Points"), 4, scoring="points"),
    Ruleset("P", "hard", _("Hard points"), 1, scoring="points"),
    Ruleset("L", "lenient", _("Lenient"), 4, lenient=True, scoring="points"),
    Ruleset("J", "joker", _("Joker"), 4, jokers=2, scoring="points"),
    Ruleset("E", "elevens", _("Elevens"), 4, target=11, scoring="points"),
    Ruleset("X", "tens", _("Tens"), 4, target=10, scoring="points"),
    Ruleset("F", "free", _("Free pairs"), cover_pairs=True, tells_hopeless=True, undo_counts=True, scoring="none"),
)

RULESETS: dict[str, Ruleset] = {row.letter: row for row in _ROWS}


def get_ruleset(letter: str) -> Ruleset:
    """The ruleset of a capital letter; CodeError (part "ruleset") if there is none."""
    ruleset = RULESETS.get(letter)
    if ruleset is None:
        raise CodeError("ruleset", gettext_noop("There is no ruleset %(letter)s."), {"letter": letter})
    return ruleset
