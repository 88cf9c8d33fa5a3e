"""Races over REST: making one, entering it, and what is told when."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db.models import F

from games.models import Attempt, Deal, Player
from leaderboard import actions, races
from leaderboard.models import Entry, Race
from tests.client import Api, but_now
from tests.players import EASY_MOVES, EASY_ORDER, easy_deal, log_in, make_player

pytestmark = pytest.mark.django_db

CODE = f"PY0-T-{EASY_ORDER}"
HOUR = timedelta(hours=1)


@pytest.fixture
def host() -> Player:
    return make_player("Host")


def make(host: Player, **fields: Any) -> dict[str, Any]:
    """A race of the host's that is open for a day, on cards that the server deals."""
    body = {"name": "Evening race", "ruleset": "T", "closes_at": (actions.read_clock() + 24 * HOUR).isoformat()}
    status, race = log_in(host).post("races/", {k: v for k, v in (body | fields).items() if v is not None})
    assert status == 201, race
    return race


def shift(race: int, **by: float) -> None:
    """Let a race open and close so much earlier."""
    back = timedelta(**by)
    Race.objects.filter(pk=race).update(opens_at=F("opens_at") - back, closes_at=F("closes_at") - back)


def test_a_race_is_made_and_found(host: Player) -> None:
    race = make(host)
    assert (race["kind"], race["phase"], race["host"], race["players"]) == ("open", "open", "Host", 0)
    assert (race["deal"], race["entry"], race["needs_code"]) == (None, None, False), "not even the host knows the cards"
    status, found = Api().get(f"races/{race['id']}/")
    assert (status, found | {"now": 0}) == (200, race | {"now": 0})
    assert [row["id"] for row in Api().get("races/")[1]["rows"]] == [race["id"]]


def test_a_race_to_come_leaves_no_trace_of_its_cards(host: Player, ada: Player) -> None:
    opens_at = actions.read_clock() + HOUR
    race = make(host, opens_at=opens_at.isoformat())
    deal = Race.objects.get().deal
    assert race["phase"] == "upcoming"
    order = f"PY0-T-{deal.order}"
    answers = [Api().get(f"races/{race['id']}/"), Api().get("races/"), log_in(ada).get(f"races/{race['id']}/")]
    code = Race.objects.get().code
    assert all(code not in str(answer) and deal.order not in str(answer) for answer in answers)
    assert Api().get(f"deals/{order}/")[1]["code"] == order, "as if it had never been dealt"
    status, practice = log_in(ada).post("attempts/", {"deal": order})
    assert (status, practice["replay"]["deal"], practice["ranked"]) == (201, order, False)
    fresh = log_in(ada).post("attempts/", {"deal": easy_deal().code})[1]
    assert practice.keys() == fresh.keys()


def test_entering_starts_the_clock_and_shows_the_cards(host: Player, ada: Player) -> None:
    race = make(host)
    before = actions.read_clock()
    status, answer = log_in(ada).post(f"races/{race['id']}/attempts/", {})
    after = actions.read_clock()
    assert (status, answer["ranked"], answer["note"]) == (201, True, None)
    assert answer["race"] == {"id": race["id"], "kind": "open", "name": race["name"], "day": None, "sprint": None}
    assert log_in(ada).get(f"attempts/{answer['id']}/")[1]["race"] == answer["race"]
    assert before <= datetime.fromisoformat(answer["started_at"]) <= after
    assert len(answer["cards"].split(" ")) == 52
    assert answer["replay"]["deal"] == Race.objects.get().code
    assert answer["replay"]["deal"].startswith("PY1-T-")
    seen = log_in(ada).get(f"races/{race['id']}/")[1]
    assert (seen["deal"], seen["entry"]["attempt"], seen["players"]) == (answer["replay"]["deal"], answer["id"], 1)
    assert log_in(host).get(f"races/{race['id']}/")[1]["deal"] is None


