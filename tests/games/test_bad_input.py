"""A stranger who sends everything wrong: what each mistake answers, and that it changes nothing.

tests.client checks the form of every error, so each test here says only which mistake it is: status, code, where.
"""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import pytest
from django.apps import apps
from django.core.management import call_command
from django.db import connection, transaction
from django.utils import timezone
from knox.models import AuthToken

from games.models import Attempt, Counter, Player
from tests.client import Api
from tests.players import easy_deal, log_in, make_player, open_attempt, win

pytestmark = pytest.mark.django_db

SEED = "PY1-N-AAAAAAS"
MOVES = "g2 g1g3 f1f2 e1W D"
REPLAY = {"format": "pyramid-replay/1", "deal": SEED, "moves": MOVES, "times": [1, 2, 3, 4, 5]}
PASSWORD = "a long password"
APPS = ("games", "knox", "leaderboard")


@dataclass
class World:
    """Ada with an open attempt of no moves, one she won and one she gave up; Eve, who has nothing."""

    ada: Api
    eve: Api
    player: Player
    attempt: int
    won: int
    resigned: int


@pytest.fixture(scope="module")
def world(django_db_setup: None, django_db_blocker: Any) -> Iterator[World]:
    """Committed once: every test goes back to it. Its rows go when the last test of this file is done."""
    with django_db_blocker.unblock():
        player = make_player("Ada")
        ada = log_in(player)
        won = win(player, 60_000).pk
        resigned = ada.post("attempts/", {"deal": "PY1-T-AAAAAAJ"})[1]["id"]
        ada.post(f"attempts/{resigned}/resign/")
        attempt = open_attempt(player, easy_deal("N")).pk
        yield World(ada, log_in(make_player("Eve")), player, attempt, won, resigned)
        call_command("flush", interactive=False, verbosity=0)


def _read_tables() -> list[tuple[str, str]]:
    """Each table and a digest of all its rows."""
    models = [model for app in APPS for model in apps.get_app_config(app).get_models()]
    names = [model._meta.db_table for model in models if model is not Counter]  # what is refused counts, too
    reads = [f"SELECT '{name}', md5(string_agg(row::text, '' ORDER BY row::text)) FROM {name} row" for name in names]
    with connection.cursor() as cursor:
        cursor.execute(" UNION ALL ".join(reads))
        return sorted(cursor.fetchall())


@contextmanager
def nothing_changes() -> Iterator[None]:
    before = _read_tables()
    yield
    assert _read_tables() == before


def refused(answer: tuple[int, Any], status: int, code: str, where: str | None) -> None:
    assert (answer[0], answer[1]["code"], answer[1]["where"]) == (status, code, where), answer


# Every address of the API: how it is called, and what it wants. {attempt} is Ada's open one.
BODIES = [
    ("players/", False, {"name": "Bert", "password": PASSWORD}),
    ("tokens/", False, {"name": "Ada", "password": PASSWORD}),
    ("deals/", False, {"ruleset": "T", "cards": "Ac"}),
    ("attempts/", True, {"deal": SEED}),
    ("attempts/{attempt}/moves/", True, {"from_ply": 0, "moves": "g2"}),
    ("attempts/{attempt}/resign/", True, {}),
    ("attempts/{attempt}/hint/", True, {}),
    ("replays/", True, REPLAY),
    ("races/", True, {"name": "Cup", "ruleset": "T", "closes_at": "2999-01-01T00:00:00Z"}),
    ("races/1/attempts/", True, {"invite_code": "sesame"}),
]
GUARDED = [
    ("DELETE", "tokens/current/"),
    ("GET", "players/me/"),
    ("POST", "attempts/"),
    ("GET", "attempts/{attempt}/"),
    ("POST", "attempts/{attempt}/moves/"),
    ("POST", "attempts/{attempt}/resign/"),
    ("POST", "attempts/{attempt}/hint/"),
    ("POST", "replays/"),
    ("POST", "races/"),
    ("POST", "races/1/attempts/"),
]
OPEN = [
    ("GET", "races/"),
    ("GET", "races/1/"),
    ("GET", "races/1/export/"),
    ("GET", "daily/"),
    ("GET", "daily/2026-11-30/T/"),
    ("GET", "daily/calendar/"),
    ("GET", "dailies/commitments/"),
    ("GET", "players/ada/streak/"),
    ("GET", "players/ada/"),
    ("GET", "players/ada/attempts/"),
    ("GET", "rulesets/"),
    ("GET", "rulesets/T/"),
    ("GET", "rulesets/T/board/"),
    ("GET", f"deals/{SEED}/"),
    ("GET", f"deals/{SEED}/board/"),
    ("GET", "replays/{attempt}/"),
    ("POST", "players/"),
    ("POST", "tokens/"),
    ("POST", "deals/"),
    ("POST", "replays/validate/"),
]
POSTED = [path for path, _token, _body in BODIES]

# Bodies that are no JSON

