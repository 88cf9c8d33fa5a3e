"""Writes tests/vectors/difficulty.tsv: winnable deals that the calibration has not seen, with their difficulty.

Run it after `manage.py calibrate`: python -m tests.engine.make_difficulty
"""

from collections import Counter

from games.engine.deal import Deal
from games.engine.difficulty import rate
from games.engine.position import Position
from games.engine.rulesets import RULESETS
from games.engine.solver import Limit, winnable
from tests.engine.both import VECTORS

# The calibration takes its seeds from all over the 35 bits; these lie side by side.
FIRST = 249915957
# For each label; the rulesets in which a careless player is compared need more.
COUNT, MANY = 2, {"B": 10, "N": 10, "T": 10}
MOST_DEALT = 60


def main() -> None:
    rows = ["# Made by tests/engine/make_difficulty.py; not typed by hand.", "# deal code\tlabel\tnumber"]
    for letter in RULESETS:
        wanted = MANY.get(letter, COUNT)
        found: Counter[str] = Counter()
        for seed in range(FIRST, FIRST + MOST_DEALT):
            deal = Deal.from_seed(letter, seed)
            if winnable(Position.start(deal), Limit(states=5000)).verdict == "winnable":
                difficulty = rate(deal)
                if found[difficulty.label] < wanted:
                    found[difficulty.label] += 1
                    rows.append(f"{deal.code}\t{difficulty.label}\t{difficulty.number}")
            if min(found[label] for label in ("easy", "medium", "hard")) == wanted:
                break
    (VECTORS / "difficulty.tsv").write_text("\n".join(rows) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
