"""Dailies over REST: today, a day, a month, streaks, commitments; and what staff sees of days to come."""

import json
import re
from datetime import datetime, timedelta
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.db.models import F
from django.test.utils import CaptureQueriesContext

from games.models import Attempt, Deal, Player
from leaderboard import actions, races
from leaderboard.models import Entry, Race
from tests.client import Api
from tests.dailies import mint_easy, mint_seed, today
from tests.players import EASY_MOVES, EASY_ORDER, easy_line, log_in, make_player, move_back

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _rulesets(settings) -> None:
    settings.DAILY_RULESETS = ["T", "N"]


def play(player: Player, race: Race, moves: str = EASY_MOVES, *, seconds: float = 60, resign: bool = False) -> int:
    """The player's attempt in a race, after these moves."""
    api = log_in(player)
    attempt = api.post(f"races/{race.pk}/attempts/", {})[1]["id"]
    move_back(attempt, seconds=seconds)
    if moves:
        assert api.post(f"attempts/{attempt}/moves/", {"from_ply": 0, "moves": moves})[0] == 200
    if resign:
        api.post(f"attempts/{attempt}/resign/", {})
    return attempt


def move_days(race: Race, days: int) -> None:
    """Let a daily be one of so many days earlier, with all that was played in it."""
    back = timedelta(days=days)
    Race.objects.filter(pk=race.pk).update(
        day=race.day - back, opens_at=F("opens_at") - back, closes_at=F("closes_at") - back
    )
    for entry in Entry.objects.filter(race=race):
        attempts = Attempt.objects.filter(pk=entry.attempt_id)
        attempts.update(started_at=F("started_at") - back, ends_at=F("ends_at") - back, ended_at=F("ended_at") - back)


def test_today_is_one_call_with_all_that_may_be_told(ada: Player) -> None:
    race = mint_easy()
    api = log_in(ada)
    status, page = api.get("daily/")
    assert (status, page["day"], page["missing"]) == (200, today().isoformat(), ["N"])
    assert datetime.fromisoformat(page["next_at"]) == races.day_window(today())[1]
    (row,) = page["dailies"]
    assert (row["id"], row["kind"], row["ruleset"], row["phase"]) == (race.pk, "daily", "T", "open")
    assert (row["deal"], row["par"], row["entry"], row["top"], row["players"]) == (None, None, None, [], 0)
    assert (row["difficulty"], row["commitment"], row["committed"]) == ("easy", race.commitment, False)
    assert page["streak"] == {"days": 0, "longest": 0, "freezes": 0, "longest_run": 0}
    assert EASY_ORDER not in str(page)
    assert Api().get("daily/")[1]["streak"] is None


def test_today_shows_my_entry_and_the_first_three(ada: Player) -> None:
    race = mint_easy()
    names = ["Bea", "Cleo", "Dora", "Eva"]
    for name, seconds, moves in zip(names, (50, 40, 40, 70), (16, 18, 17, 16), strict=True):
        play(make_player(name), race, easy_line(moves), seconds=seconds)
    play(ada, race, "D D", resign=True)
    (row,) = log_in(ada).get("daily/")[1]["dailies"]
    assert [(place["rank"], place["player"]) for place in row["top"]][2] == (3, "Bea")
    assert {place["player"] for place in row["top"]} == {"Bea", "Cleo", "Dora"}
    assert (row["players"], row["entry"]["end"], row["entry"]["left"]) == (5, "resigned", 28)
    assert (row["deal"], row["par"]) == (race.code, 16), "who has ended knows the cards and par"
    stranger = log_in(make_player("Fay")).get("daily/")[1]["dailies"][0]
    assert (stranger["top"], stranger["deal"], stranger["par"]) == (row["top"], None, None)


def test_today_takes_few_queries_however_many_rulesets(ada: Player) -> None:
    api = log_in(ada)

    def count() -> int:
        with CaptureQueriesContext(
            connection,
        ) as queries:
            assert api.get("daily/")[0] == 200
        return len(queries)

    mint_easy()
    one = count()
    for letter in "NMFB":
        mint_easy(letter)
    assert count() == one <= 12


