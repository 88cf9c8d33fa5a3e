"""Does every document get exactly the verdict that formats.md gives it?"""

import json

import pytest

from games.engine.cards import read_cards
from games.engine.deal import Deal
from games.engine.replay import Refusal, Verdict, dump, judge, judge_document, verify

CODE = "PY1-N-AAAAAAS"
MOVES = "g2 g1g3 f1f2 e1W D"
TIMES = [1840, 3120, 5200, 7044, 7610]
GOOD: dict[str, object] = {"format": "pyramid-replay/1", "deal": CODE, "moves": MOVES, "times": TIMES}


def document(**changes: object) -> str:
    """The good document with fields changed, or taken out where the change is `...`."""
    fields = {**GOOD, **changes}
    return json.dumps({name: value for name, value in fields.items() if value is not ...})


def refuse(text: str | bytes) -> tuple[str, int | None, str | None]:
    verdict = judge(text)
    assert isinstance(verdict, Refusal), verdict
    assert verdict.detail.endswith(".")
    assert json.loads(dump(verdict.as_dict())) == verdict.as_dict()
    dump(verdict.as_dict()).encode("utf-8")
    return verdict.reason, verdict.at, verdict.token


def accept(text: str | bytes) -> Verdict:
    verdict = judge(text)
    assert isinstance(verdict, Verdict), verdict
    assert json.loads(dump(verdict.as_dict())) == verdict.as_dict()
    return verdict


def test_the_good_example_has_the_verdict_of_the_contract_to_the_letter() -> None:
    text = (
        '{"format": "pyramid-replay/1", "deal": "PY1-N-AAAAAAS", "moves": "g2 g1g3 f1f2 e1W D",'
        ' "times": [1840, 3120, 5200, 7044, 7610]}'
    )
    assert dump(judge(text).as_dict()) == (
        '{"legal": true, "deal": "PY1-N-AAAAAAS", "outcome": "unfinished", "plies": 5, "moves": 5, "undos": 0,'
        ' "points": 60, "bonus": null, "removed": 6, "left": 22, "removed_all": 7, "left_all": 45, "pass": 1,'
        ' "elapsed_ms": 7610, "rules": 1}'
    )
    assert judge(text.encode()) == judge(text) == judge_document(json.loads(text))


def test_the_bad_example_has_the_verdict_of_the_contract_to_the_letter() -> None:
    text = '{"format": "pyramid-replay/1", "deal": "PY1-N-AAAAAAS", "moves": "g2 g5g7"}'
    assert dump(judge(text).as_dict()) == (
        '{"legal": false, "at": 1, "token": "g5g7", "reason": "sum", "detail": "7 and 7 make 14; the sum must be 13."}'
    )


DEEP = b"[" * 40_000
LONG_NUMBER = "1" * 5000


def test_a_number_of_thousands_of_digits_is_json_and_no_time_no_version_and_no_text() -> None:
    assert refuse(document().replace("1840", LONG_NUMBER)) == ("times", 0, None)
    assert refuse(document(rules=1).replace('"rules": 1', '"rules": -' + LONG_NUMBER)) == ("format", None, None)
    assert refuse(f'{{"deal": {LONG_NUMBER}}}') == ("shape", None, None)


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        b"",
        "{",
        "nul",
        "{'format': 1}",
        document() + "x",
        document()[:-1] + ",}",
        "\ufeff" + document(),
        b"\xef\xbb\xbf" + document().encode(),
        document().encode("utf-16"),
        document().encode("utf-16-le"),
        document().encode("utf-32"),
        document(moves="g2 \xe9").replace("\\u00e9", "\xe9").encode("latin-1"),
        b"\xff" + document().encode(),
        document().replace("g2", "\ud800"),
        b"\xff".decode("utf-8", "surrogateescape") + document(),
        document().replace("g2", "\ud800").encode("utf-8", "surrogatepass"),
        document().replace("g2", "g2\n"),
        document().replace("g2", "g2\x00"),
        document(times=[float("nan")]),
        document(times=[float("inf")]),
        document(rules=float("-inf")),
        document(extra=float("nan")),
        "NaN",
        "-Infinity",
        "[01]",
        document().replace("1840", "+1840"),
        document().replace("1840", "1_840"),
        document().replace("1840", "0x10"),
        document().replace("1840", "\u0661"),
        DEEP,
        DEEP + b"]" * 40_000,
        '{"a":' * 20_000,
        document(times=...)[:-1] + ', "times": ' + "[" * 40_000 + "]" * 40_000 + "}",
    ],
    ids=lambda text: repr(text)[:50],
)
def test_what_is_no_json_is_refused_as_json(text: str | bytes) -> None:
    assert refuse(text) == ("json", None, None)


