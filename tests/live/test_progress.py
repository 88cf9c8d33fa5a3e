"""Does the narrow table say at every moment what the attempts say?"""

import pytest
from django.db import connection

from leaderboard import actions, feed, moderating, racing
from leaderboard.models import Entry, Progress, Race
from tests.players import EASY_MOVES, in_parallel, log_in, make_daily, make_player, make_players, win

pytestmark = pytest.mark.django_db(transaction=True)

DIFFERENT = """
SELECT e.id, p.state, p.removed, p.moves, a."end", a."left", a.counted_moves
FROM leaderboard_entry e JOIN games_attempt a ON a.id = e.attempt_id
LEFT JOIN leaderboard_progress p ON p.entry_id = e.id
WHERE p.entry_id IS NULL OR p.race_id <> e.race_id OR p.attempt_id <> a.id OR p.ends_at <> a.ends_at
    OR p.removed <> 28 - a."left" OR p.moves <> a.counted_moves
    OR p.state <> CASE WHEN a.voided_at IS NOT NULL THEN 'voided' WHEN a.held <> '' THEN 'held'
        WHEN a."end" = '' THEN 'playing' ELSE a."end" END
"""


def check() -> None:
    with connection.cursor() as cursor:
        cursor.execute(DIFFERENT)
        assert cursor.fetchall() == []


def kinds(race: Race) -> dict[str, str]:
    changes = feed.read_changes(race.pk, race.opens_at, limit=100)
    assert changes is not None
    names = dict(Entry.objects.values_list("pk", "player__name"))
    return {names[row.entry]: row.said["kind"] for row in changes.rows}


def test_an_entry_is_followed_through_all_that_can_become_of_it() -> None:
    race, ada, bob = make_daily(), make_player("Ada"), make_player("Bob")
    won = win(ada, 60_000, race=race)
    check()
    assert kinds(race) == {"Ada": "finished"}
    for change, kind in [
        (lambda: moderating.hold(attempt=won, because="pace"), "held"),
        (lambda: moderating.void(attempt=won), "voided"),
        (lambda: moderating.restore(attempt=won), "held"),
        (lambda: moderating.release(attempt=won), "finished"),
    ]:
        assert change()
        check()
        assert kinds(race) == {"Ada": kind}
    entry, _created = racing.enter(player=bob, race=race.pk)
    check()
    assert kinds(race)["Bob"] == "started"
    actions.play_moves(player=bob, attempt=entry.attempt_id, from_ply=0, moves="D g1g2", times=None)
    check()
    assert kinds(race)["Bob"] == "progress"
    assert Progress.objects.get(entry=entry).removed == 2
    actions.resign(player=bob, attempt=entry.attempt_id)
    check()
    assert kinds(race)["Bob"] == "finished"
    assert moderating.void(attempt=Entry.objects.get(pk=entry.pk).attempt)
    assert moderating.restore(attempt=Entry.objects.get(pk=entry.pk).attempt)
    check()


def test_a_game_that_goes_on_in_a_race_brings_its_pass_along() -> None:
    race, ada = make_daily(), make_player("Ada")
    status, attempt = log_in(ada).post("attempts/", {"deal": race.code})
    assert status == 201
    through = " ".join(["D"] * 24 + ["R"])
    assert log_in(ada).post(f"attempts/{attempt['id']}/moves/", {"from_ply": 0, "moves": through})[0] == 200
    entry, _created = racing.enter(player=ada, race=race.pk)
    assert (entry.attempt_id, entry.ranked) == (attempt["id"], False)
    assert Progress.objects.get(entry=entry).pass_number == 2
    check()
    redealt = {"from_ply": 25, "moves": "D"}
    assert log_in(ada).post(f"attempts/{attempt['id']}/moves/", redealt)[0] == 200
    assert Progress.objects.get(entry=entry).pass_number == 2
    check()


def test_players_in_parallel_leave_it_right() -> None:
    race = make_daily()
    players = make_players(12)

    def play(number: int) -> None:
        entry, _created = racing.enter(player=players[number], race=race.pk)
        moves = EASY_MOVES.split(" ")[: number + 5]
        for ply, move in enumerate(moves):
            actions.play_moves(player=players[number], attempt=entry.attempt_id, from_ply=ply, moves=move, times=None)
        if number % 3 == 0 and len(moves) < 16:
            actions.resign(player=players[number], attempt=entry.attempt_id)

    in_parallel([lambda number=number: play(number) for number in range(len(players))])  # type: ignore[misc]
    check()
    state = feed.read_state(race.pk)
    assert state is not None
    assert state.counts == {"entered": 12, "playing": 7, "won": 1}
