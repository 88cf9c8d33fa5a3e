"""A real server with an empty database of its own, for tests that go over HTTP."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.site.servers import lay_out_site, manage, running_server


@pytest.fixture(scope="module")
def fresh_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a daphne on a migrated database without rows, as `make run` starts it."""
    with serve_from(tmp_path_factory.mktemp("site")) as url:
        yield url


@pytest.fixture(scope="module")
def daily_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The same with today's daily in ruleset T, in which no program is taken for a human on however busy a machine."""
    mint = ["mint_dailies", "--days", "1", "--ruleset", "T"]
    with serve_from(tmp_path_factory.mktemp("site"), mint, HUMAN_FLOORS="*=1000/300") as url:
        yield url


@contextmanager
def serve_from(folder: Path, *commands: list[str], **environment: str) -> Iterator[str]:
    """A server that keeps its data in `folder`, after these commands of manage.py."""
    lay_out_site(folder)
    for command in commands:
        manage(folder, *command, **environment)
    with running_server("daphne", {"DATA_DIR": str(folder)} | environment) as url:
        yield url
