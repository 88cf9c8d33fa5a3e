"""What is told of a sprint: the same over REST and over a socket."""

from typing import Any

from leaderboard import actions, rounds, sprinting, sprints
from leaderboard.models import Round, Sprint
from leaderboard.periods import write_moment
from leaderboard.rounds import Seen


def describe_head(sprint: Sprint, present: int) -> dict[str, Any]:
    """What a list of lobbies tells of a sprint. present: how many are in it."""
    return {
        "id": sprint.pk,
        "host": None if sprint.host.is_banned else sprint.host.name,
        "ruleset": sprint.ruleset,
        "difficulty": sprint.difficulty or None,
        "rated": not sprint.deal,
        "needs_code": bool(sprint.invite_code),
        "most": sprint.most,
        "best_of": sprint.best_of,
        "present": present,
        "starts_at": write_moment(sprint.starts_at),
    }


def describe_sprint(pk: int, viewer: Any) -> dict[str, Any]:
    """A sprint as it stands now for a viewer (None: for nobody in particular). Raises Problem (404)."""
    sprint, now = sprinting.find_sprint(pk), actions.read_clock()
    played = list(sprint.rounds.select_related("race").order_by("number"))
    members = list(sprint.members.select_related("player").order_by("joined_at", "id"))
    seen = rounds.read_runners([one.pk for one in played])
    over = [([row.runner for row in seen[one.pk]], one.over_at) for one in played if one.over_at]
    scores = sprints.add_up(over)
    ranks = sprints.rank_all(scores)
    is_in = any(member.player == viewer and member.left_at is None for member in members)
    opens_at = played[-1].race.opens_at if played else None
    return describe_head(sprint, sum(member.left_at is None for member in members)) | {
        "phase": sprints.phase(now, opens_at, sprint.ended_at),
        "now": write_moment(now),
        "invite_code": sprint.invite_code or None if is_in else None,
        "ended_at": write_moment(sprint.ended_at),
        "rematch": sprint.rematch_id,
        "players": [
            {
                "player": member.player.name,
                "ready": member.ready,
                "joined_at": write_moment(member.joined_at),
                "left_at": write_moment(member.left_at),
                "won": scores[member.player_id].won if member.player_id in scores else 0,
                "rank": ranks.get(member.player_id),
            }
            for member in members
            if not member.player.is_banned
        ],
        "rounds": [_describe_round(one, seen[one.pk]) for one in played],
    }


def _describe_round(played: Round, seen: list[Seen]) -> dict[str, Any]:
    ranks = sprints.rank_round((row.runner for row in seen), played.over_at) if played.over_at else {}
    return {
        "number": played.number,
        "race": played.race_id,
        "opens_at": write_moment(played.race.opens_at),
        "ends_at": write_moment(played.race.closes_at),
        "over_at": write_moment(played.over_at),
        "players": [_describe_runner(row, ranks.get(row.runner.player)) for row in seen if not row.banned],
    }


def _describe_runner(row: Seen, rank: int | None) -> dict[str, Any]:
    runner = row.runner
    begun = "playing" if row.attempt else "waiting"
    return {
        "player": row.name,
        "state": "out" if runner.out_at else runner.end or begun,
        "removed": 28 - runner.left,
        "moves": row.moves,
        "official_ms": runner.official_ms,
        "replay": row.attempt,
        "held": row.held or None,
        "void": row.void,
        "rank": rank,
    }
