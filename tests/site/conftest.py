"""A real server with an empty database of its own, for tests that go over HTTP."""

import os
import subprocess
import sys
from collections.abc import Iterator

import pytest

from tests.site.servers import ROOT, running_server


@pytest.fixture(scope="module")
def fresh_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a daphne on a migrated database without rows but today's daily, as `make run` starts it."""
    env = {"DATA_DIR": str(tmp_path_factory.mktemp("site")), "HUMAN_FLOORS": "*=1000/300"}
    mint = ["mint_dailies", "--days", "1", "--ruleset", "T"]
    for command in (["migrate"], ["collectstatic", "--no-input"], mint):
        subprocess.run([sys.executable, "manage.py", *command, "-v0"], cwd=ROOT, env=os.environ | env, check=True)
    with running_server("daphne", env) as url:
        yield url
