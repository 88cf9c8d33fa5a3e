"""Replays, deal codes and replay documents as naive.py's rules judge them; nothing shared with the engine."""

import hashlib
import json
import unicodedata
from typing import Any

from tests.engine.naive import DECK, JOKERS, RULES, Game, Refused, Rules

BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"


# -- whole replays


def refusal(reason: str, at: int | None = None, token: str | None = None) -> dict[str, Any]:
    return {"legal": False, "at": at, "token": token, "reason": reason}


def bad_time(times: list[Any], tokens: list[str]) -> int | None:
    """The index to complain about, or None when the times are in order."""
    before = 0
    for index, entry in enumerate(times):
        if index >= len(tokens) or type(entry) is not int or not before <= entry <= 86_400_000:
            return index
        before = entry
    return len(times) if len(times) < len(tokens) else None


def verify(rules: Rules, cards: list[str], code: str, moves: str, times: list[Any] | None) -> dict[str, Any]:
    """The verdict of a whole replay as formats.md words it, but without the sentence (`detail`)."""
    tokens = moves.split(" ") if moves else []
    if len(tokens) > 4000:
        return refusal("too_long")
    if times is not None and bad_time(times, tokens) is not None:
        return refusal("times", bad_time(times, tokens))
    game = Game.deal(rules, cards)
    for index, token in enumerate(tokens):
        try:
            game.play(token)
        except Refused as refused:
            return refusal(refused.reason, index, token)
    elapsed = times[-1] if times else None
    bonus = None
    if game.is_won() and elapsed is not None and rules.scoring == "points":
        bonus = max(0, 600 - elapsed // 1000)
    return {
        "legal": True,
        "deal": code,
        "outcome": game.outcome(),
        "plies": game.plies,
        "moves": game.moves,
        "undos": game.undos,
        "points": game.points,
        "bonus": bonus,
        "removed": 28 - game.tableau_left(),
        "left": game.tableau_left(),
        "removed_all": len(cards) - game.all_left(),
        "left_all": game.all_left(),
        "pass": game.pass_number,
        "elapsed_ms": elapsed,
        "rules": 1,
    }


# -- deal codes


def deck_of(rules: Rules) -> list[str]:
    return DECK + (JOKERS if rules.jokers else [])


def shuffled(deck: list[str], letters: str) -> list[str]:
    def words() -> Any:
        k = 0
        while True:
            digest = hashlib.sha256(f"PY1:249915957:{letters}:{k}".encode("ascii")).digest()
            for start in range(0, 32, 4):
                yield int.from_bytes(digest[start : start + 4], "big")
            k += 1

    stream = words()

    def below(m: int) -> int:
        x = next(stream)
        while x >= 2**32 // m * m:
            x = next(stream)
        return int(x % m)

    cards = deck[:]
    for i in range(len(cards) - 1, 0, -1):
        j = below(i + 1)
        cards[i], cards[j] = cards[j], cards[i]
    return cards


def unranked(deck: list[str], letters: str) -> list[str]:
    rank = 0
    for letter in letters:
        rank = rank * 32 + BASE32.index(letter)
    digits = []
    for base in range(1, len(deck) + 1):
        digits.append(rank % base)
        rank //= base
    if rank:
        raise ValueError("past the last order")
    left = deck[:]
    return [left.pop(digit) for digit in reversed(digits)]


def ranked(deck: list[str], cards: list[str]) -> str:
    left = deck[:]
    rank = 0
    for card in cards:
        rank = rank * len(left) + left.index(card)
        left.remove(card)
    length = {52: 46, 54: 48}[len(deck)]
    return "".join(BASE32[rank // 32**power % 32] for power in range(length - 1, -1, -1))


def write_code(rules: Rules, cards: list[str]) -> str:
    return f"PY0-{rules.letter}-{ranked(deck_of(rules), cards)}"


def read_code(text: str) -> tuple[Rules, list[str], str]:
    """Ruleset, cards and the exact writing of a deal code; ValueError for a wrong one."""
    kept = [c for c in text if unicodedata.category(c) != "Pd" and c != "\u2212" and not c.isspace()]
    if not all(c.isascii() for c in kept):
        raise ValueError("not ASCII")
    plain = "".join(kept).upper()
    prefix = plain[:3].replace("O", "0").replace("I", "1")
    rest = plain[3:].replace("0", "O").replace("1", "I").replace("8", "B")
    letter, letters = rest[:1], rest[1:]
    if prefix not in ("PY0", "PY1") or letter not in RULES or not all(c in BASE32 for c in letters):
        raise ValueError("a wrong part")
    rules = RULES[letter]
    deck = deck_of(rules)
    if len(letters) != (7 if prefix == "PY1" else {52: 46, 54: 48}[len(deck)]):
        raise ValueError("a wrong length")
    cards = shuffled(deck, letters) if prefix == "PY1" else unranked(deck, letters)
    return rules, cards, f"{prefix}-{letter}-{letters}"


# -- replay documents


def judge(document: str | bytes) -> dict[str, Any]:
    """The verdict of a whole pyramid-replay/1 text."""

    def no_constant(name: str) -> None:
        raise ValueError(name)

    def number(digits: str) -> int:
        # Python refuses to read very long numbers; any of them is out of every range here.
        return int(digits[:20])

    try:
        text = document.decode("utf-8") if isinstance(document, bytes) else document
        value = json.loads(text, parse_constant=no_constant, parse_int=number)
    except ValueError:
        return refusal("json")
    types = {"format": str, "deal": str, "moves": str, "times": list, "rules": int}
    if not isinstance(value, dict) or not {"format", "deal", "moves"} <= set(value) <= set(types):
        return refusal("shape")
    if not all(type(entry) is types[name] for name, entry in value.items()):
        return refusal("shape")
    if value["format"] != "pyramid-replay/1" or value.get("rules", 1) != 1:
        return refusal("format")
    try:
        rules, cards, code = read_code(value["deal"])
    except ValueError:
        return refusal("deal")
    return verify(rules, cards, code, value["moves"], value.get("times"))
