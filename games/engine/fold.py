"""The fold: a move list played over plain ints, as fast as Python goes.

It inlines the rules of position.py. What may leave the tableau together is not written a second time: its
tables are made with the same functions that a Position asks. The fold never says why a token is refused; the
Position reached so far does. Source: rules.md, "Legal moves".
"""

from collections import deque
from functools import cache
from typing import NamedTuple

from games.engine.cards import VALUES
from games.engine.deal import Deal
from games.engine.moves import (
    COVER_MASKS,
    FULL_TABLEAU,
    RESERVE_CELLS,
    TABLEAU_BITS,
    TABLEAU_CELLS,
    TABLEAU_SIZE,
    is_cover_pair,
    is_exposed,
)
from games.engine.position import Position
from games.engine.rulesets import Ruleset
from games.engine.scoring import get_scoring

_Columns = tuple[tuple[int, ...], ...]
_Logged = tuple[int, tuple[int, ...], int, int, tuple[int, ...], _Columns, int, int]

# Where a removal takes its cards from; the fold asks in this order, the most frequent first.
_CELL_STOCK, _CELL_CELL, _CELL, _CELL_WASTE, _STOCK_WASTE, _STOCK, _WASTE = range(7)
_CELL_COLUMN, _COLUMN_COLUMN, _COLUMN = range(7, 10)

# What a removal needs: kind, need, allowed, bits, a, b. The tableau's mask under `need` must be one of
# `allowed`; then `bits` leave. a and b are indices of tableau cells or reserve columns. Plain tuples unpack
# fastest.
_Entry = tuple[int, int, frozenset[int], int, int, int]

_NO_TABLEAU = (None,) * TABLEAU_SIZE


class Fold(NamedTuple):
    """Where a fold ended: `at` is the index of the token it could not play, or the count of tokens.

    tableau: mask of the cards left. line: the cards of this pass in drawing order, of which `drawn` have left
    the stock. waste: bottom to top. points: of pairs, singles and redeals only.
    """

    at: int
    won: bool
    tableau: int
    line: tuple[int, ...]
    drawn: int
    waste: tuple[int, ...]
    columns: _Columns
    pass_: int
    points: int
    undos: int


def fold(deal: Deal, tokens: list[str]) -> Fold:
    """Play tokens until one cannot be played or the game is won.

    One long loop, because a call for each token would double its time.
    """
    ruleset = deal.ruleset
    get_entry = _make_entries(ruleset).get
    worth = VALUES
    values = [worth[card] for card in deal.cards[:TABLEAU_SIZE]]
    target, jokers, passes = ruleset.target, ruleset.jokers, ruleset.passes
    tableau_goal = ruleset.goal == "tableau"
    _card, pair_points, single_points, redeal_points = get_scoring(ruleset)
    # Only a replay with undos needs the states they go back to.
    log: deque[_Logged] | None = deque(maxlen=ruleset.undo) if "U" in tokens else None

    tableau, pass_, points, undos, won = FULL_TABLEAU, 1, 0, 0, False
    columns: _Columns = ()
    line, drawn = deal.cards[TABLEAU_SIZE:], ruleset.start
    if ruleset.stock == "reserve":
        columns, line = tuple([line[k::8] for k in range(8)]), ()
    waste = line[:drawn]
    end = len(line)

    for at, token in enumerate(tokens):
        if log is not None:
            if token == "U":
                if not log:
                    break
                tableau, line, drawn, end, waste, columns, pass_, points = log.pop()
                undos += 1
                continue
            log.append((tableau, line, drawn, end, waste, columns, pass_, points))
        if token == "D":
            if drawn == end:
                break
            waste = (*waste, line[drawn])
            drawn += 1
            continue
        entry = get_entry(token)
        if entry is None:
            if token != "R" or drawn != end or not waste or (passes is not None and pass_ >= passes):
                break
            line, drawn, end, waste = waste, 0, len(waste), ()
            pass_ += 1
            points += redeal_points
            continue
        kind, need, allowed, bits, a, b = entry
        if tableau & need not in allowed:
            break
        if kind == _CELL_STOCK:
            if drawn == end:
                break
            one, two = values[a], worth[line[drawn]]
            if one + two != target and not (jokers and (not one or not two)):
                break
            drawn += 1
            points += pair_points
        elif kind == _CELL_CELL:
            one, two = values[a], values[b]
            if one + two != target and not (jokers and (not one or not two)):
                break
            points += pair_points
        elif kind == _CELL:
            if values[a] < target:
                break
            points += single_points
        elif kind == _CELL_WASTE:
            if not waste:
                break
            one, two = values[a], worth[waste[-1]]
            if one + two != target and not (jokers and (not one or not two)):
                break
            waste = waste[:-1]
            points += pair_points
        elif kind == _STOCK_WASTE:
            if drawn == end or not waste:
                break
            one, two = worth[line[drawn]], worth[waste[-1]]
            if one + two != target and not (jokers and (not one or not two)):
                break
            drawn += 1
            waste = waste[:-1]
            points += pair_points
        elif kind == _STOCK:
            if drawn == end or worth[line[drawn]] < target:
                break
            drawn += 1
            points += single_points
        elif kind == _WASTE:
            if not waste or worth[waste[-1]] < target:
                break
            waste = waste[:-1]
            points += single_points
        elif kind == _CELL_COLUMN:
            if not columns[b]:
                break
            one, two = values[a], worth[columns[b][-1]]
            if one + two != target and not (jokers and (not one or not two)):
                break
            columns = _shorten(columns, b)
            points += pair_points
        elif kind == _COLUMN_COLUMN:
            if not columns[a] or not columns[b]:
                break
            one, two = worth[columns[a][-1]], worth[columns[b][-1]]
            if one + two != target and not (jokers and (not one or not two)):
                break
            columns = _shorten(_shorten(columns, a), b)
            points += pair_points
        else:
            if not columns[a] or worth[columns[a][-1]] < target:
                break
            columns = _shorten(columns, a)
            points += single_points
        tableau ^= bits
        if not tableau and (tableau_goal or (drawn == end and not waste and not any(columns))):
            # A won game is over: the next token, if there is one, cannot be played.
            won = True
            at += 1
            break
    else:
        at = len(tokens)
    return Fold(at, won, tableau, line, drawn, waste, columns, pass_, points, undos)


