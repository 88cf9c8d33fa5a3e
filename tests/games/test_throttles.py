"""How often something may be done: counted exactly, whoever counts at the same time."""

import json
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from functools import partial
from http.client import HTTPConnection

import pytest
from django.db import connection
from django.db.models import F
from django.test import Client, RequestFactory, override_settings

from games import throttles
from games.errors import Problem
from games.models import Counter, Player
from games.throttles import Limit
from tests.client import Api
from tests.players import EASY_MOVES, easy_deal, in_parallel, log_in, make_player
from tests.site.servers import database_environment, serve

pytestmark = pytest.mark.django_db

PASSWORD = "a long password"


def end_windows() -> None:
    """Let an hour pass."""
    Counter.objects.update(ends_at=F("ends_at") - timedelta(hours=1))


def test_the_limit_is_let_through_and_the_rest_waits_for_the_window_to_end() -> None:
    limit = Limit(3, 60)
    assert [throttles.take("x", "Ada", limit) for _ in range(5)] == [None, None, None, 60, 60]
    assert throttles.take("x", "Bea", limit) is None, "another"
    assert throttles.take("y", "Ada", limit) is None, "something else"
    end_windows()
    assert [throttles.take("x", "Ada", limit) for _ in range(4)] == [None, None, None, 60]


@pytest.mark.django_db(transaction=True)
def test_of_sixteen_at_the_same_moment_exactly_the_limit_is_let_through() -> None:
    for _ in range(3):
        answers = in_parallel([partial(throttles.take, "x", "Ada", Limit(5, 60))] * 16)
        assert answers.count(None) == 5
        end_windows()


def test_windows_that_are_over_are_cleared_away_by_who_opens_one() -> None:
    for number in range(20):
        throttles.take("x", number, Limit(1, 60))
    end_windows()
    for number in range(100, 112):
        throttles.take("x", number, Limit(1, 60))
    assert Counter.objects.count() == 12


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        ("203.0.113.7", "203.0.113.7", True),
        ("203.0.113.7", "203.0.113.8", False),
        ("2001:db8:1:2::1", "2001:db8:1:2:ffff::9", True),
        ("2001:db8:1:2::1", "2001:db8:1:3::1", False),
        ("::ffff:203.0.113.7", "203.0.113.7", True),
        ("::ffff:203.0.113.7", "::ffff:203.0.113.8", False),
        ("fe80::1%eth0", "fe80::2%eth0", True),
        ("", "", True),
    ],
)
def test_a_client_is_an_ipv4_address_or_a_64_of_ipv6(first: str, second: str, same: bool) -> None:
    ask = RequestFactory()
    one, other = (throttles.address(ask.get("/", REMOTE_ADDR=address)) for address in (first, second))
    assert (one == other) is same


def test_no_address_is_stored() -> None:
    throttles.take("log_in", "203.0.113.7", Limit(1, 60))
    key = Counter.objects.get().key
    with override_settings(SECRET_KEY="another"):
        throttles.take("log_in", "203.0.113.7", Limit(1, 60))
    assert Counter.objects.exclude(key=key).count() == 1, "the key of a row cannot be worked out without ours"
    with connection.cursor() as cursor:
        cursor.execute("SELECT relpersistence FROM pg_class WHERE relname = 'games_counter'")
        assert cursor.fetchone() == ("u",), "counting waits for no disk"


@pytest.mark.parametrize("text", ["", "5", "0/5", "5/0", "5/", "-1/5", "5/5/5", "٥/5", "5.0/1"])
def test_a_limit_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="must look like"):
        Limit.read(text)


