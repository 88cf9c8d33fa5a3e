"""`manage.py fill_pool`: new deals that are proven to be won, for players who ask for a difficulty."""

import secrets
import sys
from collections import Counter
from collections.abc import Iterator
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing, contextmanager
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import transaction
from tqdm import tqdm

from games.actions import store_deal, store_proof
from games.engine.deal import Deal as EngineDeal
from games.engine.rulesets import RULESETS
from games.management.commands.load_replays import INTERRUPTED
from games.management.commands.solve import read_count, read_seconds
from games.management.proving import Proof, prove_all
from games.models import DIFFICULTIES, Attempt, Deal


class Command(BaseCommand):
    help = (
        "Deals new cards until the pool of a ruleset has so many deals of each difficulty that nobody has met: deals "
        "that are proven to be won, with proven par. Uses all cores; each deal is stored as soon as it is found, so "
        "the command may be ended at any time and run again."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--ruleset", required=True, choices=list(RULESETS))
        parser.add_argument("--each", type=read_count, default=50, metavar="N", help="of each difficulty (default: 50)")
        parser.add_argument("--seconds", type=read_seconds, default=10.0, help="for a deal (default: 10)")
        parser.add_argument(
            "--tries", type=read_count, metavar="N", help="deals looked at, at most; no limit without it"
        )
        parser.add_argument("--processes", type=read_count, metavar="N", help="default: one for each core")

    def handle(
        self, *, ruleset: str, each: int, seconds: float, tries: int | None, processes: int | None, **options: Any
    ) -> None:
        missing = count_missing(ruleset, each)
        looked_at = 0
        with (
            in_pieces(),
            tqdm(total=missing.total(), unit=" deals", disable=None) as bar,
            closing(prove_all(mint_codes(ruleset), seconds, processes)) as proofs,
        ):
            while missing.total() and looked_at != tries:
                proof = next(proofs)
                looked_at += 1
                if missing[proof.difficulty] and proof.par_proven and add_to_pool(proof):
                    missing[proof.difficulty] -= 1
                    bar.update()
                bar.set_postfix(looked_at=looked_at, refresh=False)
        left = ", ".join(f"{missing[label]} {label}" for label in DIFFICULTIES if missing[label]) or "nothing"
        self.stdout.write(f"{looked_at} deals looked at; missing: {left}.")


def count_missing(ruleset: str, each: int) -> Counter[str]:
    """How many deals that nobody has met the pool needs, by difficulty."""
    met = Attempt.objects.values("deal")
    fresh = Deal.objects.filter(ruleset=ruleset, pooled=True).exclude(pk__in=met)
    there = Counter(fresh.values_list("difficulty", flat=True))
    return Counter({label: each - there[label] for label in DIFFICULTIES if there[label] < each})


def mint_codes(ruleset: str) -> Iterator[str]:
    """Codes of deals that nobody can foresee, without end."""
    while True:
        yield EngineDeal.from_seed(ruleset, secrets.randbelow(2**35)).code


def add_to_pool(proof: Proof) -> bool:
    """Store a proven deal in the pool; False for cards that are stored already: somebody may know them."""
    deal = EngineDeal.from_code(proof.code)
    if Deal.objects.filter(order=deal.order).exists():
        return False
    with transaction.atomic():
        return store_proof(deal=store_deal(deal=deal), **proof.fields, pooled=True)


@contextmanager
def in_pieces() -> Iterator[None]:
    """For a command that stores each proof as it comes: Ctrl-C, or a process that dies, ends it without a traceback."""
    try:
        yield
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    except BrokenProcessPool:
        raise CommandError("A process died, perhaps for want of memory; try fewer --processes.") from None
