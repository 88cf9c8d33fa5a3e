"""Django's PostgreSQL backend on the embedded server: `"ENGINE": "pyramid_site.database"`.

Reads two more keys of the DATABASES entry: DATA_DIR, the folder of the server, and SERVER_OPTIONS, a dict of
server settings. HOST, PORT and USER are found, not given. Nothing starts before the first connection of a process.
"""

from collections.abc import Iterable
from typing import Any

from django.db.backends.postgresql import base, client

from pyramid_site.database import embedded


class DatabaseClient(client.DatabaseClient):
    def runshell(self, parameters: Iterable[str]) -> None:
        self.connection.get_connection_params()
        self.executable_name = str(embedded.programs() / "psql")
        super().runshell(parameters)


class DatabaseWrapper(base.DatabaseWrapper):
    client_class = DatabaseClient

    def get_connection_params(self) -> dict[str, Any]:
        own = self.settings_dict
        login = embedded.ensure(own["DATA_DIR"], own["NAME"] or "postgres", own.get("SERVER_OPTIONS"))
        own.update(HOST=login["host"], PORT=login["port"], USER=login["user"])
        return {**super().get_connection_params(), "requirepeer": login["requirepeer"]}
