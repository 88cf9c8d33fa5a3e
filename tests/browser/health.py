"""What goes wrong on a page that a player might never tell: errors, refused requests, breaches of the policy."""

import time
from weakref import WeakKeyDictionary

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import ConsoleMessage, Frame, Page, Request, Response, expect

# a request that the page itself gave up, by leaving for another
ABANDONED = "net::ERR_ABORTED"
# what Playwright says of the service workers that it was told to block
NO_WORKER = "Service Worker registration blocked by Playwright"
LOAD_SECONDS = 30
# a page's scripts have gone on with what has arrived, and have asked for more where they want more
TURN = "new Promise((done) => requestAnimationFrame(() => setTimeout(done)))"
TURNS = 3

_unanswered: WeakKeyDictionary[Page, set[Request]] = WeakKeyDictionary()


def watch(page: Page, wrong: list[str]) -> Page:
    """Add a line to `wrong` for every error and warning of the console (breaches of the content security policy are
    among them), every exception, every answer of 400 and above, and every request without an answer."""

    def hear(message: ConsoleMessage) -> None:
        # that a resource was refused is told below, with its status and address
        told_elsewhere = message.text.startswith("Failed to load resource") or message.text == NO_WORKER
        if message.type in ("error", "warning") and not told_elsewhere:
            wrong.append(message.text)

    def look(answer: Response) -> None:
        if answer.status >= 400:
            wrong.append(f"{answer.status} {answer.request.method} {answer.url}")

    def miss(request: Request) -> None:
        if request.failure != ABANDONED:
            wrong.append(f"{request.failure} {request.method} {request.url}")

    asked = _unanswered[page] = set()

    def leave(frame: Frame) -> None:
        if frame == page.main_frame:
            asked.clear()

    page.on("request", lambda request: asked.add(request))
    page.on("requestfinished", lambda request: asked.discard(request))
    page.on("requestfailed", lambda request: asked.discard(request))
    page.on("framenavigated", leave)
    page.on("console", hear)
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("response", look)
    page.on("requestfailed", miss)
    return page


def forgive(wrong: list[str], *causes: str) -> None:
    """Take out what a test has caused: lines with one of the causes. Each cause must have come."""
    for cause in causes:
        assert any(cause in line for line in wrong), f"{cause} did not come: {wrong}"
    wrong[:] = [line for line in wrong if not any(cause in line for cause in causes)]


def settle(page: Page) -> None:
    """Wait until a watched page has all that its scripts ask for. The table has its cards then, covered in a pause."""
    if page.locator("script[type=module]").count():
        wait_for_answers(page)
    if page.locator(".table-page main#table").count():
        expect(page.locator("main .card").first).to_be_attached()


def wait_for_answers(page: Page) -> None:
    """Wait until a watched page has asked for nothing during some turns of its loop, and has every answer.

    Playwright's own wait, for its "networkidle", takes half a second more on each page.
    """
    end = time.monotonic() + LOAD_SECONDS
    quiet = 0
    while quiet < TURNS:
        page.evaluate(TURN)
        quiet = 0 if _unanswered[page] else quiet + 1
        assert time.monotonic() < end, f"not answered: {[request.url for request in _unanswered[page]]}"


def find_barriers(page: Page) -> list[tuple[str, str]]:
    """What axe finds on a page as it stands: (rule, the first element that breaks it)."""
    found = Axe().run(page, options={"resultTypes": ["violations"]}).response["violations"]  # not also what is well
    return [(one["id"], one["nodes"][0]["html"]) for one in found]


def is_too_wide(page: Page) -> bool:
    """Whether a page must be scrolled sideways."""
    return page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth")
