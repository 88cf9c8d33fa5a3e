"""`make pictures`: the pictures of docs/pictures, taken of a real server in Chromium.

A picture is a name, an address, a size, a language, a theme, and what is tapped before it is taken.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"

import django

django.setup()

from playwright.sync_api import sync_playwright  # noqa: E402

from tests.browser.conftest import find_chromium  # noqa: E402
from tests.site.servers import ROOT, running_server  # noqa: E402

FOLDER = ROOT / "docs/pictures"
PEOPLE = """
from tests.dailies import mint_easy
from tests.players import make_player, win
people = {name: make_player(name) for name in ("Mira", "Jonas B", "Zoë", "Ada", "Ole", "Tove")}
for number, letter in enumerate("TNMFB"):
    race = mint_easy(letter)
    for place, name in enumerate(sorted(people, key=lambda name: (len(name) * 7 + number * 5) % 11)):
        win(people[name], 61230 + place * 7310 + number * 5170, 16 + place % 3, race=race)
"""
DESKTOP, PHONE = (1280, 800), (360, 640)
PICTURES: list[tuple[str, str, tuple[int, int], str, Any, list[str]]] = [
    ("play", "/play/PY1-T-AAAAAAS", DESKTOP, "en-GB", "light", ["g2", "D", "D", "g3"]),
    ("play-phone", "/play/PY1-N-AAAAAAS", PHONE, "de-DE", "dark", ["g2", "g1", "g3", "D", "g4"]),
    ("home", "/", DESKTOP, "en-GB", "light", []),
    ("giza", "/play/PY1-G-AAAAAAS", DESKTOP, "en-GB", "dark", ["g1"]),
]


def take_all(url: str) -> None:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=["--no-sandbox", "--disable-gpu"])
        for name, path, (width, height), locale, scheme, taps in PICTURES:
            context = browser.new_context(
                viewport={"width": width, "height": height}, locale=locale, color_scheme=scheme, reduced_motion="reduce"
            )
            page = context.new_page()
            page.goto(url + path)
            page.wait_for_load_state("networkidle")
            for tap in taps:
                if tap == "D":
                    page.keyboard.press("d")
                else:
                    page.locator(f'.card[data-place="{tap}"]').click()
            page.mouse.move(1, 1)
            page.wait_for_load_state("networkidle")
            page.screenshot(path=FOLDER / f"{name}.png")
            context.close()
        browser.close()


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        env = {"DATA_DIR": str(Path(folder)), "DJANGO_SETTINGS_MODULE": "pyramid_site.settings"}
        for command in (["migrate"], ["collectstatic", "--no-input"], ["shell", "-c", PEOPLE]):
            subprocess.run([sys.executable, "manage.py", *command, "-v0"], cwd=ROOT, env=os.environ | env, check=True)
        with running_server("daphne", env) as url:
            take_all(url)


if __name__ == "__main__":
    main()
