"""The API's description: nothing is left out of it, and everything answers as it is described."""

import re
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
import schemathesis
from django.core.management import call_command
from django.core.signals import request_finished, request_started
from django.core.wsgi import get_wsgi_application
from django.db import close_old_connections
from django.urls import get_resolver
from drf_spectacular.generators import SchemaGenerator
from hypothesis import HealthCheck, settings
from schemathesis.specs.openapi.checks import (
    negative_data_rejection,
    positive_data_acceptance,
    response_schema_conformance,
)

from games.engine.rulesets import get_ruleset
from games.models import Player
from games.tokens import answer
from leaderboard.actions import read_clock
from leaderboard.sprinting import make_sprint
from tests.client import V1, Api
from tests.dailies import mint_seed, today
from tests.players import EASY_MOVES, easy_deal, log_in, make_player, open_attempt, win
from tests.sprints import pass_time

UNDESCRIBED = {f"{V1}schema/"}  # the description itself
VALIDATE = f"{V1}replays/validate/"


def describe() -> dict[str, Any]:
    """The description, with every object closed: what is answered beyond it is a mistake here."""
    schema = SchemaGenerator().get_schema(public=True)
    for component in schema["components"]["schemas"].values():
        if "properties" in component:
            component["additionalProperties"] = False
    return schema


DESCRIPTION = describe()
OPERATIONS = [(path, method) for path, calls in DESCRIPTION["paths"].items() for method in calls]
api_schema = schemathesis.openapi.from_dict(DESCRIPTION)
api_schema.app = get_wsgi_application()
real_ids: dict[str, list[int]] = {}


@schemathesis.serializer("application/x-ndjson")
def write_lines(context: Any, value: Any) -> bytes:
    return str(value).encode()


@api_schema.hook
def map_path_parameters(context: Any, path_parameters: Any) -> Any:
    """Let every number in an address be that of an attempt or a race which there is."""
    for name, ids in real_ids.items():
        if isinstance(number := (path_parameters or {}).get(name), int):
            path_parameters[name] = ids[number % len(ids)]
    return path_parameters


@pytest.fixture(scope="module")
def ada(django_db_setup: None, django_db_blocker: Any) -> Iterator[Api]:
    """Ada, who has won an attempt and has one open."""
    # the client of Django's does the same: WSGI closes a connection that is in a test's transaction
    signals = (request_started, request_finished)
    for signal in signals:
        signal.disconnect(close_old_connections)
    with django_db_blocker.unblock():
        player = make_player("Ada")
        real_ids["attempt"] = [win(player, 60_000).pk, open_attempt(player, easy_deal("N")).pk]
        days = [today() + timedelta(days=n) for n in (-3, 0, 1)]
        real_ids["race"] = [mint_seed(n, day=day).pk for n, day in enumerate(days)]
        sprints = [make_sprint(host=player, ruleset=get_ruleset("T"), most=2, best_of=1) for _ in range(2)]
        real_ids["sprint"] = [sprint.pk for sprint in sprints]
        yield log_in(player)
        call_command("flush", interactive=False, verbosity=0)
    for signal in signals:
        signal.connect(close_old_connections)


def test_every_address_of_the_api_is_described() -> None:
    routes = {f"/{pattern.pattern}" for pattern in get_resolver().url_patterns}
    paths = {re.sub("<(?:[a-z]+:)?([a-z_]+)>", r"{\1}", route) for route in routes if route.startswith(V1)}
    assert paths - UNDESCRIBED == set(DESCRIPTION["paths"])
    assert len(OPERATIONS) > 15


@pytest.mark.parametrize(("path", "method"), OPERATIONS)
def test_every_call_says_what_it_does_and_how_it_can_end(path: str, method: str) -> None:
    call = DESCRIPTION["paths"][path][method]
    assert 1 < len(call["summary"]) < 40
    assert call["description"].endswith((".", ")"))
    assert len(call["description"]) > 20
    assert [status for status in call["responses"] if status in ("200", "201", "204")]
    assert call["responses"]["4XX"]["content"]["application/json"]["schema"] == {"$ref": "#/components/schemas/Error"}
    assert all(parameter["description"] for parameter in call.get("parameters", ()))
    ids = [other["operationId"] for calls in DESCRIPTION["paths"].values() for other in calls.values()]
    assert ids.count(call["operationId"]) == 1


