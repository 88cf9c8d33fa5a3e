"""Replays: from a move list or a whole document to a verdict. Source: formats.md, "Replays"."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar, Literal, NoReturn

from games.engine.deal import Deal
from games.engine.errors import CodeError, ReplayError, gettext_noop
from games.engine.fold import Fold, fold, get_position
from games.engine.moves import CELLS, TABLEAU_CELLS, write_token
from games.engine.position import Position
from games.engine.scoring import bonus, get_scoring

FORMAT = "pyramid-replay/1"
RULES_VERSION = 1
MAX_TOKENS = 4000
MAX_TIME_MS = 86_400_000

Outcome = Literal["won", "dead_end", "unfinished"]

_TEXT_FIELDS = ("format", "deal", "moves")
_FIELDS = (*_TEXT_FIELDS, "times", "rules")
_NO_JSON = gettext_noop("This is not JSON in UTF-8.")
_NO_OBJECT = gettext_noop("A replay is a JSON object.")
_UNKNOWN_FIELD = gettext_noop("A replay has no field %(field)s.")
_MISSING_FIELD = gettext_noop("The field %(field)s is missing.")
_NO_TEXT = gettext_noop("The field %(field)s must be a text.")
_NO_LIST = gettext_noop("The field %(field)s must be a list.")
_NO_NUMBER = gettext_noop("The field %(field)s must be a whole number.")
_OTHER_FORMAT = gettext_noop("The format must be %(format)s.")
_OTHER_RULES = gettext_noop("The version of the rules must be %(rules)s.")
_TOO_LONG = gettext_noop("The replay has %(count)s tokens; at most %(most)s are allowed.")
_BAD_TIME = gettext_noop("A time is a whole number of milliseconds from 0 to %(most)s.")
_EARLIER_TIME = gettext_noop("A time is earlier than the one before it.")
_TIMES_COUNT = gettext_noop("The number of times is %(times)s, the number of tokens %(tokens)s.")


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
    """A refused replay: index of the token from 0, reason code, and the sentence as template and params."""

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
    """Play a move list on a deal. `times`: milliseconds since the start, one a token."""
    count = moves.count(" ") + 1 if moves else 0
    if count > MAX_TOKENS:
        return Refusal(None, None, "too_long", _TOO_LONG, {"count": count, "most": MAX_TOKENS})
    elapsed_ms = None
    if times is not None:
        refusal = _check_times(times, count)
        if refusal is not None:
            return refusal
        last = times[-1] if times else None
        elapsed_ms = last if isinstance(last, int) else None
    tokens = moves.split(" ") if moves else []
    end = fold(deal, tokens)
    position = get_position(deal, end)
    if end.at == count:
        return _conclude(deal, tokens, end, position, elapsed_ms)
    token = tokens[end.at]
    error = position.find_refusal(token)
    assert error is not None, f"the fold refuses {token!r} and the position does not: {position}"
    return Refusal(end.at, token, error.code, error.message, error.params)


def trace_removed(moves: str) -> list[int]:
    """How many tableau cards are gone after each token of a legal move list."""
    board, after = [0], []
    for token in moves.split(" ") if moves else []:
        if token == "U":
            board.pop()
        else:
            board.append(board[-1] + sum(cell in token for cell in TABLEAU_CELLS))
        after.append(board[-1])
    return after


def judge(text: str | bytes) -> Verdict | Refusal:
    """The verdict on a whole pyramid-replay/1 document."""
    try:
        if isinstance(text, bytes):
            text = text.decode("utf-8")
        else:
            # A text that no UTF-8 can have been is refused however it was decoded.
            text.encode("utf-8")
        document = read_json(text)
    except (ValueError, RecursionError):
        return Refusal(None, None, "json", _NO_JSON, {})
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


def read_json(text: str) -> Any:
    """The value of a JSON text without NaN and Infinity; ValueError or RecursionError for any other text."""
    try:
        return json.loads(text, parse_constant=_refuse_constant)
    except json.JSONDecodeError:
        raise
    except ValueError:
        # Python converts no number of more than 4300 digits, though it is JSON; twenty are too large as well.
        return json.loads(text, parse_constant=_refuse_constant, parse_int=lambda digits: int(digits[:20]))


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(name)


def _check_shape(document: object) -> dict[str, Any]:
    """The fields of a document; ReplayError shape or format."""
    if not isinstance(document, dict):
        raise ReplayError("shape", _NO_OBJECT)
    for name in document:
        if name not in _FIELDS:
            raise ReplayError("shape", _UNKNOWN_FIELD, {"field": name})
    for name in _TEXT_FIELDS:
        if name not in document:
            raise ReplayError("shape", _MISSING_FIELD, {"field": name})
        if not isinstance(document[name], str):
            raise ReplayError("shape", _NO_TEXT, {"field": name})
    if "times" in document and not isinstance(document["times"], list):
        raise ReplayError("shape", _NO_LIST, {"field": "times"})
    # A bool is an int to Python, and no number here.
    if "rules" in document and type(document["rules"]) is not int:
        raise ReplayError("shape", _NO_NUMBER, {"field": "rules"})
    if document["format"] != FORMAT:
        raise ReplayError("format", _OTHER_FORMAT, {"format": FORMAT})
    if document.get("rules", RULES_VERSION) != RULES_VERSION:
        raise ReplayError("format", _OTHER_RULES, {"rules": RULES_VERSION})
    return document


def _check_times(times: Sequence[object], count: int) -> Refusal | None:
    last = 0
    for at, time in enumerate(times[:count]):
        if type(time) is not int or not 0 <= time <= MAX_TIME_MS:
            return Refusal(at, None, "times", _BAD_TIME, {"most": MAX_TIME_MS})
        if time < last:
            return Refusal(at, None, "times", _EARLIER_TIME, {})
        last = time
    if len(times) != count:
        at = min(len(times), count)
        return Refusal(at, None, "times", _TIMES_COUNT, {"times": len(times), "tokens": count})
    return None


def _conclude(deal: Deal, tokens: list[str], end: Fold, position: Position, elapsed_ms: int | None) -> Verdict:
    ruleset = deal.ruleset
    plies = len(tokens)
    left = position.left
    left_all = position.left_all
    written = _write_tokens()
    return Verdict(
        deal=deal.code,
        outcome="won" if end.won else "dead_end" if position.is_dead_end else "unfinished",
        plies=plies,
        moves=plies if ruleset.undo_counts else plies - end.undos,
        undos=end.undos,
        points=end.points + get_scoring(ruleset).card * position.removed,
        bonus=bonus(ruleset, elapsed_ms) if end.won and elapsed_ms is not None else None,
        removed=position.removed,
        left=left,
        removed_all=len(deal.cards) - left_all,
        left_all=left_all,
        pass_=end.pass_,
        elapsed_ms=elapsed_ms,
        rules=RULES_VERSION,
        text=" ".join(map(written.__getitem__, tokens)),
        position=position,
    )


@cache
def _write_tokens() -> dict[str, str]:
    """Every token that can be legal, in either order, to the way it is written."""
    written = {token: token for token in ("D", "R", "U", *CELLS)}
    for place in CELLS:
        for other in CELLS:
            written[place + other] = write_token((place, other))
    return written
