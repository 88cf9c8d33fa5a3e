"""Who may see par and line of a deal: a table, asked of the function and of every answer that could tell."""

from datetime import timedelta
from typing import Any

import pytest

from games.actions import may_see_par, store_deal, store_proof
from games.models import Attempt, Player
from leaderboard import actions
from tests.client import Api
from tests.players import EASY_MOVES, easy_deal, easy_line, log_in, make_player, move_back, open_attempt, win

pytestmark = pytest.mark.django_db

DEAL = easy_deal("T")
FIELDS = {"winnable", "par", "par_proven", "line", "difficulty_number"}  # a pool's difficulty is known
SENT = {"format": "pyramid-replay/1", "deal": DEAL.code, "moves": "D", "times": [1]}


@pytest.fixture(autouse=True)
def proven() -> None:
    line = EASY_MOVES.split(" ")
    store_proof(deal=store_deal(deal=DEAL), verdict="winnable", line=line, par_proven=True, difficulty="easy", number=7)


def end(player: Player, letter: str = "T") -> None:
    actions.resign(player=player, attempt=open_attempt(player, easy_deal(letter), ranked=False).pk)


def play(player: Player, did: str) -> None:
    """What a player did with the cards: steps such as "ended T" (an attempt under T has ended)."""
    for step in filter(None, did.split(", ")):
        what, letter = step.split(" ")
        if what == "ended":
            end(player, letter)
        elif what == "won":
            win(player, 5000, deal=easy_deal(letter))
        elif what == "open":
            open_attempt(player, easy_deal(letter), ranked=False)
        elif what == "ranked":
            open_attempt(player, easy_deal(letter))
        elif what == "expired":
            move_back(open_attempt(player, easy_deal(letter)).pk, seconds=timedelta(hours=25).total_seconds())
        else:
            assert log_in(player).post("replays/", SENT)[0] == 201


@pytest.mark.parametrize(
    ("did", "sees"),
    [
        ("", False),
        ("open T", False),
        ("ranked T", False),
        ("ended T", True),
        ("won T", True),
        ("expired T", True),
        ("sent T", True),
        ("ended N", False),  # another deal, though the same cards
        ("ended T, open T", False),
        ("ended T, ranked N", False),
        ("ended T, open N", False),
        ("ended T, ended N", True),
        ("ended T, expired N", True),
    ],
)
def test_par_is_for_who_has_ended_an_attempt_and_plays_the_cards_no_more(did: str, sees: bool) -> None:
    player, other = make_player("Ada"), make_player("Bert")
    play(player, did)
    assert may_see_par(player, store_deal(deal=DEAL)) is sees
    answer = log_in(player).get(f"deals/{DEAL.code}/")[1]
    assert (set(answer) >= FIELDS, bool(FIELDS & set(answer))) == (sees, sees)
    attempts = [
        log_in(player).get(f"attempts/{attempt.pk}/")[1] for attempt in Attempt.objects.filter(deal__ruleset="T")
    ]
    assert {"par" in answer for answer in attempts} <= {sees}
    assert not may_see_par(other, store_deal(deal=DEAL))
    for stranger in (log_in(other), Api()):
        assert not FIELDS & set(stranger.get(f"deals/{DEAL.code}/")[1])
        for attempt in Attempt.objects.all():
            assert not FIELDS & set(stranger.get(f"replays/{attempt.pk}/")[1])


def shown(answer: dict[str, Any]) -> tuple[Any, ...]:
    return tuple(answer[name] for name in ("winnable", "par", "par_proven", "line", "difficulty_number"))


def test_a_won_attempt_says_how_far_over_par_it_was_and_one_given_up_does_not() -> None:
    api = log_in(make_player("Ada"))
    for moves, over in ((16, 0), (19, 3), (0, None)):
        attempt = api.post("attempts/", {"deal": DEAL.code})[1]["id"]
        if moves:
            api.post(f"attempts/{attempt}/moves/", {"from_ply": 0, "moves": easy_line(moves)})
        else:
            api.post(f"attempts/{attempt}/resign/")
        answer = api.get(f"attempts/{attempt}/")[1]
        assert shown(answer) == (True, 16, True, EASY_MOVES, 7)
        assert answer["over_par"] == over
    assert shown(api.get(f"deals/{DEAL.code}/")[1]) == (True, 16, True, EASY_MOVES, 7)


@pytest.mark.parametrize(("verdict", "winnable"), [("unwinnable", False), ("unknown", None), ("", None)])
def test_without_a_win_there_is_no_par(verdict: str, winnable: bool | None) -> None:
    deal = easy_deal("N")
    stored = store_deal(deal=deal)
    if verdict:
        store_proof(deal=stored, verdict=verdict, line=None, par_proven=False)
    player = make_player("Ada")
    end(player, "N")
    answer = log_in(player).get(f"deals/{deal.code}/")[1]
    assert shown(answer) == (winnable, None, False, None, None)


def test_a_line_that_is_not_proven_shortest_says_so() -> None:
    deal = easy_deal("N")
    line = easy_line(16).split(" ")
    store_proof(
        deal=store_deal(deal=deal), verdict="winnable", line=line, par_proven=False, difficulty="hard", number=9
    )
    player = make_player("Ada")
    win(player, 5000, deal=deal)
    answer = log_in(player).get(f"deals/{deal.code}/")[1]
    assert shown(answer) == (True, 16, False, EASY_MOVES, 9)
