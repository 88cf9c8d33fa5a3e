"""What staff sees of sprints."""

import pytest
from django.test import Client
from django.urls import reverse

from games.models import Player
from leaderboard.models import Sprint
from tests.players import easy_deal, log_in, make_player
from tests.sprints import begin, fill_pool, make_sprint, win

pytestmark = pytest.mark.django_db


@pytest.fixture
def staff() -> Client:
    client = Client()
    client.force_login(Player.objects.create_superuser("Chief", "a long password"))
    return client


def test_staff_reads_who_was_in_a_sprint_and_who_came_where(staff: Client) -> None:
    fill_pool(1)
    ada, bob = log_in(make_player("Ada")), log_in(make_player("Bob"))
    sprint = make_sprint(ada, bob)
    begin(ada, sprint)
    win(bob, sprint)
    ada.post(f"sprints/{sprint}/leave/", {})
    path = reverse("admin:leaderboard_sprint_change", args=[sprint])
    page = staff.get(path).content.decode()
    assert page.index("rank 1: Bob, won") < page.index("rank 2: Ada, out")
    found = staff.get(reverse("admin:leaderboard_sprint_changelist"), {"q": "bob"})
    assert path in found.content.decode()
    assert staff.post(path, {"host": 1}).status_code == 403


def test_chosen_cards_are_not_shown_to_staff_who_may_play_them(staff: Client) -> None:
    ada = log_in(make_player("Ada"))
    status, made = ada.post("sprints/", {"deal": easy_deal().code})
    assert (status, Sprint.objects.get().deal) == (201, easy_deal().code)
    page = staff.get(reverse("admin:leaderboard_sprint_change", args=[made["id"]])).content.decode()
    assert easy_deal().code not in page
    assert easy_deal().order not in page
