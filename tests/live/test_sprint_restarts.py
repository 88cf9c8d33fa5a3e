"""Every process is killed in the middle of a sprint's countdown and of its race: nothing changes."""

from typing import Any

import httpx
import pytest

from leaderboard.models import Entry, Rating
from tests.client import V1, Api
from tests.players import log_in, make_player
from tests.site.servers import RunningServer, database_environment, serve
from tests.sprints import fill_pool, lines, pass_time

pytestmark = pytest.mark.django_db(transaction=True)


def call(server: RunningServer, api: Api, path: str, body: Any = None) -> Any:
    """What a server answers to a player."""
    headers, address = {"Authorization": f"Token {api.token}"}, f"{server.url.rstrip('/')}{V1}{path}"
    answer = httpx.request("GET" if body is None else "POST", address, json=body, headers=headers, timeout=30)
    assert answer.status_code in (200, 201), answer.text
    return answer.json()


def kill(server: RunningServer) -> None:
    for process in server.family():
        process.kill()


def but_clock(answer: dict[str, Any]) -> dict[str, Any]:
    return answer | {"now": None, "phase": None}


def test_a_sprint_goes_on_where_it_was_whenever_all_processes_are_killed() -> None:
    fill_pool(1)
    ada, bob = log_in(make_player("Ada")), log_in(make_player("Bob"))
    with serve(env=database_environment()) as server:
        sprint = call(server, ada, "sprints/", {"ruleset": "T", "difficulty": "easy"})["id"]
        call(server, bob, f"sprints/{sprint}/join/", {})
        counting = call(server, ada, f"sprints/{sprint}/start/", {})
        kill(server)
    with serve(env=database_environment()) as server:
        assert but_clock(call(server, bob, f"sprints/{sprint}/")) == but_clock(counting)
        pass_time(sprint, seconds=10)
        attempt = call(server, ada, f"sprints/{sprint}/attempts/", {})
        line = lines()[Entry.objects.get().attempt.deal.order].split(" ")
        call(server, ada, f"attempts/{attempt['id']}/moves/", {"from_ply": 0, "moves": " ".join(line[:9])})
        running = call(server, ada, f"sprints/{sprint}/")
        assert running["phase"] == "running"
        kill(server)
    # and the third process is this one
    assert but_clock(ada.get(f"sprints/{sprint}/")[1]) == but_clock(running)
    again = ada.post(f"sprints/{sprint}/attempts/", {})[1]
    assert (again["started_at"], again["replay"]["moves"]) == (attempt["started_at"], " ".join(line[:9]))
    ada.post(f"attempts/{attempt['id']}/moves/", {"from_ply": 9, "moves": " ".join(line[9:])})
    over = bob.post(f"sprints/{sprint}/leave/", {})[1]
    assert over["phase"] == "over"
    assert {row["player"]: row["rank"] for row in over["players"]} == {"Ada": 1, "Bob": 2}
    assert Rating.objects.count() == 2
