"""Tokens, places and what lies on what. Source: rules.md, "Layout" and "Legal moves"; formats.md, "Moves"."""

import re
from functools import cache

from games.engine.cards import VALUES, is_joker
from games.engine.errors import MoveError, gettext_noop
from games.engine.rulesets import Ruleset

ROWS = "abcdefg"
TABLEAU_SIZE = 28
FULL_TABLEAU = (1 << TABLEAU_SIZE) - 1
TABLEAU_BITS = tuple(1 << index for index in range(TABLEAU_SIZE))
TABLEAU_CELLS = tuple(f"{row}{column}" for r, row in enumerate(ROWS) for column in range(1, r + 2))
RESERVE_CELLS = tuple(f"h{column}" for column in range(1, 9))
CELLS = (*TABLEAU_CELLS, *RESERVE_CELLS, "S", "W")
CELL_INDEX = {cell: index for index, cell in enumerate(TABLEAU_CELLS)}
COLUMN_INDEX = {cell: index for index, cell in enumerate(RESERVE_CELLS)}

# The two cards that lie on each tableau card, by index; none on the base row.
COVERS: tuple[tuple[int, ...], ...] = tuple(
    (index + r + 1, index + r + 2) if r < len(ROWS) - 1 else ()
    for index, r in enumerate(r for r in range(len(ROWS)) for _ in range(r + 1))
)
COVER_MASKS = tuple(sum(1 << cover for cover in covers) for covers in COVERS)

_NOT_A_MOVE = gettext_noop("This is not a move: write D, R, U, one card such as g4 or two such as g1g5.")
_SPACE = gettext_noop("Moves stand with exactly one space between them, and none at the ends.")
_PLACE = "[a-h][0-9]|S|W"
_TOKEN = re.compile(f"(?P<one>[DRU])|(?P<first>{_PLACE})(?P<second>{_PLACE})?")


def read_token(token: str) -> tuple[str, ...]:
    """The parts of a token as sent: ("D",), ("g4",), ("g5", "g1") ...; MoveError "syntax" if it is none.

    Places are only checked to be well-formed: a2 is read too.
    """
    match = _TOKEN.fullmatch(token)
    if match is None:
        raise MoveError("syntax", _NOT_A_MOVE if token else _SPACE, {}, token)
    return tuple(part for part in match.groups() if part is not None)


@cache
def write_token(places: tuple[str, ...]) -> str:
    """The token of the parts, a pair in its one written order: a1 .. g7, h1 .. h8, S, W."""
    return "".join(sorted(places, key=lambda place: (place in ("S", "W"), place)))


def canonical(token: str) -> str:
    """A well-formed token as it is stored and printed; MoveError "syntax" for any other text."""
    return write_token(read_token(token))


def count_covers(present: int, cell: int) -> int:
    """How many cards lie on a tableau card (0..27); `present` is the mask of tableau cards left."""
    return (present & COVER_MASKS[cell]).bit_count()


def is_exposed(ruleset: Ruleset, present: int, cell: int) -> bool:
    """Whether a tableau card is there and plays: no cover left, in lenient rules at most one."""
    return bool(present >> cell & 1) and count_covers(present, cell) <= int(ruleset.lenient)


def is_cover_pair(ruleset: Ruleset, present: int, cell: int, other: int) -> bool:
    """Whether `cell` may leave together with `other` because that is its only cover left, and exposed."""
    return (
        ruleset.cover_pairs
        and bool(present >> cell & 1)
        and present & COVER_MASKS[cell] == 1 << other
        and is_exposed(ruleset, present, other)
    )


def can_pair(ruleset: Ruleset, card: int, other: int) -> bool:
    """Whether two cards leave together by what they are worth: the target, or a joker with anything."""
    return VALUES[card] + VALUES[other] == ruleset.target or bool(
        ruleset.jokers and (is_joker(card) or is_joker(other))
    )


def can_leave_alone(ruleset: Ruleset, card: int) -> bool:
    """Whether a card is worth the target or more; a joker never is."""
    return VALUES[card] >= ruleset.target
