"""Boards in SQL: placing a win, reading a page. `ranking.sort_key` is the order; this only repeats it.

Everything is one statement: a win stores the attempt, its standings and their time buckets together, and a
page is written as JSON by PostgreSQL. Locks are taken attempt first, then standings by board, then buckets by
(board, bucket), so that two writers never wait for each other in a circle.
"""

import re
from functools import lru_cache
from typing import Any, NamedTuple

from django.db import connection

from games.engine.rulesets import get_ruleset
from games.models import Attempt, Deal, Player
from leaderboard import ranking
from leaderboard.models import Board

BOARDS_OF_A_WIN = """
    (b.kind = 'deal' AND b.deal_id = {attempt}.deal_id AND b.clock = {attempt}.clock)
    OR (b.kind = 'ruleset' AND {attempt}.ranked AND b.ruleset = {attempt}.ruleset)"""


def open_boards(deal: Deal, clock: str) -> None:
    """Make the boards that a win on `deal` by `clock` can stand on, where they are missing."""
    orders = ranking.orders_of(get_ruleset(deal.ruleset).scoring)
    boards = [Board(kind=Board.DEAL, ruleset=deal.ruleset, deal=deal, clock=clock, order=order) for order in orders]
    if clock == Attempt.SERVER:
        boards += [Board(kind=Board.RULESET, ruleset=deal.ruleset, clock=clock, order=order) for order in orders]
    Board.objects.bulk_create(boards, ignore_conflicts=True)


PLACE_WIN = f"""
WITH won AS (
    {{write}}
), keys ("order", key1, key2, key3) AS (
    SELECT * FROM unnest(%(orders)s::text[], %(key1)s::int[], %(key2)s::int[], %(key3)s::int[])
), board AS (
    SELECT b.id, b."order" FROM won JOIN leaderboard_board b ON {BOARDS_OF_A_WIN.format(attempt="won")}
), placed AS (
    INSERT INTO leaderboard_standing AS s (board_id, player_id, attempt_id, key1, key2, key3, ended_at)
    SELECT board.id, won.player_id, won.id, keys.key1, keys.key2, keys.key3, won.ended_at
    FROM won, board JOIN keys USING ("order") ORDER BY board.id
    ON CONFLICT (board_id, player_id) DO UPDATE
    SET attempt_id = excluded.attempt_id, key1 = excluded.key1, key2 = excluded.key2, key3 = excluded.key3,
        ended_at = excluded.ended_at
    WHERE (s.key1, s.key2, s.key3) > (excluded.key1, excluded.key2, excluded.key3)
    RETURNING new.board_id, new.key1 AS new_ms, old.key1 AS old_ms
), moved AS (
    INSERT INTO leaderboard_timebucket AS t (board_id, bucket, count)
    SELECT board_id, ms / {ranking.BUCKET_MS}, sum(step)
    FROM placed JOIN board ON board.id = board_id AND "order" = '{ranking.TIME}',
        LATERAL (VALUES (new_ms, 1), (old_ms, -1)) steps (ms, step)
    WHERE ms IS NOT NULL
    GROUP BY 1, 2 HAVING sum(step) <> 0 ORDER BY 1, 2
    ON CONFLICT (board_id, bucket) DO UPDATE SET count = t.count + excluded.count
)
SELECT id FROM won
"""


def place_win(write: str, params: dict[str, Any], *, scoring: str, official_ms: int, moves: int, points: int) -> bool:
    """Store a won attempt and place it on its boards, in one statement; whether `write` touched its row.

    write: an INSERT or UPDATE of games_attempt RETURNING *, with its `params`. points: with the bonus.
    """
    orders = ranking.orders_of(scoring)
    keys = zip(*(ranking.sort_key(order, official_ms, moves, points) for order in orders), strict=True)
    columns = dict(zip(("key1", "key2", "key3"), map(list, keys), strict=True))
    with connection.cursor() as cursor:
        cursor.execute(PLACE_WIN.format(write=write), params | columns | {"orders": list(orders)})
        return cursor.rowcount == 1


