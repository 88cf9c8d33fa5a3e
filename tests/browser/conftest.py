"""Debian's Chromium, and pages in it that notice every error."""

import os
import shutil
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from tests.site.conftest import fresh_server  # noqa: F401

NAMES = ("chromium", "chromium-browser", "google-chrome")


def find_chromium() -> str:
    """The browser of the environment variable CHROMIUM, or of the system. There is no skipping: it fails."""
    found = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
    assert found, "The pages are tested in Chromium: install Debian's package chromium, or set CHROMIUM to a browser."
    return found


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
def page(context: BrowserContext) -> Iterator[Page]:
    """A page; that something went wrong on it fails the test."""
    page = context.new_page()
    wrong: list[str] = []
    page.on("console", lambda message: wrong.append(message.text) if message.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: wrong.append(str(error)))
    yield page
    assert wrong == []
