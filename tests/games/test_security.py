"""What a changed password ends, and the mail that tells a player what has happened to an account."""

import logging
import re
import socket
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal import auth as totp
from django.core import mail
from django.test import Client

from games import tokens
from games.accounts import adapter
from games.models import Player
from games.throttles import Limit
from tests.client import Api
from tests.players import log_in, make_member, make_player

pytestmark = pytest.mark.django_db

OLD, NEW = "a long password", "another password"
CHANGE = {"oldpassword": OLD, "password1": NEW, "password2": NEW}


@pytest.fixture
def ada() -> Player:
    return make_member("Ada", OLD, email="ada@example.org")


@pytest.fixture
def notices(settings: Any) -> None:
    settings.ACCOUNT_EMAIL_NOTIFICATIONS = True


def browse(language: str = "en") -> Client:
    client = Client(headers={"Accept-Language": language})
    assert client.post("/account/log-in/", {"login": "Ada", "password": OLD}).status_code == 302
    return client


def give(player: Player) -> Api:
    return Api(token=tokens.give_token(player=player, name="My app", scopes=["play"])[1])


def works(caller: Api | Client) -> bool:
    if isinstance(caller, Api):
        return caller.get("players/me/")[0] == 200
    return caller.get("/account/password/").status_code == 200


# What a new password ends


@pytest.mark.parametrize("keeps", [False, True])
def test_a_changed_password_ends_all_else_and_apps_where_they_are_not_kept(ada: Player, keeps: bool) -> None:
    here, there, app, script = browse(), browse(), give(ada), log_in(ada)
    asked = tokens.ask(name="Waiting", scopes=["play"])
    tokens.answer(player=ada, user_code=asked.user_code, allow=True)
    bob = log_in(make_player("Bob"))
    assert 'name="keep_apps"' in here.get("/account/password/").content.decode()
    done = here.post("/account/password/", CHANGE | ({"keep_apps": "on"} if keeps else {}), follow=True)
    assert "The password has been changed." in done.content.decode()
    assert ("Apps keep their tokens." in done.content.decode()) is keeps
    assert [works(caller) for caller in (here, there, script, bob)] == [True, False, False, True]
    assert works(app) is keeps
    fetched = Api().post("device/token/", {"device_code": asked.device_code})
    assert fetched[0] == (201 if keeps else 400)


def test_a_wrong_old_password_ends_nothing(ada: Player) -> None:
    here, there, app = browse(), browse(), give(ada)
    assert here.post("/account/password/", CHANGE | {"oldpassword": "not this one"}).status_code == 200
    assert all(map(works, (here, there, app)))


def test_who_has_no_apps_is_not_asked_about_them(ada: Player) -> None:
    here = browse()
    assert "keep_apps" not in here.get("/account/password/").content.decode()
    assert here.post("/account/password/", CHANGE | {"keep_apps": "on"}).status_code == 302


def reset(page: Client) -> None:
    page.post("/account/password/forgotten/", {"email": "ada@example.org"})
    link = re.search(r"/account/password/new/\S+", mail.outbox[-1].body)
    assert link
    form = page.get(link[0], follow=True).redirect_chain[-1][0]
    page.post(form, {"password1": NEW, "password2": NEW})


def test_a_reset_ends_every_session_and_token(ada: Player) -> None:
    there, app, script = browse(), give(ada), log_in(ada)
    reset(Client())
    assert not any(map(works, (there, app, script)))
    assert Api().post("tokens/", {"name": "Ada", "password": NEW})[0] == 201


# Mail of what has happened


def turn_on(page: Client, player: Player) -> None:
    page.post("/account/confirm/", {"password": OLD})
    secret = re.search('class="secret">([A-Z2-7]+)<', page.get("/account/two-factor/on/").content.decode())
    assert secret
    code = totp.format_hotp_value(totp.hotp_value(secret[1], next(totp.yield_hotp_counters_from_time())))
    page.post("/account/two-factor/on/", {"code": code})
    assert Authenticator.objects.filter(user=player).exists()


def turn_off(page: Client, player: Player) -> None:
    turn_on(page, player)
    page.post("/account/two-factor/off/")


def let_in(page: Client, _player: Player) -> None:
    asked = tokens.ask(name="Card table", scopes=["play"])
    page.post("/account/device/", {"code": asked.user_code, "answer": "allow"})


