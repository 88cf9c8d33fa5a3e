"""Is every page of the site sound: no error, nothing too wide, no barrier, in either language and theme?"""

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import chain
from typing import Any, Literal

import pytest
from django.urls import URLPattern
from playwright.sync_api import Browser, Page, expect

from pyramid_site.urls import V1, urlpatterns
from tests.browser.health import find_barriers, forgive, is_too_wide, settle, wait_for_answers, watch
from tests.browser.table import click, open_table, place, play, removed, tap

# every page by the pattern of its address; a new one is looked at as soon as it stands here
PAGES = {
    "": ["/"],
    "play/": ["/play/"],
    "play/<str:code>": ["/play/PY1-S-AAAAAAS", "/play/PY1-G-AAAAAAS", "/play/PY1-J-AAAAAAS"],
    "offline/": ["/offline/"],
    "rules/": ["/rules/"],
    "rules/<slug:slug>/": ["/rules/tower/", "/rules/giza/", "/rules/joker/", "/rules/free/"],
    "races/": ["/races/"],
    "races/<int:race>/": ["/races/1/", "/races/1/?among=friends", "/races/1/?among=guests"],
    "daily/<str:letter>/": ["/daily/T/"],
    "sprints/": ["/sprints/"],
    # over, before its time, by invitation; the rest: test_sprints.py
    "sprints/<int:sprint>/": ["/sprints/2/", "/sprints/3/", "/sprints/4/"],
    "results/<int:attempt>/": ["/results/1/"],
    "replays/<int:attempt>/": ["/replays/1/", "/replays/1/?beside=2"],
    "boards/": ["/boards/"],
    "boards/<str:letter>/": ["/boards/D/"],
    "boards/deals/<str:code>/": ["/boards/deals/PY1-N-AAAAAAS/?clock=client"],
    "ratings/<str:letter>/": ["/ratings/D/"],
    "seasons/": ["/seasons/"],
    "seasons/<str:month>/": ["/seasons/2026-11/"],
    "calendar/": ["/calendar/"],
    "players/<str:name>/": ["/players/Rival%20Ada/"],
    "api/": ["/api/"],
}
# files, and what is Django's own
NO_PAGES = {"language/", "ping/", "admin/", "sw.js", "manifest.webmanifest", "results/<int:attempt>/<slug:name>.png"}
# the pages of an account and of one's own, by the same: for strangers, and for who has signed up
DOORS = {
    "account/log-in/": ["/account/log-in/"],
    "account/sign-up/": ["/account/sign-up/"],
    "account/log-in/code/": ["/account/log-in/code/"],  # it sends on to the former where no code is asked for
    "account/password/forgotten/": ["/account/password/forgotten/"],
    "account/password/sent/": ["/account/password/sent/"],
    "account/password/set/": ["/account/password/set/"],
    "^account/password/new/(?P<uidb36>[0-9A-Za-z]+)-(?P<key>.+)/$": ["/account/password/new/1-stale/"],
    "account/e-mail/<str:key>/": ["/account/e-mail/stale/"],
}
ROOMS = {
    "players/me/": ["/players/me/"],
    "clubs/": ["/clubs/"],
    "clubs/<int:club>/": ["/clubs/"],  # and those that can be joined: test_rivals.py looks at clubs
    "clubs/join/<str:code>": ["/clubs/"],
    "account/": ["/account/"],
    "account/name/": ["/account/name/"],
    "account/reports/": ["/account/reports/"],
    "account/delete/": ["/account/delete/"],
    "account/confirm/": ["/account/confirm/"],
    "account/confirm/code/": ["/account/confirm/code/"],
    "account/password/": ["/account/password/"],
    "account/e-mail/": ["/account/e-mail/"],
    "account/sessions/": ["/account/sessions/"],
    "account/tokens/": ["/account/tokens/"],
    "account/device/": ["/account/device/"],
    "account/two-factor/": ["/account/two-factor/"],
    "account/two-factor/on/": ["/account/two-factor/on/"],
    "account/two-factor/off/": ["/account/two-factor/"],  # without a second factor there is none to take off
    "account/codes/": ["/account/two-factor/"],  # likewise
    "account/codes/new/": ["/account/two-factor/"],
    "account/log-out/": ["/account/log-out/"],
}
FOREIGN = ["/api/"]  # made by others: it has to load, no more
OUR_PATHS = [path for paths in PAGES.values() for path in paths if path not in FOREIGN]
LANGUAGES = {"en-GB": ("J", "Strict"), "de-DE": ("B", "Streng")}
LOOKS = [("en-GB", "light"), ("de-DE", "dark")]  # `make test-pages` looks at every language in every theme
SIZE = {"width": 360, "height": 640}
# windows over the table, and how they are opened
WINDOWS = {"new-game": "#new", "menu": "#open-menu", "rules": "#show-rules", "keys": "?"}
Scheme = Literal["light", "dark"]
BREACH = "document.head.append(Object.assign(document.createElement('script'), {textContent: '1'}))"


@contextmanager
def look(chromium: Browser, wrong: list[str], size: Any = SIZE, **more: Any) -> Iterator[Page]:
    """A watched page in a profile of its own."""
    context = chromium.new_context(viewport=size, reduced_motion="reduce", **more)
    yield watch(context.new_page(), wrong)
    context.close()


