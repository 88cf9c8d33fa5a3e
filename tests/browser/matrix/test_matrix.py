"""Every page and state at every size, in every language and theme, and a game by every input: `make test-pages`.

Too slow for `make test`. It leaves pictures for a person to look at: PAGES_DIR/state/size-language-theme.png.
"""

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser import table
from tests.browser.health import find_barriers, forgive, is_too_wide, settle, watch
from tests.players import EASY_MOVES, FEWEST, easy_deal
from tests.site.servers import ROOT

FOLDER = Path(os.environ.get("PAGES_DIR") or ROOT / ".data/pages")
SIZES = {"360x640": True, "390x844": True, "768x1024": True, "1440x900": False, "640x360": True}  # a finger or a mouse
JUDGED = ("360x640", "1440x900")  # by axe, which takes longer than all else
SCREENS = list(product(SIZES, ("en", "de"), ("light", "dark")))
MOVES = EASY_MOVES.split(" ")
EASY = easy_deal("T").code
PAGES = {
    "home": "/",
    "rulesets": "/rules/",
    "rules-tower": "/rules/tower/",
    "rules-giza": "/rules/giza/",
    "sprints": "/sprints/",
    "sprint-over": "/sprints/2/",
    "account": "/account/",
    "account-log-in": "/account/log-in/",
    "account-sign-up": "/account/sign-up/",
    "races": "/races/",
    "race": "/races/1/",
    "daily": "/daily/T/",
    "result": "/results/1/",
    "replay": "/replays/1/",
    "replays-beside": "/replays/1/?beside=2",
    "boards": "/boards/",
    "board": "/boards/D/",
    "board-of-a-deal": "/boards/deals/PY1-N-AAAAAAS/?clock=client",
    "season": "/seasons/2026-11/",
    "calendar": "/calendar/",
    "player": "/players/Rival%20Ada/",
}
# of who has signed up
OWN = {
    "me": "/players/me/",
    "clubs": "/clubs/",
    "account-own": "/account/",
    "account-reports": "/account/reports/",
    "account-delete": "/account/delete/",
    "account-password": "/account/password/",
    "account-e-mail": "/account/e-mail/",
    "account-sessions": "/account/sessions/",
    "account-tokens": "/account/tokens/",
    "account-two-factor": "/account/two-factor/on/",
}
TABLES: dict[str, tuple[str, list[str], str]] = {  # deal, moves, the card that is chosen then
    "table-new": ("PY1-T-AAAAAAS", [], ""),
    "table-chosen": ("PY1-N-AAAAAAS", ["g2", "D", "D"], "g3"),
    "table-open-stock": ("PY1-S-AAAAABY", ["g1g3", "D", "D"], "S"),
    "table-giza": ("PY1-G-AAAAAAW", ["g3g6", "g4g7", "f6h7"], "g1"),
    "table-joker": ("PY1-J-AAAAAAC", ["g1g3", "D"], "g4"),
    "table-last-pass": ("PY1-A-AAAAAAB", ["D"] * 24, ""),
    "table-points": ("PY1-M-AAAAAAC", ["D"] * 24, ""),
}
WAYS: dict[str, Callable[[Page, str], None]] = {"mouse": table.click, "touch": table.tap, "keys": table.press}
# what lies outside the window and cannot be reached by scrolling: cards, tools, windows, their buttons
OUTSIDE = """() => [...document.querySelectorAll("main .card, .table-bar *, nav.tools button, dialog[open]")]
    .filter(one => one.checkVisibility({visibilityProperty: true}) && !one.closest("svg") && !one.inert)
    .filter(one => {
        const {left, top, right, bottom} = one.getBoundingClientRect();
        return left < -1 || top < -1 || right > innerWidth + 1 || bottom > innerHeight + 1;
    }).map(one => one.outerHTML.slice(0, 120))"""

# what does not show all of its text
CUT = """() => [...document.querySelectorAll("main button:not(.card), nav.tools button, #message, dialog[open] button")]
    .filter(one => one.checkVisibility() && one.innerText)
    .filter(one => one.scrollWidth > one.clientWidth + 1 || one.scrollHeight > one.clientHeight + 1)
    .map(one => one.outerHTML.slice(0, 120))"""


