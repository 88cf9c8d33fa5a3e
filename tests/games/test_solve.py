"""Do `manage.py solve` and `manage.py survey` answer every line, in order, with no server and no database?

Nothing in here has the `django_db` mark, so that a query in this process would fail; the processes get a data folder
that cannot be.
"""

import io
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from games.engine import replay
from games.engine.cards import read_cards, write_cards
from games.engine.deal import Deal
from games.engine.position import Position
from games.management.commands.survey import (
    draw_histogram,
    find_quantile,
    find_wilson_interval,
    make_deals,
    summarise,
    write_report,
)
from games.management.pool import Solution

ROOT = Path(__file__).parents[2]
TOWER_DEALS = ROOT / "tests" / "vectors" / "tower-deals.tsv"
NO_DATABASE = {"DATA_DIR": "/dev/null/nowhere", "SECRET_KEY": "for a test", "PYTHONIOENCODING": "ascii"}
# two that are solved in a few states, one that takes minutes
WON, LOST, LONG = "PY1-T-AAAAAAW", "PY1-N-AAAAAAJ", "PY1-A-AAAAAAA"
MID_GAME = "T 3c/TdKc/------/--------/----------/------------/-------------- 3dTs - 3"


def solve(*arguments: str) -> tuple[int, list[str], list[str]]:
    """Exit code, lines of answers and of complaints of a run in this process (its solving is in others)."""
    printed, complained = io.StringIO(), io.StringIO()
    code = 0
    try:
        call_command("solve", "--processes", "1", *arguments, stdout=printed, stderr=complained)
    except SystemExit as end:
        code = int(end.code or 0)
    return code, printed.getvalue().splitlines(), complained.getvalue().splitlines()


def solve_json(*arguments: str) -> tuple[int, list[dict[str, Any]], list[str]]:
    code, printed, complained = solve("--json", *arguments)
    return code, [json.loads(line) for line in printed], complained


def start(*arguments: str) -> subprocess.Popen[bytes]:
    env = {name: value for name, value in os.environ.items() if name != "DATABASE_URL"}
    pipes: Any = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    command = [sys.executable, "manage.py", "solve", *arguments]
    return subprocess.Popen(command, cwd=ROOT, env=env | NO_DATABASE, **pipes)


def test_an_answer_says_par_verdict_and_how_to_win() -> None:
    code, (won, lost), complained = solve_json(WON, LOST)
    assert (code, complained) == (0, [])
    assert (won["line"], won["deal"], won["verdict"], won["par_proven"]) == (1, WON, "winnable", True)
    verdict = replay.verify(Deal.from_code(WON), won["moves"])
    assert isinstance(verdict, replay.Verdict)
    assert (verdict.outcome, verdict.moves) == ("won", won["par"])
    assert (lost["line"], lost["deal"], lost["verdict"]) == (2, LOST, "unwinnable")
    assert (lost["par"], lost["par_proven"], lost["moves"]) == (None, False, None)
    for answer in (won, lost):
        assert answer["ms"] >= 0
        assert answer["states"] >= 0
        assert (answer["most_tableau"], answer["most_total"]) == (None, None)


def test_the_most_cards_are_found_when_asked_for() -> None:
    _, (answer,), _ = solve_json(LOST, "--most")
    assert (answer["most_tableau"], answer["most_total"], answer["most_proven"]) == (9, 14, True)
    assert solve(LOST, "--most")[1] == [f"1\t{LOST}\tunwinnable\t-\t9\t14\t-"]


def test_text_has_the_same_in_columns() -> None:
    _, (answer,), _ = solve_json(WON)
    assert solve(WON)[1] == [f"1\t{WON}\twinnable\t{answer['par']}\t{answer['moves']}"]


def test_a_line_that_is_not_proven_shortest_is_said_not_to_be() -> None:
    _, (answer,), _ = solve_json(WON, "--verdict-only")
    assert (answer["verdict"], answer["par_proven"]) == ("winnable", False)
    assert solve(WON, "--verdict-only")[1][0].split("\t")[3] == f"<={answer['par']}"


def test_codes_cards_and_positions_are_read_alike(tmp_path: Path) -> None:
    deal = Deal.from_code(WON)
    path = tmp_path / "deals"
    path.write_text(f"\ufeffpy1 t aaaaaaw\r\n\n{write_cards(deal.cards)}\n{MID_GAME}\n{Position.start(deal).text}")
    code, answers, complained = solve_json(str(path))
    assert (code, complained) == (0, [])
    names = [(answer["line"], answer["deal"]) for answer in answers]
    assert names == [(1, WON), (3, f"PY0-T-{deal.order}"), (4, MID_GAME), (5, Position.start(deal).text)]
    assert answers[0]["moves"] == answers[1]["moves"] == answers[3]["moves"]
    assert (answers[2]["par"], sorted(answers[2]["moves"].split())) == (3, ["a1S", "b1S", "b2"])
    assert {answer["file"] for answer in answers} == {str(path)}


