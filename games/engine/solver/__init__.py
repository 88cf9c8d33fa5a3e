"""Par, proof and lines: whether a position can be won, in how few moves, and how much can be removed if it cannot.

Every question takes a position, the start of a deal or any other, and a limit. A line is a list of tokens played
from that position; each has been replayed before it is returned.
"""

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal

from games.engine.position import Position
from games.engine.solver.board import Board
from games.engine.solver.ideas import ALL_IDEAS, Idea
from games.engine.solver.layout import Layouts
from games.engine.solver.limits import Limit, LimitReached, Meter
from games.engine.solver.lines import prove_line, write_way, write_win
from games.engine.solver.most import find_most
from games.engine.solver.relaxed import Relaxed
from games.engine.solver.search import find_shortest
from games.engine.solver.sets import find_win

__all__ = ["ALL_IDEAS", "Answer", "Idea", "Limit", "Most", "most_removable", "shortest", "winnable"]

NO_LIMIT = Limit()


@dataclass(frozen=True, slots=True)
class Answer:
    """What is known of a position.

    verdict: "unknown" where the limit was reached before the proof. line: tokens that win, the best ones known.
    par_proven: whether no line is shorter. states: how many were looked at.
    """

    verdict: Literal["winnable", "unwinnable", "unknown"]
    line: tuple[str, ...] | None
    par_proven: bool
    states: int

    @property
    def par(self) -> int | None:
        """The moves of the line: the fewest there can be only where `par_proven`."""
        return None if self.line is None else len(self.line)


@dataclass(frozen=True, slots=True)
class Most:
    """The most tableau cards, and the most cards in all, that can be removed; at least so many if not proven."""

    tableau: int
    total: int
    proven: bool
    states: int


@contextmanager
def pause_collector() -> Iterator[None]:
    """Keep the cycle collector from going through millions of nodes that make no cycle, again and again."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


@pause_collector()
def winnable(position: Position, limit: Limit = NO_LIMIT, ideas: frozenset[Idea] = ALL_IDEAS) -> Answer:
    """Whether some line wins, with such a line (seldom a short one), or the proof that there is none."""
    board, meter = Board(position, ideas), Meter(limit)
    layouts = Layouts(board)
    try:
        win = find_win(board, layouts, Relaxed(board, layouts, meter), meter)
    except LimitReached:
        return Answer("unknown", None, False, meter.states)
    if win is None:
        return Answer("unwinnable", None, False, meter.states)
    return Answer("winnable", prove_line(position, write_win(board, win)), False, meter.states)


@pause_collector()
def shortest(position: Position, limit: Limit = NO_LIMIT, ideas: frozenset[Idea] = ALL_IDEAS) -> Answer:
    """A line of the fewest moves that wins, or the proof that there is none.

    Where the limit is reached first, the line is one that `winnable` found, if it did, and is not proven shortest.
    """
    board, meter = Board(position, ideas), Meter(limit)
    layouts = Layouts(board)
    relaxed = Relaxed(board, layouts, meter)
    try:
        win = find_win(board, layouts, relaxed, meter)
    except LimitReached:
        return Answer("unknown", None, False, meter.states)
    if win is None:
        return Answer("unwinnable", None, False, meter.states)
    try:
        way = find_shortest(board, layouts, relaxed, meter)
    except LimitReached:
        return Answer("winnable", prove_line(position, write_win(board, win)), False, meter.states)
    assert way is not None, f"a winnable position has a shortest way: {position}"
    return Answer("winnable", prove_line(position, write_way(board, way)), True, meter.states)


@pause_collector()
def most_removable(position: Position, limit: Limit = NO_LIMIT, ideas: frozenset[Idea] = ALL_IDEAS) -> Most:
    """The most tableau cards that some line removes, and the most cards in all that some other line does.

    A win ends the game: what it leaves stays.
    """
    meter = Meter(limit)
    board = Board(position, ideas)
    layouts = Layouts(board)
    try:
        ends_early = find_win(board, layouts, Relaxed(board, layouts, meter), meter) is not None
    except LimitReached:
        ends_early = True
    if ends_early:
        # A single that leaves at once could end the game before all is removed that can be.
        board = Board(position, ideas - {Idea.SINGLES_AT_ONCE})
        layouts = Layouts(board)
    tableau, tableau_proven = find_most(board, layouts, meter, total=False)
    total, total_proven = find_most(board, layouts, meter, total=True)
    return Most(tableau, total, tableau_proven and total_proven, meter.states)
