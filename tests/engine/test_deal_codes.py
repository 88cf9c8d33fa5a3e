"""Do deal codes and orders of cards name each other exactly, and do wrong codes say what is wrong?"""

import pickle
import sys
import unicodedata
from math import factorial
from pathlib import Path

import pytest

from games.engine.cards import full_deck, read_card, read_cards, write_card, write_cards
from games.engine.deal import (
    ORDER_LENGTHS,
    SEED_LETTERS,
    Deal,
    rank_order,
    read_seed,
    shuffle,
    unrank_order,
    write_seed,
)
from games.engine.errors import CardError, CodeError
from games.engine.rulesets import RULESETS, get_ruleset

_LINES = (Path(__file__).parents[1] / "vectors" / "deal-codes.tsv").read_text("ascii").splitlines()
VECTORS = [tuple(line.split("\t")) for line in _LINES[1:]]
LONG = "ADVXTIV"
FIRST_ORDER = "A" * 46


def write_base32(number: int, length: int) -> str:
    letters = ""
    for _ in range(length):
        number, digit = divmod(number, 32)
        letters = SEED_LETTERS[digit] + letters
    return letters


def test_there_are_vectors_for_both_decks() -> None:
    assert [jokers for _, _, jokers, _, _ in VECTORS] == ["0", "2"] * 12


@pytest.mark.parametrize(("letters", "seed", "jokers", "cards", "order"), VECTORS)
def test_a_vector_holds_both_ways(letters: str, seed: str, jokers: str, cards: str, order: str) -> None:
    letter = "J" if jokers == "2" else "N"
    expected = read_cards(cards)
    assert write_cards(expected) == cards
    assert write_seed(int(seed)) == letters
    assert read_seed(letters) == int(seed)
    assert shuffle(letters, int(jokers)) == expected
    assert rank_order(expected) == order
    assert unrank_order(order, len(expected)) == expected

    deal = Deal.from_code(f"PY1-{letter}-{letters}")
    assert (deal.cards, deal.order, deal.seed_letters) == (expected, order, letters)
    assert deal.code == str(deal) == f"PY1-{letter}-{letters}"
    assert Deal.from_seed(letter, int(seed)).code == deal.code

    by_order = Deal.from_code(f"PY0-{letter}-{order}")
    assert (by_order.cards, by_order.order, by_order.seed_letters) == (expected, order, None)
    assert by_order.code == Deal.from_cards(letter, expected).code == f"PY0-{letter}-{order}"


def test_a_deal_is_one_thing_however_it_is_named() -> None:
    deal = Deal.from_code("PY1-N-AAAAAAS")
    assert deal == Deal.from_code(f"PY0-N-{deal.order}")
    assert hash(deal) == hash(Deal.from_cards("N", deal.cards))
    assert deal != Deal.from_code("PY1-T-AAAAAAS")
    assert deal != Deal.from_code("PY1-N-AAAAAAJ")
    assert pickle.loads(pickle.dumps(deal)) == deal


def test_the_same_letters_give_the_same_order_under_every_ruleset_with_the_same_deck() -> None:
    orders: dict[int, set[str]] = {0: set(), 2: set()}
    for letter, ruleset in RULESETS.items():
        orders[ruleset.jokers].add(Deal.from_code(f"PY1-{letter}-{LONG}").order)
    assert {jokers: len(found) for jokers, found in orders.items()} == {0: 1, 2: 1}


def test_the_two_deals_of_the_rules_text_lie_as_it_says() -> None:
    cards = Deal.from_code("PY1-N-AAAAAAS").cards
    row_g = write_cards(cards[21:28]).split()
    assert [row_g[i - 1] for i in (2, 3, 1, 7, 5)] == ["Kd", "Tc", "3s", "7c", "7s"]
    assert "Qc" in write_cards(cards[15:21]).split()