def test_entering_again_is_the_same_attempt_and_the_same_start(host: Player, ada: Player) -> None:
    race, api = make(host), log_in(ada)
    first = api.post(f"races/{race['id']}/attempts/", {})
    assert first[0] == 201
    assert api.post(f"races/{race['id']}/attempts/", {}) == (200, but_now(first[1]))
    api.post(f"attempts/{first[1]['id']}/resign/", {})
    status, again = api.post(f"races/{race['id']}/attempts/", {})
    assert (status, again["id"], again["end"]) == (200, first[1]["id"], "resigned"), "one attempt, ended or not"
    shift(race["id"], days=3)
    assert api.post(f"races/{race['id']}/attempts/", {})[0] == 200, "who has entered is not refused later"
    assert Attempt.objects.count() == Entry.objects.count() == 1


@pytest.mark.parametrize(
    ("closes_in", "life"),
    [(timedelta(days=9), timedelta(days=1)), (timedelta(minutes=30), timedelta(minutes=90))],
    ids=["a long race", "shortly before the close"],
)
def test_an_attempt_ends_with_the_race_or_after_a_day(
    host: Player, ada: Player, closes_in: timedelta, life: timedelta
) -> None:
    race = make(host, closes_at=(actions.read_clock() + closes_in).isoformat())
    answer = log_in(ada).post(f"races/{race['id']}/attempts/", {})[1]
    started_at, ends_at = map(datetime.fromisoformat, (answer["started_at"], answer["ends_at"]))
    assert ends_at == races.end_of(started_at, datetime.fromisoformat(race["closes_at"]))
    assert abs(ends_at - started_at - life) < timedelta(seconds=10)


def test_who_entered_before_the_close_plays_on_for_the_grace_hour(host: Player, ada: Player) -> None:
    race, api = make(host), log_in(ada)
    attempt = api.post(f"races/{race['id']}/attempts/", {})[1]["id"]
    shift(race["id"], hours=24)
    closes_at = Race.objects.get().closes_at
    Attempt.objects.update(started_at=closes_at - HOUR / 60, ends_at=closes_at + HOUR)
    assert api.get(f"races/{race['id']}/")[1]["phase"] == "grace"
    assert api.post(f"attempts/{attempt}/moves/", {"from_ply": 0, "moves": "D"})[0] == 200
    status, answer = log_in(host).post(f"races/{race['id']}/attempts/", {})
    assert (status, answer["code"]) == (409, "race_closed")
    Attempt.objects.update(ends_at=F("ends_at") - HOUR)
    status, answer = api.post(f"attempts/{attempt}/moves/", {"from_ply": 1, "moves": "D"})
    assert (status, answer["code"]) == (409, "attempt_ended")
    shift(race["id"], hours=1)
    assert api.get(f"races/{race['id']}/")[1]["phase"] == "closed"


@pytest.mark.parametrize(("days", "code"), [(-1, "race_upcoming"), (2, "race_closed")])
def test_a_race_that_is_not_open_is_not_entered(host: Player, ada: Player, days: int, code: str) -> None:
    race = make(host)
    shift(race["id"], days=days)
    status, answer = log_in(ada).post(f"races/{race['id']}/attempts/", {})
    assert (status, answer["code"]) == (409, code)
    assert not Attempt.objects.exists()
    assert not Entry.objects.exists()
    assert Deal.objects.get().seed is None, "a refusal tells nothing of the cards"


def test_who_knows_the_cards_enters_unranked_and_is_told_why(host: Player, ada: Player) -> None:
    api = log_in(ada)
    old = api.post("attempts/", {"deal": f"PY0-N-{EASY_ORDER}"})[1]["id"]  # another ruleset, the same order
    api.post(f"attempts/{old}/resign/", {})
    race = make(host, ruleset=None, deal=CODE)
    status, answer = api.post(f"races/{race['id']}/attempts/", {})
    assert (status, answer["ranked"], answer["unranked_because"]) == (201, False, "seen_before")
    assert "before" in answer["note"]
    german = api.post(f"races/{race['id']}/attempts/", {}, language="de")[1]["note"]
    assert german != answer["note"]
    won = api.post(f"attempts/{answer['id']}/moves/", {"from_ply": 0, "moves": EASY_MOVES})[1]
    assert [place["board"] for place in won["places"]] == ["deal"], "practice stands on the deal's board alone"
    entry = api.get(f"races/{race['id']}/")[1]["entry"]
    assert (entry["end"], entry["ranked"], entry["note"]) == ("won", False, answer["note"])


