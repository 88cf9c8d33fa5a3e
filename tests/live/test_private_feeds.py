"""Who may open the feed of a race or a sprint by invitation?"""

from collections.abc import Callable
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from django.test import Client

from games.engine.rulesets import RULESETS
from leaderboard import actions, racing, sprinting, sprints
from leaderboard.models import Round
from tests.live.sockets import log_in_by_session, log_in_by_token, open_socket
from tests.players import make_player
from tests.site.servers import RunningServer
from tests.sprints import pass_time

pytestmark = pytest.mark.django_db(transaction=True)

CODE = "milk first"


def test_the_feed_of_a_race_by_invitation_is_for_those_whose_it_is(server: RunningServer) -> None:
    host, stranger = make_player("Host"), make_player("Stranger")
    closes_at = actions.read_clock() + timedelta(hours=1)
    race = racing.make_race(
        host=host, name="Tea", deal=RULESETS["T"], opens_at=None, closes_at=closes_at, invite_code=CODE
    )
    racing.enter(player=make_player("Emil"), race=race.pk, invite_code=CODE)
    path = f"races/{race.pk}/"
    listen: Callable[..., Any] = partial(open_socket, server)
    page = Client()
    page.get(f"/races/{race.pk}/", {"invite": CODE})
    stamp = page.cookies.output(header="", sep=";", attrs=[]).strip()
    for name, socket in {
        "host": listen(path, token=log_in_by_token(host)),
        "host's page": listen(path, session=log_in_by_session(host)),
        "code": listen(f"{path}?invite_code=milk%20first"),
        "page with the code": listen(path, origin=server.url.rstrip("/"), Cookie=stamp),
    }.items():
        with socket as open_one:
            assert open_one.take()["type"] == "snapshot", name
    for name, socket in {
        "stranger": listen(path, token=log_in_by_token(stranger)),
        "wrong code": listen(f"{path}?invite_code=milk", token=log_in_by_token(stranger)),
        "stranger's page": listen(path, session=log_in_by_session(stranger)),
    }.items():
        with socket as open_one:
            assert open_one.until_closed() == (4403, "not_to_see"), name
    for player, told in ((host, True), (stranger, False)):
        with listen(path) as open_one:  # the token may come in a frame
            open_one.send({"token": log_in_by_token(player)})
            if told:
                assert open_one.take()["type"] == "snapshot"
            else:
                assert open_one.until_closed() == (4403, "not_to_see")
    with listen(path) as open_one:
        open_one.send({"ping": 1})
        assert open_one.until_closed() == (4401, "not_allowed"), "nobody known says anything here"


def test_a_sprint_by_invitation_and_its_race_are_for_who_is_in_it_and_who_brings_the_code(
    server: RunningServer,
) -> None:
    host, guest, stranger = (make_player(name) for name in ("Host", "Guest", "Stranger"))
    sprint = sprinting.make_sprint(host=host, ruleset=RULESETS["T"], invite_code=CODE, most=9, best_of=1).pk
    sprinting.join(player=guest, sprint=sprint, invite_code=CODE)
    sprinting.start(player=host, sprint=sprint)
    pass_time(sprint, seconds=sprints.COUNTDOWN.seconds)
    page = Client()
    page.get(f"/sprints/{sprint}/", {"invite": CODE})
    stamp = page.cookies.output(header="", sep=";", attrs=[]).strip()
    listen: Callable[..., Any] = partial(open_socket, server)
    for path, first in ((f"sprints/{sprint}/", "sprint"), (f"races/{Round.objects.get().race_id}/", "snapshot")):
        for socket in (
            listen(path, token=log_in_by_token(guest)),
            listen(f"{path}?invite_code=milk%20first"),
            listen(path, origin=server.url.rstrip("/"), Cookie=stamp),
        ):
            with socket as open_one:
                assert open_one.take()["type"] == first
        with listen(path, token=log_in_by_token(stranger)) as open_one:
            assert open_one.until_closed() == (4403, "not_to_see")
        with listen(path) as open_one:
            open_one.send({"token": log_in_by_token(host)})
            assert open_one.take()["type"] == first
