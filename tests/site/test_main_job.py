"""Does the whole job work on real input: a real server, public deals and their published solutions?

Everything in here goes over HTTP to daphne with a database of its own; this process has no database.
"""

import io
import itertools
import json
import random
import re
from collections import Counter
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import pytest
from django.core.management import call_command

from games.engine.cards import read_cards
from games.engine.deal import Deal
from games.engine.position import Position
from games.engine.rulesets import RULESETS
from tests.site.servers import ROOT

TOWER_DEALS = ROOT / "tests" / "vectors" / "tower-deals.tsv"
PASSWORD = "a long password"
CROWD = ("Ada", "Bea", "Cyd", "Dan", "Eve")


class Caller:
    """JSON over one kept connection; an answer of another status than expected fails the test."""

    def __init__(self, address: str, name: str = "") -> None:
        self.http = httpx.Client(base_url=f"{address}/api/v1/", trust_env=False, timeout=30)
        if name:
            token = self.post("players/", {"name": name, "password": PASSWORD}, 201)["token"]
            self.http.headers["Authorization"] = f"Token {token}"

    def get(self, path: str, **query: Any) -> Any:
        return self._read(self.http.get(path, params=query), 200)

    def post(self, path: str, data: Any, status: int = 200) -> Any:
        return self._read(self.http.post(path, json=data), status)

    def _read(self, response: httpx.Response, status: int) -> Any:
        assert response.status_code == status, response.text
        return response.json()


class Solution(NamedTuple):
    code: str
    moves: str


def read_solutions() -> list[Solution]:
    rows = [line.split("\t") for line in TOWER_DEALS.read_text().splitlines()[1:]]
    return [Solution(Deal.from_cards("T", read_cards(row[1])).code, row[3]) for row in rows if row[3]]


def load(address: str, file: Path, player: str) -> dict[str, int]:
    """Send a file as that player; the figures of the summary. A refused replay ends it with SystemExit."""
    printed = io.StringIO()
    options = ("--url", address, "--player", player, "--password", PASSWORD, "--sign-up")
    call_command("load_replays", str(file), *options, stdout=printed)
    return {name: int(number) for name, number in re.findall(r"^(\w[\w ]*\w) +(\d+)", printed.getvalue(), re.M)}


def pick(figures: dict[str, int]) -> tuple[int, ...]:
    return tuple(figures[name] for name in ("sent", "new", "already there", "won", "refused", "skipped"))


@pytest.fixture(scope="module")
def solutions(fresh_server: str) -> list[Solution]:
    """Every published solution, played to a win on the server by a player called Tower."""
    solutions = read_solutions()
    assert len(solutions) == 679
    assert pick(load(fresh_server, TOWER_DEALS, "Tower")) == (679, 679, 0, 679, 0, 321)
    return solutions


def test_the_published_solutions_sent_again_are_all_already_there(fresh_server: str, solutions: list[Solution]) -> None:
    assert pick(load(fresh_server, TOWER_DEALS, "tower")) == (679, 0, 679, 679, 0, 321)
    totals = Caller(fresh_server).get("players/Tower/")["rulesets"]
    assert [(row["ruleset"], row["clock"], row["games"], row["wins"]) for row in totals] == [("T", "client", 679, 679)]
    shortest = min(len(solution.moves.split()) for solution in solutions)
    assert totals[0]["fewest_moves"]["moves"] == shortest
    assert totals[0]["best_time"]["official_ms"] == 1000 * shortest


# Fifty deals and five rivals


class Game(NamedTuple):
    """A win of a player on one of the deals. `extra`: moves more than the shortest."""

    deal: int
    player: str
    ms: int
    extra: int


