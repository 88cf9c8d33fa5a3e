"""Sprints over REST: lobby, countdown, one clock for all, results, rematch; who leaves, who is silent, who is late."""

from datetime import datetime, timedelta
from typing import Any

import pytest

from games.actions import start_guest
from games.models import Attempt, Player
from leaderboard import audit, fair, sprinting
from leaderboard.actions import read_clock
from leaderboard.models import Race, Round, Sprint, SprintPlayer
from leaderboard.races import Floor
from tests.client import Api
from tests.players import easy_deal, log_in, make_player, make_players
from tests.sprints import EASY, begin, enter, fill_pool, make_sprint, pass_time, win

pytestmark = pytest.mark.django_db


@pytest.fixture
def people() -> list[Api]:
    fill_pool(4)
    return [log_in(make_player(name)) for name in ("Ada", "Bob", "Cleo")]


def look(api: Api, sprint: int) -> dict[str, Any]:
    status, answer = api.get(f"sprints/{sprint}/")
    assert status == 200, answer
    return answer


def ranks(answer: dict[str, Any], number: int = 1) -> dict[str, Any]:
    return {row["player"]: row["rank"] for row in answer["rounds"][number - 1]["players"]}


def test_a_whole_sprint_from_the_lobby_to_the_rematch(people: list[Api]) -> None:
    ada, bob, cleo = people
    sprint = make_sprint(ada, bob, cleo)
    assert [row["id"] for row in Api().get("sprints/")[1]["rows"]] == [sprint]
    assert bob.post(f"sprints/{sprint}/ready/", {"ready": True})[1]["players"][1]["ready"] is True
    assert ada.post(f"sprints/{sprint}/attempts/", {})[1]["code"] == "not_started"
    begin(ada, sprint)
    assert Api().get("sprints/")[1]["rows"] == []
    pass_time(sprint, seconds=20)
    win(bob, sprint)
    pass_time(sprint, seconds=5)
    win(ada, sprint)
    last = enter(cleo, sprint)
    seen = look(cleo, sprint)
    assert (seen["phase"], ranks(seen)) == ("running", {"Ada": None, "Bob": None, "Cleo": None})
    assert [row["state"] for row in seen["rounds"][0]["players"]] == ["won", "won", "playing"]
    cleo.post(f"attempts/{last['id']}/resign/", {})
    over = look(cleo, sprint)
    assert (over["phase"], ranks(over)) == ("over", {"Bob": 1, "Ada": 2, "Cleo": 3})
    assert {row["player"]: (row["won"], row["rank"]) for row in over["players"]} == {
        "Bob": (1, 1),
        "Ada": (0, 2),
        "Cleo": (0, 3),
    }
    again = bob.post(f"sprints/{sprint}/rematch/", {})[1]
    assert (again["phase"], again["host"]) == ("lobby", "Ada")
    assert [row["player"] for row in again["players"]] == ["Ada", "Bob", "Cleo"]
    assert ada.post(f"sprints/{sprint}/rematch/", {})[1]["id"] == again["id"] == look(ada, sprint)["rematch"]


def test_everybody_has_the_same_start_whenever_they_come(people: list[Api]) -> None:
    sprint = make_sprint(*people)
    begin(people[0], sprint)
    first = enter(people[0], sprint)
    assert people[0].post(f"sprints/{sprint}/attempts/", {})[0] == 200
    starts = {first["started_at"]}
    for api in people[1:]:
        starts.add(enter(api, sprint)["started_at"])
    assert starts == {look(people[0], sprint)["rounds"][0]["opens_at"]}
    pass_time(sprint, seconds=42)
    late = win(people[1], sprint)  # after a lost connection, say
    assert late["official_ms"] >= 42_000


