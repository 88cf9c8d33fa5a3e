"""Friends and clubs: who may do what, and the boards and races that they have among themselves."""

from datetime import timedelta
from functools import partial
from typing import Any

import pytest

from games.models import Player
from leaderboard import actions, clubs, moderating
from leaderboard.models import Club, Follow, Membership
from tests.client import Api
from tests.players import in_parallel, log_in, make_daily, make_player, make_players, win

pytestmark = pytest.mark.django_db


@pytest.fixture
def cleo() -> Player:
    return make_player("Cleo")


def make_club(owner: Player, *members: Player) -> dict[str, Any]:
    status, club = log_in(owner).post("clubs/", {"name": "Sunday club"})
    assert (status, club["role"]) == (201, "owner")
    for member in members:
        status, joined = log_in(member).post("clubs/join/", {"invite_code": club["invite_code"].lower()})
        assert (status, joined["role"], joined["invite_code"]) == (200, "member", None)
    return club


def roles(club: int) -> dict[str, str]:
    rows = Membership.objects.filter(club=club).values_list("player__name", "role")
    return dict(rows)


# Following


def test_following_is_done_once_and_undone_once(ada: Player, bob: Player) -> None:
    for _ in range(2):
        assert log_in(ada).call("PUT", "players/bob/follow/") == (204, None)
    assert [row["player"] for row in log_in(ada).get("players/me/following/")[1]["following"]] == ["Bob"]
    assert [row["player"] for row in log_in(bob).get("players/me/following/")[1]["followers"]] == ["Ada"]
    for _ in range(2):
        assert log_in(ada).delete("players/bob/follow/") == (204, None)
    assert not Follow.objects.exists()


def test_nobody_follows_themselves_or_nobody(ada: Player) -> None:
    assert log_in(ada).call("PUT", "players/ada/follow/")[1]["code"] == "same_player"
    assert log_in(ada).call("PUT", "players/zoe/follow/")[0] == 404
    assert Api().call("PUT", "players/ada/follow/")[0] == 401


def test_one_follows_so_many_and_no_more(ada: Player, bob: Player, cleo: Player, monkeypatch: Any) -> None:
    monkeypatch.setattr(clubs, "MOST_FOLLOWED", 1)
    clubs.follow(player=ada, other=bob)
    clubs.follow(player=ada, other=bob)
    status, error = log_in(ada).call("PUT", "players/cleo/follow/")
    assert (status, error["code"]) == (409, "too_many")


# Clubs


def test_a_club_is_joined_by_its_code_alone(ada: Player, bob: Player) -> None:
    club = make_club(ada, bob)
    assert roles(club["id"]) == {"Ada": "owner", "Bob": "member"}
    assert log_in(bob).post("clubs/join/", {"invite_code": "NOSUCHCODE"})[1]["code"] == "invite_code"
    status, changed = log_in(ada).post(f"clubs/{club['id']}/invite/", {})
    assert (status, changed["invite_code"] == club["invite_code"]) == (200, False)
    assert log_in(make_player("Dan")).post("clubs/join/", {"invite_code": club["invite_code"]})[0] == 403


def test_a_guest_joins_no_club(ada: Player) -> None:
    club = make_club(ada)
    guest = Api(token=Api().post("guests/", {})[1]["token"])
    assert guest.post("clubs/join/", {"invite_code": club["invite_code"]})[1]["code"] == "guest"
    assert guest.post("clubs/", {"name": "Mine"})[1]["code"] == "guest"


def test_who_is_no_member_is_told_nothing(ada: Player, bob: Player) -> None:
    club = make_club(ada)
    path = f"clubs/{club['id']}/"
    calls = [
        ("GET", path, None),
        ("DELETE", path, None),
        ("POST", f"{path}invite/", {}),
        ("DELETE", f"{path}members/ada/", None),
        ("PUT", f"{path}members/ada/", {"role": "member"}),
    ]
    for method, address, body in calls:
        sent = {} if body is None else {"data": body}
        assert log_in(bob).call(method, address, **sent)[0] == 404, address
        assert Api().call(method, address, **sent)[0] == 401, address
        assert log_in(bob).call(method, address.replace(str(club["id"]), "999"), **sent)[0] == 404
    assert log_in(bob).get("clubs/")[1] == {"rows": []}
    assert roles(club["id"]) == {"Ada": "owner"}