def test_a_past_daily_is_told_in_full_and_can_be_practised(ada: Player) -> None:
    race = mint_easy()
    play(make_player("Bea"), race)
    move_days(race, 3)
    day = today() - timedelta(days=3)
    status, row = Api().get(f"daily/{day}/T/")
    assert (status, row["phase"], row["deal"], row["par"]) == (200, "closed", race.code, 16)
    assert row["top"][0]["player"] == "Bea"
    practice = log_in(ada).post("attempts/", {"deal": row["deal"]})
    assert (practice[0], practice[1]["ranked"]) == (201, False)
    assert log_in(ada).post(f"races/{race.pk}/attempts/", {})[1]["code"] == "race_closed"


def test_a_daily_to_come_is_there_with_its_commitment_alone(ada: Player) -> None:
    day = today() + timedelta(days=2)
    race = mint_seed(77, day=day)
    assert race.committed
    status, row = log_in(ada).get(f"daily/{day}/T/")
    assert (status, row["phase"], row["deal"], row["par"]) == (200, "upcoming", None, None)
    assert row["commitment"] == race.commitment
    told = str([row, Api().get("races/?kind=daily"), Api().get("dailies/commitments/"), Api().get("daily/")])
    for secret in (race.code, race.nonce, race.deal.order):
        assert secret not in told
    assert log_in(ada).post(f"races/{race.pk}/attempts/", {})[1]["code"] == "race_upcoming"
    assert Api().get(f"deals/PY0-T-{race.deal.order}/")[1]["code"].startswith("PY0"), "as if it were nobody's"


def test_who_guesses_the_code_of_a_daily_to_come_is_told_nothing(ada: Player) -> None:
    """Practice on its cards, from the start to what is told after the end, is practice on any cards."""
    race = mint_easy(day=today() + timedelta(days=1))
    api, told = log_in(ada), []
    for code in (race.code, f"PY0-N-{EASY_ORDER}"):  # a daily's deal, and one that nobody has asked the solver about
        started = api.post("attempts/", {"deal": code})[1]
        assert api.post(f"attempts/{started['id']}/moves/", {"from_ply": 0, "moves": EASY_MOVES})[1]["end"] == "won"
        ended = api.get(f"attempts/{started['id']}/")[1]
        deal, board = api.get(f"deals/{code}/")[1], api.get(f"deals/{code}/board/")[1]
        known = [answer[name] for answer in (ended, deal) for name in ("winnable", "par", "line", "difficulty")]
        told.append([started.keys(), ended.keys(), deal.keys(), known, ended["over_par"], board["rows"][0]["over_par"]])
        assert log_in(make_player(f"Bea {code[4]}")).get(f"replays/{started['id']}/")[0] == 200
    assert told[0] == told[1]
    assert set(told[0][3]) == {None}
    back = timedelta(days=2)
    Deal.objects.update(told_from=F("told_from") - back)
    Race.objects.update(opens_at=F("opens_at") - back, closes_at=F("closes_at") - back)
    assert api.get(f"deals/{race.code}/")[1]["par"] == 16, "from its day on it is told"


@pytest.mark.parametrize(
    ("path", "where"),
    [
        ("daily/2026-02-29/T/", "day"),
        ("daily/today/T/", "day"),
        ("daily/2020-01-01/T/", "letter"),
        ("daily/2020-01-01/Q/", "ruleset"),
        ("daily/9999-12-31/T/", "letter"),
    ],
)
def test_a_daily_that_is_not_there_is_not_found(path: str, where: str) -> None:
    status, answer = Api().get(path)
    assert (status, answer["where"]) == (404, where)


@pytest.mark.parametrize(
    "path",
    [
        "daily/?x=1",
        "daily/calendar/?month=2026-13",
        "daily/calendar/?month=",
        "daily/calendar/?x=1",
        "dailies/commitments/?after=x",
        "dailies/commitments/?after=%00",
        f"dailies/commitments/?after={'0' * 64}",
        "dailies/commitments/?limit=1001",
        "dailies/commitments/?ruleset=Q",
    ],
)
def test_a_bad_question_is_refused(path: str) -> None:
    assert Api().get(path)[0] == 400


# A month


