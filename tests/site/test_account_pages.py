"""The account pages: signing up, logging in and out, guests, passwords, addresses, sessions, two factors."""

import re
import time
from typing import Any

import pytest
from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value
from allauth.usersessions.models import UserSession
from django.contrib.auth.middleware import AuthenticationMiddleware
from django.contrib.sessions.middleware import SessionMiddleware
from django.core.cache import cache
from django.db import connection
from django.test import Client, RequestFactory
from django.test.utils import CaptureQueriesContext

from games.accounts.views import tell_browser
from games.models import Counter, Player
from games.throttles import Limit
from pyramid_site.pages import answer_server_error
from tests.client import V1, Api
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


# Forgotten passwords and addresses


def links(mail: Any) -> list[str]:
    """The paths that a mail leads to."""
    return re.findall(r"http://testserver(/\S+)", mail.body)


def follow(client: Client, path: str, **fields: str) -> Any:
    """Open a link of a mail, and send the form that stands behind it."""
    page = client.get(path, follow=True)
    return client.post(page.redirect_chain[-1][0] if page.redirect_chain else path, fields, follow=True)


def make_ada(email: str = "Ada@example.org") -> Client:
    client = Client()
    assert fill(client, "sign-up/", name="Ada", password=PASSWORD, email=email).status_code == 302
    return client


def test_a_forgotten_password_is_set_anew_by_a_mailed_link_that_is_good_once(mailoutbox: list[Any]) -> None:
    old = make_ada()
    token = Api().post("tokens/", {"name": "Ada", "password": PASSWORD})[1]["token"]
    mailoutbox.clear()
    client = Client()
    assert fill(client, "password/forgotten/", email="ada@EXAMPLE.org").status_code == 302
    (mail,) = mailoutbox
    assert (mail.to, mail.subject) == (["ada@example.org"], "Set a new password")
    assert "Ada" in mail.body
    (link,) = links(mail)
    new = {"password1": "another long one", "password2": "another long one"}
    assert errors(follow(client, link, password1="short", password2="short"))
    assert "The new password is set" in follow(client, link, **new).content.decode()
    assert fill(client, "log-in/", login="ada", password=PASSWORD).status_code == 200
    assert fill(client, "log-in/", login="ada", password="another long one").status_code == 302
    assert whoami(old) is None, "whoever was logged in is not any more"
    assert Api(token).get("players/me/")[0] == 401
    assert "not valid" in Client().get(link, follow=True).content.decode()


def test_the_mail_speaks_the_language_of_who_asks(mailoutbox: list[Any]) -> None:
    make_ada()
    mailoutbox.clear()
    Client(headers={"Accept-Language": "de"}).post("/account/password/forgotten/", {"email": "ada@example.org"})
    assert mailoutbox[0].subject == "Neues Passwort setzen"
    assert "Dieser Link führt dorthin." in mailoutbox[0].body


def test_nobody_learns_whether_an_address_is_known(mailoutbox: list[Any]) -> None:
    make_ada()
    mailoutbox.clear()
    pages = [fill(Client(), "password/forgotten/", email=email) for email in ("ada@example.org", "bea@example.org")]
    assert pages[0]["Location"] == pages[1]["Location"]
    assert [mail.to for mail in mailoutbox] == [["ada@example.org"], ["bea@example.org"]]
    assert not links(mailoutbox[1])
    # nor by signing up with the same one
    assert fill(Client(), "sign-up/", name="Bea", password=PASSWORD, email="ada@example.org").status_code == 302


def test_an_address_given_by_rest_serves_as_well(mailoutbox: list[Any]) -> None:
    Api().post("players/", {"name": "Ada", "password": PASSWORD, "email": "ADA@example.org"})
    fill(Client(), "password/forgotten/", email="ada@example.org")
    assert [len(links(mail)) for mail in mailoutbox] == [1]


def test_an_address_is_confirmed_changed_and_removed(mailoutbox: list[Any]) -> None:
    client = make_ada()
    (link,) = links(mailoutbox.pop())
    follow(Client(), link)
    assert "<strong>ada@example.org</strong> confirmed" in client.get("/account/e-mail/").content.decode()
    page = fill(client, "e-mail/", action_add="1", email="new@example.org")
    assert page["Location"].startswith("/account/confirm/"), "one's password first"
    assert errors(fill(client, "confirm/", password="a wrong one")) == ["This is not your password."]
    client.post(page["Location"], {"password": PASSWORD})
    fill(client, "e-mail/", action_add="1", email="new@example.org")
    assert Player.objects.get().email == "ada@example.org", "until the new one is confirmed"
    follow(client, links(mailoutbox.pop())[0])
    assert Player.objects.get().email == "new@example.org"
    fill(client, "e-mail/", action_remove="1", email="new@example.org")
    assert Player.objects.get().email == ""


