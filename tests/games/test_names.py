"""Player names: what may be one, and which two cannot stand side by side."""

import sys
import unicodedata
from collections.abc import Callable
from urllib.parse import quote

import pytest

from games.errors import Problem
from games.models import Player
from games.names import clean_name, name_key
from tests.client import Api
from tests.players import log_in, make_player

GOOD = [
    ("Al", "Al"),
    ("Ada Lovelace", "Ada Lovelace"),
    ("x" * 24, "x" * 24),
    ("7of9", "7of9"),
    ("Zoe\u0308", "Zoë"),
    ("e\u0301" * 24, "é" * 24),
    ("Käthe-Groß.2", "Käthe-Groß.2"),
    ("Тома", "Тома"),
    ("Νίκος", "Νίκος"),
    ("עברית", "עברית"),
    ("العربية 7", "العربية 7"),
    ("Ada 東京", "Ada 東京"),
    ("क्षि", "क्षि"),
    ("😀 Ada", "😀 Ada"),
    ("100%?#&+;", "100%?#&+;"),
]

BAD = [
    ("", "name_length"),
    ("A", "name_length"),
    ("x" * 25, "name_length"),
    ("x" * 100_000, "name_length"),
    ("\ufb2c" * 12 + "x", "name_length"),  # NFC takes each apart into three
    ("\u202eadA", "name_character"),  # written from the right
    ("Ada\u200f", "name_character"),
    ("A\u200bda", "name_character"),
    ("A\u200dda", "name_character"),
    ("A\u00adda", "name_character"),
    ("\ufeffAda", "name_character"),
    ("Ada\ufe0f", "name_character"),
    ("A\u034fda", "name_character"),
    ("A\u3164da", "name_character"),
    ("\u2800\u2800", "name_character"),
    ("A\u2060da", "name_character"),
    ("A\U000e0041da", "name_character"),
    ("A\u2028da", "name_character"),
    ("A\u00a0da", "name_character"),
    ("A\u3000da", "name_character"),
    ("A\tda", "name_character"),
    ("A\nda", "name_character"),
    ("A\x7fda", "name_character"),
    ("A\u0085da", "name_character"),
    ("A\ue000da", "name_character"),
    ("A\ufffcda", "name_character"),
    ("A\U0001d159da", "name_character"),
    ("A\U0010ffffda", "name_character"),
    ("A/da", "name_character"),
    ("A\\da", "name_character"),
    (" Ada", "name_spaces"),
    ("Ada ", "name_spaces"),
    ("Ada  B", "name_spaces"),
    ("..", "name_no_letter"),
    ("😀😀", "name_no_letter"),
    ("\u0301\u0301", "name_no_letter"),
    ("Тom", "name_alphabets"),
    ("Ηanna", "name_alphabets"),
    ("Дα", "name_alphabets"),
    ("aꭺ", "name_alphabets"),
]

ALIKE = [
    ("Ada", "ada"),
    ("Ada", "ADA"),
    ("Groß", "GROSS"),
    ("groß", "GROẞ"),
    ("Zoë", "ZOE\u0308"),
    ("Åsa", "\u212bsa"),
    ("Ａｄａ", "Ada"),
    ("𝐀𝓭𝖆", "Ada"),
    ("ﬁona", "Fiona"),
    ("Ⓐda", "Ada"),
    ("Ⅷ2", "viii2"),
    ("x²", "x2"),
    ("IDA", "lda"),
    ("Bill", "BiII"),
    ("Bill", "B1ll"),
    ("Bill", "Bi||"),
    ("Bob", "B0b"),
    ("KIM", "kim"),
    ("İda", "ida"),
    ("i\u0307da", "ida"),
    ("ıda", "ida"),
    ("сосо", "coco"),
    ("ТОМ", "tom"),
    ("том", "TOM"),
    ("ΝΑΝΑ", "nana"),
    ("Νίκος", "ΝΊΚΟΣ"),
    ("Тома", "тОМА"),
    ("ﷺ1", "صلى الله عليه وسلم1"),
    ("a-b", "a‐b"),
    ("a'b", "a’b"),
]

