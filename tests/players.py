"""Players, deals, attempts and wins for tests: real rows, written by the real actions."""

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import date, datetime, timedelta
from functools import cache
from itertools import permutations
from pathlib import Path
from typing import TypeVar

from django.db import connection, connections
from django.db.models import F
from knox.models import AuthToken

from games.actions import store_deal
from games.engine.cards import read_cards
from games.engine.deal import Deal
from games.engine.replay import Verdict, verify
from games.engine.rulesets import RULESETS
from games.models import Attempt, Player
from games.names import name_key
from leaderboard import actions, progress
from leaderboard.models import Entry, Race
from leaderboard.races import day_window
from leaderboard.standings import open_boards, place_win
from tests.client import Api

T = TypeVar("T")
LIMITS = ["lock_timeout", "transaction_timeout"]
LIMIT = "20s"  # ten times the web's: what waits forever fails, what waits for a busy machine does not

# An order that every ruleset without jokers and with target 13 wins without touching the stock
EASY_ORDER = "BPAW5DMPZOMORBMF4HW3MDELRFL4WUPECCOAUJXEPPXWYA"
EASY_MOVES = "g1g2 g3g4 g5g6 g7 f1f2 f3f4 f5f6 e1e2 e3e4 e5 d1d2 d3d4 c1c2 c3 b1b2 a1"
FEWEST = 16


def easy_deal(letter: str = "T") -> Deal:
    return Deal.from_code(f"PY0-{letter}-{EASY_ORDER}")


def easy_line(moves: int = FEWEST) -> str:
    """The moves that win the easy deal in exactly `moves` counted moves: an undone draw stays counted."""
    return " ".join(["D U"] * (moves - FEWEST) + [EASY_MOVES])


def own_line(number: int, moves: int = FEWEST) -> str:
    """One of 864 orders of the same moves, so that two players need not send the very same ones."""
    rows = [EASY_MOVES.split(" ")[start:stop] for start, stop in ((0, 4), (4, 7), (7, 10), (10, 12), (12, 14))]
    tokens: list[str] = []
    for row in rows:
        orders = list(permutations(row))
        number, which = divmod(number, len(orders))
        tokens += orders[which]
    return " ".join(["D U"] * (moves - FEWEST) + [*tokens, *EASY_MOVES.split(" ")[14:]])


@cache
def solved_deals() -> list[tuple[Deal, str]]:
    """The 679 public deals of ruleset T that can be won, each with the moves of a win."""
    lines = (Path(__file__).parent / "vectors/tower-deals.tsv").read_text().splitlines()[1:]
    rows = [line.split("\t") for line in lines]
    return [(Deal.from_cards("T", read_cards(row[1])), row[3]) for row in rows if row[2] != "0"]


def make_player(name: str) -> Player:
    """A new player without a password: hashing one is slow on purpose."""
    player = Player(name=name, name_key=name_key(name))
    player.set_unusable_password()
    player.save()
    return player


def make_member(name: str, password: str = "a long password", *, email: str = "") -> Player:
    """A new player who can log in."""
    player = make_player(name)
    player.set_password(password)
    player.email = email
    player.save()
    return player


def make_players(count: int) -> list[Player]:
    """`count` players: their numbers, in letters that nobody mixes up."""
    return [make_player("P " + "".join("bdfghkprtw"[int(digit)] for digit in str(i))) for i in range(count)]


def log_in(player: Player) -> Api:
    """The calls of a player."""
    return Api(token=AuthToken.objects.create(player)[1])


def make_daily(letter: str = "T", day: date | None = None) -> Race:
    """A daily on the easy deal, of today or of another day."""
    day = day or actions.read_clock().date()
    opens_at, closes_at = day_window(day)
    deal = store_deal(deal=easy_deal(letter))
    return Race.objects.create(
        kind=Race.DAILY, ruleset=letter, day=day, deal=deal, opens_at=opens_at, closes_at=closes_at
    )