def test_a_mail_server_that_is_away_keeps_nobody_from_signing_up(settings: Any) -> None:
    settings.EMAIL_BACKEND, settings.EMAIL_HOST, settings.EMAIL_PORT = (
        "django.core.mail.backends.smtp.EmailBackend",
        "127.0.0.1",
        1,
    )
    client = make_ada()
    assert whoami(client) == "Ada"
    assert "The mail could not be sent." in client.get("/account/").content.decode()


# Passwords and sessions


def test_a_new_password_ends_all_other_sessions() -> None:
    here = make_ada()
    there = Client()
    fill(there, "log-in/", login="Ada", password=PASSWORD)
    new = {"password1": "another long one", "password2": "another long one"}
    assert errors(fill(here, "password/", oldpassword="a wrong one", **new)) == ["This is not your password."]
    assert whoami(there) == "Ada"
    assert fill(here, "password/", oldpassword=PASSWORD, **new)["Location"] == "/account/"
    assert (whoami(here), whoami(there)) == ("Ada", None)


def test_sessions_are_listed_and_ended_one_by_one_or_all_with_the_tokens() -> None:
    here = make_ada()
    browsers = [Client(headers={"User-Agent": f"Browser {number}"}) for number in range(3)]
    for browser in browsers:
        fill(browser, "log-in/", login="Ada", password=PASSWORD)
    token = Api().post("tokens/", {"name": "Ada", "password": PASSWORD})[1]["token"]
    page = here.get("/account/sessions/").content.decode()
    for number in range(3):
        assert f'title="Browser {number}"' in page
    second = UserSession.objects.get(user_agent="Browser 1")
    stranger = Client()
    fill(stranger, "sign-up/", name="Eve", password=PASSWORD)
    fill(stranger, "sessions/", session=str(second.pk))
    assert whoami(browsers[1]) == "Ada", "another player's session"
    fill(here, "sessions/", session=str(second.pk))
    assert [whoami(browser) for browser in (here, *browsers)] == ["Ada", "Ada", None, "Ada"]
    fill(here, "sessions/", session="9" * 30)
    fill(here, "sessions/")
    assert [whoami(browser) for browser in (here, *browsers)] == ["Ada", None, None, None]
    assert Api(token).get("players/me/")[0] == 401
    assert whoami(stranger) == "Eve"


@pytest.mark.parametrize(
    ("agent", "told"),
    [
        ("Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/156.0.0.0 Safari/537.36", "Chrome, Linux"),
        ("Mozilla/5.0 (Linux; Android 16) AppleWebKit/537.36 Chrome/156.0 Mobile Safari/537.36", "Chrome, Android"),
        ("Mozilla/5.0 (Windows NT 10.0; Win64; x64) Chrome/156.0 Safari/537.36 Edg/156.0", "Edge, Windows"),
        ("Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) Version/19.0 Safari/604.1", "Safari, iPhone"),
        ("curl/8.5.0", "curl"),
        ("", "–"),
    ],
)
def test_a_browser_is_told_in_words_that_its_owner_knows(agent: str, told: str) -> None:
    assert tell_browser(agent) == told


@pytest.mark.parametrize(
    "path", ["password/", "e-mail/", "sessions/", "two-factor/", "two-factor/on/", "codes/", "confirm/"]
)
def test_what_is_for_players_sends_others_to_where_they_become_one(path: str) -> None:
    assert Client().get(f"/account/{path}")["Location"] == f"/account/log-in/?next=/account/{path}"
    guest, _attempt = play_as_guest()
    assert guest.get(f"/account/{path}")["Location"].startswith("/account/sign-up/?next=%2Faccount%2F")


# Two-factor