IN_ORDER = "key1, key2, key3, ended_at, attempt_id"
FROM_BELOW = "key1 DESC, key2 DESC, key3 DESC, ended_at DESC, attempt_id DESC"
BEFORE_FIRST = "SELECT -2147483648, 0, 0, '-infinity'::timestamptz, 0"
AT_CURSOR = """SELECT %(key1)s::int, %(key2)s::int, %(key3)s::int,
    (SELECT ended_at FROM games_attempt WHERE id = %(attempt)s), %(attempt)s::bigint"""
AT_PLAYER = f"SELECT {IN_ORDER} FROM leaderboard_standing WHERE board_id = %(board)s AND player_id = %(player)s"

# PostgreSQL cannot infer the bound on key1 from a row comparison, and plans badly without it
ROWS = f"""
    (SELECT s.* FROM mark m, LATERAL (
        SELECT * FROM leaderboard_standing WHERE board_id = %(board)s AND key1 >= m.key1
        AND ({IN_ORDER}) {{edge}} (m.key1, m.key2, m.key3, m.ended_at, m.attempt_id)
        ORDER BY {IN_ORDER} LIMIT %(below)s::int
    ) s) UNION ALL (SELECT s.* FROM mark m, LATERAL (
        SELECT * FROM leaderboard_standing WHERE board_id = %(board)s AND key1 <= m.key1
        AND ({IN_ORDER}) < (m.key1, m.key2, m.key3, m.ended_at, m.attempt_id)
        ORDER BY {FROM_BELOW} LIMIT %(above)s::int
    ) s)"""
IN_BUCKETS = f"""
    (SELECT coalesce(sum(count), 0) FROM leaderboard_timebucket
     WHERE board_id = f.board_id AND bucket < f.key1 / {ranking.BUCKET_MS})
    + (SELECT count(*) FROM leaderboard_standing s WHERE s.board_id = f.board_id AND s.key1 <= f.key1
       AND s.key1 >= f.key1 / {ranking.BUCKET_MS} * {ranking.BUCKET_MS} AND {{less}})"""
IN_ROWS = """
    (SELECT count(*) FROM leaderboard_standing s
     WHERE s.board_id = f.board_id AND s.key1 <= f.key1 AND {less})"""
BETTER = "(s.key1, s.key2, s.key3) < (f.key1, f.key2, f.key3)"
AHEAD = "(s.key1, s.key2, s.key3, s.ended_at, s.attempt_id) < (f.key1, f.key2, f.key3, f.ended_at, f.attempt_id)"

# ahead: rows before the page's first; better: those of them that are not tied with it
READ_PAGE = f"""
WITH mark (key1, key2, key3, ended_at, attempt_id) AS ({{mark}}),
page AS MATERIALIZED ({ROWS}),
first AS (
    SELECT {{better}} AS better, {{ahead}} AS ahead FROM (SELECT * FROM page ORDER BY {IN_ORDER} LIMIT 1) f
),
r AS (
    SELECT page.*, better, ahead,
        rank() OVER (ORDER BY page.key1, page.key2, page.key3) AS page_rank,
        row_number() OVER (ORDER BY page.key1, page.key2, page.key3, page.ended_at, page.attempt_id) AS place,
        count(*) OVER () AS size,
        (SELECT coalesce(sum(count), 0) FROM leaderboard_timebucket WHERE board_id = %(time_board)s) AS total,
        concat_ws('.', page.key1, page.key2, page.key3, page.attempt_id) AS cursor
    FROM page, first
)
SELECT json_build_object(
    'total', coalesce(max(total), 0),
    'previous', max(cursor) FILTER (WHERE place = 1 AND ahead > 0),
    'next', max(cursor) FILTER (WHERE place = size AND ahead + size < total),
    'rows', coalesce(json_agg(json_build_object(
        'rank', CASE WHEN page_rank = 1 THEN better + 1 ELSE ahead + page_rank END,
        'row', ahead + place,
        'player', player.name,
        'official_ms', a.official_ms,
        'moves', a.counted_moves,
        'points', a.points,
        'bonus', a.bonus,
        'when', a.ended_at,
        'ranked', a.ranked,
        'replay', a.id
    ) ORDER BY place), '[]')
)::text
FROM r
JOIN games_attempt a ON a.id = r.attempt_id
JOIN games_player player ON player.id = r.player_id
"""


