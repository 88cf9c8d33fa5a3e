"""`manage.py calibrate`: the thresholds of easy, medium and hard, and their picture; no server, no database."""

import multiprocessing
import sys
from argparse import ArgumentParser
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand
from tqdm import tqdm

from games.engine.difficulty import PLAYOUTS
from games.engine.rulesets import RULESETS, Ruleset
from games.management.calibration import measure_winnable
from games.management.commands.load_replays import INTERRUPTED
from games.management.commands.solve import read_count
from games.management.commands.survey import make_deals
from games.management.pool import count_cores, watch_parent
from games.management.small_multiples import Panel, draw

SEED = 3
BATCH = 64
HEAD = '''"""The hardness numbers that split the winnable deals of a ruleset in thirds; see difficulty.py.

By ruleset: easy up to the first number, medium up to the second, hard above. Made by `manage.py calibrate`, not by
hand. Behind each line: the winnable deals it comes from, of how many dealt, and the mean share of play-outs won.
"""

THRESHOLDS: dict[str, tuple[int, int]] = {
'''


@dataclass(frozen=True, slots=True)
class Sample:
    """The winnable deals of a ruleset: hardness numbers in order, how many were dealt, the mean share of wins."""

    letter: str
    numbers: list[int]
    dealt: int
    share: float

    @property
    def thresholds(self) -> tuple[int, int]:
        """The numbers that the easier third, and two thirds, do not exceed."""
        count = len(self.numbers)
        return self.numbers[-(-count // 3) - 1], self.numbers[-(-2 * count // 3) - 1]


class Command(BaseCommand):
    help = (
        "Deals games of every ruleset, the same ones every time, rates the winnable ones, and writes the numbers that "
        "split them in thirds to games/engine/thresholds.py and their distribution to docs/pictures/difficulty.svg."
    )
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--deals", type=read_count, default=240, metavar="N", help="winnable ones (%(default)s)")
        parser.add_argument(
            "--dealt", type=read_count, default=2000, metavar="N", help="at most, winnable or not (%(default)s)"
        )
        parser.add_argument("--processes", type=read_count, metavar="N", help="default: one for each core")

    def handle(self, *, deals: int, dealt: int, processes: int | None, **_: Any) -> None:
        spawn = multiprocessing.get_context("spawn")
        try:
            with ProcessPoolExecutor(processes or count_cores(), mp_context=spawn, initializer=watch_parent) as pool:
                samples = list(take_samples(pool, deals, dealt))
        except KeyboardInterrupt:
            sys.exit(INTERRUPTED)
        root = Path(settings.BASE_DIR)
        (root / "games/engine/thresholds.py").write_text(HEAD + "".join(map(write_row, samples)) + "}\n")
        (root / "docs/pictures/difficulty.svg").write_text(draw(list(map(make_panel, samples))))
        for sample in samples:
            self.stdout.write(write_row(sample).strip())


def take_samples(pool: ProcessPoolExecutor, deals: int, dealt: int) -> Iterator[Sample]:
    """A sample of every ruleset; those that differ only in name, points and undo share one."""
    known: dict[Ruleset, Sample] = {}
    for letter, ruleset in RULESETS.items():
        play = replace(
            ruleset, letter="", slug="", name="", scoring="none", undo=None, undo_counts=False, tells_hopeless=False
        )
        if play not in known:
            known[play] = take_sample(pool, letter, deals, dealt)
        yield replace(known[play], letter=letter)


def take_sample(pool: ProcessPoolExecutor, letter: str, deals: int, most_dealt: int) -> Sample:
    """Deal until so many winnable deals are found, or so many are dealt."""
    found: list[tuple[int, int]] = []
    dealt = 0
    with tqdm(total=deals, desc=letter, unit=" deals", disable=None) as bar:
        for results in batches(pool, letter, most_dealt):
            for result in results:
                if len(found) == deals:
                    break
                dealt += 1
                if result:
                    found.append(result)
                    bar.update()
            if len(found) == deals:
                break
    wins = sum(wins for _, wins in found)
    return Sample(letter, sorted(number for number, _ in found), dealt, wins / PLAYOUTS / len(found))


def batches(pool: ProcessPoolExecutor, letter: str, most: int) -> Iterator[list[tuple[int, int] | None]]:
    codes = (deal.code for deal in make_deals(letter, most, SEED))
    while batch := list(islice(codes, BATCH)):
        yield list(pool.map(measure_winnable, batch, chunksize=4))


def write_row(sample: Sample) -> str:
    easy, medium = sample.thresholds
    figures = f"{len(sample.numbers)} of {sample.dealt}, {100 * sample.share:.1f} % won"
    return f'    "{sample.letter}": ({easy}, {medium}),  # {figures}\n'


def make_panel(sample: Sample) -> Panel:
    name = RULESETS[sample.letter].name
    easy, medium = sample.thresholds
    return Panel(f"{sample.letter} {name}", sample.numbers, easy, medium)
