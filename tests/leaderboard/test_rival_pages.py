"""Do the pages that compare players show what the API tells, no more, and in few queries?"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any
from urllib.parse import quote, urlencode

import pytest
from django.db import connection
from django.db.models import F
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from games.models import Attempt, Deal, Player
from leaderboard import clubs, fair, people, racing
from leaderboard.actions import read_clock
from leaderboard.models import Membership, Race
from leaderboard.races import day_of
from leaderboard.views.charts import count_times, draw_bars
from tests.dailies import mint_easy, mint_seed
from tests.players import (
    EASY_ORDER,
    easy_deal,
    make_daily,
    make_member,
    make_player,
    make_players,
    move_back,
    open_attempt,
    place,
    solved_deals,
    win,
)

pytestmark = pytest.mark.django_db

CODE = f"PY0-T-{EASY_ORDER}"
HTML = {"HTTP_ACCEPT": "text/html"}


def log_in(player: Player) -> Client:
    client = Client()
    client.force_login(player, "django.contrib.auth.backends.ModelBackend")
    return client


def read(client: Client, path: str, **query: str) -> str:
    answer = client.get(path, query, **HTML)
    assert answer.status_code == 200, path
    return answer.content.decode()


def read_names(page: str) -> list[str]:
    """The players in the rows of a page's table."""
    return re.findall(r'<th scope="row"><a class="name"[^>]*>(.*?)</a>', page)


@contextmanager
def at_most(count: int) -> Iterator[None]:
    with CaptureQueriesContext(
        connection,
    ) as queries:
        yield
    assert len(queries) <= count, [query["sql"][:150] for query in queries]


# Boards


def test_a_board_is_read_page_by_page_from_either_end() -> None:
    players = make_players(120)
    for number, player in enumerate(players):
        place(player, 20_000 + 1000 * number, 20)
    client = Client()
    first = read(client, "/boards/T/")
    names = read_names(first)
    assert names == [player.name for player in players[:50]]
    links = []
    for _ in range(2):
        links.append(re.search(r'<a href="([^"]*)" rel="next">', first)[1].replace("&amp;", "&"))  # type: ignore[index]
        first = read(client, links[-1])
        names += read_names(first)
    assert names == [player.name for player in players]
    assert 'rel="next"' not in first
    back = re.search(r'<a href="([^"]*)" rel="prev">', first)[1].replace("&amp;", "&")  # type: ignore[index]
    assert read_names(read(client, back)) == [player.name for player in players[50:100]]


def test_my_place_is_told_on_every_page_and_leads_to_my_row() -> None:
    players = make_players(80)
    for number, player in enumerate(players):
        place(player, 20_000 + 1000 * number, 20)
    me = log_in(players[69])
    page = read(me, "/boards/T/")
    assert "Your rank: <b>70</b> / 80" in page
    assert 'id="me"' not in page
    mine = read(me, "/boards/T/", around="me")
    assert re.search(rf'id="me" class="mine"><td class="number">70</td>.*{players[69].name}', mine)
    assert 'class="own"' in page, "the bar of one's time is marked"
    assert "You do not stand on this board." in read(log_in(make_player("Ada")), "/boards/T/", around="me")


def test_friends_and_club_boards_hold_their_players_with_ranks_among_themselves() -> None:
    ada, bea, cleo = make_player("Ada"), make_player("Bea"), make_player("Cleo")
    for number, player in enumerate((cleo, bea, ada)):
        place(player, 20_000 + number, 20)
    clubs.follow(player=ada, other=bea)
    club = clubs.make_club(owner=ada, name="Nile")
    clubs.join(player=cleo, invite_code=club.invite_code)
    client = log_in(ada)
    assert read_names(read(client, "/boards/T/")) == ["Cleo", "Bea", "Ada"]
    assert read_names(read(client, "/boards/T/", among="friends")) == ["Bea", "Ada"]
    page = read(client, "/boards/T/", among=f"club:{club.pk}")
    assert read_names(page) == ["Cleo", "Ada"]
    assert "Your rank: <b>2</b> / 2" in page
    assert log_in(bea).get("/boards/T/", {"among": f"club:{club.pk}"}).status_code == 404, "not her club"
    assert "Nobody" not in read(log_in(cleo), "/boards/T/", among="friends"), "one is among one's own friends"
    assert "You follow nobody yet." in read(log_in(cleo), "/boards/T/", among="friends")