def open_attempt(
    player: Player, deal: Deal, *, ranked: bool = True, started_at: datetime | None = None, race: Race | None = None
) -> Attempt:
    """An open attempt on a deal of the test's choice; the server deals ranked ones by chance. race: it is entered."""
    stored = store_deal(deal=deal)
    started_at = started_at or actions.read_clock()
    open_boards(stored, Attempt.SERVER, race, [] if race else [started_at.date()])
    attempt = Attempt.objects.create(
        player=player,
        deal=stored,
        ruleset=stored.ruleset,
        ranked=ranked,
        clock=Attempt.SERVER,
        started_at=started_at,
        ends_at=started_at + actions.ATTEMPT_LIFE,
        rules=1,
        left=28,
    )
    if race:
        progress.begin(Entry.objects.create(race=race, player=player, attempt=attempt, ranked=True).pk)
    return attempt


def win(
    player: Player,
    official_ms: int,
    moves: int = FEWEST,
    *,
    deal: Deal | None = None,
    line: str | None = None,
    ranked: bool = True,
    ended_at: datetime | None = None,
    race: Race | None = None,
) -> Attempt:
    """A won attempt with exactly that official time, and on the easy deal with exactly so many moves.

    It ends now or at `ended_at`. In a race on the easy deal every player has an own order of moves. The write is the
    server's own; only the moment of receipt is the test's.
    """
    ended_at = ended_at or actions.read_clock()
    started_at = ended_at - timedelta(milliseconds=official_ms)
    deal = race.deal.cards if race else deal or easy_deal()
    attempt = open_attempt(player, deal, ranked=ranked, started_at=started_at, race=race)
    stored = actions.read_attempt(player, attempt.pk)._replace(now=ended_at, end="")
    verdict = verify(stored.deal, line or (own_line(player.pk, moves) if race else easy_line(moves)))
    assert isinstance(verdict, Verdict)
    assert verdict.outcome == "won"
    assert actions._write_moves(stored, verdict, [official_ms] * verdict.plies)
    attempt.refresh_from_db()
    return attempt


INSERT_WIN = """
INSERT INTO games_attempt (player_id, deal_id, ruleset, ranked, clock, started_at, ends_at, ended_at, "end", moves,
    times, plies, rules, official_ms, counted_moves, points, bonus, "left")
VALUES (%(player)s, %(deal)s, %(ruleset)s, %(ranked)s, 'server', %(at)s, %(at)s, %(at)s, 'won', '', '{}', %(moves)s, 1,
    %(official_ms)s, %(moves)s, %(points)s, %(bonus)s, 0)
RETURNING *
"""


def place(
    player: Player,
    official_ms: int,
    moves: int,
    points: int = 300,
    bonus: int | None = None,
    *,
    deal: Deal | None = None,
    ranked: bool = True,
    ended_at: datetime | None = None,
) -> None:
    """A win that nobody played, placed on its boards by the server's own statement.

    For keys that no game has, and for two wins of a player at the very same moment.
    """
    stored = store_deal(deal=deal or easy_deal())
    open_boards(stored, Attempt.SERVER)
    params = {
        "player": player.pk,
        "deal": stored.pk,
        "ruleset": stored.ruleset,
        "ranked": ranked,
        "at": ended_at or actions.read_clock(),
        "moves": moves,
        "official_ms": official_ms,
        "points": points,
        "bonus": bonus,
    }
    scoring = RULESETS[stored.ruleset].scoring
    total = points + (bonus or 0)
    placed = place_win(INSERT_WIN, params, scoring=scoring, official_ms=official_ms, moves=moves, points=total)
    assert placed is not None


def move_back(attempt: int, *, seconds: float) -> None:
    """Let an attempt have started, and let it end, so much earlier."""
    back = timedelta(seconds=seconds)
    Attempt.objects.filter(pk=attempt).update(started_at=F("started_at") - back, ends_at=F("ends_at") - back)


def in_parallel(calls: Sequence[Callable[[], T]]) -> list[T]:
    """What the calls return, each made in a thread and on a connection of its own, all at the same moment.

    The connections have the limits that the web's have, only wider.
    """
    barrier = threading.Barrier(len(calls))

    def run(call: Callable[[], T]) -> T:
        try:
            with connection.cursor() as cursor:
                cursor.execute("SELECT set_config(name, %s, false) FROM unnest(%s::text[]) name", [LIMIT, LIMITS])
            barrier.wait(30)
            return call()
        finally:
            connections.close_all()

    with ThreadPoolExecutor(len(calls)) as pool:
        waiting = [pool.submit(run, call) for call in calls]
        return [one.result() for one in waiting]
