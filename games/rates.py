"""How much a caller may ask of one process: a bucket of units that fills steadily. What is exact is in `throttles`.

A call costs a unit, and where replays are judged one more for every TOKENS_A_UNIT tokens, by the size of the body: that
is known before it is read. A game of the computer's costs COMPUTED: it is played anew for each call.
"""

import math
import re
import threading
import time
from typing import Any

from django.conf import settings
from rest_framework.throttling import BaseThrottle

from games import throttles
from games.models import Player
from games.throttles import Rate

TOKENS_A_UNIT = 100
BYTES_A_TOKEN = 5
JUDGED = re.compile(r"/(moves|replays|validate)/$")
COMPUTED = 10.0
PLAYED = re.compile(r"/opponent/$")
MOST_CALLERS = 10_000


class Buckets:
    """What is left to each caller of this process."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.left: dict[str, tuple[float, float]] = {}

    def take(self, caller: str, units: float, rate: Rate, now: float) -> float:
        """0.0 where the caller may, else the seconds until then. What costs more than all may, with a full bucket."""
        with self.lock:
            left, at = self.left.get(caller, (float(rate.burst), now))
            left = min(rate.burst, left + (now - at) * rate.second)
            wanted = min(units, rate.burst)
            if left < wanted:
                return (wanted - left) / rate.second
            if len(self.left) >= MOST_CALLERS:
                self._forget_full(rate, now)
            self.left[caller] = left - units, now
            return 0.0

    def _forget_full(self, rate: Rate, now: float) -> None:
        full = [caller for caller, (left, at) in self.left.items() if left + (now - at) * rate.second >= rate.burst]
        for caller in full or list(self.left)[: MOST_CALLERS // 2]:
            del self.left[caller]


BUCKETS = Buckets()


class RateThrottle(BaseThrottle):
    """Before every view of the API: a player's own bucket, or that of an address."""

    def allow_request(self, request: Any, view: Any) -> bool:
        """True. Raises Problem (429) where the bucket is empty."""
        is_player = isinstance(request.user, Player)
        caller = f"player {request.user.pk}" if is_player else throttles.address(request)
        if seconds := BUCKETS.take(caller, cost_of(request), settings.RATE, time.monotonic()):
            raise throttles.too_many(math.ceil(seconds))
        return True


def cost_of(request: Any) -> float:
    """The units that a call costs."""
    if PLAYED.search(request.path):
        return COMPUTED
    if not JUDGED.search(request.path):
        return 1.0
    length = request.META.get("CONTENT_LENGTH") or "0"
    return 1.0 + (int(length) if length.isdigit() else 0) / (BYTES_A_TOKEN * TOKENS_A_UNIT)
