"""`manage.py survey`: how many deals of a ruleset can be won, in how few moves; needs no server and no database."""

import random
import sys
import time
from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from concurrent.futures.process import BrokenProcessPool
from math import ceil, sqrt
from statistics import fmean
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from tqdm import tqdm

from games.engine.deal import Deal
from games.engine.position import Position
from games.engine.replay import dump
from games.engine.rulesets import RULESETS
from games.management.commands.load_replays import INTERRUPTED
from games.management.commands.solve import read_count, read_seconds
from games.management.commands.verify_replay import NOT_DONE
from games.management.pool import Pool, Question, Solution

SEED_BITS = 35
Z95 = 1.959963984540054
QUANTILES = (0, 0.05, 0.25, 0.5, 0.75, 0.95, 1)
BARS, BAR_WIDTH = 24, 50


class Command(BaseCommand):
    help = (
        "Deals games of a ruleset and solves them on all cores: the share that can be won with its 95 % Wilson "
        "interval, how par is distributed, how long it takes. The same seed deals the same games."
    )
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--ruleset", required=True, choices=list(RULESETS), metavar="LETTER")
        parser.add_argument("--deals", type=read_count, default=1000, metavar="N", help="default: %(default)s")
        parser.add_argument("--seed", type=int, default=1, help="default: %(default)s")
        parser.add_argument("--limit", type=read_seconds, metavar="SECONDS", help="for a deal; none without it")
        parser.add_argument("--winnable-only", action="store_true", help="no par: much faster")
        parser.add_argument("--json", action="store_true", help="print one JSON object")
        parser.add_argument("--processes", type=read_count, metavar="N", help="default: one for each core")

    def handle(self, *, ruleset: str, deals: int, seed: int, json: bool, **options: Any) -> None:
        begin = time.monotonic()
        par = not options["winnable_only"]
        questions = (
            (None, Question(Position.start(deal), options["limit"], par)) for deal in make_deals(ruleset, deals, seed)
        )
        try:
            with Pool(options["processes"]) as pool:
                answers = tqdm(pool.answer(questions), total=deals, unit=" deals", disable=None)
                solutions = [solution for _, solution in answers if solution]
        except KeyboardInterrupt:
            sys.exit(INTERRUPTED)
        except BrokenProcessPool:
            raise CommandError("A process died, of want of memory perhaps: try --limit.", returncode=NOT_DONE) from None
        report = {"ruleset": ruleset, "seed": seed} | summarise(solutions)
        report["seconds"] = round(time.monotonic() - begin, 1)
        self.stdout.write(dump(report) if json else write_report(report))


def make_deals(letter: str, count: int, seed: int) -> Iterator[Deal]:
    """So many different deals; those of a smaller count come first."""
    numbers = random.Random(seed)
    dealt: set[int] = set()
    while len(dealt) < count:
        number = numbers.getrandbits(SEED_BITS)
        if number not in dealt:
            dealt.add(number)
            yield Deal.from_seed(letter, number)


def find_wilson_interval(won: int, count: int) -> tuple[float, float]:
    """The 95 % Wilson score interval of a share, both ends from 0 to 1; (0, 1) for a count of 0."""
    if not count:
        return 0.0, 1.0
    share, spread = won / count, Z95**2 / count
    middle = share + spread / 2
    half = Z95 * sqrt(share * (1 - share) / count + spread / count / 4)
    return max(0.0, (middle - half) / (1 + spread)), min(1.0, (middle + half) / (1 + spread))


def find_quantile(ordered: Sequence[float], share: float) -> float:
    """The smallest value that at least this share of the values does not exceed."""
    return ordered[max(0, ceil(share * len(ordered)) - 1)]


def summarise(solutions: list[Solution]) -> dict[str, Any]:
    """The figures of a survey as JSON.

    rate and interval are in percent. Undecided deals widen the interval: it goes from none to all of them won.
    """
    count = len(solutions)
    won, lost = (sum(solution.verdict == verdict for solution in solutions) for verdict in ("winnable", "unwinnable"))
    unknown = count - won - lost
    low, high = find_wilson_interval(won, count)[0], find_wilson_interval(won + unknown, count)[1]
    pars = sorted(len(solution.line) for solution in solutions if solution.line is not None and solution.par_proven)
    return {
        "deals": count,
        "winnable": won,
        "unwinnable": lost,
        "unknown": unknown,
        "rate": round(100 * won / (won + lost), 2) if won + lost else None,
        "interval": [round(100 * low, 2), round(100 * high, 2)],
        "par": None if not pars else describe(pars) | {"lengths": {par: pars.count(par) for par in sorted(set(pars))}},
        "ms": describe([solution.ms for solution in solutions]),
        "states": describe([solution.states for solution in solutions]),
    }


def describe(values: Sequence[float]) -> dict[str, Any]:
    """Count, mean and quantiles of at least one value."""
    ordered = sorted(values)
    quantiles = {f"p{round(100 * share)}": find_quantile(ordered, share) for share in QUANTILES}
    return {"count": len(values), "mean": round(fmean(values), 1)} | quantiles | {"p99": find_quantile(ordered, 0.99)}


def write_report(report: dict[str, Any]) -> str:
    """The figures for people."""
    low, high = report["interval"]
    rate = "?" if report["rate"] is None else f"{report['rate']:.1f} %"
    ruleset = RULESETS[report["ruleset"]]
    lines = [
        f"{report['deals']} deals of {ruleset.letter} ({ruleset.name}), seed {report['seed']}",
        f"winnable    {report['winnable']}   {rate}   95 % interval {low:.1f} - {high:.1f} %",
        f"unwinnable  {report['unwinnable']}",
        f"unknown     {report['unknown']}",
    ]
    if report["par"]:
        par = report["par"]
        lines += [
            f"par         mean {par['mean']}, from {par['p0']} to {par['p100']} ({par['count']} proven)",
            f"            5 % {par['p5']}, 25 % {par['p25']}, half {par['p50']}, 75 % {par['p75']}, 95 % {par['p95']}",
            *draw_histogram(par["lengths"]),
        ]
    ms, states = report["ms"], report["states"]
    lines += [
        f"ms          mean {ms['mean']}, median {ms['p50']}, 99 % {ms['p99']}, most {ms['p100']}",
        f"states      mean {states['mean']:.0f}, median {states['p50']}, most {states['p100']}",
        f"seconds     {report['seconds']}",
    ]
    return "\n".join(lines)


def draw_histogram(counts: dict[int, int]) -> list[str]:
    """A bar for each length, or for several of them where there are too many."""
    low, high = min(counts), max(counts)
    width = -(-(high - low + 1) // BARS)
    bars = [
        (begin, sum(counts.get(length, 0) for length in range(begin, begin + width)))
        for begin in range(low, high + 1, width)
    ]
    longest = max(count for _, count in bars)
    names = [f"{begin}" if width == 1 else f"{begin}-{begin + width - 1}" for begin, _ in bars]
    return [
        f"{name:>11} {'#' * round(BAR_WIDTH * count / longest)} {count}"
        for name, (_, count) in zip(names, bars, strict=True)
    ]
