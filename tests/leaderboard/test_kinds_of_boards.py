"""Boards of races and periods, what stands beside a page, and what is kept for a second."""

from datetime import UTC, date, datetime, timedelta
from importlib import import_module
from typing import Any

import pytest
from django.core.cache import caches
from django.db import connection

from games.actions import store_deal
from games.models import Deal, Player
from leaderboard import moderating, pages, progress, ranking
from leaderboard.models import Board, Entry, Race, Standing, TimeBucket
from leaderboard.pages import BoardKey
from leaderboard.periods import name_periods, read_period
from tests.client import Api
from tests.leaderboard.plain_boards import check_boards, compute_rows, describe, list_attempts
from tests.players import EASY_ORDER, easy_deal, log_in, make_daily, make_player, make_players, open_attempt, place, win

pytestmark = pytest.mark.django_db

SUNDAY = date(2026, 11, 29)


def names(page: dict[str, Any]) -> list[str]:
    return [row["player"] for row in page["rows"]]


# Periods


@pytest.mark.parametrize(
    ("day", "week", "month", "year"),
    [
        ("2026-11-29", "2026-W48", "2026-11", "2026"),
        ("2026-11-30", "2026-W49", "2026-11", "2026"),
        ("2027-01-01", "2026-W53", "2027-01", "2027"),
        ("2024-02-29", "2024-W09", "2024-02", "2024"),
        ("2024-12-30", "2025-W01", "2024-12", "2024"),
    ],
)
def test_a_day_lies_in_the_week_that_begins_on_monday(day: str, week: str, month: str, year: str) -> None:
    periods = name_periods(date.fromisoformat(day))
    assert periods == {"day": day, "week": week, "month": month, "year": year}
    assert [read_period(name) for name in periods.values()] == ["day", "week", "month", "year"]
    play_on(date.fromisoformat(day))
    boards = Board.objects.filter(standings__isnull=False).exclude(period="")
    assert dict(boards.values_list("kind", "period")) == periods, "the database says the same"


@pytest.mark.parametrize(
    "text", ["", "2026-13", "2026-02-29", "2026-W54", "2026-W00", "26", "2026-1-1", "2026-11-30T", "0000", "heute"]
)
def test_what_is_no_period_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        read_period(text or "-")
    status, answer = Api().get(f"rulesets/T/board/?period={text}")
    assert (status, answer["code"], answer["where"]) == (400, "period", "period")


def play_on(day: date, player: Player | None = None, official_ms: int = 20_000) -> None:
    """A ranked win that started on a day, a second before it was over."""
    midnight = datetime(day.year, day.month, day.day, 23, 59, 59, tzinfo=UTC)
    win(player or make_player("Ada"), official_ms, ended_at=midnight + timedelta(milliseconds=official_ms))


def test_a_win_counts_for_the_day_of_its_start() -> None:
    ada, bert = make_players(2)
    play_on(SUNDAY, ada)
    play_on(SUNDAY + timedelta(days=1), bert, 30_000)
    api = Api()
    for period, players in {
        "2026-11-29": [ada], "2026-11-30": [bert], "2026-W48": [ada], "2026-W49": [bert],
        "2026-11": [ada, bert], "2026": [ada, bert], "2025": [],
    }.items():  # fmt: skip
        page = api.get(f"rulesets/T/board/?period={period}")[1]
        assert names(page) == [player.name for player in players], period
        assert page["period"] == period
        assert page["board"] == read_period(period)
    assert names(api.get("rulesets/T/board/")[1]) == [ada.name, bert.name]
    check_boards()


@pytest.mark.parametrize("kind", ["day", "week", "month", "year"])
def test_the_period_that_it_is_now_needs_no_name(kind: str) -> None:
    win(make_player("Ada"), 5000)
    page = Api().get(f"rulesets/T/board/?period={kind}")[1]
    assert page["board"] == read_period(page["period"]) == kind
    assert names(page) == ["Ada"]


