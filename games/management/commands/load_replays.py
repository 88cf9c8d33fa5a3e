"""`manage.py load_replays`: sends whole games to a running server, as any app would."""

import getpass
import json
import os
import secrets
import sys
import time
from argparse import ArgumentParser
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, BinaryIO

from django.core.management.base import BaseCommand, CommandError
from tqdm import tqdm

from games.engine import replay
from games.engine.cards import read_cards
from games.engine.deal import Deal
from games.engine.errors import EngineError
from games.engine.rulesets import RULESETS
from games.management.commands.verify_replay import NOT_DONE, REFUSED, open_input
from games.management.rest_client import Client, ServerError

INTERRUPTED = 130
# What would be wrong with every other replay, too: no good token, no such API there.
HOPELESS = (401, 403, 404, 405)


@dataclass
class Tally:
    """What has become of the replays so far."""

    sent: int = 0
    new: int = 0
    there: int = 0
    won: int = 0
    refused: int = 0
    skipped: int = 0
    begun: float = field(default_factory=time.monotonic)

    def __str__(self) -> str:
        seconds = time.monotonic() - self.begun
        return (
            f"sent           {self.sent}\n"
            f"new            {self.new}\n"
            f"already there  {self.there}\n"
            f"won            {self.won}\n"
            f"refused        {self.refused}\n"
            f"skipped        {self.skipped} (no solution)\n"
            f"seconds        {seconds:.1f}\n"
            f"replays/s      {self.sent / seconds:.0f}"
        )


class Command(BaseCommand):
    help = (
        "Sends a file of games to a running server's REST API, which judges them: newline-delimited JSON of "
        "pyramid-replay/1, or a table with tabs whose first line names the columns cards and solution (rows without "
        "a solution are skipped, times are made up). Sending a file again does no harm. Without --player or --token "
        "a new player is signed up. Exit code: 0 the server has them all, 1 it refused one, 2 it could not be asked."
    )
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", help="- for standard input")
        parser.add_argument("--url", default="http://127.0.0.1:8000", help="of the site (default: %(default)s)")
        parser.add_argument("--player", metavar="NAME", help="whose games they are")
        parser.add_argument("--password", help="or PYRAMIDION_PASSWORD in the environment, or you are asked")
        parser.add_argument("--sign-up", action="store_true", help="make the player where there is none")
        parser.add_argument("--token", help="an API token, in place of name and password; or PYRAMIDION_TOKEN")
        parser.add_argument("--ruleset", default="T", choices=list(RULESETS), help="of a table (default: T)")
        parser.add_argument("--ms-per-move", type=int, default=1000, metavar="MS", help="of a table (default: 1000)")
        parser.add_argument("--patience", type=float, default=60, metavar="S", help="for a busy or lost server")

    def handle(self, *, file: str, url: str, patience: float, **options: Any) -> None:
        tally = Tally()
        try:
            with open_input(file) as source:
                client = Client(url, patience)
                signed_in = self.sign_in(client, **options)
                tally.begun = time.monotonic()
                try:
                    self.send(client, source, tally, options["ruleset"], options["ms_per_move"])
                finally:
                    self.stdout.write(str(tally))
                if signed_in:
                    client.call("DELETE", "tokens/current/")
        except KeyboardInterrupt:
            sys.exit(INTERRUPTED)
        except ServerError as error:
            raise CommandError(str(error), returncode=NOT_DONE) from None
        except OSError as error:
            raise CommandError(f"{file}: {error.strerror}.", returncode=NOT_DONE) from None
        if tally.refused:
            sys.exit(REFUSED)

    def sign_in(
        self, client: Client, *, player: str | None, password: str | None, sign_up: bool, token: str | None, **_: Any
    ) -> bool:
        """Give `client` its token; whether it was made for this run."""
        if not player:
            client.token = token or os.environ.get("PYRAMIDION_TOKEN", "")
            if client.token:
                return False
            player, password, sign_up = f"loader-{secrets.token_hex(4)}", secrets.token_urlsafe(12), True
            self.stdout.write(f"To send more as the same player: --player {player} --password {password}")
        password = password or os.environ.get("PYRAMIDION_PASSWORD") or getpass.getpass(f"Password of {player}: ")
        who = {"name": player, "password": password}
        status, answer = client.call("POST", "players/", who) if sign_up else (409, {})
        if status == 409:
            status, answer = client.call("POST", "tokens/", who)
        if status != 201 or "token" not in answer:
            raise refuse(client, status, answer)
        client.token = answer["token"]
        return True

    def send(self, client: Client, source: BinaryIO, tally: Tally, ruleset: str, ms_per_move: int) -> None:
        """Send every game of the file; the refused ones are printed with their line."""
        with tqdm(total=count_lines(source), unit=" lines", disable=None) as bar:
            for line, body in read_games(source, ruleset, ms_per_move):
                refusal = self.send_one(client, body, tally)
                if refusal:
                    tally.refused += 1
                    bar.clear()
                    self.stdout.write(f"line {line}: {refusal}")
                bar.update(line - bar.n)

    def send_one(self, client: Client, body: bytes | ValueError | None, tally: Tally) -> str:
        """Send a game and count it; why it is refused, or ""."""
        if body is None:
            tally.skipped += 1
            return ""
        if isinstance(body, ValueError):
            return f"{getattr(body, 'code', 'table')}: {body}"
        status, answer = client.call("POST", "replays/", body)
        if status in HOPELESS:
            raise refuse(client, status, answer)
        tally.sent += 1
        tally.new += status == 201
        tally.there += status == 200
        tally.won += answer.get("end") == "won"
        return "" if status in (200, 201) else describe(status, answer)


