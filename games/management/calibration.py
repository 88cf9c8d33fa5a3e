"""What a process of `manage.py calibrate` works out; it knows no Django, for its processes are spawned without."""

from games.engine.deal import Deal
from games.engine.difficulty import measure
from games.engine.position import Position
from games.engine.solver import Limit, winnable

# In states, not in seconds, so that the same deals are chosen on every machine. With one pass hardly any deal can be
# won, and the proof that one cannot takes longest.
PATIENCE = Limit(states=10_000)


def measure_winnable(code: str) -> tuple[int, int] | None:
    """(hardness, wins) of a deal; None if it cannot be won, or not within the patience."""
    deal = Deal.from_code(code)
    if winnable(Position.start(deal), PATIENCE).verdict != "winnable":
        return None
    return measure(deal)
