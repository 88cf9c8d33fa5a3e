"""Fair play: decisions with reasons, bans that hide everything and bring it back, reports, evidence."""

import re
import time
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Permission
from django.db import connection
from django.db.models import F
from django.test import Client
from django.utils import timezone

from games.models import Attempt, Player
from leaderboard import addresses, clubs, evidence, fair, moderating, racing, watching
from leaderboard.models import AddressKey, Race, Report, Ruling, ShownTo, Standing
from tests.leaderboard.plain_boards import check_boards
from tests.players import easy_line, log_in, make_daily, make_player, win

pytestmark = pytest.mark.django_db


@pytest.fixture
def staff() -> Client:
    moderator = Player.objects.create_superuser("Moira", "a long password")
    client = Client()
    client.force_login(moderator)
    return client


def moderate(staff: Client, model: str, action: str, *rows: Any, **fields: str) -> None:
    chosen = {"action": action, "_selected_action": [row.pk for row in rows]}
    assert staff.post(f"/admin/{model}/", chosen | fields).status_code == 302


# Decisions


def test_a_decision_has_a_reason_and_is_logged(ada: Player, staff: Client) -> None:
    attempt = win(ada, 5000)
    moderate(staff, "games/attempt", "void", attempt)
    attempt.refresh_from_db()
    assert attempt.voided_at is None, "nothing is decided without a reason"
    moderate(staff, "games/attempt", "void", attempt, because="The clock was wrong.")
    attempt.refresh_from_db()
    assert attempt.voided_at
    ruling = Ruling.objects.get()
    assert (ruling.what, ruling.attempt, ruling.by and ruling.by.name) == ("void", attempt, "Moira")
    assert LogEntry.objects.get().change_message == "void: The clock was wrong."
    moderate(staff, "games/attempt", "void", attempt, because="Again.")
    assert Ruling.objects.count() == 1, "nothing was to be changed"
    rows = log_in(ada).get("rulings/")[1]["rows"]
    assert [(row["what"], row["because"]) for row in rows] == [("void", "The clock was wrong.")]


def test_all_four_decisions_are_made_in_the_admin(ada: Player, staff: Client) -> None:
    attempt = win(ada, 5000)
    for action, held, void in [
        ("hold", "moderator", False),
        ("release", "", False),
        ("void", "", True),
        ("restore", "", False),
    ]:
        moderate(staff, "games/attempt", action, attempt, because="I looked.")
        attempt.refresh_from_db()
        assert (attempt.held, attempt.voided_at is not None) == (held, void), action
        assert Standing.objects.filter(player=ada).exists() == (not held and not void)
    check_boards()


# Bans


def pages(race: int, code: str) -> list[str]:
    return [
        f"races/{race}/board/",
        f"races/{race}/board/?around=bob&top=3",
        f"races/{race}/board/below/",
        f"races/{race}/board/guests/",
        f"races/{race}/changes/",
        f"races/{race}/changes/?since=1",
        f"races/{race}/",
        "races/",
        "rulesets/T/board/",
        "rulesets/T/board/?period=day",
        "rulesets/T/board/?order=moves&among=friends",
        f"deals/{code}/board/",
        "daily/",
        "daily/calendar/",
        f"seasons/{timezone.now():%Y-%m}/",
        "players/bob/",
        "players/me/following/",
        "players/me/data/",
    ]


def without_now(answer: Any) -> str:
    """An answer as text, without the moment it is of."""
    return re.sub("'now': '.*?'", "", str(answer))


