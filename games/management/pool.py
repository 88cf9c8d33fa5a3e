"""Positions solved on all cores: pure functions in processes of their own, which know no Django and no database."""

import multiprocessing
import os
import queue
import signal
import threading
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass
from typing import Literal, TypeVar

from games.engine.position import Position
from games.engine.solver import Limit, most_removable, shortest, winnable

# How far the reading may run ahead of the answers, for each process.
AHEAD = 8

Label = TypeVar("Label")


@dataclass(frozen=True, slots=True)
class Question:
    """What to find out about a position: `limit` in seconds for all of it, `par` beside the verdict, `most` or not."""

    position: Position
    limit: float | None = None
    par: bool = True
    most: bool = False


@dataclass(frozen=True, slots=True)
class Solution:
    """The answer. ms: of a core's time. most_tableau, most_total, most_proven: None where not asked for."""

    verdict: Literal["winnable", "unwinnable", "unknown"]
    line: tuple[str, ...] | None
    par_proven: bool
    most_tableau: int | None
    most_total: int | None
    most_proven: bool | None
    ms: float
    states: int


def solve(question: Question) -> Solution:
    """Answer one question in this process."""
    begin, worked = time.monotonic(), time.process_time()
    answer = (shortest if question.par else winnable)(question.position, remaining(question.limit, begin))
    states = answer.states
    most = None
    if question.most:
        most = most_removable(question.position, remaining(question.limit, begin))
        states += most.states
    return Solution(
        answer.verdict,
        answer.line,
        answer.par_proven,
        most.tableau if most else None,
        most.total if most else None,
        most.proven if most else None,
        round(1000 * (time.process_time() - worked), 1),
        states,
    )


def remaining(seconds: float | None, begin: float) -> Limit:
    """What is left of so many seconds since `begin`."""
    if seconds is None:
        return Limit()
    return Limit(seconds=max(0.0, begin + seconds - time.monotonic()), clock=time.monotonic)


def count_cores() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Pool:
    """Processes that answer questions; `with` ends them, whatever they are at.

    They are spawned, so that nothing of this process is copied: no connection, no lock, no thread.
    """

    def __init__(self, processes: int | None = None) -> None:
        self.processes = processes or count_cores()
        spawn = multiprocessing.get_context("spawn")
        self._executor = ProcessPoolExecutor(self.processes, mp_context=spawn, initializer=watch_parent)

    def __enter__(self) -> "Pool":
        return self

    def __exit__(self, *_: object) -> None:
        self._executor.shutdown(wait=False, cancel_futures=True)
        # a question without a limit may run for as long as it likes: waiting for it is no way to end
        for process in multiprocessing.active_children():
            process.kill()

    def answer(self, questions: Iterable[tuple[Label, Question | None]]) -> Iterator[tuple[Label, Solution | None]]:
        """The answers in the order of the questions, each as soon as it and all before it are there.

        A question carries a label along; None has no answer. The questions are read in a thread of their own, so that
        an answer does not wait for the next question; an error in reading is raised here, after the answers before it.
        Raises BrokenProcessPool if a process dies, of want of memory for example.
        """
        asked: queue.Queue[tuple[Label, Future[Solution] | None] | BaseException | None]
        asked = queue.Queue(AHEAD * self.processes)

        def read() -> None:
            try:
                for label, question in questions:
                    asked.put((label, self._executor.submit(solve, question) if question else None))
            except BaseException as error:
                asked.put(error)
            else:
                asked.put(None)

        threading.Thread(target=read, daemon=True).start()
        while (item := asked.get()) is not None:
            if isinstance(item, BaseException):
                raise item
            label, future = item
            yield label, future.result() if future else None


def watch_parent() -> None:
    """End this process when the one that started it ends, however that comes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent sees to it
    parent = multiprocessing.parent_process()
    assert parent is not None

    def wait() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=wait, daemon=True).start()
