"""`manage.py solve`: par, proof and a line of play for deals and positions; needs no server and no database."""

import os
import sys
from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Iterator
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from typing import Any, BinaryIO

from django.core.management.base import BaseCommand, CommandError
from tqdm import tqdm

from games.engine.cards import CARD_TEXTS, read_cards
from games.engine.deal import Deal
from games.engine.errors import EngineError
from games.engine.position import Position
from games.engine.replay import dump
from games.engine.rulesets import RULESETS
from games.management.commands.load_replays import INTERRUPTED, count_lines
from games.management.commands.verify_replay import NOT_DONE, REFUSED, open_input
from games.management.pool import Pool, Question, Solution

# Names of a table's column that says which deal a row is about.
COLUMNS = ("deal", "code", "cards")


@dataclass(frozen=True, slots=True)
class Line:
    """A line of input: its number in its file (from 1), and a deal's code or a position, or what is wrong with it."""

    number: int
    file: str
    deal: str = ""
    position: Position | None = None
    error: str = ""
    detail: str = ""


class Command(BaseCommand):
    help = (
        "Finds out whether deals can be won, in how few moves (par), and how: a proof either way. Reads deal codes, "
        "cards (Kd Tc 3s ...), positions, or files of these, one a line; a table with tabs may have them in a column "
        "named deal, code or cards. Prints one answer a line, in the order of the input: line number, deal, verdict, "
        "par (<= for a line that is not proven shortest), moves. Exit code: 0 all lines were answered, 1 a line is "
        "wrong, 2 the input was not read to its end."
    )
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "deals", nargs="*", metavar="deal", help="a code, cards, a position, a file; - or none: stdin"
        )
        parser.add_argument("--json", action="store_true", help="print one JSON object a line")
        parser.add_argument("--limit", type=read_seconds, metavar="SECONDS", help="for a deal; none without it")
        parser.add_argument("--most", action="store_true", help="also the most cards that can be removed")
        parser.add_argument("--verdict-only", action="store_true", help="no par, and any line that wins: much faster")
        parser.add_argument("--ruleset", default="T", choices=list(RULESETS), help="of bare cards (default: T)")
        parser.add_argument("--processes", type=read_count, metavar="N", help="default: one for each core")

    def handle(self, *, deals: list[str], json: bool, processes: int | None, **options: Any) -> None:
        if hasattr(self.stdout, "reconfigure"):
            self.stdout.reconfigure(encoding="utf-8", line_buffering=True)
        lines = read_arguments(deals or ["-"], options["ruleset"])
        try:
            with Pool(processes) as pool:
                wrong = self.solve(pool, lines, count_questions(deals), json, options)
        except BrokenPipeError:  # who reads the answers has had enough, as `head` has
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            sys.exit(NOT_DONE)
        except KeyboardInterrupt:
            sys.exit(INTERRUPTED)
        except BrokenProcessPool:
            raise CommandError("A process died, of want of memory perhaps: try --limit.", returncode=NOT_DONE) from None
        except OSError as error:
            raise CommandError(
                f"{error.filename or 'standard output'}: {error.strerror}.", returncode=NOT_DONE
            ) from None
        if wrong:
            sys.exit(REFUSED)

    def solve(self, pool: Pool, lines: Iterator[Line], total: int | None, json: bool, options: dict[str, Any]) -> int:
        """Print the answers; returns how many lines are wrong."""
        wrong = 0

        def ask(line: Line) -> Question | None:
            if line.position is None:
                return None
            return Question(line.position, options["limit"], not options["verdict_only"], options["most"])

        with tqdm(total=total, unit=" deals", disable=None) as bar:
            for line, solution in pool.answer((line, ask(line)) for line in lines):
                bar.clear()
                if solution is None:
                    wrong += 1
                    self.stderr.write(write_complaint(line))
                if json:
                    self.stdout.write(dump(write_json(line, solution)))
                elif solution:
                    self.stdout.write(write_text(line, solution))
                bar.update()
        return wrong


def read_seconds(text: str) -> float:
    seconds = float(text)
    if not 0 < seconds < float("inf"):
        raise ArgumentTypeError(f"{text} is no number of seconds")
    return seconds


def read_count(text: str) -> int:
    count = int(text)
    if count < 1:
        raise ArgumentTypeError(f"{text} is less than one")
    return count


