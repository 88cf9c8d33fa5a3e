"""Reading boards: a page, with the first rows and a player's place beside it, in one statement and so of one moment.

PostgreSQL writes each row as JSON. What of it depends on who looks (over par) is told apart, so that a page can be
kept for everybody.
"""

import re
from collections.abc import Callable, Sequence
from hashlib import sha256
from typing import Any, NamedTuple

from django.core.cache import caches
from django.db import connection

from games.models import Attempt, Player
from leaderboard import ranking, standings
from leaderboard.models import Standing
from leaderboard.standings import BETTER, FROM_BELOW, IN_BUCKETS, IN_ORDER, TOTAL, row_of

THE_BOARD = f"""
SELECT *, {TOTAL.format(board="time_board")} AS total
FROM (
    SELECT max(id) FILTER (WHERE "order" = %(order)s) AS id,
        max(id) FILTER (WHERE "order" = '{ranking.TIME}') AS time_board
    FROM leaderboard_board WHERE {{of}}
) ids"""
OF_RULESET = "deal_id IS NULL AND race_id IS NULL AND ruleset = %(ruleset)s AND period = %(period)s"
OF_RACE = "deal_id IS NULL AND race_id = %(race)s"
OF_DEAL = """race_id IS NULL AND clock = %(clock)s AND deal_id =
    (SELECT id FROM games_deal WHERE ruleset = %(ruleset)s AND "order" = %(cards)s)"""

AT_CURSOR = """SELECT board.id, %(key1)s::int, %(key2)s::int, %(key3)s::int,
    (SELECT ended_at FROM games_attempt WHERE id = %(attempt)s), %(attempt)s::bigint FROM board"""
AT_TOP = "SELECT board.id, -2147483647, 0, 0, NULL::timestamptz, 0::bigint FROM board"
AT_PLAYER = f"""SELECT board_id, {IN_ORDER} FROM leaderboard_standing
    WHERE board_id = (SELECT id FROM board) AND player_id = %(player)s"""

# PostgreSQL cannot infer the bound on key1 from a row comparison. The limits are part of the text: not knowing
# them it plans for a tenth of the board, or plans anew each time, which takes as long as the reading
ROWS = f"""
    (SELECT s.* FROM mark m, LATERAL (
        SELECT * FROM leaderboard_standing WHERE board_id = m.board_id AND key1 >= m.key1
        AND ({IN_ORDER}) {{edge}} {row_of("m")}
        ORDER BY {IN_ORDER} LIMIT {{below}}
    ) s) UNION ALL (SELECT s.* FROM mark m, LATERAL (
        SELECT * FROM leaderboard_standing WHERE board_id = m.board_id AND key1 <= m.key1
        AND ({IN_ORDER}) < {row_of("m")}
        ORDER BY {FROM_BELOW} LIMIT {{above}}
    ) s)"""
IN_ROWS = f"""
    (SELECT count(*) FROM leaderboard_standing s
     WHERE s.board_id = f.board_id AND s.key1 <= f.key1 AND {BETTER})"""

# what a page says of a row
ROW = {
    "rank": "CASE WHEN page_rank = 1 THEN better + 1 ELSE ahead + page_rank END",
    "row": "ahead + place",
    "player": "to_json(player.name)",
    "official_ms": "r.{official_ms}",
    "moves": "r.{moves}",
    "points": "r.points",
    "bonus": "r.bonus",
    "score": "r.points + coalesce(r.bonus, 0)",
    "when": """to_char(r.ended_at AT TIME ZONE 'UTC', '\\"YYYY-MM-DD"T"HH24:MI:SS.US"+00:00"\\"')""",
    "ranked": "r.ranked",
    "assisted": "r.assisted",
    "replay": "r.attempt_id",
}


def _write_object(fields: dict[str, str]) -> str:
    """SQL that writes a JSON object; json_build_object would write each name anew, which takes twice as long."""
    values = (f"""'"{name}": ' || coalesce(({value})::text, 'null')""" for name, value in fields.items())
    return f"""'{{{{' || {" || ', ' || ".join(values)} || '}}}}'"""


CURSOR = "concat_ws('.', r.key1, r.key2, r.key3, r.attempt_id)"

