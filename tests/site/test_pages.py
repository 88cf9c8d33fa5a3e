"""Does what a browser asks for arrive?"""

import re
from collections.abc import Iterator

import httpx
import pytest

from games.views import MODULES
from tests.site.servers import ROOT


@pytest.fixture
def browser(daily_server: str) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=daily_server, trust_env=False) as client:
        yield client


@pytest.mark.parametrize("language", ["en", "de"])
def test_the_first_page_speaks_the_language_asked_for(language: str, browser: httpx.Client) -> None:
    page = browser.get("/", headers={"Accept-Language": language})
    assert page.status_code == 200
    assert f'<html lang="{language}">' in page.text
    assert {"en": "Three passes", "de": "Drei Durchgänge"}[language] in page.text
    assert page.text.count('<rect class="paper"') == 28
    assert {"en": ">J</text>", "de": ">B</text>"}[language] in page.text


def test_the_first_page_shows_todays_daily_and_what_is_still_dealt(browser: httpx.Client) -> None:
    page = browser.get("/").text
    race = browser.get("/api/v1/daily/").json()["dailies"][0]["id"]
    assert f'<a class="button" href="/play/?race={race}">Play</a>' in page
    assert re.search("(easy|medium|hard) · Players: 0", page)
    assert "<strong>Relaxed</strong>" in page, "not minted"
    assert page.count("It is being dealt") == 4 + 1, "once more among the sentences of the script"


@pytest.mark.parametrize("path", ["/", "/play/", "/rules/", "/rules/giza/", "/api/"])
def test_every_file_that_a_page_names_is_there(path: str, browser: httpx.Client) -> None:
    page = browser.get(path)
    assert page.status_code == 200
    files = re.findall(r'(?:href|src)="(/[^"]+)"', page.text)
    assert any(file.startswith("/static/") for file in files)
    for file in files:
        answer = browser.get(file)
        assert answer.status_code == 200, file
        assert "immutable" in answer.headers["Cache-Control"] or not file.startswith("/static/"), file


def test_the_api_page_reads_the_schema_from_here(browser: httpx.Client) -> None:
    assert "/api/v1/schema/" in browser.get("/api/").text
    assert browser.get("/api/v1/schema/").text.startswith('{"openapi": "3')


def test_the_page_names_every_script_that_its_script_needs() -> None:
    folder = ROOT / "games/static/games"
    needed, left = set(), ["play"]
    while left:
        found = set(re.findall(r'from "\./(\w+)\.js"', (folder / f"{left.pop()}.js").read_text())) - needed
        needed |= found
        left += found
    assert sorted(f"games/{name}.js" for name in needed) == sorted(MODULES)
