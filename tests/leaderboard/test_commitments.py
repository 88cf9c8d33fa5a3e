"""Commit and reveal: a chain that anyone can check, and no change of it goes unseen."""

from datetime import UTC, date, datetime, timedelta
from hashlib import sha256

import pytest

from leaderboard import races
from leaderboard.races import Link

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
CODES = ["PY1-T-AAAAAAA", "PY1-T-AAAAAAB", "PY1-T-AAAAAAC", "PY1-T-AAAAAAD"]


def chain() -> list[Link]:
    """Four days from 28 November: two over, today, tomorrow; minted on the 27th."""
    links, previous = [], ""
    for n, code in enumerate(CODES):
        day, nonce = date(2026, 11, 28) + timedelta(days=n), f"{n:032x}"
        commitment = races.commit(day, code, nonce, previous)
        shown = (code, nonce) if n < 2 else (None, None)
        minted_at = datetime(2026, 11, 27, 8, n, tzinfo=UTC)
        links.append(Link("T", day, commitment, previous, minted_at, True, False, *shown))
        previous = commitment
    return links


def test_a_commitment_is_the_hash_of_day_code_nonce_and_the_one_before() -> None:
    text = b"2026-11-30:PY1-T-AAAAAAS:000102030405060708090a0b0c0d0e0f:"
    first = races.commit(date(2026, 11, 30), "PY1-T-AAAAAAS", bytes(range(16)).hex(), "")
    assert first == sha256(text).hexdigest()
    second = races.commit(date(2026, 11, 30), "PY1-T-AAAAAAS", bytes(range(16)).hex(), first)
    assert second == sha256(text + first.encode()).hexdigest()


def test_a_true_chain_is_in_order_whole_and_from_its_middle() -> None:
    assert races.check_chain(chain(), NOW) == []
    assert races.check_chain(chain()[2:], NOW) == []
    assert races.check_chain([], NOW) == []


def test_each_ruleset_has_a_chain_of_its_own() -> None:
    code = "PY1-N-AAAAAAA"
    other = chain()[0]._replace(ruleset="N", code=code, commitment=races.commit(date(2026, 11, 28), code, "0" * 32, ""))
    assert races.check_chain([other, *chain()], NOW) == []
    assert races.check_chain([*chain()[:2], other, *chain()[2:]], NOW) == []


@pytest.mark.parametrize(
    ("at", "change", "fault"),
    [
        (0, {"code": "PY1-T-AAAAAAX"}, "is not what was committed to"),
        (0, {"code": "PY1-N-AAAAAAA"}, "is no deal of the ruleset"),
        (0, {"code": "PY1-T-ÄAAAAAA"}, "is not what was committed to"),
        (1, {"nonce": "f" * 32}, "is not what was committed to"),
        (1, {"nonce": "f"}, "the nonce is not 128 bits"),
        (1, {"day": date(2026, 11, 27)}, "is not what was committed to"),
        (1, {"commitment": "0" * 64}, "is not what was committed to"),
        (1, {"code": None}, "the cards were not told"),
        (1, {"nonce": None}, "the cards were not told"),
        (2, {"previous": "0" * 64}, "does not follow"),
        (3, {"committed": False}, "whether it was committed to"),
        (1, {"minted_at": NOW}, "whether it was committed to"),
        (3, {"minted_at": datetime(2026, 11, 1, tzinfo=UTC)}, "minted before"),
        (3, {"day": date(2026, 11, 30)}, "another daily of this day"),
    ],
)
def test_every_change_is_seen(at: int, change: dict[str, object], fault: str) -> None:
    links = chain()
    links[at] = links[at]._replace(**change)
    wrong = races.check_chain(links, NOW)
    assert any(fault in sentence for sentence in wrong), wrong


def test_a_link_that_was_taken_out_is_missed() -> None:
    links = chain()
    del links[1]
    assert "does not follow" in races.check_chain(links, NOW)[0]


def test_a_daily_that_was_withdrawn_makes_room_for_another_of_its_day() -> None:
    links = chain()
    links[2] = links[2]._replace(withdrawn=True)
    links.append(links[3]._replace(day=links[2].day, previous=links[3].commitment, commitment="1" * 64, minted_at=NOW))
    links[4] = links[4]._replace(committed=False)
    assert races.check_chain(links, NOW) == []