NO_JSON = {
    "nothing but a brace": b"{",
    "words": b"give me a token",
    "two values": b"{} {}",
    "single quotes": b"{'name': 'Ada'}",
    "a comma too many": b'{"name": "Ada",}',
    "a byte order mark": b"\xef\xbb\xbf{}",
    "UTF-16": '{"name": "Ada"}'.encode("utf-16"),
    "no UTF-8": b'{"name": "\xff\xfe"}',
    "half a character": b'{"name": "\xc3"}',
    "a surrogate in bytes": b'{"name": "\xed\xa0\x80"}',
    "a NUL byte": b'{"name": "A\x00da"}',
    "only a NUL byte": b"\x00",
    "white space": b" \n",
    "NaN": b'{"from_ply": NaN}',
    "Infinity": b'{"from_ply": Infinity}',
    "-Infinity": b'{"from_ply": -Infinity}',
    "a leading zero": b'{"from_ply": 01}',
    "hexadecimal": b'{"from_ply": 0x10}',
    "40 KB of [": b"[" * 40_000,
    'nested {"a":': b'{"a":' * 40_000,
    "a form": b"name=Ada&password=secret",
    "HTML": b"<html></html>",
}


@pytest.mark.parametrize("body", NO_JSON.values(), ids=NO_JSON)
@pytest.mark.parametrize("path", POSTED)
def test_what_is_no_json_is_refused(world: World, path: str, body: bytes) -> None:
    with nothing_changes():
        status, answer = world.ada.post(path.format(attempt=world.attempt), body=body)
    assert (status, answer["code"]) == (400, "json")
    assert answer["where"] is None or answer["where"].startswith("character ")


@pytest.mark.parametrize("body", NO_JSON.values(), ids=NO_JSON)
def test_what_is_no_json_is_an_illegal_replay_to_the_judge(body: bytes) -> None:
    status, verdict = Api().post("replays/validate/", body=body)
    assert (status, verdict["legal"], verdict["reason"]) == (200, False, "json")


def test_a_number_of_thousands_of_digits_is_json_and_too_large(world: World) -> None:
    body = b'{"from_ply": ' + b"9" * 5000 + b', "moves": "D"}'
    with nothing_changes():
        status, answer = world.ada.post(f"attempts/{world.attempt}/moves/", body=body)
    assert (status, answer["code"], answer["where"]) == (400, "invalid", "from_ply")


def test_an_empty_body_is_an_empty_object(world: World) -> None:
    with nothing_changes():
        refused(Api().post("players/"), 400, "required", "name")
        refused(Api().post("tokens/"), 400, "required", "name")
        refused(Api().post("deals/"), 400, "required", "ruleset")
        refused(world.ada.post("attempts/"), 400, "one_of", None)
        refused(world.ada.post(f"attempts/{world.attempt}/moves/"), 400, "required", "from_ply")
        refused(world.ada.post("replays/"), 422, "shape", None)
    assert world.ada.post(f"attempts/{world.attempt}/resign/")[0] == 200


# JSON of another shape

OTHER_SHAPES = {
    "null": None,
    "true": True,
    "a number": 7,
    "a fraction": 0.5,
    "a text": "name",
    "an empty list": [],
    "a list": [{"name": "Bert", "password": PASSWORD}],
    "lists": [[[]]],
}
UNKNOWN_FIELDS = ["nonsense", "Name", "name ", "", "__class__", "na\x00me", "\ud800", "n" * 50_000]


@pytest.mark.parametrize("value", OTHER_SHAPES.values(), ids=OTHER_SHAPES)
@pytest.mark.parametrize("path", POSTED)
def test_json_of_another_shape_is_refused(world: World, path: str, value: Any) -> None:
    with nothing_changes():
        answer = world.ada.post(path.format(attempt=world.attempt), value)
    refused(answer, *((422, "shape", None) if path == "replays/" else (400, "invalid", None)))


@pytest.mark.parametrize("name", UNKNOWN_FIELDS)
@pytest.mark.parametrize(("path", "token", "body"), BODIES, ids=POSTED)
def test_an_unknown_field_is_refused_and_named(
    world: World, path: str, token: bool, body: dict[str, Any], name: str
) -> None:
    with nothing_changes():
        answer = world.ada.post(path.format(attempt=world.attempt), body | {name: 1})
    if path == "replays/":
        refused(answer, 422, "shape", None)
        assert name in answer[1]["detail"]
    else:
        refused(answer, 400, "unknown_field", name or None)


# Content types

OTHER_TYPES = ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "application/xml"]
OTHER_TYPES += ["application/jsonx", "application/json/", "json", "*/*", "ä", ";", "application/x-ndjson", "", None]


@pytest.mark.parametrize("kind", OTHER_TYPES)
@pytest.mark.parametrize(("path", "token", "body"), BODIES, ids=POSTED)
def test_another_content_type_is_refused(
    world: World, path: str, token: bool, body: dict[str, Any], kind: str | None
) -> None:
    with nothing_changes():
        answer = world.ada.post(path.format(attempt=world.attempt), body, content_type=kind)
    refused(answer, 415, "unsupported_media_type", None)


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "", None])
@pytest.mark.parametrize("body", [b"", b"{}", b"a=b"])
def test_the_judge_takes_its_two_content_types_only(kind: str | None, body: bytes) -> None:
    refused(Api().post("replays/validate/", body=body, content_type=kind), 415, "unsupported_media_type", None)


@pytest.mark.parametrize("kind", ["application/json; charset=utf-8", "Application/JSON", " application/json ;x=y"])
def test_json_is_json_however_its_type_is_written(world: World, kind: str) -> None:
    assert world.ada.post("attempts/", {"deal": SEED}, content_type=kind)[0] == 201


# Methods