def code_of(secret: str, ahead: int = 0) -> str:
    """What an authenticator app shows, `ahead` half minutes from now."""
    return format_hotp_value(hotp_value(secret, int(time.time()) // 30 + ahead))


def turn_on(client: Client) -> tuple[str, list[str]]:
    """The secret and the recovery codes of a player who turns two-factor log-in on."""
    client.post("/account/confirm/?next=/account/two-factor/on/", {"password": PASSWORD})
    secret = re.search(r'class="secret">(\w+)<', client.get("/account/two-factor/on/").content.decode())
    assert secret
    page = client.post("/account/two-factor/on/", {"code": code_of(secret[1])}, follow=True)
    return secret[1], re.findall(r"<li><code>(\d+)</code>", page.content.decode())


def test_with_two_factors_a_password_alone_logs_nobody_in() -> None:
    secret, recovery = turn_on(make_ada())
    assert len(recovery) == 10
    client, _attempt = play_as_guest()
    page = fill(client, "log-in/", login="ada", password=PASSWORD, next="/rules/")
    assert page["Location"].startswith("/account/log-in/code/")
    assert whoami(client) is None
    assert errors(fill(client, "log-in/code/", code="000000")) == ["This code is not right, or was used before."]
    page = client.post("/account/log-in/code/", {"code": code_of(secret)})
    assert (page.status_code, page["Location"]) == (302, "/rules/")
    assert whoami(client) == "Ada"


def test_no_code_is_good_twice_on_pages_or_by_rest() -> None:
    secret, recovery = turn_on(make_ada())
    body = {"name": "Ada", "password": PASSWORD}
    used = code_of(secret)
    assert Api().post("tokens/", body | {"code": used})[0] == 201
    for code in (used, f" {used[:3]} {used[3:]}"):
        cache.clear()  # another process has a cache of its own
        assert Api().post("tokens/", body | {"code": code})[1]["code"] == "second_factor"
    client = Client()
    fill(client, "log-in/", login="Ada", password=PASSWORD)
    assert errors(fill(client, "log-in/code/", code=used))
    assert fill(client, "log-in/code/", code=recovery[0]).status_code == 302
    assert Api().post("tokens/", body | {"code": recovery[0]})[0] == 401
    assert Api().post("tokens/", body | {"code": recovery[1]})[0] == 201


def test_a_token_is_not_given_for_a_password_alone() -> None:
    ada = make_ada()
    assert Api().post("tokens/", {"name": "Ada", "password": PASSWORD})[0] == 201
    turn_on(ada)
    api = Api()
    for more in ({}, {"code": ""}, {"code": "000000"}, {"code": "x" * 1000}):
        status, answer = api.post("tokens/", {"name": "Ada", "password": PASSWORD} | more)
        assert (status, answer["code"], answer["where"]) == (401, "second_factor", "code")
    assert api.post("tokens/", {"name": "Ada", "password": "a wrong one", "code": "1"})[1]["code"] == "credentials"


def test_codes_cannot_be_guessed(settings: Any) -> None:
    secret, _recovery = turn_on(make_ada())
    settings.LIMITS = settings.LIMITS | {"code": Limit(3, 60)}
    Counter.objects.all().delete()
    body = {"name": "Ada", "password": PASSWORD}
    answers = [Api().post("tokens/", body | {"code": "000000"})[0] for _ in range(4)]
    assert answers == [401, 401, 401, 429]
    assert Api().post("tokens/", body | {"code": code_of(secret)})[0] == 429, "nor the right one, for a while"


def test_turned_off_the_password_alone_is_enough_again() -> None:
    ada = make_ada()
    turn_on(ada)
    assert ada.post("/account/two-factor/off/", {}).status_code == 302
    assert Api().post("tokens/", {"name": "Ada", "password": PASSWORD})[0] == 201
    assert ada.get("/account/codes/").status_code == 404


def test_the_admin_asks_for_the_second_factor_too() -> None:
    secret, _recovery = turn_on(make_ada())
    Player.objects.update(is_staff=True, is_superuser=True)
    client = Client()
    page = client.get("/admin/", follow=True)
    assert page.redirect_chain[-1][0].startswith("/account/log-in/?next=")
    assert client.post("/admin/login/", {"username": "Ada", "password": PASSWORD}).status_code == 302
    assert whoami(client) is None
    fill(client, "log-in/", login="Ada", password=PASSWORD, next="/admin/")
    assert fill(client, "log-in/code/", code=code_of(secret))["Location"] == "/admin/"
    assert client.get("/admin/").status_code == 200


def test_a_page_of_an_error_asks_no_database_who_plays() -> None:
    browser = make_ada()
    request = RequestFactory().get("/", headers={"Accept": "text/html"}, HTTP_COOKIE=str(browser.cookies["sessionid"]))
    with CaptureQueriesContext(connection) as queries:
        page = SessionMiddleware(AuthenticationMiddleware(answer_server_error))(request)
    assert "Something is wrong on the server." in page.content.decode()
    assert not queries.captured_queries