@pytest.mark.django_db
def test_what_needs_a_token_says_so() -> None:
    for path, method in OPERATIONS:
        body = {"data": {"guest": True}} if method == "post" else {}
        status = Api().call(method.upper(), re.sub(r"\{.*?\}", "1", path), **body)[0]
        security = DESCRIPTION["paths"][path][method].get("security", [{}])
        assert (status == 401) == ({} not in security), (path, method)


def test_the_page_and_the_description_are_open_to_all_and_refuse_as_all_else_does() -> None:
    api = Api(token="0" * 64)
    assert api.get("/api/")[0] == 200
    status, answer = api.get("schema/")
    assert (status, answer["paths"].keys()) == (200, DESCRIPTION["paths"].keys())
    assert api.post("schema/")[1]["code"] == "method_not_allowed"


@pytest.mark.django_db
@api_schema.parametrize()
@settings(
    max_examples=8,
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.filter_too_much],
)
def test_whatever_is_sent_is_answered_as_described(case: schemathesis.Case, ada: Api) -> None:
    # a schema cannot say which texts are deal codes; and the judge answers 200 whatever is wrong with a replay
    unsaid = [positive_data_acceptance]
    judged = [negative_data_rejection] if case.path == VALIDATE else []
    case.call_and_validate(headers={"Authorization": f"Token {ada.token}"}, excluded_checks=[*unsaid, *judged])


