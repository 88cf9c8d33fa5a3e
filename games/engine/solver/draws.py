"""How many draws are still needed in a closed stock (DRAW_BOUND): a bound to add to that on the removals.

It plays an easier game in which exposed cells never run out: whatever pairs with a cell that was exposed at any
time may leave. What that game cannot do before so many draws the real one cannot either, and a draw removes
nothing, so that the two bounds add up. In an open stock a card can leave without being drawn, the bound is weak,
and costs more than it saves.
"""

from collections.abc import Callable
from typing import NamedTuple

from games.engine.solver.board import Board, bits_of, indices_of, mask_of
from games.engine.solver.ideas import Idea
from games.engine.solver.layout import Cells, Layouts
from games.engine.solver.relaxed import DEAD
from games.engine.solver.steps import Times

# The least number of draws and redeals from a state with these cells; DEAD if no redeal is left for them.
DrawBound = Callable[[int, Cells], int]


class Lack(NamedTuple):
    """The cells of a value that need at least so many loose cards, and the loose cards that pair with them."""

    loose: int
    cells: int
    need: int


class Spot:
    """A layout in the easier game, with everything off that leaves without a loose card.

    left: its cells. ever: the cells exposed up to here. fit: what pairs with those, and singles. want: the line
    cards that pair with exposed ones. after: by wanted cards that were to be had, the spot then.
    """

    __slots__ = ("after", "ever", "fit", "left", "want")

    def __init__(self, left: int, ever: int, fit: int, want: int) -> None:
        self.left = left
        self.ever = ever
        self.fit = fit
        self.want = want
        self.after: dict[int, Spot] = {}


class Facts(NamedTuple):
    """What holds for one layout whatever lies in the line.

    caps: by line card of a value of which more are left than can pair with the tableau: all cards of the value,
    and how many of them can. capped: those line cards. spot: the layout in the easier game.
    """

    lacks: list[Lack]
    caps: dict[int, tuple[int, int]]
    capped: int
    spot: Spot


class EasierGame:
    """Facts and spots, worked out once for each layout."""

    def __init__(self, board: Board, layouts: Layouts) -> None:
        self.board = board
        self.layouts = layouts
        self.spots: dict[tuple[int, int], Spot] = {}
        values = range(board.ruleset.target)
        self.loose = [mask_of(own == value for own in board.values) & board.line for value in values]
        self.cells = [mask_of(own == value for own in board.values) & board.tableau for value in values]

    def settle(self, left: int, ever: int, fit: int) -> Spot:
        """The spot once all cells are off that pair with any ever exposed."""
        while True:
            cells = self.layouts.find(left)
            ever |= cells.exposed
            fit |= cells.fit
            leaving = cells.exposed & fit | cells.joint
            if not leaving:
                break
            left ^= leaving
        spot = self.spots.get((left, ever))
        if spot is None:
            spot = self.spots[left, ever] = Spot(left, ever, fit, cells.want)
        return spot

    def advance(self, spot: Spot, wanted: int) -> Spot:
        """The spot once the exposed cells are off that pair with these line cards."""
        pairs = self.board.pairs
        exposed = self.layouts.find(spot.left).exposed
        gone = sum([1 << i for i in indices_of(exposed) if pairs[i] & wanted])
        after = spot.after[wanted] = self.settle(spot.left ^ gone, spot.ever, spot.fit)
        return after

    def get_facts(self, mask: int) -> Facts:
        """The facts of a set of cells."""
        board = self.board
        lacks: list[Lack] = []
        caps: dict[int, tuple[int, int]] = {}
        for value, loose in enumerate(self.loose):
            if loose:
                partners = (board.pairs[loose.bit_length() - 1] & mask & board.tableau).bit_count()
                if loose.bit_count() > partners:
                    caps |= dict.fromkeys(bits_of(loose), (loose, partners))
            cells = self.cells[-value] & mask if value else 0
            need = cells.bit_count() - self._most_matched(mask & board.tableau, cells) - board.jokers.bit_count()
            if need > 0:
                lacks.append(Lack(loose, cells, need))
        return Facts(lacks, caps, sum(caps), self.settle(mask, 0, board.alone))

    def _most_matched(self, free: int, cells: int) -> int:
        """How many of these cells, all of one value, can leave with other cells at most."""
        cells &= free
        if not cells:
            return 0
        board = self.board
        bit = cells & -cells
        i = bit.bit_length() - 1
        best = self._most_matched(free ^ bit, cells)
        for mate in bits_of(free & board.match[i]):
            both = 2 if mate & cells else 1
            best = max(best, both + self._most_matched(free ^ bit ^ mate, cells))
        return best


