"""The pages of one game: its replay, to be watched."""

import dataclasses
import json
from datetime import datetime
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.formats import date_format
from django.utils.translation import gettext, gettext_noop

from games.actions import may_see_par
from games.engine import replay
from games.engine.cards import write_cards
from games.engine.rulesets import RULESETS
from games.models import Attempt, Deal, Player
from games.views import write_page_data
from leaderboard import pages, ranking, sight, standings, words
from leaderboard.actions import read_clock
from leaderboard.models import Entry, Race
from leaderboard.views.links import link_ghost
from leaderboard.words import write_time

PAR = "par"  # what `beside` says for the shortest line known
SPEEDS = (1, 2, 4, 8, 16)
OFFERED = 8  # games of the same deal
MODULES = [
    "leaderboard/timeline.js",
    *(f"games/{name}.js" for name in ("engine", "cards", "layout", "table", "words")),
]
ENDS = {
    Attempt.WON: gettext_noop("won"),
    Attempt.RESIGNED: gettext_noop("given up"),
    Attempt.EXPIRED: gettext_noop("time ran out"),
    "": gettext_noop("still played"),
}
BOARDS = {
    "race": gettext_noop("Rank %(rank)s of %(total)s in this race"),
    "ruleset": gettext_noop("Rank %(rank)s of %(total)s in this ruleset"),
    "deal": gettext_noop("Rank %(rank)s of %(total)s on this deal"),
}


def show_replay(request: HttpRequest, attempt: int) -> HttpResponse:
    """A game step by step, or as it was played; `?beside=` another of the same deal, or `par`."""
    now = read_clock()
    found = _find(attempt)
    if found is None or not sight.may_see_replay(request.user, found, now=now):
        return _refuse(request, _explain(request.user, found, now))
    wanted = request.GET.get("beside", "")
    sides = [_describe_game(found.expire(now=now))]
    if wanted:
        other = _find_beside(request.user, found, wanted, now)
        if isinstance(other, str):
            return _refuse(request, other)
        sides.append(other)
    ruleset = RULESETS[found.ruleset]
    data = write_page_data(
        words=words.write_words(),
        ruleset=dataclasses.asdict(ruleset) | {"name": gettext(ruleset.name)},
        cards=write_cards(found.deal.cards.cards),
        lines=[{"moves": side["line"], "times": side["times"]} for side in sides],
    )
    page = {
        "head": _describe_head(found),
        "beat": _link_ghost(found, now),
        "sides": sides,
        "wanted": wanted,
        "offers": _list_offers(request.user, found, now),
        "may_report": may_report(request.user, found),
        "speeds": list(enumerate(SPEEDS, 1)),
        "data": data,
        "modules": MODULES,
    }
    return render(request, "leaderboard/replay.html", page)


def may_report(viewer: sight.Viewer, attempt: Attempt) -> bool:
    """Whether a page offers to report a result: to players, and not one's own."""
    return isinstance(viewer, Player) and viewer != attempt.player


def _find(attempt: int) -> Attempt | None:
    return Attempt.objects.select_related("deal", "player").filter(pk=attempt).first()


def _refuse(request: HttpRequest, sentence: str) -> HttpResponse:
    return render(request, "error.html", {"status": 404, "sentence": sentence}, status=404)


def _explain(viewer: sight.Viewer, attempt: Attempt | None, now: datetime) -> str:
    """Why there is nothing to see, and when there will be."""
    hidden = sight.explain_hidden(viewer, attempt, now=now) if attempt else sight.Hidden("none")
    if hidden.until:
        message = gettext("This game can be watched once you have ended yours in the race, or from %(moment)s UTC.")
        return message % {"moment": date_format(hidden.until, "DATETIME_FORMAT")}
    if hidden.why == "playing":
        return gettext("You are playing these cards yourself: this game can be watched once yours has ended.")
    if hidden.why == "open":
        return gettext("This game is still played: it can be watched once it has ended.")
    return gettext("There is no replay here that you may see now.")