def test_nothing_tells_the_cards_before_the_start(people: list[Api]) -> None:
    ada, bob, _cleo = people
    sprint = make_sprint(ada, bob)
    counting = ada.post(f"sprints/{sprint}/start/", {})[1]
    race = counting["rounds"][0]["race"]
    assert counting["phase"] == "countdown"
    for path in (f"sprints/{sprint}/attempts/", f"races/{race}/attempts/"):
        assert ada.post(path, {})[1]["code"] == "race_upcoming"
    assert Attempt.objects.count() == 0
    assert ada.get(f"races/{race}/")[1]["deal"] is None
    pass_time(sprint, seconds=10)
    assert bob.get(f"races/{race}/")[1]["deal"] is None, "not to who has not begun"
    assert enter(ada, sprint)["ranked"] is True
    assert ada.get(f"races/{race}/")[1]["deal"]


def test_the_cards_are_none_that_anybody_has_been_shown_and_leave_the_pool(people: list[Api]) -> None:
    ada, bob, cleo = people
    shown = {cleo.post("attempts/", EASY)[1]["replay"]["deal"]}
    for _ in range(4):  # the pool has three left, then any cards will do
        sprint = make_sprint(ada, bob)
        begin(ada, sprint)
        attempt = enter(ada, sprint)
        assert attempt["ranked"] is True
        assert attempt["replay"]["deal"] not in shown
        shown.add(attempt["replay"]["deal"])
        ada.post(f"sprints/{sprint}/leave/", {})
        bob.post(f"sprints/{sprint}/leave/", {})
    assert len(shown) == 5


def test_a_round_that_is_over_is_closed_at_once_and_its_cards_are_anybodys(people: list[Api]) -> None:
    ada, bob, cleo = people
    sprint = make_sprint(ada, bob)
    begin(ada, sprint)
    won = win(ada, sprint)["attempt"]
    race = Race.objects.get(round__sprint=sprint)
    assert (cleo.get(f"races/{race.pk}/")[1]["phase"], cleo.get(f"replays/{won}/")[0]) == ("open", 404)
    assert cleo.get(f"replays/{won}/ghost/")[0] == 404
    bob.post(f"attempts/{enter(bob, sprint)['id']}/resign/", {})
    assert look(bob, sprint)["phase"] == "over"
    assert cleo.get(f"races/{race.pk}/")[1]["phase"] == cleo.get(f"races/{race.pk}/changes/")[1]["phase"] == "closed"
    assert cleo.get(f"replays/{won}/")[0] == 200
    code = cleo.get(f"races/{race.pk}/")[1]["deal"]
    assert bob.post("attempts/", {"deal": code})[0] == 201
    assert bob.get(f"replays/{won}/ghost/")[0] == 200, "beside the next game on these cards"
    race.refresh_from_db()
    assert list(audit.audit_race(race)) == []
    Attempt.objects.filter(pk=won).update(started_at=race.opens_at - timedelta(seconds=1))
    assert "not played in its round." in [fault for _where, fault in audit.audit_race(race)]


def test_the_others_have_two_minutes_after_the_first_win(people: list[Api]) -> None:
    ada, bob, _cleo = people
    sprint = make_sprint(ada, bob)
    begin(ada, sprint)
    open_one = enter(bob, sprint)["id"]
    win(ada, sprint)
    ends_at = datetime.fromisoformat(look(bob, sprint)["rounds"][0]["ends_at"])
    assert ends_at == Attempt.objects.get(player__name="Ada").ended_at + timedelta(minutes=2)
    assert datetime.fromisoformat(bob.get(f"attempts/{open_one}/")[1]["ends_at"]) == ends_at
    pass_time(sprint, seconds=119)
    assert bob.post(f"attempts/{open_one}/moves/", {"from_ply": 0, "moves": "D"})[0] == 200
    pass_time(sprint, seconds=1)
    assert bob.post(f"attempts/{open_one}/moves/", {"from_ply": 1, "moves": "D"})[1]["code"] == "attempt_ended"
    over = look(bob, sprint)
    assert (over["phase"], ranks(over)) == ("over", {"Ada": 1, "Bob": 2})
    assert over["rounds"][0]["players"][1]["state"] == "expired"