def test_the_calendar_has_results_ranks_medals_and_fields(ada: Player) -> None:
    first, second, third = mint_easy(), mint_easy("N"), mint_easy("M")
    play(ada, first, easy_line(18), seconds=30)
    play(make_player("Bea"), first, easy_line(17), seconds=20)
    play(make_player("Cleo"), first, easy_line(16), seconds=40)
    play(ada, second, "D", resign=True)
    for race in (first, second, third):
        move_days(race, 2)
    month = f"{today() - timedelta(days=2):%Y-%m}"
    rows = {row["ruleset"]: row for row in log_in(ada).get(f"daily/calendar/?month={month}")[1]["dailies"]}
    assert (rows["T"]["rank"], rows["T"]["medal"], rows["T"]["players"]) == (2, "silver", 3)
    assert rows["T"]["entry"]["end"] == "won"
    assert (rows["N"]["rank"], rows["N"]["medal"], rows["N"]["players"]) == (None, None, 0)
    assert rows["N"]["entry"]["end"] == "resigned"
    assert (rows["M"]["entry"], rows["M"]["day"]) == (None, (today() - timedelta(days=2)).isoformat())
    anybody = {row["ruleset"]: row for row in Api().get(f"daily/calendar/?month={month}")[1]["dailies"]}
    assert (anybody["T"]["rank"], anybody["T"]["entry"], anybody["T"]["players"]) == (None, None, 3)


def test_there_is_no_medal_before_the_race_is_closed(ada: Player) -> None:
    play(ada, mint_easy())
    (row,) = log_in(ada).get("daily/calendar/")[1]["dailies"]
    assert (row["rank"], row["medal"]) == (1, None)


def test_the_calendar_does_not_show_days_to_come() -> None:
    day = today() + timedelta(days=1)
    mint_easy(day=day)
    assert Api().get(f"daily/calendar/?month={day:%Y-%m}")[1]["dailies"] == []


# Streaks


def streak(player: Player) -> dict[str, int]:
    status, answer = Api().get(f"players/{player.name}/streak/")
    assert status == 200
    return answer


def test_a_streak_counts_days_won_or_not_and_voiding_one_recomputes_it(ada: Player) -> None:
    attempts = []
    for n, (moves, resign) in enumerate([(EASY_MOVES, False), ("D", True), (EASY_MOVES, False), (EASY_MOVES, False)]):
        race = mint_easy("TNMF"[n])
        attempts.append(play(ada, race, moves, resign=resign))
        move_days(race, n)
    assert streak(ada) == {"days": 4, "longest": 4, "freezes": 0, "longest_run": 2}
    assert log_in(ada).get("daily/")[1]["streak"] == streak(ada)
    Attempt.objects.filter(pk=attempts[2]).update(voided_at=actions.read_clock())
    assert streak(ada) == {"days": 2, "longest": 2, "freezes": 0, "longest_run": 1}


def test_a_daily_counts_once_it_has_ended_after_a_move(ada: Player) -> None:
    open_one = play(ada, mint_easy(), "D")
    assert streak(ada)["days"] == 0, "still open"
    play(ada, mint_easy("N"), "", resign=True)
    assert streak(ada)["days"] == 0, "no move"
    Attempt.objects.filter(pk=open_one).update(ends_at=actions.read_clock())
    assert streak(ada)["days"] == 1, "its time is over, whether that is stored or not"


def test_an_attempt_across_midnight_counts_for_the_day_of_its_daily(ada: Player) -> None:
    race = mint_easy()
    attempt = play(ada, race, resign=True)
    move_days(race, 1)
    begins = races.day_window(today())[0]
    Attempt.objects.filter(pk=attempt).update(
        started_at=begins - timedelta(minutes=1), ended_at=begins + timedelta(minutes=9)
    )
    assert log_in(ada).get("daily/calendar/?month=" + f"{today() - timedelta(days=1):%Y-%m}")[1]["dailies"][0]["entry"]
    assert streak(ada)["days"] == 1
    assert Entry.objects.get().race.day == today() - timedelta(days=1)


# Commit and reveal


def check(*pages: Any, tmp_path) -> str:
    """What check_commitments prints of downloads, the latest first."""
    files = []
    for n, page in enumerate(pages):
        (tmp_path / f"{n}.json").write_text(json.dumps(page))
        files.append(str(tmp_path / f"{n}.json"))
    out = StringIO()
    try:
        call_command("check_commitments", *files, stdout=out)
    except SystemExit:
        assert not out.getvalue().endswith("0 faults.\n")
    return out.getvalue()