ALLOWED = [
    ("players/", "POST"),
    ("players/ada/", "GET"),
    ("players/ada/attempts/", "GET"),
    ("tokens/", "POST"),
    ("tokens/current/", "DELETE"),
    ("rulesets/", "GET"),
    ("rulesets/T/", "GET"),
    ("rulesets/T/board/", "GET"),
    ("deals/", "POST"),
    (f"deals/{SEED}/", "GET"),
    (f"deals/{SEED}/board/", "GET"),
    ("attempts/", "POST"),
    ("attempts/{attempt}/", "GET"),
    ("attempts/{attempt}/moves/", "POST"),
    ("attempts/{attempt}/resign/", "POST"),
    ("attempts/{attempt}/hint/", "POST"),
    ("replays/", "POST"),
    ("replays/{attempt}/", "GET"),
    ("replays/validate/", "POST"),
    ("races/1/attempts/", "POST"),
    ("daily/", "GET"),
    ("daily/calendar/", "GET"),
    ("dailies/commitments/", "GET"),
    ("players/ada/streak/", "GET"),
]
METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "TRACE", "BREW", "__CLASS__", "get_queryset"]


@pytest.mark.parametrize(("path", "allowed"), ALLOWED)
def test_a_wrong_method_is_told_the_right_one(world: World, path: str, allowed: str) -> None:
    for method in METHODS:
        if method != allowed:
            with nothing_changes():
                answer = world.ada.call(method, path.format(attempt=world.attempt), {})
            refused(answer, 405, "method_not_allowed", None)
            assert allowed in world.ada.headers["Allow"].split(", ")


@pytest.mark.parametrize("path", [path for path, allowed in ALLOWED if allowed == "GET"])
def test_head_is_get_without_a_body(world: World, path: str) -> None:
    for method in ("HEAD", "OPTIONS"):
        with nothing_changes():
            assert world.ada.call(method, path.format(attempt=world.attempt))[0] == 200


# Tokens

BAD_HEADERS = {
    "another scheme": ("Bearer x", "not_authenticated", None),
    "a password": ("Basic QWRhOnNlY3JldA==", "not_authenticated", None),
    "an empty header": ("", "not_authenticated", None),
    "only the scheme": ("Token", "token_malformed", "Authorization"),
    "two words": ("Token a b", "token_malformed", "Authorization"),
    "two tokens": ("Token a,Token b", "token_malformed", "Authorization"),
    "a stranger's": ("Token " + "0" * 64, "token_unknown", "Authorization"),
    "one letter": ("Token x", "token_unknown", "Authorization"),
    "a NUL byte": ("Token a\0b", "token_unknown", "Authorization"),
    "Latin-1": ("Token \xe9\xff", "token_unknown", "Authorization"),
    "UTF-8": ("Token " + "ü".encode().decode("latin-1"), "token_unknown", "Authorization"),
    "long": ("Token " + "a" * 60_000, "token_unknown", "Authorization"),
}


@pytest.mark.parametrize(("header", "code", "where"), BAD_HEADERS.values(), ids=BAD_HEADERS)
@pytest.mark.parametrize(("method", "path"), GUARDED)
def test_who_has_no_good_token_is_asked_for_one(
    world: World, method: str, path: str, header: str, code: str, where: str | None
) -> None:
    api = Api()
    with nothing_changes():
        answer = api.call(method, path.format(attempt=world.attempt), {}, HTTP_AUTHORIZATION=header)
    refused(answer, 401, code, where)
    assert api.headers["WWW-Authenticate"] == "Token"


@pytest.mark.parametrize(("method", "path"), GUARDED)
def test_a_token_is_nothing_once_it_is_over_or_its_player_is(world: World, method: str, path: str) -> None:
    path = path.format(attempt=world.attempt)
    assert world.ada.token
    wrong_end = world.ada.token[:-1] + ("1" if world.ada.token[-1] == "0" else "0")
    with nothing_changes():
        refused(world.ada.call(method, path, token=wrong_end), 401, "token_unknown", "Authorization")
        refused(world.ada.call(method, path, token=world.ada.token.upper()), 401, "token_unknown", "Authorization")
    AuthToken.objects.update(expiry=timezone.now() - timedelta(seconds=1))
    with nothing_changes():
        refused(world.ada.call(method, path), 401, "token_expired", "Authorization")
    AuthToken.objects.update(expiry=None)
    Player.objects.update(is_active=False)
    with nothing_changes():
        refused(world.ada.call(method, path), 401, "player_inactive", "Authorization")


@pytest.mark.parametrize(("method", "path"), OPEN)
def test_what_is_open_to_all_does_not_ask_for_a_token(world: World, method: str, path: str) -> None:
    assert Api().call(method, path.format(attempt=world.won))[0] != 401


# Addresses

NO_IDS = ["0", "-1", str(2**31), str(2**63), str(2**63 - 1), str(10**30), "9" * 5000, "1.0", "1e3", "x", "%00"]
NO_IDS += ["%20", "%ff", "null", "true", "٣", "0x10", "1,2", "%F0%9F%98%80", "..%2f"]


@pytest.mark.parametrize("number", NO_IDS)
@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "attempts/{}/"),
        ("POST", "attempts/{}/moves/"),
        ("POST", "attempts/{}/resign/"),
        ("POST", "attempts/{}/hint/"),
        ("GET", "replays/{}/"),
        ("GET", "races/{}/"),
        ("POST", "races/{}/attempts/"),
        ("GET", "races/{}/export/"),
    ],
)
def test_an_id_that_nobody_has_is_not_found(world: World, method: str, path: str, number: str) -> None:
    body = {"from_ply": 0, "moves": "g2"} if "moves" in path else {}
    with nothing_changes():
        refused(world.ada.call(method, path.format(number), body), 404, "not_found", None)


