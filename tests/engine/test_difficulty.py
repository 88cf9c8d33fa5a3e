"""Are play-outs legal games, is the difficulty always the same, and does it say something about other players?"""

import random
from itertools import takewhile
from statistics import fmean

import pytest

from games.engine import replay
from games.engine.deal import Deal
from games.engine.difficulty import PLAYOUTS, measure, rate
from games.engine.playout import Table, play_out
from games.engine.position import Position
from games.engine.rulesets import RULESETS
from games.engine.thresholds import THRESHOLDS
from tests.engine.both import read_rows
from tests.engine.careless import play_carelessly
from tests.engine.make_vectors import winnable_deal
from tests.engine.naive import RULES
from tests.engine.naive_replay import write_code
from tests.engine.walks import random_deal

RATED = [fields for _where, fields in read_rows("difficulty.tsv")]


@pytest.mark.parametrize("letter", RULESETS)
def test_play_outs_are_legal_games_that_end_won_or_given_up(letter) -> None:
    rng = random.Random(f"play-outs {letter}")
    # Of random deals few are won; some here are made to be.
    deals = [random_deal(rng, letter) for _ in range(4)]
    deals += [Deal.from_code(write_code(RULES[letter], winnable_deal(rng, RULES[letter])[0])) for _ in range(3)]
    for deal in deals:
        table = Table(deal)
        for _ in range(12):
            playout = play_out(table, rng.getrandbits(64))
            verdict = replay.verify(deal, " ".join(playout.tokens))
            assert verdict.legal, verdict
            assert verdict.text == " ".join(playout.tokens)
            assert (verdict.outcome == "won", verdict.left) == (playout.won, playout.left)
            assert playout.won or not has_progress(verdict.position)


def has_progress(position: Position) -> bool:
    """Whether a player who gave up could have taken a tableau card that leaves alone, or drawn."""
    return any(move == "D" or len(move) == 2 for move in position.legal_moves())


def test_a_play_out_looks_at_no_card_that_it_has_not_seen() -> None:
    # The deals differ from the thirteenth card outside the tableau on: until that is seen the games are the same.
    rng = random.Random("blind")
    for letter in ("A", "T", "N"):
        for _ in range(20):
            deal = random_deal(rng, letter)
            other = Deal.from_cards(letter, (*deal.cards[:40], *rng.sample(deal.cards[40:], 12)))
            seed = rng.getrandbits(64)
            first, second = (play_out(Table(one), seed).tokens for one in (deal, other))
            if first != second:
                same = [one for one, _ in takewhile(lambda pair: pair[0] == pair[1], zip(first, second, strict=False))]
                gone = deal.ruleset.start + sum(token == "D" or "S" in token for token in same)
                assert gone >= (12 if deal.ruleset.stock == "open" else 13)


@pytest.mark.parametrize("letter", RULESETS)
def test_play_outs_of_one_deal_differ_and_are_the_same_every_time(letter) -> None:
    deal = Deal.from_seed(letter, 11)
    games = [play_out(Table(deal), seed) for seed in range(2**60, 2**60 + 20)]
    assert games == [play_out(Table(deal), seed) for seed in range(2**60, 2**60 + 20)]
    assert len({tuple(game.tokens) for game in games}) > 1


def test_the_difficulty_of_a_deal_does_not_depend_on_its_code_or_on_what_was_asked_before() -> None:
    deal = Deal.from_seed("B", 4)
    found = rate(deal)
    rate(Deal.from_seed("B", 5))
    assert rate(Deal.from_cards("B", deal.cards)) == found
    assert found.playouts == PLAYOUTS
    assert measure(deal) == (found.number, found.wins)
    assert 0 <= found.number <= 1000


def test_a_deal_that_plays_itself_is_easier_than_one_that_cannot_be_won() -> None:
    assert rate(Deal.from_code("PY1-N-AAAAAAJ")).label == "hard"
    assert rate(Deal.from_code("PY1-N-AAAAAAJ")).wins == 0
    easy = [fields for fields in RATED if fields[1] == "easy"]
    assert all(rate(Deal.from_code(code)).wins for code, *_ in easy[:5])


def test_every_ruleset_has_thresholds_in_order() -> None:
    assert list(THRESHOLDS) == list(RULESETS)
    for easy, medium in THRESHOLDS.values():
        assert 0 <= easy <= medium <= 1000


@pytest.mark.parametrize(("code", "label", "number"), RATED[::3])
def test_stored_deals_keep_their_difficulty(code, label, number) -> None:
    found = rate(Deal.from_code(code))
    assert (found.label, found.number) == (label, int(number))


@pytest.mark.parametrize("letter", ["B", "N", "T"])
def test_a_careless_player_wins_the_easy_third_twice_as_often_as_the_hard_third(letter) -> None:
    rng = random.Random(f"careless {letter}")
    shares = {
        label: fmean(
            play_carelessly(Deal.from_code(code), rng)
            for code, stored, _ in RATED
            if stored == label and code[4] == letter
            for _ in range(5)
        )
        for label in ("easy", "hard")
    }
    assert shares["easy"] > 0
    assert shares["easy"] >= 2 * shares["hard"]
