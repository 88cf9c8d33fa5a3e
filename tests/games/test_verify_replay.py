"""Can replays be judged with `manage.py verify_replay` alone: no server, no database, any input?

Nothing in here has the `django_db` mark, so that a query in this process would fail; the processes get a data folder
that cannot be.
"""

import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.utils import translation
from django.utils.translation import gettext

from games.engine.cards import read_cards
from games.engine.deal import Deal
from games.engine.position import Position
from tests.client import Api

ROOT = Path(__file__).parents[2]
VECTORS = ROOT / "tests" / "vectors"
COMMAND = [sys.executable, "manage.py", "verify_replay"]
NO_DATABASE = {"DATA_DIR": "/dev/null/nowhere", "SECRET_KEY": "for a test", "PYTHONIOENCODING": "ascii"}

GOOD = {
    "format": "pyramid-replay/1",
    "deal": "PY1-N-AAAAAAS",
    "moves": "g2 g1g3 f1f2 e1W D",
    "times": [1840, 3120, 5200, 7044, 7610],
}
LINE = json.dumps(GOOD)
WRONG_SUM = json.dumps(GOOD | {"moves": "g2 g5g7", "times": [1, 2]})


def verify(path: Path, text: str | bytes, *options: str) -> tuple[int, list[dict[str, Any]]]:
    """The exit code and the verdicts for a file with this text."""
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    printed = io.StringIO()
    try:
        call_command("verify_replay", str(path), *options, stdout=printed)
    except SystemExit as end:
        return int(end.code or 0), read(printed.getvalue())
    return 0, read(printed.getvalue())


def read(printed: str | bytes) -> list[dict[str, Any]]:
    return [json.loads(line) for line in printed.splitlines()]


def start(**environment: str) -> subprocess.Popen[bytes]:
    env = {name: value for name, value in os.environ.items() if name != "DATABASE_URL"}
    pipes: Any = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    return subprocess.Popen(COMMAND, cwd=ROOT, env=env | NO_DATABASE | environment, **pipes)


def write_solutions() -> list[str]:
    """The published solutions of tower-deals.tsv as replays."""
    lines = []
    for row in (VECTORS / "tower-deals.tsv").read_text().splitlines()[1:]:
        _, cards, _, solution = row.split("\t")
        if solution:
            deal = Deal.from_cards("T", read_cards(cards)).code
            lines.append(json.dumps({"format": "pyramid-replay/1", "deal": deal, "moves": solution}))
    return lines


def test_each_line_has_its_verdict_and_blank_lines_are_counted(tmp_path: Path) -> None:
    lines = [b"", LINE.encode(), b" \r", WRONG_SUM.encode() + b"\r", b'{"format": "\xff"}', b"", LINE.encode()]
    code, verdicts = verify(tmp_path / "games", b"\n".join(lines))
    assert [(verdict["line"], verdict["legal"], verdict.get("reason")) for verdict in verdicts] == [
        (2, True, None),
        (4, False, "sum"),
        (5, False, "json"),
        (7, True, None),
    ]
    assert (verdicts[1]["at"], verdicts[1]["token"]) == (1, "g5g7")
    assert code == 1


@pytest.mark.parametrize("before", ["", "\n\r\n"])
@pytest.mark.parametrize("indent", [None, 4])
def test_a_document_may_take_as_many_lines_as_it_likes(tmp_path: Path, before: str, indent: int | None) -> None:
    code, verdicts = verify(tmp_path / "game", f"{before}{json.dumps(GOOD, indent=indent)}\n\n")
    assert [(verdict["legal"], verdict["points"], verdict["line"]) for verdict in verdicts] == [
        (True, 60, 1 + before.count("\n"))
    ]
    assert code == 0


def test_a_refused_document_over_several_lines_is_refused_once(tmp_path: Path) -> None:
    code, verdicts = verify(tmp_path / "game", json.dumps(GOOD | {"rules": 2}, indent=1))
    assert [(verdict["reason"], verdict["line"]) for verdict in verdicts] == [("format", 1)]
    assert code == 1


@pytest.mark.parametrize("first", ['{"format":', "{", "no JSON", "\ufeff" + LINE])
def test_a_broken_first_line_costs_no_other_its_verdict(tmp_path: Path, first: str) -> None:
    code, verdicts = verify(tmp_path / "games", f"{first}\n\n{LINE}\n{WRONG_SUM}")
    assert [(verdict["line"], verdict.get("reason")) for verdict in verdicts] == [(1, "json"), (3, None), (4, "sum")]
    assert code == 1


