"""`manage.py backup FILE`: all that the database holds, in one file."""

import os
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import connection


class Command(BaseCommand):
    help = (
        "Writes the whole database into a file, as it was at the moment of the call, while the server runs. "
        "`manage.py restore` reads it."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, help="gets this name once it is whole; one of that name is replaced")

    def handle(self, *, file: Path, **options: Any) -> None:
        draft = file.with_name(f"{file.name}.{os.getpid()}")
        try:
            draft.touch(mode=0o600)
            dumped = connection.client.run_program("pg_dump", "--format=custom", f"--file={draft}")  # type: ignore[attr-defined]
            if dumped.returncode:
                raise CommandError(f"pg_dump: {dumped.stderr.strip()}")
            with draft.open("rb") as whole:
                os.fsync(whole.fileno())
            draft.replace(file)
        except OSError as error:
            raise CommandError(f"{file} cannot be written: {error.strerror}") from error
        finally:
            draft.unlink(missing_ok=True)
        self.stdout.write(f"{file}: {file.stat().st_size:,} bytes.")
