"""Real servers on the tests' database, started once for all tests."""

import os
import re
import resource
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import pytest
from django.db import connection

from tests.live.sockets import ARGUMENTS
from tests.site.servers import KINDS, RunningServer, database_environment, serve

MISTAKES = re.compile(r"Traceback|never retrieved|was destroyed|never awaited|Unexpected ASGI")


FEW = 256
BUSY = "SELECT count(*) FROM pg_stat_activity WHERE state <> 'idle' AND pid <> pg_backend_pid() AND datname = %s"


@pytest.fixture(autouse=True)
def settled(transactional_db: None) -> Iterator[None]:
    """The tables are emptied after a test: not in the midst of what a server does for a client that has gone."""
    yield
    quiet = 0
    while quiet < 3:
        with connection.cursor() as cursor:
            cursor.execute(BUSY, [connection.settings_dict["NAME"]])
            quiet = 0 if cursor.fetchone()[0] else quiet + 1
        time.sleep(0.02)


@contextmanager
def few_files() -> Iterator[None]:
    """What is started in here may open few files, unless it asks for more."""
    soft, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (FEW, most))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, most))


@pytest.fixture(scope="session", params=KINDS)
def server(request: pytest.FixtureRequest, django_db_setup: None, django_db_blocker: Any) -> Iterator[RunningServer]:
    """A daphne, then a uvicorn; at the end there must be no mistake in its log."""
    with django_db_blocker.unblock():
        env = database_environment()
    env |= {"CSRF_TRUSTED_ORIGINS": "https://trusted.example", "PGAPPNAME": f"test-live-{os.getpid()}"}
    with ExitStack() as stack:
        with few_files():
            server = stack.enter_context(serve(ARGUMENTS[request.param], env))
        yield server
        assert not MISTAKES.search(server.log.read_text()), server.log.read_text()
