"""The page of a ranked win, for others to see, and its picture."""

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext

from games.engine.rulesets import RULESETS
from games.views import write_page_data
from leaderboard import drawing, results, sight, words
from leaderboard.actions import read_clock
from leaderboard.races import OPEN, phase
from leaderboard.results import Result
from leaderboard.views.links import link_ghost
from leaderboard.views.replays import may_report
from leaderboard.words import write_time

# of what may have to be taken back nobody keeps a copy for longer
PICTURE_CACHE = "public, max-age=86400, immutable"


def show_result(request: HttpRequest, attempt: int) -> HttpResponse:
    """A ranked win with nothing of its cards: who has not played them yet may see it."""
    result = _find(attempt)
    ruleset = RULESETS[result.attempt.ruleset]
    picture = reverse("result-picture", args=[attempt, results.address_picture(result)])
    text = results.tell(result)
    page = {
        "result": result,
        "ruleset": gettext(ruleset.name),
        "slug": ruleset.slug,
        "day": results.write_day(result.day),
        "time": write_time(result.attempt.official_ms or 0),
        "facts": results.tell_facts(result),
        "text": text,
        "picture": request.build_absolute_uri(picture),
        "address": request.build_absolute_uri(request.path),
        "size": drawing.SIZE,
        "beat": _find_game(request.user, result),
        "replay": sight.may_see_replay(request.user, result.attempt, now=read_clock()),
        "may_report": may_report(request.user, result.attempt),
        "data": write_page_data(words=words.write_words()),
    }
    return render(request, "leaderboard/result.html", page)


def show_picture(request: HttpRequest, attempt: int, name: str) -> HttpResponse:
    """The picture under its name; an earlier name leads to that of now."""
    result = _find(attempt)
    now = results.address_picture(result)
    if name != now:
        return redirect("result-picture", attempt, now)
    png = results.read_picture(result)
    return HttpResponse(png, content_type="image/png", headers={"Cache-Control": PICTURE_CACHE})


def _find(attempt: int) -> Result:
    result = results.find_result(attempt)
    if result is None:
        raise Http404
    return result


def _find_game(viewer: Any, result: Result) -> str | None:
    """Where the viewer plays the same cards; None where they may not be told and the race is not open to everybody."""
    race, now, ghost = result.race, read_clock(), result.attempt.pk
    if race and not race.withdrawn_at and phase(now, race.opens_at, race.closes_at) == OPEN:
        if race.invite_code or race.club_id:
            return reverse("race", args=[race.pk])
        return f"{reverse('play')}?race={race.pk}&ghost={ghost}"
    deal = result.attempt.deal
    if sight.hidden_orders(viewer, [deal.order], now=now):
        return None
    return link_ghost(race.code if race else deal.code, ghost)
