"""Holding, releasing, voiding and restoring: the boards are at every moment what the attempts say."""

from datetime import timedelta

import pytest

from games.models import Attempt, Player
from leaderboard import actions, moderating
from leaderboard.models import Board, Standing
from tests.leaderboard.plain_boards import check_boards
from tests.players import (
    EASY_MOVES,
    easy_deal,
    easy_line,
    in_parallel,
    log_in,
    make_daily,
    make_player,
    make_players,
    open_attempt,
    win,
)

pytestmark = pytest.mark.django_db


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


# After a void the player may play again


LINES = {"equal": easy_line(16), "different": easy_line(17)}


def submit(player: Player, line: str) -> tuple[int, int]:
    """The status and the number of a replay that is submitted."""
    times = [100 * ply for ply in range(len(line.split(" ")))]
    body = {"format": "pyramid-replay/1", "deal": easy_deal().code, "moves": line, "times": times}
    status, answer = log_in(player).post("replays/", body)
    return status, answer["id"]


@pytest.mark.parametrize("again", LINES)
def test_after_a_void_another_replay_counts_and_the_void_one_stays_on_record(ada: Player, again: str) -> None:
    _status, first = submit(ada, LINES["equal"])
    moderating.void(attempt=Attempt.objects.get(pk=first))
    status, second = submit(ada, LINES[again])
    assert (status, second != first) == (201, True)
    assert submit(ada, LINES[again]) == (200, second), "and counts once"
    assert Attempt.objects.get(pk=first).voided_at, "the void one stays void"
    assert set(Standing.objects.filter(player=ada).values_list("attempt", flat=True)) == {second}
    check_boards()


def test_a_void_replay_is_not_restored_beside_its_equal(ada: Player) -> None:
    _status, first = submit(ada, easy_line())
    void_one = Attempt.objects.get(pk=first)
    moderating.void(attempt=void_one)
    _status, second = submit(ada, easy_line())
    assert not moderating.restore(attempt=void_one)
    assert Attempt.objects.get(pk=first).voided_at
    moderating.void(attempt=Attempt.objects.get(pk=second))
    assert moderating.restore(attempt=void_one)
    assert submit(ada, easy_line()) == (200, first), "the one that counts"
    check_boards()


def test_equal_replays_that_come_at_once_after_a_void_are_one(transactional_db: None) -> None:
    ada = make_player("Ada")
    _status, first = submit(ada, easy_line())
    moderating.void(attempt=Attempt.objects.get(pk=first))
    answers = in_parallel([lambda: submit(ada, easy_line())] * 8)
    assert sorted(status for status, _pk in answers) == [200] * 7 + [201]
    assert len({pk for _status, pk in answers} - {first}) == 1
    check_boards()


def test_a_game_that_is_voided_while_it_is_played_makes_room_for_one_that_counts(ada: Player) -> None:
    api, body = log_in(ada), {"deal": easy_deal().code}
    first = api.post("attempts/", body)[1]["id"]
    assert api.post("attempts/", body)[1]["id"] == first
    moderating.void(attempt=Attempt.objects.get(pk=first))
    status, answer = api.post("attempts/", body)
    assert (status, answer["id"] != first) == (201, True)
    assert api.get(f"attempts/{first}/")[1]["end"] == "resigned"
    api.post(f"attempts/{answer['id']}/moves/", {"from_ply": 0, "moves": EASY_MOVES})
    assert set(Standing.objects.filter(player=ada).values_list("attempt", flat=True)) == {answer["id"]}


def test_a_ranked_game_outside_races_can_be_begun_again_after_a_void(ada: Player) -> None:
    api = log_in(ada)
    first = api.post("attempts/", {"ruleset": "T"})[1]
    moderating.void(attempt=Attempt.objects.get(pk=first["id"]))
    status, answer = api.post("attempts/", {"ruleset": "T"})
    assert (status, answer["ranked"], answer["replay"]["deal"] != first["replay"]["deal"]) == (201, True, True)


@pytest.mark.parametrize("state", ["won", "playing"])
def test_a_race_is_entered_once_also_after_a_void(ada: Player, state: str) -> None:
    race = make_daily()
    entered = win(ada, 60_000, race=race) if state == "won" else open_attempt(ada, easy_deal(), race=race)
    moderating.void(attempt=entered)
    api = log_in(ada)
    status, answer = api.post(f"races/{race.pk}/attempts/")
    assert (status, answer["id"]) == (200, entered.pk), "the one ranked attempt is used up: the cards are known"
    status, practice = api.post("attempts/", {"deal": race.code})
    assert (status, practice["ranked"], practice["race"]) == (201, False, None)
    moves = {"from_ply": 0, "moves": EASY_MOVES}
    assert api.post(f"attempts/{practice['id']}/moves/", moves)[1]["end"] == "won"
    assert api.get(f"races/{race.pk}/board/")[1]["rows"] == []
    assert api.get(f"races/{race.pk}/changes/")[1]["counts"] == {"entered": 0, "playing": 0, "won": 0}
    check_boards()