NOWHERE = ["", "nothing/", "players", "players//", "players/me", "players/me/x/", "players/ada/attempts", "attempts"]
NOWHERE += [
    "rulesets/T",
    "rulesets//",
    "deals//",
    "deals/PY1/N/AAAAAAS/",
    "replays/validate",
    "tokens/current",
    "schema",
]
NOWHERE += ["schema", "tokens/current/current/", "%00", "%ff/", "..", "../", "%2e%2e/", "\u202e/", "🂡/", "x" * 9000]
NOWHERE += ["/api/v2/", "/api/v1", "/api", "/nothing/", "/api//v1/rulesets/", "/API/v1/rulesets/"]


@pytest.mark.parametrize("path", NOWHERE)
def test_an_address_that_leads_nowhere_is_not_found(path: str) -> None:
    for method in ("GET", "POST", "DELETE"):
        refused(Api().call(method, path), 404, "not_found", None)


@pytest.mark.parametrize("host", ["evil.example", "", "a b", "\xe9", "[::1"])
def test_a_host_that_is_not_ours_is_refused(host: str) -> None:
    refused(Api().get("rulesets/", HTTP_HOST=host), 400, "bad_request", None)


@pytest.mark.parametrize("letter", ["t", "Z", "TT", "%00", "%20", "1", "%ff", "🂡", "relaxed", "T%00", "x" * 5000])
def test_an_unknown_ruleset_is_not_found(letter: str) -> None:
    refused(Api().get(f"rulesets/{letter}/"), 404, "ruleset", "ruleset")
    refused(Api().get(f"rulesets/{letter}/board/"), 404, "ruleset", "ruleset")


BAD_CODES = {
    "nonsense": ("nonsense", "prefix"),
    "another version": ("PY2-N-AAAAAAS", "prefix"),
    "nothing": ("%20", "prefix"),
    "a NUL byte": ("%00", "prefix"),
    "no UTF-8": ("%ff", "prefix"),
    "only the prefix": ("PY1", "ruleset"),
    "no such ruleset": ("PY1-Z-AAAAAAS", "ruleset"),
    "no such letter": ("PY1-N-AAAAAA9", "letters"),
    "a NUL at the end": ("PY1-N-AAAAAAS%00", "letters"),
    "Cyrillic": ("PY1-N-АААААAS", "letters"),
    "a letter too few": ("PY1-N-AAAAAA", "length"),
    "a letter too many": ("PY1-N-AAAAAASS", "length"),
    "far too long": ("PY1-N-" + "A" * 5000, "length"),
    "an order past the last": ("PY0-N-" + "7" * 46, "letters"),
    "an order too short": ("PY0-N-AAAAAAS", "length"),
    "52 cards for 54": ("PY0-J-" + "A" * 46, "length"),
}


@pytest.mark.parametrize(("code", "part"), BAD_CODES.values(), ids=BAD_CODES)
def test_a_wrong_deal_code_says_which_part_is_wrong(world: World, code: str, part: str) -> None:
    with nothing_changes():
        refused(Api().get(f"deals/{code}/"), 400, "deal", f"deal.{part}")
        refused(Api().get(f"deals/{code}/board/"), 400, "deal", f"deal.{part}")
        if "%" not in code:
            refused(world.ada.post("attempts/", {"deal": code}), 400, "deal", f"deal.{part}")
            refused(world.ada.post("replays/", REPLAY | {"deal": code}), 422, "deal", None)


@pytest.mark.parametrize(
    "name", ["Bert", "%00", "Ada%00", "%ff", "%F0%9F", "A%CC%81da", "🂡", "%E2%80%AEadA", "x" * 3000]
)
def test_an_unknown_player_is_not_found(world: World, name: str) -> None:
    refused(Api().get(f"players/{name}/"), 404, "player", "name")
    refused(Api().get(f"players/{name}/attempts/"), 404, "player", "name")
    refused(Api().get(f"rulesets/T/board/?around={name}"), 404, "player", "around")


# Other people's things


def test_what_is_not_ones_own_is_not_there(world: World) -> None:
    for number in (world.attempt, world.won, world.resigned):
        with nothing_changes():
            refused(world.eve.get(f"attempts/{number}/"), 404, "not_found", None)
            refused(world.eve.post(f"attempts/{number}/resign/"), 404, "not_found", None)
            refused(world.eve.post(f"attempts/{number}/hint/"), 404, "not_found", None)
            moves = {"from_ply": 0, "moves": "g1g2"}
            refused(world.eve.post(f"attempts/{number}/moves/", moves), 404, "not_found", None)
    refused(world.eve.get(f"replays/{world.attempt}/"), 404, "not_found", None)
    refused(Api().get(f"replays/{world.attempt}/"), 404, "not_found", None)
    assert Api().get(f"replays/{world.won}/")[0] == 200


# Texts

NO_TEXT = {
    "null": None,
    "true": True,
    "a number": 1,
    "a fraction": 1.0,
    "a huge number": 1e300,
    "a list": ["Ada"],
    "{}": {},
}
TEXT_FIELDS = [
    (path, name) for path, _token, body in BODIES for name in body if name not in ("from_ply", "times", "closes_at")
]


