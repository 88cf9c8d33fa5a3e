"""How fast is the solver on one core, and are all published lengths found? CPU time of each deal.

Run from the project's folder: python -m tests.bench.bench_solver [deals]
"""

import resource
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from time import process_time

sys.path.insert(0, str(Path(__file__).parents[2]))

from games.engine.cards import read_cards
from games.engine.deal import Deal
from games.engine.position import Position
from games.engine.solver import Answer, shortest, winnable

N_DEALS = 100
SEED_STEP = 343_597_383


def load_tower_deals() -> list[tuple[Deal, int]]:
    """The public deals and their shortest lengths, 0 for no win."""
    lines = (Path(__file__).parents[1] / "vectors" / "tower-deals.tsv").read_text("ascii").splitlines()[1:]
    rows = [line.split("\t") for line in lines]
    return [(Deal.from_cards("T", read_cards(cards)), int(length)) for _, cards, length, _ in rows]


def run(name: str, ask: Callable[[Position], Answer], deals: Iterable[Deal]) -> list[Answer]:
    """Ask about each deal and print the figures."""
    answers, times = [], []
    for deal in deals:
        start = Position.start(deal)
        begin = process_time()
        answers.append(ask(start))
        times.append(1000 * (process_time() - begin))
    ordered = sorted(times)
    count = len(ordered)
    states = sum(answer.states for answer in answers)
    print(
        f"{name:10} {count:5} deals   mean {sum(times) / count:6.1f} ms   median {ordered[count // 2]:6.1f}   "
        f"p99 {ordered[count * 99 // 100]:7.1f}   max {ordered[-1]:7.1f}   states {states / count:8,.0f}   "
        f"peak {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024} MB",
        flush=True,
    )
    return answers


def check_verdicts(deals: list[tuple[Deal, int]], answers: list[Answer]) -> None:
    for (deal, length), answer in zip(deals, answers, strict=True):
        if answer.verdict != ("winnable" if length else "unwinnable"):
            sys.exit(f"{deal}: {answer.verdict}, but the shortest length is {length}")


def main(count: int | None = None) -> None:
    deals = load_tower_deals()[:count]
    check_verdicts(deals, run("winnable T", winnable, [deal for deal, _ in deals]))
    answers = run("shortest T", shortest, [deal for deal, _ in deals])
    check_verdicts(deals, answers)
    for (deal, length), answer in zip(deals, answers, strict=True):
        if (answer.par or 0) != length or answer.par_proven != bool(length):
            sys.exit(f"{deal}: {answer.par} moves, but the shortest length is {length}")
    relaxed = [Deal.from_seed("N", SEED_STEP * i) for i in range(N_DEALS)]
    quick = run("winnable N", winnable, relaxed)
    best = run("shortest N", shortest, relaxed)
    for deal, one, other in zip(relaxed, quick, best, strict=True):
        if one.verdict != other.verdict:
            sys.exit(f"{deal}: {one.verdict} and {other.verdict}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
