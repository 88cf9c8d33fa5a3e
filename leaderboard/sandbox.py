"""The sandbox: a race that is always open, for developers of apps to try all that a real one does.

Every hour has its own, on one of a few deals whose winning moves are told. What is played in it stands on its own board
and on no other, is held for nothing, and is nobody's best.
"""

from datetime import datetime, timedelta
from functools import cache
from pathlib import Path
from typing import NamedTuple

from games.models import read_deal
from leaderboard.models import Race
from leaderboard.racing import create_race

HOUR = timedelta(hours=1)


class Sample(NamedTuple):
    """A deal, and moves that win it."""

    deal: str
    moves: str


@cache
def read_samples() -> list[Sample]:
    """The deals of the sandbox, one for each hour of the day."""
    lines = Path(__file__).with_name("sandbox.tsv").read_text().splitlines()[1:]
    return [Sample(*line.split("\t")) for line in lines]


def find_or_make(now: datetime) -> tuple[Race, Sample]:
    """The sandbox race of this hour, and its deal with the moves that win."""
    opens_at = now.replace(minute=0, second=0, microsecond=0)
    sample = read_samples()[opens_at.hour]
    race = Race.objects.filter(kind=Race.SANDBOX, opens_at=opens_at).first()
    if race is None:
        race = create_race(
            host=None,
            name="Sandbox",
            deal=read_deal(sample.deal),
            opens_at=opens_at,
            closes_at=opens_at + HOUR,
            kind=Race.SANDBOX,
        )
    return race, sample
