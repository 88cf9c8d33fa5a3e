"""Another name, one's own data, and the end of an account: what changes everywhere at once, and what stays."""

import threading
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.conf import settings
from django.contrib.admin.models import LogEntry
from django.core.cache import caches
from django.core.management import call_command
from django.db import connection, transaction
from django.db.models import F
from django.test import Client
from knox.models import AuthToken

from games import throttles
from games.engine.replay import judge_document
from games.models import Attempt, OldName, Player
from leaderboard import clubs, fair, moderating, people, racing
from leaderboard.models import Club, Follow, Membership
from tests.client import Api
from tests.players import EASY_MOVES, in_parallel, log_in, make_daily, make_member, make_player, win

pytestmark = pytest.mark.django_db

PASSWORD = "a long password"


@pytest.fixture
def ada() -> Player:
    return make_member("Ada", PASSWORD, email="ada@example.org")


@pytest.fixture
def keep_pages(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Board pages are kept for a second, as they are outside the tests."""
    boards = caches["boards"]
    monkeypatch.setattr(boards, "default_timeout", 60)
    boards.clear()
    yield
    boards.clear()


# Another name


def test_an_old_name_leads_to_the_player_and_to_nobody_else(ada: Player) -> None:
    assert log_in(ada).call("PUT", "players/me/name/", {"name": "Countess"}) == (200, {"name": "Countess"})
    assert Api().get("players/ada/")[1]["name"] == "Countess"
    assert Api().get("players/countess/")[1]["name"] == "Countess"
    for name in ("Ada", "ADA", "аdа"):
        assert Api().post("players/", {"name": name, "password": PASSWORD})[0] in (400, 409)
    guest = Api(token=Api().post("guests/", {})[1]["token"])
    assert guest.post("guests/me/", {"name": "ada", "password": PASSWORD})[1]["code"] == "name_taken"
    assert log_in(make_player("Bob")).call("PUT", "players/me/name/", {"name": "Ada"})[1]["code"] == "name_taken"


def test_a_name_is_changed_once_in_thirty_days(ada: Player) -> None:
    api = log_in(ada)
    assert api.call("PUT", "players/me/name/", {"name": "Ada"})[0] == 200, "it is the same: nothing is counted"
    assert api.call("PUT", "players/me/name/", {"name": "Countess"})[0] == 200
    status, error = api.call("PUT", "players/me/name/", {"name": "Duchess"})
    assert (status, error["code"], error["where"]) == (409, "renamed", "name")
    Player.objects.update(renamed_at=F("renamed_at") - timedelta(days=30))
    assert api.call("PUT", "players/me/name/", {"name": "Ada"})[0] == 200, "the own old name may be had back"
    assert list(OldName.objects.values_list("player__name", flat=True)) == ["Ada"]
    assert Api().get("players/countess/")[1]["name"] == "Ada"


def test_how_a_name_is_written_is_changed_once_in_thirty_days_too(ada: Player) -> None:
    api = log_in(ada)
    assert api.call("PUT", "players/me/name/", {"name": "ADA"}) == (200, {"name": "ADA"})
    for name in ("AdA", "Countess"):
        assert api.call("PUT", "players/me/name/", {"name": name})[1]["code"] == "renamed"
    assert api.call("PUT", "players/me/name/", {"name": "ADA"})[0] == 200
    assert not OldName.objects.exists()
    assert Api().get("players/ada/")[1]["name"] == "ADA"


@pytest.mark.parametrize("name", ["", "x", "me", "admin", "a  b", " Ada", 7, None])
def test_a_name_that_may_not_be_is_refused(ada: Player, name: Any) -> None:
    status, error = log_in(ada).call("PUT", "players/me/name/", {"name": name})
    assert (status in (400, 409), error["where"]) == (True, "name")
    assert Player.objects.get().name == "Ada"


def test_a_guest_has_no_name_to_change() -> None:
    guest = Api(token=Api().post("guests/", {})[1]["token"])
    assert guest.call("PUT", "players/me/name/", {"name": "Ada"})[1]["code"] == "guest"


@pytest.mark.django_db(transaction=True)
def test_a_name_goes_to_one_of_many_who_want_it() -> None:
    apis = [log_in(make_player(name)) for name in ("Bob", "Cleo", "Dan", "Eve")]
    call = lambda api: api.call("PUT", "players/me/name/", {"name": "Ada"})  # noqa: E731
    answers = in_parallel([lambda api=api: call(api) for api in apis])  # type: ignore[misc]
    assert sorted(status for status, _answer in answers) == [200, 409, 409, 409]
    assert Player.objects.filter(name="Ada").count() == 1


# My data


def test_my_data_is_all_of_it_and_replays_can_be_judged_again(ada: Player) -> None:
    race, bob = make_daily(), make_player("Bob")
    won = win(ada, 60_000, race=race)
    win(bob, 61_000)
    clubs.follow(player=ada, other=bob)
    clubs.make_club(owner=ada, name="Sunday club")
    status, data = log_in(ada).get("players/me/data/")
    assert status == 200
    assert data["account"]["email"] == "ada@example.org"
    assert [row["id"] for row in data["attempts"]] == [won.pk]
    assert judge_document(data["attempts"][0]["replay"]).outcome == "won"  # type: ignore[union-attr]
    assert [row["race"] for row in data["entries"]] == [race.pk]
    assert (data["following"], [club["name"] for club in data["clubs"]]) == (["Bob"], ["Sunday club"])
    assert PASSWORD not in str(data)
    assert ada.password not in str(data)
    assert Api().get("players/me/data/")[0] == 401


# The end of an account


def test_a_deleted_account_leaves_its_ranks_and_no_name(ada: Player, keep_pages: None) -> None:
    race, bob = make_daily(), make_player("Bob")
    win(ada, 60_000, race=race)
    win(bob, 61_000, race=race)
    EmailAddress.objects.create(user=ada, email=ada.email)
    pages = [
        f"races/{race.pk}/board/",
        "rulesets/T/board/",
        f"deals/{race.code}/board/",
        "daily/",
        f"races/{race.pk}/changes/",
        f"races/{race.pk}/board/guests/",
    ]
    for page in pages[:5]:
        assert "Ada" in str(Api().get(page)), page
    assert log_in(ada).call("DELETE", "players/me/", {"password": PASSWORD}) == (204, None)
    for page in pages:
        status, answer = Api().get(page)
        assert (status, "Ada" in str(answer)) == (200, False), page
    rows = Api().get(f"races/{race.pk}/board/")[1]["rows"]
    assert [(row["rank"], row["player"] == "Bob") for row in rows] == [(1, False), (2, True)]
    gone = Player.objects.get(pk=ada.pk)
    assert (gone.email, gone.is_active, gone.has_usable_password()) == ("", False, False)
    assert Api().get("players/ada/")[0] == 404
    assert Api().get(f"players/{gone.name}/")[0] == 404
    assert not AuthToken.objects.filter(user=ada).exists()
    assert not EmailAddress.objects.exists()
    assert Api().post("tokens/", {"name": gone.name, "password": PASSWORD})[0] == 401
    assert Api().post("players/", {"name": "Ada", "password": PASSWORD})[0] == 201, "the name is free"


@pytest.mark.parametrize("body", [{}, {"password": "another password"}])
def test_an_account_is_deleted_by_its_password_alone(ada: Player, body: dict[str, str]) -> None:
    status, error = log_in(ada).call("DELETE", "players/me/", body)
    assert (status, error["code"]) == (403, "password")
    assert Player.objects.get().is_active


def test_no_password_is_found_out_by_deleting(ada: Player, settings: Any) -> None:
    settings.LIMITS = settings.LIMITS | {"log_in": throttles.Limit(2, 300)}
    api = log_in(ada)
    assert [api.call("DELETE", "players/me/", {"password": "x"})[0] for _ in range(3)] == [403, 403, 429]


def test_a_guest_goes_without_a_password() -> None:
    guest = Api(token=Api().post("guests/", {})[1]["token"])
    assert guest.call("DELETE", "players/me/", {})[0] == 204
    assert guest.get("players/me/")[0] == 401


def test_open_games_end_and_clubs_are_passed_on(ada: Player) -> None:
    race, bob, cleo = make_daily(), make_player("Bob"), make_player("Cleo")
    entry, _created = racing.enter(player=ada, race=race.pk)
    shared, alone = clubs.make_club(owner=ada, name="Shared"), clubs.make_club(owner=ada, name="Alone")
    for player in (bob, cleo):
        clubs.join(player=player, invite_code=shared.invite_code)
        clubs.follow(player=player, other=ada)
    clubs.set_role(by=ada, club=shared.pk, member=cleo, role="manager")
    people.delete_account(player=ada, password=PASSWORD)
    entry.attempt.refresh_from_db()
    assert entry.attempt.end == "resigned"
    roles = dict(Membership.objects.values_list("player__name", "role"))
    assert roles == {"Bob": "member", "Cleo": "owner"}
    assert Club.objects.get(pk=alone.pk).dissolved_at
    assert not Follow.objects.exists()


def test_a_club_is_not_left_to_who_is_banned(ada: Player) -> None:
    banned, bob = make_player("Banned"), make_player("Bob")
    shared, other = clubs.make_club(owner=ada, name="Shared"), clubs.make_club(owner=ada, name="Of nobody else")
    for player, club in ((banned, shared), (bob, shared), (banned, other)):
        clubs.join(player=player, invite_code=club.invite_code)
    fair.ban(player=banned, by=None, because="Cheated.")
    people.delete_account(player=ada, password=PASSWORD)
    assert dict(shared.memberships.values_list("player__name", "role")) == {"Bob": "owner", "Banned": "member"}
    other.refresh_from_db()
    assert (other.dissolved_at is None, other.memberships.count()) == (False, 0)


@pytest.mark.django_db(transaction=True)
def test_a_club_that_is_handed_over_while_its_owner_goes_has_one_owner(ada: Player) -> None:
    bob, cleo = make_player("Bob"), make_player("Cleo")
    club = clubs.make_club(owner=ada, name="Sunday club")
    for player in (bob, cleo):
        clubs.join(player=player, invite_code=club.invite_code)

    def go() -> None:
        people.delete_account(player=ada, password=PASSWORD)
        connection.close()

    going = threading.Thread(target=go)
    with transaction.atomic(), connection.cursor() as cursor:
        Club.objects.select_for_update().get(pk=club.pk)
        going.start()
        waits = None
        while not waits and going.is_alive():
            waits = cursor.execute("SELECT FROM pg_locks WHERE NOT granted").fetchone() is not None
        clubs.set_role(by=ada, club=club.pk, member=cleo, role="owner")
    going.join()
    assert dict(club.memberships.values_list("player__name", "role")) == {"Bob": "member", "Cleo": "owner"}


def test_the_log_of_the_admin_does_not_keep_the_name_of_a_deleted_account(ada: Player) -> None:
    game, moira = win(ada, 5000), Player.objects.create_superuser("Moira", "a long password")
    client = Client()
    client.force_login(moira)
    for model, row in (("attempt", game), ("player", ada)):
        action = {"action": "void" if model == "attempt" else "ban", "_selected_action": [row.pk], "because": "So."}
        client.post(f"/admin/games/{model}/", action)
    fair.unban(player=ada, by=moira, because="Enough.")
    assert [str(row) for row in LogEntry.objects.all() if "Ada" in row.object_repr]
    people.delete_account(player=ada, password=PASSWORD)
    assert LogEntry.objects.count() == 2
    assert not [row.object_repr for row in LogEntry.objects.all() if "Ada" in row.object_repr]


def test_guests_who_do_not_come_back_are_anonymised_and_keep_their_place(capsys: pytest.CaptureFixture[str]) -> None:
    race = make_daily()
    old, fresh, playing = (Api(token=Api().post("guests/", {})[1]["token"]) for _ in range(3))
    names = [api.get("players/me/")[1]["name"] for api in (old, fresh, playing)]
    for api in (old, playing):
        attempt = api.post(f"races/{race.pk}/attempts/", {})[1]
        api.post(f"attempts/{attempt['id']}/moves/", {"from_ply": 0, "moves": EASY_MOVES})
    Player.objects.filter(name__in=(names[0], names[2])).update(joined_at=F("joined_at") - timedelta(days=31))
    Attempt.objects.filter(player__name=names[0]).update(started_at=F("started_at") - timedelta(days=31))
    call_command("tidy")
    assert "1 guests anonymised" in capsys.readouterr().out
    assert [api.get("players/me/")[0] for api in (old, fresh, playing)] == [401, 200, 200]
    rows = Api().get(f"races/{race.pk}/board/guests/")[1]["rows"]
    assert (len(rows), names[0] in str(rows), names[2] in str(rows)) == (2, False, True)
    call_command("tidy")
    assert "0 guests anonymised" in capsys.readouterr().out


# What is taken back is not shown any more, though pages are kept


CHANGES: list[tuple[str, Callable[[Any, Player], Any]]] = [
    ("void", lambda attempt, _player: moderating.void(attempt=attempt)),
    ("hold", lambda attempt, _player: moderating.hold(attempt=attempt, because="pace")),
    ("rename", lambda _attempt, player: people.rename(player=player, name="Countess")),
    ("delete", lambda _attempt, player: people.delete_account(player=player, password=PASSWORD)),
]


@pytest.mark.parametrize(("name", "change"), CHANGES, ids=[name for name, _change in CHANGES])
def test_no_kept_page_shows_what_was_taken_back(ada: Player, keep_pages: None, name: str, change: Any) -> None:
    assert caches["boards"].default_timeout > 0
    race = make_daily()
    attempt = win(ada, 60_000, race=race)
    pages = (f"races/{race.pk}/board/", "rulesets/T/board/", "rulesets/T/board/?period=day&histogram=5")
    assert all("Ada" in str(Api().get(page)) for page in pages)
    assert change(attempt, ada) is not False
    assert not any("Ada" in str(Api().get(page)) for page in pages)


def test_the_tests_themselves_keep_no_pages() -> None:
    assert settings.CACHES["boards"]["TIMEOUT"] == 0
