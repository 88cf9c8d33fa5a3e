"""Moving: what a call to attempts/{id}/moves/ appends, refuses and repeats."""

from datetime import timedelta
from typing import Any

import pytest

from games.engine.replay import verify
from games.models import Attempt
from leaderboard import actions
from tests.client import Api, but_now
from tests.players import EASY_MOVES, EASY_ORDER, easy_line, log_in, make_player, move_back, solved_deals

pytestmark = pytest.mark.django_db

EASY = EASY_MOVES.split(" ")


@pytest.fixture
def api() -> Api:
    return log_in(make_player("Ada"))


def start(api: Api, code: str = f"PY0-T-{EASY_ORDER}") -> int:
    status, answer = api.post("attempts/", {"deal": code})
    assert status == 201
    return answer["id"]


def play(
    api: Api, attempt: int, from_ply: int, moves: list[str] | str, times: list[int] | None = None
) -> tuple[int, Any]:
    text = moves if isinstance(moves, str) else " ".join(moves)
    body = {"from_ply": from_ply, "moves": text} | ({} if times is None else {"times": times})
    return api.post(f"attempts/{attempt}/moves/", body)


def row(attempt: int) -> dict[str, Any]:
    return Attempt.objects.filter(pk=attempt).values().get()


def test_a_whole_game_in_one_call_wins(api: Api) -> None:
    attempt = start(api)
    status, answer = play(api, attempt, 0, EASY)
    assert status == 200
    assert (answer["ply"], answer["end"], answer["verdict"]["outcome"]) == (16, "won", "won")
    assert 0 <= answer["official_ms"] < 60_000
    assert [place["board"] for place in answer["places"]] == ["deal"]  # practice stands on no ruleset's board
    assert row(attempt)["moves"] == EASY_MOVES


@pytest.mark.parametrize("number", [0, 1, 100, 678])
def test_move_by_move_equals_the_whole_game(api: Api, number: int) -> None:
    deal, line = solved_deals()[number]
    by_move, at_once = start(api, deal.code), start(log_in(make_player("Bert")), deal.code)
    times = [100 * ply for ply in range(line.count(" ") + 1)]
    for ply, token in enumerate(line.split(" ")):
        status, answer = play(api, by_move, ply, token, times[ply : ply + 1])
        assert (status, answer["ply"]) == (200, ply + 1)
    written = actions.play_moves(
        player=Attempt.objects.get(pk=at_once).player, attempt=at_once, from_ply=0, moves=line, times=times
    )
    assert answer["verdict"] == written.verdict.as_dict()
    assert answer["position"] == written.verdict.position.text
    same = ("moves", "times", "plies", "counted_moves", "points", "left", "end", "bonus")
    one, other = row(by_move), row(at_once)
    assert [one[name] for name in same] == [other[name] for name in same]


@pytest.mark.parametrize("times", [None, [10, 20, 30]])
def test_a_repeated_call_has_the_same_answer_and_changes_nothing(api: Api, times: list[int] | None) -> None:
    attempt = start(api)
    first = play(api, attempt, 0, EASY[:3], times)
    before = row(attempt)
    assert play(api, attempt, 0, EASY[:3], times) == first
    assert play(api, attempt, 0, ["g2g1", "g4g3", "g5g6"], times) == first, "either order is the same pair"
    assert row(attempt) == before


@pytest.mark.parametrize("times", [None, [10 * ply for ply in range(16)]])
def test_a_repeated_winning_call_has_the_same_answer_and_changes_nothing(api: Api, times: list[int] | None) -> None:
    attempt = start(api)
    first = play(api, attempt, 0, EASY, times)
    before = row(attempt)
    assert play(api, attempt, 0, EASY, times) == first
    assert play(api, attempt, 15, EASY[15:], times and times[15:]) == first
    assert row(attempt) == before


