"""`manage.py check_commitments`: did the dailies keep to what was published of them? Needs no database."""

import json
import sys
from datetime import datetime
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from games.management.commands.verify_replay import NOT_DONE, REFUSED, open_input
from leaderboard.races import Link, check_chain, read_day

Pages = list[dict[str, Any]]


class Command(BaseCommand):
    help = (
        "Checks a download of /api/v1/dailies/commitments/ (- is standard input; several pages may follow each other): "
        "each commitment follows the one before it in its ruleset, and code and nonce of every day that is over give "
        "it. With an earlier download also that nothing of that one was changed or left out. Exit code: 0 all is "
        "right, 1 something is wrong, 2 a file cannot be read."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file")
        parser.add_argument("earlier", nargs="?", help="an earlier download")

    def handle(self, *, file: str, earlier: str | None, **options: Any) -> None:
        now, links = read_download(file)
        wrong = check_chain(links, now)
        if earlier:
            wrong += compare(read_download(earlier)[1], links)
        for sentence in wrong:
            self.stdout.write(sentence)
        revealed = sum(link.code is not None for link in links)
        self.stdout.write(f"{len(links)} commitments, {revealed} of days that are over: {len(wrong)} faults.")
        if wrong:
            sys.exit(REFUSED)


def compare(earlier: list[Link], links: list[Link]) -> list[str]:
    """What an earlier download has and this one has not, or has otherwise."""
    there = {link.commitment: link for link in links}
    wrong = []
    for old in earlier:
        new = there.get(old.commitment)
        name = f"{old.ruleset} {old.day}"
        if new is None:
            wrong.append(f"{name}: {old.commitment} is gone.")
            continue
        for field in ("ruleset", "day", "previous", "minted_at", "committed", "code", "nonce"):
            before = getattr(old, field)
            if before is not None and getattr(new, field) != before:
                wrong.append(f"{name}: {field} was {before} and is {getattr(new, field)}.")
    return wrong


def read_download(name: str) -> tuple[datetime, list[Link]]:
    """When a download was made, and its commitments. Raises CommandError."""
    try:
        with open_input(name) as source:
            pages = read_pages(source.read().decode("utf-8"))
        links = [read_link(row) for page in pages for row in page["rows"]]
        return max(datetime.fromisoformat(page["now"]) for page in pages), links
    except OSError as error:
        raise CommandError(f"{name}: {error.strerror}.", returncode=NOT_DONE) from None
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        message = f"{name}: this is no download of dailies/commitments/ ({type(error).__name__}: {error})."
        raise CommandError(message, returncode=NOT_DONE) from None


def read_pages(text: str) -> Pages:
    """The JSON values that follow each other in a text; at least one. Raises ValueError."""
    decoder, at, pages = json.JSONDecoder(), 0, []
    while at < len(text.rstrip()):
        page, at = decoder.raw_decode(text, at + len(text[at:]) - len(text[at:].lstrip()))
        pages.append(page)
    if not pages:
        raise ValueError("the file is empty")
    return pages


def read_link(row: dict[str, Any]) -> Link:
    """A row of a download. Raises ValueError, TypeError or KeyError."""
    texts = {name: row[name] for name in ("ruleset", "commitment", "previous")}
    told = {name: row[name] for name in ("code", "nonce")}
    if not all(isinstance(text, str) for text in (*texts.values(), *filter(None, told.values()))):
        raise TypeError("a text is no text")
    return Link(
        day=read_day(row["day"]),
        minted_at=datetime.fromisoformat(row["minted_at"]),
        committed=row["committed"] is True,
        withdrawn=row["withdrawn_at"] is not None,
        **texts,
        **told,
    )