@pytest.mark.parametrize(
    "text",
    [
        "null",
        "true",
        "1",
        '"text"',
        "[]",
        f"[{document()}]",
        "{}",
        document(format=...),
        document(format=None),
        document(format=1),
        document(format=["pyramid-replay/1"]),
        document(deal=...),
        document(deal=None),
        document(deal=18),
        document(moves=...),
        document(moves=None),
        document(moves=["g2"]),
        document(times=None),
        document(times={}),
        document(times="1840"),
        document(times=7610),
        document(times=True),
        document(rules=None),
        document(rules=True),
        document(rules=False),
        document(rules=1.0),
        document(rules="1"),
        document(rules=[1]),
        document(rules=1).replace('"rules": 1', '"rules": 1e0'),
        document(rules=1).replace('"rules": 1', '"rules": 1e400'),
        document(player="me"),
        document(Format="pyramid-replay/1"),
        document(line=1),
        document(**{"": 1}),
        document(**{"\ud800": 1}),
        document(**{"%(field)s %s": 1}),
        # The shape comes before everything else that is wrong.
        document(format="other", deal="", moves="x", times=None),
        document(rules=2, extra=1),
    ],
    ids=lambda text: text[:70],
)
def test_a_wrong_shape_is_refused_as_shape(text: str) -> None:
    assert refuse(text) == ("shape", None, None)


@pytest.mark.parametrize(
    "changes",
    [
        {"format": "pyramid-replay/2"},
        {"format": "pyramid-replay/1 "},
        {"format": "Pyramid-Replay/1"},
        {"format": ""},
        {"format": "\ud800"},
        {"rules": 0},
        {"rules": 2},
        {"rules": -1},
        {"rules": 10**4000},
        {"format": "other", "deal": "x"},
        {"rules": 2, "deal": "x", "moves": "x", "times": [-1]},
    ],
    ids=lambda changes: str(changes)[:50],
)
def test_another_format_or_version_is_refused_as_format(changes: dict[str, object]) -> None:
    assert refuse(document(**changes)) == ("format", None, None)


@pytest.mark.parametrize(
    "changes",
    [
        {"deal": ""},
        {"deal": "PY1-N-AAAAAA"},
        {"deal": "PY1-Z-AAAAAAS"},
        {"deal": "PY2-N-AAAAAAS"},
        {"deal": "PY1-N-AAAAAA9"},
        {"deal": "PY1-N-AAAAAA\u017f"},
        {"deal": "PY1-N-AAAAAA\ud800"},
        {"deal": "PY1-\ud800-AAAAAAS"},
        {"deal": "PY1-N-AAAAAA\x00"},
        {"deal": f"PY0-N-{'7' * 46}"},
        {"deal": "PY1-%(letter)s"},
        {"deal": "x", "moves": "D " * 5000, "times": [True]},
    ],
    ids=lambda changes: repr(changes)[:60],
)
def test_a_wrong_deal_code_is_refused_as_deal(changes: dict[str, object]) -> None:
    assert refuse(document(**changes)) == ("deal", None, None)


@pytest.mark.parametrize(
    ("moves", "times"),
    [
        (" ".join(["D"] * 4001), ...),
        (" " * 4000, ...),
        ("D" + " " * 4000, ...),
        (" ".join(["x"] * 4001), [True]),
        ("D " * 4000, [0] * 4001),
    ],
)
def test_more_than_four_thousand_tokens_are_too_long(moves: str, times: object) -> None:
    assert refuse(document(moves=moves, times=times)) == ("too_long", None, None)


