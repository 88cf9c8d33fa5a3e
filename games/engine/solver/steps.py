"""The successors of a state: what leaves now, and the next card of the line worth a stop."""

from collections.abc import Callable
from typing import Any

from games.engine.moves import TABLEAU_SIZE
from games.engine.solver.board import Board
from games.engine.solver.ideas import Idea
from games.engine.solver.layout import NOTHING_OLD, Cells, Layouts, Removal, until_last

# (state to take them from, removals) several times; line cards not worth a second stop; the next stop or None:
# (state, moves, weight, stops left in this pass, stops in the next one, spent then).
Steps = tuple[list[tuple[int, list[Removal]]], int, tuple[int, int, int, int, int, int] | None]
Step = Callable[[int, int, int, int, int, Any], Steps]


class Times:
    """How times are written into a state, above the cards: 5 bits for the place in the line, then the redeals."""

    def __init__(self, board: Board) -> None:
        self.shift = board.size
        self.redeal_shift = board.size + 5
        self.end = 1 << board.size
        self.body = self.end - 1
        self.bits = [1 << TABLEAU_SIZE + k for k in range(board.size - TABLEAU_SIZE + 1)]
        self.codes = {bit: k << board.size for k, bit in enumerate(self.bits)}
        line = board.line & -board.top
        self.start = self.codes[line & -line or self.end] if board.line else 0


def make_steps(board: Board, layouts: Layouts, times: Times) -> Step:
    """The successors of a node: (state, arrival, stops ahead, stops in the next pass, spent, node before)."""
    return make_open_steps(board, layouts, times) if board.open else make_closed_steps(board, layouts, times)


def make_closed_steps(board: Board, layouts: Layouts, times: Times) -> Step:
    """Only the waste top plays, or there is no line at all."""
    line_mask, alone, weights = board.line, board.alone & board.line, board.weights
    body, end, codes, bits, shift = times.body, times.end, times.codes, times.bits, times.shift
    redeals, redeal_shift = board.redeals, times.redeal_shift
    arrivals = layouts.arrivals
    always = alone | _find_rests(board)
    not_twice = _find_lasting(board)

    def step(state: int, place: int, ahead: int, back: int, spent: int, before: Any) -> Steps:
        line = state & line_mask
        behind = line & bits[state >> shift & 31] - 1
        waste = 1 << behind.bit_length() - 1 if behind else 0
        arrival = arrivals[place]
        cells = arrival.cells
        groups = []
        if ahead < 0:
            removals = arrival.removals
            if removals is None:
                removals = arrival.prepare()
            if removals:
                groups.append((state, removals))
            spent &= arrival.stale & not_twice
            if waste & arrival.want:
                groups.append((state, arrival.on_waste.get(waste) or arrival.pair_waste(waste)))
            if waste & alone and arrival.waste_all:
                arrived = cells.arrive(cells, NOTHING_OLD, True)
                groups.append((state, [(waste, 1, weights[waste.bit_length() - 1], arrived)]))
            rest = ahead = line ^ behind
            stops = cells.want & ~spent | always
            more = redeals is None or state >> redeal_shift < redeals
            back = behind & ~waste & stops if more else 0
            pinned = cells.pinned
            if pinned is None:
                pinned = cells.pin()
            for loose, short, mine in pinned:
                mates = loose & behind
                near = loose & rest & ~spent
                spare = mates.bit_count() + near.bit_count() - short
                if spare <= 0:
                    if spare < 0:
                        return [], 0, None
                    if waste & mates:
                        return [(state, _pair_last(cells, waste, mine))], spent, None
                    if near:
                        ahead &= until_last(near, 0)
                        back = 0
                if (mates & ~spent).bit_count() < short:
                    back = 0
            for pair, loose in cells.couples:
                if not loose & line:
                    return [(state, [_leave(cells, pair)])], spent, None
            ahead &= stops
        else:
            if waste & cells.want:
                groups.append((state, cells.on_stock.get(waste) or _pair_stock(cells, waste)))
            if waste & alone:
                arrived = cells.arrive(cells, NOTHING_OLD, False)
                groups.append((state, [(waste, 1, weights[waste.bit_length() - 1], arrived)]))
        if ahead:
            stop = ahead & -ahead
            past = line & (stop << 1) - 1
            above = line ^ past
            after = state & body | codes[above & -above or end] | state >> redeal_shift << redeal_shift
            drawn = past ^ behind
            seen = spent | waste | drawn ^ stop
            return groups, spent, (after, drawn.bit_count(), 0, ahead ^ stop, back, seen)
        if back:
            stop = back & -back
            past = line & (stop << 1) - 1
            above = line ^ past
            after = state & body | codes[above & -above or end]
            if redeals is not None:
                after |= (state >> redeal_shift) + 1 << redeal_shift
            moves = (line ^ behind).bit_count() + 1 + past.bit_count()
            seen = spent | line ^ behind | waste | past ^ stop
            return groups, spent, (after, moves, 0, back ^ stop, 0, seen)
        return groups, spent, None

    return step


