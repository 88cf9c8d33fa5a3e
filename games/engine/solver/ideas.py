"""The ideas that make the solver fast, by name. Each can be left out: the answers stay the same, only slower."""

from enum import Enum, auto


class Idea(Enum):
    """Each is one function of this package with a comment that says why it is safe."""

    SINGLES_AT_ONCE = auto()
    SINGLES_NOT_DRAWN = auto()
    SINGLES_DROPPED = auto()
    NOTHING_OLD = auto()
    SKIP_DRAWS = auto()
    RELAXED_GAME = auto()
    PAIRING_TABLE = auto()
    NO_CHOICE = auto()
    LAST_PARTNER = auto()
    NOT_TWICE = auto()
    DRAW_BOUND = auto()


ALL_IDEAS = frozenset(Idea)