def test_signing_up_logging_in_guests_and_hints_are_refused_beyond_their_limits(settings) -> None:  # type: ignore[no-untyped-def]
    settings.LIMITS = dict.fromkeys(settings.LIMITS, Limit(2, 60))
    game = log_in(make_player("Cleo"))
    attempt = game.post("attempts/", {"deal": easy_deal().code})[1]["id"]
    calls = [
        (Api(), "players/", lambda n: {"name": f"Ada {'bcd'[n]}", "password": PASSWORD}),
        (Api(), "tokens/", lambda n: {"name": "Nobody", "password": PASSWORD}),
        (Api(), "guests/", lambda n: {}),
        (Api(), "attempts/", lambda n: {"deal": "PY1", "guest": True}),
        (game, f"attempts/{attempt}/hint/", lambda n: {}),
    ]
    for api, path, body in calls:
        Counter.objects.all().delete()
        statuses = [api.post(path, body(number))[0] for number in range(2)]
        assert 429 not in statuses
        before = Player.objects.count()
        status, answer = api.post(path, body(2))
        assert (status, answer["code"]) == (429, "throttled"), path
        assert 0 < int(api.headers["Retry-After"]) <= 60
        assert Player.objects.count() == before
    assert game.post(f"attempts/{attempt}/moves/", {"from_ply": 0, "moves": EASY_MOVES})[0] == 200


def test_pages_and_calls_count_together(settings) -> None:  # type: ignore[no-untyped-def]
    settings.LIMITS = settings.LIMITS | {"log_in": Limit(2, 60)}
    wrong = {"login": "Nobody", "password": PASSWORD}
    browser = Client(headers={"Accept": "text/html"})
    assert browser.post("/account/log-in/", wrong).status_code == 200
    assert Api().post("tokens/", {"name": "Nobody", "password": PASSWORD})[0] == 401
    page = browser.post("/account/log-in/", wrong)
    assert page.status_code == 429
    assert f"Too many calls: try again in {page['Retry-After']} seconds." in page.content.decode()
    assert browser.get("/account/log-in/").status_code == 200, "looking is free"


FORMS = [
    ("log-in/", "log_in", {"login": "Ada Ö", "password": PASSWORD}, ["Ada Ö"]),
    ("sign-up/", "sign_up", {"name": "Ada Ö", "password": PASSWORD, "email": "a@x.example"}, ["Ada Ö", "a@x.example"]),
    ("password/forgotten/", "mail", {"email": "a@x.example"}, ["a@x.example"]),
    ("e-mail/", "mail", {"email": "a@x.example", "action_add": "1"}, ["a@x.example"]),
    ("password/", "log_in", {"oldpassword": PASSWORD, "password1": PASSWORD, "password2": PASSWORD}, []),
    ("confirm/", "log_in", {"password": PASSWORD}, []),
    ("delete/", "log_in", {"password": PASSWORD}, []),
    ("device/", "code", {"code": "ABCD-EFGH"}, ["ABCD-EFGH"]),
]


@pytest.mark.parametrize(("path", "limit", "fields", "kept"), FORMS, ids=[path for path, *_rest in FORMS])
def test_a_form_that_is_sent_too_often_keeps_what_was_typed(  # type: ignore[no-untyped-def]
    settings, path: str, limit: str, fields: dict[str, str], kept: list[str]
) -> None:
    settings.LIMITS = settings.LIMITS | {limit: Limit(1, 60)}
    browser = Client(headers={"Accept": "text/html"})
    if path not in ("log-in/", "sign-up/", "password/forgotten/"):
        ada = make_player("Ada")
        ada.set_password("another password")
        ada.save()
        browser.force_login(ada, "django.contrib.auth.backends.ModelBackend")
    wrong = fields | {"password": "x"} if path == "sign-up/" else fields
    assert browser.post(f"/account/{path}", wrong).status_code != 429
    answer = browser.post(f"/account/{path}", fields)
    page = answer.content.decode()
    assert answer.status_code == 429
    assert 0 < int(answer["Retry-After"]) <= 60
    assert f'role="alert">Too many calls: try again in {answer["Retry-After"]} seconds.' in page
    assert [text for text in kept if f'value="{text}"' not in page] == []
    assert PASSWORD not in page


def test_a_refusal_asks_the_database_for_no_password(settings, django_assert_num_queries) -> None:  # type: ignore[no-untyped-def]
    settings.LIMITS = settings.LIMITS | {"log_in": Limit(1, 60)}
    Api().post("tokens/", {"name": "Nobody", "password": PASSWORD})
    with django_assert_num_queries(2):  # nothing is counted; how long to wait
        assert Api().post("tokens/", {"name": "Nobody", "password": PASSWORD})[0] == 429


