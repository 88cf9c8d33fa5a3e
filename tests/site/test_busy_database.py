"""Is a database that does not answer in time a 503 that changes nothing, on a real server with its real limits?"""

import httpx
import pytest
from django.db import connection, transaction

from tests.site.servers import database_environment, running_server

MOVES = (
    "g3g6 g4g7 g1g5 f4f5 e4f3 D SW D D g2S D e3S d3f2 e2 d2f1 S D e1S d1W"
    " c1f6 c2e5 D D S b1S D D d4S D D c3S b2S SW D S R a1S"
)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("moves", ["g3g6", MOVES], ids=["a move", "a win"])
def test_what_waits_for_a_locked_row_is_a_503_and_goes_through_later(moves: str) -> None:
    with running_server("daphne", database_environment()) as address:
        with httpx.Client(base_url=f"{address}/api/v1/", trust_env=False, timeout=30) as client:
            token = client.post("players/", json={"name": "Ada", "password": "a long password"}).json()["token"]
            client.headers["Authorization"] = f"Token {token}"
            attempt = client.post("attempts/", json={"deal": "PY1-T-AAAAAAW"}).json()["id"]
            call = {"url": f"attempts/{attempt}/moves/", "json": {"from_ply": 0, "moves": moves}}
            with transaction.atomic(), connection.cursor() as cursor:
                cursor.execute("SELECT 1 FROM games_attempt WHERE id = %s FOR UPDATE", [attempt])
                refused = client.post(**call)
            assert (refused.status_code, refused.json()["code"]) == (503, "busy")
            assert refused.headers["Retry-After"] == "1"
            assert client.get(f"attempts/{attempt}/").json()["replay"]["moves"] == ""
            assert client.post(**call).json()["ply"] == len(moves.split())


@pytest.mark.django_db(transaction=True)
def test_other_calls_and_pages_that_wait_too_long_are_503_too() -> None:
    with running_server("daphne", database_environment()) as address:
        with httpx.Client(base_url=address, trust_env=False, timeout=30) as client:
            with transaction.atomic(), connection.cursor() as cursor:
                cursor.execute("LOCK TABLE games_player, leaderboard_board")
                signed_up = client.post("/api/v1/players/", json={"name": "Ada", "password": "a long password"})
                page = client.get("/")
            assert (signed_up.status_code, signed_up.json()["code"]) == (503, "busy")
            assert (page.status_code, page.json()["code"]) == (503, "busy")
            assert client.get("/").status_code == 200
