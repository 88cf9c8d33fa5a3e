"""Is a game watched as it was played: step by step, at its own pace, and beside another?"""

import re

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser import table
from tests.browser.health import find_barriers, forgive, is_too_wide, watch
from tests.players import EASY_MOVES, easy_deal

DEAL = easy_deal("B").code
PLIES = len(EASY_MOVES.split(" "))


def submit(page: Page, moves: str = EASY_MOVES, *, pause: int = 1000, deal: str = DEAL) -> int:
    """Send a game of the page's player with a move every `pause` ms; its number."""
    count = len(moves.split(" "))
    body = {
        "format": "pyramid-replay/1",
        "deal": deal,
        "moves": moves,
        "times": [pause * (n + 1) for n in range(count)],
    }
    status, answer = table.ask(page, "POST", "replays/", body)
    assert status in (200, 201), answer
    return answer["id"]


@pytest.fixture
def guest(page: Page, server: str) -> Page:
    """Somebody who has begun to play something else."""
    table.open_table(page, server, "PY1-S-AAAAAAS")
    return page


def open_replay(page: Page, server: str, path: str) -> None:
    page.goto(f"{server}/replays/{path}")
    expect(page.locator("#side-0 .card").first).to_be_visible()


def stands(page: Page, ply: int, plies: int = PLIES) -> None:
    """The page shows so many tokens, and its address says so."""
    expect(page.locator("#ply")).to_have_text(f"{ply}/{plies}")
    expect(page).to_have_url(re.compile(f"#ply={ply}$"))


def removed(page: Page, count: int, side: int = 0) -> None:
    expect(page.locator(f"#side-{side} [data-part=removed]")).to_have_text(f"{count}/28")


def test_a_game_is_stepped_through_by_buttons_keys_and_slider(guest: Page, server: str) -> None:
    game = submit(guest)
    open_replay(guest, server, f"{game}/")
    expect(guest.locator(".checked")).to_contain_text(f"Checked by the server: {PLIES} moves, won")
    expect(guest.locator(".checked")).to_contain_text("0:16.00")
    stands(guest, 0)
    guest.locator("#forward").click()
    stands(guest, 1)
    removed(guest, 2)
    expect(guest.locator("#told")).to_contain_text("removed. 26 left.")
    guest.keyboard.press("ArrowRight")
    removed(guest, 4)
    guest.keyboard.press("ArrowLeft")
    guest.keyboard.press("ArrowLeft")
    stands(guest, 0)
    expect(guest.locator("#told")).to_have_text("The start: no card has been played.")
    guest.keyboard.press("End")
    stands(guest, PLIES)
    removed(guest, 28)
    expect(guest.locator("#clock")).to_have_text("0:16.00")
    expect(guest.locator("#forward")).to_be_disabled()
    guest.keyboard.press("Home")
    guest.locator("#scrub").fill("5")
    stands(guest, 5)


def test_the_address_of_a_ply_leads_to_it(guest: Page, server: str) -> None:
    game = submit(guest)
    for address in (f"{game}/#ply=3", f"{game}/?ply=3"):
        guest.goto("about:blank")
        open_replay(guest, server, address)
        stands(guest, 3)
        removed(guest, 6)
    assert guest.evaluate("location.search") == ""
    open_replay(guest, server, f"{game}/#ply=99")
    stands(guest, PLIES)


