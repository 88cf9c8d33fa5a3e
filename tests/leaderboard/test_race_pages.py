"""Do the pages of races say what there is to say without a script, and no more than the viewer may know?"""

import html
import json
import re
from datetime import timedelta
from typing import Any
from urllib.parse import quote

import pytest
from django.test import Client

from games.engine.cards import write_cards
from games.engine.rulesets import RULESETS
from games.models import Player
from leaderboard import actions, clubs, moderating, racing
from leaderboard.actions import read_clock
from leaderboard.models import Race
from leaderboard.races import GRACE_LIFE
from leaderboard.views import races as views
from tests.players import EASY_MOVES, make_daily, make_player, make_players, win

pytestmark = pytest.mark.django_db(transaction=True)


def look(path: str, viewer: Player | None = None) -> str:
    client = Client()
    if viewer:
        client.force_login(viewer, "django.contrib.auth.backends.ModelBackend")
    response = client.get(path)
    assert response.status_code == 200, response
    return response.content.decode()


def read_data(page: str) -> dict[str, Any]:
    """What the page tells its script."""
    return json.loads(re.findall(r'<script id="page-data" type="application/json">(.*?)</script>', page)[0])


def read_places(page: str) -> list[str]:
    """The names in the ranks, as they stand without a script."""
    board = re.findall(r'<tbody id="board">(.*?)</tbody>', page, re.DOTALL)[0]
    return [html.unescape(name) for name in re.findall('data-player="([^"]+)"', board)]


def test_ranks_and_who_plays_stand_in_the_page_itself() -> None:
    race, (ada, bob, eve) = make_daily(), make_players(3)
    win(bob, 62_000, race=race)
    win(ada, 3_661_230, race=race)
    racing.enter(player=eve, race=race.pk)
    page = look(f"/races/{race.pk}/")
    assert read_places(page) == [bob.name, ada.name]
    assert "1:01:01.23" in page
    assert re.search(rf'class="runner" data-entry="\d+".*?{eve.name}', page)
    assert read_data(page)["state"]["counts"] == {"entered": 3, "playing": 1, "won": 2}
    assert Client().get("/daily/T/").headers["Location"] == f"/races/{race.pk}/"
    assert Client().get("/daily/T/?among=friends").headers["Location"] == f"/races/{race.pk}/?among=friends"


def test_the_page_of_an_open_race_says_nothing_of_its_cards() -> None:
    race, (ada, eve) = make_daily(), make_players(2)
    win(ada, 62_000, race=race)
    racing.enter(player=eve, race=race.pk)
    cards = write_cards(race.deal.cards.cards)
    for viewer in (None, eve, make_player("Stranger")):
        page = look(f"/races/{race.pk}/", viewer) + look("/races/", viewer)
        assert race.code not in page
        assert race.deal.order not in page
        assert cards not in page
        assert "over_par" not in read_data(look(f"/races/{race.pk}/", viewer))["board"]["rows"][0]


def test_who_has_ended_is_led_to_the_games_and_may_beat_them() -> None:
    race, (ada, eve) = make_daily(), make_players(2)
    won = win(ada, 62_000, race=race)
    racing.enter(player=eve, race=race.pk)
    replay, beat = f'href="/replays/{won.pk}/"', f'href="/play/{race.code}?ghost={won.pk}"'
    pages = [look(f"/races/{race.pk}/", viewer) for viewer in (ada, eve, None)]
    assert [replay in page for page in pages] == [True, False, False]
    assert [beat in page for page in pages] == [True, False, False]
    assert [read_data(page)["code"] for page in pages] == [race.code, None, None]
    for player in (ada, eve):
        assert all(f'href="/players/{quote(player.name)}/"' in page for page in pages), "names lead to players"
    Race.objects.update(opens_at=race.opens_at - timedelta(days=2), closes_at=read_clock() - GRACE_LIFE)
    assert beat in look(f"/races/{race.pk}/"), "everybody's, once the race is over"


