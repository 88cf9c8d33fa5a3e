"""`manage.py mint_dailies`: the dailies of the days to come."""

import os
import signal
import sys
import threading
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from tqdm import tqdm

from games.engine.rulesets import RULESETS
from games.management.commands.load_replays import INTERRUPTED
from games.management.commands.solve import read_count, read_seconds
from games.management.pool import count_cores
from leaderboard import minting
from leaderboard.actions import read_clock
from leaderboard.management import choosing
from leaderboard.races import day_of


class Command(BaseCommand):
    help = (
        "Mints the dailies that are missing among the days to come, today first: deals that are proven to be won, with "
        "proven par, easy on Monday to hard on Sunday. Their commitments are public at once. One process mints at a "
        "time; each daily is stored as it is found, so the command may be ended at any time and run again."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--days", type=read_count, default=60, metavar="N", help="from today on (default: 60)")
        parser.add_argument(
            "--ruleset", action="append", choices=list(RULESETS), help="only this one (default: DAILY_RULESETS)"
        )
        parser.add_argument(
            "--seconds", type=read_seconds, default=choosing.PROOF_SECONDS, help="for a deal (default: 10)"
        )
        parser.add_argument("--processes", type=read_count, metavar="N", help="default: one for each core")
        parser.add_argument(
            "--by-itself", action="store_true", help="as the server starts it: on half the cores, until stdin is closed"
        )

    def handle(
        self,
        *,
        days: int,
        ruleset: list[str] | None,
        seconds: float,
        processes: int | None,
        by_itself: bool,
        **options: Any,
    ) -> None:
        if by_itself:
            yield_to_the_server()
        try:
            self.mint_ahead(ruleset or settings.DAILY_RULESETS, days, processes, seconds, by_itself)
        except KeyboardInterrupt:
            sys.exit(INTERRUPTED)

    def mint_ahead(self, letters: list[str], days: int, processes: int | None, seconds: float, by_itself: bool) -> None:
        with minting.only_minter() as taken:
            if not taken and not by_itself:
                raise CommandError("Another process is minting dailies.")
            if taken and by_itself:  # whoever plays today waits for it: on all cores
                self.mint(letters, 1, processes, choosing.HURRY_SECONDS)
                processes = processes or max(1, count_cores() // 2)
            if taken:
                self.mint(letters, days, processes, seconds)

    def mint(self, letters: list[str], days: int, processes: int | None, seconds: float) -> None:
        total = len(minting.missing(letters, day_of(read_clock()), days))
        minted = 0
        with tqdm(total=total, unit=" dailies", disable=None) as bar:
            for made in choosing.mint_dailies(letters, days, processes=processes, seconds=seconds):
                if isinstance(made, str):
                    self.stderr.write(f"{made}: none of {choosing.HOPE} deals was proven to be won; try again.")
                    continue
                minted += 1
                bar.update()
        self.stdout.write(f"{minted} dailies minted, {total - minted} missing.")


def yield_to_the_server() -> None:
    """Let the server go first, and end when it does."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the server sees to it
    os.nice(10)

    def wait() -> None:
        sys.stdin.buffer.read()
        os._exit(1)

    threading.Thread(target=wait, daemon=True).start()
