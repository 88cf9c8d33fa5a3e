"""Rulesets and deals over REST: every field of the rules, and the cards behind every way to write a code."""

import dataclasses
from pathlib import Path
from urllib.parse import quote

import pytest

from games.engine.cards import read_cards, write_cards
from games.engine.deal import Deal
from games.engine.position import Position
from games.engine.rulesets import RULESETS
from games.models import Deal as StoredDeal
from tests.client import Api
from tests.players import log_in, make_player

pytestmark = pytest.mark.django_db

# letter, slug, passes, stock, start, goal, target, jokers, lenient, cover_pairs, tells_hopeless, undo, undo_counts,
# scoring: typed from the rules' table
RULES = """
N relaxed  -  closed  1 tableau 13 0 no  no  no  100 no  tens
S strict   3  open    0 all     13 0 no  no  no  100 no  tens
O original 1  open    0 all     13 0 no  no  no  100 no  tens
T tower    3  open    0 tableau 13 0 no  no  no  -   no  cards
A one-pass 1  closed  0 tableau 13 0 no  no  no  -   no  cards
D two-pass 2  closed  0 tableau 13 0 no  no  no  -   no  cards
B classic  3  closed  0 tableau 13 0 no  no  no  -   no  cards
C endless  -  closed  0 tableau 13 0 no  no  no  -   no  cards
G giza     1  reserve 0 tableau 13 0 no  no  no  -   no  cards
M points   4  closed  0 tableau 13 0 no  no  no  -   no  points
P hard     1  closed  0 tableau 13 0 no  no  no  -   no  points
L lenient  4  closed  0 tableau 13 0 yes no  no  -   no  points
J joker    4  closed  0 tableau 13 2 no  no  no  -   no  points
E elevens  4  closed  0 tableau 11 0 no  no  no  -   no  points
X tens     4  closed  0 tableau 10 0 no  no  no  -   no  points
F free     -  closed  0 tableau 13 0 no  yes yes -   yes none
"""
FIELDS = [field.name for field in dataclasses.fields(next(iter(RULESETS.values())))]


def read_row(line: str) -> dict[str, object]:
    values = {"yes": True, "no": False, "-": None}
    names = [name for name in FIELDS if name != "name"]
    cells = [int(cell) if cell.isdigit() else values.get(cell, cell) for cell in line.split()]
    return dict(zip(names, cells, strict=True))


def test_all_rulesets_are_listed_with_every_field_of_their_rules() -> None:
    status, answer = Api().get("rulesets/")
    assert status == 200
    assert all(list(ruleset) == FIELDS for ruleset in answer)
    names = {ruleset.pop("letter"): ruleset.pop("name") for ruleset in answer}
    rows = [read_row(line) for line in RULES.split("\n") if line]
    assert list(names) == [row.pop("letter") for row in rows]
    assert answer == rows
    assert (names["N"], names["A"], names["F"]) == ("Relaxed", "One pass", "Free pairs")
    assert len(set(names.values())) == 16


@pytest.mark.parametrize("letter", RULESETS)
def test_a_ruleset_is_shown_as_it_is_listed(letter: str) -> None:
    status, answer = Api().get(f"rulesets/{letter}/")
    assert status == 200
    assert answer == Api().get("rulesets/")[1][list(RULESETS).index(letter)]


@pytest.mark.parametrize("letter", RULESETS)
def test_a_deal_of_every_ruleset_shows_its_cards_and_its_start(letter: str) -> None:
    deal = Deal.from_seed(letter, 18)
    status, answer = Api().get(f"deals/PY1-{letter}-AAAAAAS/")
    assert status == 200
    assert answer == {
        "code": f"PY1-{letter}-AAAAAAS",
        "py0": f"PY0-{letter}-{deal.order}",
        "ruleset": letter,
        "cards": write_cards(deal.cards),
        "position": Position.start(deal).text,
    }
    assert len(answer["cards"].split()) == 52 + RULESETS[letter].jokers
    again = Api().get(f"deals/{answer['py0']}/")[1]
    assert again == answer | {"code": answer["py0"]}


def test_the_codes_of_the_reference_vectors_have_their_cards() -> None:
    lines = (Path(__file__).parents[1] / "vectors/deal-codes.tsv").read_text().splitlines()
    header, *rows = [line.split("\t") for line in lines]
    assert len(rows) > 10
    for row in rows:
        fields = dict(zip(header, row, strict=True))
        letter = "J" if fields["jokers"] == "2" else "T"
        answer = Api().get(f"deals/PY1-{letter}-{fields['letters']}/")[1]
        assert (answer["cards"], answer["py0"]) == (fields["cards"], f"PY0-{letter}-{fields['py0']}")