def test_ranks_are_shown_among_friends_a_club_and_guests() -> None:
    race, (ada, bob, eve) = make_daily(), make_players(3)
    for number, player in enumerate((eve, bob, ada)):
        win(player, 62_000 + number, race=race)
    clubs.follow(player=ada, other=bob)
    club = clubs.make_club(owner=ada, name="Nile")
    clubs.join(player=eve, invite_code=club.invite_code)
    guest = Player.objects.create(name="Guest 1", name_key="guest 1", guest=True)
    entry, _created = racing.enter(player=guest, race=race.pk)
    circles = ("", "friends", f"club:{club.pk}", "guests")
    pages = [look(f"/races/{race.pk}/?among={circle}", ada) for circle in circles]
    ranks = [[eve.name, bob.name, ada.name], [bob.name, ada.name], [eve.name, ada.name], []]
    assert [read_places(page) for page in pages] == ranks
    data = [read_data(page) for page in pages]
    assert [row["rank"] for row in data[1]["board"]["rows"]] == [1, 2]
    assert [one["names"] and sorted(one["names"]) for one in data] == [
        None,
        sorted(ranks[1]),
        sorted(ranks[2]),
        None,
    ]
    assert [f'data-entry="{entry.pk}"' in page for page in pages] == [True, False, False, True], "who plays"
    actions.play_moves(player=guest, attempt=entry.attempt_id, from_ply=0, moves=EASY_MOVES, times=None)
    assert read_places(look(f"/races/{race.pk}/?among=guests")) == ["Guest 1"]
    assert Client().get(f"/races/{race.pk}/?among=nobody").status_code == 400


def test_who_has_ended_may_watch_and_who_plays_may_not() -> None:
    race, (ada, eve) = make_daily(), make_players(2)
    win(ada, 62_000, race=race)
    racing.enter(player=eve, race=race.pk)
    told = {viewer: read_data(look(f"/races/{race.pk}/", viewer)) for viewer in (None, ada, eve)}
    assert [data["may_watch"] for data in told.values()] == [False, True, False]
    assert [data["entry"] and data["entry"]["over"] for data in told.values()] == [None, True, False]


def test_ones_own_row_comes_along_where_it_is_not_among_the_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(views, "BOARD_ROWS", 2)
    race, players = make_daily(), make_players(4)
    for number, player in enumerate(players):
        win(player, 62_000 + number, race=race)
    own = [read_data(look(f"/races/{race.pk}/", player))["board"]["own"] for player in players]
    assert [row and row["rank"] for row in own] == [None, None, 3, 4]
    assert read_data(look(f"/races/{race.pk}/", make_player("Stranger")))["board"]["own"] is None


def test_who_stands_outside_the_ranks_is_named_apart() -> None:
    race, (ada, eve) = make_daily(), make_players(2)
    moderating.hold(attempt=win(ada, 62_000, race=race), because="pace")
    entry, _created = racing.enter(player=eve, race=race.pk)
    actions.resign(player=eve, attempt=entry.attempt_id)
    page = look(f"/races/{race.pk}/")
    assert read_places(page) == []
    assert [(row["player"], row["held"], row["end"]) for row in read_data(page)["below"]] == [
        (ada.name, "pace", "won"),
        (eve.name, None, "resigned"),
    ]


def make_race(host: Player, name: str, **more: Any) -> Race:
    closes_at = read_clock() + timedelta(days=2)
    return racing.make_race(host=host, name=name, deal=RULESETS["G"], closes_at=closes_at, **{"opens_at": None} | more)


def test_an_invite_code_is_the_hosts_to_share() -> None:
    host, guest = make_players(2)
    race = make_race(host, "Tea <b>", invite_code="milk first")
    assert 'value="milk first"' in look(f"/races/{race.pk}/", host)
    assert "milk first" not in look(f"/races/{race.pk}/", guest) + look("/races/", guest) + look("/races/")
    assert "Tea &lt;b&gt;" in look("/races/", host)
    assert "Tea" not in look("/races/", guest)


def test_races_are_listed_by_how_they_stand() -> None:
    host = make_player("Host")
    make_race(host, "Now")
    make_race(host, "Later", opens_at=read_clock() + timedelta(hours=5))
    page = look("/races/")
    assert page.index("Open now") < page.index("<b>Now</b>") < page.index("To come") < page.index("<b>Later</b>")
    assert 'id="make"' not in page
    assert 'id="make"' in look("/races/", host)


def test_a_race_is_made_for_a_club_of_ones_own() -> None:
    host, other = make_players(2)
    club = clubs.make_club(owner=host, name="Nile <b>")
    option = f'<option value="{club.pk}">Nile &lt;b&gt;</option>'
    assert [option in look("/races/", player) for player in (host, other)] == [True, False]


def test_a_race_that_is_not_there_is_a_page_that_says_so() -> None:
    for path in ("/races/999/", "/daily/T/", "/daily/%00/", "/races/99999999999999999999/"):
        assert Client().get(path).status_code == 404, path
