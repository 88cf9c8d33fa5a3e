"""Are par, proof and lines of whole deals right, and is what is not known said to be so?"""

from functools import cache
from itertools import count
from pathlib import Path
from random import Random

import pytest

from games.engine import replay
from games.engine.cards import read_cards
from games.engine.deal import Deal
from games.engine.position import Position
from games.engine.rulesets import RULESETS
from games.engine.solver import Answer, Limit, most_removable, shortest, winnable
from games.engine.solver.board import Board
from games.engine.solver.layout import Layouts
from games.engine.solver.limits import LimitReached, Meter
from games.engine.solver.relaxed import Relaxed
from games.engine.solver.search import find_shortest

TOWER_DEALS = Path(__file__).parents[1] / "vectors" / "tower-deals.tsv"
# The lengths of all of them are checked in tests/bench/bench_solver.py.
EVERY = 12
SEEDS = 3


@cache
def load_tower_deals() -> list[tuple[Deal, int]]:
    """The public deals and their shortest lengths, 0 for those that cannot be won."""
    rows = [line.split("\t") for line in TOWER_DEALS.read_text("ascii").splitlines()[1:]]
    return [(Deal.from_cards("T", read_cards(cards)), int(length)) for _, cards, length, _ in rows]


def check_win(deal: Deal, answer: Answer) -> None:
    """The judge of replays says that the line wins, with its last token."""
    assert answer.line is not None
    verdict = replay.verify(deal, " ".join(answer.line))
    assert isinstance(verdict, replay.Verdict), verdict
    assert (verdict.outcome, verdict.moves) == ("won", answer.par)


def play_at_random(random: Random, deal: Deal, plies: int) -> Position:
    position = Position.start(deal)
    for _ in range(plies):
        moves = position.legal_moves()
        if not moves:
            break
        # removals more often than draws: a game that has come somewhere
        position = position.play(random.choice(moves[:3]))
    return position


def search_alone(position: Position, states: int) -> str:
    """The verdict of the search for shortest lines without the check that comes first in `shortest`."""
    board, meter = Board(position), Meter(Limit(states))
    layouts = Layouts(board)
    try:
        way = find_shortest(board, layouts, Relaxed(board, layouts, meter), meter)
    except LimitReached:
        return "unknown"
    return "unwinnable" if way is None else "winnable"


def agree(one: str, other: str) -> bool:
    return one == other or "unknown" in (one, other)


def test_every_public_deal_has_its_verdict() -> None:
    for deal, length in load_tower_deals():
        answer = winnable(Position.start(deal))
        assert answer.verdict == ("winnable" if length else "unwinnable"), deal
        if length:
            check_win(deal, answer)
            assert answer.par is not None
            assert answer.par >= length


def test_public_deals_have_their_shortest_lengths() -> None:
    for deal, length in load_tower_deals()[::EVERY]:
        answer = shortest(Position.start(deal))
        assert (answer.par or 0, answer.par_proven) == (length, length > 0), deal
        if length:
            check_win(deal, answer)


def test_the_deals_of_the_rules_text_are_as_it_says() -> None:
    deal = Deal.from_code("PY1-N-AAAAAAS")
    answer = shortest(Position.start(deal))
    assert (answer.verdict, answer.par, answer.par_proven) == ("winnable", 53, True)
    check_win(deal, answer)
    start = Position.start(Deal.from_code("PY1-N-AAAAAAJ"))
    assert shortest(start).verdict == winnable(start).verdict == "unwinnable"
    most = most_removable(start)
    assert (most.tableau, most.total, most.proven) == (9, 14, True)


@pytest.mark.parametrize("letter", RULESETS)
def test_winnable_and_shortest_agree_on_random_deals(letter: str) -> None:
    for seed in range(SEEDS):
        deal = Deal.from_seed(letter, 1_000_003 * seed)
        start = Position.start(deal)
        quick, best = winnable(start, Limit(20_000)), shortest(start, Limit(1_000))
        assert agree(quick.verdict, best.verdict), deal
        assert agree(quick.verdict, search_alone(start, 1_000)), deal
        assert not quick.par_proven
        for answer in (quick, best):
            if answer.line is not None:
                check_win(deal, answer)
        assert best.par is None or quick.par is None or best.par <= quick.par