@pytest.mark.parametrize("path", ["/boards/T/", f"/boards/deals/{CODE}/", "/seasons/", "/ratings/T/", "/races/{race}/"])
@pytest.mark.parametrize("among", ["friends", "club:7"])
def test_a_stranger_is_told_what_friends_and_clubs_are_and_led_to_the_log_in(path: str, among: str) -> None:
    path = path.format(race=make_daily().pk)
    win(make_player("Ada"), 60_000, race=Race.objects.get())
    page = read(Client(), path, among=among)
    assert ">Ada</a>" not in page
    assert "Log in to see" in page
    here = f"{path}?{urlencode({'among': among})}"
    assert f"?next={quote(here, safe='')}" in page
    assert f'href="{path}?among=friends"' in page


def test_a_period_shows_its_wins_and_leads_to_its_neighbours() -> None:
    ada, bea = make_player("Ada"), make_player("Bea")
    now = read_clock()
    win(ada, 30_000, ended_at=now - timedelta(days=400))
    win(bea, 40_000, deal=solved_deals()[0][0], line=solved_deals()[0][1])
    client = Client()
    assert read_names(read(client, "/boards/T/")) == ["Ada", "Bea"]
    assert read_names(read(client, "/boards/T/", period="year")) == ["Bea"]
    page = read(client, "/boards/T/", period=str((now - timedelta(days=400)).year))
    assert read_names(page) == ["Ada"]
    page = read(client, "/boards/T/", period="2024-W52")
    assert "Week 52, 2024" in page
    assert "?period=2024-W51" in page
    assert "?period=2025-W01" in page
    assert 'rel="next"' not in read(client, "/boards/T/", period="day"), "not into the future"


@pytest.mark.parametrize(
    "query",
    [
        {"order": "points"},
        {"order": "x"},
        {"period": "2026-13"},
        {"period": "x"},
        {"after": "x"},
        {"before": "1.2.3"},
        {"after": "1.2.3.4", "before": "1.2.3.4"},
        {"among": "x"},
        {"after": "1.2.3.4", "around": "me"},
    ],
)
def test_a_board_that_is_asked_for_wrongly_is_an_error_of_the_asker(query: dict[str, str]) -> None:
    assert log_in(make_player("Ada")).get("/boards/T/", query, **HTML).status_code == 400


@pytest.mark.parametrize(
    "path",
    [
        "/boards/Q/",
        "/boards/t/",
        "/boards/deals/PY1-Q-AAAAAAA/",
        "/players/nobody/",
        "/players/x/",
        "/seasons/2026-13/",
    ],
)
def test_what_is_not_there_is_a_page_that_says_so(path: str) -> None:
    answer = Client().get(path, **HTML)
    assert answer.status_code == 404
    assert "There is nothing at this address." in answer.content.decode()


def test_over_par_is_told_where_the_api_tells_it() -> None:
    race = mint_easy()
    ada, bea = make_player("Ada"), make_player("Bea")
    win(ada, 60_000, 18, race=race)
    hers, mine = read(log_in(bea), "/boards/T/"), read(log_in(ada), "/boards/T/")
    assert ("+2" in hers, "/replays/" in hers) == (False, False)
    assert ("+2" in mine, "/replays/" in mine) == (True, True), "she has ended it"
    Race.objects.update(opens_at=F("opens_at") - timedelta(days=2), closes_at=F("closes_at") - timedelta(days=2))
    Deal.objects.update(told_from=None)
    assert "+2" in read(log_in(bea), "/boards/T/")


def test_a_deal_has_a_board_for_either_clock() -> None:
    win(make_player("Ada"), 60_000, ranked=False)
    page = read(Client(), f"/boards/deals/{CODE}/")
    assert read_names(page) == ["Ada"]
    assert "Practice stands here too" in page
    assert read_names(read(Client(), f"/boards/deals/{CODE}/", clock="client")) == []