def write_game(solution: Solution, ms: int, extra: int) -> dict[str, Any]:
    """The solution, won after `ms`, with `extra` draws before it that are taken back: they stay counted."""
    moves = " ".join(["D U"] * extra + [solution.moves])
    count = moves.count(" ") + 1
    times = [ms * ply // count for ply in range(1, count + 1)]
    return {"format": "pyramid-replay/1", "deal": solution.code, "moves": moves, "times": times}


@pytest.fixture(scope="module")
def games(fresh_server: str, solutions: list[Solution], tmp_path_factory: pytest.TempPathFactory) -> list[Game]:
    """All games on the first fifty deals in the order in which they came: Tower's, then two of each of the five.

    Their results are so few that many are equal, and so random that many are better or worse than the one before.
    """
    rng = random.Random(5)
    sent = [Game(deal, "Tower", 1000 * (line.moves.count(" ") + 1), 0) for deal, line in enumerate(solutions[:50])]
    for player in CROWD * 2:
        chosen = [Game(deal, player, rng.choice((30_000, 30_001, 45_000)), rng.choice((0, 1, 2))) for deal in range(50)]
        file = tmp_path_factory.mktemp("games") / player
        file.write_text("\n".join(json.dumps(write_game(solutions[game.deal], *game[2:])) for game in chosen))
        again = len(set(chosen) & set(sent))
        assert pick(load(fresh_server, file, player)) == (50, 50 - again, again, 50, 0, 0)
        sent += chosen
    return sent


def get_key(game: Game, order: str) -> tuple[int, int]:
    return (game.ms, game.extra) if order == "time" else (game.extra, game.ms)


def find_best(games: list[Game], order: str) -> Game:
    return min(games, key=lambda game: get_key(game, order))  # of equal ones the first


def rank_games(games: list[Game], order: str) -> list[tuple[int, Game]]:
    """The ranks and games of a deal's board as rules.md has them; `games` in the order in which they came."""
    best = [find_best([game for game in games if game.player == name], order) for name in ("Tower", *CROWD)]
    best.sort(key=lambda game: (get_key(game, order), games.index(game)))
    return [(1 + sum(get_key(other, order) < get_key(game, order) for other in best), game) for game in best]


@pytest.mark.parametrize("order", ["time", "moves"])
def test_every_rank_on_fifty_boards_is_that_of_the_rules(
    fresh_server: str, solutions: list[Solution], games: list[Game], order: str
) -> None:
    caller = Caller(fresh_server)
    for deal, solution in enumerate(solutions[:50]):
        shortest = solution.moves.count(" ") + 1
        expected = [
            (rank, row, game.player, game.ms, shortest + game.extra, False)
            for row, (rank, game) in enumerate(rank_games([game for game in games if game.deal == deal], order), 1)
        ]
        board = caller.get(f"deals/{solution.code}/board/", clock="client", order=order)
        names = ("rank", "row", "player", "official_ms", "moves", "ranked")
        assert [tuple(row[name] for name in names) for row in board["rows"]] == expected
        assert (board["total"], board["previous"], board["next"]) == (6, None, None)


def test_a_row_on_a_board_is_one_whole_game(fresh_server: str, solutions: list[Solution], games: list[Game]) -> None:
    caller = Caller(fresh_server)
    for deal, solution in enumerate(solutions[:10]):
        board = caller.get(f"deals/{solution.code}/board/", clock="client")
        for row, (_, game) in zip(
            board["rows"], rank_games([game for game in games if game.deal == deal], "time"), strict=True
        ):
            answer = caller.get(f"replays/{row['replay']}/")
            assert answer["player"] == game.player
            assert datetime.fromisoformat(answer["ended_at"]) == datetime.fromisoformat(row["when"])
            assert answer["replay"] == write_game(solution, game.ms, game.extra) | {"rules": 1}


def test_the_games_hold_every_kind_of_tie_and_improvement(games: list[Game]) -> None:
    seen: Counter[str] = Counter()
    for deal in range(50):
        here = [game for game in games if game.deal == deal]
        board = rank_games(here, "time")
        for (rank, game), (next_rank, other) in itertools.pairwise(board):
            seen["equal time and moves"] += rank == next_rank
            seen["equal time, other moves"] += game.ms == other.ms and rank != next_rank
            seen["a tie against the order of the names"] += rank == next_rank and game.player > other.player
        seen["a skipped rank"] += any(later - rank > 1 for (rank, _), (later, _) in itertools.pairwise(board))
        for name in CROWD:
            first, *later = mine = [game for game in here if game.player == name]
            best = find_best(mine, "time")
            seen["better in time"] += best.ms < first.ms
            seen["better in moves alone"] += best.ms == first.ms and best.extra < first.extra
            seen["worse, and not replaced"] += best == first and any(game.ms > first.ms for game in later)
            seen["better in moves, worse in time"] += best != find_best(mine, "moves")
    assert len(seen) == 8
    assert min(seen.values()) >= 5, seen


# Attempts, and their replays on the way round


def play_whole(caller: Caller, attempt: dict[str, Any], moves: str) -> dict[str, Any]:
    return caller.post(f"attempts/{attempt['id']}/moves/", {"from_ply": 0, "moves": moves})


def play_move_by_move(caller: Caller, attempt: dict[str, Any], moves: str) -> dict[str, Any]:
    """Play one token a call, and hold the server's position to the engine's."""
    position, answer = Position.read(attempt["position"]), attempt
    for ply, token in enumerate(moves.split(" ")):
        assert answer["end"] is None
        answer = caller.post(f"attempts/{attempt['id']}/moves/", {"from_ply": ply, "moves": token})
        position = position.play(token)
        assert (answer["ply"], answer["position"]) == (ply + 1, position.text)
    return answer


@pytest.mark.parametrize("play", [play_whole, play_move_by_move])
def test_a_chosen_deal_is_won_on_the_servers_clock(
    fresh_server: str, solutions: list[Solution], play: Callable[..., dict[str, Any]]
) -> None:
    name = play.__name__.replace("_", " ")
    caller = Caller(fresh_server, name)
    for code, moves in solutions[60:65]:
        attempt = caller.post("attempts/", {"deal": code}, 201)
        assert caller.post("attempts/", {"deal": code})["id"] == attempt["id"]
        won = play(caller, attempt, moves)
        assert (won["end"], won["verdict"]["outcome"], won["verdict"]["left"]) == ("won", "won", 0)
        board = caller.get(f"deals/{code}/board/", around=name)
        mine = next(row for row in board["rows"] if row["player"] == name)
        assert mine["replay"] == attempt["id"]
        assert (mine["official_ms"], mine["moves"]) == (won["official_ms"], moves.count(" ") + 1)
        assert mine["ranked"] is False
        assert won["places"] == [{"board": "deal", "rank": mine["rank"], "total": board["total"], "best": True}]
        assert caller.get(f"attempts/{attempt['id']}/")["replay"]["moves"] == moves


def test_a_replay_from_the_server_goes_back_as_it_is(
    fresh_server: str, solutions: list[Solution], tmp_path: Path
) -> None:
    caller = Caller(fresh_server, "there and back")
    code, moves = solutions[70]
    attempt = caller.post("attempts/", {"deal": code}, 201)
    play_move_by_move(caller, attempt, moves)
    answer = caller.get(f"replays/{attempt['id']}/")
    assert (answer["clock"], answer["ranked"]) == ("server", False)

    assert caller.post("replays/validate/", answer["replay"]) == answer["verdict"]
    download = tmp_path / "replay.json"
    download.write_text(json.dumps(answer["replay"], indent=2))
    printed = io.StringIO()
    call_command("verify_replay", str(download), stdout=printed)
    assert json.loads(printed.getvalue()) == answer["verdict"] | {"line": 1}

    stored = caller.post("replays/", answer["replay"], 201)
    assert (stored["clock"], stored["end"], stored["official_ms"]) == ("client", "won", answer["replay"]["times"][-1])
    assert (stored["replay"], stored["verdict"]) == (answer["replay"], answer["verdict"])
    again = caller.post("replays/", stored["replay"])
    assert again == stored
    board = caller.get(f"deals/{code}/board/", clock="client")
    assert [row["replay"] for row in board["rows"] if row["player"] == "there and back"] == [stored["id"]]


# A ranked win on cards that the server deals


def play_at_random(position: Position, rng: random.Random) -> list[str] | None:
    """A line that mostly removes what it can, if it wins within 150 moves."""
    moves: list[str] = []
    while not position.is_won and len(moves) < 150:
        legal = position.legal_moves()
        removals = [token for token in legal if token not in ("D", "R")]
        if not legal:
            return None
        moves.append(rng.choice(removals if removals and rng.random() < 0.9 else legal))
        position = position.play(moves[-1])
    return moves if position.is_won else None


def win_ranked(caller: Caller, letter: str) -> tuple[dict[str, Any], list[str]]:
    """Take deals from the server until one is won; its attempt and the winning line. The others are given up."""
    rng = random.Random(1)
    for _ in range(50):
        attempt = caller.post("attempts/", {"ruleset": letter}, 201)
        start = Position.read(attempt["position"])
        for _ in range(50):
            line = play_at_random(start, rng)
            if line:
                return attempt, line
        caller.post(f"attempts/{attempt['id']}/resign/", {})
    raise AssertionError(f"fifty deals of {letter} and none is won")


@pytest.mark.parametrize("letter", ["L", "C", "F", "J"])
def test_a_ranked_win_stands_on_the_boards_and_in_the_players_totals(fresh_server: str, letter: str) -> None:
    name = f"ranked {letter}"
    caller = Caller(fresh_server, name)
    attempt, line = win_ranked(caller, letter)
    half = len(line) // 2
    caller.post(f"attempts/{attempt['id']}/moves/", {"from_ply": 0, "moves": " ".join(line[:half])})
    won = caller.post(f"attempts/{attempt['id']}/moves/", {"from_ply": half, "moves": " ".join(line[half:])})
    verdict = won["verdict"]
    assert (won["end"], verdict["outcome"], verdict["moves"]) == ("won", "won", len(line))
    scores_points = RULESETS[letter].scoring == "points"
    assert won["bonus"] == (600 - won["official_ms"] // 1000 if scores_points else None)

    code = attempt["replay"]["deal"]
    row = {
        "rank": 1,
        "row": 1,
        "player": name,
        "official_ms": won["official_ms"],
        "moves": len(line),
        "points": verdict["points"],
        "bonus": won["bonus"],
        "score": verdict["points"] + (won["bonus"] or 0),
        "ranked": True,
        "assisted": False,
        "over_par": None,  # nobody has asked the solver
        "replay": attempt["id"],
    }
    for order in ("time", "moves", "points") if scores_points else ("time", "moves"):
        for board in (f"rulesets/{letter}/board/", f"deals/{code}/board/"):
            (shown,) = caller.get(board, order=order)["rows"]
            assert shown == row | {"when": shown["when"]}
    assert [(place["board"], place["rank"], place["total"]) for place in won["places"]] == [
        ("deal", 1, 1),
        ("ruleset", 1, 1),
    ]

    best = {field: row[field] for field in ("official_ms", "moves", "points", "bonus", "replay")}
    totals = caller.get("players/me/")["rulesets"]
    assert [(row["ruleset"], row["clock"], row["games"], row["wins"]) for row in totals] == [(letter, "server", 1, 1)]
    assert totals[0]["best_time"] == totals[0]["fewest_moves"] == best
    assert totals[0]["best_points"] == (None if RULESETS[letter].scoring == "none" else best)
