"""Does a person come from a guest's first game to an account, and back into it by password, mail and two factors?"""

import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import pytest
from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value
from playwright.sync_api import Browser, Page, expect

from tests.browser import table
from tests.browser.health import find_barriers, is_too_wide, watch
from tests.players import EASY_MOVES, FEWEST, easy_deal

PASSWORD = "correct horse battery"
SIZE = {"width": 360, "height": 640}
Scheme = Literal["light", "dark"]


@pytest.fixture
def other(chromium: Browser, wrong: list[str]) -> Iterator[Page]:
    """A second browser: a desktop."""
    context = chromium.new_context(viewport={"width": 1000, "height": 700}, locale="en-GB")
    yield watch(context.new_page(), wrong)
    context.close()


def fill(page: Page, button: str, **fields: str) -> None:
    """Fill in a form by its labels, and send it."""
    for label, text in fields.items():
        page.get_by_label(label, exact=True).fill(text)
    page.locator("main").get_by_role("button", name=button, exact=True).click()


def sign_up(page: Page, server: str, name: str, **more: str) -> None:
    page.goto(f"{server}/account/sign-up/")
    fill(page, "Sign up", Name=name, Password=PASSWORD, **more)
    expect(page.locator(".who")).to_have_text(name)


def log_in(page: Page, server: str, name: str, password: str = PASSWORD) -> None:
    page.goto(f"{server}/account/log-in/")
    fill(page, "Log in", Name=name, Password=password)


def confirm(page: Page) -> None:
    fill(page, "Continue", Password=PASSWORD)


def read_links(mail: Path, address: str) -> list[str]:
    """The links of all mails to an address, in the order of their coming."""
    texts = [path.read_text() for path in sorted(mail.iterdir(), key=lambda path: path.stat().st_mtime)]
    return [link for text in texts if f"To: {address}" in text for link in re.findall(r"http://\S+", text)]


