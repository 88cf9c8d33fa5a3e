"""Is a PostgreSQL that DATABASE_URL names used, and none started?"""

import os
import subprocess
import sys
from pathlib import Path

import httpx
import pytest
from django.db import connection

from tests.site.servers import ROOT, running_server


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("kind", ["daphne", "uvicorn"])
def test_the_database_of_the_url_is_used_and_no_server_of_our_own_is_started(kind: str, tmp_path: Path) -> None:
    at = connection.get_connection_params()
    url = f"postgresql://{at['user']}@:{at['port']}/{at['dbname']}?host={at['host']}"
    env = {"DATABASE_URL": url, "SECRET_KEY": "a key for this test", "DATA_DIR": str(tmp_path)}
    with running_server(kind, env) as address:
        signed_up = httpx.post(
            f"{address}/api/v1/players/", json={"name": "Ada", "password": "a long password"}, trust_env=False
        )
    assert signed_up.status_code == 201
    with connection.cursor() as cursor:
        cursor.execute("SELECT name FROM games_player")
        assert cursor.fetchall() == [("Ada",)]
    assert list(tmp_path.iterdir()) == []


def test_a_database_that_does_not_answer_is_said_in_a_sentence(tmp_path: Path) -> None:
    env = {"DATABASE_URL": "postgresql://nobody@127.0.0.1:1/none", "SECRET_KEY": "x", "DATA_DIR": str(tmp_path)}
    ran = subprocess.run(
        [sys.executable, "manage.py", "migrate"], cwd=ROOT, env=os.environ | env, capture_output=True, text=True
    )
    assert ran.returncode != 0
    assert "Connection refused" in ran.stderr