def test_bare_cards_are_of_the_ruleset_asked_for() -> None:
    cards = write_cards(Deal.from_code("PY1-C-AAAAAAJ").cards)
    _, (quoted,), _ = solve_json(cards, "--ruleset", "C")
    _, (bare,), _ = solve_json(*cards.split(), "--ruleset", "C")
    assert quoted["deal"] == bare["deal"] == f"PY0-C-{Deal.from_code('PY1-C-AAAAAAJ').order}"
    assert quoted["verdict"] == "unwinnable"


@pytest.mark.parametrize("head", [True, False])
def test_a_table_of_deals_is_read_with_and_without_its_head(tmp_path: Path, head: bool) -> None:
    rows = TOWER_DEALS.read_text().splitlines()[:5]
    path = tmp_path / "deals.tsv"
    path.write_text("\n".join(rows if head else rows[1:]))
    code, answers, complained = solve_json(str(path))
    assert (code, complained) == (0, [])
    found = [(answer["line"], answer["deal"], answer["par"] or 0) for answer in answers]
    expected = []
    for number, row in enumerate(rows[1:], 2 if head else 1):
        _, cards, length, _ = row.split("\t")
        expected.append((number, Deal.from_cards("T", read_cards(cards)).code, int(length)))
    assert found == expected


def test_answers_come_in_the_order_of_the_lines_however_long_they_take() -> None:
    codes = [Deal.from_seed("T", seed).code for seed in range(20)]
    process = start("--processes", "2", "--json", "--verdict-only")
    printed, complained = process.communicate("\n".join(codes).encode(), timeout=120)
    assert (complained, process.returncode) == (b"", 0)
    answers = [json.loads(line) for line in printed.splitlines()]
    assert [(answer["line"], answer["deal"]) for answer in answers] == list(enumerate(codes, 1))


WRONG = [
    (b"PY1-Z-AAAAAAA", "ruleset"),
    (b"PY1-T-AAAA", "length"),
    (b"nonsense", "prefix"),
    (b"6d 5h", "cards"),
    (b"6d 5x 7h", "card"),
    (b"T a/b", "fields"),
    (b"T --/----/------/--------/----------/------------/-------------- KdKd - 1", "cards"),
    (b"PY1-N-\xe4", "utf8"),
]


def test_wrong_lines_are_reported_with_their_numbers_and_stop_no_other(tmp_path: Path) -> None:
    path = tmp_path / "deals"
    path.write_bytes(b"\n".join([LOST.encode(), b"", *[text for text, _ in WRONG], LOST.encode()]))
    last = len(WRONG) + 3
    code, printed, complained = solve(str(path))
    assert code == 1
    assert [line.split("\t")[0] for line in printed] == ["1", str(last)]
    starts = [f"{path}, line {number}: {error}: " for number, (_, error) in enumerate(WRONG, 3)]
    assert [line[: len(start)] for line, start in zip(complained, starts, strict=True)] == starts
    code, answers, again = solve_json(str(path))
    assert (code, again) == (1, complained)
    assert [answer["line"] for answer in answers] == [1, *range(3, last + 1)]
    for number, (line, begin, answer) in enumerate(zip(complained, starts, answers[1:-1], strict=True), 3):
        detail = line.removeprefix(begin)
        assert answer == {"line": number, "file": str(path), "error": WRONG[number - 3][1], "detail": detail}


def test_a_row_without_the_column_is_a_wrong_line(tmp_path: Path) -> None:
    path = tmp_path / "deals.tsv"
    path.write_text(f"id\tcode\n1\t{LOST}\n2\n")
    code, answers, _ = solve_json(str(path))
    assert (code, [answer.get("error") for answer in answers]) == (1, [None, "prefix"])


def test_no_input_is_no_mistake(tmp_path: Path) -> None:
    path = tmp_path / "deals"
    path.write_text("\n \n")
    assert solve(str(path)) == (0, [], [])


@pytest.mark.parametrize(("name", "why"), [("missing.tsv", "No such file"), (".", "Is a directory")])
def test_a_file_that_cannot_be_read_ends_the_run(tmp_path: Path, name: str, why: str) -> None:
    with pytest.raises(CommandError, match=why) as caught:
        call_command("solve", str(tmp_path / name))
    assert caught.value.returncode == 2


@pytest.mark.parametrize("limit", ["0", "-1", "nan", "inf", "soon"])
def test_a_limit_is_a_number_of_seconds_above_nought(limit: str) -> None:
    with pytest.raises(CommandError, match="limit"):
        call_command("solve", LOST, "--limit", limit)


def test_a_limit_ends_a_deal_and_not_the_run() -> None:
    """The deal in the middle takes far longer than a millisecond, whatever the machine."""
    code, answers, complained = solve_json(LOST, LONG, LOST, "--limit", "0.001", "--most")
    assert (code, complained) == (0, [])
    assert answers[1]["verdict"] in ("unknown", "unwinnable")
    assert answers[1]["most_proven"] is False
    assert [answer["line"] for answer in answers] == [1, 2, 3]


