"""`manage.py verify_replay`: an audit of replays that needs no server and no database."""

import io
import json
import os
import sys
from argparse import ArgumentParser
from collections.abc import Iterator
from itertools import chain
from typing import Any, BinaryIO

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.utils import translation

from games.api import write_verdict
from games.engine import replay

# Only an input that fits in here can be one document over several lines: a stream of games is never held.
MOST_OF_A_DOCUMENT = 1 << 20
REFUSED, NOT_DONE = 1, 2


class Command(BaseCommand):
    help = (
        "Judges replays without a server or a database: one replay (JSON, over as many lines as it likes) or "
        'newline-delimited JSON. Prints one verdict a line with the "line" on which its replay begins, from 1. '
        "Exit code: 0 all are legal, 1 one is refused, 2 the input was not read to its end."
    )
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", nargs="?", default="-", help="standard input where there is none, or -")
        codes = [code for code, _ in settings.LANGUAGES]
        parser.add_argument("--language", choices=codes, default=settings.LANGUAGE_CODE, help="of the sentences")

    def handle(self, *, file: str, language: str, **options: Any) -> None:
        if hasattr(self.stdout, "reconfigure"):
            # JSON is UTF-8 whatever the terminal is, and a verdict is there as soon as its replay was read
            self.stdout.reconfigure(encoding="utf-8", line_buffering=True)
        try:
            with open_input(file) as source, translation.override(language):
                refused = self.judge(source)
        except BrokenPipeError:  # who reads the verdicts has had enough, as `head` has
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            sys.exit(NOT_DONE)
        except OSError as error:
            raise CommandError(f"{file}: {error.strerror}.", returncode=NOT_DONE) from None
        if refused:
            sys.exit(REFUSED)

    def judge(self, source: BinaryIO) -> int:
        """Print the verdicts; returns how many replays are refused."""
        refused = 0
        for line, text in read_replays(source):
            verdict = replay.judge(text)
            refused += not verdict.legal
            self.stdout.write(replay.dump(write_verdict(verdict) | {"line": line}))
        return refused


def open_input(name: str) -> BinaryIO:
    """The bytes of a file, of standard input for "-". Raises OSError."""
    return open(0 if name == "-" else name, "rb", closefd=name != "-")


def read_replays(source: BinaryIO) -> Iterator[tuple[int, bytes]]:
    """Each replay and the number of the line it begins on: the whole input where that is one JSON value, else each
    line that is not blank."""
    lines: Iterator[bytes] = iter(source)
    begin, first = next(((number, line) for number, line in enumerate(lines, 1) if line.strip()), (0, b""))
    if first and not is_json(first):
        more = source.read(MOST_OF_A_DOCUMENT) + source.readline()
        if len(more) < MOST_OF_A_DOCUMENT and is_json(first + more):
            first, more = first + more, b""
        lines = chain(io.BytesIO(more), source)
    for number, line in enumerate(chain([first], lines), begin):
        if line.strip():
            yield number, line


def is_json(text: bytes) -> bool:
    """Whether a text is one JSON value, of whatever shape."""
    try:
        json.loads(text.decode("utf-8"))
    except (ValueError, RecursionError):
        return False
    return True
