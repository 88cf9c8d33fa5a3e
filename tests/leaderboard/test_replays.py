"""Replays that bring the client's clock, and who may see whose replay."""

from typing import Any

import pytest

from games.engine.cards import read_cards
from games.engine.deal import Deal
from games.models import Attempt, Player
from games.models import Deal as StoredDeal
from leaderboard import actions
from tests.client import Api
from tests.leaderboard.plain_boards import check_boards
from tests.players import (
    EASY_MOVES,
    EASY_ORDER,
    easy_deal,
    easy_line,
    log_in,
    make_player,
    move_back,
    open_attempt,
    win,
)

pytestmark = pytest.mark.django_db

CODE = f"PY0-T-{EASY_ORDER}"
TIMES = [100 * ply for ply in range(16)]


@pytest.fixture
def api(ada: Player) -> Api:
    return log_in(ada)


def submit(api: Api, moves: str = EASY_MOVES, times: list[int] | None = TIMES, deal: str = CODE) -> tuple[int, Any]:
    body: dict[str, Any] = {"format": "pyramid-replay/1", "deal": deal, "moves": moves}
    return api.post("replays/", body | ({} if times is None else {"times": times}))


def test_a_whole_game_is_judged_and_stored_as_practice(api: Api) -> None:
    status, answer = submit(api)
    assert status == 201
    assert (answer["player"], answer["ranked"], answer["clock"], answer["end"]) == ("Ada", False, "client", "won")
    assert (answer["official_ms"], answer["verdict"]["outcome"]) == (1500, "won")
    assert answer["places"] == [{"board": "deal", "rank": 1, "total": 1, "best": True}]
    assert Api().get(f"replays/{answer['id']}/") == (200, answer)
    assert submit(api, **{"moves": answer["replay"]["moves"], "times": answer["replay"]["times"]})[0] == 200


def test_a_stored_replay_is_ready_to_be_sent_back_as_it_is(api: Api) -> None:
    answer = submit(api)[1]
    status, again = api.post("replays/", answer["replay"])
    assert (status, again["id"]) == (200, answer["id"])
    assert Api().post("replays/validate/", answer["replay"]) == (200, answer["verdict"])


def test_a_clients_clock_stands_on_the_deals_board_of_clients_alone(ada: Player, api: Api) -> None:
    win(ada, 5000)
    submit(api)
    bert = log_in(make_player("Bert"))
    submit(bert)
    assert check_boards() == {"deal": 4 + 2, "ruleset": 2}
    assert [row["player"] for row in Api().get("rulesets/T/board/")[1]["rows"]] == ["Ada"]
    assert [row["official_ms"] for row in Api().get(f"deals/{CODE}/board/")[1]["rows"]] == [5000]
    rows = Api().get(f"deals/{CODE}/board/?clock=client")[1]["rows"]
    assert [(row["rank"], row["player"], row["official_ms"], row["ranked"]) for row in rows] == [
        (1, "Ada", 1500, False),
        (1, "Bert", 1500, False),
    ]


def test_the_same_game_again_is_the_same_replay(api: Api) -> None:
    first = submit(api)[1]
    assert submit(api) == (200, first)
    turned = " ".join(t[2:] + t[:2] if len(t) == 4 else t for t in EASY_MOVES.split(" "))
    assert turned != EASY_MOVES
    assert submit(api, turned) == (200, first), "either order is the same pair"
    assert Attempt.objects.count() == 1


def test_a_deal_is_one_thing_however_it_is_named(api: Api) -> None:
    deal = Deal.from_seed("T", 18)
    by_order = submit(api, "D D", [5, 6], f"PY0-T-{deal.order}")
    by_seed = submit(api, "D D", [5, 6], deal.code)
    assert (by_order[0], by_seed[0]) == (201, 200)
    assert by_order[1]["id"] == by_seed[1]["id"]
    assert by_seed[1]["replay"]["deal"] == deal.code, "shown by its seed once that is known"
    assert StoredDeal.objects.count() == 1


@pytest.mark.parametrize(
    ("moves", "times", "deal"),
    [
        (easy_line(17), [0] * 17 + [1500], CODE),
        (EASY_MOVES, [*TIMES[:-1], 1501], CODE),
        (EASY_MOVES, TIMES, f"PY0-N-{EASY_ORDER}"),
    ],
    ids=["other moves", "other times", "another ruleset"],
)
def test_another_game_is_another_replay(api: Api, moves: str, times: list[int], deal: str) -> None:
    first = submit(api)[1]["id"]
    status, answer = submit(api, moves, times, deal)
    assert (status, answer["id"] != first) == (201, True)