def test_four_thousand_tokens_are_not_too_long() -> None:
    turns = " ".join([*["D"] * 23, *(["R"] + ["D"] * 24) * 200][:4000])
    verdict = accept(document(moves=turns, times=[86_400_000] * 4000))
    assert (verdict.plies, verdict.moves, verdict.pass_) == (4000, 4000, 161)
    assert refuse(document(moves=" " * 3999, times=...)) == ("syntax", 0, "")


HUGE = 10**4000


@pytest.mark.parametrize(
    ("moves", "times", "at"),
    [
        ("g2", [True], 0),
        ("g2", [False], 0),
        ("g2", [1.0], 0),
        ("g2", [1.5], 0),
        ("g2", [1e400], 0),
        ("g2", [None], 0),
        ("g2", ["1"], 0),
        ("g2", [[1]], 0),
        ("g2", [{}], 0),
        ("g2", [-1], 0),
        ("g2", [86_400_001], 0),
        ("g2", [HUGE], 0),
        ("g2 g1g3", [5, 4], 1),
        ("g2 g1g3 D", [5, 5, 4], 2),
        ("g2 g1g3 D", [5, 4, -1], 1),
        ("g2", [], 0),
        ("g2", [1, 2], 1),
        ("g2", [1, None], 1),
        ("g2", [None, 2], 0),
        ("", [0], 0),
        ("", [None], 0),
        ("g2 g1g3 D", [1], 1),
        ("g2 g1g3 D", [1, 2, 3, 4, -1], 3),
        ("g2 g1g3 D", [1, -1], 1),
        ("g2 g1g3 D", [5, 4, 3, 2], 1),
        # Times come before tokens.
        ("x", [-1], 0),
        (" ", [1], 1),
    ],
    ids=lambda value: str(value)[:30],
)
def test_a_bad_time_is_refused_at_the_lowest_place(moves: str, times: list[object], at: int) -> None:
    text = document(moves=moves, times=times).replace("Infinity", "1e400")
    assert refuse(text) == ("times", at, None)
    refusal = verify(Deal.from_code(CODE), moves, times)
    assert (refusal.legal, refusal.at, refusal.token) == (False, at, None)


@pytest.mark.parametrize("times", [[0], [86_400_000]])
def test_the_ends_of_the_range_of_times_are_allowed(times: list[int]) -> None:
    assert accept(document(moves="g2", times=times)).elapsed_ms == times[-1]


def test_equal_times_are_allowed() -> None:
    assert accept(document(times=[7, 7, 7, 7, 7])).elapsed_ms == 7


