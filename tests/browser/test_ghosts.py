"""Do rivals run beside one's own game, on one's own clock, and only where they may be seen?"""

from datetime import UTC, datetime, timedelta

from playwright.sync_api import Browser, Page, expect

from games.engine.deal import Deal
from games.engine.position import Position
from tests.browser import table
from tests.browser.health import find_barriers, forgive, is_too_wide
from tests.browser.rivals import ADA, WIDE
from tests.browser.test_health import look
from tests.browser.test_rivals import log_in

CODE = "PY1-C-AAAAAAW"  # of attempts 1 and 2: Early Ada's 61,230 ms and Early Bea's 70,230 ms
MINUTE = 60_000


def choose(page: Page, *wanted: str) -> None:
    """In the window of the menu, whom to play against."""
    page.locator("#open-menu").click()
    page.locator('#menu [value="against"]').click()
    for value in wanted:
        page.locator(f'#against input[value="{value}"] + span').click()
    page.locator('#against [value="choose"]').click()


def told(page: Page, name: str) -> str:
    """What the strip tells of somebody to who hears it."""
    return page.locator("#ghosts li", has_text=name).locator('[data-part="told"]').inner_text()


def finds(page: Page, count: int) -> None:
    expect(page.locator("#ghosts .bar:not([hidden])")).to_have_count(count + 1)


def run_until_first(page: Page, name: str) -> None:
    """Let the clock run until somebody is first; an answer of the server's on its way may set it back once."""
    first = page.locator("#ghosts li.first")
    for _ in range(5):
        page.clock.fast_forward(MINUTE)
        if name in first.inner_text():
            break
    expect(first).to_contain_text(name)


def test_chosen_rivals_run_on_ones_own_clock_and_stand_in_a_pause(page: Page, server: str) -> None:
    page.clock.install()
    table.open_table(page, server, CODE)
    expect(page.locator("#ghosts")).to_be_hidden()
    expect(page.locator("#show-ghosts")).to_be_hidden()
    choose(page, "leader", "medium", "strong")
    finds(page, 3)
    before = page.locator("#table").bounding_box()
    page.clock.fast_forward(30_000)
    expect(page.locator("#ghosts li.first")).to_contain_text("Computer")
    assert told(page, "Early Ada") == "0 of 28 removed."
    with page.expect_response("**/pause/"):  # its answer sets the page's clock
        page.locator("#pause").click()
    page.clock.fast_forward(MINUTE)
    assert told(page, "Early Ada") == "0 of 28 removed."
    with page.expect_response("**/resume/"):
        page.locator("#cover").click()
    expect(page.locator("#cover")).to_be_hidden()
    run_until_first(page, "Early Ada")
    assert told(page, "Early Ada") == "Won in 1:01."
    assert page.locator("#table").bounding_box() == before
    assert page.evaluate("document.documentElement.scrollHeight") == 640
    assert not is_too_wide(page)
    assert find_barriers(page) == []
    assert page.locator("#ghosts [aria-live], #ghosts [role=status]").count() == 0


def test_at_most_three_are_chosen_and_the_choice_and_a_closed_strip_are_remembered(page: Page, server: str) -> None:
    table.open_table(page, server, CODE)
    choose(page, "leader", "easy", "best")
    finds(page, 2)
    expect(page.locator("#ghosts li", has_text="My best")).to_contain_text("no win yet")
    page.locator("#show-ghosts").click()
    expect(page.locator("#ghosts")).to_be_hidden()
    page.reload()
    expect(page.locator("#show-ghosts")).to_have_attribute("aria-expanded", "false")
    expect(page.locator("#ghosts")).to_be_hidden()
    page.locator("#show-ghosts").click()
    finds(page, 2)
    page.locator("#new").click()
    expect(page.locator("#new-game input[name=against]:checked")).to_have_count(3)
    expect(page.locator("#new-game input[name=against]:disabled")).to_have_count(3)


def test_a_rival_is_chosen_by_name_and_a_name_without_a_game_is_refused_in_the_window(
    page: Page, server: str, wrong: list[str]
) -> None:
    table.open_table(page, server, CODE)
    page.locator("#open-menu").click()
    page.locator('#menu [value="against"]').click()
    window = page.locator("#against")
    name, refused = window.get_by_label("A player by name"), window.get_by_role("alert")
    name.fill(ADA)
    window.get_by_role("button", name="Add").click()
    expect(refused).to_have_text(f"{ADA} has ended no game on these cards.")
    assert find_barriers(page) == []
    name.fill("nobody at all")
    name.press("Enter")
    expect(refused).to_have_text("There is no such player.")
    expect(window).to_be_visible()
    name.fill("early bea")
    name.press("Enter")
    expect(window.get_by_role("checkbox", name="Early Bea")).to_be_checked()
    expect(refused).to_be_hidden()
    name.fill("EARLY ADA")
    window.locator('[value="choose"]').click()  # what was typed counts without another button
    finds(page, 2)
    expect(page.locator("#ghosts li")).to_contain_text(["You", "Early Bea", "Early Ada"])
    page.reload()
    finds(page, 2)
    page.locator("#new").click()
    expect(page.locator("#new-game input[name=against]:checked")).to_have_count(2)
    forgive(wrong, "404 GET")


