"""Does a game stand as it stood, after a reload at any stage and on another device?"""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.browser.health import forgive, wait_for_answers, watch
from tests.browser.table import find_dead_end, open_table, play, press, removed, result, stored, tap, wait_until_stored
from tests.browser.test_daily import enter, sign_up, tile
from tests.players import EASY_MOVES, FEWEST, easy_deal

EASY = easy_deal("T").code
MOVES = EASY_MOVES.split(" ")
# two passes: a game in steps, each followed by a reload
DEAL = "PY1-D-AAAAABY"
STEPS = ["", "g1g3", "D", "g2W", "U", "g2W D", "W", " ".join(["D"] * 22), "R", "D"]
SNAPSHOT = """() => ({
    cards: [...document.querySelectorAll("main .card[data-place]")]
        .filter(card => card.dataset.place && !card.inert)
        .map(card => `${card.dataset.place}: ${card.ariaLabel}`).sort(),
    status: [...document.querySelectorAll("#status [data-fill]")].map(field => field.textContent),
    stock: document.querySelector(".pile.stock").ariaLabel,
    pass: document.querySelector("#pass").textContent,
    code: document.querySelector("#code").textContent,
})"""
# what a browser keeps of a game; another device knows the player alone
KEPT = ("pyramidion.attempt", "pyramidion.unsent", "pyramidion.ahead")


def stands_after_reload(page: Page) -> None:
    before, kind = page.evaluate(SNAPSHOT), page.locator("#kind").text_content()
    assert before["cards"]
    page.reload()
    expect(page.locator("main .card").first).to_be_visible()
    assert page.evaluate(SNAPSHOT) == before
    assert page.locator("#kind").text_content() == kind


@pytest.fixture
def other(chromium: Browser, context: BrowserContext, wrong: list[str]) -> Iterator[Page]:
    """A page on another device of the same player; it is opened by its first address."""
    device = chromium.new_context(viewport={"width": 1280, "height": 800}, locale="en-GB", reduced_motion="reduce")
    yield watch(device.new_page(), wrong)
    device.close()


def log_in(other: Page, page: Page, server: str) -> None:
    """Let the player of a page play on another device, too."""
    state = page.context.storage_state()
    other.context.add_cookies(state["cookies"])  # type: ignore[arg-type]
    items = {item["name"]: item["value"] for origin in state["origins"] for item in origin["localStorage"]}
    other.goto(f"{server}/ping/")
    other.evaluate(
        "items => Object.entries(items).forEach(([name, value]) => localStorage.setItem(name, value))",
        {name: value for name, value in items.items() if name not in KEPT},
    )


def test_a_reload_after_every_kind_of_move_leads_back_to_the_game(page: Page, server: str) -> None:
    open_table(page, server, DEAL)
    for step in STEPS:
        play(page, step.split(), press)
        stands_after_reload(page)
    wait_until_stored(page, " ".join(STEPS).strip())


@pytest.mark.parametrize("opener", ["#new", "#open-menu", "#show-rules"])
def test_a_reload_with_a_window_open_leads_back_to_the_table(page: Page, server: str, opener: str) -> None:
    open_table(page, server, EASY)
    tap(page, "g1g2")
    page.locator(opener).click()
    expect(page.locator("dialog[open]")).to_be_visible()
    stands_after_reload(page)
    expect(page.locator("dialog[open]")).to_have_count(0)
    tap(page, "g3g4")
    wait_until_stored(page, "g1g2 g3g4")


def test_moves_that_never_left_outlive_a_reload(page: Page, server: str, wrong: list[str]) -> None:
    open_table(page, server, EASY)
    page.route("**/moves/", lambda route: route.abort("connectionreset"))
    play(page, ["g1g2", "D", "U", "g3g4"], press)
    expect(page.locator("#offline")).to_be_visible()
    stands_after_reload(page)
    removed(page, 4)
    page.unroute("**/moves/")
    wait_until_stored(page, "g1g2 D U g3g4")
    forgive(wrong, "net::ERR_CONNECTION_RESET POST")


def test_a_reload_at_a_dead_end_says_so_again(page: Page, server: str) -> None:
    code = "PY1-A-AAAAAAB"
    open_table(page, server, code)
    play(page, find_dead_end(code), press)
    expect(page.locator("#stuck")).to_be_visible()
    stands_after_reload(page)
    expect(page.locator("#stuck h2")).to_have_text("No move is left.")
    page.locator('#stuck [value="undo"]').click()
    expect(page.locator("#message")).to_have_text("Taken back.")


def test_a_reload_at_the_result_shows_it_again(page: Page, server: str) -> None:
    open_table(page, server, EASY)
    play(page, MOVES, press)
    result(page, FEWEST)
    wait_for_answers(page)  # the best time is asked for
    facts = page.locator("#result [data-fill]")
    shown = facts.all_text_contents()
    stands_after_reload(page)
    result(page, FEWEST)
    expect(facts).to_have_text(shown)


def test_a_game_goes_on_where_it_was_on_another_device(page: Page, other: Page, server: str) -> None:
    enter(page, server, "Points")
    sign_up(page, "Two Devices")
    page.locator('#before [value="start"]').click()
    play(page, MOVES[:5], tap)
    wait_until_stored(page, " ".join(MOVES[:5]))

    log_in(other, page, server)
    other.goto(server)
    expect(tile(other, "Points").locator(".button")).to_have_text("Go on")
    tile(other, "Points").locator(".button").click()
    removed(other, 9)
    expect(other.locator("#kind")).to_have_text("Daily")
    assert other.evaluate(SNAPSHOT) == page.evaluate(SNAPSHOT)
    play(other, MOVES[5:])
    result(other, FEWEST)
    assert stored(other) == EASY_MOVES

    page.reload()
    result(page, FEWEST)
    removed(page, 28)


def test_of_moves_made_on_two_devices_the_first_to_arrive_counts(
    page: Page, other: Page, server: str, wrong: list[str]
) -> None:
    open_table(page, server, EASY)
    tap(page, "g1g2")
    wait_until_stored(page, "g1g2")
    log_in(other, page, server)
    open_table(other, server, EASY)
    removed(other, 2)

    play(other, ["g5g6"])
    wait_until_stored(other, "g1g2 g5g6")
    tap(page, "g3g4")
    expect(page.locator("#message")).to_have_text("This game went on elsewhere. This is how it stands.")
    assert page.evaluate(SNAPSHOT) == other.evaluate(SNAPSHOT)
    tap(page, "g3g4")
    wait_until_stored(page, "g1g2 g5g6 g3g4")
    play(other, ["g7"])
    expect(other.locator("#message")).to_have_text("This game went on elsewhere. This is how it stands.")
    assert other.evaluate(SNAPSHOT) == page.evaluate(SNAPSHOT)
    assert stored(other) == "g1g2 g5g6 g3g4"
    forgive(wrong, "409 POST")
