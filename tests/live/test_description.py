"""Do docs/live.md and docs/asyncapi.yaml say what the server does?"""

import json
import re
import socket as sockets
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import psutil
import pytest

from leaderboard import actions, consumers, hub, moderating, racing
from leaderboard.models import Entry
from pyramid_site import sockets as uvicorn_sockets
from pyramid_site import workers
from pyramid_site.urls import websocket_urlpatterns
from tests.live.conftest import FEW
from tests.live.frames import DESCRIPTION, MESSAGES, check_frame, resolve, validator
from tests.live.sockets import log_in_by_token, open_socket
from tests.players import EASY_MOVES, log_in, make_daily, make_players, own_line
from tests.site.servers import ROOT, RunningServer
from tests.sprints import begin, fill_pool, make_sprint, win

LIVE = (ROOT / "docs/live.md").read_text()


def references(value: Any) -> Iterator[str]:
    """The $refs of a part of the description."""
    if isinstance(value, dict):
        if "$ref" in value:
            yield value["$ref"]
        value = list(value.values())
    if isinstance(value, list):
        for inner in value:
            yield from references(inner)


def test_every_reference_of_the_description_leads_somewhere_and_nothing_is_left_over() -> None:
    named = set(references(DESCRIPTION))
    assert all(resolve(reference) for reference in named)
    parts = DESCRIPTION["components"]
    described = {f"#/components/{kind}/{name}" for kind, items in parts.items() for name in items}
    assert described - {f"#/components/messages/{name}" for name in MESSAGES} <= named
    told = {reference.rpartition("/")[2] for reference in references(DESCRIPTION["operations"])}
    assert set(MESSAGES) <= told


def test_every_address_is_described() -> None:
    addresses = {re.sub(r"<\w+:(\w+)>", r"{\1}", str(route.pattern)) for route in websocket_urlpatterns}
    assert {channel["address"] for channel in DESCRIPTION["channels"].values()} == addresses
    for channel in DESCRIPTION["channels"].values():
        assert set(channel["parameters"]) == set(re.findall(r"{(\w+)}", channel["address"]))


@pytest.mark.django_db(transaction=True)
def test_every_described_frame_is_sent_and_every_kind_of_row(server: RunningServer) -> None:
    race, players = make_daily(), make_players(4)
    watcher, *others = players
    attempts = [racing.enter(player=player, race=race.pk)[0].attempt_id for player in players]
    actions.resign(player=watcher, attempt=attempts[0])
    frames: list[dict[str, Any]] = []
    token = log_in_by_token(watcher)
    fill_pool(1)
    sprint = make_sprint(*map(log_in, players))
    with (
        open_socket(server, f"sprints/{sprint}/") as sprint_feed,
        open_socket(server, f"races/{race.pk}/") as feed,
        open_socket(server, f"races/{race.pk}/watch/{quote(others[0].name)}/", token=token) as table,
        open_socket(server, f"attempts/{attempts[0]}/", token=token) as play,
    ):
        frames += [feed.take(), table.take(), play.take(), play.ask({"ref": "a", "from_ply": 0, "moves": ""})]
        for player, attempt in zip(others, attempts[1:], strict=True):
            actions.play_moves(
                player=player, attempt=attempt, from_ply=0, moves=own_line(player.pk).split()[0], times=None
            )
        frames.append(table.take())
        for player, attempt in zip(others, attempts[1:], strict=True):
            line = " ".join(own_line(player.pk).split()[1:])
            actions.play_moves(player=player, attempt=attempt, from_ply=1, moves=line, times=None)
        moderating.hold(attempt=Entry.objects.get(attempt=attempts[1]).attempt, because="pace")
        moderating.void(attempt=Entry.objects.get(attempt=attempts[2]).attempt)
        rows: list[dict[str, Any]] = [*frames[0]["playing"]]
        while not {"started", "finished", "held", "voided"} <= {row["kind"] for row in rows}:
            frames.append(feed.take())
            rows += frames[-1]["rows"]
        begin(log_in(watcher), sprint)
        win(log_in(others[0]), sprint)
        for player in players:
            log_in(player).post(f"sprints/{sprint}/leave/", {})
        while frames[-1].get("sprint", {}).get("phase") != "over":
            frames.append(sprint_feed.take())
    assert {frame["type"] for frame in frames} == set(MESSAGES) - {"call", "token"}


@pytest.mark.parametrize("wrong", [{"type": "snapshot"}, {"type": "ready", "now": "today"}, {"type": "moves", "x": 1}])
def test_a_frame_that_is_not_as_it_is_described_is_noticed(wrong: dict[str, Any]) -> None:
    with pytest.raises(AssertionError):
        check_frame(wrong)


def test_the_examples_are_as_they_are_described() -> None:
    blocks = re.findall(r"^    (\{.*(?:\n     .*)*)", LIVE, re.MULTILINE)
    frames = [json.loads(block) for block in blocks if "…" not in block]
    assert {frame.get("type") for frame in frames} == {"snapshot", "changes", "moves", None}
    for frame in frames:
        if "type" in frame:
            check_frame(frame)
        else:
            assert validator("call").is_valid(frame), frame
    assert validator("call").is_valid({"from_ply": 0, "moves": EASY_MOVES, "times": [1] * 16, "ref": None})
    assert validator("token").is_valid({"token": "x"})


def test_every_code_is_told() -> None:
    told = {int(code): reason for code, reason in re.findall(r"^\| (\d{4}) \| `?([a-z_]*)", LIVE, re.MULTILINE)}
    assert told == consumers.REASONS | {1009: "the", 1012: ""}


def test_the_limits_are_those_that_are_told() -> None:
    assert f"`{consumers.FRAME_LIMIT}`" in LIVE or f"{consumers.FRAME_LIMIT} bytes" in LIVE
    assert f"more than {consumers.FLOOD_BURST} frames at once, or {consumers.FLOOD_RATE} a second" in LIVE
    assert f"{hub.QUEUE} frames waited" in LIVE
    assert consumers.SILENCE == 10
    assert hub.CHECK < 5


@pytest.mark.django_db(transaction=True)
def test_a_server_opens_as_many_files_as_it_may(server: RunningServer) -> None:
    for process in (psutil.Process(server.process.pid), *server.family()):
        soft, most = process.rlimit(psutil.RLIMIT_NOFILE)
        assert soft == most > FEW


def test_nothing_but_silence_ends_a_socket_of_uvicorns() -> None:
    config = workers.configure("pyramid_site.asgi:application", proxy_headers=False)
    assert (config.ws_ping_interval, config.ws_ping_timeout) == (20, 30)
    assert config.ws_max_size == consumers.FRAME_LIMIT
    assert config.ws is uvicorn_sockets.Socket
    assert config.limit_max_requests is None
    assert config.limit_concurrency is None


def test_nothing_but_silence_ends_a_socket_of_daphnes() -> None:
    from pyramid_site.daphne_server import BoundedServer  # it makes the event loop Twisted's

    with sockets.socket() as listener:
        server = BoundedServer(None, listener)
    assert server.websocket_timeout == -1  # of an open socket; daphne's own would be a day
    assert server.http_timeout is None
    assert (server.ping_interval, server.ping_timeout) == (20, 30)
    assert server.websocket_max_message_size == server.websocket_max_frame_size == consumers.FRAME_LIMIT
