"""Debian's Chromium, and pages in it that notice every error."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from tests.site.servers import ROOT, running_server

PREPARE = """
from django.core.management import call_command
call_command("migrate", verbosity=0)
call_command("collectstatic", interactive=False, verbosity=0)
from tests.dailies import mint_easy
mint_easy("T")
"""  # one command: each would start the database anew
NAMES = ("chromium", "chromium-browser", "google-chrome")


def find_chromium() -> str:
    """The browser of the environment variable CHROMIUM, or of the system. There is no skipping: it fails."""
    found = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
    assert found, "The pages are tested in Chromium: install Debian's package chromium, or set CHROMIUM to a browser."
    return found


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server whose daily of ruleset T is the easy deal, and that holds no win for too fast.

    It has a database of its own: Playwright's loop and Django's do not go together in one thread.
    """
    env = {"DATA_DIR": str(tmp_path_factory.mktemp("browser")), "DAILY_RULESETS": "T"}
    command = [sys.executable, "manage.py", "shell", "-v0", "-c", PREPARE]
    subprocess.run(command, cwd=ROOT, env=os.environ | env, check=True)
    with running_server("daphne", env) as url:
        yield url


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=find_chromium(), args=["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
        )
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
def wrong() -> list[str]:
    """What a page's console has complained of; a test takes out what it has caused itself."""
    return []


@pytest.fixture
def page(context: BrowserContext, wrong: list[str]) -> Iterator[Page]:
    """A page; that something went wrong on it fails the test."""
    page = context.new_page()
    page.on("console", lambda message: wrong.append(message.text) if message.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: wrong.append(str(error)))
    yield page
    assert wrong == []