@pytest.mark.parametrize(
    "written",
    [
        "py1-n-aaaaaas",
        "PY1NAAAAAAS",
        "  PY1 N  AAA AAAS ",
        "PY1–N—AAAAAAS",
        "PY1−N‐AAAAAAS",
        "PYI-N-AAAAAAS",
        "\u00a0PY1-N-AAAAAAS\n",
        "P-Y-1-N-A-A-A-A-A-A-S",
    ],
)
def test_a_code_is_read_forgivingly_and_written_exactly(written: str) -> None:
    status, answer = Api().get(f"deals/{quote(written, safe='')}/")
    assert (status, answer["code"]) == (200, "PY1-N-AAAAAAS")


@pytest.mark.parametrize(("written", "code"), [("PY1-8-AAAAAAS", "PY1-B-AAAAAAS"), ("PY1-0-01801AB", "PY1-O-OIBOIAB")])
def test_digits_that_are_no_letters_of_a_code_read_as_what_they_look_like(written: str, code: str) -> None:
    assert Api().get(f"deals/{written}/")[1]["code"] == code


# The code of given cards

ORDER = write_cards(Deal.from_seed("T", 18).cards)
PY0 = Deal.from_cards("T", read_cards(ORDER)).code
WITH_JOKERS = write_cards(Deal.from_seed("J", 18).cards)


@pytest.mark.parametrize("written", [ORDER, f"  {ORDER}\n", ORDER.replace(" ", "\t \r\n")])
def test_cards_from_elsewhere_have_a_py0_code(written: str) -> None:
    status, answer = Api().post("deals/", {"ruleset": "T", "cards": written})
    assert (status, answer["code"], answer["py0"], answer["cards"]) == (200, PY0, PY0, ORDER)
    assert Api().get(f"deals/{PY0}/")[1] == answer
    assert not StoredDeal.objects.exists()


def test_a_deck_with_jokers_has_a_longer_code() -> None:
    status, answer = Api().post("deals/", {"ruleset": "J", "cards": WITH_JOKERS})
    assert (status, answer["cards"]) == (200, WITH_JOKERS)
    assert len(answer["code"]) == len("PY0-J-") + 48


@pytest.mark.parametrize(
    ("ruleset", "cards", "said"),
    [
        ("T", ORDER.replace("Kd", "Zz"), "Zz is not a card."),
        ("T", ORDER.replace("Kd", "kd"), "kd is not a card."),
        ("T", ORDER.replace("Td", "10d"), "10d is not a card."),
        ("T", ORDER.replace(" ", ","), " is not a card."),
        ("T", ORDER.replace("Kd", "Ac"), "Wrong: -; double: Ac; missing: Kd."),
        ("T", ORDER.replace("Kd", "").replace("2h", ""), "Wrong: -; double: -; missing: Kd 2h."),
        ("T", ORDER + " Ac Kd", "Wrong: -; double: Ac Kd; missing: -."),
        ("T", WITH_JOKERS, "Wrong: X1 X2; double: -; missing: -."),
        ("T", ORDER.replace("Kd", "X1"), "Wrong: X1; double: -; missing: Kd."),
        ("J", ORDER, "Wrong: -; double: -; missing: X1 X2."),
        ("J", WITH_JOKERS.replace("X2", "X1"), "Wrong: -; double: X1; missing: X2."),
        ("T", "Ac", "missing: 2c 3c "),
        ("T", "", "missing: Ac 2c "),
    ],
)
def test_wrong_double_and_missing_cards_are_named(ruleset: str, cards: str, said: str) -> None:
    status, answer = Api().post("deals/", {"ruleset": ruleset, "cards": cards})
    assert (status, answer["code"], answer["where"]) == (400, "cards", "cards")
    assert said in answer["detail"]


@pytest.mark.parametrize("ruleset", ["", "Z", "t", "1", "TT", " T"])
def test_cards_under_an_unknown_ruleset_have_no_code(ruleset: str) -> None:
    status, answer = Api().post("deals/", {"ruleset": ruleset, "cards": ORDER})
    assert (status, answer["code"], answer["where"]) == (400, "ruleset", "ruleset")


def test_cards_are_called_by_their_seed_once_somebody_played_them_by_it() -> None:
    ada = log_in(make_player("Ada"))
    assert Api().post("deals/", {"ruleset": "T", "cards": ORDER})[1]["code"] == PY0
    assert ada.post("attempts/", {"deal": PY0})[0] == 201
    assert Api().get(f"deals/{PY0}/")[1]["code"] == PY0
    assert log_in(make_player("Eve")).post("attempts/", {"deal": "PY1-T-AAAAAAS"})[0] == 201
    answer = Api().post("deals/", {"ruleset": "T", "cards": ORDER})[1]
    assert (answer["code"], answer["py0"]) == ("PY1-T-AAAAAAS", PY0)
    assert Api().get(f"deals/{PY0}/")[1] == answer
    assert Api().post("deals/", {"ruleset": "B", "cards": ORDER})[1]["code"] == PY0.replace("-T-", "-B-")
    assert StoredDeal.objects.count() == 1
