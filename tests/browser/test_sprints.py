"""Does a sprint's page bring its players through lobby, countdown, rounds and result, whatever happens to the page?"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from playwright.sync_api import Browser, Page, expect

from tests.browser import table
from tests.browser.health import find_barriers, forgive, is_too_wide, watch
from tests.browser.test_live import NO_SOCKETS, Rival, make_race
from tests.players import FEWEST, easy_deal, own_line

# two entries with the very same moves are not both ranked
ADAS, BOBS = own_line(311).split(" "), own_line(407).split(" ")
COUNTDOWN = 20_000  # ms, and something for a busy machine
WRONG_CLOCK = """(() => {
    const {now} = Date, Real = Date, ahead = 5 * 3600_000;
    window.Date = class extends Real {
        constructor(...what) { super(...(what.length ? what : [now() + ahead])); }
        static now() { return now() + ahead; }
    };
})()"""
MOST_STOPS = 40


@contextmanager
def visitor(chromium: Browser, wrong: list[str], script: str = "", **more: Any) -> Iterator[Page]:
    """A watched page of somebody who was never here."""
    context = chromium.new_context(locale="en-GB", reduced_motion="reduce", **more)
    context.set_default_timeout(20_000)
    if script:
        context.add_init_script(script)
    yield watch(context.new_page(), wrong)
    context.close()


def is_at(page: Page, stage: str, timeout: int = COUNTDOWN) -> None:
    expect(page.locator("body")).to_have_attribute("data-stage", stage, timeout=timeout)


def walk_to(page: Page, selector: str) -> None:
    """Press Tab, as somebody does who sees where the focus is."""
    for _ in range(MOST_STOPS):
        if page.evaluate("selector => document.activeElement.matches(selector)", selector):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"Tab does not lead to {selector}.")


def press(page: Page, selector: str) -> None:
    expect(page.locator(selector)).to_be_visible()
    walk_to(page, selector)
    page.keyboard.press("Enter")


def is_sound(page: Page) -> None:
    assert find_barriers(page) == []
    assert not is_too_wide(page)


def told(page: Page, player: str) -> Any:
    return page.locator("#runners li").filter(has=page.get_by_text(player, exact=True)).locator(".told")


def read_name(page: Page) -> str:
    name = page.locator("body").get_attribute("data-player")
    assert name
    return name


def open_lobby(page: Page, server: str) -> str:
    """Make a sprint on the easy deal; the link that invites to it."""
    page.goto(server)
    page.get_by_role("link", name="Race friends").click()
    page.get_by_text("More choices").click()
    page.locator("#make [name=cards][value=deal] + span").click()
    page.get_by_label("Deal code").fill(easy_deal("T").code)
    page.get_by_role("button", name="Open the lobby").click()
    expect(page.locator("#stage-title")).to_have_text("Waiting for players")
    expect(page.locator("#start")).to_be_disabled()
    return page.locator("#link").input_value()


def test_two_race_each_other_one_by_finger_with_a_wrong_clock_one_by_keys_alone(
    chromium: Browser, server: str, wrong: list[str]
) -> None:
    phone = {"viewport": {"width": 360, "height": 640}, "has_touch": True}
    with visitor(chromium, wrong, WRONG_CLOCK, **phone) as ada, visitor(chromium, wrong) as bob:
        link = open_lobby(ada, server)
        is_sound(ada)
        bob.goto(link)
        press(bob, "#join")
        expect(bob.locator("body")).to_have_attribute("data-player", re.compile("Guest"))
        bob.reload()
        press(bob, "#ready")
        expect(ada.locator(".seat.is-ready")).to_have_count(1)
        ada.reload()
        expect(ada.locator("#stage-text")).to_have_text("Everybody is ready: you start it.")
        names = read_name(ada), read_name(bob)
        count_down(ada, bob)
        play(ada, bob, *names)
        end(ada, bob, *names)


def count_down(ada: Page, bob: Page) -> None:
    ada.locator("#start").tap()
    for page in (ada, bob):
        is_at(page, "countdown")
    is_sound(ada)
    bob.reload()
    ada.reload()
    expect(bob.locator("#count")).to_be_visible()
    counts = [int(page.locator("#count").inner_text()) for page in (ada, bob)]
    assert all(0 < count <= 10 for count in counts), "by the server's clock, which is five hours behind Ada's"
    for page in (ada, bob):
        expect(page.locator("main .card").first).to_be_visible(timeout=COUNTDOWN)


def play(ada: Page, bob: Page, ada_is: str, bob_is: str) -> None:
    """Bob begins, and Ada is done before him; each sees it of the other."""
    assert bob.evaluate("document.activeElement.closest('#table') !== null"), "the focus is on the table"
    assert ada.locator("#time").inner_text().startswith("0:0")
    table.play(bob, BOBS[:3], table.press)
    bobs = ada.locator("#ghosts li", has_text=bob_is)
    expect(bobs.locator("[data-part=number]")).to_have_text(str(count_cards(BOBS[:3])))
    is_sound(ada)
    for page in (ada, bob):
        page.reload()
    expect(bobs.locator("[data-part=number]")).to_have_text(str(count_cards(BOBS[:3])))
    table.removed(bob, count_cards(BOBS[:3]))
    table.play(ada, ADAS, table.tap)
    is_at(ada, "finished")
    expect(told(ada, bob_is)).to_have_text(f"{count_cards(BOBS[:3])}/28")
    expect(ada.locator("#count-label")).to_have_text("The round ends in")
    expect(bob.locator("#ghosts li", has_text=ada_is).locator("[data-part=number]")).to_contain_text("1. 0:")
    expect(bob.locator('#status [data-fill="ends"]')).to_contain_text("1:")
    expect(bob.locator("#message")).to_contain_text(f"{ada_is} has won in")
    ada.reload()
    is_at(ada, "finished")
    is_sound(ada)
    table.press(bob, BOBS[3])
    expect(told(ada, bob_is)).to_have_text(f"{count_cards(BOBS[:4])}/28")
    table.play(bob, BOBS[4:], table.press)


def count_cards(tokens: list[str]) -> int:
    return sum(len(table.parts(token)) for token in tokens)


def end(ada: Page, bob: Page, ada_is: str, bob_is: str) -> None:
    """The result, and how the two meet again."""
    for page in (ada, bob):
        is_at(page, "over")
        expect(page.locator("#runners li").first).to_contain_text(ada_is)
        expect(page.locator("#runners li .place")).to_have_text(["1.", "2."])
    expect(ada.locator("#stage-title")).to_have_text("You have won!")
    expect(bob.locator("#stage-title")).to_have_text("Rank 2 of 2")
    bob.reload()
    over = bob.url
    press(bob, "#again")
    bob.wait_for_url(lambda url: url != over)
    expect(bob.locator(".seat")).to_have_count(2)
    expect(ada.locator("#stage-text")).to_have_text("A rematch waits for you.")
    ada.locator("#again").tap()
    ada.wait_for_url(bob.url)
    expect(ada.locator("#start")).to_be_visible()


def test_a_late_comer_waits_plays_the_next_round_and_is_told_of_what_happened_while_cut_off(
    chromium: Browser, server: str, wrong: list[str]
) -> None:
    first, second = Rival(server, "Sprint first"), Rival(server, "Sprint second")
    sprint = first.post("sprints/", {"ruleset": "N", "best_of": 3})["id"]
    second.post(f"sprints/{sprint}/join/", {})
    with visitor(chromium, wrong, NO_SOCKETS) as page:
        page.goto(f"{server}/sprints/")
        page.locator(f'#lobbies [data-sprint="{sprint}"] a').click()
        is_at(page, "lobby")
        first.post(f"sprints/{sprint}/start/", {})
        is_at(page, "countdown")
        is_at(page, "watching")
        page.locator("#join").click()
        expect(page.locator("#stage-text")).to_have_text("You are in from the next round on. Until then you can watch.")
        for rival in (first, second):
            give_up(rival, sprint)
        is_at(page, "between")
        expect(page.locator("#runners li")).to_have_count(2)
        page.context.set_offline(True)
        expect(page.locator("#line")).to_have_text("Not connected. Trying again.")
        first.post(f"sprints/{sprint}/leave/")
        page.context.set_offline(False)
        expect(page.locator("#line")).to_have_text("")
        expect(page.locator("main .card").first).to_be_visible(timeout=3 * COUNTDOWN)
        page.goto(f"{server}/play/")  # where the last game goes on: that of the sprint
        page.wait_for_url(f"**/sprints/{sprint}/")
        expect(page.locator("main .card").first).to_be_visible()
        second.post(f"sprints/{sprint}/leave/")
        page.locator("#open-menu").click()
        page.locator('#menu [value="resign"]').click()
        page.locator('#give-up [value="resign"]').click()
        is_at(page, "over")
        expect(page.locator("#scores .mine")).to_contain_text(read_name(page))
        expect(page.locator("#rounds section")).to_have_count(2)
        is_sound(page)
    forgive(wrong, "net::ERR_INTERNET_DISCONNECTED")


def give_up(rival: Rival, sprint: int) -> None:
    attempt = rival.post(f"sprints/{sprint}/attempts/", {})["id"]
    rival.post(f"attempts/{attempt}/resign/", {})


def test_who_was_silent_is_told_so_and_may_come_back_to_the_lobby(page: Page, server: str, wrong: list[str]) -> None:
    page.goto(f"{server}/sprints/")
    page.get_by_role("button", name="Open the lobby").tap()
    is_at(page, "lobby")
    sprint = page.evaluate("location.pathname.match(/[0-9]+/)[0]")
    host = Rival(server, "Sprint host")
    code = page.evaluate("new URLSearchParams(location.search).get('invite')")
    host.post(f"sprints/{sprint}/join/", {"invite_code": code})
    assert table.ask(page, "POST", f"sprints/{sprint}/leave/")[0] == 200  # as the server does for who is silent
    expect(page.locator("#stage-text")).to_contain_text("Nothing was heard of you for two minutes")
    page.evaluate("history.replaceState(null, '', '?invite=wrong')")
    page.reload()
    page.locator("#join").tap()
    expect(page.locator("#refused")).to_have_text("This is not the sprint's invite code.")
    page.get_by_label("Invite code").fill(code)
    page.locator("#by-code button").tap()
    expect(page.locator("#ready")).to_be_visible()
    page.locator("#leave").tap()
    expect(page.locator("#stage-text")).to_contain_text("You have left this sprint.")
    forgive(wrong, "403 POST")


def test_who_plays_in_a_race_sees_the_others_beside_the_table_as_they_play(page: Page, server: str) -> None:
    race = make_race(server, "Host of the strip")
    page.goto(f"{server}/play/?race={race}")
    page.locator('#before [value="start"]').click()
    expect(page.locator("#ghosts")).to_contain_text("Nobody else is playing right now.")
    before = page.locator("#table").bounding_box()
    rival = Rival(server, "Strip rival")
    rival.enter(race)
    rival.play(0, own_line(101).split(" ")[:3])
    beside = page.locator("#ghosts li", has_text="Strip rival")
    expect(beside.locator("[data-part=number]")).to_have_text(str(count_cards(own_line(101).split(" ")[:3])))
    expect(beside).to_have_class("live first")
    rival.play(3, own_line(101).split(" ")[3:])
    expect(beside.locator("[data-part=number]")).to_contain_text("1. 0:")
    assert page.locator("#table").bounding_box() == before
    assert find_barriers(page) == []
    table.play(page, own_line(77).split(" "), table.tap)
    table.result(page, FEWEST)
