"""Tokens that players give to apps: what each may do, and how an app gets one without seeing a password."""

import re
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from django.db.models import F
from django.test import Client
from django.urls import get_resolver
from django.utils import timezone
from knox.models import AuthToken

from games import tokens
from games.models import ApiToken, DeviceGrant, Player
from games.scopes import FULL, READ, SCOPES, needed_scope
from tests.client import Api
from tests.players import in_parallel, log_in, make_player

pytestmark = pytest.mark.django_db


@pytest.fixture
def ada() -> Player:
    return make_player("Ada")


@pytest.fixture
def page(ada: Player) -> Client:
    client = Client()
    client.force_login(ada)
    return client


def give(player: Player, *scopes: str) -> Api:
    return Api(token=tokens.give_token(player=player, name="My app", scopes=scopes)[1])


def is_refused(answer: tuple[int, Any]) -> bool:
    return answer[0] == 403 and answer[1]["code"] == "scope"


CALLS = [
    ("POST", "attempts/", "play"),
    ("POST", "attempts/1/moves/", "play"),
    ("POST", "attempts/1/hint/", "play"),
    ("POST", "races/1/attempts/", "play"),
    ("POST", "replays/", "play"),
    ("POST", "races/", "races"),
    ("PUT", "players/bob/follow/", "people"),
    ("POST", "clubs/", "people"),
    ("DELETE", "clubs/1/members/me/", "people"),
    ("POST", "reports/", "people"),
    ("GET", "players/me/", READ),
    ("GET", "races/", READ),
    ("GET", "clubs/", "people"),
    ("GET", "reports/", "people"),
    ("GET", "players/me/following/", "people"),
    ("GET", "players/me/data/", FULL),
    ("PUT", "players/me/name/", FULL),
    ("DELETE", "players/me/", FULL),
    ("POST", "guests/me/", FULL),
    ("DELETE", "tokens/current/", READ),
]


@pytest.mark.parametrize(("method", "path", "scope"), CALLS)
def test_a_token_does_what_its_scopes_say_and_no_more(ada: Player, method: str, path: str, scope: str) -> None:
    assert needed_scope(method, f"/api/v1/{path}") == scope
    body: Any = {} if method == "GET" else {"data": {}}
    for given in SCOPES:
        assert is_refused(give(ada, given).call(method, path, **body)) == (scope not in (READ, given)), given
    assert is_refused(give(ada, *SCOPES).call(method, path, **body)) == (scope == FULL)
    assert not is_refused(log_in(ada).call(method, path, **body))


@pytest.mark.parametrize(("scopes", "told"), [(["play", "people"], None), (["races"], "sesame")])
def test_the_code_of_ones_race_is_told_to_apps_that_manage_races(
    ada: Player, scopes: list[str], told: str | None
) -> None:
    body = {"name": "Tea", "ruleset": "T", "closes_at": (timezone.now() + timedelta(days=1)).isoformat()}
    race = log_in(ada).post("races/", body | {"invite_code": "sesame"})[1]
    assert race["invite_code"] == log_in(ada).get(f"races/{race['id']}/")[1]["invite_code"] == "sesame"
    app = give(ada, *scopes)
    assert app.get(f"races/{race['id']}/")[1]["invite_code"] == told
    assert app.get("races/")[1]["rows"][0]["invite_code"] == told


def test_every_call_that_changes_something_needs_a_scope() -> None:
    paths = [
        str(pattern.pattern) for pattern in get_resolver().url_patterns if str(pattern.pattern).startswith("api/v1/")
    ]
    filled = [re.sub("<int:[a-z]+>", "1", re.sub("<str:[a-z]+>", "x", path)) for path in paths]
    free = {path for path in filled if needed_scope("POST", f"/{path}") == READ}
    assert free == {"api/v1/tokens/current/"}


def test_a_token_is_taken_back_and_ends_at_once(ada: Player, page: Client) -> None:
    made = page.post("/account/tokens/", {"name": "My app", "scopes": ["play"]})
    text = re.search(r'<code class="token">(\w+)</code>', made.content.decode())
    assert text
    app = Api(token=text[1])
    assert app.get("players/me/")[0] == 200
    assert text[1] not in page.get("/account/tokens/").content.decode(), "shown once"
    digest = ApiToken.objects.get().token_id
    assert page.post("/account/tokens/", {"end": digest}).status_code == 302
    assert app.get("players/me/")[0] == 401
    for other in (digest, "", "a\0b"):
        assert page.post("/account/tokens/", {"end": other}).status_code == 302


def test_nobody_takes_back_what_is_anothers_or_a_log_in(ada: Player, page: Client) -> None:
    other, own = give(make_player("Bob"), "play"), log_in(ada)
    for digest in AuthToken.objects.values_list("digest", flat=True):
        page.post("/account/tokens/", {"end": digest})
    assert other.get("players/me/")[0] == 200
    assert own.get("players/me/")[0] == 200


