"""`make pictures`: the pictures of docs/pictures, taken of a real server in Chromium.

A picture is a name, an address, a size, a language, a theme, and what is done before it is taken. The page's clock
stands still, so that the same pages give the same pictures.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"

import django

django.setup()

from playwright.sync_api import Browser, Page, sync_playwright  # noqa: E402

from tests.browser.conftest import find_chromium  # noqa: E402
from tests.browser.table import click, play  # noqa: E402
from tests.site.servers import ROOT, running_server  # noqa: E402

FOLDER = ROOT / "docs/pictures"
LARGEST = 150_000  # bytes: pictures stay in the repository for good
PEOPLE = """
import json
from datetime import timedelta
from django.contrib.auth import login
from django.contrib.sessions.backends.db import SessionStore
from django.http import HttpRequest
from games.engine.deal import Deal
from leaderboard import actions, racing, sprinting
from leaderboard.models import SprintPlayer
from tests.dailies import mint_easy
from tests.players import make_player, own_line, solved_deals, win
from tests.sprints import pass_time
LINE = (
    "g3g6 g4g7 g1g5 f4f5 e4f3 D SW D D g2S D e3S d3f2 e2 d2f1 S D e1S d1W c1f6 c2e5 D D S b1S D D d4S D D c3S b2S "
    "SW D S R a1S"
)
people = {name: make_player(name) for name in ("Mira", "Jonas B", "Zoë", "Ada", "Ole", "Tove")}
for number, letter in enumerate("TNMFB"):
    race = mint_easy(letter)
    for place, name in enumerate(sorted(people, key=lambda name: (len(name) * 7 + number * 5) % 11)):
        win(people[name], 61230 + place * 7310 + number * 5170, 16 + place % 3, race=race)
    for place, name in enumerate(("Emre", "Lina", "Yuki", "Falk", "Noor", "Piet", "Ines") if letter == "T" else ()):
        player = make_player(name)
        entry, _created = racing.enter(player=player, race=race.pk)
        moves = " ".join(own_line(player.pk).split(" ")[: 13 - 2 * place])
        actions.play_moves(player=player, attempt=entry.attempt_id, from_ply=0, moves=moves, times=None)
deal = Deal.from_code("PY1-T-AAAAAAW")
won = [win(player, 91230 + 9170 * n, deal=deal, line="D U " * n + LINE) for n, player in enumerate(people.values())]
cards, line = solved_deals()[11]
sprint = sprinting.make_sprint(host=people["Mira"], ruleset=cards.ruleset, deal=cards, most=10, best_of=1).pk
for name in ("Ada", "Jonas B", "Ole", "Tove"):
    sprinting.join(player=people[name], sprint=sprint)
sprinting.start(player=people["Mira"], sprint=sprint)
pass_time(sprint, seconds=10)
for name, share in (("Mira", 1.0), ("Jonas B", 0.8), ("Ole", 0.45), ("Tove", 0.6)):
    entry, _created = sprinting.enter(player=people[name], sprint=sprint)
    tokens = line.split(" ")
    moves = " ".join(tokens[: round(share * len(tokens))])
    actions.play_moves(player=people[name], attempt=entry.attempt_id, from_ply=0, moves=moves, times=None)
SprintPlayer.objects.update(heard_at=actions.read_clock() + timedelta(minutes=30))
request = HttpRequest()
request.session = SessionStore()
login(request, people["Ada"], backend="django.contrib.auth.backends.ModelBackend")
request.session.save()
print(json.dumps({"session": request.session.session_key, "attempt": won[3].pk, "sprint": sprint}))
"""
DESKTOP, PHONE = (960, 600), (360, 640)
SPRINT_MOVES = ("g4g5", "f4g3", "D", "D")


class Picture(NamedTuple):
    """prepare: what is done on the page before it is taken."""

    name: str
    path: str
    size: tuple[int, int]
    language: str
    theme: Any
    prepare: Callable[[Page], None]


def moves(*tokens: str) -> Callable[[Page], None]:
    return lambda page: play(page, tokens, click)


def choose(place: str, *tokens: str) -> Callable[[Page], None]:
    """After these moves a card is chosen, and its partners light up."""

    def prepare(page: Page) -> None:
        play(page, tokens, click)
        page.locator(f'.card[data-place="{place}"]').click()

    return prepare


def stop_countdown(page: Page) -> None:
    """The server's clock runs on: what it says is replaced."""
    page.evaluate(
        """() => {
            const place = document.getElementById("countdown");
            place.after(Object.assign(place.cloneNode(), {id: "", textContent: "New deals in 6:00:00"}));
            place.hidden = true;
        }"""
    )


