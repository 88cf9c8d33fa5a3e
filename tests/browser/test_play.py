"""Does a person get through a game in the browser, by every way of playing, and whatever happens on the way?"""

import json
import re
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from games.engine.deal import Deal
from games.engine.moves import canonical
from games.engine.position import Position
from games.engine.rulesets import RULESETS
from tests.engine.both import read_rows
from tests.players import EASY_MOVES, easy_deal

MOVES = EASY_MOVES.split(" ")
CODE = easy_deal("T").code
RANKS = {"en-GB": ("J", "Three passes"), "de-DE": ("B", "Drei Durchgänge")}


def open_table(page: Page, server: str, path: str = "") -> None:
    page.goto(f"{server}/play/{path or CODE}")
    expect(page.locator(".card")).to_have_count(52)


def place(page: Page, name: str) -> Any:
    return page.locator(f'.card[data-place="{name}"]')


def parts(token: str) -> list[str]:
    return re.findall("[a-h][0-9]|S|W", token)


def tap(page: Page, token: str) -> None:
    """A move, by a finger."""
    for name in parts(token):
        place(page, name).tap()


def removed(page: Page, count: int) -> None:
    expect(page.locator('[data-fill="removed"]').first).to_have_text(f"{count}/28")


def wins(page: Page) -> None:
    expect(page.locator("#result")).to_be_visible()
    expect(page.locator('#result [data-fill="moves"]')).to_have_text("16")
    expect(page.locator('#result [data-fill="rank"]')).to_contain_text("Rank")


def stored_moves(page: Page) -> str:
    """What the server holds of the game on the table."""
    return page.evaluate(
        """async () => {
            const {id} = JSON.parse(localStorage.getItem("pyramidion.attempt"));
            const {call} = await import("/static/games/server.js");
            return (await call("GET", `attempts/${id}/`)).replay.moves;
        }"""
    )


def test_a_guest_wins_by_tapping_on_a_phone(page: Page, server: str) -> None:
    open_table(page, server)
    assert page.evaluate("document.documentElement.scrollHeight <= 640 && document.documentElement.scrollWidth <= 360")
    for token in MOVES:
        tap(page, token)
    wins(page)
    page.reload()  # the result is still there, and no new game has begun
    wins(page)


PLAY = """tokens => {
    const press = key => document.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true}));
    for (const token of tokens) {
        if ("DRU".includes(token)) press(token.toLowerCase());
        else for (const place of token.match(/[a-h][0-9]|S|W/g))
            document.querySelector(`.card[data-place="${place}"]`).click();
    }
}"""


def read_wins() -> dict[str, tuple[str, list[str], dict[str, Any]]]:
    """A won game of each ruleset, with more kinds of moves than pairs of the tableau, and as short as can be."""
    wins: dict[str, list[tuple[str, list[str], dict[str, Any]]]] = {letter: [] for letter in RULESETS}
    for _, (code, moves, _times, text) in read_rows("more-games.tsv"):
        verdict = json.loads(text)
        if verdict.get("outcome") == "won":
            wins[code[4]].append((code, moves.split(" "), verdict))
    return {letter: min(games, key=lambda game: rate_game(game[1])) for letter, games in wins.items()}


def rate_game(tokens: list[str]) -> tuple[int, int]:
    return -min(2, len(set(re.findall("[DRUSWh]", " ".join(tokens))))), len(tokens)


def test_a_game_of_every_ruleset_is_won_on_the_table_as_it_is_by_the_server(page: Page, server: str) -> None:
    wins = read_wins()
    assert len(wins) == 16
    for code, tokens, verdict in wins.values():
        page.goto(f"{server}/play/{code}")
        expect(page.locator("#kind")).to_have_text("Practice")
        page.evaluate(PLAY, tokens)
        expect(page.locator("#result")).to_be_visible()
        expect(page.locator('#result [data-fill="moves"]')).to_have_text(str(verdict["moves"]))
        assert stored_moves(page) == " ".join(map(canonical, tokens))


