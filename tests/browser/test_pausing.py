"""Does the clock of practice stand while nobody can see the table, and only then?"""

from playwright.sync_api import Page, Route, expect

from tests.browser.table import ask, attempt_of, open_table, place, play, removed, result, tap, wait_until_stored
from tests.browser.test_daily import enter, sign_up
from tests.players import EASY_MOVES, FEWEST, easy_deal

MOVES = EASY_MOVES.split(" ")
EASY = easy_deal("T").code
# a browser without a window hides no page: this is all that a hidden one tells its scripts
HIDE = """hidden => {
    Object.defineProperty(document, "hidden", {get: () => hidden, configurable: true});
    document.dispatchEvent(new Event("visibilitychange"));
}"""


def look_away(page: Page) -> None:
    page.evaluate(HIDE, True)


def look_back(page: Page) -> None:
    page.evaluate(HIDE, False)


def paused_ms(page: Page) -> int:
    """How long the clock of the game on the table has stood by the server."""
    return ask(page, "GET", f"attempts/{attempt_of(page)}/")[1]["paused_ms"]


def wait_until(page: Page, stands: bool) -> None:
    """Wait until the server says that the clock stands, or that it runs."""
    for _ in range(50):
        if (ask(page, "GET", f"attempts/{attempt_of(page)}/")[1]["paused_at"] is not None) == stands:
            return
        page.wait_for_timeout(100)
    raise AssertionError(f"the clock of the server: {stands=}")


def covered(page: Page) -> None:
    expect(page.locator("#go-on")).to_be_visible()
    expect(page.locator("#go-on")).to_be_focused()
    expect(page.locator("main .card").first).to_be_hidden()


def test_a_hidden_practice_game_is_covered_and_its_clock_stands(page: Page, server: str) -> None:
    open_table(page, server, EASY)
    play(page, MOVES[:2], tap)
    look_away(page)
    look_back(page)
    covered(page)
    wait_until(page, stands=True)
    shown = page.locator("#time").text_content()
    page.wait_for_timeout(1200)  # what must not happen takes time
    assert page.locator("#time").text_content() == shown
    page.keyboard.press("d")
    page.keyboard.press("ArrowRight")
    expect(page.locator("#go-on")).to_be_focused()
    page.reload()
    covered(page)
    removed(page, 4)

    page.locator("#cover").tap()
    expect(page.locator("#go-on")).to_be_hidden()
    assert page.evaluate("document.activeElement.classList.contains('card')"), "the focus is on the table again"
    wait_until(page, stands=False)
    assert paused_ms(page) > 1200
    play(page, MOVES[2:], tap)
    result(page, FEWEST)
    look_away(page)
    expect(page.locator("#go-on")).to_be_hidden()


def test_moves_on_their_way_do_not_let_a_paused_clock_run_on(page: Page, server: str) -> None:
    open_table(page, server, EASY)
    held: list[Route] = []
    page.route("**/moves/", lambda route: held.append(route))
    tap(page, MOVES[0])
    page.keyboard.press("p")
    covered(page)
    wait_until(page, stands=True)
    with page.expect_response("**/pause/"):  # a second one
        held.pop().continue_()
    page.unroute("**/moves/")
    wait_until_stored(page, MOVES[0])
    wait_until(page, stands=True)
    page.keyboard.press("p")
    expect(place(page, "g3")).to_be_visible()
    wait_until(page, stands=False)


def test_a_ranked_game_has_no_pause(page: Page, server: str) -> None:
    enter(page, server, "Relaxed")
    sign_up(page, "No Pause")
    page.locator('#before [value="start"]').click()
    expect(page.locator("#kind")).to_have_text("Daily")
    expect(page.locator("#pause")).to_be_hidden()
    look_away(page)
    look_back(page)
    page.keyboard.press("p")
    expect(page.locator("#message")).to_have_text("This game cannot be paused: its clock runs on.")
    expect(page.locator("#go-on")).to_be_hidden()
    tap(page, MOVES[0])
    removed(page, 2)
    assert paused_ms(page) == 0
