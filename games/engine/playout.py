"""Play-outs: whole games played fast by a fixed policy that looks at visible cards only.

Its five rules, the first that applies:

1. A card that can leave alone leaves, wherever it plays.
2. A card is spared while the tableau needs it: no pair takes a card outside the tableau if then fewer cards of some
   worth would be left than tableau cards that need one of them as partner (a joker is a partner for any).
3. Of the pairs that are left one goes, by lot, the likelier the more cards it uncovers; a pair inside the tableau is
   somewhat likelier than one with a card outside, and a joker less likely to be used. One time in eight a pair with a
   card outside is left for later, while there is something to draw.
4. Two cards outside the tableau leave together only where nothing else does.
5. Nothing leaves: draw. With the stock empty redeal, if that is allowed and a card has left in this pass; otherwise
   the game is given up.

What is still unseen is counted (it is the deck without the cards seen); where it lies is not looked at.
"""

from typing import NamedTuple

from games.engine.cards import VALUES
from games.engine.deal import Deal
from games.engine.moves import (
    FULL_TABLEAU,
    RESERVE_CELLS,
    TABLEAU_BITS,
    TABLEAU_CELLS,
    TABLEAU_SIZE,
    can_leave_alone,
    can_pair,
    is_cover_pair,
    is_exposed,
    write_token,
)
from games.engine.position import Position

# Knuth's linear congruential generator. The lot, 0 to 63, is its six highest bits; a card uncovered weighs 8. Without
# luck of some weight all play-outs of a deal would be won, or none.
_FACTOR, _SUMMAND, _WORD = 6364136223846793005, 1442695040888963407, (1 << 64) - 1
_LOT = 58
_OFTEN = 7

# The ways of a tableau pair, or of a tableau card with a card outside: rank, token or cell, tableau after it, worth
# of the two tableau cards or of the one.
_Pair = tuple[int, str, int, int, int]
_Half = tuple[int, str, int, int]


class Playout(NamedTuple):
    """How a play-out ended. left: tableau cards. tokens: what was played, as written."""

    won: bool
    left: int
    tokens: list[str]


class Cells(NamedTuple):
    """One set of tableau cards left. single: the cell of one that leaves alone, "" for none; after: without it.

    halves: by the worth of the card outside. needs: by worth, the tableau cards that need such a partner.
    """

    single: str
    after: int
    pairs: list[_Pair]
    halves: list[list[_Half]]
    needs: list[int]


class Table:
    """A deal, or a position whose every card is known, prepared for play-outs.

    Sets of tableau cards are worked out once each, when they are met.
    """

    def __init__(self, start: Deal | Position) -> None:
        position = start if isinstance(start, Position) else Position.start(start)
        self.ruleset = ruleset = position.ruleset
        self.cards = [-1 if card is None else card for card in position.tableau]
        self.values = [0 if card is None else VALUES[card] for card in position.tableau]
        self.left = position.present
        self.columns = [[VALUES[card] for card in column] for column in position.reserve]
        self.line = [VALUES[card] for card in (*position.waste, *position.stock)]
        self.drawn = len(position.waste)
        self.redeals = 99 if ruleset.passes is None else ruleset.passes - position.pass_
        self.progress = self.left != FULL_TABLEAU or self.drawn > ruleset.start
        self.totals = [0] * 14
        for value in (*self.values, *self.line, *(value for column in self.columns for value in column)):
            self.totals[value] += 1
        self.totals[0] -= position.tableau.count(None)
        # worth of two cards outside that pair
        target, jokers = ruleset.target, ruleset.jokers
        self.fits = [
            [one + two == target or bool(jokers and (not one or not two)) for two in range(14)] for one in range(14)
        ]
        self._known: dict[int, Cells] = {}

    def look(self, left: int) -> Cells:
        """What there is to do with the tableau cards of a mask."""
        found = self._known.get(left)
        if found is None:
            found = self._known[left] = self._work_out(left)
        return found

    def _work_out(self, left: int) -> Cells:
        exposed = self._find_exposed(left)
        for i in exposed:
            if can_leave_alone(self.ruleset, self.cards[i]):
                return Cells(TABLEAU_CELLS[i], left ^ TABLEAU_BITS[i], [], [], [])
        covered = len(exposed)
        pairs: list[_Pair] = []
        halves: list[list[_Half]] = [[] for _ in range(14)]
        for a, b in self._find_pairs(left, exposed):
            after = left ^ TABLEAU_BITS[a] ^ TABLEAU_BITS[b]
            rank = 4 * (len(self._find_exposed(after)) - covered) + 3
            joker = not self.values[a] or not self.values[b]
            token = write_token((TABLEAU_CELLS[a], TABLEAU_CELLS[b]))
            pairs.append((rank - 2 * joker, token, after, self.values[a], self.values[b]))
        for i in exposed:
            after, value = left ^ TABLEAU_BITS[i], self.values[i]
            rank = 4 * (len(self._find_exposed(after)) - covered)
            for other in range(14):
                if self.fits[value][other]:
                    joker = not value or not other
                    halves[other].append((rank + 2 - 2 * joker, TABLEAU_CELLS[i], after, value))
        return Cells("", 0, pairs, halves, self._count_needs(left))

    def _find_exposed(self, left: int) -> list[int]:
        return [i for i in range(TABLEAU_SIZE) if is_exposed(self.ruleset, left, i)]

    def _find_pairs(self, left: int, exposed: list[int]) -> list[tuple[int, int]]:
        ruleset, cards = self.ruleset, self.cards
        found = [(a, b) for a in exposed for b in exposed if a < b and can_pair(ruleset, cards[a], cards[b])]
        if ruleset.cover_pairs:
            found += [
                (a, b)
                for b in exposed
                for a in range(b)
                if is_cover_pair(ruleset, left, a, b) and can_pair(ruleset, cards[a], cards[b])
            ]
        return found

    def _count_needs(self, left: int) -> list[int]:
        needs = [0] * 14
        target = self.ruleset.target
        for i in range(TABLEAU_SIZE):
            if left >> i & 1 and 0 < self.values[i] < target:
                needs[target - self.values[i]] += 1
        return needs