# LIMIT 1: else PostgreSQL may read all players and deals to join them with a page.
# better: the rows that are better than the page's first; tied: those tied with it and before it.
# MATERIALIZED: else PostgreSQL counts them again for every row of the page
READ_WINDOW = f"""SELECT * FROM (
WITH mark (board_id, key1, key2, key3, ended_at, attempt_id) AS ({{mark}}),
page AS MATERIALIZED ({ROWS}),
first AS MATERIALIZED (
    SELECT {{better}} AS better, (
        SELECT count(*) FROM leaderboard_standing s
        WHERE s.board_id = f.board_id AND s.key1 = f.key1 AND s.key2 = f.key2 AND s.key3 = f.key3
        AND (s.ended_at, s.attempt_id) < (f.ended_at, f.attempt_id)
    ) AS tied
    FROM (SELECT * FROM page ORDER BY {IN_ORDER} LIMIT 1) f
),
r AS (
    SELECT page.*, better, better + tied AS ahead,
        rank() OVER (ORDER BY page.key1, page.key2, page.key3) AS page_rank,
        row_number() OVER (ORDER BY page.key1, page.key2, page.key3, page.ended_at, page.attempt_id) AS place,
        count(*) OVER () AS size
    FROM page, first
)
SELECT {{which}} AS which, {{total}} AS total, max(ahead) AS ahead,
    max({CURSOR}) FILTER (WHERE place = 1) AS first, max({CURSOR}) FILTER (WHERE place = size) AS last,
    array_agg({_write_object(ROW)} ORDER BY place) AS rows,
    array_agg(deal."order" ORDER BY place) AS cards,
    array_agg(CASE WHEN deal.par_proven THEN r.{{moves}} - deal.par END ORDER BY place) AS over_par,
    max(ahead + place) FILTER (WHERE r.player_id = {{player}}) AS own_row,
    max(CASE WHEN page_rank = 1 THEN better + 1 ELSE ahead + page_rank END) FILTER (WHERE r.player_id = {{player}})
        AS own_rank
FROM r,
    LATERAL (SELECT name FROM games_player WHERE id = r.player_id LIMIT 1) player,
    LATERAL (SELECT "order", par, par_proven FROM games_deal WHERE id = r.deal_id LIMIT 1) deal
) page"""


# a board of a few players (`among`): the same page, of their rows alone
MEMBERS = """, members AS MATERIALIZED (
    SELECT * FROM leaderboard_standing WHERE board_id = (SELECT id FROM board) AND player_id = ANY(%(among)s)
)"""
OF_ALL, OF_MEMBERS = "FROM leaderboard_standing", "FROM members"


class Cursor(NamedTuple):
    """A row's place in the order, as a page's `previous` and `next` write it: key1.key2.key3.attempt."""

    key1: int
    key2: int
    key3: int
    attempt: int

    @classmethod
    def read(cls, text: str) -> "Cursor":
        """The cursor that was written as `text`. Raises ValueError."""
        numbers = [int(part) for part in text.split(".") if re.fullmatch(r"-?[0-9]{1,18}", part, re.ASCII)]
        if len(numbers) != 4 or ".".join(map(str, numbers)) != text or max(map(abs, numbers[:3])) >= 2**31:
            raise ValueError(text)
        return cls(*numbers)

    def __str__(self) -> str:
        return ".".join(map(str, self))


TOP = Cursor(1 - 2**31, 0, 0, 0)
BOTTOM = Cursor(2**31 - 1, 0, 0, 0)


class BoardKey(NamedTuple):
    """What names a board: of a deal (`cards` its PY0 letters), of a race, or else of a ruleset, in a period or ever."""

    ruleset: str
    order: str
    clock: str = Attempt.SERVER
    cards: str | None = None
    race: int | None = None
    period: str = ""

    @property
    def where(self) -> str:
        """The SQL that finds its row."""
        return OF_DEAL if self.cards is not None else OF_RULESET if self.race is None else OF_RACE


class Page(NamedTuple):
    """Rows of a board, each as JSON text without its end, and what leads on from them.

    previous, next: the cursors of the pages before and after, None where there is none. cards: the order of each
    row's deal; over_par: how many moves each took more than the deal's proven par, None where there is no proof.
    own_row, own_rank: where the player around stands.
    """

    total: int
    previous: str | None
    next: str | None
    rows: list[str]
    cards: list[str]
    over_par: list[int | None]
    own_row: int | None = None
    own_rank: int | None = None


def read_page(
    key: BoardKey,
    *,
    limit: int,
    after: Cursor | None = None,
    before: Cursor | None = None,
    around: Player | None = None,
) -> Page:
    """One page of a board: the top `limit` rows, or those after or before a cursor, or around a player: that row and
    up to `limit` on either side. A page past either end still leads back to the rows.

    Raises Standing.DoesNotExist where the player to read around does not stand on the board.
    """
    return read_pages(key, limit=limit, after=after, before=before, around=around)[0]


