"""Does any page still name a player who was banned, or whose account was deleted? A table over every page."""

import html
from collections.abc import Callable
from datetime import timedelta
from typing import Any
from urllib.parse import quote

import pytest
from django.test import Client
from django.urls import URLPattern

from games.engine.rulesets import RULESETS
from games.models import Player
from leaderboard import clubs, fair, moderating, people, racing, sprinting, sprints
from leaderboard.actions import play_moves, read_clock, resign
from leaderboard.results import address_picture, find_result
from pyramid_site.urls import V1, urlpatterns
from tests.players import EASY_MOVES, easy_deal, log_in, make_daily, make_player, solved_deals, win
from tests.sprints import give_ratings, pass_time

pytestmark = pytest.mark.django_db

NAME = "Zenobia"  # and what five players' names begin with
BOARDS = ["", "?among=friends", "?among=club:{club}"]
# every page by its name, with the addresses to look at: those that name Zenobia while she plays,
NAMING = {
    "home": ["/"],
    "boards": ["/boards/"],
    "races": ["/races/"],
    "race": [f"/races/{{race}}/{circle}" for circle in [*BOARDS, "?among=guests"]]
    + ["/races/{yesterday}/", "/races/{hers}/"],
    "todays-race": ["/daily/T/"],
    "sprints": ["/sprints/"],
    "sprint": ["/sprints/{sprint}/", "/sprints/{waiting}/"],
    "replay": ["/replays/{won}/", "/replays/{mine}/", "/replays/{mine}/?beside={won}"],
    "result": ["/results/{won}/"],
    "board": [f"/boards/T/{circle}" for circle in BOARDS]
    + ["/boards/T/?period=day&order=moves", "/boards/T/?around=me"],
    "deal-board": [f"/boards/deals/{{code}}/{circle}" for circle in [*BOARDS, "?clock=client"]],
    "rating-board": [f"/ratings/N/{circle}" for circle in BOARDS],
    "season": ["/seasons/{month}/", "/seasons/{month}/?among=friends&ruleset=T"],
    "player": ["/players/Zenobia/"],
    "my-page": ["/players/me/"],
    "club": ["/clubs/{club}/"],
    "account-reports": ["/account/reports/"],
}
# those that name nobody else,
BARE = {
    "play": ["/play/", "/play/?race={race}"],
    "play-deal": ["/play/{code}?ghost={won}"],
    "calendar": ["/calendar/"],
    "seasons": ["/seasons/"],  # on the first of a month nothing counts yet
    "clubs": ["/clubs/"],
    "club-join": ["/clubs/join/{invite}"],
    "result-picture": ["/results/{won}/{picture}.png"],
}
# and those that do not know that there are others
APART = {"offline", "worker", "manifest", "rules", "ruleset-rules", "language", "api"}
GONE = ["/players/Zenobia/", "/results/{won}/", "/results/{won}/{picture}.png"]
HIDE: dict[str, Callable[[Player], None]] = {
    "banned": lambda player: fair.ban(player=player, by=None, because="Cheated."),
    "deleted": lambda player: people.delete_account(player=player, password="a long password"),
}


def test_every_page_stands_in_the_table() -> None:
    pages = {
        str(pattern.name)
        for pattern in urlpatterns
        if isinstance(pattern, URLPattern) and pattern.name and not str(pattern.pattern).startswith(V1)
    }
    of_account = {name for name in pages if name.startswith(("account", "mfa", "usersessions"))} - NAMING.keys()
    assert pages - of_account == NAMING.keys() | BARE.keys() | APART


def make_hers() -> list[Player]:
    """Those who are to be hidden: who wins, who is held, who gives up, who still plays, and a guest."""
    hers = [make_player(f"{NAME}{more}") for more in ("", " Held", " Lost", " Plays", " Guest")]
    hers[4].guest = True
    for player in hers:
        player.set_password("a long password")
        player.save()
    return hers


