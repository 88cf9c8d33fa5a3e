"""What stores a game that was played elsewhere."""

from datetime import timedelta
from hashlib import sha256
from typing import Any

from django.db.models import F

from games.actions import store_deal
from games.engine import deal as engine
from games.engine.replay import RULES_VERSION, Verdict
from games.models import Attempt, Player
from leaderboard import actions
from leaderboard.standings import open_boards, place_win

INSERT_REPLAY = """
INSERT INTO games_attempt (player_id, deal_id, ruleset, ranked, clock, started_at, ends_at, ended_at, "end", moves,
    times, plies, rules, digest, official_ms, counted_moves, points, bonus, "left")
VALUES (%(player)s, %(deal)s, %(ruleset)s, false, 'client', %(started_at)s, %(now)s, %(now)s, %(end)s, %(moves)s,
    %(times)s::int[], %(plies)s, %(rules)s, %(digest)s, %(official_ms)s, %(counted)s, %(points)s, %(bonus)s, %(left)s)
ON CONFLICT DO NOTHING
RETURNING *
"""


def submit_replay(*, player: Player, verdict: Verdict, deal: engine.Deal, times: list[int]) -> tuple[Attempt, bool]:
    """Store a judged replay that carries the client's clock, and whether it is new; practice, never ranked.

    The same game (deal, moves and times) by the same player again is the same replay, unless that is void.
    """
    now = actions.read_clock()
    stored = store_deal(deal=deal)
    open_boards(stored, Attempt.CLIENT)
    won = verdict.outcome == "won"
    digest = sha256(f"{verdict.text} {' '.join(map(str, times))}".encode()).digest()
    params: dict[str, Any] = {
        "player": player.pk,
        "deal": stored.pk,
        "ruleset": stored.ruleset,
        "started_at": now - timedelta(milliseconds=times[-1] if times else 0),
        "now": now,
        "end": Attempt.WON if won else Attempt.RESIGNED,
        "moves": verdict.text,
        "times": actions.write_array(times),
        "plies": verdict.plies,
        "rules": RULES_VERSION,
        "digest": digest,
        "official_ms": verdict.elapsed_ms if won else None,
        "counted": verdict.moves,
        "points": verdict.points,
        "bonus": verdict.bonus,
        "left": verdict.left,
    }
    if won:
        places = place_win(
            INSERT_REPLAY,
            params,
            scoring=deal.ruleset.scoring,
            official_ms=times[-1],
            moves=verdict.moves,
            points=verdict.points + (verdict.bonus or 0),
        )
        created = places is not None
    else:
        created = actions.write_row(INSERT_REPLAY, params)
    mine = Attempt.objects.select_related("deal", "player").filter(player=player, clock=Attempt.CLIENT)
    same = mine.filter(deal=stored, digest=digest).order_by(F("voided_at").desc(nulls_first=True), "-pk")
    return same[0], created  # the one that counts, unless a moderator has voided it in this moment
