"""The pages of one player: the table and the rules."""

import dataclasses
from typing import Any

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.templatetags.static import static
from django.urls import reverse
from django.utils.translation import get_language, gettext

from games.engine.rulesets import RULESETS, Ruleset
from games.examples import draw_covering, draw_removals, draw_table
from games.guide import (
    explain_covering,
    explain_table,
    list_groups,
    summarize,
    write_guide,
)
from games.words import write_words

# what play.js imports: the browser fetches all at once instead of one after the other
MODULES = [
    f"games/{name}.js"
    for name in (
        *("cards", "clock", "ending", "engine", "ghosts", "hints", "layout", "moving"),
        *("pausing", "rivals", "sending", "server", "showing", "socket", "starting", "state", "strip"),
        *("table", "windows", "words"),
    )
]


def write_page_data(**more: Any) -> dict[str, Any]:
    """What the scripts of a page know from the start."""
    return {"language": get_language(), "words": write_words()} | more


def show_play(request: HttpRequest, code: str = "") -> HttpResponse:
    """The table. The script starts or continues the game that the address names."""
    worker = None if settings.DEBUG else reverse("worker")  # it would keep files that are being changed
    page = describe_table(code=code, worker=worker, offline=False, offline_page=reverse("offline"))
    return render(request, "games/play.html", page)


def describe_table(**more: Any) -> dict[str, Any]:
    """What the template of the table is filled with; more: what its scripts know of this visit."""
    rulesets = {
        letter: dataclasses.asdict(ruleset) | {"name": gettext(ruleset.name), "summary": summarize(ruleset)}
        for letter, ruleset in RULESETS.items()
    }
    groups = [(title, [rulesets[ruleset.letter] for ruleset in rows]) for title, rows in list_groups()]
    data = write_page_data(rulesets=rulesets, offline_module=static("games/offline.js"), **more)
    return {"data": data, "groups": groups, "modules": MODULES}


def list_rules(request: HttpRequest) -> HttpResponse:
    """All rulesets in a line each."""
    groups = [(title, [_describe(ruleset) for ruleset in rows]) for title, rows in list_groups()]
    return render(request, "games/rulesets.html", {"groups": groups})


def show_rules(request: HttpRequest, slug: str) -> HttpResponse:
    """The rules of one ruleset, with drawings, and the ways to its neighbours in the list."""
    order = [ruleset for _title, rows in list_groups() for ruleset in rows]
    at = next((at for at, row in enumerate(order) if row.slug == slug), None)
    if at is None:
        raise Http404
    ruleset = order[at]
    context = {
        "ruleset": _describe(ruleset),
        "parts": write_guide(ruleset),
        "removals": draw_removals(ruleset),
        "table": draw_table(ruleset),
        "table_text": explain_table(ruleset),
        "covering": draw_covering(ruleset),
        "covering_text": explain_covering(ruleset),
        "before": _describe(order[at - 1]) if at else None,
        "after": _describe(order[at + 1]) if at + 1 < len(order) else None,
    }
    return render(request, "games/rules.html", context)


def _describe(ruleset: Ruleset) -> dict[str, str]:
    return {
        "letter": ruleset.letter,
        "slug": ruleset.slug,
        "name": gettext(ruleset.name),
        "summary": summarize(ruleset),
    }