def change_address(page: Client, _player: Player) -> None:
    page.post("/account/confirm/", {"password": OLD})
    for address, action in (("ada@example.org", "action_send"), ("new@example.org", "action_add")):
        page.post("/account/e-mail/", {"email": address, action: ""})
        link = re.search(r"/account/e-mail/\S+", mail.outbox[-1].body)
        assert link
        page.post(link[0])


EVENTS = {
    "password": (lambda page, _player: page.post("/account/password/", CHANGE), "Das Passwort ist geändert."),
    "reset": (lambda page, _player: reset(page), "Ein neues Passwort ist mit einem Link gesetzt worden"),
    "two factors": (turn_on, "Die Anmeldung in zwei Schritten ist eingeschaltet."),
    "one factor": (turn_off, "Die Anmeldung in zwei Schritten ist ausgeschaltet."),
    "token": (
        lambda page, _player: page.post("/account/tokens/", {"name": "My app", "scopes": ["play"]}),
        "Eine App hat ein Token bekommen: My app",
    ),
    "app": (let_in, "Eine App hat ein Token bekommen: Card table"),
    "address": (change_address, "Die E-Mail-Adresse ist geändert"),
}


@pytest.mark.usefixtures("notices")
@pytest.mark.parametrize("event", EVENTS)
def test_the_player_is_mailed_what_has_happened(
    ada: Player, event: str, django_capture_on_commit_callbacks: Any
) -> None:
    act, sentence = EVENTS[event]
    page = browse("de")
    assert mail.outbox == [], "a log-in is no news"
    with django_capture_on_commit_callbacks(execute=True):
        act(page, ada)
    (told,) = [sent for sent in mail.outbox if sentence in sent.body]
    assert told.to == ["ada@example.org"]
    assert told.subject == "Dein Konto bei Pyramidion"
    for part in ("Ada", "UTC", "http://testserver/account/password/forgotten/"):
        assert part in told.body, told.body


@pytest.mark.usefixtures("notices")
def test_the_mail_is_in_the_language_of_the_page(ada: Player) -> None:
    browse("en").post("/account/password/", CHANGE)
    assert "The password has been changed." in mail.outbox[-1].body


def test_without_mail_of_the_organisers_or_an_address_nothing_is_sent(ada: Player, settings: Any) -> None:
    page = browse()
    page.post("/account/tokens/", {"name": "My app", "scopes": ["play"]})
    settings.ACCOUNT_EMAIL_NOTIFICATIONS = True
    Player.objects.update(email="")
    page.post("/account/password/", CHANGE)
    assert mail.outbox == []


@pytest.mark.usefixtures("notices")
def test_no_address_is_flooded(ada: Player, settings: Any) -> None:
    settings.LIMITS = settings.LIMITS | {"mail": Limit(2, 60)}
    page = browse()
    for _ in range(4):
        assert page.post("/account/tokens/", {"name": "My app", "scopes": ["play"]}).status_code == 200
    assert len(mail.outbox) == 2


@pytest.fixture
def silent_server() -> Iterator[int]:
    """A mail server that takes connections and never says a word."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield listening.getsockname()[1]


@pytest.mark.usefixtures("notices")
def test_a_silent_mail_server_holds_nobody_up(
    ada: Player, silent_server: int, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = browse()
    monkeypatch.setattr(adapter, "NOTICE_SECONDS", 0.2)
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT, settings.EMAIL_TIMEOUT = "127.0.0.1", silent_server, 1
    begun = time.monotonic()
    assert page.post("/account/password/", CHANGE).status_code == 302
    assert time.monotonic() - begun < 1
    assert works(page)
    for thread in threading.enumerate():
        if thread.name == adapter.SENDING:
            thread.join(5)


@pytest.mark.usefixtures("notices")
def test_a_mail_server_that_is_away_changes_nothing(
    ada: Player, settings: Any, caplog: pytest.LogCaptureFixture
) -> None:
    page = browse()
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 1
    with caplog.at_level(logging.WARNING):
        done = page.post("/account/password/", CHANGE, follow=True)
    assert "The password has been changed." in done.content.decode()
    assert "could not be sent" not in done.content.decode(), "there is nothing to try again"
    assert "No mail was sent" in caplog.text