def play_dailies(bea: Player, hers: list[Player]) -> dict[str, Any]:
    """Today's and yesterday's daily, with everybody in every list that a race has."""
    zenobia, held, lost, plays, guest = hers
    race = make_daily()
    yesterday = make_daily(day=(read_clock() - timedelta(days=1)).date())
    won, mine = win(zenobia, 60_000, race=race), win(bea, 61_000, race=race)
    moderating.hold(attempt=win(held, 59_000, race=race), because="pace")
    win(zenobia, 30_000, deal=easy_deal("N"))
    for player, seconds in ((zenobia, 62), (bea, 63)):
        win(player, seconds * 1000, race=yesterday)
    entry, _created = racing.enter(player=lost, race=race.pk)
    resign(player=lost, attempt=entry.attempt_id)
    racing.enter(player=plays, race=race.pk)
    entry, _created = racing.enter(player=guest, race=race.pk)
    play_moves(player=guest, attempt=entry.attempt_id, from_ply=0, moves=EASY_MOVES, times=None)
    game = {"format": "pyramid-replay/1", "deal": race.code, "moves": EASY_MOVES, "times": [900 * n for n in range(16)]}
    assert log_in(zenobia).post("replays/", game)[0] == 201
    result = find_result(won.pk)
    assert result
    return {
        "race": race.pk,
        "yesterday": yesterday.pk,
        "won": won.pk,
        "mine": mine.pk,
        "code": race.code,
        "month": f"{yesterday.day:%Y-%m}",
        "picture": address_picture(result),
    }


def race_in_sprints(zenobia: Player, bea: Player) -> dict[str, Any]:
    """A sprint that both have played, one that waits, and ratings."""
    deal, line = solved_deals()[0]
    over = sprinting.make_sprint(host=zenobia, ruleset=RULESETS["T"], deal=deal, most=2, best_of=1).pk
    sprinting.join(player=bea, sprint=over)
    sprinting.start(player=zenobia, sprint=over)
    pass_time(over, seconds=sprints.COUNTDOWN.seconds)
    for player, moves in ((zenobia, line), (bea, f"D U {line}")):
        entry, _created = sprinting.enter(player=player, sprint=over)
        play_moves(player=player, attempt=entry.attempt_id, from_ply=0, moves=moves, times=None)
    give_ratings("N", [zenobia, bea], [bea, zenobia])
    soon = read_clock() + timedelta(days=5)
    waiting = sprinting.make_sprint(host=zenobia, ruleset=RULESETS["G"], most=9, best_of=3, starts_at=soon)
    return {"sprint": over, "waiting": waiting.pk}


@pytest.fixture
def bea() -> Player:
    return make_player("Bea")


@pytest.fixture
def hers() -> list[Player]:
    return make_hers()


@pytest.fixture
def places(bea: Player, hers: list[Player]) -> dict[str, Any]:
    """What the addresses name; Zenobia has left a trace wherever players do."""
    zenobia = hers[0]
    club = clubs.make_club(owner=bea, name="Nile")
    for player in hers:
        clubs.follow(player=bea, other=player)
        clubs.follow(player=player, other=bea)
        if not player.guest:
            clubs.join(player=player, invite_code=club.invite_code)
    tomorrow = read_clock() + timedelta(days=1)
    hosted = racing.make_race(host=zenobia, name="Night", deal=RULESETS["G"], opens_at=None, closes_at=tomorrow)
    found = play_dailies(bea, hers) | race_in_sprints(zenobia, bea)
    fair.report(reporter=bea, player=zenobia, attempt=None, because="Rude.")
    return found | {"club": club.pk, "invite": club.invite_code, "hers": hosted.pk}


def look(viewer: Player | None, path: str) -> tuple[int, str]:
    """Status and text of a page, without its own address: who asks for a name has that from elsewhere."""
    client = Client(headers={"Accept": "text/html", "Accept-Language": "en"})
    if viewer:
        client.force_login(viewer, "django.contrib.auth.backends.ModelBackend")
    answer = client.get(path, follow=True)
    page = html.unescape(answer.content.decode(errors="replace"))
    return answer.status_code, page.replace(path, "").replace(quote(path, safe=""), "")


@pytest.mark.parametrize("how", HIDE)
def test_who_is_hidden_is_named_on_no_page(bea: Player, hers: list[Player], places: dict[str, Any], how: str) -> None:
    naming, bare = ([path.format(**places) for paths in pages.values() for path in paths] for pages in (NAMING, BARE))
    assert [path for path in naming if NAME not in look(bea, path)[1]] == [], "before, she is named"
    for player in hers:
        HIDE[how](player)
    seen = {(viewer, path): look(viewer, path) for viewer in (bea, None) for path in naming + bare}
    assert [(str(viewer), path) for (viewer, path), (_status, page) in seen.items() if NAME in page] == []
    assert {status for status, _page in seen.values()} <= {200, 404}
    gone = [path.format(**places) for path in GONE]
    assert [path for path in gone if seen[bea, path][0] != 404] == []
    rank = {"banned": "<b>1</b> / 1", "deleted": "<b>3</b> / 3"}[how]
    assert f"Your rank: {rank}" in seen[bea, "/boards/deals/{code}/".format(**places)][1], (
        "a ban leaves no gap, the end of an account every rank"
    )
