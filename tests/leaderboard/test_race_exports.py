"""Can a race be checked without us, and does our own audit see every figure that is changed?"""

import json
import re
import subprocess
import sys
from datetime import timedelta
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import transaction
from django.db.models import F

from games.models import Attempt
from leaderboard import moderating, races
from leaderboard.actions import read_clock
from leaderboard.clubs import make_club
from leaderboard.models import Entry, Race, Standing, TimeBucket
from tests.client import Api
from tests.dailies import mint_easy
from tests.players import EASY_ORDER, easy_line, log_in, make_player, move_back
from tests.site.servers import ROOT

pytestmark = pytest.mark.django_db

RECIPE = re.findall(r"^```sh\n(.*?)^```", (ROOT / "docs/audit.md").read_text(), re.DOTALL | re.MULTILINE)


def close(race: Race) -> None:
    """Let the race be closed: all of it so much earlier."""
    back = timedelta(hours=26)
    Race.objects.filter(pk=race.pk).update(opens_at=F("opens_at") - back, closes_at=F("closes_at") - back)
    Attempt.objects.update(
        started_at=F("started_at") - back, ends_at=F("ends_at") - back, ended_at=F("ended_at") - back
    )


@pytest.fixture
def race() -> Race:
    """A race that is closed: five who won, two of them equal in moves, one held, one void; one who did not win, one
    still at it when it closed, and one who had known the cards."""
    race = mint_easy("M")
    Race.objects.update(opens_at=F("opens_at") - timedelta(hours=2))  # who starts a minute ago started in it
    race.refresh_from_db()
    known = log_in(make_player("Knew"))
    known.post("attempts/", {"deal": f"PY0-T-{EASY_ORDER}"})
    lines = {"Ada": 18, "Bea": 16, "Cleo": 17, "Held": 19, "Void": 20, "Knew": 21}
    for name, moves in lines.items():
        api = known if name == "Knew" else log_in(make_player(name))
        attempt = api.post(f"races/{race.pk}/attempts/", {})[1]["id"]
        move_back(attempt, seconds=40 + moves)
        started_at = Attempt.objects.get(pk=attempt).started_at
        Attempt.objects.filter(pk=attempt).update(ends_at=races.end_of(started_at, race.closes_at))
        assert api.post(f"attempts/{attempt}/moves/", {"from_ply": 0, "moves": easy_line(moves)})[0] == 200
    for name, moves_of in (("Lost", "D D g1g2"), ("Late", "D")):
        api = log_in(make_player(name))
        attempt = api.post(f"races/{race.pk}/attempts/", {})[1]["id"]
        api.post(f"attempts/{attempt}/moves/", {"from_ply": 0, "moves": moves_of})
        if name == "Lost":
            api.post(f"attempts/{attempt}/resign/", {})
    assert moderating.hold(attempt=Attempt.objects.get(player__name="Held"), because="pace")
    assert moderating.void(attempt=Attempt.objects.get(player__name="Void"))
    close(race)
    return race


def export(race: Race) -> list[dict[str, Any]]:
    status, lines = Api().get(f"races/{race.pk}/export/")
    assert status == 200
    return lines


def audit(race: Race) -> str:
    out = StringIO()
    try:
        call_command("audit_race", str(race.pk), stdout=out)
    except SystemExit:
        assert not out.getvalue().endswith(" 0 faults.\n")
    return out.getvalue()


def test_an_export_has_every_entry_with_its_marks(race: Race) -> None:
    entries = {entry["player"]: entry for entry in export(race)}
    assert list(entries) == ["Ada", "Bea", "Cleo", "Held", "Void", "Knew", "Lost", "Late"]
    assert (entries["Held"]["held"], entries["Void"]["void"]) == ("pace", True)
    assert (entries["Knew"]["ranked"], entries["Knew"]["unranked_because"]) == (False, "seen_before")
    assert [entries[name]["end"] for name in ("Ada", "Lost", "Late")] == ["won", "resigned", "expired"]
    assert {entry["replay"]["deal"] for entry in entries.values()} == {race.code}
    out = StringIO()
    call_command("export_race", str(race.pk), stdout=out)
    assert [json.loads(line) for line in out.getvalue().splitlines()] == list(entries.values())


def test_the_documented_recipe_writes_the_board(race: Race, tmp_path) -> None:
    (tmp_path / "export").write_text("".join(json.dumps(entry) + "\n" for entry in export(race)))
    script = "\n".join(["set -eu", *RECIPE]).replace("curl -s $API/races/$RACE/export/", "cat export")
    ran = run(script, tmp_path)
    assert ran.returncode == 0, ran.stderr
    standings = Standing.objects.filter(board__race=race, board__order="time").order_by("key1")
    board = [f"{n} {row.player} {row.key1} {row.key2}" for n, row in enumerate(standings, 1)]
    assert ran.stdout.splitlines() == board
    assert len(board) == 3


