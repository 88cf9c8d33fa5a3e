"""Sessions of the pages: who plays by a cookie, what other sites cannot do with it, and guests made by one call."""

import json
from typing import Any

import pytest
from django.contrib.sessions.models import Session
from django.test import Client

from games.models import Attempt, Player
from tests.client import V1, check_error
from tests.players import EASY_MOVES, easy_deal, log_in, make_daily, make_player

pytestmark = pytest.mark.django_db

PASSWORD = "a long password"


class Browser:
    """A browser with a page of ours open: it keeps cookies, and sends the CSRF token unless it is told not to."""

    def __init__(self) -> None:
        self.client = Client(enforce_csrf_checks=True)
        self.client.get("/rules/")
        self.headers: dict[str, str] = {}

    def call(
        self, method: str, path: str, data: Any = None, *, csrf: str | None = None, **headers: str
    ) -> tuple[int, Any]:
        token = self.client.cookies["csrftoken"].value if csrf is None else csrf
        response = self.client.generic(
            method,
            V1 + path,
            b"" if data is None else json.dumps(data),
            content_type="application/json",
            headers={"X-CSRFToken": token} | headers,
        )
        self.headers = dict(response.headers)
        value = response.json() if response.content else None
        if response.status_code >= 400:
            check_error(response.status_code, value, self.headers)
        return response.status_code, value

    def post(self, path: str, data: Any = None, **more: Any) -> tuple[int, Any]:
        return self.call("POST", path, {} if data is None else data, **more)


def play_as(player: Player) -> Browser:
    browser = Browser()
    browser.client.force_login(player)
    return browser


def test_one_call_makes_a_guest_logs_it_in_and_starts_its_attempt() -> None:
    browser = Browser()
    status, attempt = browser.post("attempts/", {"deal": easy_deal().code, "guest": True})
    assert (status, attempt["ranked"]) == (201, False)
    guest = Player.objects.get()
    assert (guest.guest, guest.name) == (True, attempt["player"])
    cookie = browser.client.cookies["sessionid"]
    assert (cookie["httponly"], cookie["samesite"]) == (True, "Lax")
    status, played = browser.post(f"attempts/{attempt['id']}/moves/", {"from_ply": 0, "moves": EASY_MOVES})
    assert (status, played["end"]) == (200, "won")
    # from now on the same guest plays, whether the call says so or not
    assert browser.post("attempts/", {"deal": easy_deal("N").code, "guest": True})[1]["player"] == guest.name
    assert browser.post("attempts/", {"deal": easy_deal("F").code})[1]["player"] == guest.name
    assert Player.objects.count() == 1


def test_a_race_is_entered_as_a_guest_by_one_call() -> None:
    race = make_daily()
    status, entered = Browser().post(f"races/{race.pk}/attempts/", {"guest": True})
    assert (status, entered["unranked_because"]) == (201, "guest")


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        ("attempts/", {"ruleset": "T"}, 403),
        ("attempts/", {"ruleset": "Z"}, 400),
        ("attempts/", {"deal": "PY1"}, 400),
        ("attempts/", {}, 400),
        ("races/1/attempts/", {}, 404),
    ],
)
def test_where_nothing_is_started_no_guest_is_left(path: str, body: dict[str, Any], status: int) -> None:
    browser = Browser()
    assert browser.post(path, body | {"guest": True})[0] == status
    assert "sessionid" not in browser.client.cookies
    assert not Player.objects.exists()
    assert not Session.objects.exists()


def test_nobody_becomes_a_guest_unasked() -> None:
    for body in ({}, {"guest": False}):
        status, answer = Browser().post("attempts/", {"deal": easy_deal().code} | body)
        assert (status, answer["code"]) == (401, "not_authenticated")
    assert not Player.objects.exists()


def test_another_sites_page_can_neither_play_nor_make_guests() -> None:
    ada = make_player("Ada")
    body = {"deal": easy_deal().code, "guest": True}
    for browser in (play_as(ada), Browser()):
        for wrong in ({"csrf": ""}, {"csrf": "x" * 64}, {"Origin": "https://elsewhere.example"}):
            status, answer = browser.post("attempts/", body, **wrong)
            assert (status, answer["code"], answer["where"]) == (403, "csrf_failed", "X-CSRFToken")
    assert not Attempt.objects.exists()
    assert Player.objects.get() == ada
    assert play_as(ada).call("GET", "players/me/", csrf="")[0] == 200, "reading changes nothing"


def test_a_token_comes_before_the_session_and_needs_no_csrf_token() -> None:
    browser = play_as(make_player("Ada"))
    bea = log_in(make_player("Bea"))
    status, attempt = browser.post("attempts/", {"deal": easy_deal().code}, csrf="", Authorization=f"Token {bea.token}")
    assert (status, attempt["player"]) == (201, "Bea")
    status, answer = browser.post("attempts/", {"deal": easy_deal().code}, Authorization=f"Token {'0' * 64}")
    assert (status, answer["code"]) == (401, "token_unknown")


def test_a_call_with_a_token_and_an_anonymous_read_ask_for_no_session(
    django_assert_num_queries: Any, django_assert_max_num_queries: Any
) -> None:
    make_player("Ada")
    browser = play_as(make_player("Bea"))
    token = log_in(make_player("Cleo")).token
    with django_assert_num_queries(2):  # the token with its player, the totals
        browser.call("GET", "players/me/", Authorization=f"Token {token}")
    assert "Cookie" not in browser.headers.get("Vary", "")
    with django_assert_num_queries(2) as queries:  # the player, the totals
        browser.call("GET", "players/ada/")
    assert not [query for query in queries.captured_queries if "session" in query["sql"]]
    with django_assert_max_num_queries(9) as queries:
        assert Browser().call("GET", "races/")[0] == 200
    assert not [query for query in queries.captured_queries if "session" in query["sql"]]


def test_a_guest_that_signs_up_by_rest_stays_logged_in() -> None:
    browser = Browser()
    attempt = browser.post("attempts/", {"deal": easy_deal().code, "guest": True})[1]["id"]
    assert browser.post("guests/me/", {"name": "Ada", "password": PASSWORD}) == (200, {"player": "Ada"})
    assert browser.call("GET", f"attempts/{attempt}/")[0] == 200
    assert browser.post("attempts/", {"ruleset": "T"})[1]["ranked"] is True


def test_a_deactivated_player_is_nobody() -> None:
    ada = make_player("Ada")
    browser = play_as(ada)
    Player.objects.update(is_active=False)
    assert browser.call("GET", "players/me/")[1]["code"] == "not_authenticated"


def test_logging_out_by_rest_ends_the_session() -> None:
    browser = play_as(make_player("Ada"))
    assert browser.call("DELETE", "tokens/current/", csrf="")[0] == 403
    assert browser.call("DELETE", "tokens/current/")[0] == 204
    assert browser.call("GET", "players/me/")[0] == 401
    assert not Session.objects.exists()


@pytest.mark.parametrize("address", ["/", "/api/v1/players/me/", "/account/sessions/"])
def test_a_session_key_that_cannot_be_is_nobodys(address: str) -> None:
    response = Client().get(address, headers={"Cookie": r'sessionid="\000aaaaaaaaaaaaaaa"'})
    assert response.status_code in (200, 302, 401)
