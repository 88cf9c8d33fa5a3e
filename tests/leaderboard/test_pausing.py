"""Does a pause stop the clock of practice, and of nothing else, whatever comes at the same moment?"""

from collections import Counter
from datetime import timedelta
from functools import partial

import pytest
from django.db import IntegrityError, transaction
from django.db.models import F

from games.models import Attempt, Player
from leaderboard import actions
from leaderboard.audit import audit_race, export_race
from leaderboard.models import Race
from tests.client import Api, but_now
from tests.players import EASY_MOVES, easy_deal, in_parallel, log_in, make_daily, make_player, open_attempt

pytestmark = pytest.mark.django_db

EASY = EASY_MOVES.split(" ")
HOUR = timedelta(hours=1)
MS = timedelta(milliseconds=1)


@pytest.fixture
def api(ada: Player) -> Api:
    return log_in(ada)


def start(api: Api) -> int:
    return api.post("attempts/", {"deal": easy_deal().code})[1]["id"]


def move(api: Api, attempt: int, moves: str, from_ply: int = 0) -> dict:
    status, answer = api.post(f"attempts/{attempt}/moves/", {"from_ply": from_ply, "moves": moves})
    assert status == 200
    return answer


def call(api: Api, attempt: int, verb: str) -> dict:
    status, answer = api.post(f"attempts/{attempt}/{verb}/")
    assert status == 200
    return answer


def let_pass(attempt: int, time: timedelta) -> None:
    """As if that much time had gone by just now."""
    rows = Attempt.objects.filter(pk=attempt)
    rows.update(started_at=F("started_at") - time, ends_at=F("ends_at") - time, paused_at=F("paused_at") - time)


def test_the_official_time_of_a_win_leaves_the_pauses_out(api: Api) -> None:
    attempt = start(api)
    move(api, attempt, " ".join(EASY[:3]))
    let_pass(attempt, 10 * 60_000 * MS)  # played
    for _ in range(2):
        paused = call(api, attempt, "pause")
        let_pass(attempt, HOUR)
        seen = call(api, attempt, "resume")
    assert paused["paused_at"]
    assert seen["paused_at"] is None
    assert 2 * 3_600_000 <= seen["paused_ms"] < 2 * 3_600_000 + 60_000
    won = move(api, attempt, " ".join(EASY[3:]), 3)
    assert won["end"] == "won"
    assert 600_000 <= won["official_ms"] < 660_000
    row = Attempt.objects.get()
    assert row.ended_at is not None
    assert won["official_ms"] == (row.ended_at - row.started_at) // MS - row.paused_ms
    assert row.times == sorted(row.times)
    assert row.times[-1] == won["official_ms"], "the times are those of the same clock"
    replay = api.get(f"replays/{attempt}/")[1]
    assert (replay["paused_ms"], replay["ranked"]) == (row.paused_ms, False)
    board = api.get(f"deals/{easy_deal().code}/board/")[1]["rows"]
    assert [row["official_ms"] for row in board] == [won["official_ms"]]


def test_pausing_and_resuming_twice_is_once_and_the_end_stays(api: Api) -> None:
    attempt = start(api)
    before = api.get(f"attempts/{attempt}/")[1]
    paused = call(api, attempt, "pause")
    assert (before["paused_at"], before["paused_ms"], paused["ends_at"]) == (None, 0, before["ends_at"])
    again = call(api, attempt, "pause")
    assert again["paused_at"] == paused["paused_at"]
    assert paused["paused_ms"] <= again["paused_ms"] < 10_000
    assert api.get(f"attempts/{attempt}/")[1]["paused_at"] == paused["paused_at"], "after a reload, too"
    resumed = call(api, attempt, "resume")
    assert call(api, attempt, "resume") == but_now(resumed)
    assert resumed["paused_at"] is None


def test_a_move_lets_a_paused_clock_run_on(api: Api) -> None:
    attempt = start(api)
    call(api, attempt, "pause")
    let_pass(attempt, HOUR)
    move(api, attempt, "D")
    seen = api.get(f"attempts/{attempt}/")[1]
    assert seen["paused_at"] is None
    assert 3_600_000 <= seen["paused_ms"] < 3_660_000
    assert seen["replay"]["times"][0] < 60_000
    call(api, attempt, "pause")
    let_pass(attempt, HOUR)
    assert move(api, attempt, EASY_MOVES, 1)["official_ms"] < 60_000, "a win, too"
    assert Attempt.objects.get().paused_at is None