def test_the_recipe_sees_what_was_changed(race: Race, tmp_path) -> None:
    entries = export(race)
    verdicts = StringIO()
    (tmp_path / "replays").write_text("".join(json.dumps(entry["replay"]) + "\n" for entry in entries))
    call_command("verify_replay", str(tmp_path / "replays"), stdout=verdicts)
    (tmp_path / "verdicts.ndjson").write_text(verdicts.getvalue())
    changes: dict[str, dict[str, Any]] = {
        "Ada": {"official_ms": 1000},
        "Bea": {"moves": 15},
        "Cleo": {"points": 1},
        "Lost": {"end": "won"},
    }
    for name, change in changes.items():
        forged = [entry | (change if entry["player"] == name else {}) for entry in entries]
        (tmp_path / "race.ndjson").write_text("".join(json.dumps(entry) + "\n" for entry in forged))
        ran = run(RECIPE[2], tmp_path)
        assert ran.returncode != 0
        assert name in ran.stderr


def run(script: str, folder: Path) -> subprocess.CompletedProcess[str]:
    script = script.replace("manage.py", str(ROOT / "manage.py")).replace(".venv/bin/python", sys.executable)
    return subprocess.run(["bash", "-c", script], cwd=folder, capture_output=True, text=True)


def test_a_race_is_exported_once_it_is_closed() -> None:
    race = mint_easy()
    for hours in (10, 24.5, 25.5):
        opens_at = read_clock() - timedelta(hours=hours)
        Race.objects.update(opens_at=opens_at, closes_at=opens_at + timedelta(days=1))
        status, answer = Api().get(f"races/{race.pk}/export/")
        if hours < 25:
            assert (status, answer["code"]) == (409, "race_not_closed")
            with pytest.raises(CommandError, match="not closed"):
                call_command("export_race", str(race.pk))
    assert Api().get(f"races/{race.pk}/export/") == (200, [])
    assert Api().get("races/999999/export/")[0] == 404
    assert Api().get(f"races/{race.pk}/export/?x=1")[0] == 400


def test_a_race_by_invitation_is_exported_for_who_was_there(race: Race) -> None:
    host, stranger = make_player("Host"), make_player("Stranger")
    Race.objects.update(invite_code="sesame", host=host)
    answers = [log_in(player).get(f"races/{race.pk}/export/")[0] for player in (host, stranger)]
    assert answers == [200, 403]
    assert Api().get(f"races/{race.pk}/export/")[0] == 403
    assert log_in(Attempt.objects.filter(player__name="Lost").get().player).get(f"races/{race.pk}/export/")[0] == 200


def test_a_clubs_race_is_exported_for_its_members(race: Race) -> None:
    owner, stranger = make_player("Owner"), make_player("Stranger")
    Race.objects.update(club=make_club(owner=owner, name="Club"))
    answers = [log_in(player).get(f"races/{race.pk}/export/")[0] for player in (owner, stranger)]
    assert answers == [200, 403]
    assert Api().get(f"races/{race.pk}/export/")[0] == 403


def test_the_audit_finds_nothing_wrong_with_what_the_server_wrote(race: Race) -> None:
    assert audit(race) == "8 entries: 0 faults.\n"


CHANGES: list[tuple[dict[str, Any], str]] = [
    ({"counted_moves": 5}, "counted moves: stored 5"),
    ({"points": 1}, "points: stored 1"),
    ({"bonus": 1}, "bonus: stored 1"),
    ({"left": 3}, "cards left: stored 3"),
    ({"plies": 3}, "plies: stored 3"),
    ({"official_ms": 7}, "official ms: stored 7"),
    ({"moves": "D D"}, "the replay is refused: times"),
    ({"digest": b"x"}, "digest"),
    ({"rules": 2}, "rules: stored 2"),
    ({"ranked": False}, "not ranked"),
    ({"ends_at": F("ends_at") + timedelta(hours=2)}, "does not end when"),
    ({"started_at": F("started_at") - timedelta(days=2)}, "not started while"),
    ({"ended_at": F("ends_at") + timedelta(hours=1)}, "after its time"),
    ({"held": "pace"}, "computed None"),
]


def test_the_audit_sees_every_changed_figure(race: Race) -> None:
    for change, said in CHANGES:
        with transaction.atomic():
            Attempt.objects.filter(player__name="Ada").update(**change)
            assert said in audit(race), change
            transaction.set_rollback(True)
    assert audit(race).endswith(": 0 faults.\n")


def test_the_audit_sees_changed_boards_and_entries(race: Race) -> None:
    Standing.objects.filter(player__name="Bea", board__race=race, board__order="moves").update(key1=1)
    assert "board by moves: attempt" in audit(race)
    TimeBucket.objects.filter(board__race=race).update(count=F("count") + 1)
    assert "its counts are not those of its rows" in audit(race)
    Entry.objects.filter(player__name="Knew").update(ranked=True, unranked_because="")
    assert "had been shown" in audit(race)
    with pytest.raises(CommandError, match="There is no race"):
        call_command("audit_race", "999999")