def test_best_of_three_goes_on_by_itself_until_somebody_has_won_twice(people: list[Api]) -> None:
    ada, bob, _cleo = people
    sprint = make_sprint(ada, bob, best_of=3)
    begin(ada, sprint)
    for number, (winner, other) in enumerate([(ada, bob), (bob, ada), (ada, bob)], 1):
        win(winner, sprint)
        other.post(f"attempts/{enter(other, sprint)['id']}/resign/", {})
        seen = look(ada, sprint)
        if number < 3:
            assert (seen["phase"], len(seen["rounds"])) == ("countdown", number + 1)
            pass_time(sprint, seconds=20)
    assert seen["phase"] == "over"
    assert [ranks(seen, number)["Ada"] for number in (1, 2, 3)] == [1, 2, 1]
    assert {row["player"]: (row["won"], row["rank"]) for row in seen["players"]} == {"Ada": (2, 1), "Bob": (1, 2)}
    assert len(set(Race.objects.values_list("deal", flat=True))) == 3


def test_who_leaves_is_out_and_counts_last_and_the_host_passes_it_on(people: list[Api]) -> None:
    ada, bob, cleo = people
    sprint = make_sprint(ada, bob, cleo)
    begin(ada, sprint)
    attempt = enter(ada, sprint)["id"]
    left = ada.post(f"sprints/{sprint}/leave/", {})[1]
    assert left["host"] == "Bob"
    assert ada.get(f"attempts/{attempt}/")[1]["end"] == "resigned"
    assert ada.post(f"sprints/{sprint}/join/", {})[1]["code"] == "left"
    assert ada.post(f"sprints/{sprint}/attempts/", {})[0] == 200, "the attempt can still be looked at"
    bob.post(f"attempts/{enter(bob, sprint)['id']}/resign/", {})
    win(cleo, sprint)
    assert ranks(look(bob, sprint)) == {"Cleo": 1, "Bob": 2, "Ada": 3}


def test_a_host_who_leaves_the_lobby_may_come_back_as_a_guest_of_another(people: list[Api]) -> None:
    ada, bob, _cleo = people
    sprint = make_sprint(ada, bob)
    ada.post(f"sprints/{sprint}/leave/", {})
    assert ada.post(f"sprints/{sprint}/start/", {})[1]["code"] == "not_the_host"
    assert ada.post(f"sprints/{sprint}/join/", {})[1]["host"] == "Bob"
    for api in (ada, bob):
        api.post(f"sprints/{sprint}/leave/", {})
    assert look(ada, sprint)["phase"] == "over"
    assert ada.post(f"sprints/{sprint}/join/", {})[1]["code"] == "sprint_over"


def test_who_sends_nothing_for_two_minutes_is_out_and_who_moves_is_not(people: list[Api]) -> None:
    ada, bob, cleo = people
    sprint = make_sprint(ada, bob, cleo)
    begin(ada, sprint)
    attempt = enter(bob, sprint)["id"]
    pass_time(sprint, seconds=100)
    look(cleo, sprint)
    assert bob.post(f"attempts/{attempt}/moves/", {"from_ply": 0, "moves": "D"})[0] == 200
    pass_time(sprint, seconds=30)
    seen = look(cleo, sprint)
    assert {row["player"]: row["left_at"] is None for row in seen["players"]} == {
        "Ada": False,
        "Bob": True,
        "Cleo": True,
    }
    assert seen["host"] == "Bob"
    assert [row["state"] for row in seen["rounds"][0]["players"]] == ["out", "playing", "waiting"]
    assert ada.post(f"sprints/{sprint}/attempts/", {})[1]["code"] == "not_in_sprint"


def test_nobody_wins_after_the_two_minutes_even_where_nobody_looks(people: list[Api]) -> None:
    ada, bob, _cleo = people
    sprint = make_sprint(ada, bob)
    begin(ada, sprint)
    attempt = enter(bob, sprint)
    win(ada, sprint)
    pass_time(sprint, seconds=121)
    assert bob.post(f"attempts/{attempt['id']}/moves/", {"from_ply": 0, "moves": "D"})[1]["code"] == "attempt_ended"
    assert ranks(look(ada, sprint)) == {"Ada": 1, "Bob": 2}


