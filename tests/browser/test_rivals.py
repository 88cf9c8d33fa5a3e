"""Do people find their place, follow each other, and run a club, in the browser and without scripts?"""

import re

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.health import find_barriers, is_too_wide, settle
from tests.browser.rivals import ADA, CLUB, PASSWORD, RULESET, WIDE
from tests.browser.test_health import LOOKS, Scheme, look


def log_in(page: Page, server: str, name: str) -> None:
    page.goto(f"{server}/account/log-in/")
    page.locator("[name=login]").fill(name)
    page.locator("[name=password]").fill(PASSWORD)
    page.locator("main form button").click()
    expect(page.locator(".who")).to_have_text(name)


def check(page: Page, what: str) -> None:
    """That a page as it stands has no barrier and is not too wide."""
    settle(page)
    assert not is_too_wide(page), what
    assert find_barriers(page) == [], what


@pytest.mark.parametrize(("language", "scheme"), LOOKS)
def test_what_players_see_of_each_other_is_sound(
    chromium: Browser, server: str, wrong: list[str], language: str, scheme: Scheme
) -> None:
    with look(chromium, wrong, locale=language, color_scheme=scheme) as page:
        log_in(page, server, ADA)
        for path in (f"/boards/{RULESET}/?around=me&period=year", f"/players/{WIDE}/", "/players/me/"):
            page.goto(server + path)
            check(page, path)
        page.goto(f"{server}/players/{WIDE}/")
        page.locator("[data-opens=report]").click()
        check(page, "reporting")
        page.goto(f"{server}/clubs/")
        page.get_by_role("link", name=CLUB).click()
        page.locator(".members summary").first.click()
        check(page, "the club")
        page.locator(".members form[data-asks] button").first.click()
        expect(page.locator("#ask")).to_be_visible()
        check(page, "a question before it is done")
        page.keyboard.press("Escape")
        expect(page.locator("#ask")).to_be_hidden()
        expect(page.locator(".members li")).to_have_count(2)


def test_a_board_is_read_without_scripts_up_to_ones_own_row(chromium: Browser, server: str, wrong: list[str]) -> None:
    with look(chromium, wrong, locale="en-GB", java_script_enabled=False) as page:
        log_in(page, server, ADA)
        page.goto(f"{server}/")
        page.locator(".leaders").get_by_role("link", name="Two passes").click()
        expect(page.locator(".places tbody tr")).to_have_count(50)
        page.get_by_role("link", name="To my place").click()
        expect(page.locator("#me")).to_be_in_viewport()
        expect(page.locator("#me")).to_contain_text(ADA)
        page.get_by_role("link", name="← Better").click()
        expect(page.locator("#me")).to_have_count(0)
        page.get_by_role("navigation", name="Order").get_by_role("link", name="Moves").click()
        expect(page.locator(".places tbody tr td:first-child").first).to_have_text("1")


def test_following_and_reporting_work_by_keyboard_and_say_what_they_did(page: Page, server: str) -> None:
    log_in(page, server, WIDE)
    page.goto(f"{server}/players/{ADA}/?ruleset={RULESET}")
    expect(page.get_by_text("Deals that both have won: 12")).to_be_visible()
    page.get_by_role("button", name="Follow", exact=True).press("Enter")
    page.get_by_role("button", name="Unfollow").press("Enter")
    expect(page.get_by_role("button", name="Follow", exact=True)).to_be_visible()
    page.get_by_role("button", name="Report").press("Enter")
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Reason").fill("A name for two people.")
    dialog.get_by_role("button", name="Report").press("Enter")
    expect(page.locator("#line")).to_contain_text("Thank you.")
    expect(dialog).to_be_hidden()
    page.goto(f"{server}/account/reports/")
    expect(page.locator("main")).to_contain_text("A name for two people.")


def test_a_club_is_made_joined_given_a_race_and_dissolved(
    page: Page, chromium: Browser, server: str, wrong: list[str]
) -> None:
    log_in(page, server, ADA)
    page.goto(f"{server}/clubs/")
    page.get_by_label("Name").fill("Night club")
    page.get_by_role("button", name="Make a club").click()
    page.wait_for_url(re.compile(r"/clubs/\d+/$"))
    link = page.locator("[data-copies]").get_attribute("data-copies")
    assert link is not None
    with look(chromium, wrong, locale="en-GB") as other:
        log_in(other, server, WIDE)
        other.goto(link)
        expect(other.locator("h1")).to_have_text("Night club")
        check(other, "an invitation")
        other.get_by_role("button", name="Join the club").click()
        other.wait_for_url(re.compile(r"/clubs/\d+/$"))
        expect(other.get_by_role("button", name="Leave the club")).to_be_visible()
    page.reload()
    page.get_by_text("Change").click()
    page.get_by_role("button", name="Make manager").click()
    expect(page.locator(".members .quiet").nth(1)).to_contain_text("manager")
    page.get_by_label("Name").fill("Club night")
    page.get_by_role("button", name="Make a race").click()
    page.wait_for_url(re.compile(r"/races/\d+/$"))
    expect(page.locator("main")).to_contain_text("Night club")
    page.goto(f"{server}/clubs/")
    page.get_by_role("link", name="Night club").click()
    expect(page.locator(".race-list")).to_contain_text("Club night")
    page.get_by_role("button", name="Dissolve the club").click()
    page.get_by_role("dialog").get_by_role("button", name="Cancel").click()
    page.get_by_role("button", name="Dissolve the club").click()
    page.get_by_role("dialog").get_by_role("button", name="Dissolve the club").click()
    page.wait_for_url(f"{server}/clubs/")
    expect(page.get_by_role("link", name="Night club")).to_have_count(0)