def test_of_who_is_banned_nothing_is_shown_and_all_comes_back(ada: Player, bob: Player) -> None:
    race = make_daily()
    won, held = win(ada, 60_000, race=race), win(make_player("Held"), 59_000, race=race)
    win(bob, 61_000, race=race)
    moderating.hold(attempt=held, because="pace")
    lost, _created = racing.enter(player=make_player("Lost"), race=race.pk)
    clubs.follow(player=bob, other=ada)
    Race.objects.create(
        kind="open",
        name="Of Ada's",
        host=ada,
        deal=race.deal,
        ruleset="T",
        opens_at=race.opens_at,
        closes_at=race.closes_at,
    )
    api, paths = log_in(bob), pages(race.pk, race.code)
    before = {path: api.get(path) for path in paths}
    token = log_in(ada)
    for player in (ada, held.player, lost.player):
        fair.ban(player=player, by=None, because="Cheated.")
    check_boards()
    for path in paths:
        status, answer = api.get(path)
        assert status == 200, path
        assert not any(name in str(answer) for name in ("'Ada'", "'Held'", "'Lost'")), path
    board = api.get(f"races/{race.pk}/board/")[1]
    assert (board["total"], [(row["rank"], row["player"]) for row in board["rows"]]) == (1, [(1, "Bob")])
    assert api.get(f"races/{race.pk}/")[1]["players"] == 1
    assert api.get(f"races/{race.pk}/changes/")[1]["counts"] == {"entered": 1, "playing": 0, "won": 1}
    for path in ("players/ada/", f"replays/{won.pk}/", "players/ada/attempts/", "compare/?a=me&b=ada&ruleset=T"):
        assert api.get(path)[0] == 404, path
    assert watching.find_table(race.pk, "Ada", bob.pk) is None
    assert watching.read_table(won.pk, {bob.pk}).players == {bob.pk}, "who watches is sent away"
    assert token.get("players/me/")[1]["code"] == "player_inactive"
    for player in (ada, held.player, lost.player):
        fair.unban(player=player, by=None, because="It was somebody else.")
    check_boards()
    for path in paths:
        if "changes" not in path:
            assert without_now(api.get(path)) == without_now(before[path]), path
    assert api.get(f"races/{race.pk}/changes/")[1]["counts"] == before[f"races/{race.pk}/changes/"][1]["counts"]
    assert token.get("players/me/")[0] == 200


def test_a_void_result_stays_void_when_a_ban_is_lifted(ada: Player) -> None:
    void, good = win(ada, 5000), win(ada, 6000)
    moderating.void(attempt=void)
    fair.ban(player=ada, by=None, because="Cheated.")
    fair.unban(player=ada, by=None, because="Enough.")
    assert Attempt.objects.get(pk=void.pk).voided_at
    assert Attempt.objects.get(pk=good.pk).voided_at is None
    assert Standing.objects.get(board__kind="ruleset", board__order="time").attempt == good
    check_boards()


def test_of_who_is_banned_no_result_is_shown_that_was_void_before(ada: Player, bob: Player) -> None:
    void = win(ada, 5000)
    moderating.void(attempt=void)
    assert log_in(bob).get(f"replays/{void.pk}/")[0] == 200
    fair.ban(player=ada, by=None, because="Cheated.")
    assert log_in(bob).get(f"replays/{void.pk}/")[0] == 404


def test_who_may_ban_gives_nobody_rights(ada: Player) -> None:
    ada.is_staff = True
    ada.save()
    ada.user_permissions.set(Permission.objects.filter(codename__in=["view_player", "change_player"]))
    client = Client()
    client.force_login(ada)
    address = f"/admin/games/player/{ada.pk}/change/"
    rights = {"is_staff": "on", "is_superuser": "on", "email": "ada@example.org"}
    assert client.post(address, rights).status_code == 302
    ada.refresh_from_db()
    assert (ada.is_superuser, ada.email) == (False, "")
    ada.is_superuser = True
    ada.save()
    assert client.post(address, rights).status_code == 302
    ada.refresh_from_db()
    assert ada.email == "ada@example.org"


def test_a_ban_with_an_end_is_over_then(ada: Player, bob: Player) -> None:
    win(ada, 5000)
    now = timezone.now()
    fair.ban(player=ada, by=None, because="A week.", until=now + timedelta(days=7))
    fair.ban(player=bob, by=None, because="For good.")
    assert fair.lift_over() == 0
    Ruling.objects.filter(player=ada).update(until=now)
    assert (fair.lift_over(), fair.lift_over()) == (1, 0)
    assert [player.is_active for player in (Player.objects.get(pk=ada.pk), Player.objects.get(pk=bob.pk))] == [
        True,
        False,
    ]
    assert Standing.objects.filter(player=ada).exists()
    fair.ban(player=ada, by=None, because="Again, for a day.", until=now)
    fair.ban(player=ada, by=None, because="No, for good.")
    assert fair.lift_over() == 0, "the latest word counts"


def test_bans_are_made_and_lifted_in_the_admin(ada: Player, staff: Client) -> None:
    moderate(staff, "games/player", "ban", ada, because="", days="3")
    moderate(staff, "games/player", "ban", ada, because="Cheated.", days="soon")
    assert Player.objects.get(pk=ada.pk).is_active
    moderate(staff, "games/player", "ban", ada, because="Cheated.", days="3")
    ruling = Ruling.objects.get(player=ada)
    assert ruling.until
    assert timedelta(days=2.9) < ruling.until - timezone.now() < timedelta(days=3)
    assert not Player.objects.get(pk=ada.pk).is_active
    moderate(staff, "games/player", "unban", ada, because="Enough.")
    assert Player.objects.get(pk=ada.pk).is_active
    moderate(staff, "games/player", "unban", ada, because="Twice.")
    assert Ruling.objects.filter(player=ada).count() == 2
    for page in ("games/player", "games/attempt", "leaderboard/report", "leaderboard/ruling"):
        assert staff.get(f"/admin/{page}/").status_code == 200
    assert b"Cheated." in staff.get(f"/admin/games/player/{ada.pk}/change/").content