def make_open_steps(board: Board, layouts: Layouts, times: Times) -> Step:
    """The stock top plays as well as the waste top, and the two with each other."""
    line_mask, alone, weights, pairs = board.line, board.alone & board.line, board.weights, board.pairs
    body, end, codes, bits, shift = times.body, times.end, times.codes, times.bits, times.shift
    redeals, redeal_shift = board.redeals, times.redeal_shift
    arrivals = layouts.arrivals
    passing, others = board.passing, body & ~alone
    single = alone & ~passing
    always = single | _find_rests(board)
    not_twice = _find_lasting(board)
    goal_all = board.goal_all
    meetings: dict[int, int] = {}

    def move_meetings(before: int, plain: int) -> int:
        """The meetings of a line from those of the line before."""
        found = meetings.get(before)
        if found is None:
            return find_meetings(plain)
        gone = before ^ plain
        while gone:
            bit = gone & -gone
            gone ^= bit
            after = plain & -bit
            after &= -after
            found &= ~(bit | after)
            if after:
                before = plain & bit - 1
                if before and pairs[after.bit_length() - 1] >> before.bit_length() - 1 & 1:
                    found |= after
        meetings[plain] = found
        return found

    def find_meetings(plain: int) -> int:
        """The line cards that pair with the one before them."""
        found = before = 0
        left = plain
        while left:
            bit = left & -left
            left ^= bit
            if pairs[bit.bit_length() - 1] & before:
                found |= bit
            before = bit
        meetings[plain] = found
        return found

    kept = ~passing
    waste_alone = alone if single else alone & board.top - 1

    def step(state: int, place: int, ahead: int, back: int, spent: int, before: Any) -> Steps:
        line = state & line_mask
        top = bits[state >> shift & 31]
        arrival = arrivals[place]
        cells = arrival.cells
        groups = []
        stop_here = top
        if ahead < 0:
            removals = arrival.removals
            if removals is None:
                removals = arrival.prepare()
            if removals:
                groups.append((state, removals))
            if goal_all and not state & others:
                # Only singles of the line are left, which happens where all cards have to go.
                return [(state, [(line, line.bit_count(), board.weigh(line), place)])], 0, None
            behind = line & top - 1
            if behind:
                waste = 1 << behind.bit_length() - 1
                if waste & arrival.want:
                    groups.append((state, arrival.on_waste.get(waste) or arrival.pair_waste(waste)))
                if waste & waste_alone and arrival.waste_all:
                    arrived = cells.arrive(cells, NOTHING_OLD, True)
                    groups.append((state, [(waste, 1, weights[waste.bit_length() - 1], arrived)]))
            else:
                waste = 0
            plain = line & kept
            met = meetings.get(plain)
            if met is None:
                met = move_meetings(before[0] & line_mask & kept if before else -1, plain)
            spent &= arrival.stale & not_twice
            stops = line & (cells.want & ~spent | met | always)
            back = stops & behind
            ahead = stops ^ back
            if redeals is not None and state >> redeal_shift >= redeals:
                back = 0
            pinned = cells.pinned
            if pinned is None:
                pinned = cells.pin()
            for loose, short, mine in pinned:
                mates = loose & line & ~spent
                spare = mates.bit_count() - short
                if spare <= 0:
                    if spare < 0:
                        return [], 0, None
                    if mates & waste:
                        return [(state, _pair_last(cells, waste, mine))], spent, None
                near = mates & -top
                if spare < near.bit_count():
                    ahead &= until_last(near, spare)
                    back = 0
            for pair, loose in cells.couples:
                if not loose & line:
                    return [(state, [_leave(cells, pair)])], spent, None
            stop_here = ahead & top
            if stop_here:
                ahead ^= top
        else:
            behind = line & top - 1
            waste = 1 << behind.bit_length() - 1 if behind else 0
        if stop_here:
            above = line & -(top << 1)
            after = state + codes[above & -above or end] - codes[top]
            if top & cells.want:
                groups.append((after, cells.on_stock.get(top) or _pair_stock(cells, top)))
            i = top.bit_length() - 1
            if pairs[i] & waste:
                weight = weights[i] + weights[waste.bit_length() - 1]
                groups.append((after, [(top | waste, 1, weight, cells.arrive(cells, NOTHING_OLD, True))]))
            if top & single:
                groups.append((after, [(top, 1, weights[i], cells.arrive(cells, NOTHING_OLD, False))]))
        if ahead:
            stop = ahead & -ahead
            passed = (line ^ behind) & stop - 1
            after = state + codes[stop] - codes[top]
            lost = passed & passing
            if lost:
                after ^= lost
                weight = board.weigh(lost) if goal_all else 0
                return groups, spent, (after, passed.bit_count(), weight, ahead ^ stop, back, spent | passed)
            return groups, spent, (after, passed.bit_count(), 0, ahead ^ stop, back, spent | passed)
        if back:
            stop = back & -back
            rest = line & -top
            lost = rest & passing
            passed = line & ~lost & stop - 1
            lost |= passed & passing
            after = (state & body ^ lost) | codes[stop]
            if redeals is not None:
                after |= (state >> redeal_shift) + 1 << redeal_shift
            weight = board.weigh(lost) if lost and goal_all else 0
            moves = rest.bit_count() + 1 + passed.bit_count()
            return groups, spent, (after, moves, weight, back ^ stop, 0, spent | rest | passed)
        return groups, spent, None

    return step


