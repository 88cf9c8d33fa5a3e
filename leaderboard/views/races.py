"""The pages of races: the list of them, and each as it happens."""

import dataclasses
import json
from datetime import datetime
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext

from games.engine.rulesets import RULESETS
from games.guide import list_groups
from games.models import Player
from games.views import write_page_data
from games.words import WORDS
from leaderboard import daily, entries, feed, pages, ranking, sight, stats, words
from leaderboard.actions import read_clock
from leaderboard.minting import ensure_ready
from leaderboard.models import Race, Standing
from leaderboard.races import CLOSED, OPEN, UPCOMING, day_of
from leaderboard.words import write_time

BOARD_ROWS = 100
BELOW_ROWS = 50
LISTED = 50
# what the page of a race imports: the browser fetches all at once instead of one after the other
RACE_MODULES = [
    *(f"leaderboard/{name}.js" for name in ("board", "playing", "rows", "telling", "watching")),
    *(f"games/{name}.js" for name in ("engine", "cards", "feed", "layout", "line", "server", "table", "words")),
]


def list_races(request: HttpRequest) -> HttpResponse:
    """Today's dailies, races that are open or to come, and a form for a new one."""
    now = read_clock()
    listed = {
        name: [
            head_race(seen)
            for seen in entries.list_races(
                request.user, now=now, kind=Race.OPEN, ruleset=None, phase=name, offset=0, limit=LISTED
            )[1]
        ]
        for name in (OPEN, UPCOMING, CLOSED)
    }
    listed[UPCOMING].reverse()  # the next to open first
    dailies = [head_race(row.seen) for row in daily.read_day(day_of(now), request.user, now=now)]
    data = write_page_data(words=words.write_words())
    clubs = list_clubs(request.user)
    page = {"listed": listed, "dailies": dailies, "groups": name_groups(), "clubs": clubs, "data": data}
    return render(request, "leaderboard/races.html", page)


def list_clubs(viewer: sight.Viewer) -> list[tuple[int, str]]:
    """The viewer's clubs, (id, name), by name."""
    if not isinstance(viewer, Player):
        return []
    return list(viewer.memberships.order_by("club__name").values_list("club", "club__name"))


def name_groups() -> list[tuple[str, list[dict[str, str]]]]:
    """The rulesets in their groups, for a list to choose from."""
    return [
        (title, [{"letter": row.letter, "name": gettext(row.name)} for row in rows]) for title, rows in list_groups()
    ]


def show_daily(request: HttpRequest, letter: str) -> HttpResponse:
    """The page of today's daily in a ruleset."""
    ensure_ready()
    race = daily.find_today(letter) if letter in RULESETS else None
    if race is None:
        raise Http404
    return redirect("race", race)


def show_race(request: HttpRequest, race: int) -> HttpResponse:
    """A race as it stands; the script goes on from the state in the page, so that no change is missed between."""
    now = read_clock()
    seen = entries.find_race(race, request.user, now=now)
    state = feed.read_state(race)
    if seen is None or state is None:
        raise Http404
    ruleset = RULESETS[seen.race.ruleset]
    me = request.user.name if isinstance(request.user, Player) else None
    board = _read_board(seen.race, request.user)
    guests = stats.list_guests(seen.race, limit=BELOW_ROWS, offset=0)[1]
    data = write_page_data(
        words=words.write_words(),
        race=race,
        me=me,
        opens_at=seen.race.opens_at.isoformat(),
        entry=_describe_entry(seen, now),
        may_watch=_may_watch(seen, now),
        ruleset=dataclasses.asdict(ruleset) | {"name": gettext(ruleset.name)},
        state=state.write(),
        board=board,
        below=stats.list_below(seen.race, limit=BELOW_ROWS, offset=0)[1],
        guests=guests,
    )
    page = {
        "head": head_race(seen),
        "state": state,
        "board": board,
        "playing": [row.said for row in state.rows],
        "invite_code": seen.race.invite_code if seen.race.host == request.user else "",
        "data": data,
        "modules": RACE_MODULES,
    }
    return render(request, "leaderboard/race.html", page)


def head_race(seen: entries.SeenRace) -> dict[str, Any]:
    """What everybody may be told of a race, for the head of its page and for lists."""
    race = seen.race
    return {
        "id": race.pk,
        "daily": race.kind == Race.DAILY,
        "name": race.name or gettext(RULESETS[race.ruleset].name),
        "ruleset": gettext(RULESETS[race.ruleset].name),
        "slug": RULESETS[race.ruleset].slug,
        "host": race.host_name,
        "day": race.day,
        "opens_at": race.opens_at,
        "closes_at": race.closes_at,
        "players": gettext(WORDS["players"]) % {"count": seen.players},
        "club": race.club.name if race.club else None,
        "needs_code": bool(race.invite_code),
        "because": race.withdrawn_because,
        "entered": seen.entry is not None,
    }


def _read_board(race: Race, viewer: sight.Viewer) -> dict[str, Any]:
    """The first rows of a race's board, and the viewer's own where it is not among them."""
    key = pages.BoardKey(race.ruleset, ranking.TIME, race=race.pk)
    page = pages.read_page(key, limit=BOARD_ROWS)
    rows = [_read_row(text) for text in page.rows]
    own = None
    if isinstance(viewer, Player) and page.next and all(row["player"] != viewer.name for row in rows):
        try:
            own = _read_row(pages.read_page(key, limit=0, around=viewer).rows[0])
        except Standing.DoesNotExist:
            own = None
    return {"total": page.total, "rows": rows, "own": own}


def _read_row(text: str) -> dict[str, Any]:
    row = json.loads(text + "}")
    kept = {name: row[name] for name in ("rank", "row", "player", "official_ms", "moves", "when")}
    return kept | {"time": write_time(row["official_ms"])}


def _describe_entry(seen: entries.SeenRace, now: datetime) -> dict[str, Any] | None:
    """One's own entry: its attempt, and whether it is over."""
    if seen.entry is None:
        return None
    return {"attempt": seen.entry.attempt_id, "over": bool(seen.entry.attempt.expire(now=now).end)}


def _may_watch(seen: entries.SeenRace, now: datetime) -> bool:
    """Whether the viewer may see the tables of those who play: `watching.find_table` decides of each."""
    entry = seen.entry
    if entry is None or not entry.attempt.expire(now=now).end:
        return False
    return sight.may_see_rest(entry.player, seen.race.deal.order, now=now)
