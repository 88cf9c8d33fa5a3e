"""Does the browser's engine, in a real browser, say what the vectors say?"""

import dataclasses
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from games.engine.cards import write_card
from games.engine.deal import Deal
from games.engine.rulesets import RULESETS
from tests.engine.both import read_rows

HERE = Path(__file__).parent
ENGINE = HERE.parents[1] / "games/static/games/engine.js"
FILES = {"/engine.js": ENGINE, "/vectors.js": HERE / "vectors.js"}
# what the server alone judges: it gives the page the cards, and stamps the times
SERVER_REASONS = ("deal", "times", "too_long")
FEW_LINES = 50_300


@pytest.fixture(scope="module")
def page(chromium: Browser) -> Iterator[Page]:
    """A page that has nothing but the engine."""
    context = chromium.new_context()
    page = context.new_page()

    def answer(route: Any) -> None:
        path = "/" + route.request.url.split("/", 3)[3]
        if path in FILES:
            route.fulfill(body=FILES[path].read_text(), content_type="text/javascript")
        else:
            route.fulfill(body="<!doctype html><title>engine</title>", content_type="text/html")

    page.route("**/*", answer)
    page.goto("http://engine.test/")
    page.set_default_timeout(60_000)
    yield page
    context.close()


def cards_of(code: str) -> tuple[str, list[str]]:
    deal = Deal.from_code(code)
    return deal.ruleset.letter, [write_card(card) for card in deal.cards]


def read_starts() -> list[Any]:
    return [[*cards_of(code), position] for _, (code, position) in read_rows("starts.tsv")]


def read_positions() -> list[Any]:
    return [fields for name in ("positions.tsv", "more-positions.tsv") for _, fields in read_rows(name)]


def read_steps() -> list[Any]:
    return [fields for name in ("steps.tsv", "more-steps.tsv") for _, fields in read_rows(name)]


def read_refusals() -> list[Any]:
    rows = [fields for name in ("refusals.tsv", "more-refusals.tsv") for _, fields in read_rows(name)]
    return [[position, json.loads(token), reason, place] for position, token, reason, place in rows]


def read_games() -> list[Any]:
    rows = []
    for name in ("games.tsv", "more-games.tsv"):
        for _, (code, moves, _times, text) in read_rows(name):
            verdict = json.loads(text)
            if verdict.get("reason") not in SERVER_REASONS:
                rows.append([*cards_of(code), moves, verdict])
    return rows


def read_perft() -> list[Any]:
    rows = [(text, int(depth), int(lines)) for _, (text, depth, lines) in read_rows("perft.tsv")]
    return [row for row in rows if row[2] < FEW_LINES]


@pytest.mark.parametrize(
    ("kind", "read", "least"),
    [
        ("starts", read_starts, 16),
        ("positions", read_positions, 200),
        ("steps", read_steps, 200),
        ("refusals", read_refusals, 400),
        ("games", read_games, 200),
        ("perft", read_perft, 2),
    ],
)
def test_the_browser_says_what_the_vectors_say(page: Page, kind: str, read: Any, least: int) -> None:
    rows = read()
    assert len(rows) >= least
    rulesets = {letter: dataclasses.asdict(ruleset) for letter, ruleset in RULESETS.items()}
    wrong = page.evaluate(
        "async ([kind, rulesets, rows]) => (await import('/vectors.js')).checks[kind](rulesets, rows)",
        [kind, rulesets, rows],
    )
    assert wrong[:5] == []