def test_a_move_that_was_received_before_a_pause_leaves_it(ada: Player, api: Api) -> None:
    attempt = start(api)
    received = actions.read_attempt(ada, attempt)
    call(api, attempt, "pause")
    verdict, times = actions._judge(received, 0, "D", None)
    assert actions._write_moves(received, verdict, times)
    assert Attempt.objects.get().paused_at is not None
    assert Attempt.objects.get().plies == 1


def test_ranked_games_races_and_ends_have_no_pause(ada: Player, api: Api) -> None:
    race = make_daily()
    for verb in ("pause", "resume"):
        assert api.post(f"attempts/1234567/{verb}/")[1]["code"] == "not_found"
    ranked = open_attempt(ada, easy_deal("N"))
    assert api.post(f"attempts/{ranked.pk}/pause/")[1]["code"] == "ranked"
    practice = start(api)
    call(api, practice, "pause")
    assert api.post(f"races/{race.pk}/attempts/", {})[1]["id"] == practice, "unranked, the same attempt"
    assert call(api, practice, "resume")["race"]["day"] == str(race.day)
    assert api.post(f"attempts/{practice}/pause/")[1]["code"] == "in_race"
    other = log_in(make_player("Bert"))
    assert other.post(f"attempts/{practice}/pause/")[0] == 404
    api.post(f"attempts/{practice}/resign/")
    for verb in ("pause", "resume"):
        status, answer = api.post(f"attempts/{practice}/{verb}/")
        assert (status, answer["code"], answer["state"]["end"]) == (409, "attempt_ended", "resigned")
    for row in Attempt.objects.all():
        assert row.paused_at is None
    with pytest.raises(IntegrityError), transaction.atomic():
        Attempt.objects.filter(pk=ranked.pk).update(paused_ms=1)


def test_an_attempt_ends_paused_when_its_day_is_over(api: Api) -> None:
    attempt = start(api)
    call(api, attempt, "pause")
    let_pass(attempt, 30 * HOUR)
    assert api.post(f"attempts/{attempt}/resume/")[1]["code"] == "attempt_ended"
    seen = api.get(f"attempts/{attempt}/")[1]
    assert (seen["end"], seen["paused_at"]) == ("expired", None)
    assert 86_300_000 < seen["paused_ms"] <= 86_400_000


def test_the_export_and_the_audit_of_a_race_know_the_pauses_of_practice(api: Api) -> None:
    attempt = start(api)
    call(api, attempt, "pause")
    let_pass(attempt, HOUR)
    race = make_daily()
    assert api.post(f"races/{race.pk}/attempts/", {})[1]["id"] == attempt
    assert move(api, attempt, EASY_MOVES)["official_ms"] < 60_000
    (line,) = export_race(Race.objects.get())
    assert f'"paused_ms": {Attempt.objects.get().paused_ms}' in line
    assert list(audit_race(Race.objects.get())) == []
    Attempt.objects.update(paused_ms=F("paused_ms") + 1)
    assert any("official ms" in fault for _where, fault in audit_race(Race.objects.get()))


@pytest.mark.django_db(transaction=True)
def test_pauses_moves_and_ends_at_the_same_moment_lose_no_move_and_no_time(ada: Player) -> None:
    api = log_in(ada)
    attempt = start(api)
    call(api, attempt, "pause")
    let_pass(attempt, HOUR)
    verbs = ["pause", "resume"] * 8
    moves = [partial(Api(api.token).post, f"attempts/{attempt}/moves/", {"from_ply": 0, "moves": EASY_MOVES})] * 4
    calls = [partial(Api(api.token).post, f"attempts/{attempt}/{verb}/") for verb in verbs]
    answers = in_parallel([*calls, *moves])
    assert set(Counter(status for status, _answer in answers)) <= {200, 409}
    assert all(status == 200 for status, _answer in answers[len(calls) :])
    assert {answer["code"] for status, answer in answers if status == 409} <= {"attempt_ended"}
    row = Attempt.objects.get()
    assert (row.end, row.paused_at) == ("won", None)
    assert row.ended_at is not None
    assert row.official_ms == (row.ended_at - row.started_at) // MS - row.paused_ms
    assert 3_600_000 <= row.paused_ms < 3_660_000
    assert row.official_ms < 60_000
