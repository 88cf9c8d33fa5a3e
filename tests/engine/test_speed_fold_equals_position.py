"""Does the fast fold of replays accept, refuse and reach exactly what a Position does, token by token?

The replay is judged anew after every token, legal or not, and compared with Positions kept on a stack for undo.
"""

import random
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from games.engine.cards import read_cards
from games.engine.deal import Deal
from games.engine.errors import MoveError
from games.engine.moves import CELLS, canonical
from games.engine.position import Position
from games.engine.replay import Refusal, Verdict, verify
from games.engine.rulesets import RULESETS

WALKS = 20
STEPS = 120
ILL_FORMED = ("", "x", "g", "DD", "g1g2g3", "G1", "a1_", "U1", "WSW")
OFF_LAYOUT = ("a0", "a2", "g8", "h0", "h9", "h1", "h1h2", "g1h8", "e9f1")


@dataclass
class SlowGame:
    """A game played with Positions alone, with the counters of a verdict kept move by move."""

    deal: Deal
    position: Position
    log: list[tuple[Position, int]] = field(default_factory=list)
    points: int = 0
    moves: int = 0
    undos: int = 0
    text: list[str] = field(default_factory=list)

    def play(self, token: str) -> None:
        """Play one token; MoveError leaves everything as it was."""
        ruleset = self.deal.ruleset
        if token == "U" and self.log and not self.position.is_won:
            self.position, self.points = self.log.pop()
            self.undos += 1
            self.moves += ruleset.undo_counts
        else:
            after = self.position.play(token)
            self.log.append((self.position, self.points))
            if ruleset.undo is not None:
                del self.log[: -ruleset.undo]
            self.points += self.score(token, after)
            self.position = after
            self.moves += 1
        self.text.append(canonical(token))

    def try_to_play(self, token: str) -> MoveError | None:
        try:
            self.play(token)
        except MoveError as error:
            return error
        return None

    def score(self, token: str, after: Position) -> int:
        cells = self.position.left - after.left
        cards = self.position.left_all - after.left_all
        per_card = {"tens": 10, "cards": 1, "points": 0, "none": 0}[self.deal.ruleset.scoring]
        by_move = 0
        if self.deal.ruleset.scoring == "points":
            by_move = -10 if token == "R" else {0: 0, 1: 15, 2: 20}[cards]
        return per_card * cells + by_move

    def check(self, verdict: Verdict | Refusal) -> None:
        assert isinstance(verdict, Verdict), f"{self.deal} {self.text}: {verdict}"
        assert verdict.position == self.position
        assert verdict.position.present == Position.read(self.position.text).present
        assert verdict.text == " ".join(self.text)
        assert (verdict.plies, verdict.moves, verdict.undos) == (len(self.text), self.moves, self.undos)
        assert (verdict.points, verdict.pass_) == (self.points, self.position.pass_)
        assert (verdict.removed, verdict.left) == (28 - self.position.left, self.position.left)
        all_cards = len(self.deal.cards)
        assert (verdict.removed_all, verdict.left_all) == (
            all_cards - self.position.left_all,
            self.position.left_all,
        )
        stuck = not self.position.legal_moves()
        assert verdict.outcome == ("won" if self.position.is_won else "dead_end" if stuck else "unfinished")


def turn_around(token: str) -> str:
    """A pair in its other order, any other token as it is."""
    half = len(token) // 2
    places = [place for place in CELLS if token.startswith(place) and token[len(place) :] in CELLS]
    return token[len(places[0]) :] + places[0] if half and places else token


def choose(rng: random.Random, position: Position) -> str:
    """Half legal moves, removals before draws, in either order; else undo or any token, good or bad."""
    legal = position.legal_moves()
    removals = [token for token in legal if token not in ("D", "R")]
    kind = rng.random()
    if kind < 0.35 and removals:
        return turn_around(rng.choice(removals)) if rng.random() < 0.5 else rng.choice(removals)
    if kind < 0.7 and legal:
        return rng.choice(legal)
    if kind < 0.78:
        return "U"
    if kind < 0.82:
        return rng.choice(("D", "R", "W", "S", "SW", "WS"))
    if kind < 0.85:
        return rng.choice(ILL_FORMED + OFF_LAYOUT)
    if kind < 0.9:
        return rng.choice(CELLS)
    # Mostly cards that are there, so that the sums are asked for too.
    near = position.exposed or CELLS
    return rng.choice(near) + rng.choice(near if rng.random() < 0.6 else CELLS)


