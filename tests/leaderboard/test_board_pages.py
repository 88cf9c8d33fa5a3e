"""Reading boards: every page equals what plain Python makes of the attempts."""

import json
import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from games.models import Attempt, Player
from leaderboard import moderating
from leaderboard.models import Board, Standing
from leaderboard.pages import BOTTOM, TOP, BoardKey, Cursor, read_page
from tests.client import Api
from tests.leaderboard.plain_boards import Row, check_boards, compute_rows, describe, list_attempts
from tests.players import EASY_ORDER, easy_deal, make_player, make_players, place, win

pytestmark = pytest.mark.django_db

START = datetime(2026, 1, 1, tzinfo=UTC)
KEYS = [BoardKey("M", order) for order in ("time", "moves", "points")]


def fill(seed: int, players: int, wins: int) -> list[Player]:
    """A board of ruleset M with many ties in every order: of time, of the whole key, and of the moment."""
    generator = random.Random(seed)
    crowd = make_players(players)
    for _ in range(wins):
        place(
            generator.choice(crowd),
            generator.choice([40, 99, 100, 101, 199, 200, 5000]),
            generator.choice([15, 16, 17]),
            generator.choice([-30, 0, 290, 300]),
            generator.choice([0, 10, 600]),
            deal=easy_deal("M"),
            ended_at=START + timedelta(seconds=generator.randrange(4)),
        )
    return crowd


def board_of(key: BoardKey) -> Board:
    return Board.objects.get(kind="ruleset", ruleset=key.ruleset, order=key.order)


def read(key: BoardKey, limit: int, **window: Any) -> dict[str, Any]:
    page = read_page(key, limit=limit, **window)
    rows = [json.loads(f"{row}}}") for row in page.rows]
    for row in rows:
        row["when"] = datetime.fromisoformat(row["when"])
    return {"total": page.total, "previous": page.previous, "next": page.next, "rows": rows}


def expect(rows: list[Row], start: int, stop: int) -> list[dict[str, Any]]:
    return [describe(row) for row in rows[max(start, 0) : stop]]


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("key", KEYS, ids=lambda key: key.order)
def test_every_window_of_a_board_equals_plain_python(key: BoardKey, seed: int) -> None:
    crowd = fill(seed, players=22, wins=60)
    rows = compute_rows(board_of(key), list_attempts())
    assert len({row.rank for row in rows}) < len(rows), "ties are part of the question"
    check_boards()
    number = {row.attempt.player_id: n for n, row in enumerate(rows)}
    for limit in (1, 4, 100):
        page = read(key, limit)
        assert page["total"] == len(rows)
        assert page["rows"] == expect(rows, 0, limit)
        for n, row in enumerate(rows):
            cursor = cursor_of(key, row)
            assert read(key, limit, after=cursor)["rows"] == expect(rows, n + 1, n + 1 + limit)
            assert read(key, limit, before=cursor)["rows"] == expect(rows, n - limit, n)
    for radius in (0, 2, 50):
        for player in crowd:
            if player.pk in number:
                n = number[player.pk]
                page = read(key, radius, around=player)
                assert page["rows"] == expect(rows, n - radius, n + radius + 1)
                assert (page["previous"] is None) == (n - radius <= 0)
                assert (page["next"] is None) == (n + radius + 1 >= len(rows))


def cursor_of(key: BoardKey, row: Row) -> Cursor:
    standing = Standing.objects.get(board=board_of(key), attempt=row.attempt)
    return Cursor(standing.key1, standing.key2, standing.key3, standing.attempt_id)


def walk(key: BoardKey, limit: int, direction: str) -> Iterator[list[dict[str, Any]]]:
    """The pages of a board, one after the other: from the top by `after`, or from the bottom by `before`."""
    link = {"after": "next", "before": "previous"}[direction]
    page = read(key, limit) if direction == "after" else read(key, limit, before=BOTTOM)
    while True:
        yield page["rows"]
        if page[link] is None:
            return
        page = read(key, limit, **{direction: Cursor.read(page[link])})


@pytest.mark.parametrize("direction", ["after", "before"])
@pytest.mark.parametrize("key", KEYS, ids=lambda key: key.order)
@pytest.mark.parametrize("limit", [1, 4])
def test_pages_follow_each_other_without_a_gap(key: BoardKey, direction: str, limit: int) -> None:
    fill(9, players=25, wins=60)
    rows = compute_rows(board_of(key), list_attempts())
    pages = list(walk(key, limit, direction))
    if direction == "before":
        pages.reverse()
    assert [row for page in pages for row in page] == expect(rows, 0, len(rows))
    assert all(len(page) <= limit for page in pages)


