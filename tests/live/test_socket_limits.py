"""How many sockets does a process keep open for one player, or one address?"""

import time
from contextlib import ExitStack
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed

from tests.live.sockets import PATIENCE, Socket, log_in_by_session, log_in_by_token, open_socket
from tests.players import make_daily, make_player
from tests.site.servers import RunningServer, database_environment, serve

pytestmark = pytest.mark.django_db(transaction=True)

TOO_MANY = (4430, "too_many")


def is_let_in(server: RunningServer, stack: ExitStack, **who: Any) -> bool:
    """Whether one more socket opens; then it stays open."""
    socket = stack.enter_context(open_socket(server, "daily/T/", **who))
    try:
        return bool(socket.take())
    except ConnectionClosed:
        assert socket.until_closed() == TOO_MANY
        return False


def come_until_let_in(server: RunningServer, stack: ExitStack, **who: Any) -> None:
    """A server hears of a close when it comes to it."""
    late = time.monotonic() + PATIENCE
    while not is_let_in(server, stack, **who):
        assert time.monotonic() < late


def test_so_many_and_no_more_of_a_player_and_of_an_address_without_one() -> None:
    make_daily()
    ada, bob = make_player("Ada"), make_player("Bob")
    env = database_environment() | {"MOST_SOCKETS": "2"}
    with serve(["--workers", "1"], env) as server, ExitStack() as stack:
        nobodies = [stack.enter_context(open_socket(server, "daily/T/")) for _ in range(2)]
        assert all(map(Socket.take, nobodies))
        assert not is_let_in(server, stack)
        by_token, by_session = {"token": log_in_by_token(ada)}, {"session": log_in_by_session(ada)}
        assert [is_let_in(server, stack, **who) for who in (by_token, by_session, by_token)] == [True, True, False]
        assert is_let_in(server, stack, token=log_in_by_token(bob)), "another player at the same address"
        nobodies[0].send({"token": log_in_by_token(bob)})  # one that says who it is counts for that player
        come_until_let_in(server, stack)
        assert not is_let_in(server, stack)
        nobodies[1].connection.close()
        come_until_let_in(server, stack)
        nobodies[0].send({"ping": 1})  # it was open all the time
        assert nobodies[0].until_closed() == (4400, "bad_frame")
