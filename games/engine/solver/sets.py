"""Can it be won at all? Depth-first over card sets.

Of two states with the same cards left the one earlier in the line (fewer redeals, then fewer cards drawn) can do
all that the other can, so one entry for each set is enough: the earliest time it was tried at.
"""

from collections.abc import Callable, Iterator

from games.engine.solver.board import Board
from games.engine.solver.layout import Cells, Layouts, until_last
from games.engine.solver.limits import Meter
from games.engine.solver.relaxed import DEAD, Relaxed

# Redeals taken, first card of the stock, what leaves, its weight, the cells then.
Option = tuple[int, int, int, int, Cells]
Options = Callable[[int, int, int, Cells], Iterator[Option]]


def find_win(board: Board, layouts: Layouts, relaxed: Relaxed, meter: Meter) -> list[int] | None:
    """What leaves together, in order, on some way to the goal; None if there is none.

    The singles of the line that `board.dropped` holds are left out: they can leave whenever they are met.
    """
    gone, cells = layouts.start()
    mask = board.full & ~gone
    key = board.weigh(mask)
    mask &= ~board.dropped
    goal = board.goal & ~board.dropped
    path = [gone] if gone else []
    if relaxed.fewest(key) >= DEAD:
        return None
    if not mask & goal:
        return path
    options = make_options(board)
    line = mask & board.line & -board.top
    top = line & -line or 1 << board.size
    earliest = {mask: (0, top)}
    stack = [(mask, key, iter(options(mask, 0, top, cells)))]
    while stack:
        mask, key, rest = stack[-1]
        for redeals, top, gone, weight, cells in rest:
            after = mask ^ gone
            known = earliest.get(after)
            if known is not None and known <= (redeals, top):
                continue
            if relaxed.fewest(key - weight) >= DEAD:
                earliest[after] = (-1, 0)
                continue
            earliest[after] = (redeals, top)
            path.append(gone)
            if not after & goal:
                return path
            meter.count()
            stack.append((after, key - weight, iter(options(after, redeals, top, cells))))
            break
        else:
            stack.pop()
            if path:
                path.pop()
    return None


def make_options(board: Board) -> Options:
    """What can leave next from a card set at a time, however many draws and redeals away."""
    line_mask, pairs, weights = board.line, board.pairs, board.weights
    end = 1 << board.size
    most = board.redeals
    single = board.alone & line_mask & ~board.dropped
    open_stock = board.open

    def with_top(card: int, cells: Cells, redeals: int, top: int) -> Iterator[Option]:
        i = card.bit_length() - 1
        rest = pairs[i] & cells.exposed
        while rest:
            bit = rest & -rest
            rest ^= bit
            gone, _, weight, after = cells.leaving(bit)
            yield redeals, top, gone | card, weight + weights[i], after
        if card & single:
            yield redeals, top, card, weights[i], cells

    def options(mask: int, redeals: int, top: int, cells: Cells) -> Iterator[Option]:
        line = mask & line_mask
        behind = line & top - 1
        waste = 1 << behind.bit_length() - 1 if behind else 0
        pinned = cells.pinned
        if pinned is None:
            pinned = cells.pin()
        ahead = line ^ behind
        back = behind
        for loose, short, mine in pinned:
            mates = loose & line
            spare = mates.bit_count() - short
            if spare < 0:
                return
            if not spare and mates & (waste | (top if open_stock else 0)):
                card = mates & waste or top
                i = card.bit_length() - 1
                rest = pairs[i] & mine
                if card == top:
                    above = line & -(top << 1)
                    top = above & -above or end
                while rest:
                    bit = rest & -rest
                    rest ^= bit
                    gone, _, weight, after = cells.leaving(bit)
                    yield redeals, top, gone | card, weight + weights[i], after
                return
            near = mates & -top
            if spare < near.bit_count():
                ahead &= until_last(near, spare)
                back = 0
        for pair, loose in cells.couples:
            if not loose & line:
                gone, _, weight, after = cells.leaving(pair)
                yield redeals, top, gone, weight, after
                return
        for _, bits in cells.free_removals():
            gone, _, weight, after = cells.leaving(bits)
            yield redeals, top, gone, weight, after
        if waste & (cells.want | single):
            yield from with_top(waste, cells, redeals, top)
        before = waste
        while ahead or back:
            if not ahead:
                if most is not None and redeals >= most:
                    return
                redeals += 1 if most is not None else 0
                ahead, back, before = back, 0, 0
            card = ahead & -ahead
            ahead ^= card
            above = line & -(card << 1)
            top = above & -above or end
            if card & (cells.want | single):
                yield from with_top(card, cells, redeals, top)
            if open_stock and pairs[card.bit_length() - 1] & before:
                weight = weights[card.bit_length() - 1] + weights[before.bit_length() - 1]
                yield redeals, top, card | before, weight, cells
            before = card

    return options
