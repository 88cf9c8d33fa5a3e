"""Seasons: what a daily is worth, when that is final, and the board of a month."""

from datetime import date, timedelta
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from games.models import Attempt, Player
from leaderboard import actions, moderating, seasons
from leaderboard.models import Entry, Race, SeasonDay, SeasonPoints
from leaderboard.races import read_month
from leaderboard.ranking import season_points
from tests.client import Api
from tests.players import in_parallel, log_in, make_daily, make_player, make_players, win


def days_ago(days: int) -> date:
    return (actions.read_clock() - timedelta(days=days)).date()


def month_of(race: Race) -> str:
    assert race.day
    return race.day.isoformat()[:7]


def read(race: Race, query: str = "") -> list[tuple[str, int, int, bool]]:
    """Player, rank, points and whether they are final, for each row of the season that a race is in."""
    status, page = Api().get(f"seasons/{month_of(race)}/{query}")
    assert status == 200
    return [(row["player"], row["rank"], row["points"], row["final"]) for row in page["rows"]]


def play(race: Race, players: list[Player]) -> list[Attempt]:
    """Wins of these players, each a second slower than the one before."""
    return [win(player, 20_000 + 1000 * n, race=race) for n, player in enumerate(players)]


def test_points_are_the_share_of_a_bigger_field_that_a_rank_leaves_behind() -> None:
    assert [season_points(rank, 1) for rank in (1,)] == [500]
    assert [season_points(rank, 3) for rank in (1, 2, 3)] == [750, 500, 250]
    assert (season_points(1, 999), season_points(999, 999), season_points(1, 10**6)) == (999, 1, 999)
    for field in range(1, 40):
        points = [season_points(rank, field) for rank in range(1, field + 1)]
        assert points == sorted(set(points), reverse=True), "every rank is worth more than the next"
        assert min(points) > 0
        assert season_points(1, field) <= season_points(1, field + 1), "to win among more is worth no less"


@pytest.mark.django_db
def test_a_daily_counts_once_it_has_closed() -> None:
    today, yesterday = make_daily(), make_daily(day=days_ago(1))
    crowd = make_players(3)
    play(today, crowd)
    play(yesterday, crowd)
    found = {name: points for name, _rank, points, _final in read(yesterday)}
    assert found == {crowd[n].name: season_points(n + 1, 3) for n in range(3)}


@pytest.mark.django_db
def test_a_rank_that_is_shared_gives_the_same_points() -> None:
    race = make_daily(day=days_ago(1))
    crowd = make_players(4)
    for player, ms in zip(crowd, (20_000, 21_000, 21_000, 22_000), strict=True):
        win(player, ms, race=race)
    assert [row[2] for row in read(race)] == [800, 600, 600, 200]


@pytest.mark.django_db
def test_the_dailies_of_a_month_add_up_and_can_be_read_by_ruleset() -> None:
    day = days_ago(1)
    ada, bert = make_players(2)
    three, relaxed = make_daily("T", day), make_daily("N", day)
    play(three, [ada, bert])
    play(relaxed, [bert])
    assert read(three) == [(bert.name, 1, 333 + 500, False), (ada.name, 2, 666, False)]
    assert read(three, "?ruleset=T") == [(ada.name, 1, 666, False), (bert.name, 2, 333, False)]
    assert read(three, "?ruleset=B") == []
    assert Api().get("seasons/1999-01/")[1] == {"month": "1999-01", "ruleset": None, "total": 0, "rows": []}


@pytest.mark.django_db
def test_two_days_after_its_end_a_daily_is_final_whether_it_was_stored_or_not() -> None:
    race = make_daily(day=days_ago(4))
    first, second, third = play(race, make_players(3))
    computed = [row[:3] for row in read(race)]
    call_command("settle_seasons")
    assert SeasonDay.objects.get().field == 3
    assert [row[:3] for row in read(race)] == computed
    assert {row[3] for row in read(race)} == {True}
    call_command("settle_seasons")
    assert SeasonPoints.objects.count() == 3
    moderating.void(attempt=first)
    assert read(race) == [(second.player.name, 1, 500, True), (third.player.name, 2, 250, True)], "only that row"
    moderating.restore(attempt=first)
    assert [row[:3] for row in read(race)] == computed


@pytest.mark.django_db
def test_a_void_settles_first_what_was_final_and_nobody_had_stored() -> None:
    race = make_daily(day=days_ago(4))
    first, second, _third = play(race, make_players(3))
    moderating.void(attempt=first)
    assert SeasonPoints.objects.count() == 3
    assert [row[2] for row in read(race)] == [500, 250]
    assert moderating.hold(attempt=second, because="pace")
    assert [row[2] for row in read(race)] == [250]