def test_bars_hold_every_time_once() -> None:
    for times in ([], [5], [61_000] * 3, [1000 * n for n in range(1, 400)], [30_000, 31_000, 86_400_000]):
        spread = count_times(times, 20)
        assert len(spread.counts) <= 20
        assert sum(spread.counts) + spread.slower == len(times)
        assert [bar.times for bar in draw_bars(spread)] == spread.counts
        assert sum(bar.own for bar in draw_bars(spread, times[0] if times else None)) == bool(times)


# Seasons and the calendar


def test_a_season_adds_the_points_of_its_days_and_finds_my_row() -> None:
    players = make_players(3)
    day = day_of(read_clock()) - timedelta(days=1)
    race = make_daily(day=day)
    for number, player in enumerate(players):
        win(player, 60_000 + number, race=race, ended_at=race.opens_at + timedelta(hours=2))
    page = read(log_in(players[2]), reverse("season", args=[day.isoformat()[:7]]))
    assert read_names(page) == [player.name for player in players]
    assert re.findall(r'<td class="number">(\d+)</td><td class="number">1</td>', page) == ["750", "500", "250"]
    assert "Your rank: <b>3</b> / 3" in page


def test_the_calendar_shows_my_results_and_leads_to_practice_of_past_days_only() -> None:
    ada = make_player("Ada")
    today = day_of(read_clock())
    past, present = mint_seed(7, day=today - timedelta(days=1)), mint_seed(8)
    Race.objects.filter(pk=past.pk).update(
        opens_at=F("opens_at") - timedelta(hours=1), closes_at=F("closes_at") - timedelta(hours=1)
    )
    open_attempt(ada, past.deal.cards, race=past, started_at=past.opens_at)
    page = "".join(read(log_in(ada), "/calendar/", month=month) for month in months_of(past, present))
    assert past.code in page
    assert "not won" in page
    for asker in (log_in(ada), Client()):
        shown = "".join(read(asker, "/calendar/", month=month) for month in months_of(past, present))
        assert present.code not in shown
        assert f'href="/races/{present.pk}/"' in shown


def months_of(*races: Race) -> set[str]:
    return {race.day.isoformat()[:7] for race in races if race.day}


def test_a_medal_is_shown_once_the_race_is_over() -> None:
    ada = make_player("Ada")
    race = make_daily()
    win(ada, 60_000, race=race)
    month = months_of(race).pop()
    assert 'class="medal' not in read(log_in(ada), "/calendar/", month=month)
    now = read_clock()
    Race.objects.update(opens_at=now - timedelta(hours=26), closes_at=now - timedelta(hours=2))
    assert 'class="medal gold"' in read(log_in(ada), "/calendar/", month=month)


def test_a_month_is_read_in_as_many_queries_as_a_day() -> None:
    ada = make_player("Ada")
    today = day_of(read_clock())
    for number in range(12):
        mint_seed(number, day=today - timedelta(days=number))
    client = log_in(ada)
    with at_most(14):
        read(client, "/calendar/")


# Players


def test_an_old_name_leads_to_the_page_at_the_new_one() -> None:
    people.rename(player=make_player("Ada"), name="Countess Ä?")
    for name in ("Ada", "ADA", "countess ä?"):
        answer = Client().get(reverse("player", args=[name]), {"order": "time"})
        assert (answer.status_code, answer["Location"]) == (302, "/players/Countess%20%C3%84%3F/?order=time")
    assert "Countess Ä?" in read(Client(), "/players/Countess%20%C3%84%3F/")


def test_the_page_tells_totals_bests_and_games_in_the_order_asked_for() -> None:
    ada = make_player("Ada")
    win(ada, 50_000, 18, ended_at=read_clock() - timedelta(hours=2))
    win(ada, 60_000, 16, ended_at=read_clock() - timedelta(hours=1), ranked=False)
    page = read(Client(), "/players/Ada/")
    assert re.search(
        r'Three passes</a></th><td class="number">2</td><td class="number">2</td><td class="number">0:50.00', page
    )
    times = re.compile(r'<td class="number"><a class="name" href="/replays/\d+/">([0-9:.]+)</a></td>')
    assert times.findall(page) == ["1:00.00", "0:50.00"], "the newest first"
    assert times.findall(read(Client(), "/players/Ada/", order="time")) == ["0:50.00", "1:00.00"]
    assert "<polyline" in page
    assert Client().get("/players/Ada/", {"order": "x"}, **HTML).status_code == 400
    assert Client().get("/players/Ada/", {"offset": "-1"}, **HTML).status_code == 400


