"""Sprints once more, in plain Python, from nothing but the seats and the attempts."""

from collections import Counter
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from games.models import Attempt
from leaderboard.models import Round, Seat, Sprint


class Run(NamedTuple):
    """A seat of a round that is over, and the attempt of who had it."""

    seat: Seat
    attempt: Attempt | None

    @property
    def counts(self) -> bool:
        return self.attempt is None or not (self.attempt.held or self.attempt.voided_at)

    def has_won(self, over: datetime) -> bool:
        attempt = self.attempt
        return bool(attempt and attempt.end == "won" and attempt.ended_at <= over and not self.seat.out_at)  # type: ignore[operator]

    def key(self, over: datetime) -> tuple[int, int]:
        """Less is better."""
        if self.seat.out_at:
            return 2, 0
        if self.has_won(over):
            return 0, self.attempt.official_ms  # type: ignore[union-attr, return-value]
        return 1, self.attempt.left if self.attempt else 28


def read_runs(played: Round) -> dict[str, Run]:
    runs = {}
    for seat in played.seats.select_related("player"):
        attempts = list(Attempt.objects.filter(entries__race=played.race_id, player=seat.player))
        assert len(attempts) <= 1, f"{seat.player} plays twice in {played}"
        assert seat.player.name not in runs, f"{seat.player} has two seats in {played}"
        runs[seat.player.name] = Run(seat, attempts[0] if attempts else None)
    return runs


def rank(keys: dict[str, Any]) -> dict[str, int]:
    return {name: 1 + sum(other < key for other in keys.values()) for name, key in keys.items()}


def when_over(runs: dict[str, Run], opens_at: datetime) -> datetime:
    """When a round was over: all had left, won or given up; or two minutes after the first win, or an hour."""
    wins = [run.attempt.ended_at for run in runs.values() if run.attempt and run.attempt.end == "won" and run.counts]
    latest = min([opens_at + timedelta(hours=1), *(win + timedelta(minutes=2) for win in wins if win)])
    done = []
    for run in runs.values():
        if run.seat.out_at:
            done.append(run.seat.out_at)
        elif run.attempt and run.attempt.end in ("won", "resigned") and run.attempt.ended_at:
            done.append(run.attempt.ended_at)
        else:
            return latest
    return max(opens_at, min(latest, max(done)))


def tell(sprint: int) -> dict[str, Any]:
    """What must be told of a sprint that is over, of all that follows from anything."""
    rounds: list[dict[str, Any]] = []
    won: Counter[str] = Counter()
    ranks: Counter[str] = Counter()
    played = [(one, read_runs(one)) for one in Round.objects.filter(sprint=sprint).order_by("number")]
    everybody = {name for _one, runs in played for name in runs}
    for one, runs in played:
        assert one.over_at == when_over(runs, one.race.opens_at)
        assert all(run.attempt.end and run.attempt.ended_at for run in runs.values() if run.attempt)
        places = rank({name: run.key(one.over_at) for name, run in runs.items() if run.counts})
        rounds.append(
            {name: (run.attempt.official_ms if run.attempt else None, places.get(name)) for name, run in runs.items()}
        )
        won.update(name for name, place in places.items() if place == 1 and runs[name].has_won(one.over_at))
        for name in everybody:
            ranks[name] += places.get(name, len(runs) + 1)
    overall = rank({name: (-won[name], ranks[name]) for name in everybody})
    members = Sprint.objects.get(pk=sprint).members.select_related("player")
    return {
        "phase": "over",
        "rounds": rounds,
        "players": {row.player.name: (won[row.player.name], overall.get(row.player.name)) for row in members},
    }


def reduce(told: dict[str, Any]) -> dict[str, Any]:
    """The same of what the server tells."""
    rounds = [{row["player"]: (row["official_ms"], row["rank"]) for row in one["players"]} for one in told["rounds"]]
    assert [len(one) for one in rounds] == [len(one["players"]) for one in told["rounds"]], "nobody is told twice"
    players = {row["player"]: (row["won"], row["rank"]) for row in told["players"]}
    assert len(players) == len(told["players"]), "nobody is told twice"
    return {"phase": told["phase"], "rounds": rounds, "players": players}
