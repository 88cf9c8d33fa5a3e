"""`manage.py export_race`: all that is needed to check a race without us."""

import os
import sys
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from games.management.commands.verify_replay import NOT_DONE
from leaderboard import audit, races
from leaderboard.actions import read_clock
from leaderboard.models import Race


class Command(BaseCommand):
    help = (
        "Prints the entries of a closed race as newline-delimited JSON: replay, official time, held or void. "
        "docs/audit.md says how to check it."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("race", type=int, help="the race's id")

    def handle(self, *, race: int, **options: Any) -> None:
        found = find_race(race)
        if found.phase_at(read_clock()) != races.CLOSED:
            raise CommandError("This race is not closed yet.", returncode=NOT_DONE)
        try:
            for line in audit.export_race(found):
                self.stdout.write(line)
        except BrokenPipeError:  # who reads has had enough, as `head` has
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            sys.exit(NOT_DONE)


def find_race(number: int) -> Race:
    """The race of an id. Raises CommandError."""
    found = Race.objects.select_related("deal").filter(pk=number).first() if 0 < number < 2**63 else None
    if found is None:
        raise CommandError(f"There is no race {number}.", returncode=NOT_DONE)
    return found
