"""Results that no human makes stand outside all ranks, visibly, until somebody has looked at them."""

from datetime import timedelta
from functools import partial

import pytest

from games.engine.position import Position
from games.engine.solver import shortest
from games.models import Attempt, Player
from leaderboard import actions, racing
from leaderboard.models import Race, Standing
from leaderboard.races import Floor
from tests.client import Api
from tests.players import (
    EASY_MOVES,
    FEWEST,
    easy_deal,
    easy_line,
    in_parallel,
    log_in,
    make_player,
    make_players,
    move_back,
    open_attempt,
)

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _floor(settings) -> None:
    settings.HUMAN_FLOORS = {"*": Floor(250, 10), "N": Floor(1000, 1)}


def make_race(letter: str = "T") -> Race:
    now = actions.read_clock()
    race = racing.create_race(
        host=None, name="x", deal=easy_deal(letter), opens_at=now, closes_at=now + timedelta(days=1)
    )
    Race.objects.update(chosen=False)
    return race


def play(player: Player, race: Race, moves: str, *, seconds: float) -> dict[str, object]:
    """What a player's winning call in a race is answered, so long after the start."""
    api = log_in(player)
    attempt = api.post(f"races/{race.pk}/attempts/", {})[1]
    assert attempt["ranked"]
    move_back(attempt["id"], seconds=seconds)
    status, answer = api.post(f"attempts/{attempt['id']}/moves/", {"from_ply": 0, "moves": moves})
    assert (status, answer["end"]) == (200, "won")
    return answer


def ranks(letter: str = "T") -> list[tuple[str, int]]:
    rows = Api().get(f"rulesets/{letter}/board/")[1]["rows"]
    return [(row["player"], row["rank"]) for row in rows]


def test_a_solver_that_sends_a_shortest_line_at_once_does_not_stand_at_rank_1() -> None:
    race = make_race()
    solved = shortest(Position.start(race.deal.cards))
    assert solved.line
    assert solved.par_proven
    answer = play(make_player("Solver"), race, " ".join(solved.line), seconds=0)
    assert (answer["held"], answer["places"]) == ("pace", [])
    assert play(make_player("Ada"), race, easy_line(18), seconds=60)["held"] is None
    assert ranks() == [("Ada", 1)]
    assert not Standing.objects.filter(player__name="Solver").exists(), "on no board, the deal's neither"


def test_a_held_win_is_kept_and_shown_with_the_reason() -> None:
    race, player = make_race(), make_player("Solver")
    attempt = play(player, race, EASY_MOVES, seconds=0)["attempt"]
    stored = Attempt.objects.get(pk=attempt)
    assert (stored.end, stored.held, stored.counted_moves) == ("won", "pace", FEWEST)
    assert stored.official_ms is not None
    assert Api().get(f"replays/{attempt}/")[0] == 404, "the race is not over"
    api = log_in(player)
    assert api.get(f"replays/{attempt}/")[1]["held"] == "pace"
    entry = api.get(f"races/{race.pk}/")[1]["entry"]
    assert (entry["end"], entry["held"]) == ("won", "pace")
    assert "outside" in entry["note"]


@pytest.mark.parametrize(
    ("letter", "seconds", "moves", "held"),
    [
        ("T", 9, 16, "pace"),
        ("T", 10.5, 16, None),
        ("T", 10.5, 60, "pace"),
        ("T", 16, 60, None),
        ("N", 15, 16, "pace"),
        ("N", 17, 16, None),
    ],
)
def test_the_floor_is_a_mean_of_moves_and_whole_seconds_by_ruleset(
    letter: str, seconds: float, moves: int, held: str | None
) -> None:
    answer = play(make_player("Ada"), make_race(letter), easy_line(moves), seconds=seconds)
    assert answer["held"] == held
    assert len(ranks(letter)) == (held is None)


def test_the_moves_of_an_earlier_entry_are_held_and_other_moves_are_not() -> None:
    race = make_race()
    ada, bea, cleo, dora = (make_player(name) for name in ("Ada", "Bea", "Cleo", "Dora"))
    assert play(ada, race, easy_line(20), seconds=60)["held"] is None
    assert play(bea, race, easy_line(21), seconds=50)["held"] is None
    turned = easy_line(20).replace("g1g2", "g2g1")
    assert play(cleo, race, turned, seconds=40)["held"] == "same_moves", "equal games are equal, however written"
    assert play(dora, race, easy_line(20), seconds=1)["held"] == "pace"
    assert ranks() == [("Bea", 1), ("Ada", 2)]


def test_the_same_moves_in_another_race_or_outside_any_are_not_held() -> None:
    first, second = make_race(), make_race()
    assert play(make_player("Ada"), first, EASY_MOVES, seconds=60)["held"] is None
    assert play(make_player("Bea"), second, EASY_MOVES, seconds=60)["held"] is None


def test_a_ranked_win_outside_races_is_held_for_its_pace_alone() -> None:
    for name, seconds, held in (("Ada", 60, None), ("Bea", 50, None), ("Solver", 1, "pace")):
        player = make_player(name)
        attempt = open_attempt(player, easy_deal()).pk
        move_back(attempt, seconds=seconds)
        answer = log_in(player).post(f"attempts/{attempt}/moves/", {"from_ply": 0, "moves": EASY_MOVES})[1]
        assert answer["held"] == held
    assert ranks() == [("Bea", 1), ("Ada", 2)]


def test_practice_is_never_held() -> None:
    api = log_in(make_player("Ada"))
    attempt = api.post("attempts/", {"deal": easy_deal().code})[1]["id"]
    answer = api.post(f"attempts/{attempt}/moves/", {"from_ply": 0, "moves": EASY_MOVES})[1]
    assert (answer["held"], [place["board"] for place in answer["places"]]) == (None, ["deal"])


def test_a_repeated_call_tells_again_that_the_win_is_held() -> None:
    race, player = make_race(), make_player("Solver")
    attempt = play(player, race, EASY_MOVES, seconds=0)["attempt"]
    body = {"from_ply": 0, "moves": EASY_MOVES}
    status, answer = log_in(player).post(f"attempts/{attempt}/moves/", body)
    assert (status, answer["held"], answer["places"]) == (200, "pace", [])


@pytest.mark.django_db(transaction=True)
def test_of_equal_moves_at_the_same_moment_one_is_the_earlier() -> None:
    race, players = make_race(), make_players(6)
    calls = []
    for player in players:
        attempt = racing.enter(player=player, race=race.pk)[0].attempt_id
        move_back(attempt, seconds=60)
        post = partial(log_in(player).post, f"attempts/{attempt}/moves/", {"from_ply": 0, "moves": EASY_MOVES})
        calls.append(post)
    answers = in_parallel(calls)
    assert [status for status, _answer in answers] == [200] * 6
    assert sorted(str(answer["held"]) for _status, answer in answers) == ["None"] + ["same_moves"] * 5
    assert len(ranks()) == 1
