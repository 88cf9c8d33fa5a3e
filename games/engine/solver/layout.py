"""The layout while it is taken down: what is exposed, what leaves, and what of it is worth trying.

All of this depends on the cells left alone, and there are few such sets (1430 at most without lenient rules), so
that it is worked out once each and looked up ever after.
"""

from games.engine.moves import TABLEAU_SIZE
from games.engine.solver.board import Board, bits_of, indices_of
from games.engine.solver.ideas import Idea

# What leaves: its bits, the moves it takes, what it takes off the relaxed key, where one arrives.
Removal = tuple[int, int, int, int]

# As the order of an arrival: no removal inside the layout that was there before.
NOTHING_OLD = 1 << 12


def until_last(mates: int, spare: int) -> int:
    """The line up to the first of these cards that must not be drawn past; `spare` of them may be (LAST_PARTNER)."""
    while spare:
        mates &= mates - 1
        spare -= 1
    return ((mates & -mates) << 1) - 1


class Layouts:
    """All sets of cells met so far."""

    def __init__(self, board: Board) -> None:
        self.board = board
        self.known: dict[int, Cells] = {}
        self.arrivals: list[Arrival] = []
        self.below = [tuple((1 << i, board.covers[i]) for i in indices_of(under)) for under in board.under]
        self.lenient = int(board.ruleset.lenient)

    def start(self) -> tuple[int, "Cells"]:
        """(what leaves at once, the cells then) of the board's position."""
        board = self.board
        exposed = 0
        for i in indices_of(board.cells):
            if board.is_exposed(board.cells, i):
                exposed |= 1 << i
        gone, left, exposed = self.settle(board.cells, exposed, exposed & board.forced)
        return gone, self.get(left, exposed)

    def begin(self, cells: "Cells") -> int:
        """The number of the arrival at the start: everything is news."""
        self.arrivals.append(Arrival(cells, cells.exposed, 0, True))
        return len(self.arrivals) - 1

    def find(self, mask: int) -> "Cells":
        """The cells of a mask; none of them may be bound to leave at once."""
        cells = self.known.get(mask)
        if cells is None:
            board = self.board
            exposed = sum([1 << i for i in indices_of(mask) if board.is_exposed(mask, i)])
            cells = self.get(mask, exposed)
        return cells

    def get(self, mask: int, exposed: int) -> "Cells":
        cells = self.known.get(mask)
        if cells is None:
            cells = self.known[mask] = Cells(self, mask, exposed)
        return cells

    def settle(self, mask: int, exposed: int, leaving: int) -> tuple[int, int, int]:
        """Take `leaving` off and whatever is forced to follow: (gone, cells left, exposed then)."""
        forced = self.board.forced
        gone = leaving
        mask ^= leaving
        exposed &= ~leaving
        while leaving:
            bit = leaving & -leaving
            leaving ^= bit
            for low, covers in self.below[bit.bit_length() - 1]:
                if mask & low and not exposed & low:
                    on = mask & covers
                    if not on or (self.lenient and low >> TABLEAU_SIZE == 0 and not on & on - 1):
                        if low & forced:
                            mask ^= low
                            gone |= low
                            leaving |= low
                        else:
                            exposed |= low
        return gone, mask, exposed


