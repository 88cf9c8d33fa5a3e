"""`manage.py recompute_ratings`: the ratings of sprints, given anew from all rounds as they stand now."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from games.engine.rulesets import RULESETS
from leaderboard import ratings, settling
from leaderboard.rating import Skill


class Command(BaseCommand):
    help = (
        "Gives the ratings anew from every round of the rated sprints in their order, and says whose have changed: "
        "after a result was held, released, voided or restored."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--ruleset", metavar="LETTER", help="only this one")

    def handle(self, *, ruleset: str | None, **options: Any) -> None:
        if ruleset is not None and ruleset not in RULESETS:
            raise CommandError(f"There is no ruleset {ruleset}.")
        settling.settle_all()  # also those in which nobody looks any more
        changed = 0
        for letter in [ruleset] if ruleset else RULESETS:
            for change in ratings.recompute(letter):
                before, after = _write(change.before), _write(change.after)
                self.stdout.write(f"{letter}: {change.player} {before} -> {after}")
                changed += 1
        self.stdout.write(f"{changed} changes")


def _write(skill: Skill | None) -> str:
    return f"{skill.rating} ± {skill.uncertainty} ({skill.rounds} rounds)" if skill else "none"
