"""The relaxed game: every loose card can be had at any time, and cards of one rank are all the same.

What is left of a state is its tableau and how many loose cards there are of each value: the key, 28 bits of
tableau and 3 bits for each value. Any line of the real game with its draws left out is a line of the relaxed
game, so the relaxed game needs at most as many removals, and what cannot be won there cannot be won at all.
"""

from games.engine.moves import FULL_TABLEAU, TABLEAU_SIZE
from games.engine.solver.board import Board, bits_of, count_shift, indices_of, mask_of
from games.engine.solver.ideas import Idea
from games.engine.solver.layout import Cells, Layouts
from games.engine.solver.limits import Meter

DEAD = 1 << 20

# The cards and counts of two values in a key, the table of their matchings, the values.
Group = tuple[int, dict[int, int], tuple[int, ...]]
# Moves, what it takes off the key, the count that must not be nought (or -1), the group whose cards leave (None if
# there is not just one), the singles among them.
Link = tuple[int, int, int, Group | None, int]


class Relaxed:
    """Fewest removals from a key to the goal, DEAD if there is no way."""

    def __init__(self, board: Board, layouts: Layouts, meter: Meter) -> None:
        self.board = board
        self.layouts = layouts
        self.meter = meter
        self.values: dict[int, int] = {}
        target = board.ruleset.target
        self._singles = board.alone & board.tableau
        self._loose_singles = [count_shift(value) for value in range(target, 14)] if board.goal_all else []
        self._groups = [self._make_group(value, target - value) for value in range(1, target // 2 + 1)]
        self._group_of = {value: group for group in self._groups for value in group[2]}
        self._search = Idea.RELAXED_GAME in board.ideas
        self._tables = Idea.PAIRING_TABLE in board.ideas
        self._links: dict[int, list[Link]] = {}

    def fewest(self, key: int) -> int:
        """Fewest removals that reach the goal in the relaxed game (RELAXED_GAME)."""
        value = self.values.get(key)
        return self._find_fewest(key, self.bound(key)) if value is None else value

    def bound(self, key: int) -> int:
        """Fewest removals by the pairing tables (PAIRING_TABLE), never more than the truth.

        Cards of two values that make the target leave among themselves: the smallest matching that covers those
        of the tableau, where none matches one that it lies on. No such matching, no win. Where there are jokers
        a card may also be left to one of them.
        """
        total = (key & self._singles).bit_count()
        for shift in self._loose_singles:
            total += key >> shift & 7
        if self._tables:
            for group in self._groups:
                total += self._look_up(group, key)
        return total

    def _look_up(self, group: "Group", key: int) -> int:
        mask, table, values = group
        part = key & mask
        value = table.get(part)
        if value is None:
            counts = tuple(key >> count_shift(value) & 7 for value in values)
            value = table[part] = self._match(part & FULL_TABLEAU, counts, values)
        return value

    def _find_fewest(self, key: int, least: int) -> int:
        """The value of a key whose bound is known."""
        if least >= DEAD or not self._search or not key & FULL_TABLEAU:
            value = min(least, DEAD)
        else:
            self.meter.count()
            value = self._try_removals(key, least)
        self.values[key] = value
        return value

    def _try_removals(self, key: int, least: int) -> int:
        best = DEAD
        values = self.values
        links = self._links.get(key & FULL_TABLEAU)
        if links is None:
            links = self._links[key & FULL_TABLEAU] = self._find_links(self.layouts.find(key & FULL_TABLEAU))
        for moves, weight, count, group, singles in links:
            if not key & count:
                continue
            after = key - weight
            value = values.get(after)
            if value is None:
                if group is None:
                    bound = self.bound(after)
                elif self._tables:
                    table = group[1]
                    matched = table.get(after & group[0])
                    if matched is None:
                        matched = self._look_up(group, after)
                    bound = matched + least - table[key & group[0]] - singles
                else:
                    bound = least - singles
                if moves + bound >= best:
                    continue
                value = self._find_fewest(after, bound)
            if moves + value < best:
                best = moves + value
                if best <= least:
                    break
        return best

    def removals(self, key: int) -> list[tuple[int, int]]:
        """(moves, what it takes off the key) of all that can leave in the relaxed game."""
        links = self._find_links(self.layouts.find(key & FULL_TABLEAU))
        return [(moves, weight) for moves, weight, count, _, _ in links if key & count]

    def _find_links(self, cells: Cells) -> list[Link]:
        board = self.board
        always = -1
        found: list[Link] = []

        def add(bits: int, more: int, count: int) -> Link:
            gone, moves, weight, _ = cells.leaving(bits)
            groups = [self._group_of.get(board.values[i]) for i in indices_of(bits & ~board.alone)]
            group = groups[0] if groups and all(one is groups[0] for one in groups) and not board.jokers else None
            found.append((moves, weight + more, count, group, (gone & self._singles).bit_count()))
            return found[-1]

        for _, bits in cells.free_removals():
            add(bits, 0, always)
        for i in indices_of(cells.exposed):
            if board.jokers >> i & 1:
                # A joker of the tableau takes a loose card along; here it may leave by itself.
                add(1 << i, 0, always)
                continue
            shift = count_shift(board.ruleset.target - board.values[i])
            if not board.alone >> i & 1:
                link = add(1 << i, 1 << shift, 7 << shift)
                if self._has_no_choice(cells, i):
                    return [link]
            if board.jokers & ~FULL_TABLEAU:
                add(1 << i, 1 << count_shift(0), 7 << count_shift(0))
        return found

    def _has_no_choice(self, cells: Cells, i: int) -> bool:
        """Whether an exposed card can only leave with a loose card, so that nothing else need be tried (NO_CHOICE).

        Safe where no joker is about: one loose card of the value has to go with it at some time, they are all the
        same, and a card less in the tableau takes no removal away.
        """
        board = self.board
        return Idea.NO_CHOICE in board.ideas and not board.jokers and not board.match[i] & cells.mask

    def _make_group(self, first: int, second: int) -> Group:
        values = (first, second) if first != second else (first,)
        mask = mask_of(value in values for value in self.board.values[:TABLEAU_SIZE])
        for value in values:
            mask |= 7 << count_shift(value)
        return mask, {}, values

    def _match(self, tableau: int, counts: tuple[int, ...], values: tuple[int, ...]) -> int:
        if not tableau:
            return self._match_loose(counts)
        board = self.board
        bit = tableau & -tableau
        i = bit.bit_length() - 1
        best = DEAD
        other = len(values) - 1 - values.index(board.values[i])
        if counts[other]:
            fewer = (*counts[:other], counts[other] - 1, *counts[other + 1 :])
            best = 1 + self._match(tableau ^ bit, fewer, values)
        for mate in bits_of(tableau & board.match[i]):
            best = min(best, 1 + self._match(tableau ^ bit ^ mate, counts, values))
        if board.jokers:
            best = min(best, 1 + self._match(tableau ^ bit, counts, values))
        return min(best, DEAD)

    def _match_loose(self, counts: tuple[int, ...]) -> int:
        """The removals that take the loose cards left over, where the goal is all cards."""
        board = self.board
        if not board.goal_all or board.jokers or not any(counts):
            return 0
        if board.line and not board.open:
            return DEAD
        if len(counts) == 1:
            return DEAD if counts[0] % 2 else counts[0] // 2
        return counts[0] if counts[0] == counts[1] else DEAD
