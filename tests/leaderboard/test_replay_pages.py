"""Does the page of a replay show what may be seen, and say when the rest can be?"""

import html
from datetime import timedelta

import pytest
from django.test import Client

from games.models import Attempt, Deal, Player
from leaderboard import fair
from leaderboard.actions import read_clock
from leaderboard.races import GRACE_LIFE
from tests.players import EASY_MOVES, easy_deal, make_daily, make_player, open_attempt, win

pytestmark = pytest.mark.django_db


def show(attempt: Attempt, viewer: Player | None = None, query: str = "", page: str = "replays") -> tuple[int, str]:
    client = Client(headers={"Accept": "text/html", "Accept-Language": "en"})
    if viewer:
        client.force_login(viewer, backend="django.contrib.auth.backends.ModelBackend")
    answer = client.get(f"/{page}/{attempt.pk}/{query}")
    return answer.status_code, html.unescape(answer.content.decode())


def test_of_an_open_race_the_page_says_when_the_game_can_be_seen() -> None:
    race = make_daily("T")
    ada = win(make_player("Ada"), 60_000, race=race)
    status, text = show(ada, make_player("Bea"))
    over = race.closes_at + GRACE_LIFE
    assert status == 404
    assert f"or from {over:%b}. {over.day}, {over.year}, 1 a.m. UTC" in text
    assert EASY_MOVES not in text
    assert show(ada)[0] == 404
    assert show(ada, ada.player)[0] == 200


def test_who_plays_the_same_cards_is_told_to_end_that_game_first() -> None:
    ada = win(make_player("Ada"), 60_000)
    bea = make_player("Bea")
    assert show(ada, bea)[0] == 200
    open_attempt(bea, easy_deal("N"))  # the same cards under other rules
    status, text = show(ada, bea)
    assert (status, "You are playing these cards yourself" in text) == (404, True)


def test_of_a_race_that_is_not_the_games_own_nothing_is_told() -> None:
    ada = win(make_player("Ada"), 60_000, ranked=False)  # practice on the cards that become the day's
    make_daily("N")
    status, text = show(ada)
    assert status == 404
    assert "There is no replay here that you may see now." in text
    assert "race" not in text.split("<main>")[1].split("<p")[0]


def test_of_who_is_banned_nothing_is_shown() -> None:
    ada = win(make_player("Ada"), 60_000)
    fair.ban(player=ada.player, by=None, because="Cheated.")
    status, text = show(ada, make_player("Bea"))
    assert (status, "There is no replay here" in text) == (404, True)


def test_par_stands_beside_a_game_for_who_has_ended_one_on_the_deal() -> None:
    ada = win(make_player("Ada"), 60_000)
    proof = {"verdict": "winnable", "par": 16, "par_proven": True, "line": EASY_MOVES}
    Deal.objects.filter(pk=ada.deal_id).update(**proof)
    bea = make_player("Bea")
    assert '<option value="par"' not in show(ada, bea)[1]
    assert show(ada, bea, "?beside=par")[0] == 404
    status, text = show(ada, ada.player, "?beside=par")
    assert (status, text.count('"moves": "g1g2')) == (200, 2)
    Deal.objects.update(told_from=read_clock() + timedelta(days=1))  # a daily to come
    assert show(ada, ada.player, "?beside=par")[0] == 404


def test_only_a_game_of_the_same_deal_that_may_be_seen_stands_beside_another() -> None:
    ada = win(make_player("Ada"), 60_000)
    bea = win(make_player("Bea"), 50_000, 17)
    assert "Bea 0:50.00" in show(ada)[1]
    assert show(ada, query=f"?beside={bea.pk}")[0] == 200
    other = win(make_player("Cleo"), 50_000, deal=easy_deal("N"))
    assert show(ada, query=f"?beside={other.pk}")[0] == 404
    open_one = open_attempt(make_player("Dora"), easy_deal())
    assert show(ada, query=f"?beside={open_one.pk}")[0] == 404
    for rubbish in ("x", "-1", "9" * 30, "٣"):
        assert show(ada, query=f"?beside={rubbish}")[0] == 404


def test_a_result_is_reported_where_it_is_watched_and_where_it_is_shared_by_others_alone() -> None:
    ada, bea = make_player("Ada"), make_player("Bea")
    won = win(ada, 60_000)
    field = f'name="replay" value="{won.pk}"'
    for page in ("replays", "results"):
        assert [field in show(won, viewer, page=page)[1] for viewer in (bea, ada, None)] == [True, False, False]
