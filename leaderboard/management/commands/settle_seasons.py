"""`manage.py settle_seasons`: stores the season points that have become final. Nothing waits for it."""

from typing import Any

from django.core.management.base import BaseCommand

from leaderboard import seasons


class Command(BaseCommand):
    help = (
        "Stores the points of dailies that closed two days ago or earlier. They are computed until then, and a result "
        "that is voided settles its day first, so that this may run whenever it likes, or never. Each day is a "
        "transaction of its own; running it twice does no harm."
    )

    def handle(self, **options: Any) -> None:
        settled = seasons.settle()
        self.stdout.write(f"{len(settled)} dailies settled")
