"""Are hints legal, blind to unseen cards, without end to no game, and worth following?"""

import random
from dataclasses import fields

import pytest

from games.engine.deal import Deal
from games.engine.errors import MoveError
from games.engine.hint import Hint, hint, hint_hopeless, hint_line
from games.engine.position import Position
from games.engine.rulesets import RULESETS
from games.engine.solver import shortest, winnable
from games.engine.view import View
from tests.engine.walks import random_deal, shuffle_unseen, walk

# So many moves the random player has: no deal was seen whose looking through and shortest win take more. With
# unlimited passes and time without end, luck alone wins half of the winnable deals of N.
PATIENCE = 125


def view_of(text: str, unseen: frozenset[int] = frozenset()) -> View:
    position = Position.read(text)
    stock = tuple(None if card in unseen else card for card in position.stock)
    return View(position.ruleset, position.tableau, stock, position.waste, position.reserve, position.pass_, unseen)


def say(text: str) -> tuple[str | None, str, str]:
    found = hint(view_of(text))
    assert found is not None
    return found.move, found.reason, str(found)


@pytest.mark.parametrize("letter", RULESETS)
def test_hints_are_legal_and_the_same_whatever_the_unseen_cards_are(letter) -> None:
    rng = random.Random(f"hints {letter}")
    for _ in range(3):
        deal = random_deal(rng, letter)
        for tokens, position, _seen in walk(rng, deal, 70):
            view = View.of(deal, tokens)
            found = hint(view)
            other = hint(View.of(shuffle_unseen(rng, deal, view), tokens))
            assert found == other
            if found is None:
                assert not position.legal_moves()
            else:
                assert found.move in position.legal_moves()
                assert str(found).endswith(".")


def test_a_hint_is_given_a_view_and_nothing_of_the_deal() -> None:
    deal = Deal.from_seed("B", 1)
    view = View.of(deal, [])
    assert {field.name for field in fields(view)} == {
        "ruleset", "tableau", "stock", "waste", "reserve", "pass_", "unseen",
    }  # fmt: skip
    assert view.stock == (None,) * 24
    assert isinstance(view.unseen, frozenset)


@pytest.mark.parametrize("letter", RULESETS)
def test_following_hints_comes_to_an_end(letter) -> None:
    for seed in range(3):
        deal = Deal.from_seed(letter, seed)
        position, tokens = Position.start(deal), []
        while (found := hint(View.of(deal, tokens))) is not None and found.reason != "stuck":
            assert found.move is not None
            tokens.append(found.move)
            position = position.play(found.move)
            assert len(tokens) < 400
        assert found is None or not position.is_won


@pytest.mark.parametrize(
    ("text", "move", "reason", "sentence"),
    [
        ("B --/----/------/--------/----------/2d----------/KdJc------Ks-- - - 3",
         "g1", "single", "g1 can leave alone."),
        ("B --/----/------/--------/2d--------/Kh2c--------/----Qh-------- As - 3",
         "f1", "single", "f1 can leave alone."),
        ("B --/----/------/--------/2d--------/Kh----------/------Jh------ As - 3",
         "f1", "single_uncovers", "f1 can leave alone and uncovers e1."),
        ("T --/----/------/--------/----------/------------/2d------------ KsJh - 1",
         "S", "stock_single", "The top card of the stock can leave alone: better than to draw it."),
        ("B --/----/------/--------/----------/------------/2d------------ - JhKs 3",
         "W", "waste_single", "The top card of the waste can leave alone and frees the card under it."),
        ("B --/----/------/--------/3c--------/3d----------/Jd------------ 2sThTc 2h 3",
         "g1W", "waste_pair_uncovers", "g1 leaves with the top card of the waste; this uncovers f1."),
        ("B --/----/------/--------/----------/3d----------/Jd--Jc--2d---- 2sThTc 2h 3",
         "g1g5", "pair_uncovers", "g1 and g5 leave together; this uncovers f1."),
        ("T --/----/------/--------/----------/3d----------/Jd--Jc--4d---- 2s2c9c9dTh 2h 3",
         "g1S", "stock_pair_uncovers", "g1 leaves with the top card of the stock; this uncovers f1."),
        ("S --/----/------/--------/----------/------------/-------------- 2s2cJc Jd 3",
         "SW", "stock_waste_pair", "The top cards of stock and waste leave together."),
        ("B --/----/------/--------/----------/Ac----------/2d------------ 3s Jh 3",
         "g1W", "last_partner", "g1 has no other partner left."),
        ("B --/----/------/--------/----------/------------/2d------------ 3s Jh 3",
         "g1W", "wins", "This wins the game."),
        ("B --/----/------/--------/----------/------------/2d------------ JhJc 3s 3",
         "D", "draw", "Draw: no two cards that can be played now fit together."),
        ("B --/----/------/--------/----------/------------/2d------------ - Jh3s 2",
         "R", "redeal", "The stock is empty: turn the waste over."),
        ("C --/----/------/--------/----------/Jc----------/2d2c---------- - 3s 7",
         "R", "stuck", "Nothing can be removed, however often you turn the stock: take moves back."),
    ],
)  # fmt: skip
def test_a_hint_says_why(text, move, reason, sentence) -> None:
    found = say(text)
    assert found == (move, reason, sentence)