def test_dragging_removes_pairs_and_kings(page: Page, server: str) -> None:
    open_table(page, server)
    count = 0
    for token in MOVES[:5]:
        names = parts(token)
        target = place(page, names[1]) if len(names) == 2 else page.locator(".pile.foundation")
        place(page, names[0]).drag_to(target)
        count += len(names)
        removed(page, count)
    place(page, "S").drag_to(page.locator(".pile.waste"))
    expect(page.locator("#message")).to_contain_text("Drawn")


def test_a_finger_drags_a_card_onto_its_partner(page: Page, server: str) -> None:
    open_table(page, server, "PY1-N-AAAAAAS")
    ends = [place(page, name).bounding_box() for name in ("g3", "g1")]
    (x, y), (to_x, to_y) = [(box["x"] + 20, box["y"] + 20) for box in ends if box]
    finger = page.context.new_cdp_session(page)

    def touch(kind: str, *points: tuple[float, float]) -> None:
        touches = [{"x": x, "y": y} for x, y in points]
        finger.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": touches})

    touch("touchStart", (x, y))
    for step in range(1, 6):
        touch("touchMove", (x + (to_x - x) * step / 5, y + (to_y - y) * step / 5))
    touch("touchEnd")
    removed(page, 2)


def test_a_whole_game_by_keyboard_alone(page: Page, server: str) -> None:
    open_table(page, server)
    page.keyboard.press("d")
    page.keyboard.press("u")
    for token in MOVES:
        for name in parts(token):
            for _ in range(12):
                if page.evaluate("document.activeElement.dataset.place") == name:
                    break
                page.keyboard.press("ArrowRight")
            page.keyboard.press("Enter" if name < "e" else "Space")
    expect(page.locator("#result")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("#result")).to_be_hidden()


def test_refusals_cost_nothing_and_say_why(page: Page, server: str) -> None:
    open_table(page, server, "PY1-N-AAAAAAS")
    said = page.locator("#message")
    place(page, "g5").click()
    place(page, "g7").click()
    expect(said).to_have_text("The sum must be 13.")
    expect(place(page, "g7")).to_have_class(re.compile("selected"))
    place(page, "f6").click()
    expect(said).to_have_text("Another card blocks this card.")
    page.keyboard.press("r")
    expect(said).to_have_text("Redeal only when the stock is empty.")
    page.keyboard.press("u")
    expect(said).to_have_text("There is nothing to undo.")
    expect(page.locator('[data-fill="moves"]').first).to_have_text("0")
    assert place(page, "f6").get_attribute("aria-label") == (
        "Queen of clubs, row 6, card 6, covered by 5 of diamonds and 7 of clubs"
    )
    place(page, "g2").click()
    expect(said).to_have_text("King of diamonds removed. 27 left.")


def test_a_code_in_the_window_for_a_new_game_and_enter_deal_it(page: Page, server: str) -> None:
    open_table(page, server, "PY1-N-AAAAAAS")
    page.keyboard.press("n")
    code = page.locator('#new-game input[name="code"]')
    code.fill("py1 g aaaaaas")
    code.press("Enter")
    expect(page.locator("#ruleset")).to_have_text("Giza")
    expect(page.locator("#code")).to_have_text("PY1-G-AAAAAAS")
    place(page, "g1").click()
    place(page, "h7").click()
    removed(page, 1)
    page.reload()
    removed(page, 1)


def lose(code: str) -> list[str]:
    """The tokens to a dead end: drawing as long as that can be, then removing what can be removed."""
    position, tokens = Position.start(Deal.from_code(code)), []
    while moves := position.legal_moves():
        tokens.append("D" if "D" in moves else moves[0])
        position = position.play(tokens[-1])
    assert position.is_dead_end
    return tokens


def test_a_dead_end_is_said_and_undo_leads_out_of_it(page: Page, server: str) -> None:
    code = "PY1-A-AAAAAAB"
    tokens = lose(code)
    page.goto(f"{server}/play/{code}")
    expect(page.locator(".card")).to_have_count(52)
    page.evaluate(PLAY, tokens)
    expect(page.locator("#stuck h2")).to_have_text("No move is left.")
    page.locator('#stuck [value="undo"]').click()
    expect(page.locator("#stuck")).to_be_hidden()
    expect(page.locator("#message")).to_have_text("Taken back.")
    expect(page.locator('[data-fill="moves"]').first).to_have_text(str(len(tokens)))
    page.keyboard.press("n")
    page.keyboard.press("Escape")
    page.locator("#open-menu").click()
    page.locator('#menu [value="resign"]').click()
    page.locator('#give-up [value="resign"]').click()
    expect(page.locator("#result h2")).to_have_text("Given up")