def test_an_answer_is_printed_before_the_next_deal_is_there() -> None:
    process = start("--json")
    assert process.stdin
    assert process.stdout
    for line in (1, 2):
        process.stdin.write(f"{LOST}\n".encode())
        process.stdin.flush()
        assert json.loads(process.stdout.readline())["line"] == line
    assert process.communicate(timeout=60) == (b"", b"")
    assert process.returncode == 0


def test_a_reader_that_has_had_enough_is_no_reason_to_complain() -> None:
    process = start()
    assert process.stdin
    assert process.stdout
    process.stdin.write(f"{LOST}\n".encode())
    process.stdin.flush()
    process.stdout.readline()
    process.stdout.close()
    process.stdin.write(f"{LOST}\n".encode())
    process.stdin.close()
    assert process.stderr
    assert process.stderr.read() == b""
    assert process.wait(timeout=60) == 2


def test_an_interrupted_run_ends_at_once_and_leaves_nothing_running() -> None:
    process = start("--json")
    assert process.stdin
    assert process.stdout
    process.stdin.write(f"{LOST}\n".encode())
    process.stdin.flush()
    process.stdout.readline()
    process.send_signal(signal.SIGINT)
    # the pipes are held open by whoever still runs
    printed, complained = process.communicate(timeout=30)
    assert (printed, complained, process.returncode) == (b"", b"", 130)


def test_a_survey_counts_what_solving_finds_and_can_be_repeated() -> None:
    def survey(*arguments: str) -> str:
        printed = io.StringIO()
        call_command("survey", "--processes", "1", "--ruleset", "D", "--seed", "3", *arguments, stdout=printed)
        return printed.getvalue()

    _, answers, _ = solve_json(*[deal.code for deal in make_deals("D", 6, 3)])
    report = json.loads(survey("--deals", "6", "--json"))
    for verdict in ("winnable", "unwinnable"):
        assert report[verdict] == sum(answer["verdict"] == verdict for answer in answers)
    pars = [answer["par"] for answer in answers if answer["par"]]
    assert report["par"]["lengths"] == {str(par): pars.count(par) for par in pars}
    head, rate, *_ = text = survey("--deals", "6").splitlines()
    assert head == "6 deals of D (Two passes), seed 3"
    assert rate.split()[:2] == ["winnable", str(report["winnable"])]
    assert sum(line.count("#") > 0 for line in text) == len(set(pars))
    quick = survey("--deals", "6", "--winnable-only").splitlines()
    assert quick[:4] == text[:4]
    assert not any("#" in line for line in quick)


def test_more_deals_of_a_seed_begin_with_the_same() -> None:
    few, many = list(make_deals("T", 5, 7)), list(make_deals("T", 50, 7))
    assert many[:5] == few
    assert len({deal.code for deal in many}) == 50
    assert list(make_deals("T", 5, 8)) != few


@pytest.mark.parametrize(
    ("won", "count", "low", "high"),
    # the 1000 deals of the published table; the textbook's small cases
    [(682, 1000, 65.2, 71.0), (48, 1000, 3.6, 6.3), (1000, 1000, 99.6, 100), (0, 10, 0, 27.8), (5, 10, 23.7, 76.3)],
)
def test_an_interval_is_wilsons(won: int, count: int, low: float, high: float) -> None:
    found = find_wilson_interval(won, count)
    assert [round(100 * end, 1) for end in found] == [low, high]


def test_undecided_deals_widen_the_interval() -> None:
    def make(verdict: Any) -> Solution:
        return Solution(verdict, None, False, None, None, None, 1.0, 10)

    decided = summarise([make("winnable")] * 60 + [make("unwinnable")] * 40)
    undecided = summarise([make("winnable")] * 60 + [make("unwinnable")] * 30 + [make("unknown")] * 10)
    assert (decided["rate"], undecided["rate"]) == (60.0, 66.67)
    assert undecided["unknown"] == 10
    assert undecided["interval"][0] == decided["interval"][0]
    assert undecided["interval"][1] > decided["interval"][1]
    nothing = summarise([make("unknown")])
    assert (nothing["rate"], nothing["par"]) == (None, None)
    assert "unknown     1" in write_report({"ruleset": "T", "seed": 1, "seconds": 0} | nothing)


def test_quantiles_are_values_that_were_found() -> None:
    values = list(range(1, 101))
    assert [find_quantile(values, share) for share in (0, 0.05, 0.5, 0.95, 0.99, 1)] == [1, 5, 50, 95, 99, 100]
    assert find_quantile([7], 0.5) == 7


def test_a_histogram_has_few_bars_and_loses_no_length() -> None:
    assert draw_histogram({30: 1, 32: 2}) == [f"{30:>11} {'#' * 25} 1", f"{31:>11}  0", f"{32:>11} {'#' * 50} 2"]
    wide = draw_histogram(dict.fromkeys(range(31, 103), 1))
    assert len(wide) <= 24
    assert sum(int(line.split()[-1]) for line in wide) == 72
