"""The sandbox: all that a real race does, and nothing of it anywhere else."""

from datetime import timedelta
from functools import partial

import pytest
from django.db.models import F

from games.engine.deal import Deal
from games.engine.replay import Verdict, verify
from leaderboard import sandbox
from leaderboard.models import Race
from leaderboard.races import Floor
from tests.client import Api
from tests.leaderboard.plain_boards import check_boards
from tests.players import in_parallel, log_in, make_player

pytestmark = pytest.mark.django_db


def play(api: Api) -> dict[str, object]:
    race = api.get("sandbox/")[1]
    attempt = api.post(f"races/{race['id']}/attempts/", {})[1]
    assert attempt["replay"]["deal"] == race["sample_deal"]
    body = {"from_ply": 0, "moves": race["sample_moves"]}
    return race | api.post(f"attempts/{attempt['id']}/moves/", body)[1]


def test_every_sample_is_won_by_its_moves() -> None:
    samples = sandbox.read_samples()
    assert len({sample.deal for sample in samples}) == 24
    for sample in samples:
        verdict = verify(Deal.from_code(sample.deal), sample.moves)
        assert isinstance(verdict, Verdict)
        assert verdict.outcome == "won"


def test_what_is_played_there_stands_on_its_board_alone(settings: object) -> None:
    settings.HUMAN_FLOORS = {"*": Floor(250, 10)}  # type: ignore[attr-defined]
    ada = log_in(make_player("Ada"))
    won = play(ada)
    assert (won["end"], won["held"]) == ("won", None), "nothing is held there"
    assert [place["board"] for place in won["places"]] == ["race"]  # type: ignore[attr-defined]
    board = Api().get(f"races/{won['id']}/board/")[1]
    assert [row["player"] for row in board["rows"]] == ["Ada"]
    for path in ("rulesets/T/board/", "rulesets/T/board/?period=day", f"deals/{won['sample_deal']}/board/"):
        assert Api().get(path)[1]["rows"] == [], path
    assert ada.get("players/me/")[1]["rulesets"] == []
    assert Api().get("players/ada/attempts/")[1]["total"] == 0
    assert Api().get("races/")[1]["rows"] == [], "it is in no list"
    check_boards()


def test_it_is_there_again_an_hour_later(settings: object) -> None:
    ada = log_in(make_player("Ada"))
    first = play(ada)
    Race.objects.update(opens_at=F("opens_at") - timedelta(hours=24), closes_at=F("closes_at") - timedelta(hours=24))
    second = play(ada)
    assert (second["id"] == first["id"], second["sample_deal"]) == (False, first["sample_deal"])
    assert [place["best"] for place in second["places"]] == [True], "known cards do not matter there"  # type: ignore[attr-defined]


def test_who_still_plays_its_cards_goes_on_with_them() -> None:
    ada = log_in(make_player("Ada"))
    race = ada.get("sandbox/")[1]
    practice = ada.post("attempts/", {"deal": race["sample_deal"]})[1]
    status, entry = ada.post(f"races/{race['id']}/attempts/", {})
    assert (status, entry["id"], entry["ranked"]) == (201, practice["id"], False)


def test_guests_try_it_too() -> None:
    assert play(Api(token=Api().post("guests/", {})[1]["token"]))["end"] == "won"


@pytest.mark.django_db(transaction=True)
def test_many_who_ask_at_once_are_told_of_one() -> None:
    answers = in_parallel([partial(Api().get, "sandbox/") for _ in range(6)])
    assert {status for status, _answer in answers} == {200}
    assert len({answer["id"] for _status, answer in answers}) == 1