# Every dash of Unicode and the minus sign, which is none.
DASHES = "\u2212" + "".join(c for c in map(chr, range(sys.maxunicode + 1)) if unicodedata.category(c) == "Pd")
SPACES = " \t\n\r\v\f\u0085\u00a0\u1680\u2000\u2003\u200a\u2028\u2029\u202f\u205f\u3000"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("py1-n-advxtiv", "PY1-N-ADVXTIV"),
        ("PY1NADVXTIV", "PY1-N-ADVXTIV"),
        (" p y 1 n a d v x t i v\n", "PY1-N-ADVXTIV"),
        ("-PY--1NADV-XTIV-", "PY1-N-ADVXTIV"),
        (f"PY1{DASHES}N{SPACES}ADVXTIV", "PY1-N-ADVXTIV"),
        ("PYI-N-ADVXTIV", "PY1-N-ADVXTIV"),
        ("pyi-n-advxtiv", "PY1-N-ADVXTIV"),
        ("PY1-N-ADVXT1V", "PY1-N-ADVXTIV"),
        ("PY1-N-0018888", "PY1-N-OOIBBBB"),
        ("PY1-0-ADVXTIV", "PY1-O-ADVXTIV"),
        ("PY1-8-ADVXTIV", "PY1-B-ADVXTIV"),
        (f"PYO-N-{FIRST_ORDER}", f"PY0-N-{FIRST_ORDER}"),
        (f"pyo n {FIRST_ORDER.lower()}", f"PY0-N-{FIRST_ORDER}"),
        (f"PY0-N-{'A' * 45}1", f"PY0-N-{'A' * 45}I"),
        (f"PY0-J-{'A' * 48}", f"PY0-J-{'A' * 48}"),
    ],
)
def test_reading_is_forgiving_and_writing_exact(text: str, code: str) -> None:
    deal = Deal.from_code(text)
    assert deal.code == code
    assert deal == Deal.from_code(code)


@pytest.mark.parametrize("letters", ["2345670", "777777O", "OIBOIBO", "A0A1A8A"])
def test_letters_that_look_alike_read_as_one(letters: str) -> None:
    exact = letters.translate(str.maketrans("018", "OIB"))
    assert Deal.from_code(f"PY1-N-{letters}").code == f"PY1-N-{exact}"


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("", "prefix"),
        ("-", "prefix"),
        ("PY", "prefix"),
        ("PY2-N-ADVXTIV", "prefix"),
        ("PX1-N-ADVXTIV", "prefix"),
        ("YP1-N-ADVXTIV", "prefix"),
        ("PYL-N-ADVXTIV", "prefix"),
        ("N-ADVXTIV", "prefix"),
        ("PY\u0661-N-ADVXTIV", "prefix"),
        ("\uff30Y1-N-ADVXTIV", "prefix"),
        ("PY\u0131-N-ADVXTIV", "prefix"),
        ("\ufeffPY1-N-ADVXTIV", "prefix"),
        ("PY\u200b1-N-ADVXTIV", "prefix"),
        ("PY_1-N-ADVXTIV", "prefix"),
        ("\ud800", "prefix"),
        ("PY1", "ruleset"),
        ("PY0-", "ruleset"),
        ("PY1-Z-ADVXTIV", "ruleset"),
        ("PY1-1-ADVXTIV", "ruleset"),
        ("PY1-2-ADVXTIV", "ruleset"),
        ("PY1-\u017f-ADVXTIV", "ruleset"),
        ("PY1-\u0422-ADVXTIV", "ruleset"),
        ("PY1-\uff34-ADVXTIV", "ruleset"),
        ("PY1-\x00-ADVXTIV", "ruleset"),
        ("PY1-N-ADVXTI9", "letters"),
        ("PY1-N-ADVXTI\u017f", "letters"),
        ("PY1-N-ADVXT\u0131V", "letters"),
        ("PY1-N-ADVXT\u0130V", "letters"),
        ("PY1-N-ADVXTI\u212a", "letters"),
        ("PY1-N-ADVXTI\uff36", "letters"),
        ("PY1-N-ADVXTI\u0662", "letters"),
        ("PY1-N-ADVXTI\u00b2", "letters"),
        ("PY1-N-ADVXTI=", "letters"),
        ("PY1-N-ADVXTI\x00", "letters"),
        ("PY1-N-ADVXTI\ufb01", "letters"),
        ("PY1-N-ADVXTI\udc41", "letters"),
        ("PY1-N-", "length"),
        ("PY1-N-ADVXTI", "length"),
        ("PY1-N-ADVXTIVA", "length"),
        (f"PY1-N-{FIRST_ORDER}", "length"),
        ("PY0-N-ADVXTIV", "length"),
        (f"PY0-N-{'A' * 48}", "length"),
        (f"PY0-J-{'A' * 46}", "length"),
        (f"PY0-N-{'7' * 46}", "letters"),
        (f"PY0-J-{'7' * 48}", "letters"),
        (f"PY0-N-{'A' * 45}9", "letters"),
    ],
)
def test_a_wrong_code_says_which_part_is_wrong(text: str, part: str) -> None:
    with pytest.raises(CodeError) as caught:
        Deal.from_code(text)
    assert (caught.value.part, caught.value.code) == (part, part)
    assert str(caught.value).endswith(".")


