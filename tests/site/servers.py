"""Real servers for any test: `with running_server("daphne") as base_url:`; and sites for them to serve."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

import psutil
from django.conf import settings
from django.db import connection

from pyramid_site.database import watch

ROOT = Path(__file__).parents[2]
KINDS = ("daphne", "uvicorn")
START_SECONDS = 60
END_SECONDS = 20
RUN = os.environ.get("PYTEST_XDIST_TESTRUNUID") or str(os.getpid())  # all workers of one run of tests have the same


@dataclass
class RunningServer:
    """`manage.py serve` in a process of its own. url ends with a slash; log grows while it runs."""

    url: str
    process: subprocess.Popen[bytes]
    log: Path

    @property
    def port(self) -> int:
        return int(self.url.rsplit(":", 1)[1].rstrip("/"))

    def family(self) -> list[psutil.Process]:
        """The processes that it has started, and theirs."""
        return psutil.Process(self.process.pid).children(recursive=True)


def database_environment() -> dict[str, str]:
    """What lets a server use the database of the test that asks (which must be a transaction=True one)."""
    found = {name: quote(str(connection.settings_dict[name]), safe="") for name in ("USER", "HOST", "PORT", "NAME")}
    url = "postgresql://{USER}@/{NAME}?host={HOST}&port={PORT}".format(**found)
    return {"DATABASE_URL": url, "SECRET_KEY": settings.SECRET_KEY}


def manage(folder: Path, *command: str, **environment: str) -> None:
    """Run a command of manage.py on the site in `folder`."""
    env = os.environ | {"DATA_DIR": str(folder)} | environment
    subprocess.run([sys.executable, "manage.py", *command, "-v0"], cwd=ROOT, env=env, check=True)


def lay_out_site(folder: Path) -> None:
    """Put into `folder` what a new site has in its DATA_DIR: a migrated database without rows, and the static files."""
    copy_site("new", make_site, folder)


def make_site(folder: Path) -> None:
    manage(folder, "migrate")
    manage(folder, "collectstatic", "--no-input")


def copy_site(name: str, make: Callable[[Path], None], folder: Path) -> None:
    """Copy the site `name` to `folder`. The first call in a run of the tests has `make` make it in the folder it gets.

    A copy takes a tenth of a second, migrations many; the database stands still while it is copied.
    """
    sites = Path(os.environ["DATA_DIR"]) / "sites"
    site = sites / RUN / name
    sites.mkdir(parents=True, exist_ok=True)
    lock = watch.lock(str(sites / f"{name}.lock"))
    try:
        if not site.exists():
            for old in sites.iterdir():
                if old.is_dir() and old.name != RUN:
                    shutil.rmtree(old, ignore_errors=True)
            unfinished = site.with_name(f"{name}.unfinished")
            unfinished.mkdir(parents=True)
            make(unfinished)
            os.close(watch.lock(str(unfinished / "postgres/server.lock")))  # held until the database has stopped
            unfinished.rename(site)
    finally:
        os.close(lock)
    subprocess.run(["cp", "-a", f"{site}/.", str(folder)], check=True)  # with owners: the database's is not root


@contextmanager
def running_server(kind: str, env: Mapping[str, str] | None = None) -> Iterator[str]:
    """The address, without a slash at its end, of a server that answers: "daphne", or "uvicorn" with one worker.

    env: added to this process's environment (database_environment(), DJANGO_SETTINGS_MODULE, ...). When the block
    ends, so does the server with all its processes; when it fails, the server's log is printed.
    """
    with serve({"daphne": (), "uvicorn": ("--workers", "1")}[kind], env) as server:
        yield server.url.rstrip("/")


@contextmanager
def serve(arguments: Sequence[str] = (), env: Mapping[str, str] | None = None) -> Iterator[RunningServer]:
    """The same for any arguments of `manage.py serve`; --port is a free one unless it is given."""
    with tempfile.TemporaryDirectory(prefix="serve-") as folder:
        log = Path(folder) / "log"
        with log.open("wb") as output:
            process = subprocess.Popen(
                [sys.executable, "manage.py", "serve", "--port", "0", *arguments],
                cwd=ROOT,
                env=os.environ | {"PYTHONUNBUFFERED": "1"} | dict(env or {}),
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        family: list[psutil.Process] = []
        try:
            server = RunningServer(_wait_for_address(process, log), process, log)
            family = server.family()
            yield server
        except BaseException:
            print(f"--- log of the server ({' '.join(arguments)})", log.read_text(errors="replace"), sep="\n")
            raise
        finally:
            _end(process, family)


def _wait_for_address(process: subprocess.Popen[bytes], log: Path) -> str:
    end = time.monotonic() + START_SECONDS
    while time.monotonic() < end:
        if found := re.search(r"is ready on (http://\S+)", log.read_text(errors="replace")):
            return found[1]
        if "answers with status" in log.read_text(errors="replace"):
            raise RuntimeError("The server has no usable database.")
        if process.poll() is not None:
            raise RuntimeError(f"The server ended with {process.returncode} before it was ready.")
        time.sleep(0.02)
    raise RuntimeError(f"The server was not ready after {START_SECONDS} s.")


def _end(process: subprocess.Popen[bytes], family: list[psutil.Process]) -> None:
    if process.poll() is None:
        family += psutil.Process(process.pid).children(recursive=True)
        process.terminate()
    try:
        process.wait(END_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    _, left = psutil.wait_procs(family, END_SECONDS)
    for survivor in left:
        survivor.kill()
