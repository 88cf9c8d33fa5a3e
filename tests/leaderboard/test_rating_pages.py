"""Do the pages of ratings show whose they are, how sure they are, and nobody's who may not be shown?"""

import re

import pytest
from django.test import Client

from leaderboard import clubs, fair, people
from leaderboard.views.charts import HEIGHT, draw_curve
from tests.leaderboard.test_rival_pages import HTML, at_most, log_in, read, read_names
from tests.players import log_in as calls_of
from tests.players import make_player, make_players
from tests.sprints import give_ratings

pytestmark = pytest.mark.django_db


def test_a_player_page_shows_each_rating_with_its_curve_and_its_place() -> None:
    ada, bea = make_player("Ada"), make_player("Bea")
    give_ratings("T", *[(ada, bea)] * 10)
    give_ratings("N", (bea, ada))
    page = read(Client(), "/players/Ada/")
    assert re.findall(r'<h3><a href="/ratings/(.)/">', page) == ["N", "T"]
    assert re.findall(r"Rank \d of 2", page) == ["Rank 2 of 2", "Rank 1 of 2"]
    assert page.count("provisional, 1 of 10 rounds") == page.count("provisional") == 1
    shown, margin = re.findall(r'aria-hidden="true">(\d+) <small>± (\d+)</small>', page)[1]
    assert f"{shown}, give or take {margin}" in page
    assert f"after each of 10 rounds, and how uncertain it was: from 1500 to {shown}" in page
    (newer, older) = (len(points.split(" ")) for points in re.findall(r'<polyline points="([^"]*)"', page))
    assert (newer, older) == (2, 11), "a point for every round, and where everybody begins"
    assert "Ratings" not in read(Client(), f"/players/{make_player('Cleo').name}/")


def test_the_board_of_ratings_is_read_page_by_page_and_leads_to_ones_own_row() -> None:
    players = make_players(60)
    give_ratings("T", players)
    first = read(Client(), "/ratings/T/")
    assert read_names(first) == [player.name for player in players[:50]]
    assert "To my place" not in first
    assert first.count("provisional, 1 of 10 rounds") == 50
    me = log_in(players[54])
    (way,) = re.findall(r'href="([^"]*)#me">To my place', read(me, "/ratings/T/"))
    assert way == "/ratings/T/?offset=50"
    mine = read(me, way)
    assert read_names(mine) == [player.name for player in players[50:]]
    assert re.search(rf'id="me" class="mine"><td class="number">55</td>.*{players[54].name}', mine)
    assert ('rel="next"' in mine, 'rel="prev"' in mine) == (False, True)
    assert "No sprint has been rated here yet." in read(Client(), "/ratings/N/")
    for query, status in (("offset=x", 400), ("offset=-1", 400), ("offset=999999", 200)):
        assert Client().get(f"/ratings/T/?{query}", **HTML).status_code == status
    assert Client().get("/ratings/Q/", **HTML).status_code == 404


def test_ratings_among_friends_have_the_ranks_that_they_give_among_themselves() -> None:
    ada, bea, cleo = (make_player(name) for name in ("Ada", "Bea", "Cleo"))
    give_ratings("T", [bea, cleo, ada])
    clubs.follow(player=ada, other=cleo)
    page = read(log_in(ada), "/ratings/T/", among="friends")
    assert read_names(page) == ["Cleo", "Ada"]
    assert 'id="me" class="mine"><td class="number">2</td>' in page
    status, answer = calls_of(ada).get("rulesets/T/ratings/?among=friends")
    assert (status, answer["total"]) == (200, 2)
    assert [(row["rank"], row["player"]) for row in answer["rows"]] == [(1, "Cleo"), (2, "Ada")]


def test_who_is_banned_or_gone_is_on_no_board_of_ratings_and_counts_in_no_rank() -> None:
    ada, bea, cleo = (make_player(name) for name in ("Ada", "Bea", "Cleo"))
    give_ratings("T", (ada, bea, cleo))
    fair.ban(player=ada, by=None, because="Cheated.")
    assert read_names(read(Client(), "/ratings/T/")) == ["Bea", "Cleo"]
    assert "Rank 1 of 2" in read(Client(), "/players/Bea/")
    bea.guest = True  # so that no password is asked for
    people.delete_account(player=bea, password=None)
    assert read_names(read(Client(), "/ratings/T/")) == ["Cleo"]
    assert ">Cleo</a>" in read(Client(), "/boards/").split("The highest of each ruleset.")[1]


def test_all_boards_lead_to_those_of_ratings_and_a_rulesets_too() -> None:
    assert "The highest of each ruleset." not in read(Client(), "/boards/")
    assert 'href="/ratings/T/"' in read(Client(), "/boards/T/")
    give_ratings("T", make_players(40))
    give_ratings("N", (make_player("Ada"), make_player("Bea")))
    with at_most(8):
        page = read(Client(), "/boards/")
    assert re.findall(r'href="/ratings/(.)/"', page) == ["N", "T"]
    with at_most(8):
        read(Client(), "/ratings/T/")


def test_a_curve_and_its_band_fill_the_picture() -> None:
    assert draw_curve([(1500, 500)]) is None
    drawn = draw_curve([(1500, 500), (1600, 300)])
    assert drawn is not None
    assert (drawn.low, drawn.high) == (1000, 2000)
    assert drawn.points == "0.0,50.0 600.0,40.0"
    assert drawn.band == f"0.0,0.0 600.0,10.0 600.0,70.0 0.0,{float(HEIGHT)}"