def test_nothing_of_who_is_banned_is_restored(ada: Player, staff: Client) -> None:
    attempt = win(ada, 5000)
    fair.ban(player=ada, by=None, because="Cheated.")
    moderate(staff, "games/attempt", "restore", attempt, because="I looked.")
    attempt.refresh_from_db()
    assert attempt.voided_because == "ban"
    assert not Ruling.objects.filter(what="restore").exists()
    fair.unban(player=ada, by=None, because="It was somebody else.")
    attempt.refresh_from_db()
    assert attempt.voided_at is None
    check_boards()


# Reports


def test_a_report_is_answered_and_its_reporter_reads_it(ada: Player, bob: Player, staff: Client) -> None:
    attempt = win(ada, 5000)
    body = {"replay": attempt.pk, "because": "Nobody is so fast."}
    status, report = log_in(bob).post("reports/", body)
    assert (status, report["player"], report["outcome"]) == (201, "Ada", None)
    assert log_in(bob).post("reports/", body)[1]["id"] == report["id"]
    assert list(fair.queue()) == [attempt]
    assert b"held or reported" in staff.get("/admin/games/attempt/?queue=waiting").content
    moderate(staff, "leaderboard/report", "dismiss", Report.objects.get(), because="The replay is sound.")
    rows = log_in(bob).get("reports/")[1]["rows"]
    assert [(row["outcome"], row["answer"]) for row in rows] == [("dismissed", "The replay is sound.")]
    assert not fair.queue().exists()
    assert log_in(bob).post("reports/", body)[1]["id"] != report["id"], "what is closed may be reported anew"
    assert log_in(ada).get("reports/")[1]["rows"] == []


def test_a_report_that_is_answered_while_it_is_made_again_is_a_new_one(ada: Player, bob: Player) -> None:
    about: dict[str, Any] = {"reporter": bob, "player": ada, "attempt": None}
    first = fair.report(because="Rude.", **about)

    waiting = [True]

    def answer_in_between(execute: Any, sql: str, *rest: Any) -> Any:
        if sql.startswith("SELECT") and waiting:
            waiting.clear()
            fair.answer_reports(reports=Report.objects.all(), outcome=Report.UPHELD, answer="")
        return execute(sql, *rest)

    with connection.execute_wrapper(answer_in_between):
        second = fair.report(because="Rude again.", **about)
    assert (second.pk != first.pk, second.outcome, waiting) == (True, "", [])


@pytest.mark.parametrize(
    ("body", "status", "where"),
    [
        ({"because": "Rude."}, 400, None),
        ({"player": "ada", "replay": 1, "because": "Rude."}, 400, None),
        ({"player": "ada"}, 400, "because"),
        ({"player": "ada", "because": "no"}, 400, "because"),
        ({"player": "zoe", "because": "Rude."}, 404, "player"),
        ({"player": "bob", "because": "Rude."}, 400, "player"),
        ({"replay": 2**62, "because": "Too fast."}, 404, "replay"),
        ({"replay": "x", "because": "Too fast."}, 400, "replay"),
    ],
)
def test_a_bad_report_says_what_is_wrong(
    ada: Player, bob: Player, body: dict[str, Any], status: int, where: str | None
) -> None:
    answer = log_in(bob).post("reports/", body)
    assert (answer[0], answer[1]["where"]) == (status, where)
    assert not Report.objects.exists()


def test_an_open_game_is_not_reported(ada: Player, bob: Player) -> None:
    race = make_daily()
    entry, _created = racing.enter(player=ada, race=race.pk)
    assert log_in(bob).post("reports/", {"replay": entry.attempt_id, "because": "Too fast."})[0] == 404


def test_a_reporter_is_not_told_the_name_of_who_is_shut_out_meanwhile(ada: Player, bob: Player) -> None:
    fair.report(reporter=bob, player=ada, attempt=None, because="Rude.")
    fair.ban(player=ada, by=None, because="Rude.")
    assert [row["player"] for row in log_in(bob).get("reports/")[1]["rows"]] == [None]


