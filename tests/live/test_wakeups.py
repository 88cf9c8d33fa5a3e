"""Are the hubs woken after what is committed, not in the midst of it, and not too often?"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
import pytest
from django.db import connection, transaction

from games.models import Attempt
from leaderboard import actions, events, moderating, racing
from leaderboard.models import Race
from tests.players import EASY_MOVES, make_daily, make_player

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _nobody_was_woken() -> None:
    events._woken.clear()


@contextmanager
def listening() -> Iterator[Callable[[], list[str]]]:
    """What was told on the channel since the last time one asked."""
    parameters = events._read_parameters()
    with psycopg.connect(**parameters) as other:
        other.execute(f"LISTEN {events.CHANNEL}")
        yield lambda: [notice.payload for notice in other.notifies(timeout=0.1)]


def test_whatever_ends_something_wakes_after_the_commit() -> None:
    race, ada = make_daily(), make_player("Ada")
    inside: list[bool] = []

    def look(execute: Callable[..., Any], sql: Any, params: Any, many: bool, context: Any) -> Any:
        if "pg_notify" in str(sql):
            inside.append(connection.in_atomic_block)
        return execute(sql, params, many, context)

    def play(moves: str) -> None:
        actions.play_moves(player=ada, attempt=attempt, from_ply=0, moves=moves, times=None)

    with listening() as told, connection.execute_wrapper(look):
        attempt = racing.enter(player=ada, race=race.pk)[0].attempt_id
        events._woken.clear()
        told()
        won = Attempt.objects.get(pk=attempt)
        for end in (
            lambda: play(EASY_MOVES),
            lambda: moderating.hold(attempt=won, because="pace"),
            lambda: moderating.void(attempt=won),
            lambda: racing.withdraw_race(race=race, because="x"),
        ):
            events._woken.clear()
            end()
            won.refresh_from_db()
            assert set(told()) == {f"race {race.pk}"}
    assert inside
    assert not any(inside)


def test_what_is_not_committed_wakes_nobody() -> None:
    race = make_daily()
    with listening() as told:
        with transaction.atomic():
            events.wake(race.pk)
            transaction.set_rollback(True)
        assert told() == []
        with transaction.atomic():
            events.wake(race.pk)
            assert told() == []
        assert told() == [f"race {race.pk}"]


def test_a_race_is_woken_four_times_in_a_second_at_most_and_each_on_its_own() -> None:
    with listening() as told:
        for _ in range(10):
            events.wake(1, 2)
            events.wake_sprint(1)
        assert sorted(told()) == ["race 1"] * 4 + ["race 2"] * 4 + ["sprint 1"] * 4


def test_a_wake_up_that_cannot_be_sent_costs_the_move_nothing(caplog: pytest.LogCaptureFixture) -> None:
    race, ada = make_daily(), make_player("Ada")

    def refuse(execute: Callable[..., Any], sql: Any, params: Any, many: bool, context: Any) -> Any:
        if "pg_notify" in str(sql):
            sql, params = "SELECT pg_notify('', 'there is no such channel')", None
        return execute(sql, params, many, context)

    with connection.execute_wrapper(refuse):
        attempt = win_by_move(ada, race)
    assert Attempt.objects.get(pk=attempt).end == "won"
    assert "A wake-up was lost" in caplog.text


def win_by_move(player: Any, race: Race) -> int:
    attempt = racing.enter(player=player, race=race.pk)[0].attempt_id
    actions.play_moves(player=player, attempt=attempt, from_ply=0, moves=EASY_MOVES, times=None)
    return attempt
