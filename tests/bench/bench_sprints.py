"""What it takes to settle a sprint of a hundred: whoever asks for it first, once something is due, waits so long.

All are in a round; half of them win, then the two minutes are over: the round is ranked and rated, and the next begins.
In that nobody sends anything, and all are silent at once. ROUNDS sprints; in this process, with the embedded database.
"""

import os
import statistics
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager

from tests.bench.bench_http import DATA

PLAYERS = 100
ROUNDS = 5

figures: dict[str, list[float]] = defaultdict(list)


@contextmanager
def timed(what: str) -> Iterator[None]:
    start = time.perf_counter()
    yield
    figures[what].append((time.perf_counter() - start) * 1000)


def prepare() -> None:
    import django
    from django.core.management import call_command

    django.setup()
    call_command("migrate", verbosity=0)
    call_command("flush", interactive=False, verbosity=0)


def settle_one() -> None:
    """A sprint of a hundred who have played before, from its first win to its end."""
    from games.models import Attempt, Player
    from leaderboard import describing, racing, settling, watching
    from leaderboard.actions import read_clock
    from leaderboard.models import Round, Sprint, SprintPlayer
    from tests.sprints import pass_time

    people, now = list(Player.objects.order_by("pk")), read_clock()
    sprint = Sprint.objects.create(maker=people[0], host=people[0], ruleset="T", most=PLAYERS, best_of=3)
    members = [SprintPlayer(sprint=sprint, player=player, joined_at=now, heard_at=now) for player in people]
    SprintPlayer.objects.bulk_create(members)
    settling.begin_round(sprint, 1, now)
    race = Round.objects.get(sprint=sprint).race_id
    for number, player in enumerate(people):
        attempt = racing.enter(player=player, race=race)[0].attempt_id
        result = {"left": number % 28} | ({"end": "won", "ended_at": now, "official_ms": number} if number % 2 else {})
        Attempt.objects.filter(pk=attempt).update(**result)
    with timed("the first win"):
        settling.settle(sprint.pk)
    with timed("nothing is due"):
        settling.settle(sprint.pk)
    with timed("a look of the hub"):
        watching.read_sprint(sprint.pk, {player.pk for player in people})
    pass_time(sprint.pk, seconds=120)
    SprintPlayer.objects.filter(sprint=sprint).update(heard_at=read_clock())
    with timed("a round is over"):
        settling.settle(sprint.pk)
    pass_time(sprint.pk, seconds=150)
    with timed("all are silent"):
        settling.settle(sprint.pk)
    assert describing.describe_sprint(sprint.pk, None)["phase"] == "over"


def main() -> None:
    os.environ["DATA_DIR"] = str(DATA)
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "pyramid_site.settings")
    prepare()
    from tests.players import make_players

    make_players(PLAYERS)
    for _ in range(ROUNDS):
        settle_one()
    print(f"a sprint of {PLAYERS}, ms: median (longest) of {ROUNDS}")
    for what, times in figures.items():
        print(f"  {what:20} {statistics.median(times):6.1f} ({max(times):6.1f})")


if __name__ == "__main__":
    main()
