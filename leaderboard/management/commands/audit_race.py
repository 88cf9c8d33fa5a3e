"""`manage.py audit_race`: are a race's stored figures what its replays give?"""

import sys
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from games.management.commands.verify_replay import REFUSED
from leaderboard import audit
from leaderboard.management.commands.export_race import find_race


class Command(BaseCommand):
    help = (
        "Plays every entry of a race again and compares every stored figure, and the race's boards. Prints what is "
        "wrong. Exit code: 0 nothing is, 1 something is, 2 there is no such race."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("race", type=int, help="the race's id")

    def handle(self, *, race: int, **options: Any) -> None:
        found = find_race(race)
        faults = 0
        for where, fault in audit.audit_race(found):
            faults += 1
            self.stdout.write(f"{where}: {fault}")
        self.stdout.write(f"{found.entries.count()} entries: {faults} faults.")
        if faults:
            sys.exit(REFUSED)