@pytest.mark.django_db
def test_the_real_answers_of_every_call_are_as_described(ada: Api) -> None:
    answered = set()

    def call(method: str, path: str, body: Any = None, *, status: int, token: str | None = None, **query: Any) -> Any:
        operation = api_schema.find_operation_by_path(method, V1 + path)
        assert operation, path
        named = re.fullmatch(re.sub(r"\{(\w+)\}", r"(?P<\1>[^/]+)", operation.path), V1 + path)
        assert named
        more = {} if body is None else {"body": body, "media_type": "application/json"}
        case = operation.Case(path_parameters=named.groupdict(), query=query, **more)
        headers = {"Authorization": f"Token {token or ada.token}"}
        response = case.call_and_validate(headers=headers, checks=[response_schema_conformance])
        assert response.status_code == status, response.text
        if status < 300:
            answered.add((operation.path, method.lower()))
        is_json = response.headers.get("content-type") == ["application/json"]
        return response.json() if is_json else None

    easy = easy_deal("M").code
    later = (read_clock() + timedelta(days=1)).isoformat()
    times = list(range(0, 16_000, 1000))
    replay = {"format": "pyramid-replay/1", "deal": easy, "moves": EASY_MOVES, "times": times}
    password = {"name": "Bea", "password": "a long password"}

    call("POST", "players/", password, status=201)
    call("POST", "players/", password, status=409)
    call("POST", "players/", {"name": "", "password": ""}, status=400)
    bea = call("POST", "tokens/", password, status=201)["token"]
    call("POST", "tokens/", password | {"password": "another password"}, status=401)

    guest = call("POST", "guests/", status=201)["token"]
    call("POST", "guests/me/", {"name": "Cleo", "password": "a long password"}, status=200, token=guest)
    call("POST", "guests/me/", {"name": "Cleo", "password": "a long password"}, status=409, token=guest)

    call("GET", "rulesets/", status=200)
    call("GET", "rulesets/F/", status=200)
    call("GET", "rulesets/Z/", status=404)
    deal = call("GET", f"deals/{easy}/", status=200)
    call("GET", "deals/PY1/", status=400)
    call("POST", "deals/", {"ruleset": "M", "cards": deal["cards"]}, status=200)
    call("POST", "deals/", {"ruleset": "M", "cards": "Ac"}, status=400)

    attempt = call("POST", "attempts/", {"deal": easy}, status=201)["id"]
    call("POST", "attempts/", {"deal": easy}, status=200)
    call("POST", f"attempts/{attempt}/moves/", {"from_ply": 0, "moves": "g1g2 a1"}, status=422)
    call("POST", f"attempts/{attempt}/moves/", {"from_ply": 9, "moves": "D"}, status=409)
    call("POST", f"attempts/{attempt}/moves/", {"from_ply": 0, "moves": "g1g2"}, status=200)
    call("GET", f"attempts/{attempt}/", status=200)
    won = call("POST", f"attempts/{attempt}/moves/", {"from_ply": 0, "moves": EASY_MOVES}, status=200)
    assert (won["end"], [place["board"] for place in won["places"]]) == ("won", ["deal"])
    call("GET", f"attempts/{attempt}/", status=200)
    ranked = call("POST", "attempts/", {"ruleset": "J"}, status=201)["id"]
    call("POST", f"attempts/{ranked}/hint/", {}, status=409)
    assert call("GET", f"attempts/{ranked}/opponent/", status=200, strength="strong")["timeline"]
    call("GET", f"attempts/{ranked}/opponent/", status=404, token=bea)
    call("GET", f"attempts/{ranked}/opponent/", status=400, strength="perfect")
    call("GET", f"replays/{ranked}/", status=404, token=bea)
    call("POST", f"attempts/{ranked}/resign/", {}, status=200)
    call("GET", f"replays/{ranked}/", status=200, token=bea)

    free = call("POST", "attempts/", {"deal": "PY1-F-AAAAAAS"}, status=201)["id"]
    assert call("POST", f"attempts/{free}/hint/", {}, status=200)["move"]
    assert call("POST", f"attempts/{free}/moves/", {"from_ply": 0, "moves": "D"}, status=200)["hopeless"] is False
    call("POST", f"attempts/{free}/hint/", {}, status=404, token=bea)
    assert call("POST", f"attempts/{free}/pause/", {}, status=200)["paused_at"]
    assert call("POST", f"attempts/{free}/resume/", {}, status=200)["paused_at"] is None

    stored = call("POST", "replays/", replay, status=201)
    assert stored["places"]
    call("POST", "replays/", stored["replay"], status=200)
    call("POST", "replays/", replay | {"deal": "PY1"}, status=422)
    call("GET", f"replays/{stored['id']}/", status=200)
    assert call("GET", f"replays/{stored['id']}/ghost/", status=200)["timeline"][-1]["removed"] == 28
    call("GET", f"replays/{ranked}/ghost/", status=200)
    call("GET", "replays/999999/ghost/", status=404)
    assert call("GET", f"attempts/{attempt}/rival/", status=200, player="ada")["may_see"]
    call("GET", f"attempts/{attempt}/rival/", status=404, player="nobody")
    call("POST", "replays/validate/", replay, status=200)
    call("POST", "replays/validate/", replay | {"moves": "a1"}, status=200)

    board = call("GET", f"deals/{easy}/board/", status=200, order="points")
    assert board["rows"]
    assert call("GET", f"deals/{easy}/board/", status=200, clock="client", around="ada")["rows"]
    assert call("GET", "rulesets/T/board/", status=200, limit=1)["rows"]
    call("GET", "rulesets/T/board/", status=404, around="nobody")
    call("GET", "rulesets/T/board/", status=200, period="week", histogram=10)
    assert call("GET", f"deals/{easy}/board/", status=200, around="me", top=2)["place"]

    race = call("POST", "races/", {"name": "Cup", "ruleset": "M", "closes_at": later}, status=201)["id"]
    call("POST", "races/", {"name": "Cup", "ruleset": "M", "closes_at": "2020-01-01T00:00Z"}, status=400)
    call("GET", "races/", status=200, phase="open")
    call("POST", f"races/{race}/attempts/", {}, status=201)
    call("POST", f"races/{race}/attempts/", {}, status=200)
    assert call("GET", f"races/{race}/", status=200)["entry"]
    call("GET", "races/999999/", status=404)
    seen = call("GET", f"races/{race}/changes/", status=200)
    assert seen["playing"]
    assert call("GET", f"races/{race}/changes/", status=200, since=seen["since"])["rows"]
    call("GET", f"races/{race}/changes/", status=400, since="yesterday")
    call("GET", f"races/{race}/export/", status=409)
    over, now, to_come = real_ids["race"]
    call("POST", f"races/{to_come}/attempts/", {}, status=409)
    call("GET", f"races/{over}/export/", status=200)
    assert call("POST", f"races/{now}/attempts/", {}, status=201)["ranked"]
    assert call("GET", "daily/", status=200)["dailies"]
    assert call("GET", f"daily/{today() - timedelta(days=3)}/T/", status=200)["par"]
    call("GET", f"daily/{today()}/N/", status=404)
    assert call("GET", "daily/calendar/", status=200)["dailies"]
    assert call("GET", "dailies/commitments/", status=200)["rows"]
    call("GET", "players/ada/streak/", status=200)
    call("GET", f"races/{over}/board/", status=200, order="moves")
    call("GET", f"races/{over}/board/below/", status=200)
    call("GET", f"races/{over}/board/", status=400, top=3)
    call("GET", f"seasons/{today():%Y-%m}/", status=200, ruleset="T")
    call("GET", "compare/", status=200, a="me", b="bea", ruleset="M")

    call("PUT", "players/bea/follow/", status=204)
    assert call("GET", "players/me/following/", status=200)["following"]
    call("DELETE", "players/bea/follow/", status=204)
    club = call("POST", "clubs/", {"name": "Sunday club"}, status=201)
    assert call("GET", "clubs/", status=200)["rows"]
    call("POST", "clubs/join/", {"invite_code": club["invite_code"]}, status=200, token=bea)
    call("PUT", f"clubs/{club['id']}/members/bea/", {"role": "manager"}, status=200)
    call("GET", f"clubs/{club['id']}/", status=200)
    call("POST", f"clubs/{club['id']}/invite/", {}, status=200)
    call("DELETE", f"clubs/{club['id']}/members/bea/", status=204)
    call("GET", f"races/{over}/board/", status=200, among=f"club:{club['id']}")
    call("DELETE", f"clubs/{club['id']}/", status=204)
    call("GET", f"races/{over}/board/guests/", status=200)

    sprint = call("POST", "sprints/", {"ruleset": "M", "best_of": 3}, status=201)["id"]
    call("POST", "sprints/", {"ruleset": "M", "players": 1}, status=400)
    assert call("GET", "sprints/", status=200)["rows"]
    call("POST", f"sprints/{sprint}/start/", {}, status=409)
    call("POST", f"sprints/{sprint}/join/", {}, status=200, token=bea)
    call("POST", f"sprints/{sprint}/ready/", {"ready": True}, status=200, token=bea)
    assert call("POST", f"sprints/{sprint}/start/", {}, status=200)["rounds"]
    pass_time(sprint, seconds=10)
    assert call("POST", f"sprints/{sprint}/attempts/", {}, status=201)["ranked"]
    call("POST", f"sprints/{sprint}/attempts/", {}, status=200)
    call("POST", f"sprints/{sprint}/rematch/", {}, status=409)
    call("POST", f"sprints/{sprint}/leave/", {}, status=200, token=bea)
    resigned = call("POST", f"sprints/{sprint}/attempts/", {}, status=200)["id"]
    call("POST", f"attempts/{resigned}/resign/", {}, status=200)
    over = call("GET", f"sprints/{sprint}/", status=200)
    assert (over["phase"], over["rounds"][0]["players"][0]["rank"]) == ("over", 1)
    call("POST", f"sprints/{sprint}/rematch/", {}, status=200)
    assert call("GET", "rulesets/M/ratings/", status=200)["total"] == 2
    assert call("GET", "players/ada/ratings/", status=200)["rulesets"][0]["curve"]

    assert call("GET", "players/me/", status=200)["rulesets"]
    call("GET", "players/bea/", status=200)
    assert call("GET", "players/me/attempts/", status=200)["rows"]
    assert call("GET", "players/ada/attempts/", status=200, order="when", ruleset="M")["rows"]
    call("PUT", "players/me/name/", {"name": "Beatrice"}, status=200, token=bea)
    assert call("GET", "players/me/data/", status=200, token=bea)["account"]
    call("DELETE", "players/me/", {"password": "another password"}, status=403, token=bea)
    assert call("GET", "sandbox/", status=200)["sample_moves"]
    asked = call("POST", "device/", {"name": "Card table", "scopes": ["play"]}, status=201)
    call("POST", "device/token/", {"device_code": asked["device_code"]}, status=400)
    answer(player=Player.objects.get(name="Ada"), user_code=asked["user_code"], allow=True)
    call("POST", "device/token/", {"device_code": asked["device_code"]}, status=201)
    call("POST", "reports/", {"player": "ada", "because": "A rude name."}, status=201, token=bea)
    assert call("GET", "reports/", status=200, token=bea)["rows"]
    call("GET", "rulings/", status=200)
    leaving = call("POST", "guests/", status=201)["token"]
    call("DELETE", "players/me/", {}, status=204, token=leaving)
    call("DELETE", "tokens/current/", status=204, token=bea)
    call("DELETE", "tokens/current/", status=401, token=bea)
    assert answered == set(OPERATIONS)
