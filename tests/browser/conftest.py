"""Debian's Chromium, a server to look at, and pages that notice everything that goes wrong on them."""

import os
import shutil
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from tests.browser.health import watch
from tests.site.servers import copy_site, lay_out_site, manage, running_server

PREPARE = """
from games.engine.deal import Deal
from tests.dailies import mint_easy
from tests.players import make_player, win
LINE = (
    "g1g5 g3g6 g4g7 f3f6 f4f5 D D D D D g2W D D e3W D W D D D D D W D D D e5W D f1W D D D e4W d3f2 e2 d2d4 e1W D D D "
    "c3W D W R D D d1W D D D D D D c1W D c2W b1b2 D a1W"
)
for number, name in enumerate(("Early Ada", "Early Bea")):
    win(make_player(name), 61_230 + 9000 * number, line="D U " * number + LINE, deal=Deal.from_code("PY1-C-AAAAAAW"))
for letter in "TNM":
    mint_easy(letter)
from tests.browser.rivals import fill
from tests.sprints import leave_traces
fill()
leave_traces()
"""  # one command: each would start the database anew
DAILIES = {"DAILY_RULESETS": "T,N,M"}
# the first has no windows of its own to draw: it takes a third less of the processors
NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")


def find_chromium() -> str:
    """The browser of the environment variable CHROMIUM, or of the system. There is no skipping: it fails."""
    found = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
    assert found, "The pages are tested in Chromium: install chromium-headless-shell, or set CHROMIUM to a browser."
    return found


def prepare_site(folder: str) -> dict[str, str]:
    """The environment of a server in `folder`, whose dailies of T, N and M are the easy deal; its mail goes there, too.

    Attempts 1 and 2 are ranked wins of the same deal.

    It has a database of its own: Playwright's loop and Django's do not go together in one thread.
    """
    copy_site("browser", fill_site, Path(folder))
    return DAILIES | {"DATA_DIR": folder, "EMAIL_URL": f"file://{folder}/mail"}


def fill_site(folder: Path) -> None:
    lay_out_site(folder)
    manage(folder, "shell", "-c", PREPARE, **DAILIES)


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What belongs to `server`."""
    return tmp_path_factory.mktemp("browser")


@pytest.fixture(scope="session")
def mail(folder: Path) -> Path:
    """The folder that the mail of `server` goes to, a file each."""
    return folder / "mail"


@pytest.fixture(scope="session")
def server(folder: Path) -> Iterator[str]:
    """The address of a server that holds no win for too fast; all tests of a process share it."""
    with running_server("daphne", prepare_site(str(folder))) as url:
        yield url


@pytest.fixture(scope="package")
def chromium() -> Iterator[Browser]:
    """The browser. It ends with this folder: Playwright's loop would be in the way of other tests' loops."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=find_chromium(), args=["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
        )
        # a service worker would answer for the server, and the next test find what the last has kept
        browser.new_context = partial(browser.new_context, service_workers="block")  # type: ignore[method-assign]
        yield browser
        browser.close()


@pytest.fixture
def context(chromium: Browser) -> Iterator[BrowserContext]:
    """A fresh profile: a phone that speaks English."""
    context = chromium.new_context(
        viewport={"width": 360, "height": 640}, locale="en-GB", has_touch=True, reduced_motion="reduce"
    )
    context.set_default_timeout(20_000)
    yield context
    context.close()


@pytest.fixture
def wrong() -> Iterator[list[str]]:
    """What has gone wrong on the watched pages; a test takes out what it has caused itself, the rest fails it."""
    wrong: list[str] = []
    yield wrong
    assert wrong == []


@pytest.fixture
def page(context: BrowserContext, wrong: list[str]) -> Page:
    """A page of the profile, watched."""
    return watch(context.new_page(), wrong)