def test_partners_light_up_and_a_second_tap_deselects(page: Page, server: str) -> None:
    open_table(page, server, "PY1-N-AAAAAAS")
    place(page, "g3").click()
    expect(page.locator(".card.partner")).to_have_count(1)
    expect(place(page, "g1")).to_have_class(re.compile("partner"))
    place(page, "g3").click()
    expect(page.locator(".card.partner, .card.selected")).to_have_count(0)


def test_an_empty_stock_is_redealt_by_a_tap(page: Page, server: str) -> None:
    open_table(page, server, "PY1-B-AAAAAAC")
    page.locator(".pile.stock").click()
    for _ in range(23):
        page.keyboard.press("d")
    expect(page.locator(".pile.stock")).to_have_class(re.compile("empty"))
    page.locator(".pile.stock").click()
    expect(page.locator("#pass")).to_have_text("Pass 2 of 3")


def test_a_hint_lifts_a_move_and_makes_it_assisted(page: Page, server: str) -> None:
    open_table(page, server, "PY1-N-AAAAAAS")
    page.locator("#hint").click()
    expect(page.locator(".card.hint, .pile.hint").first).to_be_visible()
    expect(page.locator("#message")).to_have_text("King of diamonds can leave alone.")
    expect(page.locator("#kind")).to_have_text("Practice with hints")


def test_a_cut_connection_loses_and_doubles_nothing(page: Page, server: str, wrong: list[str]) -> None:
    cut = {"on": True}
    lost: list[str] = []

    def maybe_lose(route: Any) -> None:
        """Every other call arrives and its answer does not."""
        if not cut["on"]:
            route.continue_()
            return
        lost.append(route.request.post_data or "")
        if len(lost) % 2:
            route.fetch()
        route.fulfill(status=503, json={"code": "busy", "detail": "Away.", "where": None})

    open_table(page, server, "PY1-T-AAAAAAW")
    page.route("**/moves/", maybe_lose)
    tap(page, "g3g6")
    expect(page.locator("#offline")).to_be_visible()
    tap(page, "g4g7")
    tap(page, "g1g5")
    expect(page.locator('[data-fill="removed"]').first).to_have_text("6/28")
    page.reload()  # what was not sent outlives a reload
    removed(page, 6)
    cut["on"] = False
    expect(page.locator("#offline")).to_be_hidden()
    for _ in range(40):
        if stored_moves(page) == "g3g6 g4g7 g1g5":
            break
        page.wait_for_timeout(250)
    assert stored_moves(page) == "g3g6 g4g7 g1g5"
    assert len(lost) >= 2
    assert all("503" in line for line in wrong)
    wrong.clear()


def test_a_move_that_the_server_refuses_is_taken_back(page: Page, server: str, wrong: list[str]) -> None:
    open_table(page, server, "PY1-M-AAAAAAS")
    refusal = {"code": "sum", "detail": "Not so.", "where": "moves", "legal": False, "at": 1, "token": "g1g3"}

    def refuse_second(route: Any) -> None:
        if "g1g3" in (route.request.post_data or ""):
            route.fulfill(status=422, json=refusal | {"reason": "sum"})
        else:
            route.continue_()

    page.route("**/moves/", refuse_second)
    tap(page, "g2")
    removed(page, 1)
    expect(page.locator("#undo")).not_to_have_class(re.compile("dim"))
    page.wait_for_timeout(300)
    tap(page, "g3")
    tap(page, "g1")
    expect(page.locator("#message")).to_have_text("Not so.")
    removed(page, 1)
    expect(place(page, "g1")).to_be_visible()
    assert len(wrong) == 1
    assert "422" in wrong.pop()