# N: AAAAAAS begins with g2 = K, g1 = 3, g3 = T, g5 and g7 = 7; card 28 lies on the waste.
@pytest.mark.parametrize(
    ("moves", "at", "token", "reason"),
    [
        (" ", 0, "", "syntax"),
        (" g2", 0, "", "syntax"),
        ("g2 ", 1, "", "syntax"),
        ("g2  g1g3", 1, "", "syntax"),
        ("g2\tg1g3", 0, "g2\tg1g3", "syntax"),
        ("g2\n", 0, "g2\n", "syntax"),
        ("g2\x00", 0, "g2\x00", "syntax"),
        ("G2", 0, "G2", "syntax"),
        ("d", 0, "d", "syntax"),
        ("w", 0, "w", "syntax"),
        ("DD", 0, "DD", "syntax"),
        ("DW", 0, "DW", "syntax"),
        ("UU", 0, "UU", "syntax"),
        ("Rg1", 0, "Rg1", "syntax"),
        ("g", 0, "g", "syntax"),
        ("g12", 0, "g12", "syntax"),
        ("g1g", 0, "g1g", "syntax"),
        ("g1g2g3", 0, "g1g2g3", "syntax"),
        ("SWS", 0, "SWS", "syntax"),
        ("i1", 0, "i1", "syntax"),
        ("g1-g3", 0, "g1-g3", "syntax"),
        ("g\u0662", 0, "g\u0662", "syntax"),
        ("g\u00b2", 0, "g\u00b2", "syntax"),
        ("\uff47\uff12", 0, "\uff47\uff12", "syntax"),
        ("g2\u00a0g1g3", 0, "g2\u00a0g1g3", "syntax"),
        ("g2 \ud800", 1, "\ud800", "syntax"),
        ("g2 \ud83d\ude00", 1, "\U0001f600", "syntax"),
        ("%(place)s%s", 0, "%(place)s%s", "syntax"),
        ("x" * 9000, 0, "x" * 9000, "syntax"),
        ("a0", 0, "a0", "no_such_cell"),
        ("a2", 0, "a2", "no_such_cell"),
        ("g8", 0, "g8", "no_such_cell"),
        ("h1", 0, "h1", "no_such_cell"),
        ("g2h1", 0, "g2h1", "no_such_cell"),
        ("a2a2", 0, "a2a2", "no_such_cell"),
        ("Sa9", 0, "Sa9", "no_such_cell"),
        ("g1g1", 0, "g1g1", "same_card"),
        ("WW", 0, "WW", "same_card"),
        ("SS", 0, "SS", "same_card"),
        ("R", 0, "R", "stock_not_empty"),
        ("U", 0, "U", "nothing_to_undo"),
        ("g2 U U", 2, "U", "nothing_to_undo"),
        ("S", 0, "S", "not_open"),
        ("SW", 0, "SW", "not_open"),
        ("g2 Sg2", 1, "Sg2", "not_open"),
        ("g2 g2", 1, "g2", "gone"),
        ("g2 g1g2", 1, "g1g2", "gone"),
        ("g2 a1g2", 1, "a1g2", "gone"),
        ("a1", 0, "a1", "covered"),
        ("g1a1", 0, "g1a1", "covered"),
        ("f1f2", 0, "f1f2", "covered"),
        ("g1", 0, "g1", "not_single"),
        ("g1g2", 0, "g1g2", "sum"),
        ("g2 g5g7", 1, "g5g7", "sum"),
        ("g5g7 x", 0, "g5g7", "sum"),
    ],
    ids=lambda value: repr(value)[:30],
)
def test_the_first_bad_token_is_named_with_its_reason(moves: str, at: int, token: str, reason: str) -> None:
    assert refuse(document(moves=moves, times=...)) == (reason, at, token)