def play_out(table: Table, seed: int) -> Playout:
    """Play one game; `seed` (64 bits) draws its lots.

    One long loop over plain ints, because hundreds of games are played to rate one deal.
    """
    ruleset, fits, look = table.ruleset, table.fits, table.look
    target, is_open = ruleset.target, ruleset.stock == "open"
    all_go = ruleset.goal == "all"
    redeals = table.redeals
    line, columns = table.line, [column[:] for column in table.columns]
    drawn = table.drawn
    waste, end = line[:drawn], len(line)
    totals = table.totals[:]
    tokens: list[str] = []
    left, progress, word = table.left, table.progress, seed

    while left or (all_go and (waste or drawn < end)):
        cells = look(left)
        if cells.single:
            tokens.append(cells.single)
            left, progress = cells.after, True
            continue
        # Cards outside that can be played: place and worth.
        ends = [(RESERVE_CELLS[k], column[-1]) for k, column in enumerate(columns) if column] if columns else []
        if is_open and drawn < end:
            ends.append(("S", line[drawn]))
        if waste:
            ends.append(("W", waste[-1]))

        best, token = -1 << 9, ""
        for rank, name, then, worth, value in cells.pairs:
            word = (word * _FACTOR + _SUMMAND) & _WORD
            rank = (rank << 1) + (word >> _LOT)
            if rank > best:
                best, token, after, place, other, one, two = rank, name, then, "", "", worth, value
        needs, jokers = cells.needs, totals[0]
        for name, worth in ends:
            if worth >= target:
                token, after, place, other, one, two = name, left, name, "", worth, worth
                break
            for rank, cell, then, value in cells.halves[worth]:
                if worth and value and worth != value and needs[value] >= totals[value] + jokers:
                    continue
                word = (word * _FACTOR + _SUMMAND) & _WORD
                if drawn < end and not word >> 40 & _OFTEN:
                    continue
                rank = (rank << 1) + (word >> _LOT)
                if rank > best:
                    best, token, after, place, other, one, two = rank, cell + name, then, name, "", worth, value
        if not token and len(ends) > 1:
            couples = _find_couples(ends, fits, needs, totals)
            if couples:
                word = (word * _FACTOR + _SUMMAND) & _WORD
                place, other, one, two = couples[(word >> 32) % len(couples)]
                token, after = place + other, left

        if token:
            tokens.append(token)
            left, progress = after, True
            totals[one] -= 1
            totals[two] -= one < target
            for name in (place, other):
                if name == "W":
                    waste.pop()
                elif name == "S":
                    drawn += 1
                elif name:
                    columns[int(name[1]) - 1].pop()
        elif drawn < end:
            tokens.append("D")
            waste.append(line[drawn])
            drawn += 1
        elif redeals and waste and progress:
            tokens.append("R")
            line, waste, drawn, end = waste, [], 0, len(waste)
            redeals -= 1
            progress = False
        else:
            break
    won = not left and (not all_go or (not waste and drawn == end))
    return Playout(won, left.bit_count(), tokens)


def _find_couples(
    ends: list[tuple[str, int]], fits: list[list[bool]], needs: list[int], totals: list[int]
) -> list[tuple[str, str, int, int]]:
    """The pairs of two cards outside the tableau that it can spare: places and worths."""
    found = []
    for k, (place, one) in enumerate(ends):
        for other, two in ends[k + 1 :]:
            if fits[one][two]:
                tight = any(worth and needs[worth] >= totals[worth] + totals[0] for worth in (one, two))
                if not tight or one == two or not one or not two:
                    found.append((place, other, one, two))
    return found
