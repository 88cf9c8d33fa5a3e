"""The page of a player: what one has done, how it went over time, and how the viewer compares."""

from datetime import datetime
from typing import Any

from django.core.exceptions import BadRequest
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext, gettext_noop

from games.accounts.views import for_players
from games.engine.rulesets import RULESETS
from games.errors import Problem
from games.models import Attempt, Player, write_code
from leaderboard import daily, people, ranking, sight, stats
from leaderboard.actions import read_clock
from leaderboard.models import Follow
from leaderboard.races import day_of
from leaderboard.views.charts import count_times, draw_bars, draw_days, draw_line
from leaderboard.views.links import Link, link_ghost, link_to, read_offset
from leaderboard.views.ratings import list_curves
from leaderboard.words import write_form_data, write_seconds, write_time

GAMES = 25
TREND = 50  # of the latest wins
SPREAD = 1000  # so many of the latest wins
BINS = 20
SHARED = 10
ORDERS = {
    "when": gettext_noop("Newest"),
    ranking.TIME: gettext_noop("Time"),
    ranking.MOVES: gettext_noop("Moves"),
    ranking.POINTS: gettext_noop("Points"),
}


@for_players
def show_me(request: HttpRequest) -> HttpResponse:
    """One's own page."""
    assert isinstance(request.user, Player)
    return redirect("player", request.user.name)


def show_player(request: HttpRequest, name: str) -> HttpResponse:
    """A player's page, at the present name; other ways to write it and earlier names lead there."""
    try:
        player = people.find_player(name)
    except Problem:
        raise Http404 from None
    if player.name != name:
        query = request.GET.urlencode()
        return redirect(reverse("player", args=[player.name]) + (f"?{query}" if query else ""))
    totals = stats.read_totals(player)
    letter = _choose_ruleset(request, totals)
    page = {
        "player": player,
        "is_me": request.user == player,
        "totals": [_tell_total(request, row, letter) for row in totals],
        "ratings": list_curves(player),
        "ruleset": gettext(RULESETS[letter].name) if letter else None,
        "data": write_form_data(),
    }
    page |= _read_days(player) | _read_ties(request, player)
    if letter:
        page |= _read_times(player, letter) | _read_games(request, player, letter) | _compare(request, player, letter)
    return render(request, "leaderboard/player.html", page)


def _choose_ruleset(request: HttpRequest, totals: list[dict[str, Any]]) -> str | None:
    """The one that is asked for, or else the one that is played most; None for who has played none."""
    asked = request.GET.get("ruleset")
    if asked is not None and asked not in RULESETS:
        raise BadRequest("ruleset")
    most = max(totals, key=lambda row: (row["games"], row["ruleset"]), default=None)
    return asked or (most["ruleset"] if most else None)


def _tell_total(request: HttpRequest, row: dict[str, Any], letter: str | None) -> dict[str, Any]:
    best, fewest = row["best_time"], row["fewest_moves"]
    points = row["best_points"] if RULESETS[row["ruleset"]].scoring == "points" else None
    return {
        "letter": row["ruleset"],
        "name": gettext(RULESETS[row["ruleset"]].name),
        "elsewhere": row["clock"] == Attempt.CLIENT,
        "url": f"{link_to(request, ruleset=row['ruleset'], order=None)}#ruleset",
        "is_current": row["ruleset"] == letter,
        "games": row["games"],
        "wins": row["wins"],
        "best_time": best and write_time(best["official_ms"]),
        "fewest_moves": fewest and fewest["moves"],
        "best_points": points and points["points"] + (points["bonus"] or 0),
    }


def _read_days(player: Player) -> dict[str, Any]:
    """The streak, and the picture of the days with a daily."""
    now = read_clock()
    diary = daily.read_diary(player, now=now)
    kinds = {day: "won" if won else "played" for day, won in diary.days.items()} | dict.fromkeys(diary.frozen, "frozen")
    drawn = draw_days(kinds, day_of(now))
    shown = [square.kind for square in drawn.squares]
    return {
        "streak": diary.streaks.streak,
        "longest_run": diary.streaks.longest_run,
        "days": drawn,
        "days_text": gettext("Days with a daily in half a year: %(played)s, with a win: %(won)s, frozen: %(frozen)s.")
        % {
            "played": shown.count("won") + shown.count("played"),
            "won": shown.count("won"),
            "frozen": shown.count("frozen"),
        },
    }


def _read_ties(request: HttpRequest, player: Player) -> dict[str, Any]:
    """Whether the viewer follows the player; on one's own page whom one follows, and by whom one is followed."""
    viewer = request.user
    if viewer == player:
        following = Follow.objects.filter(follower=player, followed__is_active=True)
        followers = Follow.objects.filter(followed=player, follower__is_active=True)
        return {
            "following": sorted(following.values_list("followed__name", flat=True)),
            "followers": sorted(followers.values_list("follower__name", flat=True)),
        }
    if not isinstance(viewer, Player):
        return {}
    return {"may_follow": True, "follows": Follow.objects.filter(follower=viewer, followed=player).exists()}


