"""The pages of sprints: those that wait for players, and each from its lobby to its result."""

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext

from games.engine.rulesets import RULESETS
from games.errors import Problem
from games.models import Player
from games.views import MODULES, describe_table, write_page_data
from games.words import WORDS
from leaderboard import sprinting, words
from leaderboard.actions import read_clock
from leaderboard.describing import describe_sprint
from leaderboard.models import Sprint
from leaderboard.views.races import name_groups

# what the page of a sprint imports beside the table: the browser fetches all at once instead of one after the other
SPRINT_MODULES = [
    *MODULES,
    *(f"games/{name}.js" for name in ("feed", "line", "live", "play")),
    *(f"leaderboard/{name}.js" for name in ("board", "counting", "lobby", "outcome", "rows", "sprint_words", "stage")),
    "leaderboard/telling.js",
]


def list_sprints(request: HttpRequest) -> HttpResponse:
    """The public sprints that wait for players, and a form for a new one. The script keeps the list fresh."""
    data = write_page_data(
        words=words.write_sprint_words(),
        rulesets={letter: gettext(ruleset.name) for letter, ruleset in RULESETS.items()},
    )
    rows = [head_sprint(sprint) for sprint in sprinting.list_lobbies(read_clock())]
    return render(request, "leaderboard/sprints.html", {"rows": rows, "groups": name_groups(), "data": data})


def show_sprint(request: HttpRequest, sprint: int) -> HttpResponse:
    """A sprint as it stands; the script goes on from there."""
    try:
        state = describe_sprint(sprint, request.user)
    except Problem as problem:
        raise Http404 from problem
    found = Sprint.objects.select_related("host").get(pk=sprint)
    me = request.user.name if isinstance(request.user, Player) else None
    page = describe_table(words=words.write_sprint_words(), race_page=True, sprint=state, me=me)
    return render(request, "leaderboard/sprint.html", page | {"head": head_sprint(found), "modules": SPRINT_MODULES})


def head_sprint(sprint: Sprint) -> dict[str, Any]:
    """What everybody may be told of a sprint, for the head of its page and for lists."""
    ruleset = RULESETS[sprint.ruleset]
    rounds = gettext(words.SPRINT_WORDS["best_of"]) % {"rounds": sprint.best_of}
    facts = [None if sprint.host.is_banned else sprint.host.name, rounds if sprint.best_of > 1 else None]
    return {
        "id": sprint.pk,
        "ruleset": gettext(ruleset.name),
        "name": gettext(ruleset.name),
        "slug": ruleset.slug,
        "difficulty": gettext(WORDS[sprint.difficulty]) if sprint.difficulty else "",
        "best_of": sprint.best_of,
        "rounds": rounds,
        "rated": not sprint.deal,
        "starts_at": sprint.starts_at,
        "facts": " · ".join(fact for fact in facts if fact),
    }