@pytest.mark.parametrize("value", NO_TEXT.values(), ids=NO_TEXT)
@pytest.mark.parametrize(("path", "name"), TEXT_FIELDS)
def test_what_is_no_text_is_not_turned_into_one(world: World, path: str, name: str, value: Any) -> None:
    body = next(body for other, _token, body in BODIES if other == path)
    with nothing_changes():
        answer = world.ada.post(path.format(attempt=world.attempt), body | {name: value})
    refused(answer, *((422, "shape", None) if path == "replays/" else (400, "invalid", name)))
    if path == "players/":
        with nothing_changes():
            refused(Api().post(path, body | {"email": value}), 400, "invalid", "email")


UNSTORABLE = [("\0", "null_characters_not_allowed"), ("\ud800", "surrogate_characters_not_allowed")]


@pytest.mark.parametrize("pattern", ["{}", "a{}b", "Ada{}", "{}" * 20])
@pytest.mark.parametrize(("character", "code"), UNSTORABLE, ids=["NUL", "a lone surrogate"])
def test_characters_that_no_text_can_hold_are_refused(world: World, pattern: str, character: str, code: str) -> None:
    text = pattern.replace("{}", character)
    with nothing_changes():
        refused(Api().post("players/", {"name": text, "password": PASSWORD}), 400, code, "name")
        refused(Api().post("players/", {"name": "Bert", "password": PASSWORD + text}), 400, code, "password")
        refused(Api().post("tokens/", {"name": text, "password": PASSWORD}), 400, code, "name")
        refused(Api().post("tokens/", {"name": "Ada", "password": text}), 400, code, "password")
        refused(Api().post("deals/", {"ruleset": text, "cards": "Ac"}), 400, code, "ruleset")
        refused(Api().post("deals/", {"ruleset": "T", "cards": text}), 400, code, "cards")
        refused(world.ada.post("attempts/", {"ruleset": text}), 400, code, "ruleset")
        refused(world.ada.post("attempts/", {"deal": text}), 400, code, "deal")
        status, answer = Api().post("players/", {"name": "Bert", "password": PASSWORD, "email": f"a{text}@b.example"})
        assert (status, answer["where"]) == (400, "email")


@pytest.mark.parametrize("moves", ["\0", "g2 \ud800", "\ud800\udc00", "g2\ud83d", "\udfff" * 5])
def test_a_token_of_strange_characters_is_a_token_and_echoed(world: World, moves: str) -> None:
    at = moves.count(" ")
    token = moves.split(" ")[at].encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
    with nothing_changes():
        body = {"from_ply": 0, "moves": moves.replace("g2", "g1g2")}
        status, answer = world.ada.post(f"attempts/{world.attempt}/moves/", body)
        assert (status, answer["code"], answer["at"]) == (422, "syntax", at)
        status, answer = world.ada.post("replays/", REPLAY | {"moves": moves, "times": list(range(at + 1))})
        assert (status, answer["code"], answer["at"], answer["token"]) == (422, "syntax", at, token)


@pytest.mark.parametrize(
    ("fields", "code", "where"),
    [
        ({"password": ""}, "password_too_short", "password"),
        ({"password": "short"}, "password_too_short", "password"),
        ({"password": "password1"}, "password_too_common", "password"),
        ({"password": "x" * 129}, "max_length", "password"),
        ({"email": "nonsense"}, "invalid", "email"),
        ({"email": "a@b"}, "invalid", "email"),
        ({"email": "a@b.example\nBcc: x@y.example"}, "invalid", "email"),
        ({"email": "a" * 250 + "@b.example"}, "max_length", "email"),
        ({"email": "\u202ea@b.example"}, "invalid", "email"),
    ],
)
def test_a_sign_up_with_a_bad_field_is_refused(fields: dict[str, str], code: str, where: str) -> None:
    with nothing_changes():
        refused(Api().post("players/", {"name": "Bert", "password": PASSWORD} | fields), 400, code, where)


def test_all_that_is_wrong_with_a_sign_up_is_said_at_once() -> None:
    status, answer = Api().post("players/", {"name": 1, "password": "1234", "email": "x"})
    assert status == 400
    assert [(error["code"], error["where"]) for error in answer["errors"]] == [
        ("invalid", "name"),
        ("password_too_short", "password"),
        ("password_too_common", "password"),
        ("invalid", "email"),
    ]


# Numbers

NO_PLY = {
    "-1": b"-1",
    "4,001": b"4001",
    "2^31": b"2147483648",
    "2^63": b"9223372036854775808",
    "10^30": b"1" + b"0" * 30,
    "-10^30": b"-1" + b"0" * 30,
    "4,000 digits": b"9" * 4000,
    "true": b"true",
    "false": b"false",
    "null": b"null",
    "1.0": b"1.0",
    "0.5": b"0.5",
    "-0.0": b"-0.0",
    "1e0": b"1e0",
    "1e400": b"1e400",
    "-1e400": b"-1e400",
    '"1"': b'"1"',
    '""': b'""',
    "a list": b"[0]",
    "{}": b"{}",
}
NO_TIME = {name: text for name, text in NO_PLY.items() if name != "4,001"} | {"a day and 1 ms": b"86400001"}


@pytest.mark.parametrize("number", NO_PLY.values(), ids=NO_PLY)
def test_a_ply_is_a_whole_number_up_to_4000(world: World, number: bytes) -> None:
    body = b'{"from_ply": %b, "moves": "g1g2"}' % number
    with nothing_changes():
        refused(world.ada.post(f"attempts/{world.attempt}/moves/", body=body), 400, "invalid", "from_ply")