@pytest.mark.parametrize(
    "fields", [{"name": "x", "scopes": ["play"]}, {"name": "My app"}, {"name": "A", "scopes": ["all"]}]
)
def test_a_token_needs_a_name_and_a_scope(page: Client, fields: dict[str, Any]) -> None:
    assert b"<code" not in page.post("/account/tokens/", fields).content
    assert not ApiToken.objects.exists()


def test_so_many_tokens_and_no_more(ada: Player, page: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokens, "MOST_TOKENS", 1)
    for _ in range(2):
        page.post("/account/tokens/", {"name": "My app", "scopes": ["play"]})
    assert ApiToken.objects.count() == 1


# An app asks


def ask(**more: Any) -> dict[str, Any]:
    status, answer = Api().post("device/", {"name": "Card table", "scopes": ["play"]} | more)
    assert status == 201, answer
    return answer


def poll(asked: dict[str, Any]) -> tuple[int, Any]:
    DeviceGrant.objects.update(asked_at=F("asked_at") - timedelta(seconds=5))
    return Api().post("device/token/", {"device_code": asked["device_code"]})


def test_an_app_is_let_in_by_its_code(page: Client) -> None:
    asked = ask()
    assert re.fullmatch("[B-Z]{4}-[B-Z]{4}", asked["user_code"])
    assert asked["verification_uri"].endswith("/account/device/")
    assert poll(asked)[1]["code"] == "authorization_pending"
    shown = page.post("/account/device/", {"code": asked["user_code"].lower().replace("-", " ")})
    assert b"Card table" in shown.content
    assert poll(asked)[1]["code"] == "authorization_pending", "to look is not to answer"
    page.post("/account/device/", {"code": asked["user_code"], "answer": "allow"})
    status, answer = poll(asked)
    assert (status, answer["player"]) == (201, "Ada")
    app = Api(token=answer["token"])
    assert app.post("attempts/", {"ruleset": "T"})[0] == 201
    assert app.post("clubs/", {"name": "Club"})[1]["code"] == "scope"
    assert poll(asked)[1]["code"] == "expired_token", "given once"
    assert b"Card table" in page.get("/account/tokens/").content


def test_an_app_that_was_let_in_is_out_again_where_all_tokens_end(page: Client) -> None:
    asked = ask()
    page.post("/account/device/", {"code": asked["user_code"], "answer": "allow"})
    assert page.post("/account/sessions/", {}).status_code == 302
    assert poll(asked)[1]["code"] == "expired_token"


def test_an_app_is_refused(page: Client) -> None:
    asked = ask()
    page.post("/account/device/", {"code": asked["user_code"], "answer": "refuse"})
    assert poll(asked)[1]["code"] == "access_denied"
    again = page.post("/account/device/", {"code": asked["user_code"], "answer": "allow"})
    assert again.status_code == 400
    assert not ApiToken.objects.exists()


def test_an_app_that_asks_too_often_is_slowed_and_a_code_grows_old(page: Client) -> None:
    asked = ask()
    body = {"device_code": asked["device_code"]}
    assert [Api().post("device/token/", body)[1]["code"] for _ in range(2)] == ["authorization_pending", "slow_down"]
    DeviceGrant.objects.update(ends_at=F("ends_at") - timedelta(seconds=601))
    assert poll(asked)[1]["code"] == "expired_token"
    assert page.post("/account/device/", {"code": asked["user_code"]}).status_code == 400
    ask()
    assert DeviceGrant.objects.count() == 1, "what is over is cleared away"


def test_only_who_has_signed_up_lets_an_app_in() -> None:
    asked = ask()
    assert Client().post("/account/device/", {"code": asked["user_code"], "answer": "allow"}).status_code == 302
    assert poll(asked)[1]["code"] == "authorization_pending"


@pytest.mark.parametrize(
    ("body", "where"),
    [
        ({}, "name"),
        ({"name": "x", "scopes": ["play"]}, "name"),
        ({"name": "An\u200bapp", "scopes": ["play"]}, "name"),
        ({"name": "App", "scopes": []}, "scopes"),
        ({"name": "App", "scopes": ["all"]}, "scopes.0"),
        ({"name": "App", "scopes": "play"}, "scopes"),
    ],
)
def test_what_an_app_asks_wrongly_is_named(body: dict[str, Any], where: str) -> None:
    status, error = Api().post("device/", body)
    assert (status, error["where"]) == (400, where)


@pytest.mark.django_db(transaction=True)
def test_of_many_calls_at_once_one_gets_the_token() -> None:
    asked = ask()
    tokens.answer(player=make_player("Ada"), user_code=asked["user_code"], allow=True)
    calls = [partial(Api().post, "device/token/", {"device_code": asked["device_code"]}) for _ in range(6)]
    assert sorted(status for status, _answer in in_parallel(calls)) == [201] + [400] * 5
    assert ApiToken.objects.count() == 1
