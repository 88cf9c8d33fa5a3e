"""Does the computer play by the rules, from visible cards alone, reproducibly and at a human pace?"""

from itertools import pairwise
from statistics import median

import pytest

from games.engine.deal import Deal
from games.engine.hint import hint
from games.engine.opponent import _PLAYERS, PACES, STRENGTHS, OpponentGame, _draw_lots, opponent
from games.engine.replay import Verdict, verify
from games.engine.rulesets import RULESETS
from games.engine.view import View

DEALS = 25


def some_deal(letter: str, number: int) -> Deal:
    return Deal.from_code(f"PY1-{letter}-AAAAA{chr(65 + number // 26)}{chr(65 + number % 26)}")


def play(deal: Deal, strength: str, seed: int = 0) -> tuple[OpponentGame, Verdict]:
    game = opponent(deal, strength, seed)
    verdict = verify(deal, " ".join(game.tokens), game.times)
    assert isinstance(verdict, Verdict), verdict
    return game, verdict


@pytest.mark.parametrize("strength", STRENGTHS)
@pytest.mark.parametrize("letter", RULESETS)
def test_its_games_are_replays_that_the_server_accepts(letter: str, strength: str) -> None:
    for number in range(3):
        game, verdict = play(some_deal(letter, number), strength)
        assert game.won == (verdict.outcome == "won")
        assert "U" not in game.tokens


def test_the_same_deal_strength_and_seed_give_the_same_game_and_another_seed_another() -> None:
    deal = some_deal("N", 1)
    for strength in STRENGTHS:
        assert opponent(deal, strength, 7) == opponent(deal, strength, 7)
        assert opponent(deal, strength, 7) != opponent(deal, strength, 8)


def test_the_stronger_wins_more_often_and_plays_faster() -> None:
    games = {
        strength: [opponent(some_deal("N", number), strength) for number in range(DEALS)] for strength in STRENGTHS
    }
    won = [sum(game.won for game in games[strength]) for strength in STRENGTHS]
    time = [median(game.times[-1] for game in games[strength]) for strength in STRENGTHS]
    assert won == sorted(won)
    assert won[0] < won[2]
    assert time == sorted(time, reverse=True)


@pytest.mark.parametrize("strength", STRENGTHS)
def test_its_gaps_are_those_of_a_hand(strength: str) -> None:
    game = opponent(some_deal("N", 2), strength)
    gaps = [after - before for before, after in pairwise(game.times)]
    assert min(gaps) > 100
    draws = [gap for gap, token in zip(gaps, game.tokens[1:], strict=True) if token == "D"]
    assert 0.6 < median(draws) / PACES[strength].turn < 1.6


@pytest.mark.parametrize("strength", STRENGTHS)
def test_what_lies_under_the_cards_it_has_seen_changes_nothing_that_it_has_done(strength: str) -> None:
    """Two deals whose stocks differ below some depth are played alike until a card from there is turned."""
    deal = some_deal("N", 3)
    cards = list(deal.cards)
    other = Deal.from_cards("N", [*cards[:40], *reversed(cards[40:])])
    played = [find_moves(one, strength) for one in (deal, other)]
    unseen = next(at for at in range(len(played[0])) if len(View.of(deal, played[0][:at]).unseen) <= 12)
    assert unseen > 10
    assert played[0][:unseen] == played[1][:unseen]


def find_moves(deal: Deal, strength: str) -> list[str]:
    """The moves by the lots of one and the same deal: they are drawn from the order, which differs here."""
    return _PLAYERS[strength](deal, _draw_lots("the same"))


def test_the_strong_one_plays_by_hints_until_it_has_seen_every_card() -> None:
    deal = some_deal("T", 4)
    tokens = opponent(deal, "strong").tokens
    for at in range(len(tokens)):
        view = View.of(deal, tokens[:at])
        if not view.unseen:
            break
        found = hint(view)
        assert found
        assert found.move == tokens[at]
