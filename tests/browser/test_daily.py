"""Does a person come from the first page through the day's deal to its board?"""

from playwright.sync_api import Locator, Page, expect

from tests.browser import table
from tests.players import EASY_MOVES, FEWEST

MOVES = EASY_MOVES.split(" ")


def tile(page: Page, ruleset: str) -> Locator:
    """What the first page shows of the day's deal under a ruleset."""
    return page.locator("#dailies .tile").filter(has=page.get_by_text(ruleset, exact=True))


def enter(page: Page, server: str, ruleset: str) -> None:
    """From the first page to the window before the first card."""
    page.goto(server)
    tile(page, ruleset).locator(".button").click()
    expect(page.locator("#before")).to_be_visible()


def sign_up(page: Page, name: str) -> None:
    """In the window before the first card."""
    page.locator("#before [data-account]").click()
    page.get_by_label("Name").fill(name)
    page.get_by_label("Password").fill("correct horse battery")
    page.get_by_role("button", name="Sign up").click()


def test_a_guest_plays_the_daily_for_practice_and_stands_on_no_board(page: Page, server: str) -> None:
    enter(page, server, "Relaxed")
    expect(page.locator("#before")).to_contain_text("As a guest you play it for practice.")
    expect(page.locator("main .card")).to_have_count(0)
    page.reload()  # nothing has begun
    expect(page.locator("#before")).to_be_visible()
    expect(page.locator("main .card")).to_have_count(0)
    page.locator('#before [value="start"]').click()
    expect(page.locator("#kind")).to_have_text("Daily · Practice")
    table.play(page, MOVES, table.tap)
    table.result(page, FEWEST)
    expect(page.locator('#result [data-fill="par"]')).to_have_text("Exactly par: no game can be shorter.")
    expect(page.locator("#result")).not_to_contain_text("in this race")
    assert table.stored(page) == EASY_MOVES

    page.locator('#result [value=""]').click()
    page.goto(server)
    expect(tile(page, "Relaxed").locator(".button")).to_have_text("Look")
    expect(tile(page, "Relaxed")).to_contain_text("16 moves")
    expect(tile(page, "Relaxed").locator("ol")).to_have_count(0)
    tile(page, "Relaxed").locator(".button").click()
    table.result(page, FEWEST)


def test_a_player_signs_up_enters_the_daily_and_stands_on_its_board(page: Page, server: str) -> None:
    enter(page, server, "Three passes")
    sign_up(page, "Daily Ada")
    page.locator('#before [value="start"]').click()
    expect(page.locator("#kind")).to_have_text("Daily")
    table.play(page, MOVES, table.tap)
    table.result(page, FEWEST)
    expect(page.locator('#result [data-fill="rank"]')).to_contain_text("Rank 1 of 1 in this race")
    page.goto(server)
    expect(tile(page, "Three passes").locator("ol li")).to_have_count(1)
    expect(tile(page, "Three passes").locator("ol li").first).to_contain_text("Daily Ada")
    expect(tile(page, "Three passes").locator(".button")).to_have_text("Look")

    page.goto(f"{server}/play/")  # the result of the daily: from there to a ranked game
    page.locator('#result [value="another"]').click()
    page.locator("#new-game label", has_text="Ranked").click()
    page.locator('#new-game [value="start"]').click()
    expect(page.locator("#kind")).to_have_text("Ranked")
    page.keyboard.press("h")
    expect(page.locator("#message")).to_have_text("There are no hints in a ranked game.")
    code = page.locator("#code").text_content()
    page.reload()
    expect(page.locator("#code")).to_have_text(code or "")
    expect(page.locator("#kind")).to_have_text("Ranked")