@pytest.mark.django_db(transaction=True)
def test_of_200_parallel_log_ins_over_two_processes_exactly_the_limit_is_let_through() -> None:
    env = database_environment() | {"LIMITS": "log_in=7/3600,account=5/3600"}
    with serve(["--workers", "2"], env) as server:

        def ask(name: str, address: str) -> int:
            line = HTTPConnection("127.0.0.1", server.port, timeout=60, source_address=(address, 0))
            body = json.dumps({"name": name, "password": PASSWORD})
            line.request("POST", "/api/v1/tokens/", body, {"Content-Type": "application/json"})
            status = line.getresponse().status
            line.close()
            return status

        with ThreadPoolExecutor(20) as pool:  # each call is a connection of its own, so that both processes get some
            by_address = list(pool.map(ask, [f"Nobody {n}" for n in range(200)], ["127.0.0.1"] * 200))
            by_account = list(pool.map(ask, ["Ada"] * 40, [f"127.0.1.{n}" for n in range(40)]))
    assert sorted(by_address) == [401] * 7 + [429] * 193
    assert sorted(by_account) == [401] * 5 + [429] * 35


def test_who_guesses_from_many_addresses_is_slowed_down_and_the_owner_is_not(settings) -> None:  # type: ignore[no-untyped-def]
    settings.LIMITS = settings.LIMITS | {"account": Limit(3, 60)}
    home, elsewhere = {"REMOTE_ADDR": "203.0.113.7"}, {"REMOTE_ADDR": "203.0.113.8"}
    right, wrong = {"name": "Ada", "password": PASSWORD}, {"name": "ADA", "password": "a wrong password"}
    token = Api().post("players/", right, **home)[1]["token"]
    for number in range(3):
        assert Api().post("tokens/", wrong, REMOTE_ADDR=f"198.51.100.{number}")[0] == 401
    for guess in (wrong, right):
        assert Api().post("tokens/", guess, REMOTE_ADDR="198.51.100.99")[0] == 429
    page = {"login": "ada", "password": PASSWORD}
    assert Client(headers={"Accept": "text/html"}).post("/account/log-in/", page, **elsewhere).status_code == 429
    assert Api(token=token).get("players/me/", **elsewhere)[0] == 200, "who is logged in stays so"
    assert Api().post("tokens/", right, **home)[0] == 201, "where the owner has logged in before"
    assert Client().post("/account/log-in/", page, **home).status_code == 302
    assert Api().post("tokens/", {"name": "Bea", "password": PASSWORD}, **elsewhere)[0] == 401, "another account"


def test_an_address_is_known_from_the_log_in_on_and_for_thirty_days(settings) -> None:  # type: ignore[no-untyped-def]
    settings.LIMITS = settings.LIMITS | {"account": Limit(1, 60)}
    right, wrong = {"name": "Ada", "password": PASSWORD}, {"name": "Ada", "password": "a wrong password"}
    Api().post("players/", right, REMOTE_ADDR="203.0.113.7")
    new = {"REMOTE_ADDR": "203.0.113.8"}
    assert Client().post("/account/log-in/", {"login": "Ada", "password": PASSWORD}, **new).status_code == 302
    assert [Api().post("tokens/", wrong, **new)[0] for _ in range(3)] == [401] * 3
    Counter.objects.update(ends_at=F("ends_at") - timedelta(days=31))
    assert [Api().post("tokens/", wrong, **new)[0] for _ in range(3)] == [401, 429, 429]


def test_beyond_the_limit_a_problem_says_how_long_to_wait(settings) -> None:  # type: ignore[no-untyped-def]
    settings.LIMITS = settings.LIMITS | {"hint": Limit(1, 60)}
    throttles.count("hint", 7)
    with pytest.raises(Problem, match="Too many calls") as raised:
        throttles.count("hint", 7)
    assert (raised.value.status, raised.value.params) == (429, {"seconds": 60})
