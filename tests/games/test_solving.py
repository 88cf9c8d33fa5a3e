"""Is a question solved beside the server, within its limits, whatever happens to the process that solves it?

Real processes. A stopped one (SIGSTOP) stands for a search that does not come to its end.
"""

import os
import resource
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from games import solving
from games.engine.deal import Deal
from games.engine.position import Position
from games.solving_worker import MEMORY
from tests.site.servers import ROOT

HARD = Position.start(Deal.from_code("PY1-N-AAAAAAS"))  # par 53
LOST = Position.start(Deal.from_code("PY1-N-AAAAAAJ"))
LONG = 30.0


@pytest.fixture(autouse=True)
def machine(settings: Any, tmp_path: Path) -> Iterator[None]:
    """A machine of its own that may solve one question at a time."""
    settings.DATA_DIR, settings.SOLVERS = tmp_path, 1
    end_workers()
    yield
    end_workers()


def end_workers() -> None:
    while solving._idle:
        solving._idle.pop().end()


def worker() -> psutil.Process:
    """The worker that is there and ready."""
    assert solving.find_shortest(LOST, seconds=LONG) is not None
    (found,) = solving._idle
    return psutil.Process(found.process.pid)


def wait_until(happened: Callable[[], object]) -> None:
    end = time.monotonic() + 20
    while not happened():
        assert time.monotonic() < end
        time.sleep(0.01)


def ask_in_thread(seconds: float = LONG) -> tuple[threading.Thread, list[Any]]:
    """A thread that holds the only slot and asks; what it is answered."""
    answers: list[Any] = []
    thread = threading.Thread(target=lambda: answers.append(solving.find_shortest(LOST, seconds=seconds)))
    thread.start()
    wait_until(lambda: not solving._idle)
    return thread, answers


def test_a_position_is_solved_in_a_process_of_low_priority() -> None:
    solved = solving.find_shortest(HARD, seconds=LONG)
    assert solved is not None
    assert (solved.verdict, len(solved.line or ()), solved.par_proven) == ("winnable", 53, True)
    lost = solving.find_shortest(LOST, seconds=LONG)
    assert lost is not None
    assert (lost.is_hopeless, lost.line) == (True, None)
    process = worker()
    assert process.parent() == psutil.Process()
    assert process.nice() == 19
    assert solving.is_hopeless(LOST, seconds=LONG)
    assert not solving.is_hopeless(HARD, seconds=LONG)
    assert worker() == process, "one process answers them all"


def test_at_the_deadline_the_process_is_killed_and_the_next_one_answers() -> None:
    process = worker()
    process.suspend()
    assert solving.find_shortest(HARD, seconds=0.1) is None
    assert not process.is_running()
    (started,) = solving._idle
    assert started.process.poll() is None, "before anybody needs it"
    assert worker().pid == started.process.pid != process.pid


def test_a_search_ends_itself_a_little_before_the_deadline() -> None:
    process = worker()
    solved = solving.find_shortest(HARD, seconds=0.05)
    assert solved is None or not solved.par_proven, "a quick machine may have a line by then, but no proof"
    assert solving.find_shortest(LOST, seconds=LONG) is not None
    assert worker() == process or not process.is_running()


def test_who_comes_while_a_process_starts_leaves_it_to_the_next() -> None:
    assert solving.find_shortest(LOST, seconds=0.0) is None
    (starting,) = solving._idle
    assert worker().pid == starting.process.pid


def test_a_process_can_be_started_before_the_question_comes() -> None:
    solving.prepare()
    (started,) = solving._idle
    solving.prepare()
    assert solving._idle == [started]
    assert worker().pid == started.process.pid


def test_without_a_place_for_slots_there_is_no_answer_and_no_error(settings: Any, tmp_path: Path) -> None:
    settings.DATA_DIR = tmp_path / "file"
    settings.DATA_DIR.write_text("no folder")
    solving.prepare()
    assert solving.find_shortest(LOST, seconds=LONG) is None
    assert not solving.is_hopeless(LOST, seconds=LONG)
    assert not solving._idle


