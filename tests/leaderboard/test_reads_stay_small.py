"""How many rows PostgreSQL touches to read a board of thousands or to place a win on one."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest
from django.db import connection

from games.actions import store_deal
from games.models import Player
from leaderboard.models import Board, Standing
from leaderboard.pages import BoardKey, Cursor, read_page
from leaderboard.standings import open_boards, read_places
from tests.players import EASY_ORDER, easy_deal, make_player, place, win

pytestmark = pytest.mark.django_db

ROWS = 5000
# a win of every player's on a deal of its own, as the server deals, and its standings and buckets
FILL = """
WITH player AS (
    INSERT INTO games_player (password, is_superuser, name, name_key, email, is_active, is_staff)
    SELECT '', false, 'row ' || i, 'row ' || i, '', true, false FROM generate_series(1, %(rows)s) i
    RETURNING id
), deal AS (
    INSERT INTO games_deal (ruleset, "order") SELECT 'T', 'order ' || i FROM generate_series(1, %(rows)s) i
    RETURNING id
), board AS (
    INSERT INTO leaderboard_board (kind, ruleset, deal_id, clock, "order")
    SELECT 'deal', 'T', id, 'server', o FROM deal, (VALUES ('time'), ('moves')) orders (o)
), attempt AS (
    INSERT INTO games_attempt (player_id, deal_id, ruleset, ranked, clock, started_at, ends_at, ended_at, "end",
        moves, times, plies, rules, official_ms, counted_moves, points, "left")
    SELECT player.id, deal.id, 'T', true, 'server', now(), now(), now(), 'won', '', '{}', 40, 1,
        30000 + 17 * n, 30 + n %% 40, 28, 0
    FROM (SELECT id, row_number() OVER () AS n FROM player) player
    JOIN (SELECT id, row_number() OVER () AS n FROM deal) deal USING (n)
    RETURNING id, player_id, deal_id, official_ms, counted_moves, points, ended_at
), standing AS (
    INSERT INTO leaderboard_standing (board_id, player_id, attempt_id, key1, key2, key3, ended_at, deal_id, points,
        ranked, assisted)
    SELECT b.id, a.player_id, a.id, k.key1, k.key2, 0, a.ended_at, a.deal_id, a.points, true, false
    FROM attempt a, (VALUES (%(time)s, 'time'), (%(moves)s, 'moves')) b (id, o),
        LATERAL (VALUES ('time', official_ms, counted_moves), ('moves', counted_moves, official_ms)) k (o, key1, key2)
    WHERE k.o = b.o
    RETURNING board_id, key1
)
INSERT INTO leaderboard_timebucket (board_id, shift, bucket, shard, count)
SELECT board_id, shift, key1 >> shift, n %% 8, count(*)
FROM (SELECT *, row_number() OVER () AS n FROM standing) s, (VALUES (4), (10), (16)) levels (shift)
WHERE board_id = %(time)s GROUP BY 1, 2, 3, 4
"""
# the buckets of a page, for the total and for the rank, in up to three steps: all minutes (two, in eight parts), and
# of the two finer levels those inside one bucket of the level above
BUCKETS = 3 * (2 * 2 * 8 + 64 + 64)


@pytest.fixture
def crowd() -> list[Player]:
    """ROWS players on a ruleset's boards, the quickest first."""
    open_boards(store_deal(deal=easy_deal()), "server")
    boards = dict(Board.objects.filter(kind="ruleset").values_list("order", "id"))
    with connection.cursor() as cursor:
        cursor.execute(FILL, {"rows": ROWS, **boards})
        cursor.execute("SET LOCAL random_page_cost = 1.1")  # a board this small is quicker read whole from a disk
        cursor.execute("ANALYZE games_attempt, games_player, games_deal, leaderboard_board, leaderboard_standing")
    players = list(Player.objects.order_by("attempts__official_ms"))
    assert len(players) == ROWS
    return players


def count_rows(call: Callable[[], Any]) -> int:
    """The rows that all steps of the call's last statement go through, as EXPLAIN ANALYZE counts them."""
    plans: list[Any] = []

    def explain(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        with connection.cursor().cursor as cursor:
            cursor.execute(f"EXPLAIN (ANALYZE, FORMAT JSON, TIMING OFF) {sql}", params)
            plans.append(cursor.fetchone()[0])
        return execute(sql, params, many, context)

    with connection.execute_wrapper(explain):
        call()
    steps = list(walk(plans[-1][0]["Plan"]))
    assert any("leaderboard_standing" in str(step) for step in steps)
    return round(sum(map(count_step, steps)))


def walk(step: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield step
    for inner in step.get("Plans", ()):
        yield from walk(inner)


def count_step(step: dict[str, Any]) -> float:
    touched = ("Actual Rows", "Rows Removed by Filter", "Rows Removed by Index Recheck")
    return step["Actual Loops"] * sum(step.get(name, 0) for name in touched)


def test_a_page_by_time_counts_buckets_and_not_rows(crowd: list[Player]) -> None:
    key = BoardKey("T", "time")
    for player in (crowd[0], crowd[ROWS // 2], crowd[-1]):
        standing = Standing.objects.get(player=player, board__order="time")
        cursor = Cursor(standing.key1, standing.key2, standing.key3, standing.attempt_id)
        assert count_rows(partial(read_page, key, limit=5, around=player)) < 300 + BUCKETS
        for window in ({}, {"after": cursor}, {"before": cursor}):
            assert count_rows(partial(read_page, key, limit=100, **window)) < 2500 + BUCKETS


def test_a_page_by_moves_counts_the_rows_before_it_once(crowd: list[Player]) -> None:
    key = BoardKey("T", "moves")
    last = list(Player.objects.order_by("attempts__counted_moves", "attempts__official_ms"))[-1]
    rows = count_rows(lambda: read_page(key, limit=5, around=last))
    assert ROWS < rows < 3 * ROWS + 300 + BUCKETS


def test_a_rank_after_a_win_counts_buckets_and_not_rows(crowd: list[Player]) -> None:
    attempt = Standing.objects.filter(player=crowd[-1])[0].attempt_id
    assert count_rows(lambda: read_places(attempt)) < 100 + BUCKETS


def test_the_board_of_a_deal_does_not_look_at_those_of_others(crowd: list[Player]) -> None:
    win(make_player("Ada"), 5000)
    assert count_rows(lambda: read_page(BoardKey("T", "time", "server", EASY_ORDER), limit=100)) < 100 + BUCKETS


def test_a_win_touches_a_few_rows(crowd: list[Player]) -> None:
    assert count_rows(lambda: place(crowd[-1], 5000, 20)) < 100
