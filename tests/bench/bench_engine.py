"""How fast is the engine on one core, a second of CPU time? Prints medians of several rounds.

Run from the project's folder: python -m tests.bench.bench_engine
"""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from statistics import median
from time import process_time

sys.path.insert(0, str(Path(__file__).parents[2]))

from games.engine.cards import read_cards
from games.engine.deal import Deal
from games.engine.replay import FORMAT, judge, verify

ROUNDS = 9
DECODES = 2000


def measure(run: Callable[[], None]) -> float:
    """The median of the CPU seconds that a run takes: other programs beside it count less that way."""
    seconds = []
    for _ in range(ROUNDS):
        begin = process_time()
        run()
        seconds.append(process_time() - begin)
    return median(seconds)


def load_replays() -> list[tuple[Deal, str]]:
    lines = (Path(__file__).parents[1] / "vectors" / "tower-deals.tsv").read_text("ascii").splitlines()[1:]
    rows = [line.split("\t") for line in lines]
    return [(Deal.from_cards("T", read_cards(cards)), moves) for _, cards, _, moves in rows if moves]


def write_document(deal: Deal, moves: str) -> str:
    times = list(range(1000, 1000 * len(moves.split()) + 1, 1000))
    return json.dumps({"format": FORMAT, "deal": deal.code, "moves": moves, "times": times})


def main() -> None:
    replays = load_replays()
    tokens = sum(len(moves.split()) for _, moves in replays)
    documents = [write_document(deal, moves) for deal, moves in replays]
    codes = [Deal.from_seed("T", seed * 17_179_869 % 2**35).code for seed in range(DECODES)]
    assert all(verify(deal, moves).legal for deal, moves in replays)
    assert all(judge(document).legal for document in documents)

    seconds = measure(lambda: [verify(deal, moves) for deal, moves in replays] and None)
    print(f"verify   {len(replays) / seconds:9,.0f} replays/s   {tokens / seconds:11,.0f} tokens/s")
    seconds = measure(lambda: [judge(document) for document in documents] and None)
    print(f"judge    {len(documents) / seconds:9,.0f} documents/s (PY0, with times)")
    seconds = measure(lambda: [Deal.from_code(code) for code in codes] and None)
    print(f"PY1      {len(codes) / seconds:9,.0f} decodes/s")
    orders = [deal.code for deal, _ in replays]
    seconds = measure(lambda: [Deal.from_code(code) for code in orders] and None)
    print(f"PY0      {len(orders) / seconds:9,.0f} decodes/s")


if __name__ == "__main__":
    main()
