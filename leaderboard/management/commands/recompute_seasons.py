"""`manage.py recompute_seasons`: the final points of dailies, given anew from the ranks as they are now."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from leaderboard import seasons
from leaderboard.models import SeasonDay
from leaderboard.races import read_month


class Command(BaseCommand):
    help = (
        "Gives the final points of a month's dailies anew. A void result counts as nothing by itself, but leaves the "
        "others theirs; this moves them up, and says for each day whose points have changed."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("month", help="2026-11")
        parser.add_argument("--ruleset", metavar="LETTER", help="only this one")

    def handle(self, *, month: str, ruleset: str | None, **options: Any) -> None:
        try:
            days = read_month(month)
        except ValueError as error:
            raise CommandError(str(error)) from None
        found = SeasonDay.objects.select_related("race").filter(race__day__in=days).order_by("race__day", "race")
        changed = 0
        for day in found.filter(race__ruleset=ruleset) if ruleset else found:
            for change in seasons.recompute(day.pk):
                before, after = ("none" if points is None else points for points in change[2:])
                self.stdout.write(f"{day.race}: {change.player} {before} -> {after}")
                changed += 1
        self.stdout.write(f"{changed} changes")
