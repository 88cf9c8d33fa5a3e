"""The process in which positions are solved: JSON lines in, JSON lines out, no Django. `games.solving` starts it.

A line {"ask": "shortest" or "winnable", "position": "...", "seconds": 1.6} is answered with {"verdict", "line",
"par_proven"}. The first line it writes is {"ready": true}. It ends when its input does, when it has had nothing to do
for IDLE_SECONDS, and after an answer that memory did not suffice for.
"""

import gc
import json
import os
import queue
import resource
import sys
import threading
import time
from typing import Any

from games.engine.position import Position
from games.engine.solver import Limit, shortest, winnable

MEMORY = 512 << 20
"""Bytes of addresses. The solver stays under 400 MB on every deal that was measured, the interpreter and its two
threads take 50; who needs more than that is not answered, and the server beside it keeps its memory."""
IDLE_SECONDS = 300.0
ASKS = {"shortest": shortest, "winnable": winnable}


UNKNOWN = b'{"verdict": "unknown", "line": null, "par_proven": false}\n'


def main() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=read_lines, args=(lines,), daemon=True).start()
    write({"ready": True})
    gc.disable()  # a search makes millions of objects and no cycles
    try:
        while True:
            write(solve(json.loads(lines.get(timeout=IDLE_SECONDS))))
            gc.collect()
    except queue.Empty:
        os._exit(0)
    except MemoryError:  # there may be none left to make an answer of
        os.write(1, UNKNOWN)
        os._exit(1)


def read_lines(lines: "queue.SimpleQueue[bytes]") -> None:
    """In a thread, so that the end of the input ends the process in the middle of a search, too."""
    for line in sys.stdin.buffer:
        lines.put(line)
    os._exit(0)


def solve(question: dict[str, Any]) -> dict[str, Any]:
    limit = Limit(seconds=question["seconds"], clock=time.monotonic)
    answer = ASKS[question["ask"]](Position.read(question["position"]), limit)
    return {"verdict": answer.verdict, "line": answer.line, "par_proven": answer.par_proven}


def write(answer: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
