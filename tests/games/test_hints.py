"""Hints: who gets one, what it may say and when, and that it makes the attempt practice for ever."""

import fcntl
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from django.db import IntegrityError, transaction

from games import solving
from games.engine.deal import Deal
from games.engine.position import Position
from games.models import Attempt
from leaderboard import actions
from tests.client import Api, but_now
from tests.players import (
    EASY_MOVES,
    easy_deal,
    in_parallel,
    log_in,
    make_player,
    move_back,
    open_attempt,
    solved_deals,
    win,
)

pytestmark = pytest.mark.django_db

LOST = "PY1-N-AAAAAAJ"  # rules.md: no line wins it
LOST_FREE = "PY1-F-AAAAAAJ"  # nor this one
FIELDS = {"attempt", "ply", "move", "reason", "sentence", "par_from_here", "hopeless"}


@pytest.fixture(scope="module", autouse=True)
def slots(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Slots of this module's own, and time enough: other tests solve at the same time."""
    folder = tmp_path_factory.mktemp("hints")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(solving.settings, "DATA_DIR", folder)
        patch.setattr(solving.settings, "SOLVERS", 1)
        patch.setattr(solving, "HINT_SECONDS", 30.0)
        patch.setattr(solving, "UNASKED_SECONDS", 30.0)
        yield folder / "solving"
        while solving._idle:
            solving._idle.pop().end()


@pytest.fixture
def ada() -> Api:
    return log_in(make_player("Ada"))


def start(api: Api, code: str, moves: str = "") -> str:
    """The path of a new practice attempt, after some moves."""
    path = f"attempts/{api.post('attempts/', {'deal': code})[1]['id']}/"
    if moves:
        assert api.post(f"{path}moves/", {"from_ply": 0, "moves": moves})[0] == 200
    return path


def ask(api: Api, path: str, **more: Any) -> dict[str, Any]:
    """A hint, whose form is checked here."""
    status, answer = api.post(f"{path}hint/", **more)
    assert status == 200, answer
    assert set(answer) == FIELDS
    assert "%" not in answer["sentence"]
    return answer


def test_a_hint_is_a_legal_move_with_a_reason_in_both_languages(ada: Api) -> None:
    path = start(ada, "PY1-N-AAAAAAS")
    answer = ask(ada, path)
    assert (answer["ply"], answer["move"], answer["hopeless"], answer["par_from_here"]) == (0, "g2", None, None)
    german = ask(ada, path, language="de")
    assert german["sentence"] != answer["sentence"]
    assert german | {"sentence": ""} == answer | {"sentence": ""}
    assert ada.post(f"{path}moves/", {"from_ply": 0, "moves": answer["move"]})[0] == 200
    assert ask(ada, path)["ply"] == 1


def test_an_attempt_with_a_hint_is_assisted_wherever_it_is_shown(ada: Api) -> None:
    path = start(ada, easy_deal().code)
    assert ada.get(path)[1]["assisted"] is False
    ask(ada, path)
    shown = ada.get(path)[1]
    assert (shown["assisted"], shown["ranked"], shown["replay"]["moves"]) == (True, False, "")
    won = ada.post(f"{path}moves/", {"from_ply": 0, "moves": EASY_MOVES})[1]
    assert [place["board"] for place in won["places"]] == ["deal"], "practice"
    assert Api().get(f"replays/{shown['id']}/")[1]["assisted"] is True


def refused(api: Api, path: str, status: int, code: str) -> dict[str, Any]:
    answer = api.post(f"{path}hint/")
    assert (answer[0], answer[1]["code"]) == (status, code)
    return answer[1]


def test_a_ranked_attempt_gets_no_hint_and_stays_as_it_is(ada: Api) -> None:
    ranked = ada.post("attempts/", {"ruleset": "T"})[1]
    path = f"attempts/{ranked['id']}/"
    refused(ada, path, 409, "ranked")
    assert ada.get(path) == (200, but_now(ranked))


def test_cards_of_an_open_ranked_attempt_get_no_hint_under_another_ruleset() -> None:
    player = make_player("Ada")
    ada = log_in(player)
    ranked = open_attempt(player, easy_deal("T"))
    path = start(ada, easy_deal("B").code)
    refused(ada, path, 409, "cards_in_play")
    assert not Attempt.objects.filter(assisted=True).exists()
    ada.post(f"attempts/{ranked.pk}/resign/")
    ask(ada, path)


def test_an_attempt_that_has_ended_gets_no_hint(ada: Api) -> None:
    path = start(ada, LOST, "D")
    ada.post(f"{path}resign/")
    assert refused(ada, path, 409, "attempt_ended")["state"] == {"ply": 1, "moves": "D", "end": "resigned"}
    path = start(ada, LOST)
    move_back(int(path.split("/")[1]), seconds=actions.ATTEMPT_LIFE.total_seconds())
    assert refused(ada, path, 409, "attempt_ended")["state"]["end"] == "expired"
    won = win(make_player("Bert"), 5000)
    refused(log_in(won.player), f"attempts/{won.pk}/", 409, "attempt_ended")
    assert not Attempt.objects.filter(assisted=True).exists()


def test_only_an_attempt_of_ones_own_gets_a_hint(ada: Api) -> None:
    path = start(ada, LOST)
    refused(log_in(make_player("Eve")), path, 404, "not_found")
    refused(ada, "attempts/999999999999/", 404, "not_found")
    assert Api().post(f"{path}hint/")[0] == 401
    game = {"format": "pyramid-replay/1", "deal": easy_deal().code, "moves": EASY_MOVES, "times": [1] * 16}
    sent = ada.post("replays/", game)[1]["id"]
    refused(ada, f"attempts/{sent}/", 404, "not_found")
    assert not Attempt.objects.filter(assisted=True).exists()


@pytest.mark.parametrize(
    ("data", "code", "where"), [({"move": "g2"}, "unknown_field", "move"), ([], "invalid", None), (1, "invalid", None)]
)
def test_a_hint_takes_no_fields(ada: Api, data: Any, code: str, where: str | None) -> None:
    path = start(ada, LOST)
    status, answer = ada.post(f"{path}hint/", data)
    assert (status, answer["code"], answer["where"]) == (400, code, where)
    assert ada.get(f"{path}hint/")[0] == 405
    assert not Attempt.objects.filter(assisted=True).exists()


def test_the_database_takes_no_ranked_attempt_with_a_hint() -> None:
    attempt = open_attempt(make_player("Ada"), easy_deal())
    with pytest.raises(IntegrityError, match="an_assisted_one_is_never_ranked"), transaction.atomic():
        Attempt.objects.filter(pk=attempt.pk).update(assisted=True)
    Attempt.objects.filter(pk=attempt.pk).update(assisted=True, ranked=False)
    with pytest.raises(IntegrityError, match="an_assisted_one_is_never_ranked"), transaction.atomic():
        Attempt.objects.filter(pk=attempt.pk).update(ranked=True)


def test_unseen_cards_change_no_hint(ada: Api) -> None:
    deal = Deal.from_code("PY1-T-AAAAAAC")
    other = Deal.from_cards("T", (*deal.cards[:31], *reversed(deal.cards[31:])))
    answers = [ask(ada, start(ada, each.code, "D D")) for each in (deal, other)]  # 31 is not seen yet: 30 is the top
    assert [answer | {"attempt": 0} for answer in answers[:1]] == [answer | {"attempt": 0} for answer in answers[1:]]
    assert answers[0]["par_from_here"] is None


# Once everything has been seen


SHORTEST = min(solved_deals(), key=lambda solved: len(solved[1]))[0]


@pytest.mark.parametrize(
    ("code", "moves"), [(SHORTEST.code, " ".join(["D"] * 24)), ("PY1-G-AAAAAAC", "")], ids=["tower", "giza"]
)
def test_hints_then_follow_a_shortest_line_to_the_win(ada: Api, code: str, moves: str) -> None:
    path = start(ada, code, moves)
    first = ask(ada, path)
    assert first["hopeless"] is False
    ply = first["ply"]
    for left in range(first["par_from_here"], 0, -1):
        answer = ask(ada, path)
        assert (answer["ply"], answer["par_from_here"], answer["reason"]) == (ply, left, "solved")
        status, played = ada.post(f"{path}moves/", {"from_ply": ply, "moves": answer["move"]})
        assert status == 200
        ply = played["ply"]
    assert played["end"] == "won"


def test_no_win_left_is_said_with_the_proof_and_not_before(ada: Api) -> None:
    draws = " ".join(["D"] * 22)
    path = start(ada, LOST, draws)
    assert ask(ada, path)["hopeless"] is None, "one card is unseen, though no line wins"
    assert ada.post(f"{path}moves/", {"from_ply": 22, "moves": "D"})[0] == 200
    answer = ask(ada, path)
    assert (answer["hopeless"], answer["par_from_here"], answer["reason"]) == (True, None, "hopeless")
    position = Position.read(ada.get(path)[1]["position"])
    assert answer["move"] in position.legal_moves()
    ada.post(f"{path}moves/", {"from_ply": 23, "moves": "U"})
    assert ask(ada, path)["hopeless"] is True, "what was seen stays seen"


def test_at_a_dead_end_there_is_no_move(ada: Api) -> None:
    deal = Deal.from_code("PY1-A-AAAAAAJ")
    position, moves = Position.start(deal), []
    while legal := position.legal_moves():
        moves.append(legal[-1])  # draws first
        position = position.play(legal[-1])
    assert position.is_dead_end
    path = start(ada, deal.code, " ".join(moves))
    answer = ask(ada, path)
    assert (answer["move"], answer["hopeless"]) == (None, True)


def test_a_busy_machine_gives_the_ordinary_hint_and_claims_nothing(ada: Api, slots: Path) -> None:
    path = start(ada, LOST, " ".join(["D"] * 23))
    slots.mkdir(exist_ok=True)
    with open(slots / "slot-0", "w") as slot:
        fcntl.flock(slot, fcntl.LOCK_EX)
        answer = ask(ada, path)
    assert (answer["hopeless"], answer["par_from_here"]) == (None, None)
    assert answer["move"]
    assert ask(ada, path)["hopeless"] is True


# Told unasked


@pytest.mark.parametrize("ranked", [True, False])
def test_free_pairs_says_unasked_what_is_hopeless_once_all_is_seen(ranked: bool) -> None:
    player = make_player("Ada")
    ada = log_in(player)
    path = f"attempts/{open_attempt(player, Deal.from_code(LOST_FREE), ranked=ranked).pk}/"
    assert ada.get(path)[1]["hopeless"] is False
    answer = ada.post(f"{path}moves/", {"from_ply": 0, "moves": " ".join(["D"] * 23)})[1]
    assert answer["hopeless"] is False, "one card is unseen"
    answer = ada.post(f"{path}moves/", {"from_ply": 23, "moves": "D"})[1]
    assert answer["hopeless"] is True
    assert ada.get(path)[1]["hopeless"] is True
    ada.post(f"{path}resign/")
    assert "hopeless" not in ada.get(path)[1]


def test_other_rulesets_say_nothing_unasked(ada: Api) -> None:
    path = start(ada, LOST)
    answer = ada.post(f"{path}moves/", {"from_ply": 0, "moves": " ".join(["D"] * 23)})[1]
    assert "hopeless" not in answer
    assert "hopeless" not in ada.get(path)[1]


# At the same moment


@pytest.mark.django_db(transaction=True)
def test_a_win_and_a_hint_at_once_are_an_assisted_win_or_no_hint() -> None:
    player = make_player("Ada")
    token = log_in(player).token
    for _round in range(8):
        attempt = open_attempt(player, easy_deal(), ranked=False)
        path = f"attempts/{attempt.pk}/"
        body = {"from_ply": 0, "moves": EASY_MOVES}
        (won, _), (hinted, answer) = in_parallel(
            [partial(Api(token).post, f"{path}moves/", body), partial(Api(token).post, f"{path}hint/")]
        )
        attempt.refresh_from_db()
        assert (won, attempt.end) == (200, "won")
        assert (hinted, attempt.assisted) in {(200, True), (409, False)}
        assert hinted == 200 or answer["state"]["end"] == "won"


@pytest.mark.django_db(transaction=True)
def test_twenty_equal_calls_are_answered_alike() -> None:
    player = make_player("Ada")
    api = log_in(player)
    path = start(api, LOST)
    answers = in_parallel([partial(Api(api.token).post, f"{path}hint/")] * 20)
    assert answers == [answers[0]] * 20
    assert answers[0][0] == 200
