"""Guessing passwords: what is tried against one account, from wherever, beside what one address may try.

Only tries from addresses that the account has not been logged in from count, so that who guesses slows down others who
guess and not the owner. Names are counted whether there is such a player or not.
"""

from typing import Any

from games import throttles
from games.models import Player
from games.names import name_key

KNOWN_SECONDS = 30 * 86_400


def count_try(request: Any, name: str) -> None:
    """Count that somebody tries a password. Raises Problem (429) beyond the limits of the address or the account."""
    address, key = throttles.address(request), name_key(name)
    throttles.count("log_in", address)
    if not throttles.is_marked("known address", f"{key} {address}"):
        throttles.count("account", key)


def remember(request: Any, player: Player) -> None:
    """The player has logged in from there: the address is known for KNOWN_SECONDS."""
    throttles.mark("known address", f"{player.name_key} {throttles.address(request)}", KNOWN_SECONDS)