def test_an_open_game_on_the_cards_goes_on_as_an_unranked_entry(host: Player, ada: Player) -> None:
    api = log_in(ada)
    old = api.post("attempts/", {"deal": CODE})[1]["id"]
    race = make(host, ruleset=None, deal=CODE)
    status, answer = api.post(f"races/{race['id']}/attempts/", {})
    assert (status, answer["id"], answer["unranked_because"]) == (201, old, "seen_before")
    second = make(host, ruleset=None, deal=CODE)
    assert api.post(f"races/{second['id']}/attempts/", {})[1]["id"] == old
    assert Attempt.objects.count() == 1


def test_the_host_who_chose_the_cards_plays_for_practice(host: Player, ada: Player) -> None:
    race = make(host, ruleset=None, deal=CODE)
    assert race["deal"] == CODE
    assert log_in(host).post(f"races/{race['id']}/attempts/", {})[1]["unranked_because"] == "own_deal"
    assert log_in(ada).post(f"races/{race['id']}/attempts/", {})[1]["ranked"]


def test_the_host_of_cards_that_the_server_dealt_is_a_player_like_others(host: Player) -> None:
    race = make(host)
    assert log_in(host).post(f"races/{race['id']}/attempts/", {})[1]["ranked"]


def test_a_race_and_a_random_ranked_attempt_are_open_side_by_side(host: Player, ada: Player) -> None:
    api, ids = log_in(ada), set()
    ids.add(api.post("attempts/", {"ruleset": "T"})[1]["id"])
    for _ in range(2):
        ids.add(api.post(f"races/{make(host)['id']}/attempts/", {})[1]["id"])
    assert len(ids) == 3
    again = api.post("attempts/", {"ruleset": "T"})
    assert (again[0], again[1]["id"]) == (200, min(ids)), "not one of the races'"


def test_an_invite_code_is_asked_for_and_the_race_is_in_no_list(host: Player, ada: Player) -> None:
    race, api = make(host, invite_code="sesame"), log_in(ada)
    assert (race["needs_code"], race["invite_code"]) == (True, "sesame")
    assert api.get("races/")[1]["total"] == 0
    assert log_in(host).get("races/")[1]["total"] == 1
    assert api.get(f"races/{race['id']}/")[1]["invite_code"] is None
    for body in ({}, {"invite_code": "wrong"}, {"invite_code": "sesamé"}, {"invite_code": "SESAME"}):
        status, answer = api.post(f"races/{race['id']}/attempts/", body)
        assert (status, answer["code"], answer["where"]) == (403, "invite_code", "invite_code")
    assert not Attempt.objects.exists()
    assert api.post(f"races/{race['id']}/attempts/", {"invite_code": "sesame"})[0] == 201
    assert api.post(f"races/{race['id']}/attempts/", {})[0] == 200, "who is in needs none"
    assert api.get("races/")[1]["total"] == 1


def test_races_are_listed_by_phase_ruleset_and_page(host: Player) -> None:
    ids = [make(host, ruleset=letter)["id"] for letter in "TNT"]
    shift(ids[0], days=-2)
    shift(ids[1], days=1)
    api = Api()

    def listed(path: str) -> list[int]:
        status, page = api.get(path)
        assert status == 200
        return [row["id"] for row in page["rows"]]

    assert listed("races/") == [ids[0], ids[2], ids[1]]
    assert listed("races/?limit=1&offset=1") == [ids[2]]
    assert listed("races/?phase=upcoming") == [ids[0]]
    assert listed("races/?phase=open&ruleset=T") == [ids[2]]
    assert listed("races/?phase=grace") == [ids[1]]
    assert listed("races/?phase=closed") == listed("races/?phase=withdrawn") == listed("races/?kind=daily") == []


