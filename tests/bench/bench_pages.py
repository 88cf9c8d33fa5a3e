"""`make bench-pages`: what a visit costs on a slow phone line, how long the cards take to lie on the table, and how
long after a tap its frame is painted.

A real server, warm, and Chromium with a fresh profile for each first visit; the browser itself slows its network down.
A later visit is another page of the same profile. Medians of five.
"""

import os
import re
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from typing import Any

import django
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from tests.browser.conftest import find_chromium
from tests.site.servers import ROOT, running_server

RUNS = 5
LINES = {  # kbit/s down, kbit/s up, ms from a request to its answer
    "fast 3G (1.6 Mbit/s, 150 ms)": (1600, 750, 150),
    "Chromium's old fast 3G (1.44 Mbit/s, 562 ms)": (1440, 675, 562.5),
    "no limit": (0, 0, 0),
}
VISITS = {
    "home": ("/", "#dailies"),
    "table": ("/play/", ".card"),
}
WATCH = """selector => new MutationObserver((_, observer) => {
    if (!document.querySelector(selector)) return;
    observer.disconnect();
    requestAnimationFrame(() => setTimeout(() => { window.seenAt = performance.now(); }));
}).observe(document, {childList: true, subtree: true})"""

# each card of a game is tapped; ms from the tap to the frame that shows it
TAP = """async places => {
    const times = [];
    const shifts = [];
    new PerformanceObserver(list => shifts.push(...list.getEntries().map(({value}) => value)))
        .observe({type: "layout-shift"});
    for (const place of places) {
        const tapped = performance.now();
        document.querySelector(`.card[data-place="${place}"]`).click();
        await new Promise(done => requestAnimationFrame(() => setTimeout(done)));
        times.push(performance.now() - tapped);
        await new Promise(done => setTimeout(done, 300));
    }
    return [times, shifts.reduce((sum, shift) => sum + shift, 0)];
}"""
SLOWER = (1, 4)  # times that the processor is slowed down

SEEN = "new Promise(done => { (function look() { window.seenAt ? done(window.seenAt) : setTimeout(look, 5); })(); })"


@dataclass
class Visit:
    """ms from the navigation to what was waited for; requests and kB that crossed the line, headers and all."""

    ms: float
    requests: int
    kilobytes: float


def visit(context: BrowserContext, url: str, selector: str, line: tuple[float, float, float]) -> Visit:
    page = context.new_page()
    sizes: dict[str, float] = {}
    slow_down(page, line, sizes)
    page.add_init_script(f"({WATCH})({selector!r})")
    page.goto(url)
    ms = page.evaluate(SEEN)
    page.wait_for_load_state("networkidle")
    page.close()
    return Visit(ms, sum(size > 0 for size in sizes.values()), sum(sizes.values()) / 1000)


def slow_down(page: Page, line: tuple[float, float, float], sizes: dict[str, float]) -> None:
    """Gives a page that line, and writes down the bytes of each of its requests."""
    down, up, latency = line
    devtools = page.context.new_cdp_session(page)
    devtools.send("Network.enable")
    devtools.send(
        "Network.emulateNetworkConditions",
        {
            "offline": False,
            "latency": latency,
            "downloadThroughput": down * 1000 / 8 or -1,
            "uploadThroughput": up * 1000 / 8 or -1,
        },
    )

    def note(event: dict[str, Any]) -> None:
        sizes[event["requestId"]] = event["encodedDataLength"]

    devtools.on("Network.loadingFinished", note)


def measure(browser: Browser, url: str, selector: str, line: tuple[float, float, float]) -> list[Visit]:
    """A first visit and a later one, each the median of its runs in every figure."""
    pairs = []
    for _ in range(RUNS):
        context = browser.new_context(viewport={"width": 360, "height": 640}, locale="en-GB")
        pairs.append([visit(context, url, selector, line), visit(context, url, selector, line)])
        context.close()
    return [
        Visit(*(statistics.median(getattr(run, name) for run in runs) for name in ("ms", "requests", "kilobytes")))
        for runs in zip(*pairs, strict=True)
    ]


def measure_moves(browser: Browser, server: str, slower: int) -> str:
    """A game on a phone, tap by tap."""
    from tests.players import EASY_MOVES, easy_deal  # it needs Django, which main() sets up

    context = browser.new_context(viewport={"width": 360, "height": 640}, locale="en-GB", has_touch=True)
    page = context.new_page()
    page.goto(f"{server}/play/{easy_deal().code}")
    page.locator(".card").first.wait_for()
    page.context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": slower})
    times, shift = page.evaluate(TAP, re.findall("[a-g][0-9]", EASY_MOVES)[:-1])
    context.close()
    middle, late = statistics.median(times), statistics.quantiles(times, n=20)[-1]
    return (
        f"{slower}x: p50 {middle:.0f}, p95 {late:.0f}, max {max(times):.0f} ms of {len(times)} taps; shift {shift:.4f}"
    )


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "pyramid_site.settings")
    django.setup()
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        env = {"DATA_DIR": folder}
        for command in (["migrate"], ["collectstatic", "--no-input"], ["mint_dailies", "--days", "2"]):
            subprocess.run([sys.executable, "manage.py", *command, "-v0"], cwd=ROOT, env=os.environ | env, check=True)
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=["--no-sandbox", "--disable-gpu"])
        with running_server("daphne", env) as server:
            for path, selector in VISITS.values():  # the first of all warms the server
                measure_once(browser, server + path, selector)
            print(f"{'line':46}{'page':8}{'visit':7}{'ms':>6}{'requests':>10}{'kB':>8}")
            for line, limits in LINES.items():
                for name, (path, selector) in VISITS.items():
                    for kind, found in zip(
                        ("first", "later"), measure(browser, server + path, selector, limits), strict=True
                    ):
                        print(f"{line:46}{name:8}{kind:7}{found.ms:6.0f}{found.requests:10.0f}{found.kilobytes:8.1f}")
            for slower in SLOWER:
                print(f"from a tap to its frame, processor slowed {measure_moves(browser, server, slower)}")
        browser.close()


def measure_once(browser: Browser, url: str, selector: str) -> None:
    context = browser.new_context()
    visit(context, url, selector, (0, 0, 0))
    context.close()


if __name__ == "__main__":
    main()
