"""Do the windows at both ends of a game do what they say?"""

import re

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.browser.health import forgive, is_too_wide
from tests.browser.table import ask, attempt_of, open_table, place, press, removed, result, tap
from tests.players import EASY_MOVES, FEWEST, easy_deal

MOVES = EASY_MOVES.split(" ")
LONELY = easy_deal("B").code  # nobody else plays it here
SHIFTS = """() => {
    window.shifts = [];
    new PerformanceObserver(list => window.shifts.push(...list.getEntries().map(entry => entry.value)))
        .observe({type: "layout-shift"});
}"""


def open_new(page: Page) -> None:
    page.keyboard.press("n")
    expect(page.locator("#new-game")).to_be_visible()


def win(page: Page, moves: str) -> None:
    """Play past the page, and look at the result."""
    status, answer = ask(page, "POST", f"attempts/{attempt_of(page)}/moves/", {"from_ply": 0, "moves": moves})
    assert (status, answer["end"]) == (200, "won")
    page.reload()


def test_a_guest_chooses_a_difficulty_for_practice(page: Page, server: str) -> None:
    open_table(page, server, LONELY)
    open_new(page)
    expect(page.locator("#new-game input[value=ranked]")).to_be_disabled()
    page.locator("#new-game label", has_text="Giza").click()
    page.locator("#new-game select").select_option("hard")
    page.locator('#new-game [value="start"]').click()
    expect(page.locator("#ruleset")).to_have_text("Giza")
    expect(page.locator("#kind")).to_have_text("Practice")
    expect(page.locator("#message")).to_contain_text("No proven deal of this difficulty")  # there is no pool here


def test_a_wrong_code_is_named_below_its_field_and_a_pasted_address_is_read(
    page: Page, server: str, wrong: list[str]
) -> None:
    open_table(page, server, LONELY)
    open_new(page)
    field = page.locator("#new-game input[name=code]")
    field.fill("PY1-T-AAAA")
    field.press("Enter")
    expect(page.locator("#new-game-error")).to_have_text("The code needs 7 letters after the ruleset, not 4.")
    expect(field).to_be_focused()
    assert field.get_attribute("aria-invalid") == "true"
    forgive(wrong, "400 POST")
    field.fill("PY1-T-")
    expect(page.locator("#new-game-error")).to_be_hidden()
    for typed, code in (
        (f" {server}/play/PY1-N-AAAAAAS?from=a-friend ", "PY1-N-AAAAAAS"),
        ("Can you win py1-t-aaaaaaw?", "PY1-T-AAAAAAW"),
        (" py1 g aaaaaas\n", "PY1-G-AAAAAAS"),
    ):
        field.fill(typed)
        field.press("Enter")
        expect(page.locator("#code")).to_have_text(code)
        expect(page.locator("#new-game")).to_be_hidden()
        open_new(page)


def test_a_win_stands_beside_a_rival_of_ones_choice(
    page: Page, context: BrowserContext, server: str, wrong: list[str]
) -> None:
    open_table(page, server, LONELY)
    win(page, "D U " + EASY_MOVES)
    result(page, FEWEST + 1)
    expect(page.locator("#rivals table")).to_be_hidden()
    rival = ask(page, "GET", "players/me/")[1]["name"]

    context.clear_cookies()  # another guest
    page.evaluate("localStorage.clear()")
    open_table(page, server, LONELY)
    win(page, EASY_MOVES)
    result(page, FEWEST)
    rows = page.locator("#rivals tbody tr")
    expect(rows).to_have_count(2)
    expect(rows.filter(has_text=rival)).to_have_text(re.compile(r"^\d\.Guest \w+\d:\d\d\.\d\d17[−+]\d+\.\d\d / \+1$"))
    expect(page.locator("#rivals .mine")).to_have_text(re.compile(r"^\d\.You\d:\d\d\.\d\d16$"))
    assert not is_too_wide(page)

    field = page.locator("#rivals input")
    field.fill("Nobody At All")
    field.press("Enter")
    expect(page.locator("#rivals-error")).to_have_text("There is no such player.")
    expect(page.locator("#result")).to_be_visible()  # Enter has not closed it
    forgive(wrong, "404 GET")
    field.fill(rival)
    field.press("Enter")
    expect(rows).to_have_count(2)
    page.reload()  # the choice is remembered
    expect(field).to_have_value(rival)


def test_a_clock_that_is_hours_wrong_does_not_matter(page: Page, server: str) -> None:
    page.add_init_script("const now = Date.now; Date.now = () => now() - 5 * 3600_000")
    open_table(page, server, "PY1-N-AAAAAAC")
    expect(page.locator("#time")).to_have_text(re.compile("^0:0[1-9]$"))
    page.evaluate("localStorage.removeItem('pyramidion.attempt')")  # as on a second device
    page.reload()
    expect(page.locator("#time")).to_have_text(re.compile("^0:(0[2-9]|1.)$"))


def test_no_move_shifts_anything_else_and_the_focus_is_never_lost(page: Page, server: str) -> None:
    open_table(page, server, LONELY)
    page.evaluate(SHIFTS)
    for token in ["D", "U", *MOVES]:
        press(page, token)
        assert page.evaluate("document.activeElement !== document.body") or token in "DU"
    result(page, FEWEST + 1)
    assert page.evaluate("window.shifts") == []
    page.locator('#result [value=""]').click()
    expect(page.locator("#result")).to_be_hidden()
    assert page.evaluate("document.activeElement !== document.body")


@pytest.mark.parametrize(("width", "height"), [(640, 360), (640, 400), (180, 320)])
def test_the_whole_table_is_there_on_a_small_or_magnified_screen(
    page: Page, server: str, width: int, height: int
) -> None:
    """640 by 400 is a screen of 1280 by 800 at double size, 180 by 320 a phone's."""
    page.set_viewport_size({"width": width, "height": height})
    open_table(page, server, easy_deal("T").code)
    assert not is_too_wide(page)
    ends = [place(page, "a1"), place(page, "g1"), place(page, "g7"), page.locator(".pile.foundation"), place(page, "S")]
    for box in [end.bounding_box() for end in ends]:
        assert box
        assert box["y"] >= 0
        assert box["x"] >= 0
        assert box["y"] + box["height"] <= height
        assert box["x"] + box["width"] <= width
    tap(page, MOVES[0])
    page.locator("#draw").tap()
    removed(page, 2)
    for opener in ("#new", "#open-menu"):
        page.locator(opener).tap()
        assert not is_too_wide(page)
        page.locator("dialog[open] menu button").last.tap()
        expect(page.locator("dialog[open]")).to_have_count(0)
