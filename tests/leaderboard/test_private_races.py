"""Whose the feed, boards and export of a race by invitation or of a club are: the table, asked of every address."""

from datetime import timedelta

import pytest
from django.db.models import F
from django.test import Client
from django.urls import get_resolver

from games.engine.rulesets import RULESETS
from games.models import Player
from leaderboard import actions, clubs, racing
from leaderboard.models import Race
from tests.client import Api
from tests.players import log_in, make_player

pytestmark = pytest.mark.django_db

CODE = "milk first"
QUERY = "?invite_code=milk%20first"
RESULTS = ["board/", "board/below/", "board/guests/", "changes/", "export/"]
# of each kind: who asks, and whether they are told
TABLE = {
    "open": {"nobody": True},
    "invite": {
        "nobody": False,
        "stranger": False,
        "host": True,
        "entrant": True,
        "code": True,
        "wrong code": False,
        "cookie": True,
        "wrong cookie": False,
    },
    "club": {"nobody": False, "host": True, "entrant": True, "member": True, "former member": False, "code": False},
    "club and invite": {"stranger": False, "member": True, "code": False, "cookie": False},
}


@pytest.fixture
def people() -> dict[str, Player]:
    names = {"host": "Hanna", "entrant": "Emil", "member": "Mia", "former member": "Fritz", "stranger": "Strang"}
    return {who: make_player(name) for who, name in names.items()}


def make_race(kind: str, people: dict[str, Player]) -> Race:
    """A race that is over, with an entry of somebody who is in the club no more, if there is one."""
    club = clubs.make_club(owner=people["host"], name="Club")
    for who in ("entrant", "member", "former member"):
        clubs.join(player=people[who], invite_code=club.invite_code)
    race = racing.make_race(
        host=people["host"],
        name="Tea",
        deal=RULESETS["T"],
        opens_at=None,
        closes_at=actions.read_clock() + timedelta(hours=1),
        invite_code=CODE if "invite" in kind else "",
        club=club.pk if "club" in kind else None,
    )
    racing.enter(player=people["entrant"], race=race.pk, invite_code=CODE)
    club.memberships.filter(player__in=[people["entrant"], people["former member"]]).delete()
    Race.objects.filter(pk=race.pk).update(
        opens_at=F("opens_at") - timedelta(days=3), closes_at=F("closes_at") - timedelta(days=3)
    )
    race.refresh_from_db()
    attempt = race.entries.get().attempt_id
    actions.play_moves(player=people["entrant"], attempt=attempt, from_ply=0, moves="D", times=None)
    actions.resign(player=people["entrant"], attempt=attempt)
    return race


def read_cookie(race: Race) -> str:
    """What the page leaves with who comes with the code."""
    page = Client()
    page.get(f"/races/{race.pk}/", {"invite": CODE})
    return page.cookies.output(header="", sep=";", attrs=[]).strip()


@pytest.mark.parametrize("kind", TABLE)
def test_the_table(kind: str, people: dict[str, Player]) -> None:
    race = make_race(kind, people)
    cookies = {"cookie": read_cookie(race), "wrong cookie": f"invited-{race.pk}={'0' * 64}"}
    for who, is_inside in TABLE[kind].items():
        api = log_in(people[who]) if who in people else Api()
        query = QUERY if who == "code" else "?invite_code=milk" if who == "wrong code" else ""
        more = {"HTTP_COOKIE": cookies[who]} if cookies.get(who) else {}
        for path in RESULTS:
            status, answer = api.get(f"races/{race.pk}/{path}{query}", **more)
            assert (status == 200) is is_inside, (who, path)
            if not is_inside:
                assert (status, answer["code"]) == (403, "club" if "club" in kind else "invite_code")
                assert "Emil" not in str(answer)
        head = api.get(f"races/{race.pk}/{query}", **more)
        assert (head[1]["deal"] is not None) is is_inside, "whose board has the same results"
        assert (head[0], head[1]["name"], head[1]["players"]) == (200, "Tea", 1), "what one needs to enter"
        assert head[1]["invite_code"] == (CODE if who == "host" and "invite" in kind else None)
        page = Client(headers={"Accept": "text/html"} | ({"Cookie": cookies[who]} if cookies.get(who) else {}))
        if who in people:
            page.force_login(people[who])
        shown = page.get(f"/races/{race.pk}/", {"code": {"invite": CODE}, "wrong code": {"invite": "milk"}}.get(who))
        assert shown.status_code == (403 if who in ("code", "wrong code") and not is_inside else 200)
        assert ("Emil" in shown.content.decode() or 'id="board"' in shown.content.decode()) is is_inside, who
        assert "Tea" in shown.content.decode()


def test_every_address_of_a_race_has_a_place_in_the_table() -> None:
    paths = {str(pattern.pattern) for pattern in get_resolver().url_patterns}
    of_races = {path.partition("<int:race>/")[2] for path in paths if path.startswith("api/v1/races/<int:race>/")}
    assert of_races == {"", "attempts/", *RESULTS}


def test_the_code_of_another_race_opens_nothing(people: dict[str, Player]) -> None:
    race, other = make_race("invite", people), make_race("invite", people)
    Race.objects.filter(pk=other.pk).update(invite_code="coffee")
    answer = Api().get(f"races/{other.pk}/board/{QUERY}")
    assert (answer[0], answer[1]["where"]) == (403, "invite_code")
    stamp = read_cookie(race).partition("=")[2]
    assert Api().get(f"races/{other.pk}/board/", HTTP_COOKIE=f"invited-{other.pk}={stamp}")[0] == 403


def test_another_code_makes_what_the_old_one_left_worth_nothing(people: dict[str, Player]) -> None:
    race = make_race("invite", people)
    cookie = read_cookie(race)
    assert CODE not in cookie
    assert Api().get(f"races/{race.pk}/board/", HTTP_COOKIE=cookie)[0] == 200
    Race.objects.update(invite_code="milk last")
    assert Api().get(f"races/{race.pk}/board/", HTTP_COOKIE=cookie)[0] == 403


@pytest.mark.parametrize("code", ["", "%00", "%ED%A0%80", "x" * 5000, "sesam%C3%A9"])
def test_a_code_that_cannot_be_is_a_wrong_one(people: dict[str, Player], code: str) -> None:
    race = make_race("invite", people)
    assert Api().get(f"races/{race.pk}/changes/?invite_code={code}")[0] == 403
    assert Client().get(f"/races/{race.pk}/?invite={code}").status_code in (200, 403)


def test_what_one_has_played_there_stands_elsewhere_and_can_be_shared(people: dict[str, Player]) -> None:
    race = make_race("invite", people)
    attempt = race.entries.get().attempt_id
    assert Api().get(f"replays/{attempt}/")[0] == 200
    assert Client().get(f"/replays/{attempt}/").status_code == 200
    assert Api().get("players/Emil/attempts/")[1]["total"] == 1
