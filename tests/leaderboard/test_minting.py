"""Minting: which deals become dailies, one at a time, one chain a ruleset; and by itself."""

import time
from datetime import timedelta
from functools import partial
from io import StringIO

import psutil
import pytest
from django.core.management import CommandError, call_command

from games.actions import store_deal
from games.engine.deal import Deal as EngineDeal
from games.engine.replay import verify
from games.engine.rulesets import RULESETS
from games.management.proving import Proof, prove
from games.models import Deal
from leaderboard import minting, races, racing
from leaderboard.management.choosing import CHOICE, Choice
from leaderboard.models import Race
from tests.client import Api
from tests.dailies import EASY_PROOF, mint_easy, mint_seed, today
from tests.players import in_parallel
from tests.site.servers import database_environment, serve

pytestmark = pytest.mark.django_db

# a deal of each ruleset that is proven to be won in a second or two; few deals of A, G, O and P can be won at all
WINNABLE = {
    "N": "PY1-N-4MBQ6MT",
    "S": "PY1-S-H75LZWY",
    "O": "PY1-O-LNVJZSZ",
    "T": "PY1-T-OLF5WRS",
    "A": "PY1-A-GIBQCA6",
    "D": "PY1-D-6XWLONE",
    "B": "PY1-B-TPEKE4X",
    "C": "PY1-C-DFGATRI",
    "G": "PY1-G-X5QDHPU",
    "M": "PY1-M-GDUH7VW",
    "P": "PY1-P-MW5S23C",
    "L": "PY1-L-JI2HOMQ",
    "J": "PY1-J-7LJBMQ4",
    "E": "PY1-E-LAZNROC",
    "X": "PY1-X-E2HH5I7",
    "F": "PY1-F-AHT5POT",
}


def proof(code: str, difficulty: str, number: float, *, proven: bool = True) -> Proof:
    return Proof(code, "winnable", ("D",), proven, difficulty, number)


@pytest.mark.parametrize("letter", RULESETS)
def test_every_ruleset_can_have_a_daily(letter: str) -> None:
    found = prove(WINNABLE[letter], 60)
    assert (found.verdict, found.par_proven) == ("winnable", True)
    race = minting.mint(today(), found.code, found.fields)
    assert race
    deal = Deal.objects.get()
    assert (race.code, deal.par, deal.par_proven, deal.seed) == (found.code, len(found.line or ()), True, None)
    assert deal.difficulty in ("easy", "medium", "hard")
    verdict = verify(EngineDeal.from_code(found.code), deal.line, None)
    assert verdict.legal
    assert verdict.outcome == "won"


def test_days_are_easy_on_monday_and_hard_on_sunday() -> None:
    monday = today() - timedelta(days=today().weekday())
    week = [races.difficulty_of(monday + timedelta(days=n)) for n in range(7)]
    order = ["easy", "medium", "hard"]
    assert (week[0], week[6]) == ("easy", "hard")
    assert [order.index(label) for label in week] == sorted(order.index(label) for label in week)


def test_a_day_gets_a_deal_of_its_difficulty() -> None:
    choice = Choice()
    for n, label in enumerate(["hard", "easy", "medium", "hard"]):
        choice.add(proof(f"PY1-T-AAAAAA{'ABCD'[n]}", label, n * 100.0))
    choice.add(proof("PY1-T-AAAAAAE", "easy", 1.0, proven=False))
    choice.add(Proof("PY1-T-AAAAAAF", "unwinnable", None, False))
    taken = [choice.take(label, CHOICE) for label in ("easy", "hard", "easy")]
    assert [found and found.code[-1] for found in taken] == ["B", "D", None], "what is not proven is no daily"


def test_where_no_deal_fits_the_nearest_is_taken_after_a_while() -> None:
    for wanted, number in (("easy", 100.0), ("medium", 102.0), ("hard", 104.0)):
        choice = Choice()
        other = "medium" if wanted != "medium" else "easy"
        for n in range(5):
            assert choice.take(wanted, 5) is None
            choice.add(proof(f"PY1-T-AAAAAA{'ABCDE'[n]}", other, 100.0 + n))
        taken = choice.take(wanted, 5)
        assert taken
        assert taken.number == number


def test_a_deal_is_drawn_of_cards_that_nobody_has_met(monkeypatch: pytest.MonkeyPatch) -> None:
    store_deal(deal=EngineDeal.from_seed("N", 7))  # under whatever ruleset
    mint_seed(8)
    seeds = iter([7, 8, 9])
    monkeypatch.setattr("secrets.randbelow", lambda _limit: next(seeds))
    assert racing.draw_deal(RULESETS["T"]) == EngineDeal.from_seed("T", 9)


def test_what_is_missing_is_told_today_first() -> None:
    day = today()
    mint_easy("T", day + timedelta(days=1))
    needs = minting.missing(["T", "N"], day, 2)
    assert [(need.day, need.letter) for need in needs] == [(day, "T"), (day, "N"), (day + timedelta(days=1), "N")]


def test_a_day_has_one_daily() -> None:
    mint_easy()
    assert minting.mint(today(), EngineDeal.from_seed("T", 3).code, EASY_PROOF) is None
    assert Race.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_many_who_mint_at_once_make_one_chain() -> None:
    days = [today() + timedelta(days=n) for n in range(4)] * 3
    codes = [EngineDeal.from_seed("T", n).code for n in range(12)]
    made = in_parallel([partial(minting.mint, day, code, EASY_PROOF) for day, code in zip(days, codes, strict=True)])
    assert sum(race is not None for race in made) == 4
    previous = ""
    for race in Race.objects.order_by("id"):
        assert race.previous == previous
        previous = race.commitment


@pytest.mark.django_db(transaction=True)
def test_one_process_mints_at_a_time() -> None:
    def try_it() -> str:
        out = StringIO()
        call_command("mint_dailies", days=1, ruleset=["T"], stdout=out)
        return out.getvalue()

    with minting.only_minter() as taken:
        assert taken
        with pytest.raises(CommandError, match="Another process is minting"):
            in_parallel([try_it])
    assert not Race.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_a_server_mints_today_by_itself_and_the_minting_ends_with_it() -> None:
    with serve((), database_environment() | {"NO_MINTING": "0", "DAILY_RULESETS": "T"}) as server:
        end = time.monotonic() + 90
        while not Race.objects.exists() and time.monotonic() < end:
            time.sleep(0.1)
        alive = [child for child in server.family() if child.status() != psutil.STATUS_ZOMBIE]
        minters = [child for child in alive if "mint_dailies" in child.cmdline()]
        assert len(minters) == 1, "21 days take longer"
        minters += minters[0].children(recursive=True)
        server.process.terminate()
        assert server.process.wait(20) == 0
        assert psutil.wait_procs(minters, 20)[1] == [], "who minted is gone with the server"
    first = Race.objects.order_by("id").select_related("deal")[0]
    assert (first.day, first.committed, first.deal.par_proven, first.deal.pooled) == (today(), False, True, False)
    assert first.deal.seed is None
    assert [row["ruleset"] for row in Api().get("daily/")[1]["dailies"]] == ["T"]
    with minting.only_minter() as taken:
        assert taken
