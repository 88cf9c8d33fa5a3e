"""The site's settings on a real PostgreSQL for the tests: the embedded one, in a folder of its own, without fsync.

The environment is changed, not only the settings, so that the servers and commands that tests start use the same.
"""

import os
from pathlib import Path

for name in ("DATABASE_URL", "SECRET_KEY"):
    os.environ.pop(name, None)
os.environ["DATA_DIR"] = os.environ.get("TEST_DATA_DIR") or str(Path(__file__).parents[1] / ".data" / "test")
os.environ["POSTGRES_SERVER_OPTIONS"] = "fsync=off,synchronous_commit=off,full_page_writes=off"
os.environ["NO_MINTING"] = "1"
os.environ["RATE"] = "999999999/999999999"
os.environ["MOST_SOCKETS"] = "10000"
os.environ["HUMAN_FLOORS"] = "*=0/0"  # no human plays the tests
os.environ["LIMITS"] = ",".join(
    f"{what}=1000000/60" for what in ("sign_up", "log_in", "account", "guest", "hint", "mail")
)
os.environ["DJANGO_SETTINGS_MODULE"] = "pyramid_site.settings"

from pyramid_site.settings import *  # noqa: E402, F403

CACHES["boards"]["TIMEOUT"] = 0  # noqa: F405  (tests look at once at what they have just written)
# a hash is slow on purpose, and each signed-up player of the tests would wait for one
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher", *PASSWORD_HASHERS]  # noqa: F405