NOW = datetime.now(UTC)


@pytest.mark.parametrize(
    ("fields", "code", "where"),
    [
        ({"name": ""}, "min_length", "name"),
        ({"name": " x"}, "invalid", "name"),
        ({"name": "a\u200bb"}, "invalid", "name"),
        ({"name": "x" * 61}, "max_length", "name"),
        ({"ruleset": "Q"}, "ruleset", "ruleset"),
        ({"ruleset": None}, "one_of", None),
        ({"deal": CODE}, "one_of", None),
        ({"ruleset": None, "deal": "PY1-T-A"}, "deal", "deal.length"),
        ({"closes_at": "tomorrow"}, "invalid", "closes_at"),
        ({"closes_at": 5}, "invalid", "closes_at"),
        ({"closes_at": (NOW - HOUR).isoformat()}, "window", "closes_at"),
        ({"closes_at": (NOW + timedelta(days=32)).isoformat()}, "too_long", "closes_at"),
        ({"closes_at": "9999-12-31T23:59:59-14:00"}, "overflow", "closes_at"),
        ({"opens_at": (NOW - HOUR).isoformat()}, "past", "opens_at"),
        ({"opens_at": (NOW + timedelta(days=400)).isoformat()}, "too_far", "opens_at"),
        ({"invite_code": "abc"}, "min_length", "invite_code"),
        ({"kind": "daily"}, "unknown_field", "kind"),
    ],
)
def test_a_race_that_may_not_be_is_refused(host: Player, fields: dict[str, Any], code: str, where: str | None) -> None:
    body = {"name": "x", "ruleset": "T", "closes_at": (NOW + 24 * HOUR).isoformat()} | fields
    status, answer = log_in(host).post("races/", {k: v for k, v in body.items() if v is not None})
    assert (status, answer["code"], answer["where"]) == (400, code, where)
    assert not Race.objects.exists()
    assert not Deal.objects.exists()


def test_nobody_has_more_than_twenty_races_that_are_not_over(host: Player) -> None:
    ids = [make(host)["id"] for _ in range(20)]
    body = {"name": "x", "ruleset": "T", "closes_at": (NOW + 24 * HOUR).isoformat()}
    assert log_in(host).post("races/", body)[1]["code"] == "too_many_races"
    shift(ids[0], days=2)
    assert log_in(host).post("races/", body)[0] == 201


def test_cards_of_an_open_race_make_no_other_race_once_one_knows_them(host: Player, ada: Player) -> None:
    race = make(host)
    closes_at = (NOW + 24 * HOUR).isoformat()
    code = Race.objects.get().code
    assert log_in(host).post("races/", {"name": "x", "deal": code, "closes_at": closes_at})[0] == 201, (
        "a guess tells nothing"
    )
    log_in(ada).post(f"races/{race['id']}/attempts/", {})
    status, answer = log_in(ada).post("races/", {"name": "x", "deal": code, "closes_at": closes_at})
    assert (status, answer["code"]) == (409, "deal_in_race")


def test_only_players_make_and_enter_races(host: Player) -> None:
    race = make(host)
    assert Api().post("races/", {})[0] == 401
    assert Api().post(f"races/{race['id']}/attempts/", {})[0] == 401


@pytest.mark.parametrize("number", ["0", "999999", "9223372036854775807"])
def test_a_race_that_is_not_there_is_not_found(ada: Player, number: str) -> None:
    assert Api().get(f"races/{number}/")[0] == 404
    assert log_in(ada).post(f"races/{number}/attempts/", {})[0] == 404


@pytest.mark.parametrize(
    "path", ["races/?kind=x", "races/?phase=x", "races/?ruleset=x", "races/?limit=0", "races/?x=1"]
)
def test_a_bad_question_for_races_is_refused(path: str) -> None:
    assert Api().get(path)[0] == 400
