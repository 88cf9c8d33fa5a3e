"""Boards of random wins, holds, voids and releases: everything that is read equals what plain Python makes of them."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from games.models import Attempt, Player
from leaderboard import moderating, ranking
from leaderboard.models import Board
from leaderboard.pages import BOTTOM, BoardKey, Cursor, Page, read_pages
from tests.leaderboard.plain_boards import KEYS, check_boards, compute_rows, describe, list_attempts
from tests.players import easy_deal, make_players, place

START = datetime(2026, 1, 1, tzinfo=UTC)
PLAYERS = 7
# few values, on both sides of the edges of the buckets of every level: most rows are ties of something
wins = st.tuples(
    st.integers(0, PLAYERS - 1),
    st.sampled_from([0, 15, 16, 17, 1023, 1024, 65_535, 65_536, 131_071]),
    st.sampled_from([15, 16]),
    st.sampled_from([-10, 0, 300]),
    st.integers(0, 2),
)
moderations = st.tuples(st.sampled_from(["void", "restore", "hold", "release"]), st.integers(0, 99))


def moderate(word: str, number: int) -> None:
    attempts = list(Attempt.objects.order_by("pk"))
    if attempts:
        because = {"because": "pace"} if word == "hold" else {}
        getattr(moderating, word)(attempt=attempts[number % len(attempts)], **because)


def write(page: Page) -> list[dict[str, Any]]:
    rows = [json.loads(f"{row}}}") for row in page.rows]
    return [row | {"when": datetime.fromisoformat(row["when"])} for row in rows]


def check_windows(key: BoardKey, rows: list[dict[str, Any]], owners: list[Player], limit: int) -> None:
    """Top, every page downwards and upwards, and the rows around each player: the same rows with the same numbers."""
    found: list[dict[str, Any]] = []
    (page,) = read_pages(key, limit=limit)
    found += write(page)
    while page.next:
        (page,) = read_pages(key, limit=limit, after=Cursor.read(page.next))
        found += write(page)
    assert found == rows
    (page,) = read_pages(key, limit=limit, before=BOTTOM)
    found = write(page)
    while page.previous and page.rows:
        (page,) = read_pages(key, limit=limit, before=Cursor.read(page.previous))
        found = write(page) + found
    assert found == rows
    for number, player in enumerate(owners):
        page, top = read_pages(key, limit=limit, around=player, top=limit)
        assert write(page) == rows[max(0, number - limit) : number + limit + 1]
        assert write(top) == rows[:limit]
        assert (page.own_row, page.own_rank, page.total) == (number + 1, rows[number]["rank"], len(rows))


@pytest.mark.django_db
@settings(max_examples=12, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(steps=st.lists(st.one_of(wins, wins, wins, moderations), min_size=4, max_size=30), limit=st.integers(1, 5))
def test_random_boards_are_read_as_plain_python_reads_them(steps: list[Any], limit: int) -> None:
    with transaction.atomic():
        crowd = make_players(PLAYERS)
        for step in steps:
            if isinstance(step[0], str):
                moderate(*step)
            else:
                player, ms, moves, points, second = step
                at = START + timedelta(seconds=second)
                place(crowd[player], ms, moves, points, 0, deal=easy_deal("M"), ended_at=at)
        check_boards()
        attempts = list_attempts()
        for order in ranking.orders_of("points"):
            board = Board.objects.filter(kind="ruleset", ruleset="M", order=order).first()
            rows = compute_rows(board, attempts) if board else []
            check_windows(
                BoardKey("M", order), [describe(row) for row in rows], [row.attempt.player for row in rows], limit
            )
        transaction.set_rollback(True)  # the next example begins with nothing


@pytest.mark.parametrize("order", ranking.orders_of("points"))
@given(
    one=st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(-3, 3)),
    other=st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(-3, 3)),
)
def test_the_order_of_ranking_is_the_one_of_the_rules(
    order: str, one: tuple[int, int, int], other: tuple[int, int, int]
) -> None:
    attempts = [Attempt(official_ms=ms, counted_moves=moves, points=points) for ms, moves, points in (one, other)]
    keys = [ranking.sort_key(order, *values) for values in (one, other)]
    assert (keys[0] < keys[1]) == (KEYS[order](attempts[0]) < KEYS[order](attempts[1]))
    assert (keys[0] == keys[1]) == (KEYS[order](attempts[0]) == KEYS[order](attempts[1]))