@pytest.mark.parametrize(
    ("code", "moves", "reason", "detail"),
    [
        # Closed stock: S is refused whatever else is wrong with the pair.
        ("PY1-A-AAAAAAS", "W", "waste_empty", "The waste is empty."),
        ("PY1-A-AAAAAAS", "Wa1", "waste_empty", "The waste is empty."),
        ("PY1-A-AAAAAAS", "WS", "not_open", "No card can be played from the stock here."),
        ("PY1-A-AAAAAAS", "D " * 24 + "D", "stock_empty", "The stock is empty."),
        ("PY1-A-AAAAAAS", "D " * 24 + "R", "no_redeal_left", "No redeal is left."),
        ("PY1-N-AAAAAAS", "D " * 23 + "D", "stock_empty", "The stock is empty."),
        ("PY1-D-AAAAAAS", "D " * 24 + "R R", "stock_not_empty", "The stock still has cards."),
        ("PY1-D-AAAAAAS", "D " * 24 + "R W", "waste_empty", "The waste is empty."),
        ("PY1-D-AAAAAAS", "D " * 24 + "R " + "D " * 24 + "R", "no_redeal_left", "No redeal is left."),
        # Open stock.
        ("PY1-T-AAAAAAS", "SW", "waste_empty", "The waste is empty."),
        ("PY1-T-AAAAAAS", "D " * 24 + "S", "stock_empty", "The stock is empty."),
        ("PY1-T-AAAAAAS", "D " * 24 + "SW", "stock_empty", "The stock is empty."),
        ("PY1-T-AAAAAAS", "D " * 24 + "a1S", "stock_empty", "The stock is empty."),
        ("PY1-T-AAAAAAS", "Sa1", "covered", "a1 is covered."),
        ("PY1-T-AAAAAAS", "b2a1", "covered", "b2 is covered."),
        ("PY1-T-AAAAAAS", "a1b2", "covered", "a1 is covered."),
        ("PY1-T-AAAAAAS", "a9h1", "no_such_cell", "There is no a9 in this layout."),
        ("PY1-T-AAAAAAS", "h1a9", "no_such_cell", "There is no h1 in this layout."),
        ("PY1-T-AAAAAAS", "g7a2", "no_such_cell", "There is no a2 in this layout."),
        ("PY1-T-AAAAAAS", "g1g1", "same_card", "A card cannot pair with itself."),
        ("PY1-T-AAAAAAS", "g7", "not_single", "7 is less than 13; it cannot leave alone."),
        # Giza has neither stock nor waste.
        ("PY1-G-AAAAAAS", "D", "stock_empty", "The stock is empty."),
        ("PY1-G-AAAAAAS", "R", "no_redeal_left", "No redeal is left."),
        ("PY1-G-AAAAAAS", "W", "waste_empty", "The waste is empty."),
        ("PY1-G-AAAAAAS", "S", "not_open", "No card can be played from the stock here."),
        ("PY1-G-AAAAAAS", "WS", "not_open", "No card can be played from the stock here."),
        ("PY1-G-AAAAAAS", "h0", "no_such_cell", "There is no h0 in this layout."),
        ("PY1-G-AAAAAAS", "h9", "no_such_cell", "There is no h9 in this layout."),
        ("PY1-G-AAAAAAS", "h1h1", "same_card", "A card cannot pair with itself."),
        # Elevens: what leaves alone never pairs.
        ("PY1-E-AAAAAAS", "g1g2", "sum", "3 and 13 make 16; the sum must be 11."),
        ("PY1-E-AAAAAAS", "g3", "not_single", "10 is less than 11; it cannot leave alone."),
    ],
    ids=lambda value: str(value)[-40:],
)
def test_a_refused_move_is_explained(code: str, moves: str, reason: str, detail: str) -> None:
    verdict = judge(document(deal=code, moves=moves, times=...))
    assert isinstance(verdict, Refusal), verdict
    tokens = moves.split(" ")
    assert (verdict.at, verdict.token, verdict.reason) == (len(tokens) - 1, tokens[-1], reason)
    assert verdict.detail == detail


def test_of_a_repeated_name_the_last_counts() -> None:
    text = document(times=...)
    assert accept('{"moves": 7, "deal": null, ' + text[1:]).moves == 5
    assert refuse(text[:-1] + ', "moves": 7}') == ("shape", None, None)


def test_optional_fields_may_be_absent_and_rules_may_be_one() -> None:
    without = accept(document(times=...))
    assert (without.elapsed_ms, without.moves) == (None, 5)
    assert accept(document(rules=1)).rules == 1


def test_no_plies_are_a_replay() -> None:
    verdict = accept(document(moves="", times=[]))
    assert (verdict.outcome, verdict.plies, verdict.moves, verdict.elapsed_ms) == ("unfinished", 0, 0, None)
    assert (verdict.removed, verdict.left, verdict.removed_all, verdict.left_all) == (0, 28, 0, 52)
    assert verdict.text == ""
    assert accept(document(moves="", times=...)).as_dict() == verdict.as_dict()


def test_the_state_before_any_token_can_be_a_dead_end() -> None:
    # Nothing but eights to jacks in row g and on the columns' ends: no king, and no two make 13.
    base = read_cards("8c 9c Tc Jc 8d 9d Td")
    ends = read_cards("Jd 8h 9h Th Jh 8s 9s Ts")
    rest = [card for card in range(52) if card not in {*base, *ends}]
    deal = Deal.from_cards("G", [*rest[:21], *base, *rest[21:], *ends])
    verdict = verify(deal, "")
    assert verdict.legal
    assert verdict.outcome == "dead_end"
    assert verdict.position.legal_moves() == ()


