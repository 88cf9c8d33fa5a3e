"""What staff can do with races and results, and what even staff is not shown."""

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Permission
from django.test import Client
from django.urls import reverse

from games.models import Attempt, Player
from leaderboard import actions, races
from leaderboard.models import Race
from leaderboard.races import Floor
from tests.client import Api
from tests.dailies import mint_easy, mint_seed, today
from tests.leaderboard.plain_boards import check_boards
from tests.players import EASY_MOVES, EASY_ORDER, log_in, make_player

pytestmark = pytest.mark.django_db
TIMES = ("opens_at", "closes_at")


@pytest.fixture
def staff() -> Client:
    client = Client()
    client.force_login(Player.objects.create_superuser("Chief", "a long password"))
    return client


def choose(staff: Client, kind: str, action: str, pk: int) -> None:
    response = staff.post(
        reverse(f"admin:{kind}_changelist"), {"action": action, "_selected_action": [pk], "because": "Seen."}
    )
    assert response.status_code == 302


def make(staff: Client, **fields: str) -> Any:
    now = actions.read_clock()
    data = {"name": "Cup", "ruleset": "T", "code": "", "invite_code": ""} | fields
    for name, moment in zip(TIMES, (now + timedelta(hours=1), now + timedelta(hours=3)), strict=True):
        data |= {f"{name}_0": f"{moment:%Y-%m-%d}", f"{name}_1": f"{moment:%H:%M:%S}"}
    return staff.post(reverse("admin:leaderboard_race_add"), data | fields)


def test_a_held_result_is_released_onto_its_boards(staff: Client, settings) -> None:
    settings.HUMAN_FLOORS = {"*": Floor(250, 10)}
    race, player = mint_easy(), make_player("Ada")
    api = log_in(player)
    attempt = api.post(f"races/{race.pk}/attempts/", {})[1]["id"]
    api.post(f"attempts/{attempt}/moves/", {"from_ply": 0, "moves": EASY_MOVES})

    def first() -> list[str]:
        return [row["player"] for row in Api().get("daily/")[1]["dailies"][0]["top"]]

    assert first() == []
    page = staff.get(reverse("admin:games_attempt_changelist") + "?held=pace")
    assert f'value="{attempt}"' in page.content.decode()
    for action, leaders, record in (
        ("release", ["Ada"], "release: Seen."),
        ("void", [], "void: Seen."),
        ("restore", ["Ada"], "restore: Seen."),
    ):
        for _ in range(2):  # twice is once
            choose(staff, "games_attempt", action, attempt)
            assert first() == leaders
        assert LogEntry.objects.filter(change_message=record, object_id=str(attempt)).count() == 1
        check_boards()
    assert Attempt.objects.get().held == ""


def test_who_may_only_look_moderates_nothing(staff: Client) -> None:
    viewer = make_player("Viewer")
    viewer.is_staff = True
    viewer.save()
    viewer.user_permissions.set(Permission.objects.filter(codename__in=["view_attempt", "view_race"]))
    client = Client()
    client.force_login(viewer)
    race = mint_easy()
    attempt = log_in(make_player("Ada")).post(f"races/{race.pk}/attempts/", {})[1]["id"]
    client.post(
        reverse("admin:games_attempt_changelist"), {"action": "void", "_selected_action": [attempt], "because": "x"}
    )
    client.post(reverse("admin:leaderboard_race_changelist"), {"action": "withdraw", "_selected_action": [race.pk]})
    assert Attempt.objects.get().voided_at is None
    assert Race.objects.get().withdrawn_at is None


def test_cards_and_nonces_of_days_to_come_are_hidden_from_staff(staff: Client) -> None:
    race = mint_seed(5, day=today() + timedelta(days=1))
    deal, code, nonce = race.deal, race.code, race.nonce
    paths = [
        reverse("admin:leaderboard_race_changelist"),
        reverse("admin:leaderboard_race_change", args=[race.pk]),
        reverse("admin:games_deal_changelist"),
        reverse("admin:games_deal_change", args=[deal.pk]),
        reverse("admin:leaderboard_entry_changelist"),
        reverse("admin:leaderboard_board_changelist"),
        reverse("admin:index"),
    ]
    for path in paths:
        page = staff.get(path, follow=True).content.decode()
        assert not any(secret in page for secret in (code, code[-7:], deal.order, nonce)), path
    assert race.commitment in staff.get(paths[1]).content.decode(), "what is public is there"
    opens_at, closes_at = races.day_window(today())
    Race.objects.update(opens_at=opens_at, closes_at=closes_at)
    assert code not in staff.get(paths[1]).content.decode(), "nor today's, in the list of races"
    back = timedelta(days=1)
    Race.objects.update(opens_at=opens_at - back, closes_at=closes_at - back)
    assert code in staff.get(paths[1]).content.decode()