@pytest.mark.parametrize("with_times", [True, False])
def test_tokens_that_are_stored_already_are_not_applied_twice(api: Api, with_times: bool) -> None:
    attempt = start(api)
    play(api, attempt, 0, EASY[:3], [10, 20, 30])
    move_back(attempt, seconds=5)
    status, answer = play(api, attempt, 2, EASY[2:5], [25, 40, 50] if with_times else None)
    assert (status, answer["ply"]) == (200, 5)
    stored = row(attempt)
    assert stored["moves"] == " ".join(EASY[:5])
    assert stored["times"][:3] == [10, 20, 30], "what is stored stays as it is"
    assert stored["times"] == sorted(stored["times"])
    assert stored["times"][3:] == [40, 50] if with_times else stored["times"][3] >= 5000
    assert answer["verdict"] == verify_stored(attempt)


def test_an_overlap_whose_times_differ_leaves_times_that_never_decrease(api: Api) -> None:
    attempt = start(api)
    play(api, attempt, 0, EASY[:2], [1000, 2000])
    status, answer = play(api, attempt, 0, EASY[:4], [1, 2, 3, 4])
    assert status == 200
    assert row(attempt)["times"] == [1000, 2000, 2000, 2000]
    assert answer["verdict"]["elapsed_ms"] == 2000


def verify_stored(attempt: int) -> dict[str, Any]:
    stored = Attempt.objects.select_related("deal").get(pk=attempt)
    return verify(stored.deal.cards, stored.moves, stored.times).as_dict()


def test_a_gap_is_refused_with_the_true_state(api: Api) -> None:
    attempt = start(api)
    play(api, attempt, 0, EASY[:2])
    before = row(attempt)
    status, answer = play(api, attempt, 3, EASY[3:])
    assert (status, answer["code"]) == (409, "ply_mismatch")
    assert answer["state"] == {"ply": 2, "moves": "g1g2 g3g4", "end": None}
    assert row(attempt) == before


def test_other_moves_at_a_stored_ply_are_refused_with_the_true_state(api: Api) -> None:
    attempt = start(api)
    play(api, attempt, 0, EASY[:2])
    before = row(attempt)
    for from_ply, moves in ((1, "g5g6"), (1, "g5g6 g3g4"), (0, "D"), (0, [*EASY[:1], "D"])):
        status, answer = play(api, attempt, from_ply, moves)
        assert (status, answer["code"], answer["state"]["ply"]) == (409, "ply_mismatch", 2)
    assert row(attempt) == before


def test_a_stale_shorter_call_is_answered_with_all_that_is_stored(api: Api) -> None:
    attempt = start(api)
    play(api, attempt, 0, EASY[:2])
    whole = play(api, attempt, 2, EASY[2:5])
    assert play(api, attempt, 0, EASY[:2]) == whole
    assert play(api, attempt, 0, "") == whole
    assert play(api, attempt, 5, "") == whole


def test_a_bad_token_in_the_middle_stores_nothing(api: Api) -> None:
    attempt = start(api)
    play(api, attempt, 0, EASY[:2])
    before = row(attempt)
    status, answer = play(api, attempt, 2, ["g5g6", "a1", "g7"])
    assert (status, answer["code"], answer["at"], answer["token"]) == (422, "covered", 3, "a1")
    assert row(attempt) == before
    status, answer = play(api, attempt, 2, "g5g6  g7")
    assert (status, answer["code"], answer["at"], answer["token"]) == (422, "syntax", 3, "")
    assert row(attempt) == before


def test_undo_reaches_over_calls_and_stays_counted(api: Api) -> None:
    attempt = start(api)
    play(api, attempt, 0, EASY[:3])
    status, answer = play(api, attempt, 3, "U U U")
    assert (status, answer["verdict"]["moves"], answer["verdict"]["left"]) == (200, 3, 28)
    assert play(api, attempt, 6, "U")[1]["code"] == "nothing_to_undo"
    status, answer = play(api, attempt, 6, EASY)
    assert (answer["end"], answer["verdict"]["moves"], answer["verdict"]["undos"]) == ("won", 19, 3)
    assert row(attempt)["counted_moves"] == 19