def test_a_late_joiner_waits_for_the_next_round(people: list[Api]) -> None:
    ada, bob, cleo = people
    sprint = make_sprint(ada, bob, best_of=3)
    begin(ada, sprint)
    joined = cleo.post(f"sprints/{sprint}/join/", {})[1]
    assert [row["player"] for row in joined["rounds"][0]["players"]] == ["Ada", "Bob"]
    assert cleo.post(f"sprints/{sprint}/attempts/", {})[1]["code"] == "not_in_sprint"
    assert cleo.post(f"races/{joined['rounds'][0]['race']}/attempts/", {})[1]["code"] == "not_in_sprint"
    for api in (ada, bob):
        api.post(f"attempts/{enter(api, sprint)['id']}/resign/", {})
    seen = look(cleo, sprint)
    assert [row["player"] for row in seen["rounds"][1]["players"]] == ["Ada", "Bob", "Cleo"]
    pass_time(sprint, seconds=20)
    assert enter(cleo, sprint)["ranked"] is True


def test_a_set_time_needs_no_host_and_nobody_to_keep_it(people: list[Api]) -> None:
    ada, bob, cleo = people
    at = read_clock() + timedelta(hours=1)
    sprint = make_sprint(ada, bob, cleo, starts_at=at.isoformat())
    pass_time(sprint, seconds=3585)
    assert look(ada, sprint)["phase"] == "lobby"
    look(bob, sprint)
    pass_time(sprint, seconds=6)
    seen = look(ada, sprint)
    assert seen["phase"] == "countdown"
    assert seen["rounds"][0]["opens_at"] == seen["starts_at"]
    pass_time(sprint, seconds=9)
    seen = look(ada, sprint)
    assert seen["phase"] == "running"
    assert [row["player"] for row in seen["rounds"][0]["players"]] == ["Ada", "Bob"], "Cleo has not been heard of"


def test_a_set_time_at_which_nobody_looked_gives_a_countdown_to_who_comes(people: list[Api]) -> None:
    ada, bob, _cleo = people
    sprint = make_sprint(ada, bob, starts_at=(read_clock() + timedelta(seconds=30)).isoformat())
    pass_time(sprint, seconds=60)
    assert look(ada, sprint)["phase"] == "countdown"
    alone = make_sprint(ada, starts_at=(read_clock() + timedelta(seconds=30)).isoformat())
    pass_time(alone, seconds=30)
    assert (look(ada, alone)["phase"], look(ada, alone)["rounds"]) == ("over", [])


def test_a_round_for_which_too_few_are_left_before_its_start_is_none(people: list[Api]) -> None:
    ada, bob, _cleo = people
    sprint = make_sprint(ada, bob)
    ada.post(f"sprints/{sprint}/start/", {})
    bob.post(f"sprints/{sprint}/leave/", {})
    seen = look(ada, sprint)
    assert (seen["phase"], seen["rounds"], seen["starts_at"]) == ("lobby", [], None)
    assert Race.objects.count() == 0
    assert ada.post(f"sprints/{sprint}/start/", {})[1]["code"] == "too_few"
    bob.post(f"sprints/{sprint}/join/", {})
    begin(ada, sprint)
    assert look(bob, sprint)["phase"] == "running"


def test_chosen_cards_are_for_one_round_among_those_who_do_not_know_them(people: list[Api]) -> None:
    ada, bob, cleo = people
    deal = easy_deal().code
    body = {"deal": deal}
    assert ada.post("sprints/", body | {"best_of": 3})[1]["where"] == "best_of"
    cleo.post("attempts/", {"deal": deal})
    assert cleo.post("sprints/", body)[1]["code"] == "seen_before"
    sprint = ada.post("sprints/", body)[1]
    assert (sprint["rated"], sprint["ruleset"]) == (False, "T")
    assert cleo.post(f"sprints/{sprint['id']}/join/", {})[1]["code"] == "seen_before"
    bob.post(f"sprints/{sprint['id']}/join/", {})
    begin(ada, sprint["id"])
    assert enter(ada, sprint["id"])["unranked_because"] == "own_deal"
    assert enter(bob, sprint["id"])["ranked"] is True