def test_a_race_is_made_in_the_admin(staff: Client) -> None:
    assert make(staff).status_code == 302
    assert make(staff, code=f"PY0-T-{EASY_ORDER}", invite_code="sesame").status_code == 302
    dealt, chosen = Race.objects.order_by("id")
    assert (dealt.kind, dealt.name, dealt.chosen, dealt.host and dealt.host.name) == ("open", "Cup", False, "Chief")
    assert (chosen.chosen, chosen.invite_code, chosen.deal.order) == (True, "sesame", EASY_ORDER)
    staff.post(reverse("admin:leaderboard_race_change", args=[dealt.pk]), {"name": "Bowl", "invite_code": ""})
    dealt.refresh_from_db()
    assert (dealt.name, dealt.ruleset) == ("Bowl", "T")


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"code": "PY1-T-A"}, "PY1-T-A"),
        ({"code": "PY1-N-AAAAAAS"}, "another ruleset"),
        ({"opens_at_0": "2020-01-01"}, "in the past"),
        ({"closes_at_0": "2020-01-01"}, "closes after it opens"),
        ({"closes_at_0": "2126-01-01"}, "at most"),
    ],
)
def test_a_race_that_may_not_be_is_refused_in_the_admin(staff: Client, fields: dict[str, str], said: str) -> None:
    response = make(staff, **fields)
    assert response.status_code == 200
    assert said in response.content.decode()
    assert not Race.objects.exists()


def test_a_leaked_daily_is_withdrawn_in_the_admin(staff: Client) -> None:
    race = mint_easy()
    choose(staff, "leaderboard_race", "withdraw", race.pk)
    race.refresh_from_db()
    assert race.withdrawn_at
    assert race.withdrawn_because
    assert LogEntry.objects.get().change_message == "Withdrawn."


def test_the_cards_of_a_running_race_are_hidden_from_staff(staff: Client) -> None:
    race = mint_easy()
    api = log_in(make_player("Ada"))
    attempt = api.post(f"races/{race.pk}/attempts/", {})[1]["id"]
    api.post(f"attempts/{attempt}/moves/", {"from_ply": 0, "moves": EASY_MOVES})
    paths = [
        reverse("admin:games_deal_changelist"),
        reverse("admin:games_deal_change", args=[race.deal_id]),
        reverse("admin:games_attempt_changelist"),
        reverse("admin:games_attempt_change", args=[attempt]),
        reverse("admin:leaderboard_board_changelist"),
        reverse("admin:leaderboard_standing_changelist"),
    ]
    for path in paths:
        page = staff.get(path, follow=True).content.decode()
        assert not any(secret in page for secret in (EASY_ORDER, EASY_MOVES)), path
    assert "Ada" in staff.get(paths[3]).content.decode(), "the result is there to be judged"


def test_what_was_ranked_in_a_withdrawn_race_is_void_also_when_it_is_won_later(staff: Client) -> None:
    race = mint_easy()
    players = [log_in(make_player(name)) for name in ("Ada", "Bea")]
    ids = [api.post(f"races/{race.pk}/attempts/", {})[1]["id"] for api in players]
    body = {"from_ply": 0, "moves": EASY_MOVES}
    assert players[0].post(f"attempts/{ids[0]}/moves/", body)[1]["places"]
    choose(staff, "leaderboard_race", "withdraw", race.pk)
    assert players[1].post(f"attempts/{ids[1]}/moves/", body)[1]["places"] == []
    assert Api().get(f"rulesets/{race.ruleset}/board/")[1]["rows"] == []
    assert not Attempt.objects.filter(voided_at=None).exists()
    check_boards()
