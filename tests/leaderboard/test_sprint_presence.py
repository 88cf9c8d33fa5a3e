"""Nobody is in a sprint who cannot be: of a rematch who has not come to it, and whose account is shut or gone."""

from datetime import timedelta
from typing import Any

import pytest

from games.models import Player
from leaderboard import actions, fair, people
from leaderboard.models import RatingChange, Round, Sprint
from tests.client import Api
from tests.players import log_in, make_player
from tests.sprints import begin, enter, fill_pool, make_sprint, pass_time, win

pytestmark = pytest.mark.django_db


@pytest.fixture
def three() -> list[Api]:
    fill_pool(4)
    return [log_in(make_player(name)) for name in ("Ada", "Bob", "Cleo")]


def look(api: Api, sprint: int) -> dict[str, Any]:
    return api.get(f"sprints/{sprint}/")[1]


def play_sprint(players: list[Api]) -> int:
    sprint = make_sprint(*players)
    begin(players[0], sprint)
    win(players[0], sprint)
    for other in players[1:]:
        other.post(f"attempts/{enter(other, sprint)['id']}/resign/", {})
    assert look(players[0], sprint)["phase"] == "over"
    return sprint


def test_who_does_not_come_to_a_rematch_does_not_race_in_it(three: list[Api]) -> None:
    ada, bob, _cleo = three
    over = play_sprint(three)
    again = ada.post(f"sprints/{over}/rematch/", {})[1]["id"]
    assert ada.post(f"sprints/{again}/start/", {})[1]["code"] == "too_few", "nobody else has come yet"
    assert bob.post(f"sprints/{over}/rematch/", {})[1]["id"] == again
    begin(ada, again)
    assert [row["player"] for row in look(ada, again)["rounds"][0]["players"]] == ["Ada", "Bob"]
    win(ada, again)
    win(bob, again)
    assert look(ada, again)["phase"] == "over"
    rated = RatingChange.objects.filter(round=Round.objects.get(sprint=again))
    assert sorted(rated.values_list("player__name", flat=True)) == ["Ada", "Bob"]


def test_who_comes_to_a_rematch_in_its_countdown_races_in_it(three: list[Api]) -> None:
    ada, bob, cleo = three
    over = play_sprint(three)
    again = ada.post(f"sprints/{over}/rematch/", {})[1]["id"]
    look(bob, again)
    ada.post(f"sprints/{again}/start/", {})
    look(cleo, again)
    assert [row["player"] for row in look(ada, again)["rounds"][0]["players"]] == ["Ada", "Bob", "Cleo"]


def test_the_place_of_who_went_away_before_a_rematch_is_soon_free(three: list[Api]) -> None:
    ada = three[0]
    over = play_sprint(three)
    pass_time(over, seconds=300)
    assert look(ada, over)["phase"] == "over"
    again = ada.post(f"sprints/{over}/rematch/", {})[1]
    assert [row["player"] for row in again["players"] if not row["left_at"]] == ["Ada"]


def shut_out(player: Player) -> None:
    fair.ban(player=player, by=None, because="bots")


def delete(player: Player) -> None:
    player.guest = True  # one of a password's owner needs the password; nothing else differs
    people.delete_account(player=player, password=None)


@pytest.mark.parametrize("end", [shut_out, delete])
def test_whose_account_is_shut_or_gone_is_out_of_a_lobby_and_hosts_nothing(three: list[Api], end: Any) -> None:
    ada, bob, cleo = three
    starts_at = (actions.read_clock() + timedelta(hours=1)).isoformat()
    sprint = make_sprint(ada, bob, cleo, starts_at=starts_at)
    end(Player.objects.get(name="Ada"))
    seen = look(bob, sprint)
    assert (seen["host"], seen["present"]) == ("Bob", 2)
    end(Player.objects.get(name="Cleo"))
    pass_time(sprint, seconds=3601)
    seen = look(bob, sprint)
    assert (seen["phase"], seen["rounds"]) == ("over", []), "one alone does not race"


@pytest.mark.parametrize("end", [shut_out, delete])
def test_a_round_goes_on_without_whose_account_is_shut_or_gone(three: list[Api], end: Any) -> None:
    ada, bob, cleo = three
    sprint = make_sprint(ada, bob, cleo)
    begin(ada, sprint)
    for api in three:
        enter(api, sprint)
    end(Player.objects.get(name="Ada"))
    assert look(bob, sprint)["host"] == "Bob"
    win(bob, sprint)
    cleo.post(f"sprints/{sprint}/leave/", {})
    assert look(bob, sprint)["phase"] == "over", "nobody waits for who cannot come"
    assert Sprint.objects.get(pk=sprint).ended_at is not None