def test_a_player_signs_up_enters_the_daily_and_stands_on_its_board(page: Page, server: str) -> None:
    page.goto(server)
    page.locator("#dailies a.button").first.click()
    page.locator('#before [value="account"]').click()
    page.locator('#account input[name="name"]').fill("Daily Ada")
    page.locator('#account input[name="password"]').fill("correct horse battery")
    page.locator('#account [value="sign-up"]').click()
    page.locator('#before [value="start"]').click()
    expect(page.locator("#kind")).to_have_text("Daily")
    for token in MOVES:
        tap(page, token)
    expect(page.locator("#result")).to_be_visible()
    expect(page.locator('#result [data-fill="rank"]')).to_contain_text("Rank 1 of 1 in this race")
    expect(page.locator('#result [data-fill="par"]')).to_have_text("Exactly par: no game can be shorter.")
    page.goto(server)
    expect(page.locator("#dailies ol")).to_contain_text("Daily Ada")
    expect(page.locator("#dailies a.button").first).to_have_text("Look")

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


def test_the_language_is_switched_in_the_middle_of_a_game(page: Page, server: str) -> None:
    open_table(page, server, "PY1-T-AAAAAAC")
    place(page, "S").drag_to(page.locator(".pile.waste"))
    page.locator("#open-menu").click()
    page.locator("#menu .languages button", has_text="Deutsch").click()
    expect(page.locator("#ruleset")).to_have_text("Drei Durchgänge")
    expect(page.locator("#code")).to_have_text("PY1-T-AAAAAAC")
    expect(page.locator('[data-fill="moves"]').first).to_have_text("1")


@pytest.mark.parametrize(("language", "scheme"), [("en-GB", "light"), ("de-DE", "dark")])
def test_every_page_opens_without_an_error_in_either_language_and_theme(
    chromium: Browser, server: str, language: str, scheme: Any
) -> None:
    context = chromium.new_context(locale=language, color_scheme=scheme, viewport={"width": 360, "height": 640})
    page = context.new_page()
    wrong: list[str] = []
    page.on("console", lambda message: wrong.append(message.text))
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("response", lambda answer: wrong.append(answer.url) if answer.status >= 400 else None)
    knave, name = RANKS[language]
    for path in ("/", "/rules/", "/rules/tower/", "/rules/giza/", "/play/PY1-G-AAAAAAS", "/play/PY1-T-AAAAAAS"):
        page.goto(server + path)
        page.wait_for_load_state("networkidle")
        assert page.evaluate("document.documentElement.scrollWidth") <= 360, path
    expect(page.locator("#ruleset")).to_have_text(name)
    expect(place(page, "g4").locator("text")).to_have_text(knave)
    context.close()
    assert wrong == []


@pytest.mark.parametrize(
    ("scheme", "paths", "windows"),
    [("light", ["/", "/rules/joker/"], ["new", "open-menu", "show-rules"]), ("dark", ["/rules/"], ["new"])],
)
def test_axe_finds_nothing_to_mend_for_who_cannot_see_well(
    chromium: Browser, server: str, scheme: Any, paths: list[str], windows: list[str]
) -> None:
    context = chromium.new_context(
        locale="en-GB", color_scheme=scheme, viewport={"width": 360, "height": 640}, bypass_csp=True
    )
    page = context.new_page()

    def look(name: str) -> None:
        found = Axe().run(page).response["violations"]
        assert [(name, one["id"], one["nodes"][0]["html"]) for one in found] == []

    for path in (*paths, "/play/PY1-S-AAAAAAS"):
        page.goto(server + path)
        page.wait_for_load_state("networkidle")
        look(path)
    for window in windows:
        page.locator(f"#{window}").click()
        expect(page.locator("dialog[open]")).to_be_visible()
        look(window)
        page.keyboard.press("Escape")
    place(page, "g5").click()
    place(page, "f1").click()
    look("a refusal")
    context.close()


def test_the_pages_forbid_code_and_style_that_is_not_in_files(page: Page, server: str) -> None:
    answer = page.goto(f"{server}/play/{CODE}")
    assert answer is not None
    policy = answer.headers["content-security-policy"]
    assert "unsafe" not in policy
    assert "script-src 'self'" in policy