def test_reports_are_bounded(ada: Player, bob: Player, settings: Any) -> None:
    settings.LIMITS = settings.LIMITS | {"report": settings.LIMITS["report"]._replace(times=1)}
    body = {"player": "ada", "because": "Rude."}
    assert [log_in(bob).post("reports/", body)[0] for _ in range(2)] == [201, 429]


# Evidence


def words(attempt: Attempt) -> dict[str, evidence.Evidence]:
    return {row.what: row for row in evidence.collect(attempt)}


def test_the_evidence_names_pace_and_the_same_moves(ada: Player, bob: Player) -> None:
    first, second, other = win(ada, 60_000, 17), win(bob, 8_000, 17), win(make_player("Cleo"), 61_000, 17)
    Attempt.objects.filter(pk=other.pk).update(moves=f"{easy_line(16)} D")
    other.refresh_from_db()
    found = words(second)
    assert found["pace"].text.startswith("471 ms a move, 8.0 s in all")
    assert found["same_moves"].attempts == (first.pk,)
    assert words(first).keys() == {"pace", "rhythm"}
    assert set(words(other)["near_moves"].attempts) == {first.pk, second.pk}


def test_moves_that_were_taken_back_hide_no_likeness_and_cost_no_time(ada: Player, bob: Player) -> None:
    padded = [" ".join([part] * (3900 // len(part.split()))) for part in ("D D U U D U", "D U D D U U D D D U U U")]
    first = win(ada, 60_000, line=f"{padded[0]} {easy_line(16)}")
    second = win(bob, 61_000, line=f"{padded[1]} {easy_line(16)}")
    began = time.monotonic()
    assert words(second)["near_moves"].attempts == (first.pk,)
    assert time.monotonic() - began < 2, "it took half a minute"


def test_a_moderator_is_shown_it_but_not_of_cards_in_play(ada: Player, bob: Player, staff: Client) -> None:
    win(ada, 60_000)
    attempt = win(bob, 61_000)
    page = staff.get(f"/admin/games/attempt/{attempt.pk}/change/").content
    assert b"same_moves" in page
    race = make_daily()
    entry = win(make_player("Cleo"), 60_000, race=race)
    assert b"The cards are still being played." in staff.get(f"/admin/games/attempt/{entry.pk}/change/").content


def test_cards_shown_before_at_the_same_address_are_known_for_thirty_days() -> None:
    race = make_daily()
    players = {}
    for name, address in [("Ada", "198.51.100.7"), ("Bob", "198.51.100.7"), ("Cleo", "198.51.100.8")]:
        players[name] = make_player(name)
        status, _entry = log_in(players[name]).post(f"races/{race.pk}/attempts/", {}, REMOTE_ADDR=address)
        assert status == 201
    attempts = {name: Attempt.objects.get(player=player) for name, player in players.items()}
    assert words(attempts["Bob"])["address"].attempts == (attempts["Ada"].pk,)
    assert "address" not in words(attempts["Ada"]), "who was first knew nothing"
    assert "address" not in words(attempts["Cleo"])
    assert "198.51" not in str(list(ShownTo.objects.values())), "no address is kept"
    assert addresses.forget_old() == 0
    ShownTo.objects.update(shown_at=F("shown_at") - timedelta(days=31))
    assert addresses.forget_old() == 3
    assert "address" not in words(attempts["Bob"])


def test_a_hosts_second_account_that_looks_first_is_seen(ada: Player, bob: Player) -> None:
    host, second = log_in(ada), log_in(bob)
    body = {"name": "Tea", "ruleset": "T", "closes_at": (timezone.now() + timedelta(hours=1)).isoformat()}
    home = {"REMOTE_ADDR": "198.51.100.7"}
    race = host.post("races/", body, **home)[1]["id"]
    first, then = (api.post(f"races/{race}/attempts/", {}, **home)[1] for api in (second, host))
    assert then["ranked"], "the server dealt the cards, and the host has not been shown them"
    assert words(Attempt.objects.get(pk=then["id"]))["address"].attempts == (first["id"],)


def test_an_address_is_known_over_a_change_of_the_key(ada: Player, bob: Player) -> None:
    old, new = win(ada, 60_000), win(bob, 61_000)
    Attempt.objects.filter(pk=old.pk).update(started_at=F("started_at") - timedelta(days=30))
    old.refresh_from_db()
    for attempt in (old, new):
        addresses.note(attempt, "198.51.100.7")
    assert AddressKey.objects.count() == 3
    assert words(new)["address"].attempts == (old.pk,)
    AddressKey.objects.update(period=F("period") - 10)
    addresses.forget_old()
    assert not AddressKey.objects.exists(), "what is hashed with a lost key cannot be told any more"
