"""Placing wins: which attempt stands for a player, and where."""

from datetime import UTC, datetime, timedelta

import pytest

from games.models import Attempt, Player
from leaderboard import ranking
from leaderboard.models import Board, Standing, TimeBucket
from leaderboard.standings import read_places
from tests.leaderboard.plain_boards import check_boards, read_buckets
from tests.players import easy_deal, make_player, make_players, open_attempt, place, solved_deals, win

pytestmark = pytest.mark.django_db

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


def standing(player: Player, order: str, kind: str = "ruleset") -> tuple[int, int]:
    """Official time and moves with which a player stands on a board."""
    attempt = Attempt.objects.get(standings__board__kind=kind, standings__board__order=order, player=player)
    assert attempt.official_ms is not None
    return attempt.official_ms, attempt.counted_moves


def test_a_ranked_win_stands_on_the_deals_and_the_rulesets_boards(ada: Player) -> None:
    win(ada, 5000, 17)
    for kind in ("deal", "ruleset"):
        for order in ("time", "moves"):
            assert standing(ada, order, kind) == (5000, 17)
    assert check_boards() == {"deal": 2, "ruleset": 2}


def test_practice_never_stands_on_a_rulesets_board(ada: Player) -> None:
    win(ada, 5000, ranked=False)
    assert check_boards() == {"deal": 2, "ruleset": 0}


def test_a_quicker_win_with_more_moves_changes_the_time_order_only(ada: Player) -> None:
    win(ada, 5000, 17)
    win(ada, 4000, 19)
    assert standing(ada, "time") == (4000, 19)
    assert standing(ada, "moves") == (5000, 17), "never the best time of one and the best moves of another"
    check_boards()


def test_a_slower_win_with_fewer_moves_changes_the_moves_order_only(ada: Player) -> None:
    win(ada, 5000, 17)
    win(ada, 6000, 16)
    assert standing(ada, "time") == (5000, 17)
    assert standing(ada, "moves") == (6000, 16)
    check_boards()


def test_of_equal_times_the_fewer_moves_stand(ada: Player) -> None:
    win(ada, 5000, 18)
    win(ada, 5000, 17)
    win(ada, 5000, 19)
    assert standing(ada, "time") == (5000, 17)
    check_boards()


def test_a_worse_win_changes_nothing(ada: Player) -> None:
    win(ada, 5000, 17)
    before = list(Standing.objects.order_by("pk").values()), list(TimeBucket.objects.values())
    win(ada, 5001, 18)
    assert (list(Standing.objects.order_by("pk").values()), list(TimeBucket.objects.values())) == before


def test_equal_keys_keep_the_earlier_attempt(ada: Player) -> None:
    win(ada, 5000, 17, ended_at=NOON)
    first = Attempt.objects.get()
    win(ada, 5000, 17, ended_at=NOON + timedelta(seconds=1))
    win(ada, 5000, 17, ended_at=NOON)
    assert set(Standing.objects.values_list("attempt", flat=True)) == {first.pk}
    check_boards()


def test_equal_keys_keep_the_earlier_attempt_even_where_it_is_stored_later(ada: Player) -> None:
    place(ada, 5000, 17, ended_at=NOON + timedelta(seconds=1))
    place(ada, 5000, 17, ended_at=NOON)
    assert set(Standing.objects.values_list("ended_at", flat=True)) == {NOON}
    check_boards()


def test_the_points_order_counts_the_bonus(ada: Player) -> None:
    deal = easy_deal("M")
    place(ada, 9000, 16, points=300, bonus=10, deal=deal)
    place(ada, 8000, 17, points=290, bonus=21, deal=deal)
    assert standing(ada, "points") == (8000, 17)
    place(ada, 7000, 18, points=311, bonus=0, deal=deal)
    assert standing(ada, "points") == (7000, 18), "of equal points the quicker stands"
    place(ada, 7000, 17, points=300, bonus=11, deal=deal)
    assert standing(ada, "points") == (7000, 17), "of equal times the fewer moves"
    place(ada, 1, 16, points=-40, bonus=0, deal=deal)
    assert standing(ada, "points") == (7000, 17), "points below zero are the worst"
    check_boards()


def test_only_rulesets_that_score_points_have_a_board_of_points() -> None:
    assert ranking.orders_of("points") == ("time", "moves", "points")
    for scoring in ("tens", "cards", "none"):
        assert ranking.orders_of(scoring) == ("time", "moves")
    win(make_player("Ada"), 5000, deal=easy_deal("T"))
    win(make_player("Bert"), 5000, deal=easy_deal("M"))
    orders = Board.objects.filter(kind="ruleset").values_list("ruleset", "order")
    assert sorted(orders) == [("M", "moves"), ("M", "points"), ("M", "time"), ("T", "moves"), ("T", "time")]
    check_boards()


def test_a_win_in_no_time_is_not_no_win(ada: Player) -> None:
    win(ada, 0)
    assert standing(ada, "time") == (0, 16)
    check_boards()


def test_one_player_has_one_standing_over_all_deals_of_a_ruleset(ada: Player) -> None:
    for n, (deal, line) in enumerate(solved_deals()[:3]):
        win(ada, 5000 - n, deal=deal, line=line)
    assert check_boards() == {"deal": 6, "ruleset": 2}


def test_places_say_where_the_player_stands_and_whether_with_this_attempt() -> None:
    ada, bert, cleo = make_players(3)
    win(ada, 1000)
    win(bert, 2000)
    best = win(cleo, 2000)
    assert read_places(best.pk) == [
        {"board": "deal", "rank": 2, "total": 3, "best": True},
        {"board": "ruleset", "rank": 2, "total": 3, "best": True},
    ]
    worse = win(cleo, 3000, ranked=False)
    assert read_places(worse.pk) == [{"board": "deal", "rank": 2, "total": 3, "best": False}]
    win(cleo, 500)
    assert read_places(best.pk) == [
        {"board": "deal", "rank": 1, "total": 3, "best": False},
        {"board": "ruleset", "rank": 1, "total": 3, "best": False},
    ]
    assert read_places(open_attempt(ada, easy_deal()).pk) == []


def test_a_time_is_counted_on_every_level_in_the_bucket_it_lies_in() -> None:
    for player, ms in zip(make_players(5), (15, 16, 1023, 1024, 65_536), strict=True):
        win(player, ms, ranked=False)
    board = Board.objects.get(kind="deal", order="time")
    assert read_buckets(board) == {
        (4, 0): 1, (4, 1): 1, (4, 63): 1, (4, 64): 1, (4, 4096): 1,
        (10, 0): 3, (10, 1): 1, (10, 64): 1,
        (16, 0): 4, (16, 1): 1,
    }  # fmt: skip
    check_boards()


def test_an_improvement_takes_its_count_along(ada: Player) -> None:
    for ms in (70_000, 69_999, 69_000, 1030, 10):
        win(ada, ms, ranked=False)
        check_boards()
    assert read_buckets(Board.objects.get(kind="deal", order="time")) == {(4, 0): 1, (10, 0): 1, (16, 0): 1}