@dataclass
class Screen:
    """A page of some size, language and theme, whose states are checked and photographed."""

    page: Page
    server: str
    name: str

    def open(self, path: str) -> None:
        self.page.goto(self.server + path)
        settle(self.page)

    def look(self, state: str) -> None:
        """Check what is there, and keep a picture of it."""
        page = self.page
        assert not is_too_wide(page), state
        is_table = page.locator("main#table").count() > 0
        if is_table:
            assert page.evaluate(OUTSIDE) == [], state
            assert page.evaluate(CUT) == [], state
        if self.name.startswith(JUDGED):
            assert find_barriers(page) == [], state
        page.mouse.move(1, 1)
        (FOLDER / state).mkdir(parents=True, exist_ok=True)
        page.screenshot(path=FOLDER / state / f"{self.name}.png", full_page=not is_table)


@pytest.fixture(params=SCREENS, ids="-".join)
def screen(request: pytest.FixtureRequest, chromium: Browser, server: str, wrong: list[str]) -> Iterator[Screen]:
    size, language, scheme = request.param
    context = open_profile(chromium, size, locale=language, color_scheme=scheme)
    yield Screen(watch(context.new_page(), wrong), server, "-".join(request.param))
    context.close()


def open_profile(chromium: Browser, size: str, **more: Any) -> Any:
    width, height = map(int, size.split("x"))
    return chromium.new_context(
        viewport={"width": width, "height": height}, has_touch=SIZES[size], reduced_motion="reduce", **more
    )


def test_pages(screen: Screen, wrong: list[str]) -> None:
    for state, path in PAGES.items():
        screen.open(path)
        screen.look(state)
    screen.open("/rules/nothing/")
    screen.look("nothing-here")
    forgive(wrong, "404 GET")


def test_own_pages(screen: Screen) -> None:
    page = screen.page
    screen.open("/account/sign-up/")
    page.locator("[name=name]").fill(f"Own {screen.name}"[:24])
    page.locator("[type=password]").fill("correct horse battery")
    page.locator("main form button").click()
    page.wait_for_url(lambda url: "sign-up" not in url)
    for state, path in OWN.items():
        screen.open(path)
        screen.look(state)


def test_tables(screen: Screen) -> None:
    for state, (code, moves, chosen) in TABLES.items():
        screen.open(f"/play/{code}")
        table.play(screen.page, moves, table.press)
        if chosen:
            table.place(screen.page, chosen).click()
        screen.look(state)


def test_windows(screen: Screen) -> None:
    page = screen.page
    screen.open("/play/PY1-S-AAAAAAS")
    for state, opener in {"new-game": "#new", "menu": "#open-menu", "rules": "#show-rules"}.items():
        page.locator(opener).click()
        look_at_window(screen, state)
    page.keyboard.press("?")
    look_at_window(screen, "keys")
    page.locator("#open-menu").click()
    page.locator('#menu [value="resign"]').click()
    look_at_window(screen, "give-up")


def look_at_window(screen: Screen, state: str) -> None:
    expect(screen.page.locator(f"#{state}")).to_be_visible()
    screen.look(f"window-{state}")
    screen.page.keyboard.press("Escape")


def test_ends(screen: Screen, wrong: list[str]) -> None:
    page = screen.page
    screen.open("/")
    page.locator("#dailies .tile a").first.click()
    expect(page.locator("#before")).to_be_visible()
    screen.look("window-before")
    code = "PY1-A-AAAAAAB"
    screen.open(f"/play/{code}")
    table.play(page, table.find_dead_end(code), table.press)
    expect(page.locator("#stuck")).to_be_visible()
    screen.look("window-stuck")
    screen.open(f"/play/{EASY}")
    page.route("**/moves/", lambda route: route.abort("connectionreset"))
    table.play(page, MOVES[:4], table.press)
    expect(page.locator("#offline")).to_be_visible()
    screen.look("table-not-connected")
    page.unroute("**/moves/")
    table.play(page, MOVES[4:], table.press)
    table.result(page, FEWEST)
    screen.look("window-result")
    forgive(wrong, "net::ERR_CONNECTION_RESET POST")


@pytest.mark.parametrize(
    ("size", "way"), [(size, way) for size, touch in SIZES.items() for way in WAYS if touch or way != "touch"]
)
def test_a_game_is_won(chromium: Browser, server: str, wrong: list[str], size: str, way: str) -> None:
    context = open_profile(chromium, size, locale="en")
    page = watch(context.new_page(), wrong)
    table.open_table(page, server, EASY)
    table.play(page, ["D", "U", *MOVES], WAYS[way])
    table.result(page, FEWEST + 1)
    assert table.stored(page) == f"D U {EASY_MOVES}"
    context.close()
