"""Do the public deals of ruleset T play as published, and the two deals of the rules text as it says?"""

from functools import cache
from pathlib import Path

import pytest

from games.engine.cards import read_card, read_cards
from games.engine.deal import Deal
from games.engine.errors import MoveError
from games.engine.position import Position
from games.engine.replay import Verdict, verify

_FILE = Path(__file__).parents[1] / "vectors" / "tower-deals.tsv"


@cache
def load_deals() -> list[tuple[Deal, int, str]]:
    """(deal, shortest length or 0, solution or "") of each line."""
    rows = [line.split("\t") for line in _FILE.read_text("ascii").splitlines()[1:]]
    return [(Deal.from_cards("T", read_cards(cards)), int(length), moves) for _, cards, length, moves in rows]


def check(deal: Deal, moves: str) -> Verdict:
    verdict = verify(deal, moves)
    assert isinstance(verdict, Verdict), f"{deal}: {verdict}"
    return verdict


def test_there_are_a_thousand_deals_and_every_winnable_one_has_a_solution() -> None:
    deals = load_deals()
    assert len({deal.order for deal, _, _ in deals}) == len(deals) == 1000
    assert sum(length > 0 for _, length, _ in deals) == sum(moves != "" for _, _, moves in deals) == 679
    assert all((length > 0) == (moves != "") for _, length, moves in deals)


def test_each_solution_wins_in_exactly_the_published_number_of_moves() -> None:
    for deal, length, moves in load_deals():
        if moves:
            verdict = check(deal, moves)
            assert (verdict.outcome, verdict.plies, verdict.moves, verdict.undos) == ("won", length, length, 0)
            assert (verdict.left, verdict.removed, verdict.points) == (0, 28, 28)
            assert verdict.text == moves, "the published text is in the written order already"
            assert verdict.deal == deal.code


def test_no_solution_wins_before_its_last_token() -> None:
    for deal, length, moves in load_deals():
        if moves:
            verdict = check(deal, moves.rpartition(" ")[0])
            assert (verdict.outcome, verdict.plies) == ("unfinished", length - 1)
            assert 0 < verdict.left <= 2


def test_nothing_follows_a_win() -> None:
    for deal, length, moves in load_deals()[:100]:
        for token in ("D", "R", "U", "a1", "W", "SW") if moves else ():
            refusal = verify(deal, f"{moves} {token}")
            assert (refusal.legal, refusal.at, refusal.token) == (False, length, token)
            assert refusal.reason == "after_end"


def test_the_first_moves_of_the_described_deal_play_as_described() -> None:
    start = Position.start(Deal.from_code("PY1-N-AAAAAAS"))
    assert start.legal_moves() == ("g1g3", "g2", "g5W", "g7W", "D")
    position = start.play("g2").play("g1g3")
    with pytest.raises(MoveError, match=r"^7 and 7 make 14; the sum must be 13\.$") as caught:
        position.play("g5g7")
    assert (caught.value.code, caught.value.token) == ("sum", "g5g7")
    assert start.tableau[20] == read_card("Qc")
    with pytest.raises(MoveError, match=r"^f6 is covered\.$") as caught:
        start.play("f6")
    assert caught.value.code == "covered"


def test_the_other_deal_never_loses_more_than_fourteen_cards_and_never_reports_a_dead_end() -> None:
    start = Position.start(Deal.from_code("PY1-N-AAAAAAJ"))
    # Passes are unlimited, so what lies where is all that matters; otherwise there would be no end of positions.
    seen = {(start.tableau, start.stock, start.waste)}
    todo = [start]
    most = most_tableau = 0
    while todo:
        position = todo.pop()
        assert not position.is_dead_end
        assert not position.is_won
        most = max(most, 52 - position.left_all)
        most_tableau = max(most_tableau, position.removed)
        for token in position.legal_moves():
            after = position.play(token)
            key = (after.tableau, after.stock, after.waste)
            if key not in seen:
                seen.add(key)
                todo.append(after)
    assert (most, most_tableau) == (14, 9)
