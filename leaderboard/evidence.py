"""What speaks for or against a result, for the eyes of a moderator: figures, no judgement."""

from collections.abc import Iterator
from difflib import SequenceMatcher
from typing import NamedTuple

from django.conf import settings
from django.db.models import Q

from games.models import Attempt
from leaderboard.addresses import find_shared

COMPARED = 200
"""So many earlier wins on the cards are compared move by move."""
LONGEST = 200
"""So many moves of each: of lists that are made to be hard, a comparison takes a minute at 4,000."""
ALIKE = 0.9
"""The share of moves in the same order from which two lists are called nearly equal."""


class Evidence(NamedTuple):
    """One thing that was looked at. what: a stable word; text: the figures; attempts: the others that it is about."""

    what: str
    text: str
    attempts: tuple[int, ...] = ()


def collect(attempt: Attempt) -> list[Evidence]:
    """All that can be said of an attempt."""
    return [*_pace(attempt), *_par(attempt), *_moves(attempt), *_addresses(attempt)]


def _pace(attempt: Attempt) -> Iterator[Evidence]:
    if attempt.official_ms is None or not attempt.counted_moves:
        return
    floor = settings.HUMAN_FLOORS.get(attempt.ruleset, settings.HUMAN_FLOORS["*"])
    pace = attempt.official_ms / attempt.counted_moves
    yield Evidence("pace", f"{pace:.0f} ms a move, {attempt.official_ms / 1000:.1f} s in all; the floor is {floor}")
    gaps = [b - a for a, b in zip(attempt.times, attempt.times[1:], strict=False)]
    if len(gaps) >= 5:
        mean = sum(gaps) / len(gaps)
        spread = (sum((gap - mean) ** 2 for gap in gaps) / len(gaps)) ** 0.5
        ratio = spread / mean if mean else 0
        yield Evidence(
            "rhythm", f"gaps of {mean:.0f} ms, spread {spread:.0f} ms (ratio {ratio:.2f}; people: 0.5 and more)"
        )


def _par(attempt: Attempt) -> Iterator[Evidence]:
    deal = attempt.deal
    if attempt.end == Attempt.WON and deal.par is not None:
        proven = "proven" if deal.par_proven else "best known"
        over = attempt.counted_moves - deal.par
        yield Evidence("par", f"{over} moves over par {deal.par} ({proven}), at the pace above")
        if attempt.moves == deal.line:
            yield Evidence("line", "the very moves of the line that the solver keeps")


def _moves(attempt: Attempt) -> Iterator[Evidence]:
    if attempt.end != Attempt.WON:
        return
    others = Attempt.objects.filter(deal=attempt.deal, clock=Attempt.SERVER, end=Attempt.WON).exclude(pk=attempt.pk)
    earlier = list(others.filter(ended_at__lt=attempt.ended_at).order_by("-ended_at")[:COMPARED])
    mine = _without_undone(attempt.moves)
    equal, near = [], []
    for other in earlier:
        if other.moves == attempt.moves:
            equal.append(other.pk)
        elif _is_alike(mine, _without_undone(other.moves)):
            near.append(other.pk)
    if equal:
        yield Evidence("same_moves", f"the same moves as {len(equal)} earlier wins", tuple(equal))
    if near:
        yield Evidence("near_moves", f"nearly the same moves as {len(near)} earlier wins", tuple(near))


def _without_undone(moves: str) -> list[str]:
    """The first LONGEST of the moves that were not taken back."""
    kept: list[str] = []
    for token in moves.split(" "):
        if token == "U":
            kept.pop()
        else:
            kept.append(token)
    return kept[:LONGEST]


def _is_alike(mine: list[str], theirs: list[str]) -> bool:
    matcher = SequenceMatcher(None, mine, theirs, autojunk=False)
    return matcher.quick_ratio() >= ALIKE and matcher.ratio() >= ALIKE


def _addresses(attempt: Attempt) -> Iterator[Evidence]:
    earlier = find_shared(attempt).filter(
        Q(attempt__deal__order=attempt.deal.order), attempt__started_at__lt=attempt.started_at
    )
    found = tuple(earlier.exclude(attempt__player=attempt.player).values_list("attempt", flat=True)[:COMPARED])
    if found:
        yield Evidence("address", f"{len(found)} others were shown these cards before at the same address", found)