def code_of(secret: str) -> str:
    return format_hotp_value(hotp_value(secret, int(time.time()) // 30))


def test_a_guest_that_signs_up_from_the_table_keeps_its_games(page: Page, server: str) -> None:
    table.open_table(page, server, easy_deal().code)
    table.play(page, EASY_MOVES.split(" "), table.tap)
    table.result(page, FEWEST)
    page.locator('#result [value=""]').click()
    page.goto(f"{server}/rules/")
    expect(page.locator(".who")).to_have_text("Guest")
    page.goto(f"{server}/play/")
    table.result(page, FEWEST)
    page.locator('#result [value=""]').click()
    page.locator("#open-menu").click()
    page.locator("#menu [data-account]").click()
    page.locator("main").get_by_role("link", name="Sign up").click()
    expect(page.locator("main")).to_contain_text("All games that you have played as a guest stay yours.")
    fill(page, "Sign up", Name="Keeps Games", Password=PASSWORD)
    table.result(page, FEWEST)  # back at the table, with the same game
    assert table.stored(page) == EASY_MOVES


def test_an_account_is_logged_in_to_on_a_second_browser_and_ended_there_from_the_first(
    page: Page, other: Page, server: str, wrong: list[str]
) -> None:
    sign_up(page, server, "Two Browsers")
    log_in(other, server, "two browsers")
    expect(other.locator(".who")).to_have_text("Two Browsers")
    page.goto(f"{server}/account/sessions/")
    expect(page.locator(".settings li")).to_have_count(2)
    page.get_by_role("button", name="Log out there").click()
    expect(page.locator(".settings li")).to_have_count(1)
    other.reload()
    expect(other.locator(".who")).to_have_text("Log in")


def test_a_player_whose_session_was_ended_is_asked_to_log_in_and_goes_on(
    page: Page, other: Page, server: str, wrong: list[str]
) -> None:
    sign_up(page, server, "Ended Here")
    page.goto(f"{server}/play/?ruleset=T")
    expect(page.locator("main .card").first).to_be_visible()
    log_in(other, server, "Ended Here")
    other.goto(f"{server}/account/sessions/")
    other.get_by_role("button", name="Log out everywhere but here").click()
    expect(other.locator(".settings li")).to_have_count(1)
    page.keyboard.press("n")
    page.locator('#new-game [value="start"]').click()
    expect(page.locator("h1")).to_have_text("Log in")
    fill(page, "Log in", Name="Ended Here", Password=PASSWORD)
    expect(page.locator("main .card").first).to_be_visible()
    wrong[:] = [line for line in wrong if not line.startswith("401 ")]


def test_a_forgotten_password_is_set_anew_by_the_mailed_link(page: Page, server: str, mail: Path) -> None:
    sign_up(page, server, "Forgetful", **{"E-mail address": "forgetful@example.org"})
    page.goto(read_links(mail, "forgetful@example.org")[-1])
    fill(page, "Confirm")
    page.goto(f"{server}/account/e-mail/")
    expect(page.locator(".settings")).to_contain_text("forgetful@example.org confirmed")
    page.goto(f"{server}/account/log-out/")
    fill(page, "Log out")
    expect(page.locator(".who")).to_have_text("Log in")

    page.goto(f"{server}/account/log-in/?next=/rules/")
    page.get_by_role("link", name="Password forgotten?").click()
    fill(page, "Send the mail", **{"E-mail address": "forgetful@example.org"})
    expect(page.locator("h1")).to_have_text("The mail is on its way")
    page.goto(read_links(mail, "forgetful@example.org")[-1])
    new = {"New password": "staple battery horse", "New password, again": "staple battery horse"}
    fill(page, "Set a new password", **new)
    page.locator("main").get_by_role("link", name="Log in").click()
    fill(page, "Log in", Name="forgetful", Password=new["New password"])
    expect(page.locator(".who")).to_have_text("Forgetful")


def test_two_factors_are_turned_on_used_and_turned_off(page: Page, other: Page, server: str) -> None:
    sign_up(page, server, "Two Factors")
    page.goto(f"{server}/account/two-factor/")
    page.get_by_role("link", name="Turn on").click()
    confirm(page)
    expect(page.locator(".qr path")).to_be_visible()
    secret = page.locator(".secret").text_content() or ""
    fill(page, "Turn on", Code=code_of(secret))
    expect(page.locator(".notice")).to_have_text("Two-factor log-in is on.")
    codes = page.locator(".codes li").all_text_contents()
    assert len(set(codes)) == 10

    log_in(other, server, "Two Factors")
    expect(other.locator("h1")).to_have_text("A code, please")
    fill(other, "Log in", Code="000000")
    expect(other.locator(".errorlist")).to_have_text("This code is not right, or was used before.")
    fill(other, "Log in", Code=codes[0])
    expect(other.locator(".who")).to_have_text("Two Factors")

    page.goto(f"{server}/account/two-factor/off/")
    fill(page, "Turn off")
    expect(page.locator(".notice")).to_have_text("Two-factor log-in is off.")


# What the pages look like only in the middle of something; test_health looks at all else


@pytest.mark.parametrize(("language", "scheme"), [("en-GB", "light"), ("de-DE", "dark")])
def test_mistakes_and_the_pages_of_two_factors_are_sound(
    chromium: Browser, server: str, wrong: list[str], language: str, scheme: Scheme
) -> None:
    context = chromium.new_context(locale=language, color_scheme=scheme, viewport=SIZE, reduced_motion="reduce")
    context.set_default_timeout(20_000)
    page = watch(context.new_page(), wrong)
    for name in walk(page, server, f"Mistaken {scheme}"):
        assert not is_too_wide(page), name
        assert find_barriers(page) == [], name
    context.close()


def walk(page: Page, server: str, player: str) -> Iterator[str]:
    """From one such page to the next: their names."""

    def send(**fields: str) -> None:
        for name, text in fields.items():
            page.locator(f"[name={name}]").fill(text)
        page.locator("main form .primary").first.click()
        page.wait_for_load_state()

    page.goto(f"{server}/account/sign-up/")
    send(name="x", password="short")
    expect(page.locator(".errorlist")).to_have_count(2)
    yield "two mistakes"
    send(name=player, password=PASSWORD, email="mistaken@example.org")
    expect(page.locator(".notice")).to_be_visible()
    yield "an account with an address"
    page.goto(f"{server}/account/e-mail/")
    yield "an address"
    page.goto(f"{server}/account/two-factor/on/")
    send(password=PASSWORD)
    secret = page.locator(".secret").text_content() or ""
    yield "the QR code"
    send(code=code_of(secret))
    expect(page.locator(".codes")).to_be_visible()
    yield "recovery codes"
    for path in ("two-factor/", "two-factor/off/", "codes/new/", "confirm/code/"):
        page.goto(f"{server}/account/{path}")
        yield path
    page.goto(f"{server}/account/log-out/")
    send()
    page.goto(f"{server}/account/log-in/")
    send(login=player, password=PASSWORD)
    send(code="000000")
    expect(page.locator(".errorlist")).to_have_count(1)
    yield "a wrong code"