def test_the_deal_is_answered_in_exact_writing_and_keeps_its_kind() -> None:
    order = Deal.from_code(CODE).order
    assert accept(document(deal=" py\u20131 n aaaaaas")).deal == CODE
    assert accept(document(deal=f"pyo-n-{order.lower()}")).deal == f"PY0-N-{order}"


def test_either_order_is_read_and_one_is_written() -> None:
    verdict = accept(document(moves="g2 g3g1 f2f1 We1 D"))
    assert verdict.text == MOVES
    assert verdict.as_dict() == accept(document()).as_dict()


def test_a_bad_token_is_echoed_as_sent() -> None:
    assert refuse(document(moves="g7g5", times=...)) == ("sum", 0, "g7g5")


def test_lone_surrogates_are_written_escaped_and_other_text_as_it_is() -> None:
    lone = dump(judge(document(moves="\ud800", times=...)).as_dict())
    assert '"token": "\\ud800"' in lone
    assert lone.isascii()
    assert '"token": "\u00e9"' in dump(judge(document(moves="\u00e9", times=...)).as_dict())


def test_dump_writes_no_nan() -> None:
    with pytest.raises(ValueError, match="JSON"):
        dump(float("nan"))


@pytest.mark.parametrize(
    ("letter", "moves", "points", "counted", "undos"),
    [
        # tens: ten for each tableau card; e1W takes one.
        ("N", "g2 g1g3 f1f2 e1W D", 60, 5, 0),
        ("N", "g2 g1g3 f1f2 e1W D U U", 50, 5, 2),
        ("N", "g2 g1g3 U U", 0, 2, 2),
        # cards: one for each.
        ("C", "g2 g1g3 D", 3, 3, 0),
        # points: 15 a single, 20 a pair, -10 a redeal; an undo gives back the ten.
        ("M", "g2 g1g3 D", 35, 3, 0),
        ("M", "D " * 24 + "R", -10, 25, 0),
        ("M", "D " * 24 + "R U", 0, 25, 1),
        ("M", "D " * 24 + "R U R", -10, 26, 1),
        # none, and an undo counts.
        ("F", "g2 g1g3 U", 0, 3, 1),
    ],
)
def test_points_and_counters(letter: str, moves: str, points: int, counted: int, undos: int) -> None:
    verdict = accept(document(deal=f"PY1-{letter}-AAAAAAS", moves=moves, times=...))
    assert (verdict.points, verdict.moves, verdict.undos) == (points, counted, undos)
    assert verdict.plies == len(moves.split(" "))


def test_an_undone_redeal_gives_its_pass_back() -> None:
    before = accept(document(moves="D " * 22 + "D", times=...))
    after = accept(document(moves="D " * 22 + "D R D U U", times=...))
    assert (after.position, after.pass_) == (before.position, 1)


def test_a_redeal_keeps_the_order_and_the_start_card_comes_first() -> None:
    deal = Deal.from_code(CODE)
    verdict = accept(document(moves="D " * 22 + "D R", times=...))
    assert verdict.position.stock == deal.cards[28:]
    assert verdict.position.waste == ()
    assert verdict.pass_ == 2


def test_a_log_of_a_hundred_moves_lets_the_oldest_drop_out() -> None:
    turns = [*["D"] * 23, *(["R"] + ["D"] * 24) * 6][:150]
    moves = [*turns, *["U"] * 100, *turns[50:60]]
    assert accept(document(moves=" ".join(moves + ["U"] * 10), times=...)).undos == 110
    assert refuse(document(moves=" ".join(moves + ["U"] * 11), times=...)) == ("nothing_to_undo", 270, "U")
    # Where there is no limit the same goes back to the start.
    endless = document(deal="PY1-C-AAAAAAS", moves=" ".join(["D"] * 24 + ["U"] * 24), times=...)
    assert accept(endless).position == accept(document(deal="PY1-C-AAAAAAS", moves="", times=...)).position
