"""Deals by difficulty: the commands that prove them, and who is dealt which."""

from collections import Counter
from functools import partial
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import IntegrityError, transaction

from games.actions import store_deal, store_proof
from games.engine.deal import Deal
from games.engine.difficulty import rate
from games.engine.replay import Verdict, verify
from games.management.proving import prove, prove_all
from games.models import DIFFICULTIES, Attempt
from games.models import Deal as StoredDeal
from tests.client import Api, but_now
from tests.players import EASY_MOVES, in_parallel, log_in, make_player, open_attempt, solved_deals

pytestmark = pytest.mark.django_db

FIELDS = {"verdict": "winnable", "line": EASY_MOVES.split(" "), "par_proven": True, "number": 500}


def pool(deal: Deal, difficulty: str = "hard") -> StoredDeal:
    """Put a deal into the pool, whatever it is like."""
    stored = store_deal(deal=deal)
    assert store_proof(deal=stored, **FIELDS, difficulty=difficulty, pooled=True)
    return stored


def pool_some(count: int, ruleset: str = "T", difficulty: str = "hard") -> set[str]:
    """The codes of so many deals that are in the pool now."""
    return {pool(Deal.from_seed(ruleset, 5000 + n), difficulty).code for n in range(count)}


def deal_hard(api: Api) -> tuple[int, dict[str, Any]]:
    return api.post("attempts/", {"ruleset": "T", "difficulty": "hard"})


# Dealing


def test_a_deal_of_the_pool_is_ranked_and_says_its_difficulty() -> None:
    (code,) = pool_some(1)
    api = log_in(make_player("Ada"))
    status, answer = deal_hard(api)
    assert (status, answer["ranked"], answer["replay"]["deal"]) == (201, True, code)
    assert (answer["proven"], answer["difficulty"]) == (True, "hard")
    assert "par" not in answer
    assert "line" not in answer
    assert deal_hard(api) == (200, but_now(answer))
    assert api.post("attempts/", {"ruleset": "T"}) == (200, but_now(answer)), "one open ranked attempt a ruleset"
    assert api.post("attempts/", {"ruleset": "T", "difficulty": "easy"}) == (200, but_now(answer))
    assert api.get(f"attempts/{answer['id']}/") == (200, but_now(answer))


def test_a_player_meets_each_deal_of_the_pool_once_and_then_unproven_cards() -> None:
    codes = pool_some(3)
    pool_some(1, "N")
    pool(Deal.from_seed("T", 6000), "easy")
    api = log_in(make_player("Ada"))
    dealt = []
    for _ in range(4):
        status, answer = deal_hard(api)
        assert (status, answer["ranked"]) == (201, True)
        dealt.append((answer["replay"]["deal"], answer["proven"], answer["difficulty"]))
        api.post(f"attempts/{answer['id']}/resign/")
    assert {code for code, _proven, _difficulty in dealt[:3]} == codes
    assert {(proven, difficulty) for _code, proven, difficulty in dealt[:3]} == {(True, "hard")}
    code, proven, difficulty = dealt[3]
    assert (proven, difficulty) == (False, None)
    assert not StoredDeal.objects.filter(order=Deal.from_code(code).order, pooled=True).exists()


def test_cards_that_the_player_saw_under_another_ruleset_are_not_dealt() -> None:
    deal = Deal.from_seed("T", 5000)
    pool(deal)
    player = make_player("Ada")
    open_attempt(player, Deal.from_seed("N", 5000), ranked=False)
    _status, answer = deal_hard(log_in(player))
    assert (answer["proven"], answer["replay"]["deal"] != deal.code) == (False, True)


def test_only_deals_that_nobody_has_met_are_dealt() -> None:
    codes = pool_some(6)
    met = set()
    for name in ("Ada", "Bert", "Cleo", "Dora", "Emil", "Fritz"):
        met.add(deal_hard(log_in(make_player(name)))[1]["replay"]["deal"])
    assert met == codes
    last = deal_hard(log_in(make_player("Gina")))[1]
    assert (last["proven"], last["replay"]["deal"] in codes) == (False, False), "how others played can be read"


def test_without_a_difficulty_nobody_is_dealt_from_the_pool() -> None:
    codes = pool_some(3)
    answer = log_in(make_player("Ada")).post("attempts/", {"ruleset": "T"})[1]
    assert answer["replay"]["deal"] not in codes
    assert (answer["proven"], answer["difficulty"]) == (False, None)


def test_only_a_proven_deal_with_a_difficulty_can_be_in_the_pool() -> None:
    stored = store_deal(deal=Deal.from_seed("T", 1))
    for wrong in ({"par_proven": False}, {"difficulty": ""}, {"verdict": "unknown", "line": None}):
        with pytest.raises(IntegrityError), transaction.atomic():
            store_proof(deal=stored, **FIELDS | {"difficulty": "hard", "pooled": True} | wrong)
    assert store_proof(deal=stored, **FIELDS, difficulty="hard")
    assert not store_proof(deal=stored, verdict="unknown", line=None, par_proven=False), "a proof stays"


@pytest.mark.django_db(transaction=True)
def test_twenty_equal_calls_are_dealt_one_deal() -> None:
    codes = pool_some(20)
    token = log_in(make_player("Ada")).token
    answers = in_parallel([partial(deal_hard, Api(token)) for _ in range(20)])
    assert Counter(status for status, _answer in answers) == {201: 1, 200: 19}
    assert all(answer == but_now(answers[0][1]) for _status, answer in answers)
    assert answers[0][1]["replay"]["deal"] in codes
    assert Attempt.objects.count() == 1