@pytest.mark.parametrize("number", NO_TIME.values(), ids=NO_TIME)
def test_a_time_is_a_whole_number_of_milliseconds_of_a_day(world: World, number: bytes) -> None:
    moves = b'{"from_ply": 0, "moves": "g1g2 g3g4", "times": [0, %b]}' % number
    replay = b'{"format": "pyramid-replay/1", "deal": "PY1-N-AAAAAAS", "moves": "g2 g1g3", "times": [0, %b]}' % number
    with nothing_changes():
        for path, body in ((f"attempts/{world.attempt}/moves/", moves), ("replays/", replay)):
            answer = world.ada.post(path, body=body)
            refused(answer, 422, "times", "times")
            assert (answer[1]["at"], answer[1]["token"]) == (1, None)


@pytest.mark.parametrize(
    ("times", "at"),
    [
        ([], 0),
        ([1], 1),
        ([1, 2, 3], 2),
        ([2, 1], 1),
        ([-1, 1], 0),
        ([[1], 2], 0),
        ([1, None], 1),
        ([0] * 4001, 2),
    ],
)
def test_there_is_one_time_a_token_and_none_is_earlier(world: World, times: list[Any], at: int) -> None:
    with nothing_changes():
        body = {"from_ply": 0, "moves": "g1g2 g3g4", "times": times}
        answer = world.ada.post(f"attempts/{world.attempt}/moves/", body)
        refused(answer, 422, "times", "times")
        assert answer[1]["at"] == at
        answer = world.ada.post("replays/", REPLAY | {"moves": "g2 g1g3", "times": times})
        refused(answer, 422, "times", "times")
        assert answer[1]["at"] == at


@pytest.mark.parametrize("times", [None, 1, True, "1 2", {}, {"0": 1}])
def test_times_are_a_list(world: World, times: Any) -> None:
    with nothing_changes():
        body = {"from_ply": 0, "moves": "g1g2", "times": times}
        refused(world.ada.post(f"attempts/{world.attempt}/moves/", body), 400, "invalid", "times")
        refused(world.ada.post("replays/", REPLAY | {"times": times}), 422, "shape", None)


# Moves and replays

BAD_MOVES = [
    ("g2g9", 0, "no_such_cell"),
    ("a2", 0, "no_such_cell"),
    ("h1", 0, "no_such_cell"),
    ("i1", 0, "syntax"),
    ("G1", 0, "syntax"),
    (" g1g2", 0, "syntax"),
    ("g1g2 ", 1, "syntax"),
    ("g1g2  g3g4", 1, "syntax"),
    ("g1g2\tg3g4", 0, "syntax"),
    ("g1g2\ng3g4", 0, "syntax"),
    ("ｇ1", 0, "syntax"),
    ("g١", 0, "syntax"),
    ("g1g1", 0, "same_card"),
    ("g1g2 g1g2", 1, "gone"),
    ("f1f2", 0, "covered"),
    ("a1", 0, "covered"),
    ("g1g3", 0, "sum"),
    ("g1", 0, "not_single"),
    ("S", 0, "not_open"),
    ("R", 0, "stock_not_empty"),
    ("U", 0, "nothing_to_undo"),
    ("x" * 100_000, 0, "syntax"),
]


@pytest.mark.parametrize(("moves", "at", "reason"), BAD_MOVES)
def test_the_first_bad_token_refuses_all(world: World, moves: str, at: int, reason: str) -> None:
    replay = REPLAY | {"deal": easy_deal("N").code, "moves": moves, "times": [0] * (moves.count(" ") + 1)}
    with nothing_changes():
        for path, body in (
            (f"attempts/{world.attempt}/moves/", {"from_ply": 0, "moves": moves}),
            ("replays/", replay),
        ):
            answer = world.ada.post(path, body)
            refused(answer, 422, reason, "moves")
            assert (answer[1]["at"], answer[1]["token"]) == (at, moves.split(" ")[at])


@pytest.mark.parametrize("count", [4001, 100_000])
def test_more_than_4000_tokens_are_too_many(world: World, count: int) -> None:
    with nothing_changes():
        moves = " ".join(["D"] * count)
        answer = world.ada.post(f"attempts/{world.attempt}/moves/", {"from_ply": 0, "moves": moves})
        refused(answer, 422, "too_long", None)
        refused(world.ada.post("replays/", REPLAY | {"moves": moves, "times": [0] * 9}), 422, "too_long", None)


@pytest.mark.parametrize(
    ("fields", "status", "code", "where"),
    [
        ({"format": "pyramid-replay/2"}, 422, "format", None),
        ({"format": ""}, 422, "format", None),
        ({"rules": 2}, 422, "format", None),
        ({"rules": 10**30}, 422, "format", None),
        ({"rules": "1"}, 422, "shape", None),
        ({"rules": 1.0}, 422, "shape", None),
        ({"rules": True}, 422, "shape", None),
        ({"rules": None}, 422, "shape", None),
        ({"moves": "", "times": []}, 400, "no_moves", "moves"),
    ],
)
def test_a_replay_of_another_kind_is_refused(
    world: World, fields: dict[str, Any], status: int, code: str, where: str | None
) -> None:
    with nothing_changes():
        refused(world.ada.post("replays/", REPLAY | fields), status, code, where)


@pytest.mark.parametrize("name", ["format", "deal", "moves"])
def test_a_replay_without_a_field_is_refused(world: World, name: str) -> None:
    with nothing_changes():
        body = {other: value for other, value in REPLAY.items() if other != name}
        refused(world.ada.post("replays/", body), 422, "shape", None)


