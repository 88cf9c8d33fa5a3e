"""`manage.py prove_deals`: verdict, par, line and difficulty for the stored deals that have none."""

from collections.abc import Iterator
from typing import Any

from django.core.management.base import BaseCommand, CommandParser
from tqdm import tqdm

from games.actions import store_proof
from games.management.commands.fill_pool import in_pieces
from games.management.commands.solve import read_count, read_seconds
from games.management.proving import prove_all
from games.models import Deal

PIECE = 100


class Command(BaseCommand):
    help = (
        "Proves stored deals that have no verdict yet, the newest first, on all cores: whether they can be won, par, "
        "a line and the difficulty. Each is stored as soon as it is known, so the command may be ended at any time."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--limit", type=read_count, default=1000, metavar="N", help="deals at most (default: 1000)")
        parser.add_argument("--seconds", type=read_seconds, default=10.0, help="for a deal (default: 10)")
        parser.add_argument("--again", action="store_true", help="also those that an earlier run found no proof for")
        parser.add_argument("--processes", type=read_count, metavar="N", help="default: one for each core")

    def handle(self, *, limit: int, seconds: float, again: bool, processes: int | None, **options: Any) -> None:
        verdicts = ["", "unknown"] if again else [""]
        asked: dict[str, Deal] = {}
        total = min(limit, Deal.objects.filter(verdict__in=verdicts).count())
        found = dict.fromkeys(("winnable", "unwinnable", "unknown"), 0)
        with in_pieces(), tqdm(total=total, unit=" deals", disable=None) as bar:
            for proof in prove_all(read_codes(verdicts, limit, asked), seconds, processes):
                store_proof(deal=asked.pop(proof.code), **proof.fields)
                found[proof.verdict] += 1
                bar.update()
        self.stdout.write(", ".join(f"{count} {verdict}" for verdict, count in found.items()))


def read_codes(verdicts: list[str], limit: int, asked: dict[str, Deal]) -> Iterator[str]:
    """The codes of at most `limit` deals, the newest first, read in pieces; each deal is put into `asked`."""
    deals = Deal.objects.filter(verdict__in=verdicts).order_by("-pk")
    piece = list(deals[: min(limit, PIECE)])
    while piece:
        for deal in piece:
            asked[deal.code] = deal
            yield deal.code
        limit -= len(piece)
        piece = list(deals.filter(pk__lt=piece[-1].pk)[: min(limit, PIECE)])
