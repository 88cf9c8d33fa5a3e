"""How many cards can be removed, where not all can."""

from collections.abc import Iterator

from games.engine.moves import FULL_TABLEAU
from games.engine.solver.board import Board, count_shift, indices_of
from games.engine.solver.layout import Cells, Layouts
from games.engine.solver.limits import LimitReached, Meter
from games.engine.solver.sets import Option, Options


class Reach:
    """Most cards that can leave in the relaxed game (see relaxed.py): never fewer than in the real one."""

    def __init__(self, board: Board, layouts: Layouts, meter: Meter, total: bool) -> None:
        self.board = board
        self.layouts = layouts
        self.meter = meter
        self.total = total
        self.values: dict[int, int] = {}
        self._links: dict[int, list[tuple[int, int, int]]] = {}
        target = board.ruleset.target
        self._shifts = [(count_shift(value), count_shift(target - value)) for value in range(1, target // 2 + 1)]
        self._jokers = 7 << count_shift(0) if board.jokers else 0

    def most(self, key: int) -> int:
        """Most tableau cards, or most cards in all but loose singles, that leave from here."""
        value = self.values.get(key)
        if value is None:
            self.meter.count()
            value = self._most_loose(key) if self.total else 0
            if key & FULL_TABLEAU:
                highest = self._highest(key)
                for cards, weight, count in self._get_links(key & FULL_TABLEAU):
                    if key & count and value < highest:
                        value = max(value, cards + self.most(key - weight))
            self.values[key] = value
        return value

    def _highest(self, key: int) -> int:
        """No more than this, seen from afar."""
        tableau = (key & FULL_TABLEAU).bit_count()
        if not self.total:
            return tableau
        return (
            tableau
            + sum([key >> shift & 7 for pair in self._shifts for shift in set(pair)])
            + (key & self._jokers and 2)
        )

    def _most_loose(self, key: int) -> int:
        """Loose cards that leave among themselves."""
        board = self.board
        if board.line and not board.open:
            return 0
        found = 0
        left = 0
        for first, second in self._shifts:
            one, two = key >> first & 7, key >> second & 7
            if first == second:
                pairs = one // 2
                left += one % 2
            else:
                pairs = min(one, two)
                left += abs(one - two)
            found += 2 * pairs
        if self._jokers:
            jokers = key >> count_shift(0) & 7
            found += 2 * jokers
        return found

    def _get_links(self, tableau: int) -> list[tuple[int, int, int]]:
        links = self._links.get(tableau)
        if links is None:
            links = self._links[tableau] = list(self._find_links(self.layouts.find(tableau)))
        return links

    def _find_links(self, cells: Cells) -> Iterator[tuple[int, int, int]]:
        """(cards that count, what it takes off the key, the count that must not be nought)."""
        board = self.board
        loose = 1 if self.total else 0
        for _, bits in cells.free_removals():
            gone, _, weight, _ = cells.leaving(bits)
            yield gone.bit_count(), weight, -1
        for i in indices_of(cells.exposed):
            gone, _, weight, _ = cells.leaving(1 << i)
            cards = gone.bit_count() + loose
            if board.jokers >> i & 1:
                yield cards, weight, -1
                continue
            if not board.alone >> i & 1:
                shift = count_shift(board.ruleset.target - board.values[i])
                yield cards, weight + (1 << shift), 7 << shift
            if self._jokers:
                yield cards, weight + (1 << count_shift(0)), self._jokers


def find_most(board: Board, layouts: Layouts, meter: Meter, total: bool) -> tuple[int, bool]:
    """Most tableau cards (or cards in all) that can leave, and whether that is proven.

    Depth-first over card sets as in sets.py, where only more than the best so far is of interest.
    """
    reach = Reach(board, layouts, meter, total)
    counted = board.full if total else board.tableau
    gone, cells = layouts.start()
    mask = board.full ^ gone
    best = (gone & counted).bit_count()
    try:
        if not mask & board.goal:
            return best, True
        singles = board.alone & ~FULL_TABLEAU
        options = make_all_options(board)
        top = mask & board.line & -board.top
        top = top & -top or 1 << board.size
        key = board.weigh(mask)

        def highest(mask: int, key: int) -> int:
            return (
                (counted & board.full & ~mask).bit_count()
                + reach.most(key)
                + ((mask & singles).bit_count() if total else 0)
            )

        limit = highest(mask, key)
        earliest = {mask: (0, top)}
        stack = [(mask, key, iter(options(mask, 0, top, cells)))]
        while stack:
            mask, key, rest = stack[-1]
            for redeals, top, gone, weight, cells in rest:
                after = mask ^ gone
                known = earliest.get(after)
                if known is not None and known <= (redeals, top):
                    continue
                earliest[after] = (redeals, top)
                count = (counted & ~after).bit_count()
                if count > best:
                    best = count
                    if best >= limit:
                        return best, True
                if not after & board.goal or highest(after, key - weight) <= best:
                    continue
                meter.count()
                stack.append((after, key - weight, iter(options(after, redeals, top, cells))))
                break
            else:
                stack.pop()
        return best, True
    except LimitReached:
        return best, False


def make_all_options(board: Board) -> Options:
    """Everything that can leave next, with its time; singles of the line leave as soon as they lie open."""
    line_mask, pairs, weights = board.line, board.pairs, board.weights
    end = 1 << board.size
    most = board.redeals
    singles = board.alone & line_mask
    open_stock = board.open
    jokers = board.jokers

    def with_top(card: int, cells: Cells, redeals: int, top: int, lost: int, lost_weight: int) -> Iterator[Option]:
        i = card.bit_length() - 1
        rest = pairs[i] & cells.exposed
        while rest:
            bit = rest & -rest
            rest ^= bit
            gone, _, weight, after = cells.leaving(bit)
            yield redeals, top, gone | card | lost, weight + weights[i] + lost_weight, after
        if card & singles:
            yield redeals, top, card | lost, weights[i] + lost_weight, cells

    def options(mask: int, redeals: int, top: int, cells: Cells) -> Iterator[Option]:
        line = mask & line_mask
        behind = line & top - 1
        waste = 1 << behind.bit_length() - 1 if behind else 0
        for _, bits in cells.free_removals():
            gone, _, weight, after = cells.leaving(bits)
            yield redeals, top, gone, weight, after
        if waste:
            yield from with_top(waste, cells, redeals, top, 0, 0)
        ahead = line ^ behind
        back = behind
        before = waste
        lost = lost_weight = 0
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
            yield from with_top(card, cells, redeals, top, lost, lost_weight)
            i = card.bit_length() - 1
            if open_stock and pairs[i] & before:
                weight = weights[i] + weights[before.bit_length() - 1]
                yield redeals, top, card | before | lost, weight + lost_weight, cells
            if card & singles and not jokers:
                lost |= card
                lost_weight += weights[i]
            else:
                before = card

    return options