def test_a_search_that_wants_more_memory_is_given_up_and_the_next_is_answered() -> None:
    process = worker()
    assert resource.prlimit(process.pid, resource.RLIMIT_AS) == (MEMORY, MEMORY)
    now = process.memory_info().vms
    resource.prlimit(process.pid, resource.RLIMIT_AS, (now, now))
    assert solving.find_shortest(HARD, seconds=LONG) is None
    wait_until(lambda: not process.is_running() or process.status() == psutil.STATUS_ZOMBIE)
    solved = solving.find_shortest(HARD, seconds=LONG)
    assert solved is not None
    assert solved.par_proven


@pytest.mark.parametrize("busy", [True, False])
def test_a_process_that_is_killed_by_hand_is_replaced(busy: bool) -> None:
    process = worker()
    if busy:
        process.suspend()
        thread, answers = ask_in_thread()
        process.kill()
        thread.join()
        (answer,) = answers
        assert answer.is_hopeless
    else:
        process.kill()
        wait_until(lambda: process.status() == psutil.STATUS_ZOMBIE)
    assert worker().pid != process.pid
    assert not process.is_running(), "nor is its zombie left"


def test_beyond_the_cap_there_is_no_answer_at_once_and_later_there_is() -> None:
    process = worker()
    process.suspend()
    thread, answers = ask_in_thread()
    assert solving.find_shortest(HARD, seconds=LONG) is None
    assert not solving.is_hopeless(LOST, seconds=LONG)
    assert thread.is_alive(), "it did not wait for the other"
    process.resume()
    thread.join()
    assert answers[0].is_hopeless
    assert worker() == process


def test_an_unasked_question_takes_no_more_than_one_slot(settings: Any) -> None:
    settings.SOLVERS = 2
    process = worker()
    process.suspend()
    with solving._take_slot(range(1)) as taken:
        assert taken
        assert not solving.is_hopeless(LOST, seconds=LONG), "busy"
        thread, answers = ask_in_thread()
        process.resume()
        thread.join()
        assert answers[0].is_hopeless, "a hint finds the other slot"


def test_many_threads_get_answers_or_none_and_leave_as_many_processes_as_slots(settings: Any) -> None:
    settings.SOLVERS = 2
    answers: list[Any] = []

    def ask() -> None:
        answers.extend(solving.find_shortest(LOST, seconds=LONG) for _ in range(10))

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {answer is None or answer.is_hopeless for answer in answers} == {True}
    assert any(answers)
    assert 1 <= len(solving._idle) <= 2
    pids = {idle.process.pid for idle in solving._idle}
    mine = {child.pid for child in psutil.Process().children() if "games.solving_worker" in child.cmdline()}
    assert mine == pids


# Other server processes


OTHER = """
import os, signal, sys
import django
django.setup()
from games import solving
from tests.games.test_solving import HARD, LONG, LOST
solving.find_shortest(LOST, seconds=LONG)
(worker,) = solving._idle
if sys.argv[1] == "hold":
    os.kill(worker.process.pid, signal.SIGSTOP)
print(worker.process.pid, flush=True)
while True:
    solving.find_shortest(HARD, seconds=LONG)
"""


@pytest.fixture
def other(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[psutil.Process, psutil.Process]]:
    """Another server process of the machine, and its worker: it asks again and again, or holds the slot."""
    env = os.environ | {"DATA_DIR": str(tmp_path), "SOLVERS": "1"}
    with subprocess.Popen(
        [sys.executable, "-c", OTHER, request.param], cwd=ROOT, env=env, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        found = psutil.Process(int(process.stdout.readline()))
        try:
            yield psutil.Process(process.pid), found
        finally:
            process.kill()
            if found.is_running():
                found.kill()


@pytest.mark.parametrize("other", ["hold"], indirect=True)
def test_two_server_processes_share_one_cap(other: tuple[psutil.Process, psutil.Process]) -> None:
    server, _worker = other
    wait_until(lambda: solving.find_shortest(LOST, seconds=LONG) is None)
    assert solving.find_shortest(LOST, seconds=LONG) is None
    server.kill()
    wait_until(lambda: solving.find_shortest(LOST, seconds=LONG) is not None)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
@pytest.mark.parametrize("other", ["ask"], indirect=True)
def test_no_process_outlives_its_server(other: tuple[psutil.Process, psutil.Process], number: int) -> None:
    server, orphan = other
    wait_until(lambda: orphan.status() == psutil.STATUS_RUNNING)
    server.send_signal(number)
    wait_until(lambda: not orphan.is_running() or orphan.status() == psutil.STATUS_ZOMBIE)
