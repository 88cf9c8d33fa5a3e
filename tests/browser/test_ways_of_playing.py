"""Is the same game won by finger, mouse and dragging? test_keyboard.py has the keys."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from games.engine.deal import Deal
from games.engine.replay import Verdict, verify
from tests.browser import table
from tests.browser.health import watch
from tests.engine.both import read_rows
from tests.players import EASY_MOVES, easy_deal

# three passes: removals of every kind, stock against waste, draws and a redeal
CODE, MOVES = next(fields[1:] for _, fields in read_rows("keyboard-games.tsv") if fields[0] == "T")
EASY = easy_deal("T").code


@pytest.fixture
def desk(chromium: Browser, wrong: list[str]) -> Iterator[Page]:
    """A page on a desk: a mouse, no fingers."""
    context = chromium.new_context(viewport={"width": 1280, "height": 800}, locale="en-GB", reduced_motion="reduce")
    yield watch(context.new_page(), wrong)
    context.close()


def win(page: Page, server: str, way: table.Way) -> None:
    verdict = verify(Deal.from_code(CODE), MOVES)
    assert isinstance(verdict, Verdict)
    table.open_table(page, server, CODE)
    table.play(page, MOVES.split(" "), way)
    table.result(page, verdict.moves)
    assert table.stored(page) == MOVES


def test_three_passes_is_won_by_mouse(desk: Page, server: str) -> None:
    win(desk, server, table.click)


def test_three_passes_is_won_by_dragging(desk: Page, server: str) -> None:
    win(desk, server, table.drag)


def test_three_passes_is_won_by_tapping_on_a_phone(page: Page, server: str) -> None:
    win(page, server, table.tap)


def test_a_finger_drags_every_card_away(page: Page, server: str) -> None:
    table.open_table(page, server, EASY)
    finger = page.context.new_cdp_session(page)

    def touch(kind: str, *points: table.Point) -> None:
        touches = [{"x": x, "y": y} for x, y in points]
        finger.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": touches})

    for token in EASY_MOVES.split(" "):
        ends = table.find_drag(page, token)
        assert ends
        (x, y), (to_x, to_y) = ends
        touch("touchStart", (x, y))
        for step in range(1, 6):
            touch("touchMove", (x + (to_x - x) * step / 5, y + (to_y - y) * step / 5))
        touch("touchEnd")
    table.result(page, 16)
    expect(page.locator('#result [data-fill="rank"]')).to_contain_text("Rank")