def test_every_page_of_the_site_is_looked_at() -> None:
    patterns = [str(pattern.pattern) for pattern in urlpatterns if isinstance(pattern, URLPattern)]
    pages = [pattern for pattern in patterns if not pattern.startswith(V1) and pattern not in NO_PAGES]
    assert sorted(pages) == sorted(PAGES | DOORS | ROOMS)


def visit(page: Page, server: str, paths: Iterable[str]) -> None:
    """Look at pages one after the other."""
    for path in dict.fromkeys(paths):
        page.goto(server + path)
        settle(page)
        assert not is_too_wide(page), path
        assert find_barriers(page) == [], path


@pytest.mark.parametrize(("language", "scheme"), LOOKS)
def test_every_page_is_sound(chromium: Browser, server: str, wrong: list[str], language: str, scheme: Scheme) -> None:
    with look(chromium, wrong, locale=language, color_scheme=scheme) as page:
        visit(page, server, OUR_PATHS)
        assert page.locator("html").get_attribute("lang") == language[:2]
        for path in FOREIGN:
            page.goto(server + path)
            wait_for_answers(page)


@pytest.mark.parametrize(("language", "scheme"), LOOKS)
def test_every_page_of_an_account_is_sound(
    chromium: Browser, server: str, wrong: list[str], language: str, scheme: Scheme
) -> None:
    with look(chromium, wrong, locale=language, color_scheme=scheme) as page:
        visit(page, server, chain.from_iterable(DOORS.values()))
        page.goto(f"{server}/account/sign-up/")
        page.locator("[name=name]").fill(f"Sound {scheme}")
        page.locator("[type=password]").fill("correct horse battery")
        page.locator("main form button").click()
        page.wait_for_url(lambda url: "sign-up" not in url)
        visit(page, server, chain.from_iterable(ROOMS.values()))


@pytest.mark.parametrize(("language", "scheme"), LOOKS)
def test_every_window_over_the_table_is_sound(
    chromium: Browser, server: str, wrong: list[str], language: str, scheme: Scheme
) -> None:
    knave, name = LANGUAGES[language]
    with look(chromium, wrong, locale=language, color_scheme=scheme) as page:
        open_table(page, server, "PY1-S-AAAAAAS")
        expect(page.locator("#ruleset")).to_have_text(name)
        expect(place(page, "g4").locator("text")).to_have_text(knave)
        for window, opener in WINDOWS.items():
            if opener.startswith("#"):
                page.locator(opener).click()
            else:
                page.keyboard.press(opener)
            expect(page.locator(f"#{window}")).to_be_visible()
            assert not is_too_wide(page), window
            assert find_barriers(page) == [], window
            page.keyboard.press("Escape")
            expect(page.locator(f"#{window}")).to_be_hidden()
        place(page, "g5").click()
        place(page, "f1").click()
        expect(page.locator("#message")).to_have_class(re.compile("bad"))
        assert find_barriers(page) == [], "a refusal"


@pytest.mark.parametrize(
    ("size", "scale"),
    [({"width": 640, "height": 400}, 2), ({"width": 320, "height": 640}, 1)],
    ids=["twice as large", "320 pixels wide"],
)
def test_a_page_enlarged_is_read_and_played(
    chromium: Browser, server: str, wrong: list[str], size: Any, scale: int
) -> None:
    with look(chromium, wrong, size, device_scale_factor=scale, locale="de-DE") as page:
        for path in OUR_PATHS:
            page.goto(server + path)
            page.locator("h1").first.wait_for()
            assert not is_too_wide(page), path
        page.goto(server)
        page.get_by_role("link", name="Jetzt spielen").click()
        settle(page)
        page.locator("#new").click()
        page.locator('#new-game input[name="code"]').fill("PY1-N-AAAAAAS")
        page.locator('#new-game [value="start"]').click()
        expect(page.locator("#code")).to_have_text("PY1-N-AAAAAAS")
        play(page, ["g2", "g1g3", "D"], click)
        removed(page, 3)


def test_the_pages_forbid_code_and_style_that_is_not_in_files(page: Page, server: str) -> None:
    for path in OUR_PATHS:
        answer = page.goto(server + path)
        assert answer is not None
        policy = answer.headers["content-security-policy"]
        assert "unsafe" not in policy, path
        assert "script-src 'self'" in policy, path


def test_nothing_that_goes_wrong_on_a_page_stays_unnoticed(page: Page, server: str, wrong: list[str]) -> None:
    open_table(page, server, "PY1-N-AAAAAAS")
    page.evaluate(BREACH)
    page.evaluate("console.warn('a warning')")
    page.evaluate("setTimeout(() => { throw new Error('an exception') })")
    page.evaluate("fetch('/api/v1/attempts/0/').then(() => null)")
    page.context.set_offline(True)
    page.evaluate("fetch('/ping/').catch(() => null)")
    page.context.set_offline(False)
    tap(page, "g2")
    removed(page, 1)
    forgive(wrong, "Content Security Policy", "a warning", "an exception", " GET ", "net::ERR_INTERNET_DISCONNECTED")
