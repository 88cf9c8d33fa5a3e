"""A watcher of a race, as docs/live.md tells developers to write one; and what the database says it must see."""

from typing import Any

from leaderboard import feed
from tests.live.frames import check_frame

PLAYING = ("started", "progress")


class Watcher:
    """What a client knows of a race after the frames that it was given."""

    def __init__(self) -> None:
        self.playing: dict[int, dict[str, Any]] = {}
        self.finished: dict[int, dict[str, Any]] = {}
        self.known: dict[str, Any] = {}

    def take(self, frame: dict[str, Any]) -> None:
        check_frame(frame)
        if frame["type"] == "snapshot":
            self.playing = {row["entry"]: row for row in frame["playing"]}
        for row in frame.get("rows", []):
            self.playing.pop(row["entry"], None)
            (self.playing if row["kind"] in PLAYING else self.finished)[row["entry"]] = row
        for entry in frame.get("gone", []):
            self.playing.pop(entry, None)
        self.known |= {name: frame[name] for name in ("phase", "counts", "top", "since") if name in frame}

    def sees(self) -> dict[str, Any]:
        rows = [self.playing[entry] for entry in sorted(self.playing)]
        return {name: self.known[name] for name in ("phase", "counts", "top")} | {"playing": rows}


def must_see(race: int) -> dict[str, Any]:
    """A fresh snapshot, without the moment that it is of."""
    state = feed.read_state(race)
    assert state is not None
    return {name: value for name, value in state.write().items() if name in ("phase", "counts", "top", "playing")}
