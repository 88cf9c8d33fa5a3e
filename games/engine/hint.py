"""Hints: a legal move and why, from what a player can see.

The ordinary hint follows these rules, the first that applies (a removal that wins comes before all of them):

1. A card that can leave alone leaves: it is nobody's partner. On the stock it leaves instead of being drawn; on
   the waste only where it lies on a card that is wanted, or has to go anyway.
2. A tableau card whose last partner is at hand leaves with it: no win does otherwise.
3. While two redeals are left, look at the whole stock before breaking pairs up.
4. Of the other removals one that takes no card its last partner, and of these the one that uncovers most.
5. Else draw or redeal, as long as that can bring something; else whatever is left.

Source: rules.md, "Legal moves" and "End".
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property

from games.engine.cards import VALUES
from games.engine.errors import Params, gettext_noop
from games.engine.moves import CELL_INDEX, COVER_MASKS, TABLEAU_BITS, TABLEAU_CELLS, TABLEAU_SIZE, read_token
from games.engine.position import Position
from games.engine.rulesets import Ruleset
from games.engine.view import View

_SENTENCES = {
    "wins": gettext_noop("This wins the game."),
    "single": gettext_noop("%(place)s can leave alone."),
    "single_uncovers": gettext_noop("%(place)s can leave alone and uncovers %(cells)s."),
    "stock_single": gettext_noop("The top card of the stock can leave alone: better than to draw it."),
    "waste_single": gettext_noop("The top card of the waste can leave alone and frees the card under it."),
    "last_partner": gettext_noop("%(place)s has no other partner left."),
    "pair": gettext_noop("%(first)s and %(second)s leave together."),
    "pair_uncovers": gettext_noop("%(first)s and %(second)s leave together; this uncovers %(cells)s."),
    "waste_pair": gettext_noop("%(place)s leaves with the top card of the waste."),
    "waste_pair_uncovers": gettext_noop("%(place)s leaves with the top card of the waste; this uncovers %(cells)s."),
    "stock_pair": gettext_noop("%(place)s leaves with the top card of the stock."),
    "stock_pair_uncovers": gettext_noop("%(place)s leaves with the top card of the stock; this uncovers %(cells)s."),
    "stock_waste_pair": gettext_noop("The top cards of stock and waste leave together."),
    "look": gettext_noop("Draw: redeals are left, so look at the whole stock before you break pairs up."),
    "draw": gettext_noop("Draw: no two cards that can be played now fit together."),
    "wait": gettext_noop("Draw: every removal now would leave a card without a partner."),
    "redeal": gettext_noop("The stock is empty: turn the waste over."),
    "nothing_better": gettext_noop("Nothing better is in sight, though a card may be left without a partner."),
    "stuck": gettext_noop("Nothing can be removed, however often you turn the stock: take moves back."),
    "solved": gettext_noop("This begins a shortest way to win: %(moves)s moves."),
    "hopeless": gettext_noop("It is proven that no way to win is left: take moves back or begin a new game."),
}


@dataclass(frozen=True)
class Hint:
    """A move in its written order and why it is a good one.

    reason: a stable code. message: the msgid of the sentence, with places for params. move is None only in a
    hopeless game without a legal move.
    """

    move: str | None
    reason: str
    message: str
    params: Params = field(default_factory=dict)

    def __str__(self) -> str:
        return self.message % self.params


def hint(view: View) -> Hint | None:
    """The ordinary hint; None if the game is won or nothing is legal."""
    position = view.some_position
    moves = position.legal_moves()
    if not moves:
        return None
    removals = _find_removals(position)
    turn = next((move for move in moves if move in ("D", "R")), None)
    found = _find_sure(removals)
    if found is not None:
        return found
    if turn == "D" and view.unseen and _count_redeals(view) >= 2:
        return _say("D", "look")
    sound = [removal for removal in removals if removal.is_sound]
    if sound:
        return max(sound, key=lambda removal: removal.rank).explain()
    ahead = turn is not None and (bool(view.unseen) or _any_ahead(position, sound=True))
    if turn is not None and ahead:
        return _explain_turn(turn, removals)
    if removals:
        return _say(max(removals, key=lambda removal: removal.rank).move, "nothing_better")
    assert turn is not None
    return _explain_turn(turn, removals) if _any_ahead(position, sound=False) else _say(turn, "stuck")


def hint_line(view: View, line: Sequence[str]) -> Hint:
    """The first move of a proven shortest line from here; MoveError if it is not legal."""
    move = line[0]
    refusal = view.some_position.find_refusal(move)
    if refusal is not None:
        raise refusal
    return _say(move, "solved", moves=len(line))


def hint_hopeless(view: View) -> Hint:
    """The answer where it is proven that no line wins: the ordinary move, if there is one, but no false hope."""
    found = hint(view)
    return _say(found.move if found else None, "hopeless")


class _Removal:
    """A legal removal, and what it does to the board. lost: some card has no partner left already."""

    def __init__(self, before: Position, move: str, lost: bool) -> None:
        self.before = before
        self.move = move
        self.lost = lost
        self.places = read_token(move)
        self.cells = [CELL_INDEX[place] for place in self.places if place in CELL_INDEX]
        self.after = before.play(move)

    @cached_property
    def uncovers(self) -> list[str]:
        """The cells that play only after it."""
        before = self.before.exposed
        return [cell for cell in self.after.exposed if cell not in before]

    @cached_property
    def is_sound(self) -> bool:
        """Whether it gets on with the game and leaves every card that has to go a partner."""
        return self.is_useful and (self.lost or self.after.is_won or not _strands(self.after))

    @property
    def is_useful(self) -> bool:
        """Whether it takes off what has to go or what lies on it, and does not only use partners up."""
        ruleset = self.before.ruleset
        if self.cells or ruleset.goal == "all" or ruleset.stock == "reserve":
            return True
        return self.places != ("S", "W") and (self.places == ("S",) or self.frees_partner)

    @property
    def frees_partner(self) -> bool:
        """Whether the waste top leaves alone and the card under it pairs with an exposed one."""
        return self.places == ("W",) and any("W" in move and len(move) > 1 for move in self.after.legal_moves())

    @cached_property
    def last_cell(self) -> int | None:
        """The tableau card of a pair that has no other partner left."""
        if len(self.places) == 1:
            return None
        rest = _Rest(self.before)
        return next((cell for cell in self.cells if rest.count_partners(cell) == 1), None)

    @property
    def rank(self) -> tuple[int, int]:
        """The higher, the better: cells uncovered, then tableau cards taken off."""
        return len(self.uncovers), len(self.cells)

    def explain(self) -> Hint:
        reason, params = self._find_reason()
        if self.after.is_won:
            return _say(self.move, "wins")
        if self.uncovers and (reason == "single" or reason.endswith("pair")) and reason != "stock_waste_pair":
            return _say(self.move, f"{reason}_uncovers", **params, cells=", ".join(self.uncovers))
        return _say(self.move, reason, **params)

    def _find_reason(self) -> tuple[str, dict[str, str]]:
        loose = {"S": "stock", "W": "waste"}
        if len(self.places) == 1:
            place = self.places[0]
            return (f"{loose[place]}_single", {}) if place in loose else ("single", {"place": place})
        first, second = self.places
        if first in loose:
            return "stock_waste_pair", {}
        if second in loose:
            return f"{loose[second]}_pair", {"place": first}
        return "pair", {"first": first, "second": second}


def _find_removals(position: Position) -> list[_Removal]:
    moves = [move for move in position.legal_moves() if move not in ("D", "R")]
    lost = bool(moves) and _strands(position)
    return [_Removal(position, move, lost) for move in moves]


def _find_sure(removals: list[_Removal]) -> Hint | None:
    """The win itself, or what every win can begin with: rules 1 and 2."""
    for removal in removals:
        if removal.after.is_won:
            return removal.explain()
    for removal in removals:
        if len(removal.places) == 1 and removal.is_useful:
            return removal.explain()
    for removal in removals:
        cell = removal.last_cell
        if cell is not None:
            return _say(removal.move, "last_partner", place=TABLEAU_CELLS[cell])
    return None


def _explain_turn(turn: str, removals: list[_Removal]) -> Hint:
    if turn == "R":
        return _say(turn, "redeal")
    return _say(turn, "wait" if removals else "draw")


def _count_redeals(view: View) -> int:
    passes = view.ruleset.passes
    return 2 if passes is None else passes - view.pass_


def _any_ahead(position: Position, sound: bool) -> bool:
    """Whether drawing on, and turning the waste over once where that is allowed, brings a (sound) removal."""
    redeals = 0
    while True:
        moves = position.legal_moves()
        turn = next((move for move in moves if move in ("D", "R")), None)
        redeals += turn == "R"
        if turn is None or redeals > 1:
            return False
        position = position.play(turn)
        if any(removal.is_sound or not sound for removal in _find_removals(position)):
            return True


def _strands(position: Position) -> bool:
    """Whether some tableau card can have no partner any more, whatever is unseen."""
    rest = _Rest(position)
    if any(rest.count_partners(cell) == 0 for cell in rest.cells):
        return True
    target = position.ruleset.target
    needs = Counter(rest.values[cell] for cell in rest.cells)
    return any(
        value and value < target and 2 * value != target and count > rest.count(target - value) + rest.count(0)
        for value, count in needs.items()
    )


class _Rest:
    """The cards left, by what they are worth. cells: the tableau cells left."""

    def __init__(self, position: Position) -> None:
        self.ruleset = position.ruleset
        self.values = {cell: VALUES[card] for cell, card in enumerate(position.tableau) if card is not None}
        self.cells = list(self.values)
        self.present = position.present
        self.masks: Counter[int] = Counter()
        for cell, value in self.values.items():
            self.masks[value] += TABLEAU_BITS[cell]
        reserve = [card for column in position.reserve for card in column]
        self.loose = Counter(VALUES[card] for card in (*position.stock, *position.waste, *reserve))

    def count(self, value: int) -> int:
        """The cards left that are worth so much, 0 for jokers."""
        return self.masks[value].bit_count() + self.loose[value]

    def count_partners(self, cell: int) -> int:
        """The cards left that a tableau card could leave with; -1 if it leaves alone."""
        value, target = self.values[cell], self.ruleset.target
        if value >= target:
            return -1
        near = self.present & ~_find_stacked(self.ruleset, cell)
        if not value:
            return near.bit_count() + self.loose.total()
        found = (near & self.masks[target - value]).bit_count() + self.loose[target - value]
        return found + (near & self.masks[0]).bit_count() + self.loose[0]


@cache
def _find_stacked(ruleset: Ruleset, cell: int) -> int:
    """The tableau cards that a cell can never leave with, as a mask: itself, and what lies on it or under it."""
    itself = TABLEAU_BITS[cell]
    if ruleset.lenient:
        return itself
    above = [_find_above(index) for index in range(TABLEAU_SIZE)]
    stacked = above[cell] | sum(TABLEAU_BITS[i] for i in range(TABLEAU_SIZE) if above[i] & itself)
    if ruleset.cover_pairs:
        stacked &= ~COVER_MASKS[cell]
        stacked &= ~sum(TABLEAU_BITS[i] for i in range(TABLEAU_SIZE) if COVER_MASKS[i] & itself)
    return stacked | itself


def _find_above(cell: int) -> int:
    """All cards that lie on a tableau cell, as a mask."""
    above = COVER_MASKS[cell]
    for index in range(cell + 1, TABLEAU_SIZE):
        if above >> index & 1:
            above |= COVER_MASKS[index]
    return above


def _say(move: str | None, reason: str, **params: str | int) -> Hint:
    return Hint(move, reason, _SENTENCES[reason], params)
