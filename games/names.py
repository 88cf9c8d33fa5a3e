"""Player names: what may be one, and when two are alike."""

import unicodedata

import disarm
from django.utils.translation import gettext_noop

from games.errors import Problem

MIN_LENGTH = 2
MAX_LENGTH = 24
_KEY_LENGTH = 200  # of the column; one letter can stand for eighteen
RESERVED = frozenset({"me", "admin", "moderator", "pyramidion"})

# Unicode's Default_Ignorable_Code_Point and blank characters outside the categories refused below
# (DerivedCoreProperties.txt; U+2800 is the blank Braille pattern, U+FFFC stands for what is not there)
_UNSEEN = frozenset((0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x2800, 0x3164, 0xFFA0, 0xFFFC, 0x1D159)).union(
    range(0x180B, 0x1810), range(0xFE00, 0xFE10), range(0xE0000, 0xE1000)
)
_REFUSED_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})


def clean_name(name: str) -> str:
    """`name` as it is stored: NFC, 2 to 24 characters. Raises Problem (400, or 409 if reserved; where "name")."""
    name = unicodedata.normalize("NFC", name)
    if not MIN_LENGTH <= len(name) <= MAX_LENGTH:
        message = gettext_noop("A name has %(least)s to %(most)s characters, not %(length)s.")
        raise _refuse("name_length", message, least=MIN_LENGTH, most=MAX_LENGTH, length=len(name))
    if hidden := next((char for char in name if not _is_visible(char)), None):
        message = gettext_noop("A name cannot hold the character %(char)s.")
        raise _refuse("name_character", message, char=f"U+{ord(hidden):04X}")
    if name != name.strip() or "  " in name:
        raise _refuse("name_spaces", gettext_noop("A name has no space at its ends and no two in a row."))
    if not any(unicodedata.category(char)[0] in "LN" for char in name):
        raise _refuse("name_no_letter", gettext_noop("A name needs at least one letter or digit."))
    if len(_alphabets(name)) > 1:
        raise _refuse("name_alphabets", gettext_noop("The letters of a name must be of one alphabet."))
    if name_key(name) in _RESERVED_KEYS:
        raise name_taken()
    return name


def _refuse(code: str, message: str, **params: str | int) -> Problem:
    return Problem(400, code, message, "name", params=params)


def name_taken() -> Problem:
    return Problem(409, "name_taken", gettext_noop("This name is taken, or looks like one that is."), "name")


def name_key(name: str) -> str:
    """What two names have in common that a reader could mix up: NFKC, case folded, confusables mapped.

    Greek and Cyrillic are compared by their capitals, of which more look Latin than of their small letters. TR39
    calls I, l and 1 alike; here i is too, as it is the small I, whether or not a dot is set on it once more.
    """
    name = unicodedata.normalize("NFKC", name[:_KEY_LENGTH])
    one_case = "".join(char.upper() if _is_greek_or_cyrillic(char) else char.casefold() for char in name)
    key = unicodedata.normalize("NFC", disarm.skeleton_key(one_case, digit_policy="tr39").casefold())
    return key.replace("i\u0307", "i").replace("j\u0307", "j").replace("i", "l")[:_KEY_LENGTH]


def _is_greek_or_cyrillic(char: str) -> bool:
    return unicodedata.name(char, "").startswith(("GREEK", "CYRILLIC"))


def _alphabets(name: str) -> set[str]:
    """The alphabets (those that have capitals) of a name's letters, by Unicode's names of the letters."""
    letters = (char for char in unicodedata.normalize("NFKC", name) if unicodedata.category(char)[0] == "L")
    return {unicodedata.name(char).partition(" ")[0] for char in letters if char.lower() != char.upper()}


def _is_visible(char: str) -> bool:
    category = unicodedata.category(char)
    if char == " ":
        return True
    # a slash would end the name's part of an address
    return category not in _REFUSED_CATEGORIES and category != "Zs" and ord(char) not in _UNSEEN and char not in "/\\"


_RESERVED_KEYS = frozenset(map(name_key, RESERVED))