def test_commitments_are_public_at_once_and_revealed_after_the_day(tmp_path) -> None:
    over = mint_easy(day=today() - timedelta(days=1))
    now, later = mint_seed(5), mint_seed(6, day=today() + timedelta(days=1))
    page = Api().get("dailies/commitments/?ruleset=T")[1]
    assert [row["commitment"] for row in page["rows"]] == [race.commitment for race in (over, now, later)]
    assert [row["previous"] for row in page["rows"]] == ["", over.commitment, now.commitment]
    assert [row["code"] for row in page["rows"]] == [over.code, None, None]
    assert [row["nonce"] for row in page["rows"]] == [over.nonce, None, None]
    assert [row["committed"] for row in page["rows"]] == [False, False, True]
    assert all(re.fullmatch("[0-9a-f]{32}", race.nonce) for race in (over, now, later))
    assert races.commit(over.day, over.code, over.nonce, "") == over.commitment
    assert check(page, tmp_path=tmp_path) == "3 commitments, 1 of days that are over: 0 faults.\n"


def test_commitments_come_in_pages_that_can_be_checked_together(tmp_path) -> None:
    for letter in "TNM":
        for n in range(2):
            mint_seed(n + 10 * ord(letter), letter, today() + timedelta(days=n))
    whole = Api().get("dailies/commitments/")[1]["rows"]
    pages, after = [], ""
    while after is not None:
        pages.append(Api().get(f"dailies/commitments/?limit=4{after and '&after=' + after}")[1])
        after = pages[-1]["next"]
    assert [row for page in pages for row in page["rows"]] == whole
    assert len(pages) == 2
    (tmp_path / "all").write_text("\n".join(map(json.dumps, pages)) + "\n")
    out = StringIO()
    call_command("check_commitments", str(tmp_path / "all"), stdout=out)
    assert "6 commitments" in out.getvalue()


def test_the_check_finds_what_was_changed_since_an_earlier_download(tmp_path) -> None:
    mint_easy(day=today() - timedelta(days=1))
    mint_seed(5)
    earlier = Api().get("dailies/commitments/")[1]
    mint_seed(6, day=today() + timedelta(days=1))
    page = Api().get("dailies/commitments/")[1]
    assert "0 faults" in check(page, earlier, tmp_path=tmp_path)
    forged = json.loads(json.dumps(page))
    forged["rows"][0]["code"] = "PY1-T-AAAAAAA"
    assert "not what was committed to" in check(forged, tmp_path=tmp_path)
    assert "is gone" in check(page | {"rows": page["rows"][:1]}, earlier, tmp_path=tmp_path)
    forged = json.loads(json.dumps(page))
    forged["rows"][1]["day"] = "2026-01-01"
    assert "day was" in check(forged, earlier, tmp_path=tmp_path)


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"now": "x", "rows": []}', '{"now": 1, "rows": [1]}', "nonsense", "\udcff"]
)
def test_what_is_no_download_is_refused(text: str, tmp_path) -> None:
    (tmp_path / "file").write_text(text, errors="surrogateescape")
    with pytest.raises(CommandError, match="no download"):
        call_command("check_commitments", str(tmp_path / "file"))
    with pytest.raises(CommandError, match="No such file"):
        call_command("check_commitments", str(tmp_path / "none"))


def test_a_leaked_daily_is_withdrawn_and_minted_again_on_the_record(ada: Player, tmp_path) -> None:
    day = today() + timedelta(days=1)
    leaked = mint_seed(5, day=day)
    call_command("withdraw_daily", str(day), "T", "--because", "Somebody saw it.", stdout=StringIO())
    with pytest.raises(CommandError, match="There is no daily"):
        call_command("withdraw_daily", str(day), "T", "--because", "Again.")
    new = mint_seed(6, day=day)
    assert new.previous == leaked.commitment
    page = Api().get("dailies/commitments/")[1]
    assert [(row["day"], row["withdrawn_because"], row["code"]) for row in page["rows"]] == [
        (str(day), "Somebody saw it.", None),
        (str(day), None, None),
    ]
    assert "0 faults" in check(page, tmp_path=tmp_path)
    assert Api().get(f"daily/{day}/T/")[1]["id"] == new.pk
    assert Api().get(f"races/{leaked.pk}/")[1]["phase"] == "withdrawn"
    Race.objects.update(opens_at=races.day_window(today())[0])
    assert log_in(ada).post(f"races/{leaked.pk}/attempts/", {})[1]["code"] == "race_withdrawn"