class Cells:
    """One set of cells. fit: what pairs with an exposed card. want: the line cards among these.

    on_waste, on_stock: by line card, its pairs with exposed cards: while it is the waste top of a state just
    arrived at, and when it has just come up in drawing.
    """

    __slots__ = (
        "_arrivals",
        "_free",
        "_leaving",
        "couples",
        "exposed",
        "fit",
        "joint",
        "layouts",
        "mask",
        "on_stock",
        "on_waste",
        "pinned",
        "want",
    )

    def __init__(self, layouts: Layouts, mask: int, exposed: int) -> None:
        board = layouts.board
        self.layouts = layouts
        self.mask = mask
        self.exposed = exposed
        self.fit = 0
        for i in indices_of(exposed):
            self.fit |= board.pairs[i]
        self.want = self.fit & board.line
        self.joint: int = self._find_joint() if board.ruleset.cover_pairs else 0
        self.on_waste: dict[int, list[Removal]] = {}
        self.on_stock: dict[int, list[Removal]] = {}
        self.pinned: list[tuple[int, int, int]] | None = None
        self.couples: list[tuple[int, int]] = []
        self._free: list[tuple[int, int]] | None = None
        self._leaving: dict[int, tuple[int, int, int, Cells]] = {}
        self._arrivals: dict[tuple[int, int, bool], int] = {}

    def leaving(self, bits: int) -> tuple[int, int, int, "Cells"]:
        """What leaves with `bits`: (all bits that go, moves, weight, cells then)."""
        found = self._leaving.get(bits)
        if found is None:
            layouts = self.layouts
            gone, mask, exposed = layouts.settle(self.mask, self.exposed, bits)
            moves = 1 + (gone ^ bits).bit_count()
            found = (gone, moves, layouts.board.weigh(gone), layouts.get(mask, exposed))
            self._leaving[bits] = found
        return found

    def arrive(self, before: "Cells", order: int, waste_all: bool) -> int:
        """The number of the arrival here from other cells."""
        news = self.exposed & ~before.exposed
        key = (news, order, waste_all)
        found = self._arrivals.get(key)
        if found is None:
            found = self._arrivals[key] = len(self.layouts.arrivals)
            self.layouts.arrivals.append(Arrival(self, news, order, waste_all))
        return found

    def free_removals(self) -> list[tuple[int, int]]:
        """(order, bits) of everything that leaves inside the layout, in one order for all cells."""
        if self._free is None:
            board = self.layouts.board
            found = []
            for a in indices_of(self.exposed):
                if board.alone >> a & 1:
                    found.append((a << 6 | a, 1 << a))
                others = indices_of(board.pairs[a] & self.exposed & -(2 << a))
                found += [(a << 6 | b, 1 << a | 1 << b) for b in others]
                if self.joint >> a & 1:
                    found += [(b << 6 | a, 1 << a | 1 << b) for b in self._joined(a)]
            self._free = found
        return self._free

    def pair_off(self, top: int, exposed: int, waste_all: bool) -> list[Removal]:
        """The pairs of a line card with exposed cards."""
        board = self.layouts.board
        i = top.bit_length() - 1
        found = []
        for bit in bits_of(board.pairs[i] & exposed):
            gone, moves, weight, cells = self.leaving(bit)
            arrival = cells.arrive(self, NOTHING_OLD, waste_all)
            found.append((gone | top, moves, weight + board.weights[i], arrival))
        return found

    def pin(self) -> list[tuple[int, int, int]]:
        """Exposed cards short of partners in the layout (LAST_PARTNER): (line cards, how many of them, cards).

        So many of the line cards have to go with the exposed cards given. `couples` becomes the pairs of exposed
        cards of which one has no other partner, if none is in the line: (pair, line cards).
        """
        board = self.layouts.board
        self.pinned = []
        if Idea.LAST_PARTNER not in board.ideas or board.jokers:
            return self.pinned
        by_value: dict[int, int] = {}
        for i in indices_of(self.exposed & board.goal & ~board.alone):
            by_value[board.values[i]] = by_value.get(board.values[i], 0) | 1 << i
        for value, mine in by_value.items():
            if 2 * value == board.ruleset.target:
                continue
            others = 0
            for i in indices_of(mine):
                mates = board.match[i] & self.mask
                others |= mates
                if mates & self.exposed and not mates & mates - 1:
                    self.couples.append((1 << i | mates, board.pairs[i] & board.line))
            short = mine.bit_count() - others.bit_count()
            if short > 0:
                self.pinned.append((board.pairs[mine.bit_length() - 1] & board.line, short, mine))
        return self.pinned

    def _find_joint(self) -> int:
        return sum([1 << a for a in indices_of(self.exposed) if self._joined(a)])

    def _joined(self, a: int) -> list[int]:
        """The cards that may leave together with the exposed card on them (cover pairs)."""
        board = self.layouts.board
        return [
            b for b in indices_of(board.under[a] & board.pairs[a] & self.mask) if board.covers[b] & self.mask == 1 << a
        ]


class Arrival:
    """Where a removal leads, and what of it was not to be had before (NOTHING_OLD).

    news: the cells just exposed. order: removals inside the layout below this number are left out, unless they
    are news. waste_all: whether old cells may pair with the waste top. on_waste: by line card, what it may do
    as the waste top. fresh: the line cards that pair with news; stale: all others.

    Safe since all that can leave has one fixed order: inside the layout by number, then with the waste top, then
    after a draw. What is left out could have left before the last removal, for as many moves to the same state,
    and stands lower in the order than that. It is found that other way: if there, too, the last step is left out,
    then for one that stands higher still, and the order ends. So it does not matter by which way a state is
    reached first.
    """

    __slots__ = ("cells", "fresh", "news", "on_waste", "order", "removals", "stale", "want", "waste_all")

    def __init__(self, cells: Cells, news: int, order: int, waste_all: bool) -> None:
        board = cells.layouts.board
        if Idea.NOTHING_OLD not in board.ideas:
            order, waste_all = 0, True
        self.cells = cells
        self.news = news
        self.order = order
        self.waste_all = waste_all
        self.removals: list[Removal] | None = None
        self.fresh = 0
        self.want = cells.want
        self.on_waste = cells.on_waste

    def prepare(self) -> list[Removal]:
        """Work the removals out when they are asked for; `fresh` and `want` hold from then on."""
        cells = self.cells
        board = cells.layouts.board
        for i in indices_of(self.news):
            self.fresh |= board.pairs[i]
        self.fresh &= board.line
        self.stale = ~self.fresh
        if not self.waste_all:
            self.want = self.fresh
            self.on_waste = {}
        self.removals = []
        for order, bits in cells.free_removals():
            if order >= self.order or bits & self.news or bits & ~cells.exposed:
                gone, moves, weight, after = cells.leaving(bits)
                self.removals.append((gone, moves, weight, after.arrive(cells, order, True)))
        return self.removals

    def pair_waste(self, top: int) -> list[Removal]:
        """What the waste top may do with the layout."""
        exposed = self.cells.exposed if self.waste_all else self.news
        found = self.on_waste[top] = self.cells.pair_off(top, exposed, True)
        return found
