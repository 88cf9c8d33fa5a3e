"""Cards: ints 0..51 (13 * suit + rank - 1, suits c d h s) and the jokers 52 (X1) and 53 (X2)."""

from collections.abc import Iterable

from games.engine.errors import CardError, gettext_noop

RANKS = "A23456789TJQK"
SUITS = "cdhs"
DECK_SIZE = 52
JOKERS = 2

CARD_TEXTS = (*(rank + suit for suit in SUITS for rank in RANKS), "X1", "X2")
# Jokers are worth nothing by themselves; they pair by a rule of their own.
VALUES = tuple(range(1, 14)) * 4 + (0, 0)

_CARDS = {text: card for card, text in enumerate(CARD_TEXTS)}


def write_card(card: int) -> str:
    """The two characters of a card 0..53, for example "Kd"; CardError for any other number."""
    if not 0 <= card < len(CARD_TEXTS):
        raise CardError("card", gettext_noop("%(card)s is not a card."), {"card": card})
    return CARD_TEXTS[card]


def read_card(text: str) -> int:
    """The card of an exact text such as "Kd", "Tc" or "X1"; CardError otherwise."""
    card = _CARDS.get(text)
    if card is None:
        raise CardError("card", gettext_noop("%(card)s is not a card."), {"card": text})
    return card


def write_cards(cards: Iterable[int]) -> str:
    """Cards separated by one space: "6d 5h Ah"."""
    return " ".join(map(write_card, cards))


def read_cards(text: str) -> tuple[int, ...]:
    """The cards of a text separated by white space; CardError names the first that is none."""
    return tuple(map(read_card, text.split()))


def is_joker(card: int) -> bool:
    return card >= DECK_SIZE


def full_deck(jokers: int) -> tuple[int, ...]:
    """The unshuffled deck: 52 cards by suit and rank, then 0, 1 or 2 jokers."""
    return tuple(range(DECK_SIZE + jokers))