@pytest.mark.django_db
def test_a_void_before_that_moves_the_others_up() -> None:
    race = make_daily(day=days_ago(1))
    first, _second, _third = play(race, make_players(3))
    moderating.void(attempt=first)
    assert [row[1:3] for row in read(race)] == [(1, 666), (2, 333)]
    assert not SeasonDay.objects.exists()


@pytest.mark.django_db
def test_only_dailies_that_were_not_withdrawn_give_points() -> None:
    race, other = make_daily(day=days_ago(4)), make_daily("N", day=days_ago(4))
    play(race, make_players(2))
    win(make_player("Ada"), 9000)
    Race.objects.filter(pk=race.pk).update(withdrawn_at=actions.read_clock())
    assert seasons.settle() == [other.pk]
    assert read(race) == []


@pytest.mark.django_db
def test_a_season_is_read_in_pages_and_around_a_player() -> None:
    race = make_daily(day=days_ago(1))
    crowd = make_players(7)
    play(race, crowd)
    path = f"seasons/{month_of(race)}/"
    rows = Api().get(path)[1]["rows"]
    assert [row["player"] for row in rows] == [player.name for player in crowd]
    for offset in range(8):
        page = Api().get(f"{path}?limit=3&offset={offset}")[1]
        assert (page["total"], page["rows"]) == (7, rows[offset : offset + 3])
    for number, player in enumerate(crowd):
        assert Api().get(f"{path}?around={player.name}&radius=2")[1]["rows"] == rows[max(0, number - 2) : number + 3]
        assert log_in(player).get(f"{path}?around=me&radius=0")[1]["rows"] == [rows[number]]


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("path", "status", "code", "where"),
    [
        ("2026-13/", 404, "month", "month"),
        ("november/", 404, "month", "month"),
        ("2026-11/?ruleset=Q", 400, "ruleset", "ruleset"),
        ("2026-11/?around=Ada", 404, "not_on_board", "around"),
        ("2026-11/?around=Ada&offset=1", 400, "one_of", "around"),
        ("2026-11/?order=time", 400, "unknown_field", "order"),
    ],
)
def test_a_bad_question_for_a_season_is_refused(path: str, status: int, code: str, where: str) -> None:
    make_player("Ada")
    found, answer = Api().get(f"seasons/{path}")
    assert (found, answer["code"], answer["where"]) == (status, code, where)


@pytest.mark.django_db(transaction=True)
def test_many_who_settle_at_once_store_a_day_once() -> None:
    race = make_daily(day=days_ago(4))
    attempts = play(race, make_players(3))
    calls: list[Any] = [seasons.settle] * 6 + [lambda: moderating.void(attempt=attempts[2])]
    in_parallel(calls)
    assert SeasonPoints.objects.count() == 3
    assert read_month(month_of(race))
    assert [row[2] for row in read(race)] == [750, 500]
    assert Entry.objects.count() == 3


@pytest.mark.django_db
def test_final_points_are_given_anew_when_that_is_wanted(capsys: pytest.CaptureFixture[str]) -> None:
    race = make_daily(day=days_ago(4))
    ada, bob, cleo = map(make_player, ("Ada", "Bob", "Cleo"))
    attempts = play(race, [ada, bob, cleo])
    seasons.settle()
    moderating.void(attempt=attempts[0])
    assert read(race) == [("Bob", 1, 500, True), ("Cleo", 2, 250, True)], "by itself a void leaves the others theirs"
    call_command("recompute_seasons", month_of(race))
    said = capsys.readouterr().out.splitlines()
    name = str(race)
    assert said == [f"{name}: Ada 750 -> none", f"{name}: Bob 500 -> 666", f"{name}: Cleo 250 -> 333", "3 changes"]
    assert read(race) == [("Bob", 1, 666, True), ("Cleo", 2, 333, True)]
    call_command("recompute_seasons", month_of(race), ruleset="T")
    assert capsys.readouterr().out == "0 changes\n", "twice is once"
    moderating.restore(attempt=attempts[0])
    call_command("recompute_seasons", month_of(race))
    assert read(race) == [("Ada", 1, 750, True), ("Bob", 2, 500, True), ("Cleo", 3, 250, True)]
    with pytest.raises(CommandError, match="2026-11"):
        call_command("recompute_seasons", "November")
