"""`manage.py serve`: the web server.

The servers belong to pyramid_site, which games does not import; only an app can have a command, so they are named.
"""

import contextlib
import errno
import http.client
import os
import resource
import signal
import socket
import sys
import threading
import time
from typing import Any

from django.conf import settings
from django.contrib.staticfiles.storage import staticfiles_storage
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils.module_loading import import_string

BACKLOG = 2048
PROBE_SECONDS = 0.1


class Command(BaseCommand):
    help = "Serves the site: one daphne process, or with --workers N as many uvicorn processes on one port."
    requires_system_checks: list[str] = []  # `manage.py check` makes them; a start need not wait for them

    def add_arguments(self, parser: CommandParser) -> None:
        host, port = os.environ.get("HOST") or "127.0.0.1", os.environ.get("PORT") or "8000"
        parser.add_argument("--host", default=host, help="address to listen on (HOST; default 127.0.0.1)")
        parser.add_argument("--port", default=port, type=int, help="port, 0 for a free one (PORT; default 8000)")
        parser.add_argument("--workers", type=int, metavar="N", help="serve from N uvicorn processes")
        parser.add_argument(
            "--proxy-headers",
            action="store_true",
            help="with --workers: believe X-Forwarded-For and -Proto of the proxies in FORWARDED_ALLOW_IPS",
        )

    def handle(self, *, host: str, port: int, workers: int | None, proxy_headers: bool, **options: Any) -> None:
        if workers is not None and workers < 1:
            raise CommandError("--workers needs a number above 0.")
        if proxy_headers and workers is None:
            raise CommandError("--proxy-headers needs --workers.")
        raise_file_limit()
        listeners = open_listeners(host, port, workers or 1)
        threading.Thread(target=self.announce, args=(host, listeners[0].getsockname()), daemon=True).start()
        try:
            if workers is None:
                serve_with_daphne(listeners[0])
            else:
                serve_with_workers(listeners, proxy_headers)
        except KeyboardInterrupt:
            pass

    def announce(self, host: str, address: tuple[Any, ...]) -> None:
        """Says where the server is as soon as it answers a request there."""
        shown = f"[{host.strip('[]')}]" if ":" in host else host
        url = f"http://{shown}:{address[1]}/"
        status = wait_for_answer(address)
        if not settings.DEBUG and not staticfiles_storage.exists("staticfiles.json"):
            self.stderr.write("The pages have neither style nor scripts before manage.py collectstatic has run.")
        if status < 500:
            self.stdout.write(f"Pyramidion is ready on {url}")
        else:
            self.stderr.write(f"{url} answers with status {status}. Is the database ready (manage.py migrate)?")
        self.stdout.flush()


def raise_file_limit() -> None:
    """Let this process and its workers open as many files as they may: each websocket is one."""
    _soft, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    with contextlib.suppress(OSError, ValueError):  # where "as many as you like" is no number of files
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def open_listeners(host: str, port: int, count: int) -> list[socket.socket]:
    """`count` listening sockets on one address. Raises CommandError.

    The first is bound as if it were to be alone, so that another server's port is refused: with SO_REUSEPORT from
    the start the two would share it in silence.
    """
    if not 0 <= port < 65536:
        raise CommandError(f"There is no port {port}.")
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host.strip("[]"), port, type=socket.SOCK_STREAM)[0]
    except OSError as error:
        raise CommandError(f"There is no address {host}: {error.strerror}.") from None
    listeners: list[socket.socket] = []
    for _ in range(count if sys.platform == "linux" else 1):
        listener = socket.socket(family, kind, protocol)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if listeners:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        try:
            listener.bind(address)
        except OSError as error:
            reason = "another program listens there" if error.errno == errno.EADDRINUSE else error.strerror
            raise CommandError(f"Cannot listen on {host}, port {port}: {reason}.") from None
        if count > 1:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        address = listener.getsockname()
        listeners.append(listener)
    for listener in listeners:
        listener.listen(BACKLOG)
    return listeners * (count // len(listeners))  # elsewhere than on Linux the workers share one


def serve_with_daphne(listener: socket.socket) -> None:
    import_string("pyramid_site.daphne_server.BoundedServer")(import_string(settings.ASGI_APPLICATION), listener).run()


def serve_with_workers(listeners: list[socket.socket], proxy_headers: bool) -> None:
    stopping = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stopping.set())
    run_workers = import_string("pyramid_site.workers.run_workers")
    run_workers(listeners, proxy_headers=proxy_headers, stopping=stopping)


def wait_for_answer(address: tuple[Any, ...]) -> int:
    """The status of the first answer to a request at `address`."""
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(address[0], address[0])
    name = next((name.lstrip(".") for name in settings.ALLOWED_HOSTS if name != "*"), "localhost")
    while True:
        connection = http.client.HTTPConnection(host, address[1], timeout=60)
        try:
            connection.request("GET", "/", headers={"Host": name, "Connection": "close"})
            return connection.getresponse().status
        except (OSError, http.client.HTTPException):
            time.sleep(PROBE_SECONDS)
        finally:
            connection.close()
