"""Whose a sprint with an invite code is, and the races of its rounds: the table, asked of every address."""

import pytest
from django.test import Client
from django.urls import get_resolver

from games.models import Player
from leaderboard.models import Race, Sprint
from tests.client import Api
from tests.players import log_in, make_player
from tests.sprints import begin, enter, fill_pool, make_sprint, pass_time

pytestmark = pytest.mark.django_db

CODE = "milk first"
QUERY = "?invite_code=milk%20first"
RESULTS = ["board/", "board/below/", "board/guests/", "changes/", "export/"]
# who asks, and whether they are told
TABLE = {
    "nobody": False,
    "stranger": False,
    "host": True,
    "player": True,
    "who has left": True,
    "code": True,
    "wrong code": False,
    "cookie": True,
    "wrong cookie": False,
}


@pytest.fixture
def people() -> dict[str, Player]:
    fill_pool(2)
    names = {"host": "Hanna", "player": "Pia", "who has left": "Lena", "stranger": "Strang"}
    return {who: make_player(name) for who, name in names.items()}


def play_sprint(people: dict[str, Player]) -> Sprint:
    """A sprint that was over long ago, so that its round may be exported."""
    host, player, leaver = (log_in(people[who]) for who in ("host", "player", "who has left"))
    sprint = make_sprint(host, invite_code=CODE)
    for api in (player, leaver):
        assert api.post(f"sprints/{sprint}/join/", {"invite_code": CODE})[0] == 200
    assert leaver.post(f"sprints/{sprint}/leave/", {})[0] == 200
    begin(host, sprint)
    for api in (host, player):
        api.post(f"attempts/{enter(api, sprint)['id']}/resign/", {})
    assert host.get(f"sprints/{sprint}/")[1]["phase"] == "over"
    pass_time(sprint, seconds=4000)
    return Sprint.objects.get(pk=sprint)


def read_cookie(sprint: Sprint) -> str:
    """What the page leaves with who opens the invitation."""
    page = Client()
    page.get(f"/sprints/{sprint.pk}/", {"invite": CODE})
    return page.cookies.output(header="", sep=";", attrs=[]).strip()


def test_the_table(people: dict[str, Player]) -> None:
    sprint = play_sprint(people)
    race = Race.objects.get(round__sprint=sprint)
    paths = [f"sprints/{sprint.pk}/", *(f"races/{race.pk}/{path}" for path in RESULTS)]
    cookies = {"cookie": read_cookie(sprint), "wrong cookie": f"invited-sprint-{sprint.pk}={'0' * 64}"}
    for who, is_inside in TABLE.items():
        api = log_in(people[who]) if who in people else Api()
        query = QUERY if who == "code" else "?invite_code=milk" if who == "wrong code" else ""
        cookie = {"HTTP_COOKIE": cookies[who]} if who in cookies else {}
        for path in paths:
            status, answer = api.get(path + query, **cookie)
            assert status == (200 if is_inside else 403), (who, path)
            assert is_inside or answer["code"] == "invite_code"
        status, head = api.get(f"races/{race.pk}/{query}", **cookie)
        assert (status, head["deal"] is not None) == (200, is_inside), "what everybody may know of a race"
        page = Client(headers={"Accept": "text/html"} | ({"Cookie": cookies[who]} if who in cookies else {}))
        if who in people:
            page.force_login(people[who])
        invite = {"code": {"invite": CODE}, "wrong code": {"invite": "milk"}}.get(who)
        for path in (f"/races/{race.pk}/", f"/sprints/{sprint.pk}/"):
            shown = page.get(path, invite)
            assert shown.status_code == (403 if who == "wrong code" else 200)
            assert ("Pia" in shown.content.decode()) is is_inside, (who, path)


def test_who_is_outside_learns_nothing_by_what_one_can_do(people: dict[str, Player]) -> None:
    sprint = play_sprint(people)
    stranger = log_in(people["stranger"])
    paths = {str(pattern.pattern) for pattern in get_resolver().url_patterns}
    verbs = {path.partition("<int:sprint>/")[2] for path in paths if path.startswith("api/v1/sprints/<int:sprint>/")}
    assert verbs == {"", "join/", "leave/", "ready/", "start/", "rematch/", "attempts/"}
    for verb in verbs - {""}:
        status, answer = stranger.post(f"sprints/{sprint.pk}/{verb}", {"ready": True} if verb == "ready/" else {})
        assert status in (403, 409), verb
        assert "Pia" not in str(answer)


def test_who_opens_the_invitation_sees_the_lobby_and_who_does_not_its_ruleset(people: dict[str, Player]) -> None:
    sprint = make_sprint(log_in(people["host"]), invite_code=CODE)
    page = Client(headers={"Accept": "text/html"})
    outside = page.get(f"/sprints/{sprint}/").content.decode()
    assert "This sprint is for who was invited." in outside
    assert CODE not in outside
    inside = page.get(f"/sprints/{sprint}/", {"invite": CODE})
    assert '"player": "Hanna"' in inside.content.decode()
    assert page.get(f"/api/v1/sprints/{sprint}/").json()["players"][0]["player"] == "Hanna", "by the cookie"
    assert "Hanna" in page.get(f"/sprints/{sprint}/").content.decode()


def test_the_race_of_a_round_leads_to_its_sprint_and_is_not_entered_by_itself(people: dict[str, Player]) -> None:
    host, player = log_in(people["host"]), log_in(people["player"])
    sprint = make_sprint(host, player)
    begin(host, sprint)
    shown = Client(headers={"Accept": "text/html"}).get(f"/races/{Race.objects.get().pk}/").content.decode()
    assert f'href="/sprints/{sprint}/"' in shown
    assert shown.partition('id="enter"')[2].partition(">")[0].endswith("hidden")
