"""Deals proven and rated on all cores: pure functions in processes of their own, as in games.management.pool."""

import multiprocessing
import time
from collections.abc import Generator, Iterable
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import dataclass
from itertools import islice
from typing import Any

from games.engine.deal import Deal
from games.engine.difficulty import rate
from games.engine.position import Position
from games.engine.solver import Limit, shortest
from games.management.pool import count_cores, watch_parent

AHEAD = 2  # deals that wait for each process


@dataclass(frozen=True, slots=True)
class Proof:
    """What was found out about the deal of a code; difficulty and number for a winnable one only."""

    code: str
    verdict: str
    line: tuple[str, ...] | None
    par_proven: bool
    difficulty: str = ""
    number: int | None = None

    @property
    def fields(self) -> dict[str, Any]:
        """As `actions.store_proof` takes them."""
        return {name: getattr(self, name) for name in ("verdict", "line", "par_proven", "difficulty", "number")}


def prove(code: str, seconds: float) -> Proof:
    """Solve the deal of a code in at most so many seconds, and rate it if it can be won."""
    deal = Deal.from_code(code)
    answer = shortest(Position.start(deal), Limit(seconds=seconds, clock=time.monotonic))
    if answer.line is None:
        return Proof(code, answer.verdict, None, False)
    difficulty = rate(deal)
    return Proof(code, "winnable", answer.line, answer.par_proven, difficulty.label, difficulty.number)


def prove_all(codes: Iterable[str], seconds: float, processes: int | None = None) -> Generator[Proof, None, None]:
    """The proofs in whatever order they are found; `codes` may be endless, and is read as proofs are taken.

    Closing the iterator ends the processes.
    """
    processes = processes or count_cores()
    spawn = multiprocessing.get_context("spawn")  # nothing of this process is copied, no connection either
    executor = ProcessPoolExecutor(processes, mp_context=spawn, initializer=watch_parent)
    waiting = iter(codes)
    asked: set[Future[Proof]] = set()
    try:
        while True:
            room = processes * (1 + AHEAD) - len(asked)
            asked |= {executor.submit(prove, code, seconds) for code in islice(waiting, room)}
            if not asked:
                return
            done, asked = wait(asked, return_when=FIRST_COMPLETED)
            for future in done:
                yield future.result()
    finally:
        for process in multiprocessing.active_children():
            process.kill()
        executor.shutdown(wait=False, cancel_futures=True)
