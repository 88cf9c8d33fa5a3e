"""Ratings: openskill's Plackett-Luce model of the ranks of a round. Pure: no clock, no database."""

from collections.abc import Sequence
from typing import NamedTuple

from openskill.models import PlackettLuce

PROVISIONAL = 10
"""A rating of fewer rounds is provisional."""
BASE, SCALE = 1500, 60

_model = PlackettLuce()


class Skill(NamedTuple):
    """What is believed of a player in a ruleset: a mean and its deviation, from so many rounds."""

    mu: float = _model.mu
    sigma: float = _model.sigma
    rounds: int = 0

    @property
    def rating(self) -> int:
        """As it is shown: 1500 for a newcomer."""
        return round(BASE + SCALE * (self.mu - _model.mu))

    @property
    def uncertainty(self) -> int:
        """Its standard deviation on the same scale: 500 for a newcomer."""
        return round(SCALE * self.sigma)

    @property
    def is_provisional(self) -> bool:
        return self.rounds < PROVISIONAL


def rate(skills: Sequence[Skill], ranks: Sequence[int]) -> list[Skill]:
    """The skills after a round with these ranks (1 is the best, equal ones are ties), of two players or more."""
    teams = [[_model.rating(mu=skill.mu, sigma=skill.sigma)] for skill in skills]
    rated = _model.rate(teams, ranks=[float(rank) for rank in ranks])
    return [Skill(team[0].mu, team[0].sigma, skill.rounds + 1) for skill, team in zip(skills, rated, strict=True)]
