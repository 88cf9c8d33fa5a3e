"""Several uvicorn processes on one port, and the parent that keeps them alive.

The parent holds one listener for each worker, all on one port (SO_REUSEPORT), for as long as it runs: the kernel
spreads new connections over them, and those that come while a worker is gone wait for the next one.
"""

import logging
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import uvicorn

import pyramid_site
from pyramid_site.sockets import Socket

logger = logging.getLogger(__name__)

END_SECONDS = 10  # for the running requests of a worker to end
SHORT_LIFE = 10.0  # seconds; a worker that ends sooner is started again after a pause, which doubles each time
FIRST_PAUSE, LONGEST_PAUSE = 0.5, 30.0
MESSAGE_LIMIT = 4096  # bytes of a message from a websocket client


class Worker:
    """One place for a worker process, and its listener."""

    def __init__(self, listener: socket.socket, lifeline: int, arguments: list[str]) -> None:
        self.listener = listener
        self.lifeline = lifeline
        self.arguments = arguments
        self.pause = 0.0
        self.start()

    def start(self) -> None:
        fds = (self.listener.fileno(), self.lifeline)
        root = str(Path(pyramid_site.__file__).parent.parent)
        path = os.pathsep.join(filter(None, (root, os.environ.get("PYTHONPATH"))))
        self.started = time.monotonic()
        self.process = subprocess.Popen(
            [sys.executable, "-m", "pyramid_site.workers", *map(str, fds), *self.arguments],
            env=os.environ | {"PYTHONPATH": path},
            pass_fds=fds,
            start_new_session=True,  # Ctrl-C is for the parent, which passes it on once
        )

    def look_after(self) -> None:
        """Starts the process again if it has ended and its pause is over."""
        if self.process.poll() is None:
            return
        if self.started:
            lived = time.monotonic() - self.started
            self.pause = 0.0 if lived > SHORT_LIFE else min(LONGEST_PAUSE, max(FIRST_PAUSE, 2 * self.pause))
            self.due = time.monotonic() + self.pause
            self.started = 0.0
            code = self.process.returncode
            logger.warning("Worker %s ended (%s); the next starts in %s s.", self.process.pid, code, self.pause)
        if time.monotonic() >= self.due:
            self.start()


def run_workers(listeners: list[socket.socket], *, proxy_headers: bool, stopping: threading.Event) -> None:
    """Keeps a worker at each of `listeners` until `stopping` is set; then ends them and returns when all are gone."""
    lifeline, held = os.pipe()  # a worker reads it and gets its end when this process has gone, however it went
    arguments = ["--proxy-headers"] if proxy_headers else []
    workers = [Worker(listener, lifeline, arguments) for listener in listeners]
    try:
        while not stopping.wait(0.1):
            for worker in workers:
                worker.look_after()
    finally:
        for worker in workers:
            worker.process.terminate()
        for worker in workers:
            try:
                worker.process.wait(END_SECONDS + 5)
            except subprocess.TimeoutExpired:
                worker.process.kill()
                worker.process.wait()
        os.close(held)
        os.close(lifeline)


# In a worker


def end_with_parent(lifeline: int) -> None:
    """Ends this process, gracefully if that works, when the parent has gone."""
    os.read(lifeline, 1)
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(END_SECONDS + 5)
    os._exit(1)


def work(listener: socket.socket, *, proxy_headers: bool) -> None:
    """Serves `listener` until SIGTERM."""
    from pyramid_site.asgi import application

    uvicorn.Server(configure(application, proxy_headers=proxy_headers)).run(sockets=[listener])


def configure(application: Any, *, proxy_headers: bool) -> uvicorn.Config:
    """uvicorn's settings: a websocket may live for ever if it answers the pings."""
    return uvicorn.Config(
        application,
        lifespan="on",
        log_config=None,  # as the settings say
        access_log=False,
        server_header=False,
        proxy_headers=proxy_headers,
        timeout_keep_alive=75,  # longer than a proxy keeps an idle connection (nginx: 60)
        timeout_graceful_shutdown=END_SECONDS,
        ws=Socket,
        ws_max_size=MESSAGE_LIMIT,
        ws_ping_interval=20,
        ws_ping_timeout=30,
        ws_per_message_deflate=False,  # each client would have its own compressor, run again for each frame
    )


def main() -> None:
    listener, lifeline = int(sys.argv[1]), int(sys.argv[2])
    for number in (listener, lifeline):
        os.set_inheritable(number, False)  # not for a database server that this process may start
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))  # uvicorn raises the signal again when it has ended
    threading.Thread(target=end_with_parent, args=(lifeline,), daemon=True).start()
    work(socket.socket(fileno=listener), proxy_headers="--proxy-headers" in sys.argv)


if __name__ == "__main__":
    main()
