"""The engine and the naive implementation behind the same questions, and the reader of the vector files."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from games.engine import replay
from games.engine.deal import Deal
from games.engine.errors import MoveError
from games.engine.position import Position
from tests.engine import naive, naive_replay

VECTORS = Path(__file__).parent.parent / "vectors"


def read_rows(name: str) -> Iterator[tuple[str, list[str]]]:
    """Where a row stands ("games.tsv:12") and its fields; comments and empty lines are left out."""
    # Tokens and documents may hold any character but tab and newline, so only "\n" ends a line.
    lines = (VECTORS / name).read_text(encoding="utf-8").split("\n")
    for number, line in enumerate(lines, 1):
        if line and not line.startswith("#"):
            yield f"{name}:{number}", line.split("\t")


class Engine:
    """games.engine. Positions are texts; a refused token is (reason code, place or None)."""

    @staticmethod
    def start(code: str) -> str:
        """The text of the position a deal starts from."""
        return Position.start(Deal.from_code(code)).text

    @staticmethod
    def describe(text: str) -> tuple[str, str, list[str]]:
        """The text written again, the outcome, the legal moves."""
        position = Position.read(text)
        outcome = "won" if position.is_won else "dead_end" if position.is_dead_end else "unfinished"
        return position.text, outcome, list(position.legal_moves())

    @staticmethod
    def play(text: str, token: str) -> str | tuple[str, str | None]:
        """The text of the position after the token, or why it is refused."""
        try:
            return Position.read(text).play(token).text
        except MoveError as error:
            refusal = error
        assert refusal.token == token
        assert str(refusal).endswith(".")
        place = refusal.params.get("place")
        return refusal.code, None if place is None else str(place)

    @staticmethod
    def verify(code: str, moves: str, times: list[Any] | None) -> dict[str, Any]:
        """The verdict without its sentence."""
        return without_sentence(replay.verify(Deal.from_code(code), moves, times))

    @staticmethod
    def judge(document: str | bytes) -> dict[str, Any]:
        """The verdict on a document, without its sentence."""
        return without_sentence(replay.judge(document))


class Naive:
    """tests.engine.naive, answering in the same way."""

    @staticmethod
    def start(code: str) -> str:
        return naive.Game.deal(*naive_replay.read_code(code)[:2]).text()

    @staticmethod
    def describe(text: str) -> tuple[str, str, list[str]]:
        game = naive.Game.read(text)
        return game.text(), game.outcome(), game.legal_moves()

    @staticmethod
    def play(text: str, token: str) -> str | tuple[str, str | None]:
        game = naive.Game.read(text)
        try:
            game.play(token)
        except naive.Refused as refused:
            return refused.reason, refused.place
        return game.text()

    @staticmethod
    def verify(code: str, moves: str, times: list[Any] | None) -> dict[str, Any]:
        return naive_replay.verify(*naive_replay.read_code(code), moves, times)

    @staticmethod
    def judge(document: str | bytes) -> dict[str, Any]:
        return naive_replay.judge(document)


def without_sentence(verdict: replay.Verdict | replay.Refusal) -> dict[str, Any]:
    """The verdict as a dict; a refusal must have a finished sentence, which is taken out."""
    answer: dict[str, Any] = json.loads(replay.dump(verdict.as_dict()))
    if not answer["legal"]:
        sentence = answer.pop("detail")
        assert sentence.endswith(".")
        assert "%(" not in sentence
    return answer
