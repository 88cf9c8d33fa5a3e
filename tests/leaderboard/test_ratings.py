"""Ratings of sprints: whom a round moves, their boards and curves, and a void that is computed out again."""

from typing import Any

import pytest
from django.core.management import call_command

from games.actions import start_guest
from games.models import Attempt
from leaderboard import moderating
from leaderboard.models import Rating, RatingChange
from leaderboard.races import Floor
from leaderboard.rating import Skill, rate
from tests.client import Api
from tests.players import easy_deal, log_in, make_player
from tests.sprints import begin, enter, fill_pool, make_sprint, pass_time, win

pytestmark = pytest.mark.django_db


@pytest.fixture
def people() -> list[Api]:
    fill_pool(3)
    return [log_in(make_player(name)) for name in ("Ada", "Bob", "Cleo")]


def play(*in_order: Api) -> int:
    """A sprint whose players win one after the other; its id."""
    sprint = make_sprint(*in_order)
    begin(in_order[0], sprint)
    for api in in_order:
        win(api, sprint)
        pass_time(sprint, seconds=1)
    assert in_order[0].get(f"sprints/{sprint}/")[1]["phase"] == "over"
    return sprint


def read_board() -> list[tuple[int, str, int]]:
    rows = Api().get("rulesets/T/ratings/")[1]["rows"]
    return [(row["rank"], row["player"], row["rating"]) for row in rows]


def test_each_round_moves_the_ratings_and_the_board_shows_them(people: list[Api]) -> None:
    ada, bob, cleo = people
    assert read_board() == []
    play(bob, ada, cleo)
    after = rate([Skill()] * 3, [1, 2, 3])
    names = ("Bob", "Ada", "Cleo")
    expected = [(rank, name, skill.rating) for rank, (name, skill) in enumerate(zip(names, after, strict=True), 1)]
    assert read_board() == expected
    play(ada, bob)
    again = rate([after[1], after[0]], [1, 2])
    row = Api().get("rulesets/T/ratings/?limit=1")[1]
    assert row["total"] == 3
    assert row["rows"][0] == {
        "rank": 1,
        "player": "Bob" if again[1].mu > again[0].mu else "Ada",
        "rating": max(skill.rating for skill in again),
        "uncertainty": max(again).uncertainty,
        "rounds": 2,
        "provisional": True,
    }
    assert Api().get("rulesets/N/ratings/")[1] == {"ruleset": "N", "total": 0, "rows": []}


def test_a_players_curve_has_a_point_for_every_round(people: list[Api]) -> None:
    ada, bob, _cleo = people
    sprints = [play(ada, bob), play(bob, ada)]
    (curve,) = Api().get("players/ada/ratings/")[1]["rulesets"]
    assert [(point["sprint"], point["rank"], point["rounds"]) for point in curve["curve"]] == [
        (sprints[0], 1, 1),
        (sprints[1], 2, 2),
    ]
    assert curve["curve"][-1]["rating"] == curve["rating"] < curve["curve"][0]["rating"]
    (latest,) = Api().get("players/ada/ratings/?points=1")[1]["rulesets"]
    assert latest["curve"] == curve["curve"][-1:]
    assert Api().get("players/cleo/ratings/")[1] == {"player": "Cleo", "rulesets": []}
    assert Api().get("players/nobody/ratings/")[0] == 404


def test_a_sprint_in_which_nobody_looks_any_more_is_rated_by_the_daily_tidying(people: list[Api]) -> None:
    ada, bob, _cleo = people
    sprint = make_sprint(ada, bob)
    begin(ada, sprint)
    win(ada, sprint)
    pass_time(sprint, seconds=120)
    call_command("tidy")
    assert [name for _rank, name, _rating in read_board()] == ["Ada", "Bob"]
    data = ada.get("players/me/data/")[1]
    assert [row["id"] for row in data["sprints"]] == [sprint]
    assert [len(row["curve"]) for row in data["ratings"]] == [1]


def test_who_leaves_and_who_never_came_counts_last(people: list[Api]) -> None:
    ada, bob, cleo = people
    sprint = make_sprint(ada, bob, cleo)
    begin(ada, sprint)
    enter(ada, sprint)
    ada.post(f"sprints/{sprint}/leave/", {})
    win(bob, sprint)
    pass_time(sprint, seconds=120)
    bob.get(f"sprints/{sprint}/")
    changes = RatingChange.objects.values_list("player__name", "rank")
    assert dict(changes) == {"Bob": 1, "Ada": 2, "Cleo": 2}


def test_guests_chosen_cards_and_rounds_alone_move_nothing(people: list[Api]) -> None:
    ada, bob, _cleo = people
    play(ada, log_in(start_guest()))
    sprint = ada.post("sprints/", {"deal": easy_deal().code})[1]["id"]
    bob.post(f"sprints/{sprint}/join/", {})
    begin(ada, sprint)
    for api in (ada, bob):
        api.post(f"attempts/{enter(api, sprint)['id']}/resign/", {})
    assert ada.get(f"sprints/{sprint}/")[1]["phase"] == "over"
    assert (Rating.objects.count(), RatingChange.objects.count()) == (0, 0)


def test_a_void_is_computed_out_again_and_a_restored_one_in(people: list[Api], capsys: Any) -> None:
    ada, bob, cleo = people
    play(ada, bob, cleo)
    play(bob, cleo, ada)
    before = list(Rating.objects.order_by("player").values())
    first = Attempt.objects.filter(player__name="Ada").earliest("id")
    moderating.void(attempt=first)
    assert list(Rating.objects.order_by("player").values()) == before, "until somebody says so"
    call_command("recompute_ratings", "--ruleset", "T")
    said = capsys.readouterr().out.splitlines()
    assert [line.split(" ")[1] for line in said[:-1]] == ["Ada", "Bob", "Cleo"]
    assert said[-1] == "3 changes"
    b, c = rate([Skill()] * 2, [1, 2])
    expected = rate([Skill(), b, c], [3, 1, 2])
    stored = Rating.objects.order_by("player__name")
    assert [Skill(row.mu, row.sigma, row.rounds) for row in stored] == expected
    moderating.restore(attempt=first)
    call_command("recompute_ratings")
    assert [row["mu"] for row in Rating.objects.order_by("player").values()] == [row["mu"] for row in before]
    capsys.readouterr()
    call_command("recompute_ratings")
    assert capsys.readouterr().out == "0 changes\n"


def test_a_held_win_has_no_rank_and_ends_nothing_until_it_is_released(people: list[Api], settings: Any) -> None:
    ada, bob, _cleo = people
    settings.HUMAN_FLOORS = {"*": Floor(0, 60)}
    sprint = make_sprint(ada, bob)
    begin(ada, sprint)
    win(ada, sprint)
    seen = bob.get(f"sprints/{sprint}/")[1]["rounds"][0]
    assert seen["players"][0]["held"] == "pace"
    pass_time(sprint, seconds=70)
    assert bob.get(f"sprints/{sprint}/")[1]["phase"] == "running"
    win(bob, sprint)
    over = bob.get(f"sprints/{sprint}/")[1]
    assert [(row["player"], row["rank"]) for row in over["rounds"][0]["players"]] == [("Ada", None), ("Bob", 1)]
    assert Rating.objects.count() == 0
    moderating.release(attempt=Attempt.objects.get(player__name="Ada"))
    over = bob.get(f"sprints/{sprint}/")[1]
    assert [row["rank"] for row in over["rounds"][0]["players"]] == [1, 2]
    call_command("recompute_ratings", "--ruleset", "T")
    assert [name for _rank, name, _rating in read_board()] == ["Ada", "Bob"]
