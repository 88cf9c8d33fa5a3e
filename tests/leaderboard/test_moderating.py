"""Holding, releasing, voiding and restoring: the boards are at every moment what the attempts say."""

from datetime import timedelta

import pytest

from games.models import Attempt, Player
from leaderboard import actions, moderating
from leaderboard.models import Board, Standing
from tests.leaderboard.plain_boards import check_boards
from tests.players import EASY_MOVES, easy_deal, make_daily, make_player, make_players, open_attempt, win

pytestmark = pytest.mark.django_db


@pytest.fixture
def ada() -> Player:
    return make_player("Ada")


def standing(player: Player, order: str = "time") -> int | None:
    """The official time with which a player stands on the ruleset's board."""
    row = Standing.objects.filter(board__kind="ruleset", board__order=order, player=player).first()
    return row and row.attempt.official_ms


def test_the_next_best_whole_attempt_takes_the_place_of_a_void_one(ada: Player) -> None:
    win(ada, 5000, 17)
    win(ada, 6000, 16)
    best = win(ada, 4000, 18)
    assert moderating.void(attempt=best)
    assert (standing(ada), standing(ada, "moves")) == (5000, 6000)
    check_boards()
    assert moderating.restore(attempt=best)
    assert (standing(ada), standing(ada, "moves")) == (4000, 6000)
    check_boards()


def test_who_has_nothing_else_stands_nowhere(ada: Player) -> None:
    only = win(ada, 5000)
    win(make_player("Bert"), 6000)
    moderating.void(attempt=only)
    assert not Standing.objects.filter(player=ada).exists()
    assert check_boards() == {"deal": 2, "ruleset": 2}


def test_an_attempt_that_stands_nowhere_can_be_voided(ada: Player) -> None:
    win(ada, 4000)
    worse = win(ada, 5000)
    assert moderating.void(attempt=worse)
    assert standing(ada) == 4000
    check_boards()


def test_practice_takes_a_ranked_ones_place_on_the_deals_board_alone(ada: Player) -> None:
    win(ada, 6000, ranked=False)
    best = win(ada, 5000)
    moderating.hold(attempt=best, because="pace")
    assert standing(ada) is None
    assert check_boards() == {"deal": 2, "ruleset": 0}
    moderating.release(attempt=best)
    assert standing(ada) == 5000
    check_boards()


def test_held_and_void_are_two_things(ada: Player) -> None:
    attempt = win(ada, 5000)
    moderating.hold(attempt=attempt, because="pace")
    moderating.void(attempt=attempt)
    moderating.release(attempt=attempt)
    assert standing(ada) is None
    moderating.restore(attempt=attempt)
    assert standing(ada) == 5000
    check_boards()


@pytest.mark.parametrize("word", ["void", "restore", "release", "hold"])
def test_twice_is_once(ada: Player, word: str) -> None:
    attempt = win(ada, 5000)
    if word == "restore":
        moderating.void(attempt=attempt)
    if word == "release":
        moderating.hold(attempt=attempt, because="pace")
    more = {"because": "pace"} if word == "hold" else {}
    assert getattr(moderating, word)(attempt=attempt, **more)
    before = list(Standing.objects.order_by("pk").values())
    assert not getattr(moderating, word)(attempt=attempt, **more)
    assert list(Standing.objects.order_by("pk").values()) == before
    check_boards()


def test_what_was_not_won_is_voided_and_restored_but_never_held(ada: Player) -> None:
    attempt = open_attempt(ada, easy_deal())
    assert moderating.void(attempt=attempt)
    assert moderating.restore(attempt=attempt)
    assert not moderating.hold(attempt=attempt, because="pace")
    assert not moderating.release(attempt=attempt)
    attempt.refresh_from_db()
    assert (attempt.voided_at, attempt.held, attempt.end) == (None, "", "")


def test_a_win_of_a_void_attempt_stands_nowhere_until_it_is_restored(ada: Player) -> None:
    attempt = open_attempt(ada, easy_deal())
    moderating.void(attempt=attempt)
    actions.play_moves(player=ada, attempt=attempt.pk, from_ply=0, moves=EASY_MOVES, times=None)
    assert Attempt.objects.get().end == "won"
    assert not Standing.objects.exists()
    moderating.restore(attempt=attempt)
    assert check_boards() == {"deal": 2, "ruleset": 2}


def test_a_void_entry_leaves_the_races_board_and_comes_back_to_it() -> None:
    race = make_daily("T")
    crowd = make_players(3)
    attempts = [win(player, 20_000 + n, race=race) for n, player in enumerate(crowd)]
    board = Board.objects.get(race=race, order="time")
    moderating.void(attempt=attempts[0])
    assert list(board.standings.order_by("key1").values_list("player", flat=True)) == [crowd[1].pk, crowd[2].pk]
    check_boards()
    moderating.restore(attempt=attempts[0])
    assert board.standings.count() == 3
    assert check_boards()["race"] == 6


def test_a_win_stands_on_the_boards_of_its_races_day_and_not_of_its_start() -> None:
    now = actions.read_clock()
    yesterday = (now - timedelta(days=1)).date()
    race = make_daily("T", day=yesterday)
    win(make_player("Ada"), 20_000, race=race)
    days = Board.objects.filter(kind="day", standings__isnull=False).values_list("period", flat=True).distinct()
    assert list(days) == [yesterday.isoformat()]
    check_boards()
