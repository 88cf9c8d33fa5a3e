"""The tests run on a real PostgreSQL: the embedded one, in a data folder of its own and without fsync."""

import os
from pathlib import Path

os.environ.pop("DATABASE_URL", None)
os.environ["DATA_DIR"] = os.environ.get("TEST_DATA_DIR") or str(Path(__file__).parents[1] / ".data" / "test")
os.environ["POSTGRES_SERVER_OPTIONS"] = "fsync=off,synchronous_commit=off,full_page_writes=off"