EMPTY_PAGE = '{"total" : 0, "previous" : null, "next" : null, "rows" : []}'


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


class BoardKey(NamedTuple):
    """What names a board: of a deal (`cards` its PY0 letters) or, where `cards` is None, of a ruleset."""

    ruleset: str
    order: str
    clock: str = Attempt.SERVER
    cards: str | None = None


@lru_cache(maxsize=4096)
def _find_boards(key: BoardKey) -> tuple[int, int]:
    """The ids of a board and of the time board beside it. Boards stay for ever, so found ones are kept."""
    boards = Board.objects.filter(ruleset=key.ruleset, clock=key.clock, order__in=[key.order, ranking.TIME])
    if key.cards is None:
        boards = boards.filter(kind=Board.RULESET)
    else:
        boards = boards.filter(kind=Board.DEAL, deal__order=key.cards, deal__ruleset=key.ruleset)
    found = dict(boards.values_list("order", "id"))
    if not found:
        raise Board.DoesNotExist
    return found[key.order], found[ranking.TIME]


def read_page(
    key: BoardKey,
    *,
    limit: int,
    after: Cursor | None = None,
    before: Cursor | None = None,
    around: Player | None = None,
) -> str:
    """One page of a board as JSON text: {"total", "previous", "next", "rows": [...]}.

    Without a cursor the top `limit` rows; else those after or before it; around a player: that row and up to
    `limit` on either side (no rows where the player does not stand on the board).
    """
    try:
        board, time_board = _find_boards(key)
    except Board.DoesNotExist:
        return EMPTY_PAGE
    mark, edge, params = BEFORE_FIRST, ">", {"below": limit, "above": 0}
    if after:
        mark, params = AT_CURSOR, params | after._asdict()
    elif before:
        mark, params = AT_CURSOR, {"below": 0, "above": limit} | before._asdict()
    elif around:
        mark, edge, params = AT_PLAYER, ">=", {"below": limit + 1, "above": limit, "player": around.pk}
    count = IN_BUCKETS if key.order == ranking.TIME else IN_ROWS
    sql = READ_PAGE.format(mark=mark, edge=edge, better=count.format(less=BETTER), ahead=count.format(less=AHEAD))
    with connection.cursor() as db:
        db.execute(sql, params | {"board": board, "time_board": time_board})
        return db.fetchone()[0]


READ_PLACES = f"""
SELECT b.kind, 1 + {IN_BUCKETS.format(less=BETTER)},
    (SELECT sum(count) FROM leaderboard_timebucket WHERE board_id = b.id), f.attempt_id = a.id
FROM games_attempt a
JOIN leaderboard_board b ON b."order" = '{ranking.TIME}' AND ({BOARDS_OF_A_WIN.format(attempt="a")})
JOIN leaderboard_standing f ON f.board_id = b.id AND f.player_id = a.player_id
WHERE a.id = %s AND a."end" = 'won'
ORDER BY b.kind
"""


def read_places(attempt: int) -> list[dict[str, Any]]:
    """Where the player of a won attempt stands by time: {"board", "rank", "total", "best"} for each board.

    best: whether it is with this attempt.
    """
    with connection.cursor() as cursor:
        cursor.execute(READ_PLACES, [attempt])
        return [dict(zip(("board", "rank", "total", "best"), row, strict=True)) for row in cursor.fetchall()]
