"""Replays: from a move list to a verdict. Source: formats.md, "Replays".

The fold inlines the rules of position.py over plain ints for speed. What may leave the tableau together is not
written a second time: its tables are made with the same functions that a Position asks. It never says why a
token is refused; the Position reached so far does.
"""

import json
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar, Literal, NamedTuple, NoReturn

from games.engine.cards import VALUES
from games.engine.deal import Deal
from games.engine.errors import CodeError, ReplayError, gettext_noop
from games.engine.moves import (
    COVER_MASKS,
    FULL_TABLEAU,
    RESERVE_CELLS,
    TABLEAU_CELLS,
    TABLEAU_SIZE,
    is_cover_pair,
    is_exposed,
)
from games.engine.position import Position
from games.engine.rulesets import Ruleset
from games.engine.scoring import bonus, get_scoring

FORMAT = "pyramid-replay/1"
RULES_VERSION = 1
MAX_TOKENS = 4000
MAX_TIME_MS = 86_400_000

Outcome = Literal["won", "dead_end", "unfinished"]


@dataclass(frozen=True)
class Verdict:
    """A legal replay. `text` is its move list as it is stored, `position` the state after its last token."""

    legal: ClassVar[Literal[True]] = True
    deal: str
    outcome: Outcome
    plies: int
    moves: int
    undos: int
    points: int
    bonus: int | None
    removed: int
    left: int
    removed_all: int
    left_all: int
    pass_: int
    elapsed_ms: int | None
    rules: int
    text: str
    position: Position

    def as_dict(self) -> dict[str, str | int | None]:
        """The verdict as formats.md writes it, in its order."""
        return {
            "legal": True,
            "deal": self.deal,
            "outcome": self.outcome,
            "plies": self.plies,
            "moves": self.moves,
            "undos": self.undos,
            "points": self.points,
            "bonus": self.bonus,
            "removed": self.removed,
            "left": self.left,
            "removed_all": self.removed_all,
            "left_all": self.left_all,
            "pass": self.pass_,
            "elapsed_ms": self.elapsed_ms,
            "rules": self.rules,
        }


@dataclass(frozen=True)
class Refusal:
    """A refused replay: the index of the bad token from 0, the reason code, the sentence as template and params."""

    legal: ClassVar[Literal[False]] = False
    at: int | None
    token: str | None
    reason: str
    message: str
    params: dict[str, str | int]

    @property
    def detail(self) -> str:
        """The English sentence."""
        return self.message % self.params

    def as_dict(self) -> dict[str, str | int | None]:
        """The verdict as formats.md writes it, in its order."""
        return {
            "legal": False,
            "at": self.at,
            "token": self.token,
            "reason": self.reason,
            "detail": self.detail,
        }


def verify(deal: Deal, moves: str, times: Sequence[object] | None = None) -> Verdict | Refusal:
    """Play a move list on a deal. `times`: milliseconds since the start for each token."""
    count = moves.count(" ") + 1 if moves else 0
    if count > MAX_TOKENS:
        return Refusal(None, None, "too_long", _TOO_LONG, {"count": count, "most": MAX_TOKENS})
    elapsed_ms = None
    if times is not None:
        refusal = _check_times(times, count)
        if refusal is not None:
            return refusal
        elapsed_ms = int(times[-1]) if times else None  # type: ignore[call-overload]
    tokens = moves.split(" ") if moves else []
    end = _fold(deal, tokens)
    position = _stand(deal, end)
    if end.at < len(tokens):
        token = tokens[end.at]
        error = position.find_refusal(token)
        assert error is not None, f"the fold refused {token} in {position}"
        return Refusal(end.at, token, error.code, error.message, error.params)
    return _conclude(deal, tokens, end, position, elapsed_ms)


