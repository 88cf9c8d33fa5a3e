"""Is practice played without a connection, and is it stored once there is one?"""

import json
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.browser import table
from tests.browser.health import find_barriers, is_too_wide
from tests.engine.both import VECTORS

DEAL = "PY1-C-AAAAAAW"
LINE = (
    "g1g5 g3g6 g4g7 f3f6 f4f5 D D D D D g2W D D e3W D W D D D D D W D D D e5W D f1W D D D e4W d3f2 e2 d2d4 e1W D D D "
    "c3W D W R D D d1W D D D D D D c1W D c2W b1b2 D a1W"
)
# a tap on each card of a move, as fast as the page takes them
TAP = """async (tokens) => {
    for (const token of tokens) {
        if ("DR".includes(token)) document.querySelector(".pile.stock").click();
        const places = "DR".includes(token) ? [] : token.match(/[a-h][0-9]|W/g);
        for (const name of places) document.querySelector(`.card[data-place="${name}"]`).click();
    }
}"""


@pytest.fixture
def device(chromium: Browser) -> Iterator[BrowserContext]:
    """A phone whose browser has service workers."""
    context = chromium.new_context(
        viewport={"width": 360, "height": 640}, locale="en-GB", reduced_motion="reduce", service_workers="allow"
    )
    context.set_default_timeout(20_000)
    yield context
    context.close()


@pytest.fixture
def phone(device: BrowserContext, server: str) -> Page:
    """A page of it that has been visited once, as a guest."""
    page = device.new_page()
    table.open_table(page, server, "PY1-S-AAAAAAS")
    page.evaluate("navigator.serviceWorker.ready.then(() => null)")
    return page


def is_offline(page: Page) -> None:
    expect(page.locator("main .card").first).to_be_visible()
    expect(page.locator("#kind")).to_have_text("Offline practice")


def test_a_game_is_played_to_its_end_without_a_connection_and_stored_when_there_is_one(
    device: BrowserContext, phone: Page, server: str
) -> None:
    device.set_offline(True)
    phone.goto(f"{server}/play/{DEAL}")
    is_offline(phone)
    expect(phone.locator("#message")).to_contain_text("No connection: this is practice, sent later.")
    expect(phone.locator("#code")).to_have_text(DEAL)
    assert not is_too_wide(phone)
    assert find_barriers(phone) == []
    tokens = LINE.split(" ")
    phone.evaluate(TAP, tokens[:5])
    table.removed(phone, 10)
    phone.reload()  # what was played is kept
    is_offline(phone)
    table.removed(phone, 10)
    phone.keyboard.press("h")
    expect(phone.locator("#message")).to_have_text("Hints need a connection.")
    phone.evaluate(TAP, tokens[5:])
    table.result(phone, len(tokens))

    device.set_offline(False)
    expect(phone.locator("#message")).to_have_text("Connected again. Offline games sent: 1")
    status, board = table.ask(phone, "GET", f"deals/{DEAL}/board/?clock=client")
    assert status == 200
    assert [row["moves"] for row in board["rows"]] == [len(tokens)]
    replay = table.ask(phone, "GET", f"replays/{board['rows'][0]['replay']}/")[1]
    assert replay["replay"]["moves"] == LINE
    assert replay["clock"] == "client"
    phone.locator('#result [value="another"]').click()  # and on with the server
    phone.wait_for_url("**/play/PY1-C-*")
    expect(phone.locator("#kind")).to_have_text("Practice")
    assert phone.evaluate("JSON.parse(localStorage.getItem('pyramidion.offline')).waiting") == []


def test_ranked_games_say_that_they_need_a_connection(device: BrowserContext, phone: Page, server: str) -> None:
    device.set_offline(True)
    phone.goto(f"{server}/play/?race=1")  # a daily: what comes is practice, and says so
    is_offline(phone)
    expect(phone.locator("#message")).to_contain_text("Ranked games and dailies need one.")
    phone.keyboard.press("n")
    expect(phone.locator("#new-game")).to_contain_text("Ranked games, dailies and difficulties need a connection.")
    expect(phone.locator("#new-game input[value=ranked]")).to_be_disabled()
    phone.locator('#new-game input[name="code"]').fill("PY0-N-AAAA")
    phone.locator('#new-game [value="start"]').click()
    expect(phone.locator("#new-game-error")).to_have_text("This code needs a connection.")


def test_a_worker_keeps_one_page_of_nobody_and_nothing_of_the_api(phone: Page, server: str) -> None:
    kept = phone.evaluate(
        """async () => {
            const cache = await caches.open((await caches.keys())[0]);
            const paths = (await cache.keys()).map(({url}) => new URL(url).pathname);
            return [await caches.keys(), paths, await (await cache.match("/offline/")).text()];
        }"""
    )
    names, paths, html = kept
    assert len(names) == 1
    assert [path for path in paths if not path.startswith("/static/")] == ["/offline/"]
    assert "data-player" not in html
    assert "csrfmiddlewaretoken" not in html


def test_a_new_version_of_the_files_takes_over_with_the_next_visit(
    device: BrowserContext, phone: Page, server: str
) -> None:
    old = phone.evaluate("caches.keys()")
    # the language is part of the page that is kept, so another one is another version
    phone.locator("#open-menu").click()
    phone.get_by_role("button", name="Deutsch").click()
    expect(phone.locator("main .card").first).to_be_visible()
    expect(phone.locator("html")).to_have_attribute("lang", "de")
    phone.evaluate("navigator.serviceWorker.getRegistration().then((one) => one.update()).then(() => null)")
    for _ in range(50):
        if phone.evaluate("caches.keys()") not in (old, []) and len(phone.evaluate("caches.keys()")) == 1:
            break
        phone.wait_for_timeout(100)
    assert len(phone.evaluate("caches.keys()")) == 1
    assert phone.evaluate("caches.keys()") != old
    device.set_offline(True)
    phone.goto(f"{server}/play/")
    expect(phone.locator("#kind")).to_have_text("Offline-Übung")


def test_a_seed_is_dealt_as_the_server_deals_it(page: Page, server: str) -> None:
    rows = [line.split("\t") for line in (VECTORS / "deal-codes.tsv").read_text().splitlines()[1:]]
    page.goto(f"{server}/offline/")
    wrong = page.evaluate(
        """async (rows) => {
            const { dealCards } = await import("/static/games/dealing.js");
            const wrong = [];
            for (const [letters, , jokers, cards] of rows) {
                if ((await dealCards(letters, Number(jokers))).join(" ") !== cards) wrong.push(letters);
            }
            return wrong;
        }""",
        rows,
    )
    assert len(rows) > 10
    assert wrong == []


def test_the_site_can_be_installed(page: Page, server: str) -> None:
    page.goto(server)
    address = page.locator("link[rel=manifest]").get_attribute("href")
    manifest = json.loads(page.evaluate("async (path) => await (await fetch(path)).text()", address))
    assert (manifest["start_url"], manifest["display"]) == ("/play/", "standalone")
    assert {icon["purpose"] for icon in manifest["icons"]} == {"any", "maskable"}
    for icon in manifest["icons"]:
        size = page.evaluate(
            "async (src) => { const image = new Image(); image.src = src; await image.decode(); return image.width; }",
            icon["src"],
        )
        assert f"{size}x{size}" == icon["sizes"]
