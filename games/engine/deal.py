"""Deals and their codes, PY1 (a seed) and PY0 (an order). Source: formats.md, "Deal codes"."""

import struct
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from math import factorial
from typing import Self

from games.engine.cards import CARD_TEXTS, DECK_SIZE, full_deck
from games.engine.errors import CodeError, gettext_noop
from games.engine.rulesets import RULESETS, Ruleset, get_ruleset

SEED_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
SEED_LENGTH = 7
# Letters of a PY0 code by the size of the deck: the fewest that hold n! orders.
ORDER_LENGTHS = {52: 46, 54: 48}

_DIGITS = {letter: digit for digit, letter in enumerate(SEED_LETTERS)}
_MINUS = "\u2212"
_PREFIX_SIZE = 3
_READ_PREFIX = str.maketrans("OI", "01")
_READ_LETTERS = str.maketrans("018", "OIB")
_LIMITS = tuple(2**32 // m * m if m else 0 for m in range(55))


@dataclass(frozen=True)
class Deal:
    """An order of the cards under a ruleset.

    `cards` is the order (0..27 the tableau, then the stock), `code` the exact writing of the code it was
    read from. Two deals are equal if ruleset and order are, whatever their codes.
    """

    ruleset: Ruleset
    cards: tuple[int, ...]
    code: str = field(compare=False)

    @classmethod
    def from_code(cls, text: str) -> Self:
        """Read a PY1 or PY0 code forgivingly; CodeError says which part is wrong."""
        prefix, letter, letters = _split_code(text)
        ruleset = RULESETS[letter]
        jokers = ruleset.jokers
        cards = shuffle(letters, jokers) if prefix == "PY1" else unrank_order(letters, DECK_SIZE + jokers)
        return cls(ruleset, cards, f"{prefix}-{letter}-{letters}")

    @classmethod
    def from_seed(cls, letter: str, seed: int) -> Self:
        """The deal of a 35-bit seed under the ruleset of a letter; CodeError for another letter or number."""
        ruleset = get_ruleset(letter)
        letters = write_seed(seed)
        return cls(ruleset, shuffle(letters, ruleset.jokers), f"PY1-{letter}-{letters}")

    @classmethod
    def from_cards(cls, letter: str, cards: Sequence[int]) -> Self:
        """The deal of a whole deck in some order; CodeError names wrong, double and missing cards."""
        ruleset = get_ruleset(letter)
        _check_deck(cards, ruleset.jokers)
        return cls(ruleset, tuple(cards), f"PY0-{letter}-{rank_order(cards)}")

    @cached_property
    def order(self) -> str:
        """The PY0 letters (46 or 48): the identity of the order of the cards, whatever the ruleset."""
        if self.code.startswith("PY0"):
            return self.code[6:]
        return rank_order(self.cards)

    @property
    def seed_letters(self) -> str | None:
        """The seven letters of a deal known by its PY1 code, else None."""
        return self.code[6:] if self.code.startswith("PY1") else None

    def __str__(self) -> str:
        return self.code


def write_seed(seed: int) -> str:
    """The seven letters of a seed 0 .. 2^35 - 1; CodeError for another number."""
    if not 0 <= seed < 1 << 5 * SEED_LENGTH:
        raise CodeError("letters", gettext_noop("A seed is a number from 0 to 34359738367."))
    return _write_base32(seed, SEED_LENGTH)


def read_seed(letters: str) -> int:
    """The seed of seven exact letters; CodeError otherwise."""
    return _read_base32(letters, SEED_LENGTH)


def shuffle(letters: str, jokers: int) -> tuple[int, ...]:
    """The order of the cards that seven exact letters stand for, 52 + jokers cards."""
    cards = list(full_deck(jokers))
    words = _words(letters)
    for i in range(len(cards) - 1, 0, -1):
        m = i + 1
        x = next(words)
        while x >= _LIMITS[m]:
            x = next(words)
        j = x % m
        cards[i], cards[j] = cards[j], cards[i]
    return tuple(cards)


def rank_order(cards: Sequence[int]) -> str:
    """The PY0 letters of a permutation of range(n), n = 52 or 54: its Lehmer rank in base32."""
    n = len(cards)
    rank = 0
    left = (1 << n) - 1
    for i, card in enumerate(cards):
        rank = rank * (n - i) + (left & ((1 << card) - 1)).bit_count()
        left ^= 1 << card
    return _write_base32(rank, ORDER_LENGTHS[n])


def unrank_order(letters: str, n: int) -> tuple[int, ...]:
    """The permutation of range(n), n = 52 or 54, with the exact PY0 letters; CodeError past n! - 1."""
    rank = _read_base32(letters, ORDER_LENGTHS[n])
    if rank >= factorial(n):
        raise CodeError("letters", gettext_noop("The letters stand past the last order of the cards."))
    digits = []
    for base in range(1, n + 1):
        rank, digit = divmod(rank, base)
        digits.append(digit)
    left = list(range(n))
    return tuple(left.pop(digit) for digit in reversed(digits))


def _words(letters: str) -> Iterator[int]:
    """The endless stream of 32-bit words of a seed."""
    seed = sha256(f"PY1:249915957:{letters}:".encode("ascii"))
    k = 0
    while True:
        digest = seed.copy()
        digest.update(b"%d" % k)
        yield from struct.unpack(">8I", digest.digest())
        k += 1


def _write_base32(number: int, length: int) -> str:
    return "".join(SEED_LETTERS[number >> 5 * i & 31] for i in range(length - 1, -1, -1))


def _read_base32(letters: str, length: int) -> int:
    _check_letters(letters, length)
    number = 0
    for letter in letters:
        number = number << 5 | _DIGITS[letter]
    return number


def _check_letters(letters: str, length: int) -> None:
    for letter in letters:
        if letter not in _DIGITS:
            raise CodeError(
                "letters",
                gettext_noop("%(letter)s is not a letter of a deal code (A-Z, 2-7)."),
                {"letter": letter},
            )
    if len(letters) != length:
        raise CodeError(
            "length",
            gettext_noop("The code needs %(length)s letters after the ruleset, not %(found)s."),
            {"length": length, "found": len(letters)},
        )


def _split_code(text: str) -> tuple[str, str, str]:
    """Prefix, ruleset letter and letters of a code in exact writing; only the rank is left unchecked."""
    body = "".join(c for c in text if not _is_dropped(c))
    # Only ASCII has its case dropped: upper() would turn strangers such as the long s into good letters.
    body = "".join(c.upper() if c.isascii() else c for c in body)
    prefix = body[:_PREFIX_SIZE].translate(_READ_PREFIX)
    if prefix not in ("PY1", "PY0"):
        raise CodeError("prefix", gettext_noop("A deal code begins with PY1 or PY0."))
    letter = body[_PREFIX_SIZE : _PREFIX_SIZE + 1].translate(_READ_LETTERS)
    if not letter:
        raise CodeError("ruleset", gettext_noop("The code ends before the letter of its ruleset."))
    ruleset = get_ruleset(letter)
    letters = body[_PREFIX_SIZE + 1 :].translate(_READ_LETTERS)
    _check_letters(letters, SEED_LENGTH if prefix == "PY1" else ORDER_LENGTHS[DECK_SIZE + ruleset.jokers])
    return prefix, letter, letters


def _is_dropped(c: str) -> bool:
    return c == "-" or c.isspace() or c == _MINUS or unicodedata.category(c) == "Pd"


def _check_deck(cards: Sequence[int], jokers: int) -> None:
    deck = full_deck(jokers)
    counts = Counter(cards)
    wrong = [str(card) if not 0 <= card < len(CARD_TEXTS) else CARD_TEXTS[card] for card in counts.keys() - set(deck)]
    double = [CARD_TEXTS[card] for card in deck if counts[card] > 1]
    missing = [CARD_TEXTS[card] for card in deck if not counts[card]]
    if wrong or double or missing:
        raise CodeError(
            "cards",
            gettext_noop("Not one whole deck. Wrong: %(wrong)s; double: %(double)s; missing: %(missing)s."),
            {
                "wrong": " ".join(sorted(wrong)) or "-",
                "double": " ".join(double) or "-",
                "missing": " ".join(missing) or "-",
            },
        )
