"""The pages of races: the list of them, and each as it happens."""

import dataclasses
import json
from datetime import datetime
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext

from games.engine.rulesets import RULESETS
from games.guide import list_groups
from games.models import Player
from games.views import write_page_data
from games.words import WORDS
from leaderboard import daily, entries, feed, pages, ranking, sight, stats, words
from leaderboard.actions import read_clock
from leaderboard.minting import ensure_ready
from leaderboard.models import Race, Round, Standing
from leaderboard.races import CLOSED, OPEN, UPCOMING, day_of
from leaderboard.views.circles import GUESTS, Circle, list_clubs, read_circle
from leaderboard.words import write_time

BOARD_ROWS = 100
BELOW_ROWS = 50
LISTED = 50
# what the page of a race imports: the browser fetches all at once instead of one after the other
RACE_MODULES = [
    *(f"leaderboard/{name}.js" for name in ("board", "circle", "outside", "playing", "ranks", "rows")),
    *(f"leaderboard/{name}.js" for name in ("telling", "watching", "ways")),
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
    return redirect(reverse("race", args=[race]) + (f"?{query}" if (query := request.GET.urlencode()) else ""))


def show_race(request: HttpRequest, race: int) -> HttpResponse:
    """A race as it stands; the script goes on from the state in the page, so that no change is missed between."""
    now = read_clock()
    seen = entries.find_race(race, request.user, now=now)
    state = feed.read_state(race)
    if seen is None or state is None:
        raise Http404
    ruleset = RULESETS[seen.race.ruleset]
    me = request.user.name if isinstance(request.user, Player) else None
    circle = read_circle(request, with_guests=True)
    board = _read_board(seen.race, request.user, circle)
    names = circle.read_names()
    may_see = sight.may_see_rest(request.user, seen.race.deal.order, now=now)
    code = seen.race.code if may_see else None
    head = head_race(seen)
    data = write_page_data(
        words=words.write_words(),
        race=race,
        me=me,
        opens_at=seen.race.opens_at.isoformat(),
        entry=_describe_entry(seen, now),
        may_watch=_may_watch(seen, now),
        may_see=may_see,
        code=code,
        among=circle.value,
        names=names,
        ruleset=dataclasses.asdict(ruleset) | {"name": gettext(ruleset.name)},
        state=state.write(),
        board=board,
        sprint=head["sprint"],
        **_read_outside(seen.race, circle),
    )
    page = {
        "head": head,
        "state": state,
        "board": board,
        "circle": circle,
        "code": code,
        "playing": [row.said for row in state.rows if _counts(row.said, circle, names)],
        "invite_code": seen.race.invite_code if seen.race.host == request.user else "",
        "data": data,
        "modules": RACE_MODULES,
    }
    return render(request, "leaderboard/race.html", page)


def head_race(seen: entries.SeenRace) -> dict[str, Any]:
    """What everybody may be told of a race, for the head of its page and for lists."""
    race = seen.race
    is_round = race.kind == Race.SPRINT
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
        "sprint": Round.objects.filter(race=race).values_list("sprint", flat=True).first() if is_round else None,
    }


def _read_board(race: Race, viewer: sight.Viewer, circle: Circle) -> dict[str, Any]:
    """The first rows of a race's board, and the viewer's own where it is not among them.

    Of guests, who have no rank, the numbers of their rows.
    """
    if circle.value == GUESTS:
        total, rows = stats.list_guests(race, limit=BOARD_ROWS, offset=0)
        return {"total": total, "rows": [_tell_row(row | {"rank": row["row"]}) for row in rows], "own": None}
    key = pages.BoardKey(race.ruleset, ranking.TIME, race=race.pk)
    page = pages.read_pages(key, limit=BOARD_ROWS, among=circle.players)[0]
    rows = [_read_row(text) for text in page.rows]
    own = None
    if isinstance(viewer, Player) and page.next and all(row["player"] != viewer.name for row in rows):
        try:
            around = pages.read_pages(key, limit=0, around=viewer, among=circle.players)[0]
            own = _read_row(around.rows[0])
        except Standing.DoesNotExist:
            own = None
    return {"total": page.total, "rows": rows, "own": own}


def _read_outside(race: Race, circle: Circle) -> dict[str, Any]:
    """Who stands outside the ranks, of the circle; where the guests have the ranks' place, nobody."""
    if circle.value == GUESTS:
        return {"below": [], "guests": []}
    window: dict[str, Any] = {"limit": BELOW_ROWS, "offset": 0, "among": circle.players}
    return {"below": stats.list_below(race, **window)[1], "guests": stats.list_guests(race, **window)[1]}


def _counts(row: dict[str, Any], circle: Circle, names: list[str] | None) -> bool:
    """Whether a row of the feed is of somebody in the circle."""
    return row["guest"] if circle.value == GUESTS else names is None or row["player"] in names


def _read_row(text: str) -> dict[str, Any]:
    return _tell_row(json.loads(text + "}"))


def _tell_row(row: dict[str, Any]) -> dict[str, Any]:
    kept = {name: row.get(name) for name in ("rank", "player", "official_ms", "moves", "when", "replay")}
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