def test_the_same_game_by_another_player_is_another_replay(api: Api) -> None:
    first = submit(api)[1]["id"]
    status, answer = submit(log_in(make_player("Bert")))
    assert (status, answer["id"] != first) == (201, True)


def test_a_game_that_was_not_won_is_kept_and_stands_nowhere(api: Api) -> None:
    status, answer = submit(api, "g1g2 g3g4", [10, 20])
    assert (status, answer["end"], answer["official_ms"], answer["places"]) == (201, "resigned", None, [])
    assert answer["verdict"]["outcome"] == "unfinished"
    assert check_boards() == {"deal": 0}
    assert submit(api, "g1g2 g3g4", [10, 20]) == (200, answer)


def test_what_cannot_be_stored_is_refused_and_leaves_nothing(api: Api) -> None:
    for arguments, status, code in (
        ({"times": None}, 400, "required"),
        ({"moves": "", "times": []}, 400, "no_moves"),
        ({"times": TIMES[:-1]}, 422, "times"),
        ({"times": [*TIMES[:-1], True]}, 422, "times"),
        ({"times": [*TIMES[:-1], 0]}, 422, "times"),
        ({"moves": EASY_MOVES + " D", "times": [*TIMES, 1500]}, 422, "after_end"),
        ({"moves": EASY_MOVES.replace("g7", "a1")}, 422, "covered"),
        ({"deal": "PY1-T-AAAAAA"}, 422, "deal"),
    ):
        answer = submit(api, **arguments)
        assert (answer[0], answer[1]["code"]) == (status, code), arguments
    assert not Attempt.objects.exists()
    assert not StoredDeal.objects.exists()


def test_a_replay_needs_a_player() -> None:
    assert submit(Api())[0] == 401


def test_the_bonus_of_a_clients_game_comes_from_its_clock(api: Api) -> None:
    answer = submit(api, EASY_MOVES, [*TIMES[:-1], 100_999], f"PY0-M-{EASY_ORDER}")[1]
    assert (answer["verdict"]["points"], answer["bonus"], answer["verdict"]["bonus"]) == (300, 500, 500)


# Who may see


def see(viewer: Api, attempt: Attempt) -> int:
    return viewer.get(f"replays/{attempt.pk}/")[0]


def test_a_replay_is_its_players_at_any_time_and_everybodys_after_the_end(ada: Player, api: Api) -> None:
    stranger, bert = Api(), log_in(make_player("Bert"))
    attempt = open_attempt(ada, easy_deal())
    assert [see(viewer, attempt) for viewer in (api, bert, stranger)] == [200, 404, 404]
    actions.resign(player=ada, attempt=attempt.pk)
    assert [see(viewer, attempt) for viewer in (api, bert, stranger)] == [200, 200, 200]


@pytest.mark.parametrize("letter", ["T", "N", "F"])
def test_who_plays_the_same_cards_under_any_ruleset_sees_no_replay_of_others(ada: Player, letter: str) -> None:
    shown = win(ada, 5000)
    bert = make_player("Bert")
    viewer = log_in(bert)
    assert see(viewer, shown) == 200
    own = open_attempt(bert, easy_deal(letter), ranked=False)
    assert see(viewer, shown) == 404
    assert see(Api(), shown) == 200
    assert see(log_in(make_player("Cleo")), shown) == 200
    assert see(viewer, own) == 200
    actions.resign(player=bert, attempt=own.pk)
    assert see(viewer, shown) == 200


def test_who_plays_other_cards_sees_replays(ada: Player) -> None:
    shown = win(ada, 5000)
    bert = make_player("Bert")
    open_attempt(bert, Deal.from_seed("T", 1))
    assert see(log_in(bert), shown) == 200


def test_who_let_the_time_run_out_sees_replays_again(ada: Player) -> None:
    shown = win(ada, 5000)
    bert = make_player("Bert")
    own = open_attempt(bert, easy_deal())
    move_back(own.pk, seconds=actions.ATTEMPT_LIFE.total_seconds())
    assert see(log_in(bert), shown) == 200
    assert see(Api(), own) == 200, "and others see that one: it has ended"


def test_one_plays_on_while_seeing_ones_own_earlier_replay(ada: Player, api: Api) -> None:
    earlier = win(ada, 5000)
    open_attempt(ada, easy_deal())
    assert see(api, earlier) == 200


def test_a_deal_from_cards_is_the_deal_of_its_code(api: Api) -> None:
    cards = api.get(f"deals/{CODE}/")[1]["cards"]
    assert Deal.from_cards("T", read_cards(cards)) == easy_deal()
