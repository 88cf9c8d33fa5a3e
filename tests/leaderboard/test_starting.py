"""Starting an attempt: which cards, whose clock, and when it is the same one."""

from datetime import datetime, timedelta

import pytest

from games.engine.deal import Deal
from games.models import Attempt
from games.models import Deal as StoredDeal
from leaderboard import actions
from tests.client import Api, but_now
from tests.players import EASY_ORDER, log_in, make_player, move_back, win

pytestmark = pytest.mark.django_db

CODE = f"PY0-T-{EASY_ORDER}"


@pytest.fixture
def api() -> Api:
    return log_in(make_player("Ada"))


def test_a_start_shows_the_cards_and_the_end(api: Api) -> None:
    before = actions.read_clock()
    status, answer = api.post("attempts/", {"deal": CODE})
    after = actions.read_clock()
    assert (status, answer["ranked"], answer["clock"], answer["end"]) == (201, False, "server", None)
    assert len(answer["cards"].split(" ")) == 52
    assert answer["position"] == api.get(f"deals/{CODE}/")[1]["position"]
    assert (answer["replay"]["moves"], answer["replay"]["times"]) == ("", [])
    started_at = datetime.fromisoformat(answer["started_at"])
    assert before <= started_at <= after, "PostgreSQL's clock"
    assert datetime.fromisoformat(answer["ends_at"]) - started_at == timedelta(hours=24)
    assert api.get(f"attempts/{answer['id']}/") == (200, but_now(answer))
    assert started_at <= datetime.fromisoformat(answer["now"]) <= actions.read_clock()


def test_the_same_start_again_is_the_same_attempt(api: Api) -> None:
    for body in ({"deal": CODE}, {"ruleset": "T"}):
        first = api.post("attempts/", body)
        assert first[0] == 201
        assert api.post("attempts/", body) == (200, but_now(first[1]))
    assert Attempt.objects.count() == 2
    assert api.post("attempts/", {"deal": CODE.lower()})[0] == 200


def test_a_ruleset_gives_new_cards_after_each_end(api: Api) -> None:
    seen = set()
    for _ in range(4):
        status, answer = api.post("attempts/", {"ruleset": "T"})
        assert (status, answer["ranked"]) == (201, True)
        assert answer["replay"]["deal"].startswith("PY1-T-")
        seen.add(answer["cards"])
        api.post(f"attempts/{answer['id']}/resign/")
    assert len(seen) == 4


def test_one_ranked_attempt_is_open_in_each_ruleset(api: Api) -> None:
    ids = {letter: api.post("attempts/", {"ruleset": letter})[1]["id"] for letter in "TNMG"}
    assert len(set(ids.values())) == 4
    for letter, attempt in ids.items():
        status, answer = api.post("attempts/", {"ruleset": letter})
        assert (status, answer["id"]) == (200, attempt)


def test_the_deal_of_an_open_ranked_attempt_is_that_attempt(api: Api) -> None:
    ranked = api.post("attempts/", {"ruleset": "T"})[1]
    status, answer = api.post("attempts/", {"deal": ranked["replay"]["deal"]})
    assert (status, answer["id"], answer["ranked"]) == (200, ranked["id"], True)


def test_the_same_order_under_another_ruleset_is_another_attempt(api: Api) -> None:
    ids = {api.post("attempts/", {"deal": f"PY0-{letter}-{EASY_ORDER}"})[1]["id"] for letter in "TNM"}
    assert len(ids) == 3


def test_a_second_try_is_a_new_attempt_and_practice(api: Api) -> None:
    ranked = api.post("attempts/", {"ruleset": "T"})[1]
    api.post(f"attempts/{ranked['id']}/resign/")
    status, answer = api.post("attempts/", {"deal": ranked["replay"]["deal"]})
    assert (status, answer["ranked"]) == (201, False)
    assert answer["id"] != ranked["id"]


def test_two_players_have_an_attempt_each(api: Api) -> None:
    first = api.post("attempts/", {"deal": CODE})[1]["id"]
    second = log_in(make_player("Bert")).post("attempts/", {"deal": CODE})
    assert second[0] == 201
    assert second[1]["id"] != first
    assert StoredDeal.objects.count() == 1


@pytest.mark.parametrize("body", [{"deal": CODE}, {"ruleset": "T"}], ids=["by deal", "by ruleset"])
def test_an_expired_attempt_makes_room_for_a_new_one(api: Api, body: dict[str, str]) -> None:
    old = api.post("attempts/", body)[1]["id"]
    move_back(old, seconds=actions.ATTEMPT_LIFE.total_seconds() - 5)
    assert api.post("attempts/", body)[1]["id"] == old
    move_back(old, seconds=5)
    status, answer = api.post("attempts/", body)
    assert status == 201
    assert answer["id"] != old
    stored = Attempt.objects.get(pk=old)
    assert (stored.end, stored.ended_at) == ("expired", stored.ends_at)


@pytest.mark.parametrize(
    ("body", "code", "where"),
    [
        ({}, "one_of", None),
        ({"deal": CODE, "ruleset": "T"}, "one_of", None),
        ({"ruleset": "Q"}, "ruleset", "ruleset"),
        ({"ruleset": "t"}, "ruleset", "ruleset"),
        ({"deal": "PY1-T-AAAAAA"}, "deal", "deal.length"),
        ({"deal": CODE, "ranked": True}, "one_of", "ranked"),
        ({"ruleset": "T", "ranked": "false"}, "invalid", "ranked"),
        ({"ruleset": "T", "ranked": None}, "null", "ranked"),
        ({"deal": CODE, "practice": True}, "unknown_field", "practice"),
    ],
)
def test_a_bad_start_is_refused(api: Api, body: dict[str, object], code: str, where: str | None) -> None:
    status, answer = api.post("attempts/", body)
    assert (status, answer["code"]) == (400, code)
    if where:
        assert answer["where"] == where
    assert not Attempt.objects.exists()


def test_a_start_needs_a_player() -> None:
    assert Api().post("attempts/", {"ruleset": "T"})[0] == 401


def test_a_deal_won_by_others_shows_nothing_of_them_at_the_start(api: Api) -> None:
    win(make_player("Bert"), 5000)
    answer = api.post("attempts/", {"deal": CODE})[1]
    assert answer["places"] == []
    assert "par" not in answer


def test_a_seed_names_the_same_attempt_as_its_order(api: Api) -> None:
    deal = Deal.from_seed("T", 18)
    by_order = api.post("attempts/", {"deal": f"PY0-T-{deal.order}"})
    by_seed = api.post("attempts/", {"deal": deal.code})
    assert (by_order[0], by_seed[0]) == (201, 200)
    assert by_order[1]["id"] == by_seed[1]["id"]
    assert by_seed[1]["replay"]["deal"] == deal.code, "shown by its seed once that is known"
