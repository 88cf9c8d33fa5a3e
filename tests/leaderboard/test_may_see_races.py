"""Who may see what of a race: the table, asked of every address that could tell."""

from datetime import timedelta

import pytest
from django.db.models import F

from games.models import Attempt, Player
from leaderboard import actions, racing
from leaderboard.models import Race
from tests.client import Api
from tests.players import EASY_MOVES, EASY_ORDER, easy_deal, log_in, make_player

pytestmark = pytest.mark.django_db

CODE = f"PY0-T-{EASY_ORDER}"
HOURS = {"open": -1.0, "grace": -24.5, "closed": -25.5}

# phase, who asks -> may be told the code, may see another's replay
TABLE = [
    ("open", "nobody", False, False),
    ("open", "stranger", False, False),
    ("open", "playing", True, False),
    ("open", "playing another ruleset", True, False),
    ("open", "done", True, True),
    ("open", "done without a win", True, True),
    ("open", "done and playing again", True, False),
    ("open", "out of time", True, True),
    ("open", "winner", True, True),
    ("grace", "nobody", True, False),
    ("grace", "stranger", True, False),
    ("grace", "playing", True, False),
    ("grace", "done", True, True),
    ("grace", "done and playing again", True, False),
    ("grace", "winner", True, True),
    ("closed", "nobody", True, True),
    ("closed", "stranger", True, True),
    ("closed", "playing another ruleset", True, False),
    ("closed", "done", True, True),
    ("closed", "done and playing again", True, True),
    ("closed", "winner", True, True),
]


def make_race(hours: float = -1) -> Race:
    """A daily-like race on the easy deal, which opened so long ago."""
    opens_at = actions.read_clock() + timedelta(hours=hours)
    race = racing.create_race(
        host=None, name="x", deal=easy_deal(), opens_at=opens_at, closes_at=opens_at + timedelta(days=1)
    )
    Race.objects.update(chosen=False)
    return race


def enter(player: Player, race: Race) -> int:
    return racing.enter(player=player, race=race.pk)[0].attempt_id


def ask_as(who: str, race: Race, winner: Player) -> Api:
    """The calls of one of the table's askers, after what made them one."""
    if who == "nobody":
        return Api()
    if who == "winner":
        return log_in(winner)
    player = make_player("Ada")
    api = log_in(player)
    if who == "playing another ruleset":
        api.post("attempts/", {"deal": f"PY0-N-{EASY_ORDER}"})
    elif who != "stranger":
        attempt = enter(player, race)
        if who.startswith("done"):
            moves = "D" if who == "done without a win" else EASY_MOVES
            api.post(f"attempts/{attempt}/moves/", {"from_ply": 0, "moves": moves})
            api.post(f"attempts/{attempt}/resign/", {})
        if who == "done and playing again":
            api.post("attempts/", {"deal": CODE})
        if who == "out of time":
            Attempt.objects.filter(pk=attempt).update(ends_at=actions.read_clock())
    return api


@pytest.mark.parametrize(("phase", "who", "code", "replay"), TABLE)
def test_the_table(phase: str, who: str, code: bool, replay: bool) -> None:
    race, winner = make_race(), make_player("Winner")
    won = enter(winner, race)
    log_in(winner).post(f"attempts/{won}/moves/", {"from_ply": 0, "moves": EASY_MOVES})
    api = ask_as(who, race, winner)
    opens_at = actions.read_clock() + timedelta(hours=HOURS[phase])
    Race.objects.update(opens_at=opens_at, closes_at=opens_at + timedelta(days=1))

    answer = api.get(f"races/{race.pk}/")[1]
    assert (answer["phase"], answer["deal"]) == (phase, CODE if code else None)
    assert api.get("races/")[1]["rows"][0]["deal"] == answer["deal"]
    assert api.get("players/Winner/attempts/")[1]["rows"][0]["deal"] == answer["deal"]
    assert api.get(f"replays/{won}/")[0] == (200 if replay else 404)
    assert api.get(f"attempts/{won}/")[0] == (200 if who == "winner" else 401 if who == "nobody" else 404)
    if not code:
        told = [
            api.get(path) for path in ("races/", f"races/{race.pk}/", "players/Winner/", "players/Winner/attempts/")
        ]
        assert EASY_ORDER not in str(told)


def test_nothing_is_told_of_a_race_to_come_and_all_else_goes_on() -> None:
    winner, ada = make_player("Winner"), make_player("Ada")
    api = log_in(winner)
    attempt = api.post("attempts/", {"deal": CODE})[1]["id"]
    api.post(f"attempts/{attempt}/moves/", {"from_ply": 0, "moves": EASY_MOVES})
    race = make_race(hours=5)
    for viewer in (Api(), log_in(ada), api):
        assert viewer.get(f"races/{race.pk}/")[1]["deal"] is None
        assert viewer.get(f"replays/{attempt}/")[0] == 200, "hiding it would tell whose cards they are"
        assert viewer.get("players/Winner/attempts/")[1]["rows"][0]["deal"] == CODE


def test_a_withdrawn_race_hides_nothing() -> None:
    race, winner = make_race(), make_player("Winner")
    won = enter(winner, race)
    log_in(winner).post(f"attempts/{won}/resign/", {})
    assert Api().get(f"replays/{won}/")[0] == 404
    racing.withdraw_race(race=race, because="The cards were known.")
    assert Api().get(f"replays/{won}/")[0] == 200
    answer = Api().get(f"races/{race.pk}/")[1]
    assert (answer["phase"], answer["withdrawn_because"]) == ("withdrawn", "The cards were known.")
    status, answer = log_in(make_player("Ada")).post(f"races/{race.pk}/attempts/", {})
    assert (status, answer["code"]) == (409, "race_withdrawn")


def test_cards_in_two_races_stay_hidden_until_the_second_is_over() -> None:
    over, running, winner = make_race(hours=-30), make_race(), make_player("Winner")
    won = enter(winner, running)
    log_in(winner).post(f"attempts/{won}/resign/", {})
    api = log_in(make_player("Ada"))
    assert api.get(f"races/{over.pk}/")[1]["deal"] is None
    assert api.get(f"replays/{won}/")[0] == 404
    two_days = timedelta(days=2)
    Race.objects.update(opens_at=F("opens_at") - two_days, closes_at=F("closes_at") - two_days)
    assert api.get(f"races/{over.pk}/")[1]["deal"] == CODE
    assert api.get(f"replays/{won}/")[0] == 200


def test_a_closed_race_is_not_exported_while_its_cards_are_in_another() -> None:
    over, running, winner = make_race(hours=-30), make_race(), make_player("Winner")
    enter(winner, running)
    status, answer = log_in(make_player("Ada")).get(f"races/{over.pk}/export/")
    assert (status, answer["code"]) == (409, "cards_in_play")