def read_pages(
    key: BoardKey,
    *,
    limit: int,
    after: Cursor | None = None,
    before: Cursor | None = None,
    around: Player | None = None,
    top: int = 0,
    among: Sequence[int] | None = None,
) -> list[Page]:
    """A page (see `read_page`), and with `top` a second one of so many first rows, both of the same moment.

    among: of these players alone (at most about a thousand), with the ranks that they have among themselves.
    """
    params: dict[str, Any] = key._asdict()
    window = {"mark": AT_TOP, "edge": ">", "below": 0 if before else limit, "above": limit if before else 0}
    if around:
        window |= {"mark": AT_PLAYER, "edge": ">=", "below": limit + 1, "above": limit}
        params["player"] = around.pk
    elif cursor := after or before:
        window["mark"] = AT_CURSOR
        params |= cursor._asdict()
    windows = [window | {"player": "%(player)s" if around else "NULL"}]
    if top:
        windows.append({"mark": AT_TOP, "edge": ">", "below": top, "above": 0, "player": "NULL"})
    better = IN_BUCKETS if key.order == ranking.TIME and among is None else IN_ROWS
    total = "(SELECT total FROM board)" if among is None else "(SELECT count(*) FROM members)"
    official_ms, moves = ranking.TIME_AND_MOVES[key.order]
    columns = {"better": better, "total": total, "official_ms": official_ms, "moves": moves}
    parts = [READ_WINDOW.format(which=which, **columns, **one) for which, one in enumerate(windows)]
    board, rows = f"WITH board AS MATERIALIZED ({THE_BOARD.format(of=key.where)})", " UNION ALL ".join(parts)
    if among is not None:
        board, rows = board + MEMBERS, rows.replace(OF_ALL, OF_MEMBERS)
        params["among"] = list(among)
    with connection.cursor() as db:
        db.execute(f"{board} {rows} ORDER BY which", params)
        found = db.fetchall()
    if around and not found[0][5]:
        raise Standing.DoesNotExist
    past_the_end, past_the_top = str(BOTTOM) if after else None, str(TOP) if before else None
    return [_lead_on(past_the_end, past_the_top, *row) for row in found]


def _lead_on(
    past_the_end: str | None,
    past_the_top: str | None,
    _which: int,
    total: int | None,
    ahead: int,
    first: str,
    last: str,
    rows: list[str] | None,
    cards: list[str],
    over_par: list[int | None],
    own_row: int | None,
    own_rank: int | None,
) -> Page:
    total = int(total or 0)
    if not rows:
        return Page(total, past_the_end if total else None, past_the_top if total else None, [], [], [])
    previous = first if ahead else None
    following = last if ahead + len(rows) < total else None
    return Page(total, previous, following, [row[:-1] for row in rows], cards, over_par, own_row, own_rank)


def keep(name: str, read: Callable[[], Any]) -> Any:
    """What `read` gives, for a moment the same for everybody who asks this process for `name`.

    Never from before something was taken back.
    """
    key = sha256(f"{standings.read_epoch()} {name}".encode()).hexdigest()
    found = caches["boards"].get(key)
    if found is None:
        found = read()
        caches["boards"].set(key, found)
    return found


# A picture of the times

READ_COUNTS = """
SELECT bucket, sum(count) FROM leaderboard_timebucket
WHERE board_id = (SELECT id FROM leaderboard_board WHERE "order" = 'time' AND {of}) AND shift = %(shift)s
    AND bucket >= %(low)s AND bucket < %(high)s
GROUP BY 1 HAVING sum(count) > 0 ORDER BY 1
"""
FULL = 0.99


class Histogram(NamedTuple):
    """How many times lie in [from_ms + n * width_ms, from_ms + (n + 1) * width_ms) ms, and how many are slower."""

    from_ms: int
    width_ms: int
    counts: list[int]
    slower: int


def read_histogram(key: BoardKey, bins: int) -> Histogram:
    """The times of a board in at most so many bins, from its time buckets; the slowest 1 % may be left to `slower`."""
    middle, coarsest = ranking.BUCKET_SHIFTS[1:]
    minutes = _read_counts(key, coarsest, 0, 2**31 - 1)
    total = sum(minutes.values())
    counted = 0
    for high in minutes:
        counted += minutes[high]
        if counted >= FULL * total:
            break
    else:
        return Histogram(0, 2**middle, [], 0)
    low, shift = min(minutes), coarsest
    counts = {minute: count for minute, count in minutes.items() if minute <= high}
    if high - low < 2 ** (coarsest - middle):
        step = coarsest - middle
        low, high, shift = low << step, ((high + 1) << step) - 1, middle
        counts = _read_counts(key, middle, low, high + 1)
        low, high = min(counts, default=low), max(counts, default=low)
    width = -(-(high - low + 1) // bins)
    rows = [0] * -(-(high - low + 1) // width)
    for bucket, count in counts.items():
        rows[(bucket - low) // width] += count
    return Histogram(low << shift, width << shift, rows, max(0, total - sum(rows)))


def _read_counts(key: BoardKey, shift: int, low: int, high: int) -> dict[int, int]:
    with connection.cursor() as db:
        db.execute(READ_COUNTS.format(of=key.where), key._asdict() | {"shift": shift, "low": low, "high": high})
        return {bucket: int(count) for bucket, count in db.fetchall()}