def _find_beside(viewer: sight.Viewer, shown: Attempt, wanted: str, now: datetime) -> dict[str, Any] | str:
    """The side that stands beside a game, or why there is none."""
    if wanted == PAR:
        if not _may_see_line(viewer, shown.deal, now):
            return gettext("Par of a deal is shown to who has ended a game on it.")
        return {"title": gettext("A shortest way"), "time": None, "line": shown.deal.line, "times": None}
    other = _find(int(wanted)) if wanted.isascii() and wanted.isdigit() and len(wanted) < 19 else None
    if other is None or not sight.may_see_replay(viewer, other, now=now):
        return _explain(viewer, other, now)
    if other.deal_id != shown.deal_id:
        return gettext("Only games of the same deal stand beside each other.")
    return _describe_game(other.expire(now=now))


def _may_see_line(viewer: sight.Viewer, deal: Deal, now: datetime) -> bool:
    """Whether the line of a deal may be shown, and there is one."""
    may = deal.line and may_see_par(viewer, deal) and sight.par_orders(viewer, [deal.order], now=now)
    return bool(may)


def _describe_game(attempt: Attempt) -> dict[str, Any]:
    time = None if attempt.official_ms is None else write_time(attempt.official_ms)
    return {"title": attempt.player.name, "time": time, "line": attempt.moves, "times": attempt.times}


def _link_ghost(shown: Attempt, now: datetime) -> str | None:
    """Where the deal is played beside this game; None where it is nothing to beat, or a race lies open on the cards."""
    counts = shown.end == Attempt.WON and not shown.held and not shown.voided_at
    free = counts and sight.ghost_orders([shown.deal.order], now=now)
    return link_ghost(shown.deal.code, shown.pk) if free else None


def _list_offers(viewer: sight.Viewer, shown: Attempt, now: datetime) -> list[tuple[str, str]]:
    """What may stand beside a game, for a list: (value, name)."""
    offers = [(PAR, gettext("A shortest way"))] if _may_see_line(viewer, shown.deal, now) else []
    if not sight.may_see_rest(viewer, shown.deal.order, now=now):
        return offers
    key = pages.BoardKey(shown.ruleset, ranking.TIME, Attempt.SERVER, shown.deal.order)
    rows = (json.loads(text + "}") for text in pages.read_page(key, limit=OFFERED).rows)
    others = (row for row in rows if row["replay"] != shown.pk)
    return offers + [(str(row["replay"]), f"{row['player']} {write_time(row['official_ms'])}") for row in others]


def _describe_head(attempt: Attempt) -> dict[str, Any]:
    """Who played what, when and how well."""
    ruleset = RULESETS[attempt.ruleset]
    verdict = replay.verify(attempt.deal.cards, attempt.moves, attempt.times)
    assert isinstance(verdict, replay.Verdict), "a stored replay is legal"
    entry = Entry.objects.filter(attempt=attempt).select_related("race").order_by("-ranked", "id").first()
    facts = {"moves": verdict.moves, "end": gettext(ENDS[attempt.end])}
    places = standings.read_places(attempt.pk) if attempt.end == Attempt.WON else []
    return {
        "id": attempt.pk,
        "player": attempt.player.name,
        "ruleset": gettext(ruleset.name),
        "slug": ruleset.slug,
        "race": entry and {"id": entry.race_id, "name": name_race(entry.race)},
        "kind": _name_kind(attempt),
        "when": attempt.ended_at or attempt.started_at,
        "time": None if attempt.official_ms is None else write_time(attempt.official_ms),
        "moves": verdict.moves,
        "places": [gettext(BOARDS[place["board"]]) % place for place in places],
        "checked": gettext("Checked by the server: %(moves)s moves, %(end)s") % facts,
        "deal": attempt.deal.code,
    }


def name_race(race: Race) -> str:
    """The name of a race; a daily's is its day."""
    if race.day:
        return f"{gettext('Daily')} {date_format(race.day, 'DATE_FORMAT')}"
    return race.name or gettext(RULESETS[race.ruleset].name)


def _name_kind(attempt: Attempt) -> str:
    if attempt.ranked:
        return gettext("Ranked")
    if attempt.clock == Attempt.CLIENT:
        return gettext("Practice, by the player's own clock")
    return gettext("Practice with hints") if attempt.assisted else gettext("Practice")