def test_a_win_ends_the_attempt(api: Api) -> None:
    attempt = start(api)
    play(api, attempt, 0, EASY)
    before = row(attempt)
    for token in ("D", "U"):
        status, answer = play(api, attempt, 16, token)
        assert (status, answer["code"], answer["at"]) == (422, "after_end", 16)
    status, answer = api.post(f"attempts/{attempt}/resign/")
    assert (status, answer["code"], answer["state"]["end"]) == (409, "attempt_ended", "won")
    assert row(attempt) == before
    assert start(api) != attempt, "a new one can be started"


def test_a_resigned_attempt_takes_no_moves(api: Api) -> None:
    attempt = start(api)
    stored = play(api, attempt, 0, EASY[:2])[1]
    first = api.post(f"attempts/{attempt}/resign/")
    assert (first[0], first[1]["end"]) == (200, "resigned")
    before = row(attempt)
    assert api.post(f"attempts/{attempt}/resign/") == (200, but_now(first[1])), "giving up twice is giving up once"
    status, answer = play(api, attempt, 2, EASY[2:])
    assert (status, answer["code"]) == (409, "attempt_ended")
    assert answer["state"] == {"ply": 2, "moves": "g1g2 g3g4", "end": "resigned"}
    assert play(api, attempt, 0, EASY[:2]) == (200, stored | {"end": "resigned"}), "a retry stays harmless"
    assert row(attempt) == before


def test_an_attempt_past_its_end_reads_as_expired_everywhere(api: Api) -> None:
    player = Attempt.objects.get(pk=(attempt := start(api))).player
    play(api, attempt, 0, EASY[:2])
    move_back(attempt, seconds=actions.ATTEMPT_LIFE.total_seconds())
    before = row(attempt)
    assert before["end"] == "", "nobody has stored it yet"
    status, answer = api.get(f"attempts/{attempt}/")
    assert (status, answer["end"], answer["ended_at"]) == (200, "expired", answer["ends_at"])
    assert Api().get(f"replays/{attempt}/")[1]["end"] == "expired"
    assert [game["end"] for game in Api().get(f"players/{player.name}/attempts/")[1]["rows"]] == ["expired"]
    assert Api().get(f"players/{player.name}/")[1]["rulesets"][0]["best_points"]["points"] == 4
    for moves in (EASY[2:3], EASY[2:]):
        status, answer = play(api, attempt, 2, moves)
        assert (status, answer["code"], answer["state"]["end"]) == (409, "attempt_ended", "expired")
    status, answer = api.post(f"attempts/{attempt}/resign/")
    assert (status, answer["code"], answer["state"]["end"]) == (409, "attempt_ended", "expired")
    status, answer = play(api, attempt, 0, EASY[:2])
    assert (status, answer["end"]) == (200, "expired"), "a retry stays harmless"
    assert row(attempt) == before
    assert Api().get(f"deals/PY0-T-{EASY_ORDER}/board/")[1]["total"] == 0

    assert start(api) != attempt, "a new one can be started"
    after = row(attempt)
    assert (after["end"], after["ended_at"]) == ("expired", after["ends_at"])
    assert after["ends_at"] == before["ends_at"]


def test_the_last_millisecond_counts_and_the_next_does_not(api: Api) -> None:
    attempt = start(api)
    move_back(attempt, seconds=actions.ATTEMPT_LIFE.total_seconds() - 2)
    status, answer = play(api, attempt, 0, EASY)
    assert (status, answer["end"]) == (200, "won")
    life_ms = actions.ATTEMPT_LIFE // timedelta(milliseconds=1)
    assert life_ms - 2000 <= answer["official_ms"] < life_ms


