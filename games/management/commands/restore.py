"""`manage.py restore FILE`: what `manage.py backup` wrote, in an empty database."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import connection


class Command(BaseCommand):
    help = (
        "Reads a file of `manage.py backup` into an empty database: all of it, or nothing. `manage.py migrate` follows."
    )
    requires_migrations_checks = False

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path)

    def handle(self, *, file: Path, **options: Any) -> None:
        if not file.is_file():
            raise CommandError(f"There is no file {file}.")
        if connection.introspection.table_names():
            raise CommandError("The database is not empty: nothing was changed. Move it away, or name another.")
        whole = ("--single-transaction", "--exit-on-error", "--no-owner", "--no-privileges")
        read = connection.client.run_program("pg_restore", *whole, str(file))  # type: ignore[attr-defined]
        if read.returncode:
            raise CommandError(f"Nothing was changed. {read.stderr.strip()}")
        self.stdout.write(f"{file} is restored.")
