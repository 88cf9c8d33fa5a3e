"""Guests: what they may play, what counts of it, and how one becomes a signed-up player."""

import pytest

from games.models import Player
from tests.client import Api
from tests.players import EASY_MOVES, easy_deal, make_daily, make_player

pytestmark = pytest.mark.django_db

PASSWORD = "a long password"


def start_guest() -> Api:
    status, answer = Api().post("guests/", {})
    assert status == 201
    assert answer["player"].startswith("Guest ")
    return Api(answer["token"])


def test_every_guest_is_a_player_of_its_own_that_nobody_can_log_in_to() -> None:
    first, second = start_guest(), start_guest()
    names = {first.get("players/me/")[1]["name"], second.get("players/me/")[1]["name"]}
    assert len(names) == 2
    for name in names:
        for password in ("", "!", PASSWORD):
            assert Api().post("tokens/", {"name": name, "password": password})[0] in (400, 401)
    assert Player.objects.filter(guest=True).count() == 2


def test_a_guest_practises_any_deal() -> None:
    guest = start_guest()
    status, attempt = guest.post("attempts/", {"deal": easy_deal().code})
    assert (status, attempt["ranked"]) == (201, False)
    status, played = guest.post(f"attempts/{attempt['id']}/moves/", {"from_ply": 0, "moves": EASY_MOVES})
    assert (status, played["end"]) == (200, "won")


def test_a_guest_is_dealt_no_ranked_attempt() -> None:
    status, answer = start_guest().post("attempts/", {"ruleset": "T"})
    assert (status, answer["code"]) == (403, "guest")


def test_a_guest_enters_a_daily_unranked_and_stands_on_no_board_of_it() -> None:
    race = make_daily()
    guest = start_guest()
    status, entered = guest.post(f"races/{race.pk}/attempts/", {})
    assert (status, entered["ranked"], entered["unranked_because"]) == (201, False, "guest")
    guest.post(f"attempts/{entered['id']}/moves/", {"from_ply": 0, "moves": EASY_MOVES})
    assert guest.get(f"races/{race.pk}/board/")[1]["rows"] == []
    # the cards are known now, whoever the player is called
    guest.post("guests/me/", {"name": "Ada", "password": PASSWORD})
    assert guest.post(f"races/{race.pk}/attempts/", {})[1]["ranked"] is False


def test_a_guest_that_signs_up_is_the_same_player_and_can_be_ranked() -> None:
    guest = start_guest()
    attempt = guest.post("attempts/", {"deal": easy_deal().code})[1]["id"]
    assert guest.post("guests/me/", {"name": "Ada", "password": PASSWORD, "email": "a@example.org"}) == (
        200,
        {"player": "Ada"},
    )
    ada = Player.objects.get()
    assert (ada.name, ada.guest, ada.email) == ("Ada", False, "a@example.org")
    assert guest.get(f"attempts/{attempt}/")[0] == 200
    status, logged_in = Api().post("tokens/", {"name": "ada", "password": PASSWORD})
    assert (status, logged_in["player"]) == (201, "Ada")
    assert guest.post("attempts/", {"ruleset": "T"})[1]["ranked"] is True


def test_a_guest_signs_up_once_under_a_free_name_with_a_good_password() -> None:
    make_player("Bea")
    guest = start_guest()
    for body, status, code in (
        ({"name": "BEA", "password": PASSWORD}, 409, "name_taken"),
        ({"name": "x", "password": PASSWORD}, 400, "name_length"),
        ({"name": "Ada", "password": "short"}, 400, "password_too_short"),
    ):
        answered, answer = guest.post("guests/me/", body)
        assert (answered, answer["code"]) == (status, code)
    assert Player.objects.get(guest=True).name.startswith("Guest ")
    assert guest.post("guests/me/", {"name": "Ada", "password": PASSWORD})[0] == 200
    status, answer = guest.post("guests/me/", {"name": "Cleo", "password": PASSWORD})
    assert (status, answer["code"]) == (409, "not_a_guest")
    assert {player.name for player in Player.objects.all()} == {"Ada", "Bea"}
