"""What a token that was given to an app may do. Reading is free to all but what is private; the rest has a scope."""

import re

from django.utils.translation import gettext_noop

SCOPES = {
    "play": gettext_noop("play games and send replays in your name"),
    "races": gettext_noop("make races and sprints"),
    "people": gettext_noop("follow players, join and manage clubs, report"),
}
READ, FULL = "read", "full"
# what changes something, below /api/v1/; all else is for the player alone
NEEDED = [
    (re.compile(r"(attempts|races/\d+/attempts|sprints/\d+)/|replays/$"), "play"),
    (re.compile(r"(races|sprints)/$"), "races"),
    (re.compile(r"players/[^/]+/follow/|clubs/|reports/"), "people"),
    (re.compile(r"tokens/current/"), READ),  # an app may end its own token
]
# what is private to read
PRIVATE = [
    (re.compile(r"players/me/data/"), FULL),
    (re.compile(r"players/me/following/|clubs/|reports/|rulings/"), "people"),
]


def needed_scope(method: str, path: str) -> str:
    """The scope that a call needs: one of SCOPES, READ, or FULL where no app may make it. path: from /api/v1/ on."""
    rest = path.removeprefix("/api/v1/")
    is_reading = method in ("GET", "HEAD", "OPTIONS")
    patterns, other = (PRIVATE, READ) if is_reading else (NEEDED, FULL)
    return next((scope for pattern, scope in patterns if pattern.match(rest)), other)