def judge(text: str | bytes) -> Verdict | Refusal:
    """The verdict on a whole pyramid-replay/1 document."""
    try:
        if isinstance(text, str):
            # What could not have come as UTF-8 is refused however it was decoded.
            text.encode("utf-8")
        else:
            text = text.decode("utf-8")
        document = json.loads(text, parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        return Refusal(None, None, "json", gettext_noop("This is not JSON in UTF-8."), {})
    return judge_document(document)


def judge_document(document: object) -> Verdict | Refusal:
    """The verdict on a document that is already parsed from JSON."""
    try:
        fields = _check_shape(document)
        deal = Deal.from_code(fields["deal"])
    except CodeError as error:
        return Refusal(None, None, "deal", error.message, error.params)
    except ReplayError as error:
        return Refusal(None, None, error.code, error.message, error.params)
    return verify(deal, fields["moves"], fields.get("times"))


def dump(value: object) -> str:
    """JSON text of a verdict; escaped only where it holds lone surrogates, which cannot be UTF-8."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return json.dumps(value, allow_nan=False)
    return text


_TOO_LONG = gettext_noop("The replay has %(count)s tokens; at most %(most)s are allowed.")
_BAD_TIME = gettext_noop("A time is a whole number of milliseconds from 0 to %(most)s.")
_EARLIER_TIME = gettext_noop("A time is earlier than the one before it.")
_TIMES_COUNT = gettext_noop("There are %(times)s times for %(tokens)s tokens.")


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(name)


def _check_times(times: Sequence[object], count: int) -> Refusal | None:
    last = 0
    for at, time in enumerate(times[: count + 1]):
        if at == count:
            break
        # A bool is an int to Python, and no number here.
        if type(time) is not int or not 0 <= time <= MAX_TIME_MS:
            return Refusal(at, None, "times", _BAD_TIME, {"most": MAX_TIME_MS})
        if time < last:
            return Refusal(at, None, "times", _EARLIER_TIME, {})
        last = time
    if len(times) != count:
        at = min(len(times), count)
        return Refusal(at, None, "times", _TIMES_COUNT, {"times": len(times), "tokens": count})
    return None


_TEXT_FIELDS = ("format", "deal", "moves")
_FIELDS = (*_TEXT_FIELDS, "times", "rules")


def _check_shape(document: object) -> dict[str, Any]:
    """The fields of a document; ReplayError shape or format."""
    if not isinstance(document, dict):
        raise ReplayError("shape", gettext_noop("A replay is a JSON object."))
    for name in document:
        if name not in _FIELDS:
            raise ReplayError("shape", gettext_noop("A replay has no field %(field)s."), {"field": str(name)})
    for name in _TEXT_FIELDS:
        if name not in document:
            raise ReplayError("shape", gettext_noop("The field %(field)s is missing."), {"field": name})
        if not isinstance(document[name], str):
            raise ReplayError("shape", gettext_noop("The field %(field)s must be a text."), {"field": name})
    if "times" in document and not isinstance(document["times"], list):
        raise ReplayError("shape", gettext_noop("The field %(field)s must be a list."), {"field": "times"})
    if "rules" in document and type(document["rules"]) is not int:
        raise ReplayError(
            "shape", gettext_noop("The field %(field)s must be a whole number."), {"field": "rules"}
        )
    if document["format"] != FORMAT:
        raise ReplayError("format", gettext_noop("The format must be %(format)s."), {"format": FORMAT})
    if document.get("rules", RULES_VERSION) != RULES_VERSION:
        raise ReplayError(
            "format", gettext_noop("The version of the rules must be %(rules)s."), {"rules": RULES_VERSION}
        )
    return document


def _conclude(
    deal: Deal, tokens: list[str], end: "_End", position: Position, elapsed_ms: int | None
) -> Verdict:
    ruleset = deal.ruleset
    won = position.is_won
    plies = len(tokens)
    left = position.left
    left_all = position.left_all
    written = _written(ruleset.stock)
    return Verdict(
        deal=deal.code,
        outcome="won" if won else "dead_end" if position.is_dead_end else "unfinished",
        plies=plies,
        moves=plies if ruleset.undo_counts else plies - end.undos,
        undos=end.undos,
        points=end.points + get_scoring(ruleset).card * (TABLEAU_SIZE - left),
        bonus=bonus(ruleset, elapsed_ms) if won and elapsed_ms is not None else None,
        removed=TABLEAU_SIZE - left,
        left=left,
        removed_all=len(deal.cards) - left_all,
        left_all=left_all,
        pass_=position.pass_,
        elapsed_ms=elapsed_ms,
        rules=RULES_VERSION,
        text=" ".join([written[token] for token in tokens]),
        position=position,
    )


# What a removal takes cards from. The most frequent come first in the fold.
_CELL_STOCK, _CELL_CELL, _CELL, _CELL_WASTE, _STOCK_WASTE, _STOCK, _WASTE = range(7)
_CELL_COLUMN, _COLUMN_COLUMN, _COLUMN = range(7, 10)


class _Entry(NamedTuple):
    """What a removal's token needs.

    The tableau's mask under `need` must be one of `allowed`; then `bits` go. a and b: indices of tableau cells
    or of reserve columns.
    """

    kind: int
    need: int
    allowed: frozenset[int]
    bits: int
    a: int
    b: int


class _End(NamedTuple):
    """Where a fold ended; `at` is the index of the token it could not play, or the count of tokens."""

    at: int
    tableau: int
    line: tuple[int, ...]
    drawn: int
    waste: tuple[int, ...]
    columns: tuple[tuple[int, ...], ...]
    pass_: int
    points: int
    undos: int


def _fold(deal: Deal, tokens: list[str]) -> _End:
    """Play tokens until one cannot be played or the game is won.

    One long loop, since a call a token would double its time.
    """
    ruleset = deal.ruleset
    get_entry = _entries(ruleset).get
    worth = VALUES
    values = [worth[card] for card in deal.cards[:TABLEAU_SIZE]]
    target, jokers, passes = ruleset.target, ruleset.jokers, ruleset.passes
    tableau_goal = ruleset.goal == "tableau"
    _card, pair_points, single_points, redeal_points = get_scoring(ruleset)
    # Only a text with undos needs the states they go back to.
    log: deque[Any] | None = deque(maxlen=ruleset.undo) if "U" in tokens else None

    tableau, pass_, points, undos = FULL_TABLEAU, 1, 0, 0
    columns: tuple[tuple[int, ...], ...] = ()
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
            # A won game ends: the next token, if there is one, cannot be played.
            at += 1
            break
    else:
        at = len(tokens)
    return _End(at, tableau, line, drawn, waste, columns, pass_, points, undos)


def _shorten(columns: tuple[tuple[int, ...], ...], k: int) -> tuple[tuple[int, ...], ...]:
    return (*columns[:k], columns[k][:-1], *columns[k + 1 :])


_BITS = tuple(1 << index for index in range(TABLEAU_SIZE))
_BARE = (None,) * TABLEAU_SIZE


def _stand(deal: Deal, end: _End) -> Position:
    left = end.tableau
    tableau = (
        tuple([card if left & bit else None for card, bit in zip(deal.cards, _BITS, strict=False)])
        if left
        else _BARE
    )
    return Position(deal.ruleset, tableau, end.line[end.drawn :], end.waste, end.columns, end.pass_)


@cache
def _written(stock: str) -> dict[str, str]:
    """Every token of a layout, in either order, to the way it is written."""
    written = {"D": "D", "R": "R", "U": "U"}
    places = [*TABLEAU_CELLS, *(RESERVE_CELLS if stock == "reserve" else ("S", "W"))]
    for i, place in enumerate(places):
        written[place] = place
        for other in places[i + 1 :]:
            written[place + other] = written[other + place] = place + other
    return written


def _entries(ruleset: Ruleset) -> dict[str, _Entry]:
    return _make_entries(ruleset.stock, ruleset)


@cache
def _make_entries(stock: str, ruleset: Ruleset) -> dict[str, _Entry]:
    """The removals of a ruleset by token, in either order of their places."""
    entries: dict[str, _Entry] = {}
    cells = tuple(enumerate(TABLEAU_CELLS))
    free = frozenset((0,))
    for a, cell in cells:
        need = 1 << a | COVER_MASKS[a]
        alone = frozenset(mask for mask in _submasks(need) if is_exposed(ruleset, mask, a))
        entries[cell] = _Entry(_CELL, need, alone, 1 << a, a, a)
        if stock == "reserve":
            for b, column in enumerate(RESERVE_CELLS):
                entry = _Entry(_CELL_COLUMN, need, alone, 1 << a, a, b)
                entries[cell + column] = entries[column + cell] = entry
        else:
            entries[cell + "W"] = entries["W" + cell] = _Entry(_CELL_WASTE, need, alone, 1 << a, a, a)
        if stock == "open":
            entries[cell + "S"] = entries["S" + cell] = _Entry(_CELL_STOCK, need, alone, 1 << a, a, a)
        for b, other in cells[a + 1 :]:
            entry = _make_pair(ruleset, a, b)
            entries[cell + other] = entries[other + cell] = entry
    if stock == "reserve":
        for a, column in enumerate(RESERVE_CELLS):
            entries[column] = _Entry(_COLUMN, 0, free, 0, a, a)
            for b, other in enumerate(RESERVE_CELLS):
                if a != b:
                    entries[column + other] = _Entry(_COLUMN_COLUMN, 0, free, 0, a, b)
    else:
        entries["W"] = _Entry(_WASTE, 0, free, 0, 0, 0)
    if stock == "open":
        entries["S"] = _Entry(_STOCK, 0, free, 0, 0, 0)
        entries["SW"] = entries["WS"] = _Entry(_STOCK_WASTE, 0, free, 0, 0, 0)
    return entries


def _make_pair(ruleset: Ruleset, a: int, b: int) -> _Entry:
    bits = 1 << a | 1 << b
    need = bits | COVER_MASKS[a] | COVER_MASKS[b]
    allowed = frozenset(
        mask
        for mask in _submasks(need)
        if mask & bits == bits
        and (
            (is_exposed(ruleset, mask, a) and is_exposed(ruleset, mask, b))
            or is_cover_pair(ruleset, mask, a, b)
        )
    )
    return _Entry(_CELL_CELL, need, allowed, bits, a, b)


def _submasks(mask: int) -> list[int]:
    """All the masks within a mask."""
    found = [0]
    for index in range(TABLEAU_SIZE):
        if mask >> index & 1:
            found += [low | 1 << index for low in found]
    return found
