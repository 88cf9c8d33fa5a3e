"""Does the table say and do what a player expects of it, step by step?"""

import re

from playwright.sync_api import Page, expect

from tests.browser.table import find_dead_end, moves, open_table, place, play, press, removed


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
    moves(page, 0)
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


def test_a_dead_end_is_said_and_undo_leads_out_of_it(page: Page, server: str) -> None:
    code = "PY1-A-AAAAAAB"
    tokens = find_dead_end(code)
    open_table(page, server, code)
    play(page, tokens, press)
    expect(page.locator("#stuck h2")).to_have_text("No move is left.")
    page.locator('#stuck [value="undo"]').click()
    expect(page.locator("#stuck")).to_be_hidden()
    expect(page.locator("#message")).to_have_text("Taken back.")
    moves(page, len(tokens))
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


def test_the_language_is_switched_in_the_middle_of_a_game(page: Page, server: str) -> None:
    open_table(page, server, "PY1-T-AAAAAAC")
    place(page, "S").drag_to(page.locator(".pile.waste"))
    page.locator("#open-menu").click()
    page.locator("#menu .languages button", has_text="Deutsch").click()
    expect(page.locator("#ruleset")).to_have_text("Drei Durchgänge")
    expect(page.locator("#code")).to_have_text("PY1-T-AAAAAAC")
    moves(page, 1)
