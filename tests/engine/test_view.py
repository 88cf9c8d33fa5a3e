"""Does a view hold all that has been seen, and nothing that has not?"""

import random

import pytest

from games.engine.deal import Deal
from games.engine.errors import MoveError
from games.engine.position import Position
from games.engine.rulesets import RULESETS
from games.engine.view import View
from tests.engine.walks import random_deal, shuffle_unseen, walk


@pytest.mark.parametrize("letter", RULESETS)
def test_a_view_holds_what_was_waste_top_or_open_stock_top_at_some_ply(letter) -> None:
    rng = random.Random(f"seen {letter}")
    for _ in range(6):
        deal = random_deal(rng, letter)
        for tokens, position, seen in walk(rng, deal, 90):
            view = View.of(deal, tokens)
            assert view.unseen == set(deal.cards[28:]) - seen
            assert view.stock == tuple(card if card in seen else None for card in position.stock)
            assert (view.tableau, view.waste, view.reserve) == (position.tableau, position.waste, position.reserve)
            assert (view.ruleset, view.pass_) == (deal.ruleset, position.pass_)
            assert view.position == (position if seen >= set(deal.cards[28:]) else None)


@pytest.mark.parametrize("letter", RULESETS)
def test_deals_that_differ_only_in_unseen_cards_look_the_same(letter) -> None:
    rng = random.Random(f"unseen {letter}")
    deal = random_deal(rng, letter)
    for tokens, position, _seen in walk(rng, deal, 60):
        view = View.of(deal, tokens)
        assert View.of(shuffle_unseen(rng, deal, view), tokens) == view
        assert view.some_position.legal_moves() == position.legal_moves()


def test_a_card_that_was_drawn_stays_known_after_an_undo_and_a_redeal() -> None:
    deal = Deal.from_seed("C", 5)
    view = View.of(deal, ["D", "D", "U", "U"])
    assert view.stock == (*deal.cards[28:30], *[None] * 22)
    assert view.position is None
    view = View.of(deal, ["D"] * 24 + ["R", "U", *"U" * 24])
    assert view.position == Position.start(deal)


def test_a_replay_that_is_refused_has_no_view() -> None:
    with pytest.raises(MoveError) as refusal:
        View.of(Deal.from_seed("C", 5), ["D", "R"])
    assert refusal.value.code == "stock_not_empty"