def count_questions(arguments: list[str]) -> int | None:
    """About how many lines there will be; None if that cannot be said without reading what can be read once."""
    total = 0
    for argument in arguments:
        if is_file(argument):
            if not os.path.isfile(argument):
                return None
            with open_input(argument) as source:
                total += count_lines(source) or 0
        else:
            total += 1
    return total


def is_file(argument: str) -> bool:
    """Whether an argument names a file, be it there or not: codes and cards have no dots, positions have spaces."""
    return argument == "-" or os.path.exists(argument) or (" " not in argument and not {*"./"}.isdisjoint(argument))


def read_arguments(arguments: list[str], ruleset: str) -> Iterator[Line]:
    """The lines of all arguments: a file has many, a code or a text one. Raises OSError for a file."""
    if len(arguments) > 1 and all(argument in CARD_TEXTS for argument in arguments):
        arguments = [" ".join(arguments)]
    for number, argument in enumerate(arguments, 1):
        if is_file(argument):
            with open_input(argument) as source:
                yield from read_lines(source, "" if argument == "-" else argument, ruleset)
        else:
            yield read_line(argument, number, "", ruleset)


def read_lines(source: BinaryIO, file: str, ruleset: str) -> Iterator[Line]:
    """Every line that is not blank; a first line that names the columns of a table is no deal."""
    column: int | None = None
    first = True
    for number, data in enumerate(source, 1):
        try:
            text = data.decode("utf-8-sig" if number == 1 else "utf-8").strip("\r\n")
        except UnicodeDecodeError:
            first = False
            yield Line(number, file, error="utf8", detail="The line is not UTF-8.")
            continue
        if not text.strip():
            continue
        fields = text.split("\t")
        if first:
            first = False
            names = [name.strip().lower() for name in fields]
            column = next((names.index(name) for name in COLUMNS if name in names), None)
            if column is not None:
                continue
        if column is None:
            text = next(filter(is_like_deal, fields), text)
        else:
            text = fields[column] if column < len(fields) else ""
        yield read_line(text, number, file, ruleset)


def read_line(text: str, number: int, file: str, ruleset: str) -> Line:
    """A line with the deal it holds, or with what is wrong."""
    try:
        deal, position = read_deal(text, ruleset)
    except EngineError as error:
        return Line(number, file, error=error.code, detail=str(error))
    return Line(number, file, deal, position)


def read_deal(text: str, ruleset: str) -> tuple[str, Position]:
    """The name and the position of a code, a position's text, or cards under a ruleset. Raises EngineError."""
    pieces = text.split()
    if "/" in text:
        position = Position.read(" ".join(pieces))
        return position.text, position
    cards = not text.lstrip().startswith(("P", "p")) and any(piece in CARD_TEXTS for piece in pieces)
    deal = Deal.from_cards(ruleset, read_cards(text)) if cards else Deal.from_code(text)
    return deal.code, Position.start(deal)


def is_like_deal(text: str) -> bool:
    """Whether a field of a table without a head is the one with the deal."""
    return text.lstrip()[:2].upper() == "PY" or "/" in text or any(piece in CARD_TEXTS for piece in text.split())


def write_complaint(line: Line) -> str:
    place = f"{line.file}, line" if line.file else "line"
    return f"{place} {line.number}: {line.error}: {line.detail}"


def write_json(line: Line, solution: Solution | None) -> dict[str, Any]:
    """An answer as JSON; for a wrong line its number, a code and a sentence."""
    where: dict[str, Any] = {"line": line.number} | ({"file": line.file} if line.file else {})
    if solution is None:
        return where | {"error": line.error, "detail": line.detail}
    return where | {
        "deal": line.deal,
        "verdict": solution.verdict,
        "par": None if solution.line is None else len(solution.line),
        "par_proven": solution.par_proven,
        "moves": None if solution.line is None else " ".join(solution.line),
        "most_tableau": solution.most_tableau,
        "most_total": solution.most_total,
        "most_proven": solution.most_proven,
        "ms": solution.ms,
        "states": solution.states,
    }


def write_text(line: Line, solution: Solution) -> str:
    """An answer as fields with tabs between them."""
    fields = [str(line.number), line.deal, solution.verdict]
    par = "-" if solution.line is None else str(len(solution.line))
    fields.append(par if solution.par_proven or solution.line is None else f"<={par}")
    if solution.most_proven is not None:
        at_least = "" if solution.most_proven else ">="
        fields += [f"{at_least}{solution.most_tableau}", f"{at_least}{solution.most_total}"]
    return "\t".join([*fields, " ".join(solution.line or ()) or "-"])