def test_who_looks_at_the_chosen_cards_in_the_countdown_does_not_play_them(people: list[Api]) -> None:
    ada, bob, _cleo = people
    sprint = ada.post("sprints/", {"deal": easy_deal().code})[1]["id"]
    bob.post(f"sprints/{sprint}/join/", {})
    ada.post(f"sprints/{sprint}/start/", {})
    bob.post("attempts/", {"deal": easy_deal("N").code})
    pass_time(sprint, seconds=10)
    assert bob.post(f"sprints/{sprint}/attempts/", {})[1]["code"] == "seen_before"


def test_an_invite_code_keeps_strangers_out_and_is_told_to_those_inside(people: list[Api]) -> None:
    ada, bob, _cleo = people
    sprint = make_sprint(ada, invite_code="let me in")
    assert Api().get("sprints/")[1]["rows"] == []
    assert look(ada, sprint)["invite_code"] == "let me in"
    assert bob.get(f"sprints/{sprint}/")[0] == 403
    assert bob.post(f"sprints/{sprint}/join/", {})[1]["code"] == "invite_code"
    assert bob.post(f"sprints/{sprint}/join/", {"invite_code": "let me in"})[0] == 200


def test_guests_play_along_for_practice(people: list[Api]) -> None:
    ada, guest = people[0], log_in(start_guest())
    sprint = make_sprint(ada, guest)
    begin(ada, sprint)
    assert enter(guest, sprint)["unranked_because"] == "guest"


def test_what_no_guest_plays_is_held_too_and_ends_no_round(people: list[Api], settings: Any) -> None:
    ada, guest = people[0], log_in(start_guest())
    sprint = make_sprint(ada, guest)
    begin(ada, sprint)
    settings.HUMAN_FLOORS = {"*": Floor(60, 0)}
    assert win(guest, sprint)["held"] == "pace"
    pass_time(sprint, seconds=90)
    enter(ada, sprint)
    pass_time(sprint, seconds=90)
    win(ada, sprint)
    seen = look(ada, sprint)
    assert (seen["phase"], list(ranks(seen).values())) == ("over", [1, None])


def test_nobody_takes_a_hint_in_a_sprint_nor_elsewhere_on_its_cards(people: list[Api]) -> None:
    ada, guest = people[0], log_in(start_guest())
    sprint = ada.post("sprints/", {"deal": easy_deal().code})[1]["id"]  # whose own attempt is practice
    guest.post(f"sprints/{sprint}/join/", {})
    begin(ada, sprint)
    for api in (ada, guest):
        attempt = enter(api, sprint)["id"]
        assert api.post(f"attempts/{attempt}/hint/", {})[1]["code"] == "in_sprint"
        elsewhere = api.post("attempts/", {"deal": easy_deal("N").code})[1]["id"]
        assert api.post(f"attempts/{elsewhere}/hint/", {})[1]["code"] == "cards_in_play"
        api.post(f"attempts/{attempt}/resign/", {})
        assert api.post(f"attempts/{elsewhere}/hint/", {})[0] == 200


def test_who_has_no_player_yet_makes_and_joins_a_sprint_as_a_guest(people: list[Api]) -> None:
    status, made = Api().post("sprints/", {"ruleset": "N", "guest": True})
    assert (status, made["present"]) == (201, 1)
    assert made["host"].startswith("Guest")
    assert Api().post(f"sprints/{made['id']}/join/", {"guest": True})[1]["present"] == 2
    for path in ("sprints/", f"sprints/{made['id']}/join/"):
        assert Api().post(path, {})[0] == 401
    players = Player.objects.count()
    assert Api().post("sprints/999999/join/", {"guest": True})[0] == 404
    assert Player.objects.count() == players, "no guest is left of a call that was refused"


def test_an_attempt_says_whose_round_it_is(people: list[Api]) -> None:
    ada, bob, _cleo = people
    sprint = make_sprint(ada, bob)
    begin(ada, sprint)
    assert enter(ada, sprint)["race"] | {"id": 0} == {
        "id": 0,
        "kind": "sprint",
        "name": "",
        "day": None,
        "sprint": sprint,
    }