@pytest.mark.parametrize("direction", ["after", "before"])
@pytest.mark.parametrize("key", KEYS, ids=lambda key: key.order)
@pytest.mark.parametrize("seed", range(2))
def test_a_row_that_stays_is_read_once_while_others_come_improve_and_are_voided(
    key: BoardKey, direction: str, seed: int
) -> None:
    generator = random.Random(seed)
    crowd = fill(seed, players=20, wins=40)
    first = {row.attempt.pk for row in compute_rows(board_of(key), list_attempts())}
    newcomers = iter([make_player(f"N {letter}") for letter in "bdfghkprtwxz"])
    seen: list[int] = []
    for page in walk(key, 3, direction):
        seen += [row["replay"] for row in page]
        player = next(newcomers, None) if generator.random() < 0.5 else generator.choice(crowd)
        if player:
            official_ms = generator.choice([30, 99, 100, 5000])
            place(player, official_ms, generator.choice([14, 16]), 300, 600, deal=easy_deal("M"), ended_at=START)
        if generator.random() < 0.3:
            moderating.void(attempt=generator.choice(list(Attempt.objects.order_by("pk"))))
    stayed = first & {row.attempt.pk for row in compute_rows(board_of(key), list_attempts())}
    assert len(stayed) > 5
    assert all(seen.count(attempt) == 1 for attempt in stayed)
    assert len(seen) == len(set(seen)), "no row is shown twice"


def test_a_page_that_begins_inside_a_tie_keeps_the_rank_of_the_tie() -> None:
    for n, player in enumerate(make_players(6)):
        place(player, 1000 if 0 < n < 5 else 500 if n == 0 else 2000, 20, ended_at=START + timedelta(seconds=n))
    key = BoardKey("T", "time")
    assert [row["rank"] for row in read(key, 10)["rows"]] == [1, 2, 2, 2, 2, 6]
    page = read(key, 3)
    assert [(row["rank"], row["row"]) for row in page["rows"]] == [(1, 1), (2, 2), (2, 3)]
    page = read(key, 3, after=Cursor.read(page["next"]))
    assert [(row["rank"], row["row"]) for row in page["rows"]] == [(2, 4), (2, 5), (6, 6)]
    page = read(key, 2, before=Cursor.read(page["previous"]))
    assert [(row["rank"], row["row"]) for row in page["rows"]] == [(2, 2), (2, 3)]


def test_ranks_are_1_2_2_4() -> None:
    for player, ms in zip(make_players(4), (900, 950, 950, 951), strict=True):
        win(player, ms)
    for order in ("time", "moves"):
        assert [row["rank"] for row in read(BoardKey("T", order), 10)["rows"]] == [1, 2, 2, 4]


def test_inside_a_tie_the_earlier_comes_first() -> None:
    late, early = make_players(2)
    place(late, 1000, 20, ended_at=START + timedelta(seconds=1))
    place(early, 1000, 20, ended_at=START)
    assert [(row["rank"], row["player"]) for row in read(BoardKey("T", "time"), 10)["rows"]] == [
        (1, early.name),
        (1, late.name),
    ]


def test_a_cursor_holds_after_its_row_has_left() -> None:
    crowd = make_players(6)
    for n, player in enumerate(crowd):
        place(player, 1000 + n, 20)
    key = BoardKey("T", "time")
    cursor = Cursor.read(read(key, 3)["next"])
    place(crowd[2], 10, 20)
    assert [row["player"] for row in read(key, 10, after=cursor)["rows"]] == [player.name for player in crowd[3:]]
    assert [row["official_ms"] for row in read(key, 10, before=cursor)["rows"]] == [10, 1000, 1001]


def test_a_page_past_the_end_knows_how_many_there_are_and_leads_back() -> None:
    crowd = make_players(4)
    for n, player in enumerate(crowd):
        place(player, 1000 + n, 20)
    key = BoardKey("T", "time")
    cursor = Cursor.read(read(key, 3)["next"])
    place(crowd[3], 10, 20)  # the only row that was left has moved up
    page = read(key, 3, after=cursor)
    assert (page["total"], page["rows"], page["next"]) == (4, [], None)
    assert [row["official_ms"] for row in read(key, 3, before=Cursor.read(page["previous"]))["rows"]] == [
        1000,
        1001,
        1002,
    ]
    page = read(key, 3, before=TOP)
    assert (page["total"], page["rows"], page["previous"]) == (4, [], None)
    assert [row["official_ms"] for row in read(key, 3, after=Cursor.read(page["next"]))["rows"]] == [10, 1000, 1001]