def test_a_game_plays_at_its_own_pace_or_faster_and_long_pauses_are_shortened(guest: Page, server: str) -> None:
    guest.clock.install()
    game = submit(guest, pause=5000)
    open_replay(guest, server, f"{game}/")
    guest.clock.pause_at(guest.evaluate("Date.now() + 1000"))
    guest.keyboard.press("Space")
    expect(guest.locator("#play")).to_have_accessible_name("Stop (Space)")
    guest.clock.run_for(2900)
    removed(guest, 0)
    guest.clock.run_for(200)  # a pause of five seconds takes three
    removed(guest, 2)
    guest.locator("#shorten").uncheck()
    guest.clock.run_for(4500)
    removed(guest, 2)
    guest.clock.run_for(500)
    removed(guest, 4)
    guest.keyboard.press("5")  # sixteen times as fast: five seconds in a third of one
    expect(guest.locator("[data-speed='16']")).to_have_attribute("aria-pressed", "true")
    guest.clock.run_for(350)
    removed(guest, 6)
    guest.locator("#play").click()
    guest.clock.run_for(5000)
    removed(guest, 6)
    guest.keyboard.press("Space")
    guest.clock.run_for(30_000)
    removed(guest, 28)
    expect(guest.locator("#play")).to_have_accessible_name("Play (Space)")


def test_two_games_stand_beside_each_other_on_one_clock(guest: Page, server: str, wrong: list[str]) -> None:
    slow, fast = submit(guest, pause=2000), submit(guest, f"D U {EASY_MOVES}", pause=500)
    open_replay(guest, server, f"{slow}/?beside={fast}")
    guest.keyboard.press("ArrowRight")
    removed(guest, 0)
    expect(guest.locator("#side-1 [data-part=moves]")).to_have_text("1")
    guest.evaluate("location.hash = 'ply=1'")
    removed(guest, 2)
    removed(guest, 2, side=1)  # a draw, its undo and a pair before the first two seconds are over
    guest.keyboard.press("End")
    removed(guest, 28)
    removed(guest, 28, side=1)
    assert not is_too_wide(guest)
    assert find_barriers(guest) == []

    other = submit(guest, "g2", deal="PY1-N-AAAAAAS")
    guest.goto(f"{server}/replays/{slow}/?beside={other}")
    expect(guest.locator("h1")).to_contain_text("Only games of the same deal")
    guest.goto(f"{server}/replays/{slow}/?beside=par")
    expect(guest.locator("h1")).to_contain_text("Par of a deal is shown")  # nobody has asked the solver
    guest.goto(f"{server}/replays/{slow}/?beside=rubbish")
    forgive(wrong, "404 GET")


def test_the_result_of_a_daily_leads_to_the_game_and_to_par_beside_it(
    chromium: Browser, page: Page, server: str, wrong: list[str]
) -> None:
    page.goto(f"{server}/daily/M/")
    race = page.url.split("/")[-2]
    status, attempt = table.ask(page, "POST", f"races/{race}/attempts/", {"guest": True})
    assert status == 201
    table.ask(page, "POST", f"attempts/{attempt['id']}/moves/", {"from_ply": 0, "moves": EASY_MOVES})
    page.goto(f"{server}/play/?attempt={attempt['id']}")
    table.result(page, PLIES)
    page.locator("#to-replay").click()
    expect(page.locator("h1")).to_contain_text("Guest")
    page.locator("#beside").select_option("par")
    page.wait_for_url("**/?beside=par*")
    page.keyboard.press("End")
    removed(page, 28, side=1)
    expect(page.locator("#side-1 h2")).to_have_text("A shortest way")

    address = page.url
    stranger = chromium.new_context(locale="de-DE")
    other = watch(stranger.new_page(), wrong)
    other.goto(address)
    expect(other.locator("h1")).to_contain_text("Diese Partie kann man ansehen, sobald man die eigene")
    stranger.close()
    forgive(wrong, "404 GET")


def test_a_game_that_is_played_is_watched_by_nobody_else(
    chromium: Browser, guest: Page, server: str, wrong: list[str]
) -> None:
    number = table.attempt_of(guest)
    open_replay(guest, server, f"{number}/")  # one's own: as far as it has come
    stranger = chromium.new_context(locale="en-GB")
    other = watch(stranger.new_page(), wrong)
    other.goto(f"{server}/replays/{number}/")
    expect(other.locator("h1")).to_contain_text("This game is still played")
    other.goto(f"{server}/replays/999999999/")
    expect(other.locator("h1")).to_contain_text("There is no replay here")
    stranger.close()
    forgive(wrong, "404 GET")