def test_a_replay_that_is_stored_needs_times(world: World) -> None:
    with nothing_changes():
        body = {name: value for name, value in REPLAY.items() if name != "times"}
        refused(world.ada.post("replays/", body), 400, "required", "times")


@pytest.mark.parametrize(
    ("body", "code", "where"),
    [
        ({}, "one_of", None),
        ({"deal": SEED, "ruleset": "N"}, "one_of", None),
        ({"deal": ""}, "deal", "deal.prefix"),
        ({"ruleset": "Z"}, "ruleset", "ruleset"),
        ({"ruleset": "t"}, "ruleset", "ruleset"),
        ({"ruleset": "relaxed"}, "ruleset", "ruleset"),
        ({"ruleset": ""}, "ruleset", "ruleset"),
    ],
)
def test_an_attempt_on_nothing_that_is_dealt_is_refused(
    world: World, body: dict[str, str], code: str, where: str | None
) -> None:
    with nothing_changes():
        refused(world.ada.post("attempts/", body), 400, code, where)


def test_an_attempt_that_stands_elsewhere_tells_its_true_state(world: World) -> None:
    path = f"attempts/{world.attempt}/moves/"
    assert world.ada.post(path, {"from_ply": 0, "moves": "g1g2"})[0] == 200
    with nothing_changes():
        answer = world.ada.post(path, {"from_ply": 2, "moves": "g3g4"})
        refused(answer, 409, "ply_mismatch", "from_ply")
        assert answer[1]["state"] == {"ply": 1, "moves": "g1g2", "end": None}
        answer = world.ada.post(path, {"from_ply": 0, "moves": "g3g4"})
        refused(answer, 409, "ply_mismatch", "from_ply")


def test_an_attempt_that_has_ended_takes_no_moves(world: World) -> None:
    Attempt.objects.filter(pk=world.attempt).update(ends_at=timezone.now() - timedelta(seconds=1))
    with nothing_changes():
        for attempt, end in ((world.resigned, "resigned"), (world.attempt, "expired")):
            answer = world.ada.post(f"attempts/{attempt}/moves/", {"from_ply": 0, "moves": "D"})
            refused(answer, 409, "attempt_ended", None)
            assert answer[1]["state"] == {"ply": 0, "moves": "", "end": end}
        for attempt in (world.won, world.attempt):
            refused(world.ada.post(f"attempts/{attempt}/resign/"), 409, "attempt_ended", None)
            refused(world.ada.post(f"attempts/{attempt}/hint/"), 409, "attempt_ended", None)


# Difficulty


@pytest.mark.parametrize(
    ("difficulty", "code"),
    [
        *[
            (text, "invalid_choice")
            for text in ("", "Hard", "HARD", " hard", "hard ", "harder", "schwer", "h\0", "\ud800")
        ],
        *[(value, "invalid_choice") for value in (0, 1, 0.5, True, [], ["hard"], {}, {"hard": 1})],
        (None, "null"),
    ],
)
def test_a_difficulty_is_one_of_three_words(world: World, difficulty: Any, code: str) -> None:
    with nothing_changes():
        refused(world.eve.post("attempts/", {"ruleset": "T", "difficulty": difficulty}), 400, code, "difficulty")


def test_a_difficulty_is_for_a_ruleset(world: World) -> None:
    with nothing_changes():
        refused(world.eve.post("attempts/", {"difficulty": "hard"}), 400, "one_of", None)
        refused(world.eve.post("attempts/", {"deal": SEED, "difficulty": "hard"}), 400, "one_of", "difficulty")
        refused(world.eve.post("attempts/", {"ruleset": "Z", "difficulty": "hard"}), 400, "ruleset", "ruleset")


# Queries

BAD_QUERIES = [
    ("limit=0", "invalid", "limit"),
    ("limit=101", "invalid", "limit"),
    ("limit=-1", "invalid", "limit"),
    ("limit=%2B5", "invalid", "limit"),
    ("limit=x", "invalid", "limit"),
    ("limit=", "invalid", "limit"),
    ("limit", "invalid", "limit"),
    ("limit=1e3", "invalid", "limit"),
    ("limit=1.0", "invalid", "limit"),
    ("limit=%205", "invalid", "limit"),
    ("limit=5%0A", "invalid", "limit"),
    ("limit=5%00", "invalid", "limit"),
    ("limit=%D9%A3", "invalid", "limit"),
    ("limit=NaN", "invalid", "limit"),
    ("limit=true", "invalid", "limit"),
    ("limit=9223372036854775808", "invalid", "limit"),
    ("limit=" + "9" * 5000, "invalid", "limit"),
    ("limit=5&limit=6", "repeated", "limit"),
    ("order=speed", "invalid_choice", "order"),
    ("order=", "invalid_choice", "order"),
    ("order=TIME", "invalid_choice", "order"),
    ("order=time%00", "invalid_choice", "order"),
    ("order=time&order=time", "repeated", "order"),
    ("nonsense=1", "unknown_field", "nonsense"),
    ("Limit=1", "unknown_field", "Limit"),
    ("=1", "unknown_field", None),
    ("limit[]=1", "unknown_field", "limit[]"),
    ("%00=1", "unknown_field", "\0"),
    ("%ff=1", "unknown_field", "\ufffd"),
]
BOARD_QUERIES = [
    ("after=", "cursor", "after"),
    ("after=x", "cursor", "after"),
    ("after=1.2.3", "cursor", "after"),
    ("after=1.2.3.4.5", "cursor", "after"),
    ("after=1.2.3.x", "cursor", "after"),
    ("after=1.2.3.%00", "cursor", "after"),
    ("after=1.2.3.%D9%A3", "cursor", "after"),
    ("after=01.2.3.4", "cursor", "after"),
    ("after=-0.2.3.4", "cursor", "after"),
    ("after=1e3.2.3.4", "cursor", "after"),
    ("after=NaN.2.3.4", "cursor", "after"),
    ("after=2147483648.2.3.4", "cursor", "after"),
    ("after=1.-2147483649.3.4", "cursor", "after"),
    ("after=1.2.3.9223372036854775808", "cursor", "after"),
    (f"after=1.2.3.{10**30}", "cursor", "after"),
    (f"after={'9' * 5000}.1.1.1", "cursor", "after"),
    ("before=x", "cursor", "before"),
    ("before=1.2.3.4&before=1.2.3.4", "repeated", "before"),
    ("after=1.2.3.4&before=1.2.3.4", "one_of", "before"),
    ("around=Ada&after=1.2.3.4", "one_of", "around"),
    ("around=Bert", "player", "around"),
    ("around=", "player", "around"),
    ("around=A%00", "player", "around"),
    ("around=%ff", "player", "around"),
    ("around=Ada&radius=51", "invalid", "radius"),
    ("around=Ada&radius=-1", "invalid", "radius"),
    ("around=Ada&radius=", "invalid", "radius"),
    ("around=Ada&radius=1&radius=1", "repeated", "radius"),
    ("order=points", "invalid_choice", "order"),
    ("order=when", "invalid_choice", "order"),
    ("offset=1", "unknown_field", "offset"),
]


