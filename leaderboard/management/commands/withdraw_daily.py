"""`manage.py withdraw_daily`: take a daily whose cards are known out of play, on the record."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from games.engine.rulesets import RULESETS
from leaderboard import racing
from leaderboard.models import Race
from leaderboard.races import read_day


class Command(BaseCommand):
    help = (
        "Withdraws the daily of a day in a ruleset. It stays in the chain of commitments, with the reason; nobody "
        "enters it any more, and mint_dailies mints another for the day."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("day", help="2026-11-30")
        parser.add_argument("ruleset", choices=list(RULESETS))
        parser.add_argument("--because", required=True, help="the reason, in public; at most 200 characters")

    def handle(self, *, day: str, ruleset: str, because: str, **options: Any) -> None:
        if not 0 < len(because) <= 200 or not because.isprintable():
            raise CommandError("The reason has 1 to 200 characters that can be seen.")
        try:
            race = Race.objects.filter(day=read_day(day), ruleset=ruleset, withdrawn_at=None).first()
        except ValueError as error:
            raise CommandError(str(error)) from None
        if race is None:
            raise CommandError(f"There is no daily of {day} in {ruleset} that is not withdrawn.")
        racing.withdraw_race(race=race, because=because)
        self.stdout.write(f"Withdrawn: {race}. Now mint_dailies mints another.")
