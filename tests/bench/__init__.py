"""Benchmarks, run by hand: one client asks for all the players of the world."""

import os

os.environ.setdefault("RATE", "999999999/999999999")
os.environ.setdefault(
    "LIMITS", ",".join(f"{what}=1000000/60" for what in ("sign_up", "log_in", "guest", "hint", "mail"))
)
os.environ.setdefault("NO_MINTING", "1")  # a new server would solve deals meanwhile