def test_a_long_file_with_a_broken_first_line_loses_no_line(tmp_path: Path) -> None:
    long_line = LINE + " " * 30_000
    _, verdicts = verify(tmp_path / "games", "\n".join(["{", *[long_line] * 50]))
    assert [verdict["line"] for verdict in verdicts] == list(range(1, 52))
    assert [verdict["legal"] for verdict in verdicts] == [False] + [True] * 50


def test_unfinished_games_and_dead_ends_are_no_refusals(tmp_path: Path) -> None:
    deal = Deal.from_seed("A", 0)
    position, moves = Position.start(deal), []
    while legal := position.legal_moves():
        moves.append(legal[0])
        position = position.play(legal[0])
    dead_end = {"format": "pyramid-replay/1", "deal": deal.code, "moves": " ".join(moves)}
    code, verdicts = verify(tmp_path / "games", f"{LINE}\n{json.dumps(dead_end)}")
    assert [verdict["outcome"] for verdict in verdicts] == ["unfinished", "dead_end"]
    assert code == 0


def test_no_input_is_no_refusal(tmp_path: Path) -> None:
    assert verify(tmp_path / "games", "") == (0, [])
    assert verify(tmp_path / "games", "\n \n") == (0, [])


def test_the_verdicts_are_those_that_the_api_gives(tmp_path: Path) -> None:
    documents = [row.split("\t")[0] for row in (VECTORS / "documents.tsv").read_text().splitlines() if row[:1] != "#"]
    texts = [bytes.fromhex(text[4:]) if text.startswith("hex:") else text.encode() for text in documents]
    lines = b"\n".join(text for text in texts if b"\n" not in text)
    _, printed = verify(tmp_path / "games", lines)
    assert Api().post("replays/validate/", body=lines, content_type="application/x-ndjson") == (200, printed)
    assert {verdict["legal"] for verdict in printed} == {True, False}


def test_sentences_come_in_the_language_asked_for(tmp_path: Path) -> None:
    _, english = verify(tmp_path / "game", WRONG_SUM)
    _, german = verify(tmp_path / "game", WRONG_SUM, "--language", "de")
    assert english[0]["detail"] == "7 and 7 make 14; the sum must be 13."
    with translation.override("de"):
        sentence = gettext("%(first)s and %(second)s make %(sum)s; the sum must be %(target)s.")
    assert german[0]["detail"] != english[0]["detail"]
    assert german[0] == english[0] | {"detail": sentence % {"first": 7, "second": 7, "sum": 14, "target": 13}}


@pytest.mark.parametrize(("name", "why"), [("missing", "No such file"), (".", "Is a directory")])
def test_a_file_that_cannot_be_read_is_neither_legal_nor_refused(tmp_path: Path, name: str, why: str) -> None:
    with pytest.raises(CommandError, match=why) as caught:
        call_command("verify_replay", str(tmp_path / name))
    assert caught.value.returncode == 2


def test_an_audit_needs_no_database_and_no_terminal_that_knows_utf8() -> None:
    solutions = write_solutions()
    strange = json.dumps(GOOD | {"moves": "g2 ♠", "times": [1, 2]}, ensure_ascii=False)
    process = start()
    printed, complaints = process.communicate("\n".join([*solutions, strange]).encode(), timeout=60)
    assert complaints == b""
    assert process.returncode == 1
    *verdicts, last = read(printed.decode("utf-8"))
    assert (last["reason"], last["token"]) == ("syntax", "♠")
    assert [verdict["line"] for verdict in verdicts] == list(range(1, 680))
    assert {(verdict["outcome"], verdict["left"]) for verdict in verdicts} == {("won", 0)}


def test_a_verdict_is_printed_before_the_next_replay_is_there() -> None:
    process = start()
    assert process.stdin
    assert process.stdout
    for line in (1, 2):
        process.stdin.write(f"{LINE}\n".encode())
        process.stdin.flush()
        assert json.loads(process.stdout.readline())["line"] == line
    assert process.communicate(timeout=60) == (b"", b"")
    assert process.returncode == 0


def test_a_reader_that_has_had_enough_is_no_reason_to_complain() -> None:
    process = start()
    assert process.stdin
    assert process.stdout
    process.stdin.write(f"{LINE}\n".encode())
    process.stdin.flush()
    process.stdout.readline()
    process.stdout.close()
    process.stdin.write(f"{LINE}\n".encode())
    process.stdin.close()
    assert process.stderr
    assert process.stderr.read() == b""
    assert process.wait(timeout=60) == 2
