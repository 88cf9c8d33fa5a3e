"""The account pages: signing up, logging in and out, and what becomes of a guest."""

import re
from typing import Any

import pytest
from django.test import Client

from games.models import Player
from tests.client import V1
from tests.players import easy_deal, make_player

pytestmark = pytest.mark.django_db

PASSWORD = "a long password"


def fill(client: Client, path: str, **fields: str) -> Any:
    return client.post(f"/account/{path}", fields)


def errors(page: Any) -> list[str]:
    """What a page complains of."""
    return re.findall(r'<ul class="errorlist"[^>]*><li>(.*?)</li>', page.content.decode()) + re.findall(
        r'role="alert">(.*?)</p>', page.content.decode()
    )


def play_as_guest() -> tuple[Client, int]:
    client = Client()
    body = {"deal": easy_deal().code, "guest": True}
    return client, client.post(f"{V1}attempts/", body, content_type="application/json").json()["id"]


def whoami(client: Client) -> str | None:
    answer = client.get(f"{V1}players/me/")
    return answer.json()["name"] if answer.status_code == 200 else None


def test_who_signs_up_is_logged_in_and_comes_back_to_where_it_was() -> None:
    client = Client()
    page = fill(client, "sign-up/", name="Ada Ö", password=PASSWORD, next="/play/?race=7")
    assert (page.status_code, page["Location"]) == (302, "/play/?race=7")
    assert whoami(client) == "Ada Ö"
    assert 'data-player="Ada Ö"' in client.get("/rules/").content.decode()


def test_a_guest_that_signs_up_keeps_its_games_and_its_session() -> None:
    client, attempt = play_as_guest()
    guest = Player.objects.get()
    assert fill(client, "sign-up/", name="Ada", password=PASSWORD).status_code == 302
    ada = Player.objects.get()
    assert (ada.pk, ada.name, ada.guest) == (guest.pk, "Ada", False)
    assert whoami(client) == "Ada"
    game = client.get(f"{V1}attempts/{attempt}/").json()
    assert (game["player"], game["ranked"]) == ("Ada", False)


def test_a_guest_that_logs_in_to_an_account_just_logs_in() -> None:
    fill(Client(), "sign-up/", name="Ada", password=PASSWORD)
    client, attempt = play_as_guest()
    assert fill(client, "log-in/", login="ada", password="a wrong one").status_code == 200
    assert (whoami(client) or "").startswith("Guest"), "a wrong password costs nothing"
    assert fill(client, "log-in/", login="ada", password=PASSWORD).status_code == 302
    assert whoami(client) == "Ada"
    assert client.get(f"{V1}attempts/{attempt}/").status_code == 404


@pytest.mark.parametrize("written", ["Ada Ö", "ada ö", "ADA Ö", "Ada O\u0308", "Ａｄａ Ö", " ada ö "])
def test_logging_in_works_however_the_name_is_written(written: str) -> None:
    fill(Client(), "sign-up/", name="Ada Ö", password=PASSWORD)
    client = Client()
    assert fill(client, "log-in/", login=written, password=PASSWORD).status_code == 302
    assert whoami(client) == "Ada Ö"


@pytest.mark.parametrize(
    ("fields", "complaint"),
    [
        ({"name": "BEA"}, "This name is taken, or looks like one that is."),
        ({"name": "x"}, "A name has 2 to 24 characters, not 1."),
        ({"name": "Ada\u200b"}, "A name cannot hold the character U+200B."),
        ({"name": "Ada", "password": "short"}, "This password is too short. It must contain at least 8 characters."),
        ({"name": "Ada", "email": "nonsense"}, "Enter a valid email address."),
        ({"name": ""}, "This field is required."),
    ],
)
def test_what_may_not_be_is_said_beside_its_field_and_changes_nothing(fields: dict[str, str], complaint: str) -> None:
    make_player("Bea")
    client, _attempt = play_as_guest()
    page = fill(client, "sign-up/", **{"password": PASSWORD} | fields)
    assert page.status_code == 200
    assert errors(page) == [complaint]
    assert (whoami(client) or "").startswith("Guest")


def test_a_wrong_password_an_unknown_name_and_a_deactivated_player_are_one_answer() -> None:
    fill(Client(), "sign-up/", name="Ada", password=PASSWORD)
    fill(Client(), "sign-up/", name="Cleo", password=PASSWORD)
    Player.objects.filter(name="Cleo").update(is_active=False)
    client = Client()
    for name, password in [("Ada", "another password"), ("Nobody", PASSWORD), ("Cleo", PASSWORD), ("\0", PASSWORD)]:
        page = fill(client, "log-in/", login=name, password=password)
        assert page.status_code == 200
        if name != "\0":
            assert errors(page) == ["There is no player with this name and password."]
    assert whoami(client) is None


@pytest.mark.parametrize("elsewhere", ["https://elsewhere.example/", "//elsewhere.example/", "javascript:alert(1)"])
def test_no_page_sends_anybody_to_another_site(elsewhere: str) -> None:
    client = Client()
    assert fill(client, "sign-up/", name="Ada", password=PASSWORD, next=elsewhere)["Location"] == "/account/"
    assert elsewhere not in client.get("/account/", {"next": elsewhere}).content.decode().replace("%3A", ":")
    assert client.get("/account/log-in/", {"next": elsewhere})["Location"] == "/account/"
    assert fill(client, "log-out/", next=elsewhere)["Location"] == "/"
    assert whoami(client) is None


def test_a_form_from_another_site_is_refused() -> None:
    client = Client(enforce_csrf_checks=True)
    assert fill(client, "sign-up/", name="Ada", password=PASSWORD).status_code == 403
    assert not Player.objects.exists()