def test_a_page_never_names_the_cards_of_a_race_that_can_be_entered() -> None:
    ada, bea = make_player("Ada"), make_player("Bea")
    win(ada, 50_000, deal=easy_deal(), ended_at=read_clock() - timedelta(days=3))
    win(bea, 50_000, deal=easy_deal(), ended_at=read_clock() - timedelta(days=3))
    mint_easy()
    cleo = make_player("Cleo")
    for asker in (Client(), log_in(cleo)):
        assert CODE not in read(asker, "/players/Ada/")
        assert "hidden while the race is open" in read(asker, "/players/Ada/")
    assert CODE in read(log_in(ada), "/players/Bea/"), "she has been shown these cards"


def test_an_open_game_is_shown_to_its_player_alone() -> None:
    ada = make_player("Ada")
    attempt = open_attempt(ada, easy_deal())
    Attempt.objects.filter(pk=attempt.pk).update(plies=1)
    assert '<td class="number">open</td>' in read(log_in(ada), "/players/Ada/")
    assert '<td class="number">open</td>' not in read(Client(), "/players/Ada/")
    move_back(attempt.pk, seconds=2 * 86_400)
    assert ">not won<" in read(Client(), "/players/Ada/")


def test_two_players_are_compared_on_the_deals_both_have_won() -> None:
    ada, bea = make_player("Ada"), make_player("Bea")
    win(ada, 50_000, ranked=False)
    win(bea, 40_000, ranked=False)
    page = read(log_in(ada), "/players/Bea/")
    assert re.search(r"Faster on the same deal</th><td class=\"number\">0</td><td class=\"number\">1</td>", page)
    assert f'href="/boards/deals/{CODE}/"' in page
    assert "You and" not in read(Client(), "/players/Bea/")
    assert "You and" not in read(log_in(bea), "/players/Bea/")


def test_a_frozen_day_is_drawn_between_those_that_were_played() -> None:
    ada = make_player("Ada")
    today = day_of(read_clock())
    for back in [*range(2, 12), 0]:
        race = mint_seed(back, day=today - timedelta(days=back))
        attempt = open_attempt(ada, race.deal.cards, race=race, started_at=race.opens_at)
        Attempt.objects.filter(pk=attempt.pk).update(plies=1, end="resigned", ended_at=race.opens_at)
    page = read(Client(), "/players/Ada/")
    assert page.count('rx="2" class="played"') == 11
    assert page.count('rx="2" class="frozen"') == 1
    assert "<dd>11</dd><dt>days in a row</dt>" in page


def test_a_player_who_has_played_nothing_has_a_page_that_says_so() -> None:
    make_player("Ada")
    assert "No game has been played yet." in read(Client(), "/players/Ada/")


def test_the_number_of_queries_does_not_grow_with_what_a_page_shows() -> None:
    players = make_players(60)
    for number, player in enumerate(players):
        place(player, 20_000 + 1000 * number, 20)
    for number in range(30):
        place(players[0], 30_000 + number, 20, deal=solved_deals()[number][0])
    me = log_in(players[1])
    with at_most(19):
        read(me, "/boards/T/")
    with at_most(26):
        read(me, f"/players/{players[0].name}/")


# Clubs


def test_a_club_is_for_its_members_and_shows_what_each_may_do() -> None:
    ada, bea, cleo = make_player("Ada"), make_player("Bea"), make_player("Cleo")
    club = clubs.make_club(owner=ada, name="<Nile>")
    for player in (bea, cleo):
        clubs.join(player=player, invite_code=club.invite_code)
    clubs.set_role(by=ada, club=club.pk, member=bea, role=Membership.MANAGER)
    path = f"/clubs/{club.pk}/"
    pages = {player.name: read(log_in(player), path) for player in (ada, bea, cleo)}
    assert {name: club.invite_code in page for name, page in pages.items()} == {"Ada": True, "Bea": True, "Cleo": False}
    assert {name: page.count(">Remove<") for name, page in pages.items()} == {"Ada": 2, "Bea": 1, "Cleo": 0}
    assert {name: page.count(">Hand the club over<") for name, page in pages.items()} == {"Ada": 2, "Bea": 0, "Cleo": 0}
    assert {name: ">Dissolve the club</button>" in page for name, page in pages.items()} == {
        "Ada": True,
        "Bea": False,
        "Cleo": False,
    }
    assert "&lt;Nile&gt;" in pages["Ada"]
    assert log_in(make_player("Dina")).get(path, **HTML).status_code == 404
    assert Client().get(path)["Location"].startswith("/account/log-in/")


