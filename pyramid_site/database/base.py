"""Django's PostgreSQL backend, with a cheap health check and the embedded server: `"ENGINE": "pyramid_site.database"`.

Reads two more keys of the DATABASES entry: DATA_DIR, the folder of the embedded server, and SERVER_OPTIONS, a dict of
its settings. With DATA_DIR, HOST, PORT and USER are found, not given, and nothing starts before the first connection
of a process; without it they name a PostgreSQL as for Django's own backend.
"""

import os
import subprocess
from collections.abc import Iterable
from select import POLLIN, poll
from typing import Any

from django.db.backends.postgresql import base, client

from pyramid_site.database import embedded


class DatabaseClient(client.DatabaseClient):
    def runshell(self, parameters: Iterable[str]) -> None:
        self.connection.get_connection_params()
        if "DATA_DIR" in self.connection.settings_dict:
            self.executable_name = str(embedded.programs() / "psql")
        super().runshell(parameters)

    def run_program(self, name: str, *parameters: str) -> subprocess.CompletedProcess[str]:
        """Let a program of the embedded PostgreSQL (pg_dump) work on this database, wherever it is.

        Its complaints are in `stderr`. A machine's own programs are often older than the server.
        """
        self.connection.ensure_connection()
        login = self.connection.connection.info
        return subprocess.run(
            [embedded.programs() / name, *parameters, f"--dbname={login.dsn}"],
            env=os.environ | {"PGPASSWORD": login.password},
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )


class DatabaseWrapper(base.DatabaseWrapper):
    client_class = DatabaseClient

    def get_connection_params(self) -> dict[str, Any]:
        own = self.settings_dict
        if "DATA_DIR" not in own:
            return super().get_connection_params()
        login = embedded.ensure(own["DATA_DIR"], own["NAME"] or "postgres", own.get("SERVER_OPTIONS"))
        own.update(HOST=login["host"], PORT=login["port"], USER=login["user"])
        return {**super().get_connection_params(), "requirepeer": login["requirepeer"]}

    def is_usable(self) -> bool:
        """Whether an idle connection is alive: a server that has gone leaves its parting words or an end to read.

        Django would ask with a statement, once for every request.
        """
        if self.connection is None or self.connection.closed:
            return False
        waiting = poll()
        waiting.register(self.connection.fileno(), POLLIN)
        return not waiting.poll(0) or super().is_usable()