# by whom, of whom: the role of each, whether a removal is done, what a role given does
RIGHTS = [
    ("owner", "manager", 204, 200),
    ("owner", "member", 204, 200),
    ("manager", "owner", 409, 403),
    ("manager", "manager", 403, 403),
    ("manager", "member", 204, 403),
    ("member", "owner", 409, 403),
    ("member", "manager", 403, 403),
    ("member", "member", 403, 403),
]


@pytest.mark.parametrize(("by", "of", "removal", "role"), RIGHTS)
def test_who_may_do_what_in_a_club(ada: Player, by: str, of: str, removal: int, role: int) -> None:
    players = {"Bob": "manager", "Cleo": "manager", "Dan": "member", "Eve": "member"}
    club = make_club(ada, *map(make_player, players))
    Membership.objects.filter(player__name__in=["Bob", "Cleo"]).update(role="manager")
    doer = {"owner": "Ada", "manager": "Bob", "member": "Dan"}[by]
    member = {"owner": "Ada", "manager": "Cleo", "member": "Eve"}[of]
    api, before = log_in(Player.objects.get(name=doer)), roles(club["id"])
    path = f"clubs/{club['id']}/members/{member}/"
    new = "member" if of == "manager" else "manager"
    assert api.call("PUT", path, {"role": new})[0] == role
    assert roles(club["id"]) == (before | {member: new} if role == 200 else before)
    Membership.objects.filter(player__name=member).update(role=of)
    assert api.delete(path)[0] == removal
    assert (member in roles(club["id"])) == (removal != 204)


def test_everybody_may_leave_but_the_owner(ada: Player, bob: Player) -> None:
    club = make_club(ada, bob)
    assert log_in(bob).delete(f"clubs/{club['id']}/members/me/")[0] == 204
    assert roles(club["id"]) == {"Ada": "owner"}
    assert log_in(ada).delete(f"clubs/{club['id']}/members/me/")[1]["code"] == "owner"


def test_a_club_is_handed_over_whole(ada: Player, bob: Player) -> None:
    club = make_club(ada, bob)
    path = f"clubs/{club['id']}/members/"
    assert log_in(ada).call("PUT", f"{path}me/", {"role": "member"})[1]["code"] == "owner"
    status, answer = log_in(ada).call("PUT", f"{path}bob/", {"role": "owner"})
    assert (status, answer["role"]) == (200, "manager")
    assert roles(club["id"]) == {"Ada": "manager", "Bob": "owner"}
    assert log_in(ada).delete(f"clubs/{club['id']}/")[1]["code"] == "not_the_owner"
    assert log_in(ada).delete(f"{path}me/")[0] == 204


def test_a_dissolved_club_has_no_members_and_no_way_in(ada: Player, bob: Player) -> None:
    club = make_club(ada, bob)
    closes_at = (actions.read_clock() + timedelta(days=1)).isoformat()
    race = log_in(ada).post("races/", {"name": "Cup", "ruleset": "T", "closes_at": closes_at, "club": club["id"]})[1]
    assert log_in(bob).delete(f"clubs/{club['id']}/")[1]["code"] == "not_the_owner"
    assert log_in(ada).delete(f"clubs/{club['id']}/")[0] == 204
    assert roles(club["id"]) == {}
    assert log_in(bob).post("clubs/join/", {"invite_code": club["invite_code"]})[0] == 403
    assert log_in(ada).delete(f"clubs/{club['id']}/")[0] == 404
    assert log_in(ada).get(f"races/{race['id']}/")[0] == 200, "its races stay"
    assert log_in(bob).post(f"races/{race['id']}/attempts/", {})[1]["code"] == "club"


def test_bad_bodies_are_named(ada: Player, bob: Player) -> None:
    club = make_club(ada, bob)
    for name in ("", "x", "y" * 41, " a club", "a\u200bclub", 7, None):
        status, error = log_in(ada).post("clubs/", {"name": name})
        assert (status, error["where"]) == (400, "name"), name
    assert log_in(ada).post("clubs/", {"title": "Club"})[0] == 400
    assert log_in(ada).call("PUT", f"clubs/{club['id']}/members/bob/", {"role": "king"})[1]["where"] == "role"
    assert log_in(ada).call("PUT", f"clubs/{club['id']}/members/zoe/", {"role": "member"})[0] == 404
    assert Club.objects.count() == 1