@pytest.mark.parametrize("letter", RULESETS)
def test_winnable_and_shortest_agree_in_the_middle_of_random_games(letter: str) -> None:
    random = Random(letter)
    for seed in range(6 * SEEDS):
        position = play_at_random(random, Deal.from_seed(letter, seed), random.randint(10, 50))
        assert agree(winnable(position, Limit(5_000)).verdict, search_alone(position, 1_000)), position.text


@pytest.mark.parametrize("letter", RULESETS)
def test_par_falls_by_one_along_a_shortest_line(letter: str) -> None:
    """From any position: what is left of a shortest line is one."""
    for seed in count():
        start = position = Position.start(Deal.from_seed(letter, 777 * seed))
        line = winnable(start, Limit(300)).line
        if line is not None:
            break
    for token in line[: len(line) * 3 // 5]:
        position = position.play(token)
    answer = shortest(position)
    assert answer.par_proven
    assert answer.line is not None
    for ply, token in enumerate(answer.line, 1):
        position = position.play(token)
        rest = shortest(position)
        assert (rest.par, rest.par_proven) == (len(answer.line) - ply, True), position.text
    assert position.is_won


def test_unlimited_passes_win_the_same_deals_turned_card_or_not() -> None:
    for seed in range(40):
        relaxed, endless = (winnable(Position.start(Deal.from_seed(letter, seed))).verdict for letter in "NC")
        assert relaxed == endless


def test_a_position_that_is_won_takes_no_moves() -> None:
    won = Position.read("T --/----/------/--------/----------/------------/-------------- Kd Ks 2")
    for answer in (winnable(won), shortest(won)):
        assert (answer.verdict, answer.line) == ("winnable", ())
    most = most_removable(won)
    assert (most.tableau, most.total, most.proven) == (0, 0, True)


def find_hard_deal() -> Position:
    """A deal that takes more than a few thousand states."""
    for seed in count():
        start = Position.start(Deal.from_seed("T", seed))
        if shortest(start, Limit(states=5_000)).verdict == "winnable" and not shortest(start, Limit(5_000)).par_proven:
            return start
    raise AssertionError


def test_a_limit_that_is_reached_is_no_proof() -> None:
    """At any number of states each answer is the truth, or says that it is none."""
    hard = find_hard_deal()
    truth = winnable(hard).verdict
    for letter in RULESETS:
        deal = Deal.from_seed(letter, 4)
        start = Position.start(deal)
        verdict = winnable(start).verdict
        for states in (1, 64, 300, 2_000):
            for answer in (winnable(start, Limit(states)), shortest(start, Limit(states))):
                assert answer.verdict in (verdict, "unknown")
                assert (answer.line is not None) == (answer.verdict == "winnable")
                if answer.line is not None:
                    check_win(deal, answer)
    assert winnable(hard, Limit(1)).verdict == shortest(hard, Limit(1)).verdict == "unknown"
    assert truth == "winnable"


def test_what_is_not_proven_keeps_the_best_line_known() -> None:
    start = find_hard_deal()
    known = winnable(start)
    answer = shortest(start, Limit(5_000))
    assert (answer.verdict, answer.par_proven) == ("winnable", False)
    assert answer.line is not None
    assert known.par is not None
    assert len(answer.line) <= known.par
    best = shortest(start)
    assert best.par_proven
    assert (best.par or 0) <= len(answer.line)


def test_seconds_are_those_of_the_clock_that_is_passed_in() -> None:
    start = find_hard_deal()
    ticks = count()
    answer = shortest(start, Limit(seconds=3, clock=lambda: float(next(ticks))))
    assert answer.verdict == "unknown"
    assert answer.line is None
    assert 0 < answer.states < 1_000
    stopped = shortest(start, Limit(seconds=3, clock=lambda: 0.0))
    assert stopped.par_proven
    with pytest.raises(ValueError, match="clock"):
        Limit(seconds=3)


def test_the_most_cards_found_before_a_limit_are_no_more_than_can_be_removed() -> None:
    start = Position.start(next(deal for deal, length in load_tower_deals() if not length))
    most = most_removable(start)
    assert most.proven
    assert most.tableau < 28
    assert most.total >= most.tableau
    proven = []
    for states in (1, 128, 256, 512, 1_024, 2_048):
        least = most_removable(start, Limit(states))
        assert least.tableau <= most.tableau
        assert least.total <= most.total
        proven.append(least.proven)
    assert not proven[0]
    assert proven == sorted(proven)