def _read_times(player: Player, letter: str) -> dict[str, Any]:
    """The pictures of the times of the wins: one after the other, and how they are spread."""
    times = stats.list_win_times(player, letter, SPREAD)
    latest = times[-TREND:]
    line = draw_line(latest)
    spread = count_times(times, BINS)
    bars = draw_bars(spread) if len(times) > 1 else []
    return {
        "line": line,
        "line_top": line and write_time(line.high),
        "line_bottom": line and write_time(line.low),
        "line_text": line
        and gettext("The latest wins, %(count)s of them: from %(first)s to %(last)s; the best %(best)s.")
        % {
            "count": len(latest),
            "first": write_time(latest[0]),
            "last": write_time(latest[-1]),
            "best": write_time(line.low),
        },
        "bars": bars,
        "slower": spread.slower,
        "bars_from": bars and write_seconds(bars[0].low),
        "bars_to": bars and write_seconds(bars[-1].high),
        "bars_text": gettext("How the times of %(count)s wins are spread.") % {"count": len(times)},
    }


def _read_games(request: HttpRequest, player: Player, letter: str) -> dict[str, Any]:
    """A page of the games in a ruleset; which cards they were is told to who may know them."""
    order = request.GET.get("order", "when")
    with_points = RULESETS[letter].scoring == "points"
    if order not in ORDERS:
        raise BadRequest("order")
    offset = read_offset(request)
    now = read_clock()
    games = stats.list_attempts(player, order, ruleset=letter, with_open=request.user == player, now=now)
    found = list(games[offset : offset + GAMES + 1])
    rows = [game.expire(now=now) for game in found[:GAMES]]
    orders = {game.deal.order for game in rows}
    hidden = sight.hidden_orders(request.user, orders, now=now)
    told = orders if request.user == player else sight.told_orders(request.user, orders, now=now)
    ghosts = sight.ghost_orders(orders, now=now)
    return {
        "games": [_tell_game(game, hidden, told, ghosts) for game in rows],
        "orders": [
            Link(gettext(label), f"{link_to(request, ruleset=letter, order=value)}#games", value == order)
            for value, label in ORDERS.items()
            if with_points or value != ranking.POINTS
        ],
        "with_points": with_points,
        "previous": f"{link_to(request, offset=max(0, offset - GAMES) or None)}#games" if offset else None,
        "next": f"{link_to(request, offset=offset + GAMES)}#games" if len(found) > GAMES else None,
    }


def _tell_game(game: Attempt, hidden: set[str], told: set[str], ghosts: set[str]) -> dict[str, Any]:
    counts = game.end == Attempt.WON and not game.held and not game.voided_at
    return {
        "id": game.pk,
        "deal": None if game.deal.order in hidden else game.deal.code,
        "when": game.started_at,
        "end": game.end,
        "time": game.official_ms is not None and write_time(game.official_ms),
        "moves": game.counted_moves,
        "points": game.points + (game.bonus or 0),
        "left": game.left,
        "ranked": game.ranked,
        "assisted": game.assisted,
        "elsewhere": game.clock == Attempt.CLIENT,
        "held": bool(game.held),
        "void": game.voided_at is not None,
        "may_see": bool(game.end) and game.deal.order in told and not game.voided_because,
        "beat": counts and game.deal.order in ghosts and link_ghost(game.deal.code, game.pk),
    }


# The viewer beside the player


def _compare(request: HttpRequest, player: Player, letter: str) -> dict[str, Any]:
    """The viewer and the player in a ruleset; deals that the viewer may not know of are left out."""
    viewer = request.user
    if not isinstance(viewer, Player) or viewer == player:
        return {}
    found = stats.list_shared(viewer, player, letter)
    now = read_clock()
    hidden = sight.hidden_orders(viewer, {row.order for row in found}, now=now)
    shared = [row for row in found if row.order not in hidden]
    mine, theirs = (_find_totals(one, letter) for one in (viewer, player))
    return {
        "sides": [
            (label, mine.get(field), theirs.get(field))
            for label, field in (
                (gettext("Games"), "games"),
                (gettext("Wins"), "wins"),
                (gettext("Best time"), "time"),
                (gettext("Fewest moves"), "moves"),
            )
        ]
        + [(gettext("Faster on the same deal"), *(sum(row.faster == who for row in shared) for who in (1, -1)))],
        "shared_count": len(shared),
        "shared": _tell_shared(shared[:SHARED], now),
    }


def _tell_shared(shared: list[stats.Shared], now: datetime) -> list[dict[str, Any]]:
    ghosts = sight.ghost_orders((row.order for row in shared), now=now)
    codes = [write_code(row.ruleset, row.order, row.seed) for row in shared]
    return [
        {
            "deal": code,
            "mine": write_time(row.first["official_ms"]),
            "theirs": write_time(row.second["official_ms"]),
            "faster": row.faster,
            "beat": row.order in ghosts and link_ghost(code, row.second["replay"]),
        }
        for row, code in zip(shared, codes, strict=True)
    ]


def _find_totals(player: Player, letter: str) -> dict[str, Any]:
    for row in stats.read_totals(player):
        if (row["ruleset"], row["clock"]) == (letter, Attempt.SERVER):
            best, fewest = row["best_time"], row["fewest_moves"]
            return {
                "games": row["games"],
                "wins": row["wins"],
                "time": best and write_time(best["official_ms"]),
                "moves": fewest and fewest["moves"],
            }
    return {"games": 0, "wins": 0}