def test_the_migrations_make_the_boards_that_the_wins_would_have_made() -> None:
    ada, bert = make_players(2)
    race = make_daily(day=SUNDAY)
    play_on(SUNDAY, ada)
    play_on(SUNDAY + timedelta(days=1), ada, 15_000)
    win(ada, 30_000, race=race)
    win(bert, 25_000, race=race)
    moderating.void(attempt=win(bert, 1000))
    place(bert, 50_000, 20, 300, 40, deal=easy_deal("M"))
    before = sorted(Standing.objects.values_list("board__kind", "board__period", "board__order", "attempt"))
    new = Board.objects.exclude(kind__in=["deal", "ruleset"])
    TimeBucket.objects.filter(board__in=new).delete()
    Standing.objects.filter(board__in=new).delete()
    new.delete()
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        for column in ("deal_id", "points", "ranked", "assisted"):  # they came with the second migration
            cursor.execute(f"ALTER TABLE leaderboard_standing ALTER {column} DROP NOT NULL")
        for name in ("0006_boards_of_races_and_periods", "0008_standings_show_their_attempts"):
            cursor.execute(import_module(f"leaderboard.migrations.{name}").FILL)
    assert sorted(Standing.objects.values_list("board__kind", "board__period", "board__order", "attempt")) == before
    check_boards()


# Races


def test_a_races_board_holds_its_ranked_entries_alone() -> None:
    race = make_daily()
    ada, bert, cleo = make_players(3)
    win(ada, 20_000, race=race)
    win(bert, 10_000)
    practice = win(cleo, 5000, ranked=False)
    entry = Entry.objects.create(race=race, player=cleo, attempt=practice, ranked=False, unranked_because="seen_before")
    progress.begin(entry.pk)
    page = Api().get(f"races/{race.pk}/board/")[1]
    assert (page["board"], page["race"], page["ruleset"], page["deal"]) == ("race", race.pk, "T", None)
    assert names(page) == [ada.name]
    assert Api().get("races/999/board/")[0] == Api().get("races/999/board/below/")[0] == 404
    check_boards()


def test_below_the_ranks_come_the_held_and_then_who_did_not_win_by_cards_left() -> None:
    race = make_daily()
    crowd = make_players(9)
    win(crowd[0], 20_000, race=race)
    for player, ms in zip(crowd[1:3], (9000, 8000), strict=True):
        moderating.hold(attempt=win(player, ms, race=race), because="pace")
    for player, left, times in zip(crowd[3:7], (5, 5, 2, 28), ([9], [3, 8], [7], []), strict=True):
        attempt = open_attempt(player, easy_deal(), race=race)
        attempt.times, attempt.plies, attempt.left, attempt.end = times, len(times), left, "resigned"
        attempt.ended_at = attempt.started_at
        attempt.save()
    open_attempt(crowd[7], easy_deal(), race=race)  # still plays
    moderating.void(attempt=win(crowd[8], 7000, race=race))
    page = Api().get(f"races/{race.pk}/board/below/")[1]
    assert names(page) == [crowd[n].name for n in (2, 1, 5, 4, 3, 6)]
    assert page["total"] == 6
    assert [row["held"] for row in page["rows"]] == ["pace", "pace", None, None, None, None]
    keys = [ranking.below_key(row["official_ms"], row["moves"], row["left"], row["played_ms"]) for row in page["rows"]]
    assert keys == sorted(keys), "the order is the one of ranking.py"
    assert names(Api().get(f"races/{race.pk}/board/below/?limit=2&offset=3")[1]) == [crowd[4].name, crowd[3].name]
    assert names(Api().get(f"races/{race.pk}/board/")[1]) == [crowd[0].name]


# Beside a page


@pytest.fixture
def crowd() -> list[Player]:
    """Nine players on a board with ties: times 10 s, 10, 20, 30, 30, 30, 40, 50, 60."""
    players = make_players(9)
    for player, seconds in zip(players, (10, 10, 20, 30, 30, 30, 40, 50, 60), strict=True):
        place(player, seconds * 1000, 20)
    return players


def test_the_top_and_the_rows_around_me_come_in_one_answer(crowd: list[Player]) -> None:
    (board,) = Board.objects.filter(kind="ruleset", order="time")
    rows = [describe(row) for row in compute_rows(board, list_attempts())]
    for number, player in enumerate(crowd):
        status, page = log_in(player).get("rulesets/T/board/?top=3&around=me&radius=2")
        assert status == 200
        for part in (page["rows"], page["top"]):
            for row in part:
                row["when"] = datetime.fromisoformat(row["when"])
                assert row.pop("over_par") is None
        assert page["top"] == rows[:3]
        assert page["rows"] == rows[max(number - 2, 0) : number + 3]
        others = sum(row["official_ms"] >= rows[number]["official_ms"] for row in rows) - 1
        assert page["place"] == {
            "rank": rows[number]["rank"],
            "row": number + 1,
            "percentile": int(1000 * others / 8) / 10,
        }


