"""A table in the browser as a player sees it, and plays on it by finger, mouse or keyboard."""

import re
from collections.abc import Callable, Iterable
from typing import Any

from playwright.sync_api import Locator, Page, expect

from games.engine.deal import Deal
from games.engine.moves import TABLEAU_CELLS
from games.engine.position import Position

Way = Callable[[Page, str], None]  # how a token is played
Point = tuple[float, float]
ORDER = [*TABLEAU_CELLS, *(f"h{k}" for k in range(1, 9)), "stock", "S", "W"]
MOST_STEPS = 40
FREE = "#table [data-place]:not(.covered, [inert], [hidden])"
# where the focus is, and the places that are not covered
SEE = f"""[
    document.activeElement.dataset.place,
    Array.from(document.querySelectorAll("{FREE}"), (element) => element.dataset.place),
]"""
ASK = """async ([method, path, body]) => {
    const guard = document.cookie.match(/csrftoken=([^;]*)/)[1];
    const headers = {"Content-Type": "application/json", "X-CSRFToken": guard};
    const answer = await fetch(`/api/v1/${path}`, {method, headers, body: body && JSON.stringify(body)});
    return [answer.status, await answer.json()];
}"""


def open_table(page: Page, server: str, path: str) -> None:
    page.goto(f"{server}/play/{path}")
    expect(page.locator("main .card").first).to_be_visible()


def place(page: Page, name: str) -> Locator:
    return page.locator(f'.card[data-place="{name}"]')


def parts(token: str) -> list[str]:
    """The places of a removal; none of a draw, a redeal or an undo."""
    return re.findall("[a-h][0-9]|S|W", token)


def removed(page: Page, count: int) -> None:
    expect(page.locator('#status [data-fill="removed"]')).to_have_text(f"{count}/28")


def moves(page: Page, count: int) -> None:
    expect(page.locator('#status [data-fill="moves"]')).to_have_text(str(count))


def result(page: Page, moves: int) -> None:
    """The window of the result is open and counts so many moves."""
    expect(page.locator("#result")).to_be_visible()
    expect(page.locator('#result [data-fill="moves"]')).to_have_text(str(moves))


# Playing


def tap(page: Page, token: str) -> None:
    """A move by a finger."""
    _play(page, token, lambda locator: locator.tap())


def click(page: Page, token: str) -> None:
    """A move by a mouse."""
    _play(page, token, lambda locator: locator.click())


def _play(page: Page, token: str, touch: Callable[[Locator], None]) -> None:
    stock = page.locator(".pile.stock")
    draw = page.locator("#draw")
    if token == "D":
        touch(draw if draw.is_visible() else stock)
    elif token == "R":
        touch(stock)
    elif token == "U":
        touch(page.locator("#undo"))
    for name in parts(token):
        touch(place(page, name))


def drag(page: Page, token: str) -> None:
    """A move by a mouse that drags what can be dragged: all but redeals and undos."""
    if ends := find_drag(page, token):
        page.mouse.move(*ends[0])
        page.mouse.down()
        page.mouse.move(*ends[1], steps=4)
        page.mouse.up()
    else:
        click(page, token)


def find_drag(page: Page, token: str) -> tuple[Point, Point] | None:
    """From where to where a move is dragged; None for one that is not."""
    names = parts(token) or ["S"] * (token == "D")
    if not names:
        return None
    pile = page.locator(".pile.waste" if token == "D" else ".pile.foundation")
    ends = place(page, names[0]), place(page, names[1]) if len(names) == 2 else pile
    return find_middle(ends[0]), find_middle(ends[1])


def find_middle(locator: Locator) -> Point:
    """The middle of the strip that a covered card shows, too."""
    box = locator.bounding_box()
    assert box
    return box["x"] + box["width"] / 2, box["y"] + min(20, box["height"] / 2)


def press(page: Page, token: str) -> None:
    """A move by the keyboard alone: arrows walk, Enter and Space choose."""
    if not parts(token):
        page.keyboard.press(token.lower())
    for name, key in zip(parts(token), ("Enter", "Space"), strict=False):
        walk_to(page, name)
        page.keyboard.press(key)


def walk_to(page: Page, name: str) -> None:
    """Press arrows, as somebody does who sees where the focus is, until it is on the card of a place."""
    left = MOST_STEPS
    while (seen := page.evaluate(SEE))[0] != name:
        steps = count_steps(*seen, name)
        assert abs(steps) <= left, f"The arrows do not lead to {name}."
        left -= abs(steps)
        for _ in range(abs(steps)):
            page.keyboard.press("ArrowLeft" if steps < 0 else "ArrowRight")


def count_steps(focused: str | None, free: list[str], name: str) -> int:
    """How many arrows to the right lie between two places, at least one; negative: to the left.

    A card that lies under its own partner can be walked to, too: that is seen when the focus is there.
    """
    at, to = (ORDER.index(place) if place in ORDER else -1 for place in (focused, name))
    stops = set(free) & set(ORDER)
    if "S" in stops:
        stops.discard("stock")  # an open stock is walked to by its top
    between = sum(min(at, to) < ORDER.index(place) < max(at, to) for place in stops)
    return -(between + 1) if at > to else between + 1


def play(page: Page, tokens: Iterable[str], way: Way = click) -> None:
    for token in tokens:
        way(page, token)


def find_dead_end(code: str) -> list[str]:
    """The tokens to a dead end: drawing as long as that can be, then removing what can be removed."""
    position, tokens = Position.start(Deal.from_code(code)), []
    while legal := position.legal_moves():
        tokens.append("D" if "D" in legal else legal[0])
        position = position.play(tokens[-1])
    assert position.is_dead_end
    return tokens


# What the server holds


def ask(page: Page, method: str, path: str, body: Any = None) -> tuple[int, Any]:
    """A call as the player of a page, past the page: status and value."""
    status, value = page.evaluate(ASK, [method, path, body])
    return status, value


def attempt_of(page: Page) -> int:
    """The number of the attempt on the table."""
    return page.evaluate('JSON.parse(localStorage.getItem("pyramidion.attempt")).id')


def stored(page: Page) -> str:
    """The moves that the server holds of the game on the table."""
    status, attempt = ask(page, "GET", f"attempts/{attempt_of(page)}/")
    assert status == 200, attempt
    return attempt["replay"]["moves"]


def wait_until_stored(page: Page, tokens: str) -> None:
    """Wait until the server holds exactly these moves."""
    for _ in range(60):
        if stored(page) == tokens:
            return
        page.wait_for_timeout(100)
    assert stored(page) == tokens
