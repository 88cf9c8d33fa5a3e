"""The pages of one player: the table and the rules."""

import dataclasses
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import get_language, gettext

from games.engine.rulesets import RULESETS, Ruleset
from games.guide import list_groups, list_pairs, list_singles, summarize, write_guide
from games.words import write_words

# what play.js imports: the browser fetches all at once instead of one after the other
MODULES = [
    f"games/{name}.js" for name in ("engine", "cards", "layout", "sending", "server", "table", "windows", "words")
]
RANKS = {"T": "10", "J": "J", "Q": "Q", "K": "K"}


def write_page_data(**more: Any) -> dict[str, Any]:
    """What the scripts of a page know from the start."""
    return {"language": get_language(), "words": write_words()} | more


def show_play(request: HttpRequest, code: str = "") -> HttpResponse:
    """The table. The script starts or continues the game that the address names."""
    rulesets = {
        letter: dataclasses.asdict(ruleset) | {"name": gettext(ruleset.name), "summary": summarize(ruleset)}
        for letter, ruleset in RULESETS.items()
    }
    data = write_page_data(rulesets=rulesets, code=code)
    groups = [(title, [rulesets[ruleset.letter] for ruleset in rows]) for title, rows in list_groups()]
    return render(request, "games/play.html", {"data": data, "groups": groups, "modules": MODULES})


def list_rules(request: HttpRequest) -> HttpResponse:
    """All rulesets in a line each."""
    groups = [(title, [_describe(ruleset) for ruleset in rows]) for title, rows in list_groups()]
    return render(request, "games/rulesets.html", {"groups": groups})


def show_rules(request: HttpRequest, slug: str) -> HttpResponse:
    """The rules of one ruleset."""
    ruleset = next((row for row in RULESETS.values() if row.slug == slug), None)
    if ruleset is None:
        raise Http404
    pairs = [[_write_rank(rank) for rank in pair] for pair in list_pairs(ruleset)]
    context = {
        "ruleset": _describe(ruleset),
        "parts": write_guide(ruleset),
        "pairs": pairs,
        "singles": [_write_rank(rank) for rank in list_singles(ruleset)],
    }
    return render(request, "games/rules.html", context)


def _describe(ruleset: Ruleset) -> dict[str, str]:
    return {
        "letter": ruleset.letter,
        "slug": ruleset.slug,
        "name": gettext(ruleset.name),
        "summary": summarize(ruleset),
    }


def _write_rank(rank: str) -> str:
    return gettext(RANKS.get(rank, rank))