def test_two_browsers_race_each_other_and_a_ghost_on_one_screen(
    page: Page, chromium: Browser, server: str, wrong: list[str]
) -> None:
    deal = Deal.from_seed("T", 4711)
    removal = next(token for token in Position.start(deal).legal_moves() if len(table.parts(token)) == 2)
    log_in(page, server, ADA)
    table.open_table(page, server, CODE)
    choose(page, "strong")
    closes_at = (datetime.now(UTC) + timedelta(hours=1)).isoformat()
    status, race = table.ask(page, "POST", "races/", {"name": "Two", "deal": deal.code, "closes_at": closes_at})
    assert status == 201, race
    with look(chromium, wrong, locale="de-DE") as other:
        log_in(other, server, WIDE)
        for one in (page, other):
            one.goto(f"{server}/play/?race={race['id']}")
            one.locator('#before [value="start"]').click()
            table.removed(one, 0)
        lines = page.locator("#ghosts li")
        expect(lines).to_contain_text(["You", "Computer (strong)", WIDE])
        expect(other.locator("#ghosts li")).to_contain_text(["Du", ADA])
        table.play(other, [removal])
        expect(lines.last.locator('[data-part="number"]')).to_have_text("2")
        assert told(page, WIDE) == "2 of 28 removed."
        table.play(page, [removal])
        expect(other.locator("#ghosts li", has_text=ADA).locator('[data-part="number"]')).to_have_text("2")
        assert not is_too_wide(page)


def test_the_address_names_rivals_for_as_long_as_the_cards_stay(page: Page, server: str) -> None:
    table.open_table(page, server, f"{CODE}?ghost=2,1")
    finds(page, 2)
    expect(page.locator("#ghosts li")).to_contain_text(["You", "Early Bea", "Early Ada"])
    page.reload()
    finds(page, 2)
    page.locator("#new").click()
    page.get_by_label("Or a deal code, for practice").fill("PY1-C-AAAAAAS")
    page.locator('#new-game [value="start"]').click()
    expect(page.locator("#code")).to_have_text("PY1-C-AAAAAAS")
    expect(page.locator("#ghosts")).to_be_hidden()
    assert page.url == f"{server}/play/PY1-C-AAAAAAS"


def test_the_table_of_a_rival_runs_beside_ones_own_where_an_earlier_game_has_shown_the_cards(
    chromium: Browser, server: str, wrong: list[str]
) -> None:
    with look(chromium, wrong, {"width": 1200, "height": 900}, locale="en-GB") as page:
        page.clock.install()
        table.open_table(page, server, CODE)
        choose(page, "leader")
        finds(page, 1)
        show = page.get_by_role("button", name="Show the table")
        expect(show).to_be_hidden()
        attempt = page.evaluate("JSON.parse(localStorage['pyramidion.attempt']).id")
        assert table.ask(page, "POST", f"attempts/{attempt}/resign/", {})[0] == 200
        assert table.ask(page, "POST", "attempts/", {"deal": CODE})[0] == 201
        page.evaluate("localStorage.removeItem('pyramidion.attempt')")
        page.reload()
        show.click()
        beside = page.locator('#ghosts [data-part="table"]')
        pyramid = beside.locator(".card:is([data-place^='a'], [data-place^='g'])")
        expect(pyramid).to_have_count(8)
        assert find_barriers(page) == []
        run_until_first(page, "Early Ada")
        expect(pyramid).to_have_count(0)
        table.play(page, ["g1g5"])
        table.removed(page, 2)
        show.click()
        expect(show).to_have_attribute("aria-pressed", "false")
        expect(beside.last).to_be_hidden()


def test_a_game_of_other_cards_or_of_an_open_race_is_not_shown_and_the_strip_says_why(
    page: Page, server: str, wrong: list[str]
) -> None:
    table.open_table(page, server, "PY1-C-AAAAAAS?ghost=1,999999")
    lines = page.locator("#ghosts li")
    expect(lines).to_contain_text(["You", "other cards", "not shown"])
    page.goto(f"{server}/play/?race=1&ghost=999999")
    page.locator('#before [value="start"]').click()
    expect(lines).to_contain_text(["You", "after the race"])
    forgive(wrong, "404 GET")