@pytest.mark.parametrize("letter", ["N", "J"])
def test_the_last_order_is_a_deal_and_the_next_number_is_none(letter: str) -> None:
    n = 52 + get_ruleset(letter).jokers
    length = ORDER_LENGTHS[n]
    last = Deal.from_code(f"PY0-{letter}-{write_base32(factorial(n) - 1, length)}")
    assert last.cards == tuple(range(n - 1, -1, -1))
    assert Deal.from_code(f"PY0-{letter}-{'A' * length}").cards == full_deck(n - 52)
    with pytest.raises(CodeError, match="past the last order") as caught:
        Deal.from_code(f"PY0-{letter}-{write_base32(factorial(n), length)}")
    assert caught.value.part == "letters"


@pytest.mark.parametrize("seed", [-1, 2**35])
def test_a_seed_has_35_bits(seed: int) -> None:
    with pytest.raises(CodeError) as caught:
        Deal.from_seed("N", seed)
    assert caught.value.part == "letters"


@pytest.mark.parametrize("letter", ["Z", "n", "", "NN"])
def test_a_ruleset_is_named_by_its_capital_letter(letter: str) -> None:
    with pytest.raises(CodeError) as caught:
        get_ruleset(letter)
    assert caught.value.part == "ruleset"


@pytest.mark.parametrize(
    ("letter", "cards", "sentence"),
    [
        ("N", list(range(51)), "Not one whole deck. Wrong: -; double: -; missing: Ks."),
        ("N", list(range(54)), "Not one whole deck. Wrong: X1 X2; double: -; missing: -."),
        ("J", list(range(52)), "Not one whole deck. Wrong: -; double: -; missing: X1 X2."),
        ("N", [0, *range(51)], "Not one whole deck. Wrong: -; double: Ac; missing: Ks."),
        ("N", [*range(50), 99, -1], "Not one whole deck. Wrong: -1 99; double: -; missing: Qs Ks."),
        ("T", [12] * 52, None),
    ],
)
def test_a_list_of_cards_says_which_are_wrong_double_and_missing(
    letter: str, cards: list[int], sentence: str | None
) -> None:
    with pytest.raises(CodeError) as caught:
        Deal.from_cards(letter, cards)
    assert caught.value.part == "cards"
    if sentence is not None:
        assert str(caught.value) == sentence


@pytest.mark.parametrize("text", ["", "K", "kd", "KD", "10c", "1c", "X3", "Kd ", "Kdx", "\u212ad", "--"])
def test_a_text_that_is_no_card_is_an_error(text: str) -> None:
    with pytest.raises(CardError, match="is not a card"):
        read_card(text)


@pytest.mark.parametrize("card", [-1, 54])
def test_a_number_that_is_no_card_is_an_error(card: int) -> None:
    with pytest.raises(CardError, match="is not a card"):
        write_card(card)


def test_a_list_of_cards_names_the_first_that_is_none() -> None:
    with pytest.raises(CardError, match="Zd is not a card"):
        read_cards("Ac Zd Kd Zz")