APART = [
    ("Ada", "Adi"),
    ("Bob", "Rob"),
    ("Nina", "Vina"),
    ("Hans", "Nans"),
    ("Uma", "Yma"),
    ("a b", "ab"),
    ("a1", "a2"),
]
RESERVED = ["me", "ME", "ｍｅ", "Admin", "ADM1N", "МЕ", "ме", "Moderator", "Pyramidion", "pyramldlon"]
EVERY_VISIBLE = [
    char
    for char in map(chr, range(0x21, sys.maxunicode + 1))
    if unicodedata.category(char) not in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp", "Zs")
]


@pytest.mark.parametrize(("name", "stored"), GOOD)
def test_a_good_name_is_stored_in_nfc(name: str, stored: str) -> None:
    assert clean_name(name) == stored


@pytest.mark.parametrize(("name", "code"), BAD)
def test_a_bad_name_is_refused_with_its_code(name: str, code: str) -> None:
    with pytest.raises(Problem) as caught:
        clean_name(name)
    assert (caught.value.status, caught.value.code, caught.value.where) == (400, code, "name")


@pytest.mark.parametrize(("name", "other"), ALIKE)
def test_names_that_look_alike_have_one_key(name: str, other: str) -> None:
    assert name_key(name) == name_key(other)


@pytest.mark.parametrize(("name", "other"), APART)
def test_names_that_a_reader_tells_apart_have_two_keys(name: str, other: str) -> None:
    assert name_key(name) != name_key(other)


@pytest.mark.parametrize("name", RESERVED)
def test_a_reserved_name_is_taken_however_it_is_written(name: str) -> None:
    with pytest.raises(Problem) as caught:
        clean_name(name)
    assert (caught.value.status, caught.value.code, caught.value.where) == (409, "name_taken", "name")


@pytest.mark.parametrize(
    "rewrite",
    [
        str.upper,
        str.lower,
        str.casefold,
        lambda name: unicodedata.normalize("NFD", name),
        lambda name: unicodedata.normalize("NFKC", name),
    ],
    ids=["upper", "lower", "casefold", "NFD", "NFKC"],
)
def test_no_character_of_unicode_escapes_case_and_composition(rewrite: Callable[[str], str]) -> None:
    changed = [f"x{char}x" for char in EVERY_VISIBLE if rewrite(char) != char]
    assert len(changed) > 1000
    assert [name for name in changed if name_key(name) != name_key(rewrite(name))] == []


@pytest.mark.django_db
def test_the_longest_key_fits_its_column() -> None:
    player = make_player("\ufdfa" * 24)  # 18 characters each in NFKC
    assert log_in(player).get("players/me/")[0] == 200


def test_a_name_of_any_length_has_a_key() -> None:
    assert len(name_key("\ufdfa" * 500_000)) == 200


@pytest.mark.django_db
@pytest.mark.parametrize(("name", "code"), BAD)
def test_signing_up_with_a_bad_name_makes_no_player(name: str, code: str) -> None:
    status, answer = Api().post("players/", {"name": name, "password": "a long password"})
    assert (status, answer["code"], answer["where"]) == (400, code, "name")
    assert not Player.objects.exists()


@pytest.mark.django_db
@pytest.mark.parametrize(("name", "other"), ALIKE)
def test_of_two_names_that_look_alike_the_second_is_taken(name: str, other: str) -> None:
    make_player(clean_name(name))
    status, answer = Api().post("players/", {"name": other, "password": "a long password"})
    assert (status, answer["code"], answer["where"]) == (409, "name_taken", "name")
    assert Player.objects.get().name == clean_name(name)


@pytest.mark.django_db
@pytest.mark.parametrize("name", [good for good, _stored in GOOD])
def test_a_player_is_found_by_the_name_in_an_address(name: str) -> None:
    make_player(clean_name(name))
    for written in (name, name.upper(), unicodedata.normalize("NFD", name)):
        status, answer = Api().get(f"players/{quote(written, safe='')}/")
        assert (status, answer["name"]) == (200, clean_name(name))
