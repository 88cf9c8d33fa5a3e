"""What one caller may ask of a process: a bucket that fills steadily, and that judging replays empties sooner."""

from typing import Any

import pytest

from games.rates import BUCKETS, Buckets
from games.throttles import Rate
from tests.client import Api
from tests.players import EASY_MOVES, easy_deal, log_in, make_player, open_attempt

pytestmark = pytest.mark.django_db


def test_a_bucket_is_emptied_and_fills_steadily() -> None:
    buckets, rate = Buckets(), Rate(10, 2)
    assert [buckets.take("ada", 1, rate, 0.0) for _ in range(10)] == [0.0] * 10
    assert buckets.take("ada", 1, rate, 0.0) == 0.5
    assert buckets.take("bob", 1, rate, 0.0) == 0.0, "everybody has an own one"
    assert buckets.take("ada", 1, rate, 0.5) == 0.0
    assert buckets.take("ada", 4, rate, 1.0) == 1.5, "who is refused has spent nothing"
    assert [buckets.take("ada", 1, rate, 100.0) for _ in range(11)] == [0.0] * 10 + [0.5], "no more than full"


def test_what_costs_more_than_a_full_bucket_is_paid_off_afterwards() -> None:
    buckets, rate = Buckets(), Rate(10, 2)
    assert buckets.take("ada", 30, rate, 0.0) == 0.0
    assert buckets.take("ada", 1, rate, 0.0) == 10.5
    assert buckets.take("ada", 1, rate, 10.5) == 0.0


def test_callers_who_have_a_full_bucket_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("games.rates.MOST_CALLERS", 4)
    buckets, rate = Buckets(), Rate(10, 2)
    for number in range(20):
        buckets.take(f"player {number}", 1, rate, float(number))
        assert len(buckets.left) <= 4


@pytest.fixture
def one_a_minute(settings: Any) -> Any:
    settings.RATE = Rate(3, 1)
    BUCKETS.left.clear()
    yield
    BUCKETS.left.clear()


def test_beyond_the_rate_a_call_is_told_when_to_come_again(one_a_minute: None) -> None:
    api = Api()
    assert [api.get("rulesets/")[0] for _ in range(4)] == [200, 200, 200, 429]
    status, error = api.get("rulesets/", language="de")
    assert (status, error["code"], api.headers["Retry-After"]) == (429, "throttled", "1")
    assert "Sekunden" in error["detail"]
    assert api.get("rulesets/", REMOTE_ADDR="198.51.100.7")[0] == 200
    assert log_in(make_player("Ada")).get("rulesets/F/")[0] == 429, "who is not asked is an address"
    assert log_in(make_player("Bob")).get("players/me/")[0] == 200, "a player has an own bucket"


def test_judging_costs_by_the_size_of_what_is_judged(one_a_minute: None) -> None:
    replay = {"format": "pyramid-replay/1", "deal": easy_deal().code, "moves": " ".join(["D U"] * 500 + [EASY_MOVES])}
    assert Api().post("replays/validate/", replay)[0] == 200
    assert Api().get("rulesets/")[0] == 429


def test_a_game_of_the_computers_costs_as_much_as_ten_calls(settings: Any, one_a_minute: None) -> None:
    settings.RATE = Rate(25, 1)
    attempt = open_attempt(make_player("Ada"), easy_deal())
    ada = log_in(attempt.player)
    answers = [ada.get(f"attempts/{attempt.pk}/opponent/?strength={strength}")[0] for strength in ("easy", "medium")]
    assert answers == [200, 200]
    assert ada.get(f"attempts/{attempt.pk}/opponent/?strength=strong")[0] == 429
    assert ada.headers["Retry-After"] in ("5", "6"), "five units are left"
    assert ada.get(f"attempts/{attempt.pk}/")[0] == 200


@pytest.mark.parametrize("text", ["", "10", "10/0", "0/10", "a/b", "10/10/10", "-1/5"])
def test_a_rate_is_written_in_one_way(text: str) -> None:
    with pytest.raises(ValueError, match="must look like"):
        Rate.read(text)
    assert Rate.read("1000/100") == Rate(1000, 100)
