"""Which deals become dailies: proven on all cores, the easy ones for Mondays and the hard ones for Sundays."""

from collections.abc import Iterator, Sequence
from contextlib import closing

from games.engine.rulesets import RULESETS
from games.management.proving import Proof, prove_all
from games.models import DIFFICULTIES
from leaderboard import races
from leaderboard.actions import read_clock
from leaderboard.minting import Need, mint, missing
from leaderboard.models import Race
from leaderboard.racing import draw_deal

PROOF_SECONDS = 10.0
HURRY_SECONDS = 4.0
CHOICE = 16  # winnable deals that are looked at for one of the day's difficulty; then the nearest is taken
CHOICE_TODAY = 3  # today's players are waiting
HOPE = 2000  # deals that are looked at for a winnable one


class Choice:
    """The deals of one ruleset, as they are proven, and which of them is taken for which day."""

    def __init__(self) -> None:
        self.looked_at = 0
        self.kept: list[Proof] = []

    def add(self, proof: Proof) -> None:
        self.looked_at += 1
        if proof.par_proven and proof.number is not None:
            self.kept.append(proof)

    def take(self, wanted: str, most: int) -> Proof | None:
        """A deal of that difficulty; the nearest once `most` others are there; None while it is worth waiting.

        The easiest is the nearest to easy, the hardest to hard; to medium the one in the middle.
        """
        fitting = [proof for proof in self.kept if proof.difficulty == wanted]
        if not fitting and len(self.kept) < most:
            return None
        by_number = sorted(fitting or self.kept, key=lambda proof: proof.number or 0.0)
        place = {DIFFICULTIES[0]: 0, DIFFICULTIES[-1]: -1}.get(wanted, len(by_number) // 2)
        self.kept.remove(by_number[place])
        self.looked_at = 0
        return by_number[place]

    @property
    def is_hopeless(self) -> bool:
        return self.looked_at >= HOPE and not self.kept


def mint_dailies(
    letters: Sequence[str], days: int, *, processes: int | None = None, seconds: float = PROOF_SECONDS
) -> Iterator[Race | str]:
    """Mint what is missing, today first; each race as it is minted, and the letter of a ruleset without a deal.

    A ruleset is given up for now after `HOPE` deals in a row of which none was proven to be won.
    """
    today = races.day_of(read_clock())
    needs = missing(letters, today, days)
    choices = {letter: Choice() for letter in letters}
    with closing(prove_all(_draw_codes(needs), seconds, processes)) as proofs:
        while needs:
            proof = next(proofs)
            letter = proof.code[4]
            choices[letter].add(proof)
            need = next((need for need in needs if need.letter == letter), None)
            if need is None:
                continue
            taken = choices[letter].take(races.difficulty_of(need.day), CHOICE_TODAY if need.day == today else CHOICE)
            if taken:
                needs.remove(need)
                if race := mint(need.day, taken.code, taken.fields):
                    yield race
            elif choices[letter].is_hopeless:
                needs[:] = [need for need in needs if need.letter != letter]
                yield letter


def _draw_codes(needs: list[Need]) -> Iterator[str]:
    """Codes of deals for what is still missing: first for the days that come first, by turns in their rulesets."""
    turn = 0
    while True:
        first = [need.letter for need in needs if need.day == needs[0].day] or list(RULESETS)
        yield draw_deal(RULESETS[first[turn % len(first)]]).code
        turn += 1
