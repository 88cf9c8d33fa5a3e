"""Sprints while many do things at the same moment: joins, starts and leaves; results as the database has them."""

import random
from collections import Counter
from functools import partial
from typing import Any

import pytest

from games.models import Attempt, Player
from leaderboard import ratings
from leaderboard.actions import read_clock
from leaderboard.models import Rating, Round, Seat, Sprint, SprintPlayer
from tests import plain_sprints
from tests.client import Api
from tests.players import in_parallel, log_in, make_players
from tests.sprints import begin, enter, fill_pool, lines, make_sprint, pass_time

pytestmark = pytest.mark.django_db(transaction=True)


def test_of_many_who_join_at_once_as_many_as_may_are_in() -> None:
    everybody = [log_in(player) for player in make_players(12)]
    sprint = make_sprint(everybody[0], players=8)
    answers = in_parallel([partial(Api(api.token).post, f"sprints/{sprint}/join/", {}) for api in everybody])
    assert Counter(status for status, _answer in answers) == {200: 8, 409: 4}
    assert SprintPlayer.objects.count() == 8


def test_a_start_that_is_sent_often_while_others_leave_and_look_is_one() -> None:
    fill_pool(1)
    ada, *others = [log_in(player) for player in make_players(6)]
    sprint = make_sprint(ada, *others)
    calls = [partial(Api(ada.token).post, f"sprints/{sprint}/start/", {})] * 5
    calls += [partial(Api(api.token).post, f"sprints/{sprint}/leave/", {}) for api in others[:3]]
    calls += [partial(Api(api.token).get, f"sprints/{sprint}/") for api in others]
    assert {status for status, _answer in in_parallel(calls)} == {200}
    assert Round.objects.count() == 1
    assert Seat.objects.count() == SprintPlayer.objects.filter(left_at=None).count() == 3


def test_when_all_leave_at_once_nobody_is_host_of_a_sprint_that_goes_on() -> None:
    everybody = [log_in(player) for player in make_players(8)]
    sprint = make_sprint(*everybody)
    begin(everybody[0], sprint)
    calls: list[Any] = []
    for api in everybody:
        calls += [partial(Api(api.token).post, f"sprints/{sprint}/{what}/", {}) for what in ("attempts", "leave")]
    answers = in_parallel(calls)
    assert {status for status, _answer in answers} <= {200, 201, 403, 409}
    assert not Attempt.objects.filter(ended_at=None).exists(), "an attempt of who has left is over"
    assert Sprint.objects.get().ended_at is not None
    assert Round.objects.get().over_at is not None


def test_of_many_who_look_when_a_round_ends_one_ends_it_and_one_rematch_is_made() -> None:
    fill_pool(2)
    everybody = [log_in(player) for player in make_players(5)]
    sprint = make_sprint(*everybody)
    begin(everybody[0], sprint)
    attempts = [enter(api, sprint)["id"] for api in everybody]
    ends = zip(everybody, attempts, strict=True)
    in_parallel([partial(Api(api.token).post, f"attempts/{attempt}/resign/", {}) for api, attempt in ends])
    answers = in_parallel([partial(Api(api.token).get, f"sprints/{sprint}/") for api in everybody])
    assert {answer["phase"] for _status, answer in answers} == {"over"}
    assert list(Rating.objects.values_list("rounds", flat=True)) == [1] * 5
    answers = in_parallel([partial(Api(api.token).post, f"sprints/{sprint}/rematch/", {}) for api in everybody])
    assert len({answer["id"] for _status, answer in answers}) == 1
    assert Sprint.objects.count() == 2


# Many sprints


def run_player(api: Api, sprint: int, rng: random.Random) -> None:
    """What a player does: begin, play to a win or some of it, look, give up, leave, or nothing."""
    what = rng.choice(["win", "win", "part", "resign", "leave", "leave early", "nothing"])
    if what == "leave early":
        api.post(f"sprints/{sprint}/leave/", {})
    if what in ("nothing", "leave early"):
        return
    status, attempt = api.post(f"sprints/{sprint}/attempts/", {})
    assert status in (200, 201), attempt
    line = lines()[Attempt.objects.get(pk=attempt["id"]).deal.order].split(" ")
    tokens = ["D", "U"] * rng.randrange(8) + line
    played = tokens if what == "win" else tokens[: rng.randrange(len(tokens))]
    body = {"from_ply": 0, "moves": " ".join(played)}
    assert api.post(f"attempts/{attempt['id']}/moves/", body)[0] == 200
    api.get(f"sprints/{sprint}/")
    if what in ("resign", "leave"):
        path = f"attempts/{attempt['id']}/resign/" if what == "resign" else f"sprints/{sprint}/leave/"
        assert api.post(path, {})[0] == 200


def make_five(rng: random.Random, people: list[Player]) -> tuple[int, list[Api]]:
    """A sprint that has begun, and the five who are in it."""
    five = rng.sample(people, 5)
    calls, now = [log_in(player) for player in five], read_clock()
    sprint = make_sprint(calls[0])
    SprintPlayer.objects.bulk_create(
        SprintPlayer(sprint_id=sprint, player=player, joined_at=now, heard_at=now) for player in five[1:]
    )
    begin(calls[0], sprint)
    return sprint, calls


def test_twenty_sprints_of_five_with_random_leaves_end_as_the_database_says() -> None:
    fill_pool(20)
    rng, people = random.Random(5), make_players(20)
    made = [make_five(rng, people) for _ in range(20)]

    def play_all(seat: int, rng: random.Random) -> None:
        for sprint, five in made:
            run_player(Api(five[seat].token), sprint, rng)

    in_parallel([partial(play_all, seat, random.Random(seat)) for seat in range(5)])
    for sprint, five in made:
        pass_time(sprint, seconds=120)  # who still plays is silent by now, and who has won has done so long ago
        answer = five[0].get(f"sprints/{sprint}/")[1]
        assert plain_sprints.reduce(answer) == plain_sprints.tell(sprint)
    assert sum(row.rounds for row in Rating.objects.all()) > 60
    assert ratings.recompute("T") == [], "what was rated live is what all rounds give"
