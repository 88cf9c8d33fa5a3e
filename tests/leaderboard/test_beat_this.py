"""Do rows lead to a game beside their ghost, and only while no race lies open on the cards?"""

import re
from datetime import timedelta

import pytest
from django.db.models import F
from django.test import Client

from games.models import Attempt
from leaderboard.models import Race
from tests.leaderboard.test_rival_pages import CODE, HTML, log_in, read
from tests.players import EASY_ORDER, easy_deal, make_daily, make_player, open_attempt, win

pytestmark = pytest.mark.django_db


def find_ways(page: str) -> list[str]:
    """Where "Beat this" leads on a page."""
    return re.findall(r'<a(?: class="beat")? href="([^"]*)"[^>]*>Beat this</a>', page)


def test_the_rows_of_boards_and_players_and_a_replay_lead_to_a_game_beside_them() -> None:
    ada, bea = make_player("Ada"), make_player("Bea")
    theirs, mine = win(ada, 60_000), win(bea, 70_000)
    beside = [f"/play/{CODE}?ghost={game.pk}" for game in (theirs, mine)]
    for path in ("/boards/T/", f"/boards/deals/{CODE}/"):
        page = read(Client(), path)
        assert find_ways(page) == beside
        assert 'aria-label="Beat this: Ada 1:00.00"' in page
    assert find_ways(read(Client(), "/players/Ada/")) == beside[:1]
    assert find_ways(read(log_in(bea), "/players/Ada/")) == beside[:1] * 2, "where both are compared, too"
    assert find_ways(read(log_in(bea), "/players/Bea/")) == beside[1:]
    assert find_ways(read(Client(), f"/replays/{theirs.pk}/")) == beside[:1]


def test_who_plays_these_cards_now_is_led_there_too_for_a_ghost_tells_no_card() -> None:
    ada = win(make_player("Ada"), 60_000)
    bea = make_player("Bea")
    open_attempt(bea, easy_deal(), ranked=False)
    page = read(log_in(bea), f"/boards/deals/{CODE}/")
    assert ("/replays/" in page, find_ways(page)) == (False, [f"/play/{CODE}?ghost={ada.pk}"])


def test_while_a_race_lies_open_on_the_cards_nothing_leads_to_a_game_on_them() -> None:
    race = make_daily("T")
    ada = win(make_player("Ada"), 60_000, race=race)
    elsewhere = win(make_player("Bea"), 50_000, deal=easy_deal("N"), ranked=False)
    paths = ("/boards/T/", "/boards/N/", f"/boards/deals/{CODE}/", f"/boards/deals/PY0-N-{EASY_ORDER}/")
    askers = [Client(), log_in(ada.player), log_in(elsewhere.player), log_in(make_player("Cleo"))]
    for asker in askers:
        for path in (*paths, "/players/Ada/", "/players/Bea/?ruleset=N"):
            assert find_ways(read(asker, path)) == [], path
        answer = asker.get(f"/replays/{ada.pk}/", **HTML)
        assert find_ways(answer.content.decode()) == []
    assert log_in(ada.player).get(f"/replays/{ada.pk}/").status_code == 200, "her own, she may see it"
    three_days = timedelta(days=3)
    Race.objects.update(opens_at=F("opens_at") - three_days, closes_at=F("closes_at") - three_days)
    assert find_ways(read(Client(), f"/boards/deals/{CODE}/")) == [f"/play/{CODE}?ghost={ada.pk}"]


def test_what_is_not_won_or_held_or_void_is_nothing_to_beat() -> None:
    games = [win(make_player(name), 60_000) for name in ("Ada", "Bea", "Cleo")]
    Attempt.objects.filter(pk=games[0].pk).update(held="pace")
    Attempt.objects.filter(pk=games[1].pk).update(voided_at=F("ended_at"))
    Attempt.objects.filter(pk=games[2].pk).update(end="resigned", official_ms=None)
    for game in games:
        assert find_ways(read(Client(), f"/players/{game.player.name}/")) == []
        assert find_ways(read(Client(), f"/replays/{game.pk}/")) == []