def test_who_stands_alone_stands_at_100_percent() -> None:
    win(make_player("Ada"), 5000)
    page = Api().get("rulesets/T/board/?around=Ada&top=10")[1]
    assert page["place"] == {"rank": 1, "row": 1, "percentile": 100}
    assert page["rows"] == page["top"]


@pytest.mark.parametrize(
    ("query", "status", "code", "where"),
    [
        ("around=me", 401, "not_authenticated", None),
        ("top=3", 400, "needs_around", "top"),
        ("top=0&around=Ada", 400, "invalid", "top"),
        ("top=11&around=Ada", 400, "invalid", "top"),
        ("histogram=0", 400, "invalid", "histogram"),
        ("histogram=101", 400, "invalid", "histogram"),
        ("around=Ada&after=1.2.3.4", 400, "one_of", "around"),
        ("around=Ada&around=Ada", 400, "repeated", "around"),
        ("period=day&clock=client", 400, "unknown_field", "clock"),
    ],
)
def test_a_query_that_contradicts_itself_is_refused(query: str, status: int, code: str, where: str | None) -> None:
    make_player("Ada")
    found, answer = Api().get(f"rulesets/T/board/?{query}")
    assert (found, answer["code"], answer["where"]) == (status, code, where)


def test_a_histogram_counts_every_time_once(crowd: list[Player]) -> None:
    for bins in (1, 2, 5, 100):
        found = Api().get(f"rulesets/T/board/?histogram={bins}")[1]["histogram"]
        assert len(found["counts"]) <= bins
        assert sum(found["counts"]) + found["slower"] == 9
        for number, count in enumerate(found["counts"]):
            low = found["from_ms"] + number * found["width_ms"]
            seconds = (10, 10, 20, 30, 30, 30, 40, 50, 60)
            assert count == sum(low <= 1000 * one < low + found["width_ms"] for one in seconds)
    empty = Api().get("rulesets/N/board/?histogram=10")[1]["histogram"]
    assert (empty["counts"], empty["slower"]) == ([], 0)


def test_a_few_who_went_to_bed_do_not_flatten_the_histogram() -> None:
    for number, player in enumerate(make_players(120)):
        place(player, 80_000_000 if number == 0 else 30_000 + 100 * number, 20)
    found = pages.read_histogram(BoardKey("T", "time"), 20)
    assert found.slower == 1
    assert len(found.counts) > 5
    assert sum(found.counts) == 119


# Par


def test_moves_over_par_are_told_to_who_may_see_par() -> None:
    race = make_daily()
    Deal.objects.update(verdict="winnable", par=16, par_proven=True, line="x", difficulty="easy")
    ada, bert = make_players(2)
    win(ada, 20_000, 18, race=race)
    open_attempt(bert, easy_deal(), race=race)
    for path in (f"races/{race.pk}/board/", "rulesets/T/board/", f"deals/PY0-T-{EASY_ORDER}/board/"):
        assert log_in(ada).get(path)[1]["rows"][0]["over_par"] == 2, "her attempt has ended"
        assert log_in(bert).get(path)[1]["rows"][0]["over_par"] is None, "he is playing"
        assert Api().get(path)[1]["rows"][0]["over_par"] is None, "the race lies open"
        assert log_in(ada).get(f"{path}?around=me&top=1")[1]["top"][0]["over_par"] == 2
    Race.objects.update(opens_at=datetime(2020, 1, 1, tzinfo=UTC), closes_at=datetime(2020, 1, 2, tzinfo=UTC))
    assert Api().get("rulesets/T/board/")[1]["rows"][0]["over_par"] == 2
    Deal.objects.update(par_proven=False, difficulty="")
    assert Api().get("rulesets/T/board/")[1]["rows"][0]["over_par"] is None


# What is kept


def test_a_page_is_kept_for_a_second_for_all_and_shows_each_what_they_may_see(settings: Any) -> None:
    settings.CACHES = settings.CACHES | {"boards": settings.CACHES["boards"] | {"TIMEOUT": 1}}
    caches["boards"].clear()
    race = make_daily()
    Deal.objects.update(verdict="winnable", par=16, par_proven=True, line="x", difficulty="easy")
    ada, bert = make_players(2)
    win(ada, 20_000, race=race)
    path = f"races/{race.pk}/board/"
    first = Api().get(path)[1]
    win(bert, 10_000, race=race)
    assert Api().get(path)[1] == first, "kept"
    assert log_in(ada).get(path)[1]["rows"][0]["over_par"] == 0, "the same page, with what she may see"
    assert names(log_in(bert).get(f"{path}?around=me")[1]) == [bert.name, ada.name], "one's own place is never old"
    assert names(Api().get(f"{path}?limit=5")[1]) == [bert.name, ada.name], "another page"
    caches["boards"].clear()
    assert names(Api().get(path)[1]) == [bert.name, ada.name]
    caches["boards"].clear()