def test_of_who_is_banned_nothing_is_shown(people: list[Api]) -> None:
    ada, bob, cleo = people
    sprint = make_sprint(ada, bob, cleo)
    begin(ada, sprint)
    win(ada, sprint)
    fair.ban(player=Player.objects.get(name="Ada"), because="A program.", by=None)
    win(bob, sprint)
    cleo.post(f"attempts/{enter(cleo, sprint)['id']}/resign/", {})
    over = look(bob, sprint)
    assert (over["phase"], over["host"], ranks(over)) == ("over", "Bob", {"Bob": 1, "Cleo": 2})
    assert [row["player"] for row in over["players"]] == ["Bob", "Cleo"]


@pytest.mark.parametrize(
    ("body", "code", "where"),
    [
        ({}, "one_of", None),
        ({"ruleset": "Z"}, "ruleset", "ruleset"),
        ({"ruleset": "T", "players": 1}, "min_value", "players"),
        ({"ruleset": "T", "players": 101}, "max_value", "players"),
        ({"ruleset": "T", "best_of": 2}, "invalid_choice", "best_of"),
        ({"ruleset": "T", "best_of": "3"}, "invalid_choice", "best_of"),
        ({"ruleset": "T", "starts_at": "2020-01-01T00:00Z"}, "past", "starts_at"),
        ({"ruleset": "T", "starts_at": "2099-01-01T00:00Z"}, "too_far", "starts_at"),
        ({"ruleset": "T", "invite_code": "abc"}, "min_length", "invite_code"),
        ({"ruleset": "T", "difficulty": "odd"}, "invalid_choice", "difficulty"),
        ({"ruleset": "T", "speed": 1}, "unknown_field", "speed"),
    ],
)
def test_a_sprint_that_may_not_be_is_refused(body: dict[str, Any], code: str, where: str | None) -> None:
    status, answer = log_in(make_player("Ada")).post("sprints/", body)
    assert status == 400
    assert (answer["code"], answer["where"]) == (code, where)
    assert Sprint.objects.count() == 0


def test_what_there_is_not_is_404_and_what_is_full_is_full(people: list[Api]) -> None:
    ada, bob, cleo = people
    for name, body in (("join", {}), ("leave", {}), ("ready", {"ready": True}), ("start", {}), ("rematch", {})):
        assert ada.post(f"sprints/9/{name}/", body)[0] == 404, name
    assert ada.post("sprints/9/attempts/", {})[0] == 404
    sprint = make_sprint(ada, bob, players=2)
    assert cleo.post(f"sprints/{sprint}/join/", {})[1]["code"] == "sprint_full"
    assert cleo.post(f"sprints/{sprint}/ready/", {"ready": True})[1]["code"] == "not_in_sprint"
    assert ada.post(f"sprints/{sprint}/rematch/", {})[1]["code"] == "sprint_running"
    for _ in range(sprinting.MOST_SPRINTS - 1):
        make_sprint(ada)
    assert ada.post("sprints/", EASY)[1]["code"] == "too_many_sprints"
    for pk in Sprint.objects.values_list("pk", flat=True):
        pass_time(pk, seconds=120)
    assert ada.post("sprints/", EASY)[0] == 201, "nobody was left in the others"
    assert Sprint.objects.filter(ended_at=None).count() == 1


def test_a_hundred_start_together(django_assert_max_num_queries: Any) -> None:
    fill_pool(1)
    host, *others = make_players(100)
    ada, now = log_in(host), read_clock()
    sprint = make_sprint(ada, players=100)
    SprintPlayer.objects.bulk_create(
        SprintPlayer(sprint_id=sprint, player=player, joined_at=now, heard_at=now) for player in others
    )
    begin(ada, sprint)
    with django_assert_max_num_queries(25):
        assert len(look(ada, sprint)["rounds"][0]["players"]) == 100
    assert Round.objects.get().seats.count() == 100
    pass_time(sprint, seconds=120)
    over = look(ada, sprint)
    assert (over["phase"], over["present"]) == ("over", 0), "a hundred were silent"
