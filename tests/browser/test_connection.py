"""What becomes of moves where the server is away, or stands elsewhere than the table?"""

from pathlib import Path
from typing import Any

from playwright.sync_api import BrowserContext, Page, expect

from tests.browser.conftest import prepare_site
from tests.browser.health import forgive
from tests.browser.table import (
    ask,
    attempt_of,
    click,
    moves,
    open_table,
    place,
    play,
    press,
    removed,
    result,
    stored,
    tap,
    wait_until_stored,
)
from tests.players import EASY_MOVES, FEWEST, easy_deal
from tests.site.servers import serve

MOVES = EASY_MOVES.split(" ")
EASY = easy_deal("T").code


def cut_off(page: Page) -> None:
    """The page says that it is not connected."""
    expect(page.locator("#offline")).to_be_visible()
    expect(page.locator("#message")).to_be_visible()


def connected(page: Page) -> None:
    expect(page.locator("#offline")).to_be_hidden()


def test_lost_calls_and_lost_answers_lose_and_double_nothing(page: Page, server: str, wrong: list[str]) -> None:
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
    cut_off(page)
    tap(page, "g4g7")
    tap(page, "g1g5")
    removed(page, 6)
    page.reload()  # what was not sent outlives a reload
    removed(page, 6)
    cut["on"] = False
    connected(page)
    wait_until_stored(page, "g3g6 g4g7 g1g5")
    assert len(lost) >= 2
    forgive(wrong, "503 POST")


def test_moves_made_without_a_network_are_sent_when_it_is_back(
    page: Page, context: BrowserContext, server: str, wrong: list[str]
) -> None:
    open_table(page, server, EASY)
    play(page, MOVES[:3], press)
    wait_until_stored(page, " ".join(MOVES[:3]))
    context.set_offline(True)
    play(page, ["D", "U", *MOVES[3:8]], press)
    cut_off(page)
    removed(page, 15)
    expect(page.locator("#result")).to_be_hidden()
    context.set_offline(False)
    connected(page)
    played = [*MOVES[:3], "D", "U", *MOVES[3:8]]
    wait_until_stored(page, " ".join(played))
    play(page, MOVES[8:], press)
    result(page, FEWEST + 1)  # the draw stays counted
    assert stored(page) == " ".join([*played, *MOVES[8:]])
    forgive(wrong, "net::ERR_INTERNET_DISCONNECTED POST")


def test_a_game_that_is_won_without_a_network_is_won_when_it_is_back(
    page: Page, context: BrowserContext, server: str, wrong: list[str]
) -> None:
    open_table(page, server, EASY)
    context.set_offline(True)
    play(page, MOVES, press)
    cut_off(page)
    removed(page, 28)
    expect(page.locator("#result")).to_be_hidden()  # the server alone says how it ended
    context.set_offline(False)
    result(page, FEWEST)
    assert stored(page) == EASY_MOVES
    forgive(wrong, "net::ERR_INTERNET_DISCONNECTED POST")


def test_a_server_that_is_killed_and_started_again_goes_on_with_the_game(
    page: Page, tmp_path: Path, wrong: list[str]
) -> None:
    env = prepare_site(str(tmp_path))
    with serve(env=env) as first:
        url = first.url.rstrip("/")
        open_table(page, url, EASY)
        play(page, MOVES[:3], click)
        wait_until_stored(page, " ".join(MOVES[:3]))
        first.process.kill()  # its database ends with it
        first.process.wait()
        play(page, MOVES[3:6], click)
        cut_off(page)
        removed(page, 11)
        with serve(["--port", str(first.port)], env):
            connected(page)
            play(page, MOVES[6:8], click)
            wait_until_stored(page, " ".join(MOVES[:8]))
            page.reload()
            removed(page, 15)
            play(page, MOVES[8:], click)
            result(page, FEWEST)
            assert stored(page) == EASY_MOVES
            page.goto("about:blank")
    forgive(wrong, "net::ERR_")


# The server stands elsewhere than the table: moves are made past the page


def test_a_move_on_a_game_that_went_on_elsewhere_is_taken_back_with_the_reason(
    page: Page, server: str, wrong: list[str]
) -> None:
    open_table(page, server, EASY)
    tap(page, "g1g2")
    wait_until_stored(page, "g1g2")
    status, answer = ask(page, "POST", f"attempts/{attempt_of(page)}/moves/", {"from_ply": 1, "moves": "g5g6 D"})
    assert status == 200, answer
    tap(page, "g3g4")
    expect(page.locator("#message")).to_have_text("This game went on elsewhere. This is how it stands.")
    removed(page, 4)
    moves(page, 3)
    expect(place(page, "g3")).to_be_visible()
    expect(place(page, "g5")).to_have_count(0)
    expect(place(page, "W")).to_be_visible()
    tap(page, "g3g4")
    wait_until_stored(page, "g1g2 g5g6 D g3g4")
    forgive(wrong, "409 POST")


def test_the_same_move_made_elsewhere_is_no_quarrel(page: Page, server: str) -> None:
    open_table(page, server, EASY)
    tap(page, "g1g2")
    wait_until_stored(page, "g1g2")
    ask(page, "POST", f"attempts/{attempt_of(page)}/moves/", {"from_ply": 1, "moves": "g3g4"})
    tap(page, "g3g4")
    tap(page, "g5g6")
    wait_until_stored(page, "g1g2 g3g4 g5g6")
    removed(page, 6)


def test_a_move_on_a_game_given_up_elsewhere_is_taken_back_and_the_end_is_shown(
    page: Page, server: str, wrong: list[str]
) -> None:
    open_table(page, server, EASY)
    tap(page, "g1g2")
    wait_until_stored(page, "g1g2")
    status, answer = ask(page, "POST", f"attempts/{attempt_of(page)}/resign/", {})
    assert status == 200, answer
    tap(page, "g3g4")
    expect(page.locator("#result h2")).to_have_text("Given up")
    expect(page.locator("#message")).to_have_text("This attempt has ended.")
    removed(page, 2)
    assert stored(page) == "g1g2"
    forgive(wrong, "409 POST")
