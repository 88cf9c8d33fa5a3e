"""Validation: any replay is judged by anybody, one as JSON or many as newline-delimited JSON, and none is stored."""

import json
from pathlib import Path
from typing import Any

import pytest

from games.models import Attempt, Deal
from tests.client import Api
from tests.players import EASY_MOVES, easy_deal

pytestmark = pytest.mark.django_db

NDJSON = "application/x-ndjson"
EXAMPLE = {
    "format": "pyramid-replay/1",
    "deal": "PY1-N-AAAAAAS",
    "moves": "g2 g1g3 f1f2 e1W D",
    "times": [1840, 3120, 5200, 7044, 7610],
}
VERDICT = {
    "legal": True,
    "deal": "PY1-N-AAAAAAS",
    "outcome": "unfinished",
    "plies": 5,
    "moves": 5,
    "undos": 0,
    "points": 60,
    "bonus": None,
    "removed": 6,
    "left": 22,
    "removed_all": 7,
    "left_all": 45,
    "pass": 1,
    "elapsed_ms": 7610,
    "rules": 1,
}
GOOD = json.dumps(EXAMPLE).encode()
BAD = json.dumps(EXAMPLE | {"moves": "g2 g5g7", "times": [0, 0]}).encode()


def judge(document: Any) -> Any:
    status, verdict = Api().post("replays/validate/", document)
    assert status == 200
    return verdict


def judge_lines(body: bytes) -> list[Any]:
    status, verdicts = Api().post("replays/validate/", body=body, content_type=NDJSON)
    assert status == 200
    return verdicts or []


def test_the_example_of_the_formats_has_its_verdict() -> None:
    assert judge(EXAMPLE) == VERDICT
    assert not Attempt.objects.exists()
    assert not Deal.objects.exists()


def test_a_refusal_names_the_first_bad_token() -> None:
    assert judge(json.loads(BAD)) == {
        "legal": False,
        "at": 1,
        "token": "g5g7",
        "reason": "sum",
        "detail": "7 and 7 make 14; the sum must be 13.",
    }


def test_times_are_not_required_and_without_them_nothing_is_elapsed() -> None:
    document = {name: value for name, value in EXAMPLE.items() if name != "times"}
    assert judge(document) == VERDICT | {"elapsed_ms": None}
    assert judge(document | {"moves": "", "times": []})["elapsed_ms"] is None


def test_a_win_by_points_has_its_bonus_with_times_only() -> None:
    document = {"format": "pyramid-replay/1", "deal": easy_deal("M").code, "moves": EASY_MOVES}
    assert [judge(document)[name] for name in ("outcome", "left", "bonus")] == ["won", 0, None]
    assert judge(document | {"times": list(range(0, 16_000, 1000))})["bonus"] > 0


@pytest.mark.parametrize(
    ("change", "reason", "at", "token"),
    [
        ({"moves": 1}, "shape", None, None),
        ({"times": None}, "shape", None, None),
        ({"more": 1}, "shape", None, None),
        ({"rules": True}, "shape", None, None),
        ({"format": "pyramid-replay/2"}, "format", None, None),
        ({"rules": 2}, "format", None, None),
        ({"deal": "PY1-N-AAAAAA9"}, "deal", None, None),
        ({"deal": ""}, "deal", None, None),
        ({"moves": " ".join(["D"] * 4001)}, "too_long", None, None),
        ({"times": [1840, 3120, 5200, 7044]}, "times", 4, None),
        ({"times": [1840, 3120, 5200, 7044, 7610, 7611]}, "times", 5, None),
        ({"times": [1840, 3120, 5200, 7044, 7043]}, "times", 4, None),
        ({"times": [1840, 3120.0, 5200, 7044, 7610]}, "times", 1, None),
        ({"times": [True, 3120, 5200, 7044, 7610]}, "times", 0, None),
        ({"times": [1840, 3120, 5200, 7044, 86_400_001]}, "times", 4, None),
        ({"moves": "g2 g1g3 f1f2 e1W d"}, "syntax", 4, "d"),
        ({"moves": "g2 g1g3 f1f2 e1W "}, "syntax", 4, ""),
        ({"moves": "g2 g1g3 f1f2 e1W \ud800"}, "syntax", 4, "\ud800"),
        ({"moves": "g2 g1g3 f1f2 e1W a2"}, "no_such_cell", 4, "a2"),
        ({"moves": "g2 g1g3 f1f2 e1W g5g5"}, "same_card", 4, "g5g5"),
        ({"moves": "g2 g1g3 f1f2 e1W R"}, "stock_not_empty", 4, "R"),
        ({"moves": "g2 g1g3 f1f2 e1W S"}, "not_open", 4, "S"),
        ({"moves": "g2 g1g3 f1f2 e1W W"}, "waste_empty", 4, "W"),
        ({"moves": "g2 g1g3 f1f2 e1W g2"}, "gone", 4, "g2"),
        ({"moves": "g2 g1g3 f1f2 e1W a1"}, "covered", 4, "a1"),
        ({"moves": "g2 g1g3 f1f2 e1W g4"}, "not_single", 4, "g4"),
        ({"moves": "g2 g1g3 f1f2 e1W g5g7"}, "sum", 4, "g5g7"),
        ({"moves": "U", "times": [0]}, "nothing_to_undo", 0, "U"),
    ],
)
def test_every_reason_comes_through(change: dict[str, Any], reason: str, at: int | None, token: str | None) -> None:
    verdict = judge(EXAMPLE | change)
    assert list(verdict) == ["legal", "at", "token", "reason", "detail"]
    assert (verdict["legal"], verdict["reason"], verdict["at"], verdict["token"]) == (False, reason, at, token)