def test_an_unchanged_page_is_not_sent_again() -> None:
    win(make_player("Ada"), 5000)
    api = Api()
    for path in ("rulesets/T/board/", f"deals/PY0-T-{EASY_ORDER}/board/", "seasons/2026-11/"):
        assert api.get(path)[0] == 200
        tag = api.headers["ETag"]
        assert api.get(path, HTTP_IF_NONE_MATCH=tag) == (304, None)
        assert api.get(path, HTTP_IF_NONE_MATCH='"other"')[0] == 200
    win(make_player("Bert"), 4000)
    status, page = api.get("rulesets/T/board/", HTTP_IF_NONE_MATCH=tag)
    assert (status, page["total"]) == (200, 2)


# Comparing


def test_two_players_are_compared_on_the_deals_that_both_have_won() -> None:
    ada, bert = make_players(2)
    both = store_deal(deal=easy_deal())
    win(ada, 20_000, 17)
    win(ada, 30_000, 16)
    win(bert, 25_000, 18)
    win(bert, 5000, deal=easy_deal("N"))
    status, found = Api().get(f"compare/?a={ada.name}&b={bert.name}&ruleset=T")
    assert status == 200
    assert (found["shared"], found["a"]["faster"], found["b"]["faster"]) == (1, 1, 0)
    assert found["a"]["best_time"]["official_ms"] == 20_000
    assert found["a"]["fewest_moves"]["moves"] == 16
    assert found["b"]["best_time"]["official_ms"] == 25_000
    (row,) = found["rows"]
    assert (row["deal"], row["faster"]) == (both.code, "a")
    assert (row["a"]["official_ms"], row["a"]["moves"], row["b"]["official_ms"]) == (20_000, 17, 25_000)
    swapped = Api().get(f"compare/?a={bert.name}&b={ada.name}&ruleset=T")[1]
    assert (swapped["a"], swapped["b"], swapped["rows"][0]["faster"]) == (found["b"], found["a"], "b")
    nothing = Api().get(f"compare/?a={ada.name}&b={bert.name}&ruleset=N")[1]
    assert (nothing["shared"], nothing["a"]["best_time"], nothing["a"]["games"]) == (0, None, 0)


def test_held_and_void_wins_do_not_compare() -> None:
    ada, bert = make_players(2)
    moderating.void(attempt=win(ada, 10_000))
    win(ada, 20_000)
    moderating.hold(attempt=win(bert, 5000), because="pace")
    assert Api().get(f"compare/?a={ada.name}&b={bert.name}&ruleset=T")[1]["shared"] == 0
    win(bert, 20_000)
    found = Api().get(f"compare/?a={ada.name}&b={bert.name}&ruleset=T")[1]
    assert (found["shared"], found["a"]["faster"], found["b"]["faster"], found["rows"][0]["faster"]) == (1, 0, 0, None)


def test_a_comparison_does_not_tell_the_deal_of_an_open_race() -> None:
    ada, bert, cleo = make_players(3)
    race = make_daily()
    for player in (ada, bert):
        win(player, 20_000, race=race)
    path = f"compare/?a={ada.name}&b={bert.name}&ruleset=T"
    assert (Api().get(path)[1]["shared"], log_in(cleo).get(path)[1]["shared"]) == (0, 0)
    assert log_in(ada).get(path)[1]["shared"] == 1


@pytest.mark.parametrize(
    ("query", "status", "code", "where"),
    [
        ("a=Ada&b=Bert", 400, "required", "ruleset"),
        ("a=Ada&ruleset=T", 400, "required", "b"),
        ("a=Ada&b=Bert&ruleset=Q", 400, "ruleset", "ruleset"),
        ("a=Ada&b=ADA&ruleset=T", 400, "same_player", "b"),
        ("a=Ada&b=Nobody&ruleset=T", 404, "player", "b"),
        ("a=me&b=Bert&ruleset=T", 401, "not_authenticated", None),
        ("a=Ada&b=Bert&ruleset=T&c=1", 400, "unknown_field", "c"),
    ],
)
def test_a_bad_comparison_is_refused(query: str, status: int, code: str, where: str | None) -> None:
    make_player("Ada")
    make_player("Bert")
    found, answer = Api().get(f"compare/?{query}")
    assert (found, answer["code"], answer["where"]) == (status, code, where)
