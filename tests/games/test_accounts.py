"""Accounts: signing up, logging in and out, and what a token is worth."""

from datetime import datetime, timedelta
from functools import partial
from hashlib import sha512
from typing import Any

import pytest
from django.utils import timezone
from knox.models import AuthToken

from games.models import Player
from pyramid_site import settings as site
from tests.client import Api
from tests.players import in_parallel, log_in, make_player

pytestmark = pytest.mark.django_db

PASSWORD = "a long password"


def sign_up(name: str = "Ada Ö", **more: str) -> Api:
    status, answer = Api().post("players/", {"name": name, "password": PASSWORD} | more)
    assert status == 201, answer
    return Api(answer["token"])


def test_a_new_player_is_given_a_token_that_works() -> None:
    api = Api()
    status, answer = api.post("players/", {"name": "Zoe\u0308", "password": PASSWORD, "email": "zoe@example.org"})
    assert status == 201
    assert set(answer) == {"player", "token", "expires"}
    assert answer["player"] == "Zoë"
    assert timedelta(days=89) < datetime.fromisoformat(answer["expires"]) - timezone.now() < timedelta(days=90)
    status, me = api.get("players/me/", token=answer["token"])
    assert (status, me["name"], me["rulesets"]) == (200, "Zoë", [])
    assert Player.objects.get().email == "zoe@example.org"


def test_an_email_may_be_left_out() -> None:
    sign_up("Ada")
    sign_up("Bea", email="")
    assert set(Player.objects.values_list("email", flat=True)) == {""}


def test_a_token_in_the_header_is_no_matter_to_who_signs_up_or_logs_in() -> None:
    sign_up("Ada")
    api = Api(token="0" * 64)
    assert api.post("players/", {"name": "Bea", "password": PASSWORD})[0] == 201
    assert api.post("tokens/", {"name": "Ada", "password": PASSWORD})[0] == 201


def test_a_taken_name_is_refused_and_its_player_stays_as_it_was() -> None:
    sign_up("Ada")
    status, answer = Api().post("players/", {"name": "ADA", "password": "another password", "email": "a@example.org"})
    assert (status, answer["code"], answer["where"]) == (409, "name_taken", "name")
    player = Player.objects.get()
    assert (player.name, player.email) == ("Ada", "")
    assert player.check_password(PASSWORD)
    assert AuthToken.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_of_eight_who_want_a_name_at_the_same_moment_one_gets_it() -> None:
    def ask(name: str) -> tuple[int, Any]:
        return Api().post("players/", {"name": name, "password": PASSWORD})

    answers = in_parallel([partial(ask, name) for name in ["Ada", "ada", "ADA", "aDa"] * 2])
    assert sorted(status for status, _answer in answers) == [201] + [409] * 7
    assert {answer["code"] for status, answer in answers if status == 409} == {"name_taken"}
    assert Player.objects.count() == AuthToken.objects.count() == 1


@pytest.mark.parametrize("password", ["pässwörter", " with spaces ", "🂡🂢🂣🂤🂥🂦🂧🂨", "x" * 128, "line\nbreaks\tand\x01"])
def test_a_password_is_taken_as_it_is(password: str) -> None:
    assert Api().post("players/", {"name": "Ada", "password": password})[0] == 201
    assert Api().post("tokens/", {"name": "Ada", "password": password})[0] == 201
    for wrong in (password.strip() + "x", password[:-1], password.upper() + "X"):
        assert Api().post("tokens/", {"name": "Ada", "password": wrong})[0] == 401


@pytest.mark.parametrize("written", ["Ada Ö", "ada ö", "ADA Ö", "Ada O\u0308", "Ａｄａ Ö", " ada ö "])
def test_logging_in_works_however_the_name_is_written(written: str) -> None:
    sign_up("Ada Ö")
    status, answer = Api().post("tokens/", {"name": written, "password": PASSWORD})
    assert (status, answer["player"]) == (201, "Ada Ö")
    assert Api(answer["token"]).get("players/me/")[1]["name"] == "Ada Ö"


def test_a_wrong_password_and_an_unknown_name_are_one_answer() -> None:
    sign_up("Ada")
    sign_up("Cleo")
    Player.objects.filter(name="Cleo").update(is_active=False)
    make_player("Bea")  # has no password
    api = Api()
    answers = [
        api.post("tokens/", {"name": name, "password": password})
        for name, password in [
            ("Ada", "another password"),
            ("Ada", PASSWORD.upper()),
            ("Nobody", PASSWORD),
            ("Bea", PASSWORD),
            ("Cleo", PASSWORD),
            ("x" * 100_000, PASSWORD),
            ("\u200b", PASSWORD),
            ("", PASSWORD),
            ("Ada", ""),
        ]
    ]
    assert all(answer == answers[0] for answer in answers)
    assert (answers[0][0], answers[0][1]["code"], answers[0][1]["where"]) == (401, "credentials", None)
    assert api.headers["WWW-Authenticate"] == "Token"


def test_a_player_has_many_tokens_and_logging_out_ends_the_one_it_is_called_with() -> None:
    phone = sign_up("Ada")
    laptop = Api(Api().post("tokens/", {"name": "Ada", "password": PASSWORD})[1]["token"])
    eve = log_in(make_player("Eve"))
    assert phone.delete("tokens/current/") == (204, None)
    assert phone.get("players/me/")[1]["code"] == "token_unknown"
    assert phone.delete("tokens/current/")[0] == 401
    assert laptop.get("players/me/")[0] == 200
    assert eve.get("players/me/")[0] == 200


def test_a_token_is_stored_as_a_digest_alone() -> None:
    token = sign_up("Ada").token
    assert token
    assert len(token) == 64
    stored = AuthToken.objects.values().get()
    assert stored["digest"] == sha512(token.encode()).hexdigest()
    assert token not in str(stored)
    assert stored["token_key"] == token[:15]


def test_a_password_is_stored_as_a_slow_hash(settings: Any) -> None:
    settings.PASSWORD_HASHERS = site.PASSWORD_HASHERS
    sign_up("Ada")
    assert Player.objects.get().password.startswith("scrypt$")


def test_a_token_works_until_its_expiry_and_goes_with_the_next_log_in() -> None:
    old, other = sign_up("Ada"), sign_up("Bea")
    AuthToken.objects.update(expiry=timezone.now() + timedelta(seconds=60))
    assert old.get("players/me/")[0] == 200
    AuthToken.objects.update(expiry=timezone.now() - timedelta(milliseconds=1))
    assert old.get("players/me/")[1]["code"] == "token_expired"
    assert AuthToken.objects.count() == 2
    new = Api(Api().post("tokens/", {"name": "Ada", "password": PASSWORD})[1]["token"])
    assert new.get("players/me/")[0] == 200
    assert old.get("players/me/")[1]["code"] == "token_unknown"
    assert other.get("players/me/")[1]["code"] == "token_expired"  # another player's stay until that one logs in


@pytest.mark.parametrize("header", ["Token {}", "token {}", "TOKEN   {}", " Token {} "])
def test_the_scheme_is_read_forgivingly(header: str) -> None:
    token = log_in(make_player("Ada")).token
    assert Api().get("players/me/", HTTP_AUTHORIZATION=header.format(token))[0] == 200


def test_a_token_is_looked_up_in_one_query(django_assert_num_queries) -> None:  # type: ignore[no-untyped-def]
    api = log_in(make_player("Ada"))
    with django_assert_num_queries(2):  # the token with its player, the totals
        api.get("players/me/")