def get_position(deal: Deal, end: Fold) -> Position:
    """The position a fold of the deal ended in."""
    left = end.tableau
    tableau: tuple[int | None, ...] = _NO_TABLEAU
    if left:
        cards = zip(deal.cards, TABLEAU_BITS, strict=False)
        tableau = tuple([card if left & bit else None for card, bit in cards])
    return Position(deal.ruleset, tableau, end.line[end.drawn :], end.waste, end.columns, end.pass_, left)


def _shorten(columns: _Columns, k: int) -> _Columns:
    return (*columns[:k], columns[k][:-1], *columns[k + 1 :])


@cache
def _make_entries(ruleset: Ruleset) -> dict[str, _Entry]:
    """The removals of a ruleset by token, in either order of their places."""
    pairs: dict[tuple[str, str], _Entry] = {}
    entries: dict[str, _Entry] = {}
    for a, cell in enumerate(TABLEAU_CELLS):
        bit, covers = TABLEAU_BITS[a], COVER_MASKS[a]
        need = bit | covers
        plays = frozenset(mask for mask in _masks_with(bit, covers) if is_exposed(ruleset, mask, a))
        entries[cell] = (_CELL, need, plays, bit, a, a)
        pairs[cell, "W"] = (_CELL_WASTE, need, plays, bit, a, a)
        pairs[cell, "S"] = (_CELL_STOCK, need, plays, bit, a, a)
        for b, column in enumerate(RESERVE_CELLS):
            pairs[cell, column] = (_CELL_COLUMN, need, plays, bit, a, b)
        for b in range(a + 1, TABLEAU_SIZE):
            pairs[cell, TABLEAU_CELLS[b]] = _make_pair(ruleset, a, b)
    always = frozenset((0,))
    for a, column in enumerate(RESERVE_CELLS):
        entries[column] = (_COLUMN, 0, always, 0, a, a)
        for b in range(a + 1, len(RESERVE_CELLS)):
            pairs[column, RESERVE_CELLS[b]] = (_COLUMN_COLUMN, 0, always, 0, a, b)
    entries["W"] = (_WASTE, 0, always, 0, 0, 0)
    entries["S"] = (_STOCK, 0, always, 0, 0, 0)
    pairs["S", "W"] = (_STOCK_WASTE, 0, always, 0, 0, 0)
    for (first, second), entry in pairs.items():
        entries[first + second] = entries[second + first] = entry
    missing = {"closed": "hS", "open": "h", "reserve": "SW"}[ruleset.stock]
    return {token: entry for token, entry in entries.items() if not set(token) & set(missing)}


def _make_pair(ruleset: Ruleset, a: int, b: int) -> _Entry:
    bits = TABLEAU_BITS[a] | TABLEAU_BITS[b]
    covers = (COVER_MASKS[a] | COVER_MASKS[b]) & ~bits
    allowed = frozenset(
        mask
        for mask in _masks_with(bits, covers)
        if (is_exposed(ruleset, mask, a) and is_exposed(ruleset, mask, b)) or is_cover_pair(ruleset, mask, a, b)
    )
    return _CELL_CELL, bits | covers, allowed, bits, a, b


def _masks_with(bits: int, others: int) -> list[int]:
    """All masks of `bits` with any of the bits of `others`."""
    masks = [bits]
    for bit in TABLEAU_BITS:
        if others & bit:
            masks += [mask | bit for mask in masks]
    return masks