def stop_race(page: Page) -> None:
    """The countdown and the times of those who play run on: what they say is replaced."""
    page.locator(".runner").first.wait_for()
    page.evaluate(
        """() => {
            const stop = (element, text) => {
                const still = element.cloneNode();
                Object.assign(still, {id: "", textContent: text});
                element.hidden = true;
                element.after(still);
            };
            stop(document.getElementById("phase"), "Closes in 6:00:00");
            document.querySelectorAll(".runner .time").forEach((time, n) => stop(time, `${9 - n}:${10 + 7 * n}`));
        }"""
    )


def stop_sprint(page: Page) -> None:
    """Some moves are played, and the times that run on are replaced."""
    page.locator("main .card").first.wait_for()
    play(page, SPRINT_MOVES, click)
    page.evaluate(
        """() => {
            const stop = (element, text) => {
                const still = element.cloneNode();
                Object.assign(still, {id: "", textContent: text});
                delete still.dataset.fill;
                element.hidden = true;
                element.after(still);
            };
            stop(document.getElementById("time"), "1:12");
            stop(document.querySelector("[data-fill=ends]"), "1:43");
            stop(document.querySelector("#ghosts .first .number"), "1. 0:55");
        }"""
    )


def show_drawing(page: Page) -> None:
    page.locator(".layout h2").evaluate("element => element.scrollIntoView()")


PICTURES = [
    Picture("play", "/play/PY1-T-AAAAAAS", DESKTOP, "en-GB", "dark", choose("g3", "g2", "D", "D")),
    Picture("play-phone", "/play/PY1-N-AAAAAAS", PHONE, "de-DE", "light", choose("g4", "g2", "g1g3", "D")),
    Picture("giza", "/play/PY1-G-AAAAAAS", DESKTOP, "en-GB", "dark", choose("g1")),
    Picture("home", "/", DESKTOP, "en-GB", "light", stop_countdown),
    Picture("race", "/daily/T/", (1180, 740), "en-GB", "light", stop_race),
    Picture("sprint", "/sprints/{sprint}/", (960, 640), "en-GB", "dark", stop_sprint),
    Picture("result", "/play/?attempt={attempt}", PHONE, "en-GB", "dark", lambda page: None),
    Picture("rules", "/rules/free/", PHONE, "de-DE", "light", show_drawing),
]


def take(browser: Browser, url: str, picture: Picture, known: dict[str, Any]) -> None:
    width, height = picture.size
    context = browser.new_context(
        viewport={"width": width, "height": height},
        locale=picture.language,
        color_scheme=picture.theme,
        reduced_motion="reduce",
    )
    if "{" in picture.path:
        context.add_cookies([{"name": "sessionid", "value": known["session"], "url": url}])
    page = context.new_page()
    now = datetime.now(UTC)
    page.clock.set_fixed_time(now)
    page.goto(url + picture.path.format(**known))
    page.wait_for_load_state("networkidle")
    picture.prepare(page)
    page.mouse.move(1, 1)
    page.clock.set_fixed_time(now + timedelta(seconds=83))
    page.wait_for_load_state("networkidle")
    page.wait_for_timeout(600)  # the page's own clock is shown four times a second
    path = FOLDER / f"{picture.name}.png"
    page.screenshot(path=path)
    context.close()
    print(f"{path.name:16}{path.stat().st_size:9,} bytes{'  TOO LARGE' if path.stat().st_size > LARGEST else ''}")


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        env = os.environ | {"DATA_DIR": str(Path(folder)), "DJANGO_SETTINGS_MODULE": "pyramid_site.settings"}
        for command in (["migrate"], ["collectstatic", "--no-input"]):
            subprocess.run([sys.executable, "manage.py", *command, "-v0"], cwd=ROOT, env=env, check=True)
        command = [sys.executable, "manage.py", "shell", "-v0", "-c", PEOPLE]
        known = json.loads(
            subprocess.run(command, cwd=ROOT, env=env, check=True, capture_output=True, text=True).stdout
        )
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=["--no-sandbox", "--disable-gpu"])
        with running_server("daphne", env) as url:
            for picture in PICTURES:
                take(browser, url, picture, known)
        browser.close()


if __name__ == "__main__":
    main()
