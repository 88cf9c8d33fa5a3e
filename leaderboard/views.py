"""The pages."""

import dataclasses
import json
from datetime import datetime
from typing import Any

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.db.models import OuterRef, Subquery
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext, gettext_noop

from games.engine.rulesets import RULESETS
from games.examples import draw_pyramid
from games.guide import list_groups
from games.models import Player
from games.views import write_page_data
from games.words import WORDS
from leaderboard import daily, entries, feed, pages, ranking, sight, stats, words
from leaderboard.actions import read_clock
from leaderboard.minting import ensure_ready
from leaderboard.models import Board, Race, Standing
from leaderboard.races import CLOSED, OPEN, UPCOMING, day_of

DIFFICULTY = {"easy": gettext_noop("easy"), "medium": gettext_noop("medium"), "hard": gettext_noop("hard")}
EXAMPLE = "N"  # the ruleset of the pyramid at the top


def show_home(request: HttpRequest) -> HttpResponse:
    """What this is, today's dailies, and who leads in each ruleset."""
    ensure_ready()
    first = Standing.objects.filter(board=OuterRef("pk")).order_by("key1", "key2", "key3", "ended_at", "attempt")
    tops = Board.objects.filter(deal=None, kind=Board.RULESET, order=ranking.TIME).values_list(
        Subquery(first.values("pk")[:1])
    )
    leaders = {row.board.ruleset: row for row in Standing.objects.filter(pk__in=tops).select_related("board", "player")}
    rulesets = []
    for letter, ruleset in RULESETS.items():
        row: dict[str, object] = {"letter": letter, "slug": ruleset.slug, "name": gettext(ruleset.name)}
        if leader := leaders.get(letter):
            row |= {"player": leader.player.name, "time": write_time(leader.key1), "moves": leader.key2}
        rulesets.append(row)
    data = write_page_data(rulesets={row["letter"]: row["name"] for row in rulesets})
    page = {"pyramid": draw_pyramid(EXAMPLE), "rulesets": rulesets, "data": data}
    return render(request, "leaderboard/home.html", page | _read_today())


def _read_today() -> dict[str, object]:
    """Today's dailies, as everybody may see them, and the names of the rulesets whose daily is still being dealt."""
    now = read_clock()
    found = [row for row in daily.read_day(day_of(now), AnonymousUser(), now=now) if not row.seen.race.withdrawn_at]
    rows = [
        {
            "race": row.seen.race.pk,
            "letter": row.seen.race.ruleset,
            "name": gettext(RULESETS[row.seen.race.ruleset].name),
            "facts": _tell_facts(row),
            "top": [place._asdict() | {"time": write_time(place.official_ms)} for place in row.top],
        }
        for row in found
    ]
    there = {row["letter"] for row in rows}
    missing = [gettext(RULESETS[letter].name) for letter in settings.DAILY_RULESETS if letter not in there]
    return {"dailies": rows, "missing": missing}


def _tell_facts(row: daily.Daily) -> str:
    difficulty = DIFFICULTY.get(row.seen.race.deal.difficulty)
    players = gettext(WORDS["players"]) % {"count": row.seen.players}
    return f"{gettext(difficulty)} · {players}" if difficulty else players


def write_time(milliseconds: int) -> str:
    """3 minutes, 2.05 seconds: 3:02.05; from an hour on 1:03:02.05."""
    minutes, rest = divmod(milliseconds, 60_000)
    head = f"{minutes // 60}:{minutes % 60:02}" if minutes >= 60 else f"{minutes}"
    return f"{head}:{rest // 1000:02}.{rest % 1000 // 10:02}"


# Races

BOARD_ROWS = 100
BELOW_ROWS = 50
LISTED = 50
# what the page of a race imports: the browser fetches all at once instead of one after the other
RACE_MODULES = [
    *(f"leaderboard/{name}.js" for name in ("board", "feed", "rows", "watching")),
    *(f"games/{name}.js" for name in ("engine", "cards", "layout", "server", "table", "words")),
]


def list_races(request: HttpRequest) -> HttpResponse:
    """Today's dailies, races that are open or to come, and a form for a new one."""
    now = read_clock()
    listed = {
        name: [
            _head_race(seen)
            for seen in entries.list_races(
                request.user, now=now, kind=Race.OPEN, ruleset=None, phase=name, offset=0, limit=LISTED
            )[1]
        ]
        for name in (OPEN, UPCOMING, CLOSED)
    }
    listed[UPCOMING].reverse()  # the next to open first
    dailies = [_head_race(row.seen) for row in daily.read_day(day_of(now), request.user, now=now)]
    groups = [
        (title, [{"letter": row.letter, "name": gettext(row.name)} for row in rows]) for title, rows in list_groups()
    ]
    data = write_page_data(words=words.write_words())
    page = {"listed": listed, "dailies": dailies, "groups": groups, "data": data}
    return render(request, "leaderboard/races.html", page)


def show_daily(request: HttpRequest, letter: str) -> HttpResponse:
    """The page of today's daily in a ruleset."""
    ensure_ready()
    race = daily.find_today(letter)
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
        "head": _head_race(seen),
        "state": state,
        "board": board,
        "playing": [row.said for row in state.rows],
        "invite_code": seen.race.invite_code if seen.race.host == request.user else "",
        "data": data,
        "modules": RACE_MODULES,
    }
    return render(request, "leaderboard/race.html", page)


def _head_race(seen: entries.SeenRace) -> dict[str, Any]:
    """What everybody may be told of a race, for the head of its page and for lists."""
    race = seen.race
    return {
        "id": race.pk,
        "daily": race.kind == Race.DAILY,
        "name": race.name or gettext(RULESETS[race.ruleset].name),
        "letter": race.ruleset,
        "ruleset": gettext(RULESETS[race.ruleset].name),
        "slug": RULESETS[race.ruleset].slug,
        "host": race.host.name if race.host else None,
        "day": race.day,
        "opens_at": race.opens_at,
        "closes_at": race.closes_at,
        "players": gettext(WORDS["players"]) % {"count": seen.players},
        "club": race.club.name if race.club else None,
        "needs_code": bool(race.invite_code),
        "withdrawn": race.withdrawn_at is not None,
        "because": race.withdrawn_because,
        "deal": race.code if seen.shows_deal else None,
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