def test_no_pair_takes_the_last_partner_of_another_card_while_there_is_another_way() -> None:
    # Two jacks are left for the two twos of the tableau; the two on the waste must not have one of them.
    text = "B --/----/------/--------/----2c----/----2d------/Jc--3c-------- JdTc 2h 3"
    assert Position.read(text).legal_moves() == ("g1W", "D")
    assert say(text)[:2] == ("D", "wait")
    assert winnable(Position.read(text)).verdict == "winnable"
    assert winnable(Position.read(text).play("g1W")).verdict == "unwinnable"


def test_the_stock_is_looked_through_only_while_two_redeals_are_left() -> None:
    for letter, looks in (("N", True), ("T", True), ("D", False), ("A", False)):
        reasons = set()
        for seed in range(5):
            found = hint(View.of(Deal.from_seed(letter, seed), []))
            assert found is not None
            reasons.add(found.reason)
        assert ("look" in reasons) == looks


def test_a_win_at_hand_comes_before_looking_at_the_stock() -> None:
    text = "B --/----/------/--------/----------/------------/2d------------ JhJc Js 1"
    unseen = frozenset(Position.read(text).stock)
    found = hint(view_of(text, unseen))
    assert found is not None
    assert (found.move, found.reason) == ("g1W", "wins")


def test_a_won_game_and_a_dead_end_have_no_hint() -> None:
    assert hint(view_of("B --/----/------/--------/----------/------------/-------------- 3s Jh 3")) is None
    assert hint(view_of("A --/----/------/--------/----------/------------/2d------------ - Jd2s 1")) is None


def test_a_proven_line_and_a_proven_end_are_said() -> None:
    view = view_of("B --/----/------/--------/----------/------------/2d------------ Jh 3s 3")
    position = view.position
    assert position is not None
    answer = shortest(position)
    assert answer.line is not None
    assert str(hint_line(view, answer.line)) == "This begins a shortest way to win: 2 moves."
    assert hint_line(view, answer.line).move == "D"
    with pytest.raises(MoveError):
        hint_line(view, ["g1W"])
    dead = view_of("A --/----/------/--------/----------/------------/2d------------ - Jd2s 1")
    sentence = "It is proven that no way to win is left: take moves back or begin a new game."
    assert (hint_hopeless(dead).move, str(hint_hopeless(dead))) == (None, sentence)
    lost = view_of("A --/----/------/--------/----------/------------/2d------------ 3s Jd2s 1")
    assert (hint_hopeless(lost).move, hint_hopeless(lost).reason) == ("D", "hopeless")
    assert isinstance(hint_hopeless(lost), Hint)


def follow_hints(deal: Deal) -> bool:
    """Whether the hints win, as a server gives them: the ordinary ones until everything has been seen."""
    tokens: list[str] = []
    while (view := View.of(deal, tokens)).position is None:
        found = hint(view)
        if found is None or found.move is None:
            break
        tokens.append(found.move)
    position = view.some_position
    return position.is_won or winnable(position).verdict == "winnable"


def play_hints_alone(deal: Deal) -> bool:
    tokens: list[str] = []
    position = Position.start(deal)
    while (found := hint(View.of(deal, tokens))) is not None and found.reason != "stuck":
        assert found.move is not None
        tokens.append(found.move)
        position = position.play(found.move)
    return position.is_won


def play_at_random(deal: Deal, rng: random.Random) -> bool:
    position = Position.start(deal)
    for _ in range(PATIENCE):
        moves = position.legal_moves()
        if not moves:
            break
        position = position.play(rng.choice(moves))
    return position.is_won


@pytest.mark.parametrize("letter", ["T", "N"])
def test_hints_win_at_least_twice_as_many_winnable_deals_as_random_play(letter) -> None:
    rng = random.Random(f"worth {letter}")
    deals = []
    while len(deals) < 16:
        deal = random_deal(rng, letter)
        if winnable(Position.start(deal)).verdict == "winnable":
            deals.append(deal)
    by_chance = sum(play_at_random(deal, rng) for deal in deals)
    assert sum(map(follow_hints, deals)) >= 2 * by_chance
    assert sum(map(play_hints_alone, deals)) >= 2 * by_chance
