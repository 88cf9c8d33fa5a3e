"""Is a database that was lost the same again from its backup?"""

import os
import subprocess
import sys
from pathlib import Path

import psycopg
import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from psycopg import sql

from games.actions import store_deal
from games.engine.deal import Deal
from tests.site.servers import ROOT, database_environment

pytestmark = pytest.mark.django_db(transaction=True)
EMPTY = "restored_copy"


def restore(file: Path) -> subprocess.CompletedProcess[str]:
    """Into the database EMPTY."""
    env = database_environment()
    env["DATABASE_URL"] = env["DATABASE_URL"].replace(f"/{connection.settings_dict['NAME']}?", f"/{EMPTY}?")
    command = [sys.executable, "manage.py", "restore", str(file)]
    return subprocess.run(command, cwd=ROOT, env=os.environ | env, capture_output=True, text=True, check=False)


def test_a_backup_is_restored_into_an_empty_database_and_into_no_other(tmp_path: Path) -> None:
    store_deal(deal=Deal.from_code("PY1-T-AAAAAAS"))
    file = tmp_path / "pyramidion.dump"
    call_command("backup", file)
    assert [one.name for one in tmp_path.iterdir()] == [file.name]
    assert file.stat().st_mode & 0o077 == 0
    with pytest.raises(CommandError, match="not empty"):
        call_command("restore", file)

    copy = sql.Identifier(EMPTY)
    with connection.cursor() as cursor:
        cursor.execute(sql.SQL("CREATE DATABASE {}").format(copy))
        try:
            cut = tmp_path / "cut.dump"
            cut.write_bytes(file.read_bytes()[:-2000])
            refused = restore(cut)
            assert (refused.returncode, "Nothing was changed" in refused.stderr) == (1, True), refused.stderr
            restored = restore(file)
            assert restored.returncode == 0, restored.stderr
            assert read_codes(EMPTY) == read_codes(connection.settings_dict["NAME"]) != []
        finally:
            cursor.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(copy))


def read_codes(name: str) -> list[tuple[str, str]]:
    found = connection.settings_dict
    with psycopg.connect(host=found["HOST"], port=found["PORT"], user=found["USER"], dbname=name) as other:
        return other.execute('SELECT ruleset, "order" FROM games_deal ORDER BY id').fetchall()


def test_a_backup_that_fails_leaves_what_was_there(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="cannot be written"):
        call_command("backup", tmp_path / "nowhere" / "pyramidion.dump")
    with pytest.raises(CommandError, match="no file"):
        call_command("restore", tmp_path / "pyramidion.dump")
