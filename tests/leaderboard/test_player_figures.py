"""What a player has done: totals, personal bests, and the games themselves."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from games.engine.deal import Deal
from games.models import Attempt, Player
from leaderboard import actions
from tests.client import Api
from tests.players import EASY_MOVES, easy_deal, easy_line, log_in, make_player, move_back, open_attempt, win

pytestmark = pytest.mark.django_db

EASY = EASY_MOVES.split(" ")
NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


def lose(player: Player, moves: str, times: list[int], *, deal: Deal | None = None, end: bool = True) -> Attempt:
    """A game of these moves that was given up, or is still open."""
    attempt = open_attempt(player, deal or easy_deal(), ranked=False)
    actions.play_moves(player=player, attempt=attempt.pk, from_ply=0, moves=moves, times=times)
    if end:
        actions.resign(player=player, attempt=attempt.pk)
    return attempt


def totals(player: Player) -> dict[tuple[str, str], Any]:
    rows = Api().get(f"players/{player.name}/")[1]["rulesets"]
    return {(row["ruleset"], row["clock"]): row for row in rows}


def games(player: Player, query: str = "", api: Api | None = None) -> list[int]:
    status, answer = (api or Api()).get(f"players/{player.name}/attempts/{query}")
    assert status == 200
    return [row["replay"] for row in answer["rows"]]


def test_who_has_played_nothing_has_no_figures(ada: Player) -> None:
    status, answer = Api().get("players/Ada/")
    assert (status, answer["name"], answer["rulesets"]) == (200, "Ada", [])
    assert log_in(ada).get("players/me/") == (200, answer)
    assert Api().get("players/Ada/attempts/") == (200, {"total": 0, "rows": []})


def test_a_game_counts_from_its_first_move(ada: Player) -> None:
    attempt = open_attempt(ada, easy_deal())
    actions.resign(player=ada, attempt=attempt.pk)
    assert totals(ada) == {}
    assert games(ada) == []
    lose(ada, "D", [1], end=False)
    assert totals(ada)["T", "server"]["games"] == 1


def test_games_that_were_not_won_have_no_best_time(ada: Player) -> None:
    lose(ada, " ".join(EASY[:3]), [1, 2, 3])
    row = totals(ada)["T", "server"]
    assert (row["games"], row["wins"], row["best_time"], row["fewest_moves"]) == (1, 0, None, None)
    assert row["best_points"]["points"] == 6
    assert row["best_points"]["official_ms"] is None


def test_bests_are_whole_attempts(ada: Player) -> None:
    quick = win(ada, 4000, 19)
    short = win(ada, 5000, 17)
    lose(ada, "D", [1])
    row = totals(ada)["T", "server"]
    assert (row["games"], row["wins"]) == (3, 2)
    assert row["best_time"] == {"official_ms": 4000, "moves": 19, "points": 28, "bonus": None, "replay": quick.pk}
    assert row["fewest_moves"] == {"official_ms": 5000, "moves": 17, "points": 28, "bonus": None, "replay": short.pk}
    assert row["best_points"]["replay"] == quick.pk, "of equal points the quicker"


def test_equal_bests_are_the_earlier_game(ada: Player) -> None:
    later = win(ada, 4000, ended_at=NOON + timedelta(hours=1))
    earlier = win(ada, 4000, ended_at=NOON)
    assert later.pk < earlier.pk
    row = totals(ada)["T", "server"]
    assert {row[name]["replay"] for name in ("best_time", "fewest_moves", "best_points")} == {earlier.pk}


def test_points_count_the_bonus_and_zero_is_not_none(ada: Player) -> None:
    deal = easy_deal("M")
    slow = win(ada, 600_000, deal=deal)
    assert (slow.bonus, totals(ada)["M", "server"]["best_points"]["bonus"]) == (0, 0)
    quick = win(ada, 10_000, deal=deal)
    best = totals(ada)["M", "server"]["best_points"]
    assert best == {"official_ms": 10_000, "moves": 16, "points": 300, "bonus": 590, "replay": quick.pk}


def test_points_may_be_below_zero(ada: Player) -> None:
    lose(ada, " ".join(["D"] * 24 + ["R"]), [0] * 25, deal=easy_deal("M"))
    assert totals(ada)["M", "server"]["best_points"]["points"] == -10


def test_a_ruleset_without_scoring_has_no_best_points(ada: Player) -> None:
    win(ada, 4000, deal=easy_deal("F"))
    row = totals(ada)["F", "server"]
    assert row["best_time"]["official_ms"] == 4000
    assert row["best_points"] is None


def test_an_open_game_counts_and_is_nobodys_best_yet(ada: Player) -> None:
    attempt = lose(ada, " ".join(EASY[:3]), [1, 2, 3], end=False)
    row = totals(ada)["T", "server"]
    assert (row["games"], row["best_points"]) == (1, None)
    move_back(attempt.pk, seconds=actions.ATTEMPT_LIFE.total_seconds())
    assert totals(ada)["T", "server"]["best_points"]["replay"] == attempt.pk


def test_clocks_and_rulesets_are_counted_apart(ada: Player) -> None:
    win(ada, 4000)
    win(ada, 3000, deal=easy_deal("N"))
    body = {"format": "pyramid-replay/1", "deal": easy_deal().code, "moves": EASY_MOVES, "times": [0] * 15 + [7]}
    log_in(ada).post("replays/", body)
    rows = totals(ada)
    assert list(rows) == [("N", "server"), ("T", "client"), ("T", "server")]
    assert [row["best_time"]["official_ms"] for row in rows.values()] == [3000, 7, 4000]


def test_the_games_of_others_are_not_counted(ada: Player) -> None:
    win(make_player("Bert"), 4000)
    assert totals(ada) == {}
    assert games(ada) == []


@pytest.fixture
def season(ada: Player) -> dict[str, int]:
    """Games of ruleset M by name: the wins a to d, and those given up."""
    deal = easy_deal("M")
    rows = {
        "a": win(ada, 20_000, 18, deal=deal, ended_at=NOON),
        "b": win(ada, 10_000, 19, deal=deal, ended_at=NOON + timedelta(hours=3)),
        "c": win(ada, 10_000, 17, deal=deal, ended_at=NOON + timedelta(hours=1)),
        "d": win(ada, 20_000, 18, deal=deal, ended_at=NOON - timedelta(hours=1)),
        "far": lose(ada, " ".join(EASY[:9]), [10] * 9, deal=deal),
        "slow": lose(ada, "D U " + " ".join(EASY[:3]), [10] * 4 + [900], deal=deal),
        "quick": lose(ada, "D U D U " + " ".join(EASY[:3]), [10] * 6 + [800], deal=deal),
    }
    return {name: attempt.pk for name, attempt in rows.items()}


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("", "c b d a far quick slow"),
        ("?order=time", "c b d a far quick slow"),
        ("?order=moves", "c d a b far quick slow"),
        ("?order=points", "c b d a far quick slow"),
        ("?order=when", "quick slow far b c a d"),
        ("?limit=2", "c b"),
        ("?limit=2&offset=1", "b d"),
        ("?offset=6", "slow"),
        ("?offset=7", ""),
        ("?ruleset=M&limit=1", "c"),
        ("?ruleset=T", ""),
    ],
)
def test_games_are_listed_in_order(ada: Player, season: dict[str, int], query: str, names: str) -> None:
    assert games(ada, query) == [season[name] for name in names.split()]


def test_the_total_counts_all_pages(ada: Player, season: dict[str, int]) -> None:
    for query, total in (("?limit=1", 7), ("?offset=100", 7), ("?ruleset=T", 0), ("?ruleset=M", 7)):
        assert Api().get(f"players/Ada/attempts/{query}")[1]["total"] == total


def test_points_order_wins_by_points_with_the_bonus(ada: Player) -> None:
    deal = easy_deal("M")
    line = " ".join(["D"] * 24 + ["R", EASY_MOVES])
    redealt = win(ada, 1000, deal=deal, line=line)
    plain = win(ada, 9000, deal=deal)
    assert (redealt.points + redealt.bonus, plain.points + plain.bonus) == (889, 891)  # type: ignore[operator]
    assert games(ada, "?order=points") == [plain.pk, redealt.pk]
    assert games(ada, "?order=time") == [redealt.pk, plain.pk]


def test_a_game_is_described(ada: Player) -> None:
    attempt = win(ada, 4000, 17)
    (row,) = Api().get("players/Ada/attempts/")[1]["rows"]
    assert row == {
        "replay": attempt.pk,
        "deal": easy_deal().code,
        "ruleset": "T",
        "ranked": True,
        "clock": "server",
        "started_at": attempt.started_at.isoformat(),
        "end": "won",
        "official_ms": 4000,
        "moves": 17,
        "points": 28,
        "bonus": None,
        "left": 0,
        "held": None,
        "void": False,
    }


def test_open_games_are_shown_to_their_player_alone(ada: Player) -> None:
    ended = lose(ada, "D", [1])
    running = lose(ada, "D D", [1, 2], end=False)
    me, bert = log_in(ada), log_in(make_player("Bert"))
    assert games(ada) == games(ada, api=bert) == [ended.pk]
    assert games(ada, "?order=when", api=me) == [running.pk, ended.pk]
    assert [row["end"] for row in me.get("players/me/attempts/?order=when")[1]["rows"]] == [None, "resigned"]


def test_me_is_who_asks(ada: Player) -> None:
    attempt = win(ada, 4000)
    me = log_in(ada)
    assert [row["replay"] for row in me.get("players/me/attempts/")[1]["rows"]] == [attempt.pk]
    for path in ("players/me/", "players/me/attempts/"):
        assert Api().get(path)[0] == 401


def test_a_player_is_found_however_the_name_is_written(ada: Player) -> None:
    for name in ("Ada", "ADA", "ada", "%C3%80da"):
        assert Api().get(f"players/{name}/")[0] == (404 if "%" in name else 200)
    for path in ("players/Nobody/", "players/Nobody/attempts/", "players/A%00da/"):
        status, answer = Api().get(path)
        assert (status, answer["code"], answer["where"]) == (404, "player", "name")


@pytest.mark.parametrize(
    ("query", "code", "where"),
    [
        ("order=fame", "invalid_choice", "order"),
        ("ruleset=Q", "ruleset", "ruleset"),
        ("limit=0", "invalid", "limit"),
        ("limit=101", "invalid", "limit"),
        ("offset=-1", "invalid", "offset"),
        ("offset=10000000000", "invalid", "offset"),
        ("page=1", "unknown_field", "page"),
    ],
)
def test_a_bad_query_is_refused(ada: Player, query: str, code: str, where: str) -> None:
    status, answer = Api().get(f"players/Ada/attempts/?{query}")
    assert (status, answer["code"], answer["where"]) == (400, code, where)


def test_a_long_line_of_undone_moves_stays_counted(ada: Player) -> None:
    assert win(ada, 4000, 30, line=easy_line(30)).counted_moves == 30