def test_who_is_removed_while_looking_is_told_nothing(ada: Player, bob: Player, monkeypatch: Any) -> None:
    club = make_club(ada, bob)
    found = clubs.find_membership(bob, club["id"])

    api = log_in(bob)
    monkeypatch.setattr("leaderboard.api.clubs.clubs.find_membership", lambda player, club: found)
    Membership.objects.filter(player=bob).delete()
    assert api.get(f"clubs/{club['id']}/")[1]["code"] == "not_found"


@pytest.mark.django_db(transaction=True)
def test_the_last_place_goes_to_one_of_many(monkeypatch: Any) -> None:
    monkeypatch.setattr(clubs, "MOST_MEMBERS", 3)
    owner, *players = make_players(9)
    code = clubs.make_club(owner=owner, name="Club").invite_code
    apis = [log_in(player) for player in players]
    answers = in_parallel([partial(api.post, "clubs/join/", {"invite_code": code}) for api in apis])
    assert sorted(status for status, _answer in answers) == [200] * 2 + [409] * 6
    assert Membership.objects.count() == 3


@pytest.mark.django_db(transaction=True)
def test_of_two_owners_at_once_there_is_one() -> None:
    owner, *members = make_players(5)
    club = clubs.make_club(owner=owner, name="Club")
    for member in members:
        clubs.join(player=member, invite_code=club.invite_code)
    api = log_in(owner)
    paths = [f"clubs/{club.pk}/members/{member.name}/" for member in members]
    answers = in_parallel([partial(Api(api.token).call, "PUT", path, {"role": "owner"}) for path in paths])
    assert sorted(status for status, _answer in answers) == [200, 403, 403, 403]
    assert Membership.objects.filter(role="owner").count() == 1


# Boards among a few


def names(page: dict[str, Any]) -> list[tuple[int, str]]:
    return [(row["rank"], row["player"]) for row in page["rows"]]


@pytest.mark.parametrize("path", ["rulesets/T/board/", "races/{race}/board/", "rulesets/T/board/?period=day"])
@pytest.mark.parametrize("order", ["time", "moves"])
def test_friends_and_members_are_ranked_among_themselves(ada: Player, bob: Player, path: str, order: str) -> None:
    race, others = make_daily(), make_players(6)
    for seconds, player in enumerate([*others[:3], ada, *others[3:], bob]):
        win(player, 60_000 + seconds * 1000, 16 + seconds, race=race)
    clubs.follow(player=ada, other=bob)
    clubs.follow(player=ada, other=others[5])
    address = path.format(race=race.pk)
    address += ("&" if "?" in address else "?") + f"order={order}&among="
    status, page = log_in(ada).get(address + "friends")
    assert (status, page["total"]) == (200, 3)
    assert names(page) == [(1, "Ada"), (2, others[5].name), (3, "Bob")]
    club = make_club(bob, ada, others[0])
    page = log_in(ada).get(f"{address}club:{club['id']}")[1]
    assert names(page) == [(1, others[0].name), (2, "Ada"), (3, "Bob")]
    page = log_in(ada).get(f"{address}club:{club['id']}&limit=2")[1]
    assert names(page) == [(1, others[0].name), (2, "Ada")]
    page = log_in(ada).get(f"{address}club:{club['id']}&limit=2&after={page['next']}")[1]
    assert (names(page), page["next"]) == ([(3, "Bob")], None)
    page = log_in(ada).get(f"{address}club:{club['id']}&around=bob&radius=1&top=1")[1]
    assert (names(page), page["place"]["rank"]) == ([(2, "Ada"), (3, "Bob")], 3)
    assert [row["player"] for row in page["top"]] == [others[0].name]
    assert log_in(others[1]).get(f"{address}club:{club['id']}")[0] == 404
    assert log_in(ada).get(f"{address}friends&around={others[0].name}")[1]["code"] == "not_on_board"