def practise(api: Api, **more: Any) -> dict[str, Any]:
    status, answer = api.post("attempts/", {"ruleset": "T", "ranked": False} | more)
    assert (status, answer["ranked"]) == (201, False)
    return answer


def test_guests_practise_on_deals_of_a_difficulty_and_leave_the_fresh_ones_to_who_is_ranked() -> None:
    met, fresh = pool_some(2)
    api, guest = log_in(make_player("Ada")), Api(Api().post("guests/")[1]["token"])
    open_attempt(make_player("Bert"), Deal.from_code(met))
    first, second, third = [practise(guest, difficulty="hard") for _ in range(3)]
    assert [first["replay"]["deal"], second["replay"]["deal"]] == [met, fresh]
    assert (first["proven"], first["difficulty"]) == (True, "hard")
    assert third["proven"] is False, "the guest has met them all"
    assert practise(api, difficulty="hard")["proven"]
    assert deal_hard(api)[1]["proven"] is False
    assert guest.post("attempts/", {"ruleset": "T"})[1]["code"] == "guest"


def test_practice_without_a_difficulty_is_dealt_anew_with_every_call() -> None:
    api = log_in(make_player("Ada"))
    dealt = {practise(api)["cards"] for _ in range(3)}
    assert len(dealt) == 3


# The commands


def run(*arguments: str) -> str:
    output = StringIO()
    call_command(*arguments, stdout=output)
    return output.getvalue()


def is_true(deal: StoredDeal) -> bool:
    """Whether what is stored of a deal is what a plain replay and the difficulty say."""
    verdict = verify(deal.cards, deal.line)
    assert isinstance(verdict, Verdict)
    label, number = rate(deal.cards).label, rate(deal.cards).number
    return (verdict.outcome, verdict.moves, label, number) == (
        "won",
        deal.par,
        deal.difficulty,
        deal.difficulty_number,
    )


def test_the_pool_is_filled_with_deals_that_are_what_they_say() -> None:
    printed = run("fill_pool", "--ruleset", "T", "--each", "1", "--processes", "2")
    assert "missing: nothing" in printed
    deals = StoredDeal.objects.filter(pooled=True)
    assert Counter(deal.difficulty for deal in deals) == dict.fromkeys(DIFFICULTIES, 1)
    for deal in deals:
        assert deal.seed
        assert deal.par_proven
        assert is_true(deal)
    assert "0 deals looked at" in run("fill_pool", "--ruleset", "T", "--each", "1"), "it is full"
    deal_hard(log_in(make_player("Ada")))
    run("fill_pool", "--ruleset", "T", "--each", "1", "--processes", "2")
    assert deals.filter(difficulty="hard").count() == 2, "one that somebody met is replaced"
    assert deals.all().count() == 4


def test_filling_ends_after_so_many_tries() -> None:
    printed = run("fill_pool", "--ruleset", "A", "--each", "500", "--tries", "3", "--processes", "1")
    assert printed.startswith("3 deals looked at; missing: ")
    assert StoredDeal.objects.count() <= 3


def test_stored_deals_are_proven_the_newest_first() -> None:
    lost = store_deal(deal=Deal.from_code("PY1-N-AAAAAAJ"))
    won = [store_deal(deal=deal) for deal, _line in solved_deals()[:3]]
    known = pool(Deal.from_seed("T", 1))
    assert "2 winnable, 0 unwinnable" in run("prove_deals", "--limit", "2", "--processes", "2")
    assert [deal.verdict for deal in StoredDeal.objects.order_by("pk")[:4]] == ["", "", "winnable", "winnable"]
    assert "1 winnable, 1 unwinnable" in run("prove_deals", "--processes", "1")
    for deal, (_deal, line) in zip(won, solved_deals(), strict=False):
        deal.refresh_from_db()
        assert (deal.par, deal.par_proven, deal.pooled) == (len(line.split(" ")), True, False)
        assert is_true(deal)
    lost.refresh_from_db()
    assert (lost.verdict, lost.par, lost.line, lost.difficulty) == ("unwinnable", None, "", "")
    known.refresh_from_db()
    assert known.par == 16
    assert "0 winnable, 0 unwinnable, 0 unknown" in run("prove_deals")


def test_what_was_not_proven_in_time_is_tried_again_only_when_asked_to() -> None:
    stored = store_deal(deal=solved_deals()[0][0])
    assert "1 unknown" in run("prove_deals", "--seconds", "0.000001", "--processes", "1")
    stored.refresh_from_db()
    assert (stored.verdict, stored.par, stored.line) == ("unknown", None, "")
    assert "0 unknown" in run("prove_deals")
    assert "1 winnable" in run("prove_deals", "--again", "--processes", "1")


@pytest.mark.parametrize(
    "arguments",
    [
        ["fill_pool"],
        ["fill_pool", "--ruleset", "Z"],
        ["fill_pool", "--ruleset", "T", "--each", "0"],
        ["fill_pool", "--ruleset", "T", "--each", "x"],
        ["fill_pool", "--ruleset", "T", "--seconds", "nan"],
        ["prove_deals", "--limit", "-1"],
        ["prove_deals", "--seconds", "0"],
    ],
)
def test_a_wrong_argument_is_refused(arguments: list[str]) -> None:
    with pytest.raises(CommandError):
        run(*arguments)


def test_a_proof_is_the_same_in_this_process_and_in_others() -> None:
    codes = [deal.code for deal, _line in solved_deals()[3:6]] + ["PY1-N-AAAAAAJ"]
    proofs = {proof.code: proof for proof in prove_all(codes, 30.0, 2)}
    assert proofs == {code: prove(code, 30.0) for code in codes}