def walk(game: SlowGame, rng: random.Random, steps: int) -> Counter[str]:
    seen: Counter[str] = Counter()
    tokens: list[str] = []
    game.check(verify(game.deal, ""))
    for _ in range(steps):
        token = choose(rng, game.position) if tokens or rng.random() < 0.5 else "U"
        # An empty piece alone is no token but the replay of no plies.
        verdict = verify(game.deal, " ".join([*tokens, token])) if tokens or token else None
        error = game.try_to_play(token)
        if error is None:
            tokens.append(token)
            assert verdict is not None
            game.check(verdict)
            seen.update(("accepted", verdict.outcome))
            continue
        seen[error.code] += 1
        if verdict is not None:
            assert isinstance(verdict, Refusal), f"{game.deal} {tokens} {token}: {error}"
            assert (verdict.at, verdict.token, verdict.reason) == (len(tokens), token, error.code)
            assert verdict.detail == str(error)
    return seen


EXPECTED = {"accepted", "unfinished", "syntax", "no_such_cell", "same_card", "nothing_to_undo", "gone", "sum"}


@pytest.mark.parametrize("letter", RULESETS)
def test_random_tokens_good_and_bad_lead_to_the_same_in_both(letter: str) -> None:
    rng = random.Random(f"fold {letter}")
    seen: Counter[str] = Counter()
    for _ in range(WALKS):
        deal = Deal.from_seed(letter, rng.randrange(2**35))
        seen += walk(SlowGame(deal, Position.start(deal)), rng, STEPS)
    ruleset = RULESETS[letter]
    expected = EXPECTED | {"covered", "not_single"}
    if ruleset.stock != "open":
        expected |= {"not_open"}
    if ruleset.stock != "reserve":
        expected |= {"stock_not_empty"}
    assert expected <= seen.keys()


@pytest.mark.parametrize("letter", RULESETS)
def test_the_ends_of_games_are_the_same_in_both(letter: str) -> None:
    """Greedy games run to a win or into a corner, where random walks seldom come; then every kind of token."""
    rng = random.Random(f"end {letter}")
    outcomes: Counter[str] = Counter()
    for _ in range(60):
        deal = Deal.from_seed(letter, rng.randrange(2**35))
        game = SlowGame(deal, Position.start(deal))
        while len(game.text) < 200:
            legal = game.position.legal_moves()
            removals = [token for token in legal if token not in ("D", "R")]
            if not legal:
                break
            game.play(rng.choice(removals or legal))
        verdict = verify(deal, " ".join(game.text))
        game.check(verdict)
        assert isinstance(verdict, Verdict)
        outcomes[verdict.outcome] += 1
        for token in ("D", "R", "U", "a1", "S", "W", "SW", "g1g2", "h1", "x"):
            after = verify(deal, " ".join([*game.text, token]))
            if token == "U" and not game.position.is_won:
                assert after.legal
                continue
            error = game.position.find_refusal(token)
            assert (after.legal, getattr(after, "reason", None)) == (error is None, error and error.code)
    passes = RULESETS[letter].passes
    assert passes is None or outcomes["dead_end"] or outcomes["won"]


def test_published_solutions_lead_to_the_same_in_both() -> None:
    vectors = Path(__file__).parents[1] / "vectors" / "tower-deals.tsv"
    for line in vectors.read_text("ascii").splitlines()[1:60]:
        _, cards, _, moves = line.split("\t")
        deal = Deal.from_cards("T", read_cards(cards))
        game = SlowGame(deal, Position.start(deal))
        for token in moves.split():
            game.play(token)
        game.check(verify(deal, moves))
        assert game.position.is_won == bool(moves)