def refuse(client: Client, status: int, answer: dict[str, Any]) -> ServerError:
    return ServerError(f"{client.url} refuses: {describe(status, answer)}")


def describe(status: int, answer: dict[str, Any]) -> str:
    """An error of the API in a line: code, sentence, place."""
    if "code" not in answer:
        return f"status {status}"
    places = [f"move {answer['at'] + 1}" if answer.get("at") is not None else "", answer.get("token"), answer["where"]]
    found = ", ".join(filter(None, places))
    return f"{answer['code']}: {answer['detail']}" + (f" ({found})" if found else "")


def count_lines(source: BinaryIO) -> int | None:
    """The lines of a file; None for what cannot be read twice."""
    if not source.seekable():
        return None
    count = sum(1 for _ in source)
    source.seek(0)
    return count


def read_games(source: BinaryIO, ruleset: str, ms_per_move: int) -> Iterator[tuple[int, bytes | ValueError | None]]:
    """Line number and replay of each game: None for a row without a solution, an error for one that is no game.

    Lines of JSON are handed on untouched: the server judges. Raises CommandError for a table without the columns.
    """
    lines = ((number, line) for number, line in enumerate(source, 1) if line.strip())
    first, head = next(lines, (0, b"{"))
    if head.lstrip().startswith(b"{"):
        if first:
            yield first, head
        yield from lines
        return
    columns = head.decode("utf-8", "replace").rstrip("\r\n").split("\t")
    if not {"cards", "solution"} <= set(columns):
        raise CommandError("This is neither JSON nor a table with the columns cards and solution.", returncode=NOT_DONE)
    for number, line in lines:
        try:
            row = dict(zip(columns, line.decode("utf-8").rstrip("\r\n").split("\t"), strict=False))
            yield number, write_replay(row, ruleset, ms_per_move)
        except (EngineError, UnicodeDecodeError) as error:
            yield number, error


def write_replay(row: dict[str, str], ruleset: str, ms_per_move: int) -> bytes | None:
    """The row of a table as a replay with times at equal distances; None without a solution. Raises EngineError."""
    moves = row.get("solution", "")
    if not moves:
        return None
    deal = Deal.from_cards(ruleset, read_cards(row.get("cards", "")))
    times = [ms_per_move * ply for ply in range(1, moves.count(" ") + 2)]
    return json.dumps({"format": replay.FORMAT, "deal": deal.code, "moves": moves, "times": times}).encode()
