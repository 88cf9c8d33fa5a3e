"""Solving beside the server: a search takes seconds and all of a core, so it runs in a process of its own.

A process pool cannot end a running job; a process can be killed. Each server process starts its workers when they are
first needed and keeps them. A question is asked only where one of the machine's slots is free: a slot is a file in
DATA_DIR, locked while the question lasts. The kernel knows which locks are held and drops those of whoever dies, so
all server processes of a machine share one cap, and nothing needs tidying up.
"""

import fcntl
import json
import logging
import os
import select
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from django.conf import settings

from games.engine.position import Position

HINT_SECONDS = 2.0
UNASKED_SECONDS = 0.2  # for what is told with a move: a thread waits for so long at most
OWN_SHARE = 0.8  # of the time is the search's: a line that it has by then, it still tells

logger = logging.getLogger(__name__)


class Solved(NamedTuple):
    """A proof: the position can be won, by this line from there (the shortest if `par_proven`), or it cannot."""

    verdict: str
    line: tuple[str, ...] | None
    par_proven: bool

    @property
    def is_hopeless(self) -> bool:
        return self.verdict == "unwinnable"


def find_shortest(position: Position, *, seconds: float) -> Solved | None:
    """The shortest line that wins, or the proof that there is none.

    None where it was not found in time, and at once where the machine is busy with other questions.
    """
    return _solve("shortest", position, seconds, range(settings.SOLVERS))


def is_hopeless(position: Position, *, seconds: float) -> bool:
    """Whether it is proven that the position cannot be won; False says nothing. One such question at a time."""
    solved = _solve("winnable", position, seconds, range(1))
    return solved is not None and solved.is_hopeless


def prepare() -> None:
    """Start a process, where none is there, for a short question that will come: to start takes longer than that."""
    try:
        with _take_slot(range(1)) as taken:
            if taken and not _idle:
                _idle.append(Worker())
    except OSError:
        logger.exception("Nothing can be solved here.")


def _solve(ask: str, position: Position, seconds: float, slots: range) -> Solved | None:
    end = time.monotonic() + seconds
    question = {"ask": ask, "position": position.text, "seconds": seconds * OWN_SHARE}
    try:
        with _take_slot(slots) as taken:
            answer = _ask(question, end) if taken else None
    except OSError:  # no room for files or processes: there is an ordinary hint without them
        logger.exception("Nothing can be solved here.")
        return None
    if answer is None or answer["verdict"] == "unknown":
        return None
    return Solved(answer["verdict"], answer["line"] and tuple(answer["line"]), answer["par_proven"])


# Slots


@contextmanager
def _take_slot(slots: range) -> Iterator[bool]:
    """Whether one of the slots was free: the others' first, so that the first is left for short questions."""
    folder = Path(settings.DATA_DIR) / "solving"
    folder.mkdir(parents=True, exist_ok=True)
    for number in reversed(slots):
        # a lock belongs to this opening of the file: two threads do not share it either
        with open(folder / f"slot-{number}", "w") as slot:
            try:
                fcntl.flock(slot, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                continue
            yield True
            return
    yield False


# Workers


class Late(Exception):
    """No answer in time."""


class Worker:
    """A process of `games.solving_worker` and its pipes. One thread at a time asks it."""

    def __init__(self) -> None:
        root = str(Path(__file__).parent.parent)
        self.process = subprocess.Popen(
            # -S: the engine needs nothing that is installed, and starts in half the time
            [sys.executable, "-S", "-m", "games.solving_worker"],
            env=os.environ | {"PYTHONPATH": root},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            bufsize=0,
            start_new_session=True,  # Ctrl-C is for the server; its end is the end of the input
        )
        os.setpriority(os.PRIO_PROCESS, self.process.pid, 19)  # from its first moment: to start takes a while, too
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.stdin, self.stdout = self.process.stdin, self.process.stdout
        self.is_ready = False

    def wait_until_ready(self, end: float) -> None:
        """Raises Late, EOFError."""
        if not self.is_ready:
            self.read(end)
            self.is_ready = True

    def ask(self, question: dict[str, Any], end: float) -> dict[str, Any]:
        """The answer. Raises Late, EOFError where the process is dead."""
        try:
            self.stdin.write(json.dumps(question).encode() + b"\n")
        except BrokenPipeError:
            raise EOFError from None
        return self.read(end)

    def read(self, end: float) -> dict[str, Any]:
        """The next line, by `end` of the monotonic clock."""
        text = b""
        ready = select.poll()
        ready.register(self.stdout, select.POLLIN)
        while not text.endswith(b"\n"):
            if not ready.poll(max(0.0, end - time.monotonic()) * 1000):
                raise Late
            piece = self.stdout.read(65536)
            if not piece:
                raise EOFError
            text += piece
        return json.loads(text)

    def end(self) -> None:
        self.process.kill()
        self.process.wait()
        self.stdin.close()
        self.stdout.close()


_idle: list[Worker] = []
"""Workers that nobody asks now. Who holds a slot takes one, or starts one, and puts it back before the slot is free:
there are never more than slots."""


def _take_worker() -> Worker:
    while True:
        try:
            worker = _idle.pop()
        except IndexError:
            return Worker()
        if worker.process.poll() is None:
            return worker
        worker.end()  # it had nothing to do for long, or was killed


def _ask(question: dict[str, Any], end: float) -> dict[str, Any] | None:
    """The answer of a worker, or None by `end`: then it is killed, and the next one started."""
    for _attempt in range(2):
        worker = _take_worker()
        try:
            worker.wait_until_ready(end)
        except Late:  # it is starting still, and asked nothing yet
            _idle.append(worker)
            return None
        except EOFError:
            worker.end()
            continue
        try:
            answer = worker.ask(question, end)
        except Late:
            worker.end()
            _idle.append(Worker())
            return None
        except EOFError:  # killed by hand, or it had just ended for want of work
            worker.end()
            continue
        _idle.append(worker)
        return answer
    logger.warning("Solving processes die: a question was asked twice.")
    return None