@pytest.mark.parametrize("opened", [False, True])
def test_a_board_of_nobody_is_empty(opened: bool) -> None:
    if opened:
        win(make_player("Ada"), 1000, ranked=False)
    empty = {"total": 0, "previous": None, "next": None, "rows": []}
    for order in ("time", "moves"):
        assert read(BoardKey("T", order), 10) == empty
        for cursor in (TOP, BOTTOM, Cursor(5, 5, 0, 1)):
            assert read(BoardKey("T", order), 10, after=cursor) == empty
            assert read(BoardKey("T", order), 10, before=cursor) == empty


@pytest.mark.parametrize("path", ["rulesets/T/board/", f"deals/PY0-T-{EASY_ORDER}/board/"])
def test_who_does_not_stand_on_a_board_is_not_found_there(path: str) -> None:
    ada, bert = make_player("Ada"), make_player("Bert")
    api = Api()
    for player in (ada, bert):
        status, answer = api.get(f"{path}?around={player.name}")
        assert (status, answer["code"], answer["where"]) == (404, "not_on_board", "around")
    win(ada, 1000)
    assert [row["player"] for row in api.get(f"{path}?around=ADA&radius=3")[1]["rows"]] == ["Ada"]
    status, answer = api.get(f"{path}?around=Bert")
    assert (status, answer["code"], answer["where"]) == (404, "not_on_board", "around")
    assert api.get(f"{path}?around=Nobody")[1]["code"] == "player"


def test_a_page_of_the_api_names_its_board() -> None:
    win(make_player("Ada"), 62_345, 18, ranked=True)
    api = Api()
    status, page = api.get("rulesets/T/board/")
    assert status == 200
    head = {name: page[name] for name in ("board", "ruleset", "deal", "order", "clock", "note", "total")}
    assert head == {
        "board": "ruleset",
        "ruleset": "T",
        "deal": None,
        "order": "time",
        "clock": "server",
        "note": None,
        "total": 1,
    }
    (row,) = page["rows"]
    assert (row["rank"], row["player"], row["official_ms"], row["moves"]) == (1, "Ada", 62_345, 18)
    status, page = api.get(f"deals/PY0-T-{EASY_ORDER}/board/?order=moves")
    assert (page["board"], page["deal"], page["order"]) == ("deal", f"PY0-T-{EASY_ORDER}", "moves")
    assert page["note"]
    assert page["rows"] == [row]


@pytest.mark.parametrize(
    ("query", "code", "where"),
    [
        ("order=points", "invalid_choice", "order"),
        ("order=", "invalid_choice", "order"),
        ("limit=0", "invalid", "limit"),
        ("limit=101", "invalid", "limit"),
        ("limit=-1", "invalid", "limit"),
        ("limit=1e1", "invalid", "limit"),
        ("radius=51&around=Ada", "invalid", "radius"),
        ("radius=x", "invalid", "radius"),
        ("after=1.2.3", "cursor", "after"),
        ("after=1.2.3.x", "cursor", "after"),
        ("before=2147483648.0.0.0", "cursor", "before"),
        ("before=1.2.3.9999999999999999999", "cursor", "before"),
        ("before=01.2.3.4", "cursor", "before"),
        ("after=1.2.3.4&before=1.2.3.4", "one_of", "before"),
        ("page=2", "unknown_field", "page"),
        ("clock=client", "unknown_field", "clock"),
    ],
)
def test_a_bad_query_is_refused(query: str, code: str, where: str) -> None:
    make_player("Ada")
    status, answer = Api().get(f"rulesets/T/board/?{query}")
    assert (status, answer["code"], answer["where"]) == (400, code, where)


def test_boards_are_kept_apart() -> None:
    ada, bert = make_player("Ada"), make_player("Bert")
    win(ada, 1000)
    win(bert, 2000, deal=easy_deal("N"))
    api = Api()
    for letter, name in (("T", "Ada"), ("N", "Bert")):
        for path in (f"rulesets/{letter}/board/", f"deals/PY0-{letter}-{EASY_ORDER}/board/"):
            assert [row["player"] for row in api.get(path)[1]["rows"]] == [name]
    for path in ("rulesets/C/board/", f"deals/PY0-C-{EASY_ORDER}/board/", "deals/PY1-T-AAAAAAA/board/"):
        assert api.get(path)[1]["total"] == 0
    assert api.get("rulesets/Q/board/")[0] == 404
    assert api.get("rulesets/t/board/")[0] == 404
    assert api.get(f"deals/PY0-T-{EASY_ORDER}/board/?clock=client")[1]["total"] == 0