def test_a_finished_game_takes_no_tokens() -> None:
    document = {"format": "pyramid-replay/1", "deal": easy_deal("A").code, "moves": f"{EASY_MOVES} D"}
    assert (judge(document)["reason"], judge(document)["at"]) == ("after_end", 16)


def test_the_whole_games_of_the_vectors_have_their_verdicts() -> None:
    lines = (Path(__file__).parents[1] / "vectors/games.tsv").read_text().splitlines()
    rows = [line.split("\t") for line in lines if line and not line.startswith("#")]
    documents = [{"format": "pyramid-replay/1", "deal": row[0], "moves": row[1]} for row in rows]
    for document, row in zip(documents, rows, strict=True):
        if row[2] != "-":
            document["times"] = json.loads(row[2])
    verdicts = judge_lines(b"\n".join(json.dumps(document).encode() for document in documents))
    assert len(verdicts) == len(rows) > 20
    for line, (verdict, row) in enumerate(zip(verdicts, rows, strict=True), 1):
        verdict.pop("detail", None)
        assert verdict == json.loads(row[3]) | {"line": line}, row


# Newline-delimited JSON


def test_one_broken_line_does_not_stop_the_others() -> None:
    verdicts = judge_lines(b"\n".join([GOOD, b"{", BAD, b"\xff", b"[]", b"\xef\xbb\xbf" + GOOD, b"[" * 40_000, GOOD]))
    assert [verdict["line"] for verdict in verdicts] == [1, 2, 3, 4, 5, 6, 7, 8]
    reasons = [verdict.get("reason") for verdict in verdicts]
    assert reasons == [None, "json", "sum", "json", "shape", "json", "json", None]
    assert verdicts[0] == VERDICT | {"line": 1}


@pytest.mark.parametrize(
    ("body", "lines"),
    [
        (b"", []),
        (b"\n\n", []),
        (b" \r\n\t\n", []),
        (GOOD, [1]),
        (GOOD + b"\n", [1]),
        (GOOD + b"\n" + GOOD, [1, 2]),
        (GOOD + b"\n\n" + GOOD + b"\n", [1, 3]),
        (b"\n \n" + GOOD, [3]),
        (GOOD + b"\r\n\r\n" + GOOD + b"\r\n", [1, 3]),
    ],
)
def test_blank_lines_are_counted_and_not_answered(body: bytes, lines: list[int]) -> None:
    verdicts = judge_lines(body)
    assert [verdict["line"] for verdict in verdicts] == lines
    assert all(verdict["legal"] for verdict in verdicts)


def test_a_carriage_return_alone_ends_no_line() -> None:
    verdicts = judge_lines(GOOD + b"\r" + GOOD)
    assert [(verdict["line"], verdict["reason"]) for verdict in verdicts] == [(1, "json")]


def test_up_to_1000_replays_are_judged_at_once_and_blank_lines_are_none() -> None:
    assert len(judge_lines(b"{}\n\n" * 1000)) == 1000
    status, answer = Api().post("replays/validate/", body=b"{}\n" * 1001, content_type=NDJSON)
    assert (status, answer["code"], answer["where"]) == (400, "too_many_lines", None)


def test_the_answer_is_of_the_type_that_was_sent() -> None:
    api = Api()
    api.post("replays/validate/", EXAMPLE)
    assert api.headers["Content-Type"] == "application/json"
    api.post("replays/validate/", body=GOOD, content_type=f"{NDJSON}; charset=utf-8")
    assert api.headers["Content-Type"] == NDJSON


def test_a_token_in_the_header_is_no_matter() -> None:
    assert Api(token="0" * 64).post("replays/validate/", EXAMPLE) == (200, VERDICT)