def test_a_season_and_the_lists_beside_a_races_ranks_are_read_among_friends(ada: Player, bob: Player) -> None:
    cleo, yesterday = make_player("Cleo"), make_daily(day=(actions.read_clock() - timedelta(days=1)).date())
    wins = [win(player, 60_000 + n * 1000, race=yesterday) for n, player in enumerate([cleo, bob, ada])]
    clubs.follow(player=ada, other=bob)
    api, month = log_in(ada), yesterday.day.isoformat()[:7]  # type: ignore[union-attr]
    rows = api.get(f"seasons/{month}/?among=friends")[1]["rows"]
    assert [(row["rank"], row["player"], row["points"]) for row in rows] == [(1, "Bob", 500), (2, "Ada", 250)]
    assert names(api.get(f"seasons/{month}/?among=friends&around=me&radius=0")[1]) == [(2, "Ada")]
    assert api.get(f"seasons/{month}/?among=friends&around=cleo")[1]["code"] == "not_on_board"
    for attempt in wins[:2]:
        moderating.hold(attempt=attempt, because="pace")
    board = f"races/{yesterday.pk}/board"
    assert [row["player"] for row in api.get(f"{board}/below/")[1]["rows"]] == ["Cleo", "Bob"]
    assert [row["player"] for row in api.get(f"{board}/below/?among=friends")[1]["rows"]] == ["Bob"]
    assert api.get(f"{board}/guests/?among=friends")[1]["total"] == 0
    assert Api().get(f"seasons/{month}/?among=friends")[0] == 401


def test_what_among_may_not_say_is_named(ada: Player) -> None:
    for text in ("", "everybody", "club", "club:", "club:x", "club:-1", "club:" + "9" * 30):
        status, error = log_in(ada).get(f"rulesets/T/board/?among={text}")
        assert (status, error["where"]) == (400, "among"), text
    assert log_in(ada).get("rulesets/T/board/?among=friends&histogram=5")[1]["code"] == "needs_everybody"
    assert Api().get("rulesets/T/board/?among=friends")[0] == 401
    assert log_in(ada).get("rulesets/T/board/?among=friends")[1]["rows"] == []


# Races of a club, and guests


def test_a_clubs_race_is_for_its_members(ada: Player, bob: Player, cleo: Player) -> None:
    club = make_club(ada, bob)
    closes_at = (actions.read_clock() + timedelta(days=1)).isoformat()
    body = {"name": "Cup", "ruleset": "T", "closes_at": closes_at, "club": club["id"]}
    assert log_in(cleo).post("races/", body)[0] == 404
    status, race = log_in(bob).post("races/", body)
    assert (status, race["club"]) == (201, "Sunday club")
    assert [row["id"] for row in log_in(ada).get("races/")[1]["rows"]] == [race["id"]]
    assert log_in(cleo).get("races/")[1]["rows"] == []
    assert log_in(cleo).post(f"races/{race['id']}/attempts/", {})[1]["code"] == "club"
    assert log_in(ada).post(f"races/{race['id']}/attempts/", {})[1]["ranked"]


def test_guests_who_won_stand_in_a_list_beside_the_ranks(ada: Player) -> None:
    race = make_daily()
    win(ada, 60_000, race=race)
    for _ in range(2):
        guest = Api(token=Api().post("guests/", {})[1]["token"])
        attempt = guest.post(f"races/{race.pk}/attempts/", {})[1]
        assert attempt["unranked_because"] == "guest"
        moves = "g1g2 g3g4 g5g6 g7 f1f2 f3f4 f5f6 e1e2 e3e4 e5 d1d2 d3d4 c1c2 c3 b1b2 a1"
        assert guest.post(f"attempts/{attempt['id']}/moves/", {"from_ply": 0, "moves": moves})[1]["end"] == "won"
    assert names(Api().get(f"races/{race.pk}/board/")[1]) == [(1, "Ada")]
    status, guests = Api().get(f"races/{race.pk}/board/guests/")
    assert (status, guests["total"], [row["row"] for row in guests["rows"]]) == (200, 2, [1, 2])
    assert guests["rows"][0]["official_ms"] <= guests["rows"][1]["official_ms"]
    guest.post("guests/me/", {"name": "Grown up", "password": "a long password"})
    assert "Grown up" in [row["player"] for row in Api().get(f"races/{race.pk}/board/guests/")[1]["rows"]]
    assert names(Api().get(f"races/{race.pk}/board/")[1]) == [(1, "Ada")], "nothing past becomes ranked"
    assert len(Api().get(f"races/{race.pk}/board/guests/?limit=1&offset=1")[1]["rows"]) == 1
    assert Api().get("races/999/board/guests/")[0] == 404