def _find_rests(board: Board) -> int:
    """Line cards to stop at though they can do nothing (SKIP_DRAWS: none).

    Safe since a draw with nothing to do after it leads only to the next draw or redeal.
    """
    return 0 if Idea.SKIP_DRAWS in board.ideas else board.line


def _find_lasting(board: Board) -> int:
    """Line cards that stay spent once drawn past (NOT_TWICE), until a cell comes free that they pair with.

    Safe since what such a card pairs with when it comes up again it could have left with when it was drawn past:
    the same removals, and fewer draws after. So no shortest line does it, by whatever way the state is reached.
    """
    return board.line if Idea.NOT_TWICE in board.ideas else 0


def _pair_stock(cells: Cells, top: int) -> list[Removal]:
    found = cells.on_stock[top] = cells.pair_off(top, cells.exposed, False)
    return found


def _pair_last(cells: Cells, waste: int, mine: int) -> list[Removal]:
    """The pairs of a waste card that has to go with one of these cells."""
    arrivals = cells.layouts.arrivals
    return [
        (gone, moves, weight, arrivals[to].cells.arrive(cells, 0, True))
        for gone, moves, weight, to in cells.pair_off(waste, mine, True)
    ]


def _leave(cells: Cells, pair: int) -> Removal:
    """A pair of cells that leaves before anything else."""
    gone, moves, weight, after = cells.leaving(pair)
    return gone, moves, weight, after.arrive(cells, 0, True)