def make_draw_bound(board: Board, layouts: Layouts, times: Times) -> DrawBound | None:
    """The bound for a board; None where it does not hold or does not help."""
    if board.open or not board.line or Idea.DRAW_BOUND not in board.ideas:
        return None
    game = EasierGame(board, layouts)
    known: dict[int, Facts] = {}
    line_mask, alone = board.line, board.alone
    bits, shift, redeal_shift, redeals = times.bits, times.shift, times.redeal_shift, board.redeals

    def bound(state: int, cells: Cells) -> int:
        facts = known.get(cells.mask)
        if facts is None:
            if not cells.mask:
                return 0
            facts = known[cells.mask] = game.get_facts(cells.mask)
        lacks, caps, capped, spot = facts
        line = state & line_mask
        waste = line & bits[state >> shift & 31] - 1
        ahead = rest = line ^ waste
        usable = 0
        unchecked = capped & waste
        while True:
            # Only what lies above the highest waste card that can never leave is to be had.
            stuck = waste & ~spot.fit
            open_waste = waste & -(1 << stuck.bit_length() - 1) if stuck else waste
            new = open_waste & unchecked
            if new:
                unchecked ^= new
                cut = 0
                while new:
                    bit = new & -new
                    new ^= bit
                    same, most = caps[bit]
                    cards = waste & same
                    if cards.bit_count() > most:
                        new &= ~same
                        while most:
                            cards ^= 1 << cards.bit_length() - 1
                            most -= 1
                        if cards > cut:
                            cut = cards
                if cut:
                    # So many of a value can leave at most: the highest one beyond them stays.
                    cut = 1 << cut.bit_length() - 1
                    waste &= -(cut << 1)
                    open_waste &= waste
            wanted = spot.want & open_waste
            if wanted:
                spot = spot.after.get(wanted) or game.advance(spot, wanted)
                continue
            usable |= open_waste & spot.fit
            if not spot.left:
                # No cell is left to come free: only numbers count from here on.
                last = 0
                for loose, _, need in lacks:
                    need -= (loose & usable).bit_count()
                    if need > 0:
                        mates = loose & rest
                        while need > 1:
                            mates &= mates - 1
                            need -= 1
                        if not mates:
                            break
                        mates &= -mates
                        if mates > last:
                            last = mates
                else:
                    return (ahead & (last << 1) - 1 | ahead ^ rest).bit_count() if last else (ahead ^ rest).bit_count()
                break
            goals = spot.want & rest
            if not goals:
                break
            drawn = rest & (goals ^ goals - 1)
            rest ^= drawn
            waste |= drawn
            usable |= drawn & spot.fit
            unchecked |= drawn & capped
        if redeals is not None and state >> redeal_shift >= redeals:
            return DEAD
        usable |= rest & spot.fit
        # In the next pass all has to be drawn up to the last card that is still lacking then, but for what may
        # have left before; one card at least, since this pass was not enough.
        last = 0
        for loose, of, need in lacks:
            cards, cells_met = (loose & usable).bit_count(), (of & spot.ever).bit_count()
            need -= cards if cards < cells_met else cells_met
            if need > 0:
                mates = loose & line
                while need > 1:
                    mates &= mates - 1
                    need -= 1
                mates &= -mates
                if mates > last:
                    last = mates
        again = (line & (last << 1) - 1 & ~(usable & ~alone)).bit_count() if last else 0
        return ahead.bit_count() + 1 + (again or 1)

    return bound