@pytest.mark.parametrize(("query", "code", "where"), BAD_QUERIES + BOARD_QUERIES)
@pytest.mark.parametrize("path", ["rulesets/F/board/", f"deals/{easy_deal('F').code}/board/"])
def test_a_board_refuses_a_wrong_query(world: World, path: str, query: str, code: str, where: str | None) -> None:
    answer = Api().get(f"{path}?{query}")
    refused(answer, 404 if code == "player" else 400, code, where)


@pytest.mark.parametrize(
    ("query", "code", "where"),
    [
        *BAD_QUERIES,
        ("order=left", "invalid_choice", "order"),
        ("ruleset=Z", "ruleset", "ruleset"),
        ("ruleset=", "ruleset", "ruleset"),
        ("ruleset=%00", "ruleset", "ruleset"),
        ("ruleset=T&ruleset=N", "repeated", "ruleset"),
        ("offset=-1", "invalid", "offset"),
        (f"offset={10**9 + 1}", "invalid", "offset"),
        (f"offset={10**30}", "invalid", "offset"),
        ("offset=1.5", "invalid", "offset"),
        ("after=1.2.3.4", "unknown_field", "after"),
    ],
)
def test_the_games_of_a_player_refuse_a_wrong_query(world: World, query: str, code: str, where: str | None) -> None:
    refused(Api().get(f"players/ada/attempts/?{query}"), 400, code, where)


@pytest.mark.parametrize("clock", ["", "sand", "SERVER", "server%00", "server&clock=client"])
def test_a_deals_board_has_two_clocks_and_a_rulesets_none(world: World, clock: str) -> None:
    code = "repeated" if "&" in clock else "invalid_choice"
    refused(Api().get(f"deals/{SEED}/board/?clock={clock}"), 400, code, "clock")
    refused(Api().get(f"rulesets/T/board/?clock={clock}"), 400, "unknown_field", "clock")


@pytest.mark.parametrize("path", ["rulesets/T/board/", f"deals/{SEED}/board/", "players/ada/attempts/"])
def test_a_query_of_a_thousand_and_one_parameters_is_refused(world: World, path: str) -> None:
    assert Api().get(f"{path}?{'&'.join(f'a{i}=' for i in range(1001))}")[0] == 400


# Languages


@pytest.mark.parametrize(
    "language", ["de", "de-CH", "de_DE", "xx", "", "*", ";q=", "de;q=NaN", "\xff\xfe", "a" * 9000, "de,"]
)
def test_any_language_may_be_asked_for(world: World, language: str) -> None:
    ada = Api(world.ada.token, language)
    assert ada.get("rulesets/")[0] == 200
    with nothing_changes():
        refused(ada.post("players/", {"name": "admin", "password": PASSWORD}), 409, "name_taken", "name")
        refused(ada.post("players/", {"name": "A", "password": "short"}), 400, "password_too_short", "password")
        refused(ada.post("attempts/", {"deal": "PY1-Z"}), 400, "deal", "deal.ruleset")
        refused(ada.post("replays/", REPLAY | {"moves": "g2 g5g7", "times": [0, 0]}), 422, "sum", "moves")
        refused(ada.get("nothing/"), 404, "not_found", None)
        refused(ada.get("players/me/", token=None), 401, "not_authenticated", None)
        refused(ada.post("attempts/", body=b"{"), 400, "json", "character 2")


# No mistake of the stranger's


def test_a_database_that_keeps_a_call_waiting_is_busy() -> None:
    api = Api()
    other = connection.copy()
    with closing(other):
        other.set_autocommit(False)
        with other.cursor() as cursor:
            cursor.execute("LOCK TABLE games_deal")
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL lock_timeout = '20ms'")
        before = transaction.savepoint()
        refused(api.get(f"deals/{SEED}/"), 503, "busy", None)
        transaction.savepoint_rollback(before)
        assert api.headers["Retry-After"] == "1"
