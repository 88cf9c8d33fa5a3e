"""Do the engine and the naive implementation say the same of whatever is played, on deals and on odd positions?"""

import json
import random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from games.engine import replay
from games.engine.cards import write_card
from games.engine.deal import Deal
from games.engine.errors import CodeError, MoveError, PositionError
from games.engine.moves import canonical
from games.engine.position import Position
from games.engine.rulesets import RULESETS, get_ruleset
from tests.engine.both import Engine, Naive, without_sentence
from tests.engine.make_vectors import near_token, random_code, random_line, random_token, winnable_deal
from tests.engine.naive import PLACES, RULES, Game, Refused, Rules
from tests.engine.naive_replay import BASE32, deck_of, read_code, shuffled, write_code

# Every token of the grammar that names cells near a layout, in both orders, and some that are none.
NAMES = [*PLACES, "a0", "a2", "c4", "g8", "h0", "h9"]
TOKENS = ["D", "R", "U", "", "d", "DD", "g", "g1g2g3", *NAMES, *(a + b for a in NAMES for b in NAMES)]

seeds = st.integers(0, 2**32 - 1)
letters = st.sampled_from(list(RULES))


def examples(count: int) -> settings:
    # A machine shared with other work has no deadline to keep.
    return settings(max_examples=count, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def some_deal(rng: random.Random, letter: str) -> str:
    rules = RULES[letter]
    # Of random deals few are won, and few reach the apex; every third is made to be won.
    if rng.random() < 0.3:
        return write_code(rules, winnable_deal(rng, rules)[0])
    return random_code(rng, rules)


def compare_states(position: Position, game: Game) -> None:
    text = game.text()
    assert position.text == str(position) == text
    assert list(position.legal_moves()) == game.legal_moves()
    assert list(position.exposed) == game.exposed()
    assert position.is_won == game.is_won()
    assert position.is_dead_end == game.is_dead_end()
    assert (position.left, position.left_all) == (game.tableau_left(), game.all_left())
    assert position.removed == 28 - position.left
    again = Position.read(text)
    assert again == position
    assert hash(again) == hash(position)
    assert again.text == text
    assert Game.read(text).text() == text


def refusal_of(position: Position, token: str) -> str | None:
    try:
        position.play(token)
    except MoveError as error:
        return error.code
    return None


def naive_refusal_of(game: Game, token: str) -> str | None:
    try:
        game.check(token)
    except Refused as refused:
        return refused.reason
    return None


def compare_every_token(position: Position, game: Game) -> None:
    """All tokens: the same reason, and legal ones are exactly the listed ones."""
    game = Game.read(game.text())
    legal = set()
    for token in TOKENS:
        reason = refusal_of(position, token)
        assert reason == naive_refusal_of(game, token), (token, game.text())
        if reason is None:
            legal.add(canonical(token))
    assert legal == set(position.legal_moves())


def cards_in(game: Game) -> list[str]:
    tableau = [card for card in game.tableau if card is not None]
    return tableau + game.stock + game.waste + [card for column in game.columns for card in column]


@examples(45)
@given(seeds, letters)
def test_both_walk_through_the_same_positions_and_refuse_the_same_tokens(seed: int, letter: str) -> None:
    rng = random.Random(seed)
    code = some_deal(rng, letter)
    deal = Deal.from_code(code)
    game = Game.deal(*read_code(code)[:2])
    position = Position.start(deal)
    gone: list[str] = []
    for _ in range(rng.randrange(80)):
        compare_states(position, game)
        # Nothing is lost and nothing is doubled: what lies somewhere and what left are the whole deck.
        assert sorted(cards_in(game) + gone) == sorted(write_card(card) for card in deal.cards)
        moves = game.legal_moves()
        removals = [token for token in moves if token not in ("D", "R")]
        wild = rng.random() < 0.3 or not moves
        token = near_token(rng, game) if wild else rng.choice(removals if rng.random() < 0.6 and removals else moves)
        if token == "U":
            continue
        assert refusal_of(position, token) == naive_refusal_of(game, token)
        if naive_refusal_of(game, token) is not None:
            continue
        before = cards_in(game)
        game.play(token)
        position = position.play(token)
        gone += [card for card in before if card not in cards_in(game)]
    compare_states(position, game)
    compare_every_token(position, game)


@examples(50)
@given(seeds, letters)
def test_both_agree_on_positions_no_game_reaches(seed: int, letter: str) -> None:
    rng = random.Random(seed)
    rules = RULES[letter]
    deck = deck_of(rules)
    rng.shuffle(deck)
    # Few ranks make many pairs.
    if rng.random() < 0.5:
        ranks = [*rng.sample("A23456789TJQK", 4), "X"]
        deck = [card for card in deck if card[0] in ranks]
    game = Game(rules)
    density = rng.random()
    for index in reversed(range(28)):
        if deck and rng.random() < density:
            game.tableau[index] = deck.pop()
    if rules.stock == "reserve":
        game.columns = [[deck.pop() for _ in range(rng.randrange(4)) if deck] for _ in range(8)]
    else:
        game.stock = [deck.pop() for _ in range(rng.randrange(13)) if deck]
        game.waste = [deck.pop() for _ in range(rng.randrange(12)) if deck]
    game.pass_number = rng.randint(1, rules.passes or 9)
    position = Position.read(game.text())
    compare_states(position, game)
    compare_every_token(position, game)
    for token in position.legal_moves():
        after = game.copy()
        after.play(token)
        compare_states(position.play(token), after)


@examples(120)
@given(seeds, letters)
def test_both_give_a_replay_the_same_verdict(seed: int, letter: str) -> None:
    rng = random.Random(seed)
    code = some_deal(rng, letter)
    game = Game.deal(*read_code(code)[:2])
    plies = rng.choice((0, 5, 40, 150, 400))
    line = random_line(rng, game, plies, rng.choice((0.0, 0.1, 0.45)), rng.choice((0.3, 0.9)))
    if rng.random() < 0.4:
        where = rng.randint(0, len(line))
        line[where:where] = [rng.choice((near_token(rng, game), random_token(rng), "U", "D", "R"))]
    moves = " ".join(line)
    times: list[Any] | None = None
    if rng.random() < 0.6:
        times = sorted(rng.randrange(1_000_000) for _ in line)
        if times and rng.random() < 0.3:
            times[rng.randrange(len(times))] = rng.choice((-1, 0, True, None, 1.0, "1", 86_400_000, 86_400_001))
        times = times[: len(times) - rng.choice((0, 0, 0, 1))] + [10**6] * rng.choice((0, 0, 0, 1))
    expected = Naive.verify(code, moves, times)
    verdict = replay.verify(Deal.from_code(code), moves, times)
    assert without_sentence(verdict) == expected
    document = {"format": "pyramid-replay/1", "deal": code, "moves": moves}
    if times is not None:
        document["times"] = times
    assert Engine.judge(json.dumps(document)) == Naive.judge(json.dumps(document)) == expected
    if isinstance(verdict, replay.Verdict):
        if len(line) == game.plies:
            assert verdict.position.text == game.text()
        stored = replay.verify(Deal.from_code(code), verdict.text, times)
        assert without_sentence(stored) == expected
        assert isinstance(stored, replay.Verdict)
        assert stored.text == verdict.text


@examples(150)
@given(letters, st.lists(st.sampled_from(BASE32), min_size=6, max_size=8), st.lists(st.integers(0, 99)), seeds)
def test_both_read_the_same_deals_from_codes_however_they_are_written(
    letter: str, tail: list[str], places: list[int], seed: int
) -> None:
    rng = random.Random(seed)
    code = f"PY1-{letter}-{''.join(tail)}"
    if rng.random() < 0.3:
        code = write_code(RULES[letter], shuffled(deck_of(RULES[letter]), "".join(tail)))
    text = list(code)
    for place in places[:6]:
        text[place % len(text)] += rng.choice("-\u2013\u2014\u2212\u2010 \u3000\tOoIil018Bb29_\u0131\u017f")
    written = rng.choice((str.lower, str.upper, str))("".join(text))
    for spelling in (written, written.replace("0", "O").replace("1", "i").replace("B", "8")):
        try:
            rules, cards, exact = read_code(spelling)
        except ValueError:
            with pytest.raises(CodeError):
                Deal.from_code(spelling)
        else:
            deal = Deal.from_code(spelling)
            answer = (deal.ruleset.letter, [write_card(card) for card in deal.cards], deal.code)
            assert answer == (rules.letter, cards, exact)


@examples(150)
@given(seeds, letters)
def test_a_damaged_position_text_is_refused_or_read_as_it_stands(seed: int, letter: str) -> None:
    rng = random.Random(seed)
    game = Game.deal(*read_code(random_code(rng, RULES[letter]))[:2])
    random_line(rng, game, rng.randrange(40), 0.0, 0.8)
    text = list(game.text())
    for _ in range(rng.randrange(4)):
        place = rng.randrange(len(text))
        text[place : place + rng.randrange(3)] = rng.choice("Ac Kd/-X12 0NGJ\n\u0661")
    damaged = "".join(text)
    try:
        position = Position.read(damaged)
    except PositionError:
        return
    assert position.text == damaged
    compare_states(position, Game.read(damaged))


def test_both_tables_of_rulesets_are_equal_row_by_row() -> None:
    assert list(RULESETS) == list(RULES)
    for letter, rules in RULES.items():
        row = get_ruleset(letter)
        for name in Rules.__dataclass_fields__:
            assert getattr(row, name) == getattr(rules, name), (letter, name)


@pytest.mark.parametrize("letter", RULES)
def test_the_naive_implementation_lists_exactly_the_tokens_it_does_not_refuse(letter: str) -> None:
    rng = random.Random(letter)
    for _ in range(4):
        code = some_deal(rng, letter)
        game = Game.deal(*read_code(code)[:2])
        random_line(rng, game, rng.randrange(60), 0.0, 0.8)
        fresh = Game.read(game.text())
        assert {canonical(t) for t in TOKENS if naive_refusal_of(fresh, t) is None} == set(game.legal_moves())
