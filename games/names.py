"""Player names: what may be one, and when two are alike."""

import unicodedata

import disarm
from django.utils.translation import gettext_noop

from games.errors import Problem

MIN_LENGTH = 2
MAX_LENGTH = 24
RESERVED = frozenset({"me", "admin", "moderator", "pyramidion"})

# Unicode's Default_Ignorable_Code_Point and blank characters outside the categories refused below
# (DerivedCoreProperties.txt; U+2800 is the blank Braille pattern)
_UNSEEN = frozenset(
    [0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x2800, 0x3164, 0xFFA0]
    + [*range(0x180B, 0x1810), *range(0xFE00, 0xFE10), *range(0xE0000, 0xE1000)]
)
_REFUSED_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})


def clean_name(name: str) -> str:
    """`name` as it is stored: NFC, 2 to 24 characters. Raises Problem (422, where "name")."""
    name = unicodedata.normalize("NFC", name)
    for char in name:
        if not _is_visible(char):
            raise Problem(
                422,
                "name_character",
                gettext_noop("A name cannot hold the character %(char)s."),
                "name",
                params={"char": f"U+{ord(char):04X}"},
            )
    if not MIN_LENGTH <= len(name) <= MAX_LENGTH:
        raise Problem(
            422,
            "name_length",
            gettext_noop("A name has %(least)s to %(most)s characters, not %(length)s."),
            "name",
            params={"least": MIN_LENGTH, "most": MAX_LENGTH, "length": len(name)},
        )
    if name != name.strip() or "  " in name:
        raise Problem(
            422,
            "name_spaces",
            gettext_noop("A name has no space at its ends and no two in a row."),
            "name",
        )
    if not any(unicodedata.category(char)[0] in "LN" for char in name):
        raise Problem(422, "name_no_letter", gettext_noop("A name needs at least one letter or digit."), "name")
    if name_key(name) in _RESERVED_KEYS:
        raise Problem(409, "name_taken", gettext_noop("This name is taken, or looks like one that is."), "name")
    return name


def name_key(name: str) -> str:
    """What two names have in common that a reader could mix up: NFKC, case folded, confusables mapped.

    The case is folded first, so that KIM is kim; then capital I is an i, which TR39 calls alike with l and 1.
    """
    return disarm.skeleton_key(name.casefold(), digit_policy="tr39").replace("i", "l")


def _is_visible(char: str) -> bool:
    category = unicodedata.category(char)
    if char == " ":
        return True
    # a slash would end the name's part of an address
    return category not in _REFUSED_CATEGORIES and category != "Zs" and ord(char) not in _UNSEEN and char not in "/\\"


_RESERVED_KEYS = frozenset(map(name_key, RESERVED))