def test_an_invitation_asks_before_anybody_joins() -> None:
    ada, bea = make_player("Ada"), make_player("Bea")
    club = clubs.make_club(owner=ada, name="Nile")
    path = f"/clubs/join/{club.invite_code.lower()}"
    page = read(log_in(bea), path)
    assert "Nile" in page
    assert not club.memberships.filter(player=bea).exists()
    assert log_in(ada).get(path)["Location"] == f"/clubs/{club.pk}/"
    assert log_in(bea).get("/clubs/join/%00").status_code == 404
    wrong = log_in(bea).get("/clubs/join/WRONG", **HTML)
    assert (wrong.status_code, "no club&#x27;s invite code" in wrong.content.decode()) == (404, True)
    clubs.dissolve(by=ada, club=club.pk)
    assert log_in(bea).get(path).status_code == 404


def test_a_race_of_the_club_is_listed_on_its_page_without_its_cards() -> None:
    ada = make_player("Ada")
    club = clubs.make_club(owner=ada, name="Nile")
    racing.make_race(
        host=ada,
        name="Club night",
        deal=easy_deal().ruleset,
        opens_at=None,
        closes_at=read_clock() + timedelta(hours=1),
        club=club.pk,
    )
    page = read(log_in(ada), f"/clubs/{club.pk}/")
    assert "Club night" in page
    assert Race.objects.get().code not in page


# The account


def fill(player: Player, path: str, **fields: str) -> Any:
    return log_in(player).post(f"/account/{path}/", fields, **HTML)


def test_a_name_is_changed_on_its_page_and_what_is_refused_is_said_there() -> None:
    ada = make_player("Ada")
    make_player("Bea")
    refused = fill(ada, "name", name="BEA")
    assert (refused.status_code, "This name is taken" in refused.content.decode()) == (200, True)
    assert fill(ada, "name", name="Countess")["Location"] == "/account/"
    ada.refresh_from_db()
    assert ada.name == "Countess"


def test_an_account_is_deleted_with_its_password_only() -> None:
    ada = make_member("Ada")
    refused = fill(ada, "delete", password="wrong")
    assert (refused.status_code, "This is not your password." in refused.content.decode()) == (200, True)
    client = log_in(ada)
    answer = client.post("/account/delete/", {"password": "a long password"}, follow=True)
    assert "Your account is deleted." in answer.content.decode()
    assert "data-player" not in answer.content.decode()
    ada.refresh_from_db()
    assert (ada.is_active, ada.name.startswith("Deleted")) == (False, True)
    assert Client().get("/players/Ada/").status_code == 404


def test_reports_and_decisions_are_read_by_whom_they_concern() -> None:
    ada, bea = make_player("Ada"), make_player("Bea")
    fair.report(reporter=ada, player=bea, attempt=None, because="A bad <name>.")
    fair.rule(what="void", attempt=win(bea, 60_000), by=None, because="Two at one table.")
    mine, hers = (read(log_in(player), "/account/reports/") for player in (ada, bea))
    assert "A bad &lt;name&gt;." in mine
    assert "Two at one table." not in mine
    assert "Two at one table." in hers
    assert "A bad" not in hers


@pytest.mark.parametrize("path", ["/players/me/", "/clubs/", "/account/name/", "/account/reports/", "/account/delete/"])
def test_what_is_ones_own_asks_strangers_and_guests_to_sign_up(path: str) -> None:
    assert Client().get(path)["Location"].startswith("/account/log-in/")
    guest = Player.objects.create(name="Guest 1", name_key="guest 1", guest=True)
    assert log_in(guest).get(path)["Location"].startswith("/account/sign-up/")