def test_the_official_time_is_the_receipt_less_the_disclosure(api: Api) -> None:
    attempt = start(api)
    play(api, attempt, 0, EASY[:-1], [0] * 15)
    move_back(attempt, seconds=90)
    started_at = row(attempt)["started_at"]
    before = actions.read_clock()
    answer = play(api, attempt, 15, EASY[15:], [1])[1]
    after = actions.read_clock()
    ms = timedelta(milliseconds=1)
    assert (before - started_at) // ms <= answer["official_ms"] <= (after - started_at) // ms
    assert answer["official_ms"] >= 90_000, "whatever times were sent"
    stored = row(attempt)
    assert stored["official_ms"] == answer["official_ms"] == (stored["ended_at"] - started_at) // ms
    assert stored["times"] == [0] * 15 + [1], "the replay keeps the times that were sent"


def test_without_times_the_server_stamps_its_own(api: Api) -> None:
    attempt = start(api)
    move_back(attempt, seconds=10)
    play(api, attempt, 0, EASY[:2])
    move_back(attempt, seconds=10)
    answer = play(api, attempt, 2, EASY[2:])[1]
    times = row(attempt)["times"]
    assert 10_000 <= times[0] == times[1] < 20_000 <= times[2] == times[15] == answer["official_ms"]


def test_times_are_judged_with_those_stored_before(api: Api) -> None:
    attempt = start(api)
    play(api, attempt, 0, EASY[:2], [1000, 2000])
    before = row(attempt)
    for times, at in (([1999], 2), ([], 2), ([2000, 2000], 3), ([86_400_001], 2)):
        status, answer = play(api, attempt, 2, EASY[2:3], times)
        assert (status, answer["code"], answer["at"]) == (422, "times", at)
    assert row(attempt) == before
    assert play(api, attempt, 2, EASY[2:3], [2000])[0] == 200


def test_a_clock_that_was_ahead_holds_up_no_move(api: Api) -> None:
    attempt = start(api)
    play(api, attempt, 0, EASY[:1], [86_400_000])
    assert play(api, attempt, 1, EASY[1:2])[0] == 200
    assert row(attempt)["times"] == [86_400_000] * 2


def test_the_bonus_comes_from_the_official_time(api: Api) -> None:
    attempt = start(api, f"PY0-M-{EASY_ORDER}")
    move_back(attempt, seconds=100)
    answer = play(api, attempt, 0, EASY, [0] * 16)[1]
    assert answer["bonus"] == 500
    assert (row(attempt)["points"], row(attempt)["bonus"]) == (300, 500)


def test_a_replay_is_too_long_at_4001_tokens_over_any_number_of_calls(api: Api) -> None:
    attempt = start(api)
    for ply in range(0, 4000, 1000):
        assert play(api, attempt, ply, ["D", "U"] * 500)[0] == 200
    before = row(attempt)
    assert before["plies"] == 4000
    status, answer = play(api, attempt, 4000, "D")
    assert (status, answer["code"], answer["at"], answer["token"]) == (422, "too_long", None, None)
    assert row(attempt) == before
    assert play(api, attempt, 3999, "U")[0] == 200


def test_the_4000th_token_may_win(api: Api) -> None:
    attempt = start(api)
    line = easy_line(16 + 1992)
    assert line.count(" ") + 1 == 4000
    status, answer = play(api, attempt, 0, line)
    assert (status, answer["end"], answer["verdict"]["moves"]) == (200, "won", 2008)


def test_the_attempts_of_others_are_not_found(api: Api) -> None:
    attempt = start(api)
    other = log_in(make_player("Bert"))
    before = row(attempt)
    for number in (attempt, 10**6, 2**63, 10**30):
        assert play(other, number, 0, EASY)[0] == 404
        assert other.get(f"attempts/{number}/")[0] == 404
        assert other.post(f"attempts/{number}/resign/")[0] == 404
    assert row(attempt) == before


def test_a_replay_sent_whole_is_no_attempt_to_go_on_with(api: Api) -> None:
    body = {"format": "pyramid-replay/1", "deal": f"PY0-T-{EASY_ORDER}", "moves": "g1g2", "times": [5]}
    replay = api.post("replays/", body)[1]["id"]
    assert play(api, replay, 1, "g3g4")[0] == 404
    assert api.post(f"attempts/{replay}/resign/")[0] == 404
