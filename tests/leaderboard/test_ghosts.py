"""Who may see the pace of a game, and is the computer an opponent that tells no card and stands nowhere?"""

from datetime import timedelta

import pytest
from django.utils import timezone

from games.models import Attempt, Player
from leaderboard import fair, moderating
from leaderboard.models import Standing
from tests.client import Api
from tests.players import FEWEST, easy_deal, easy_line, log_in, make_daily, make_player, open_attempt, win

pytestmark = pytest.mark.django_db


def test_a_ghost_is_the_pace_of_a_game_for_who_may_see_its_replay() -> None:
    race = make_daily("T")
    ada = win(make_player("Ada"), 60_000, line=easy_line(17), race=race)
    Attempt.objects.filter(pk=ada.pk).update(times=[1000 * (n + 1) for n in range(ada.plies)])
    assert Api().get(f"replays/{ada.pk}/ghost/")[0] == 404
    status, ghost = log_in(ada.player).get(f"replays/{ada.pk}/ghost/")
    assert status == 200
    assert ghost["timeline"][:2] == [{"t": 0, "removed": 0}, {"t": 3000, "removed": 2}]  # a draw, its undo, a pair
    assert ghost["timeline"][-1] == {"t": 18_000, "removed": 28}
    assert [step["removed"] for step in ghost["timeline"]] == sorted({step["removed"] for step in ghost["timeline"]})

    undone = open_attempt(make_player("Bea"), easy_deal("S"))
    bea = log_in(undone.player)
    assert bea.get(f"replays/{undone.pk}/ghost/")[0] == 404  # it has not ended
    bea.post(f"attempts/{undone.pk}/moves/", {"from_ply": 0, "moves": "g1g2 U", "times": [10, 20]})
    bea.post(f"attempts/{undone.pk}/resign/")
    steps = bea.get(f"replays/{undone.pk}/ghost/")[1]["timeline"]
    assert [step["removed"] for step in steps] == [0, 2, 0]


def test_who_plays_the_same_cards_for_practice_sees_others_ghosts_but_not_their_replays() -> None:
    ada = win(make_player("Ada"), 60_000)
    bea = make_player("Bea")
    open_attempt(bea, ada.deal.cards, ranked=False)
    assert log_in(bea).get(f"replays/{ada.pk}/")[0] == 404
    status, ghost = log_in(bea).get(f"replays/{ada.pk}/ghost/")
    assert (status, ghost["player"], ghost["deal"]) == (200, "Ada", ada.deal.code)
    fair.ban(player=ada.player, by=None, because="Cheated.")
    assert log_in(bea).get(f"replays/{ada.pk}/ghost/")[0] == 404


def test_who_practises_again_on_cards_of_an_ended_game_sees_the_tables_of_others() -> None:
    ada = win(make_player("Ada"), 60_000)
    bea = make_player("Bea")
    api = log_in(bea)

    def may_see() -> bool:
        found = {
            api.get(path)[1]["may_see"] for path in (f"replays/{ada.pk}/ghost/", f"attempts/{mine}/rival/?player=Ada")
        }
        assert len(found) == 1
        assert (api.get(f"replays/{ada.pk}/")[0] == 200) in found
        return found.pop()

    mine = open_attempt(bea, easy_deal(), ranked=False).pk
    assert not may_see(), "the first game on these cards"
    api.post(f"attempts/{mine}/resign/")
    assert may_see()
    mine = open_attempt(bea, easy_deal(), ranked=False).pk
    assert may_see(), "what could be looked up before is not hidden"
    other = open_attempt(bea, easy_deal("N")).pk
    assert not may_see(), "a ranked game on the same cards"
    api.post(f"attempts/{other}/resign/")
    make_daily("N")
    answer = api.get(f"replays/{ada.pk}/")
    assert answer[0] == 404, "a race lies open on the cards"


def test_while_a_race_is_open_who_plays_it_sees_no_ghost_but_an_own_one() -> None:
    race = make_daily("T")
    ada = win(make_player("Ada"), 60_000, race=race)
    open_attempt(make_player("Bea"), easy_deal("T"), race=race)
    bea = log_in(Player.objects.get(name="Bea"))
    assert bea.get(f"replays/{ada.pk}/ghost/")[0] == 404
    open_attempt(ada.player, easy_deal("T"), ranked=False)
    assert log_in(ada.player).get(f"replays/{ada.pk}/ghost/")[0] == 200
    type(race).objects.update(opens_at=timezone.now() - timedelta(days=3), closes_at=timezone.now() - timedelta(days=2))
    assert bea.get(f"replays/{ada.pk}/ghost/")[0] == 200


def test_the_computer_plays_the_deal_of_an_own_attempt_alike_for_everybody_and_is_nobody() -> None:
    ada, bea = make_player("Ada"), make_player("Bea")
    mine = open_attempt(ada, easy_deal("T"), race=make_daily("T"))
    other = open_attempt(bea, easy_deal("T"), ranked=False)
    before = Player.objects.count(), Attempt.objects.count()
    status, found = log_in(ada).get(f"attempts/{mine.pk}/opponent/?strength=strong")
    assert status == 200
    assert found == log_in(bea).get(f"attempts/{other.pk}/opponent/?strength=strong")[1]
    assert found["name"] == "Computer (strong)"
    assert set(found) == {"name", "strength", "end", "official_ms", "moves", "timeline"}
    assert {name for step in found["timeline"] for name in step} == {"t", "removed"}
    assert (Player.objects.count(), Attempt.objects.count()) == before
    assert not Standing.objects.exists()
    mine.refresh_from_db()
    assert (mine.ranked, mine.assisted) == (True, False)


def test_the_computer_plays_for_nobody_elses_attempt_and_in_no_other_strength() -> None:
    mine = open_attempt(make_player("Ada"), easy_deal("T"))
    ada = log_in(mine.player)
    assert log_in(make_player("Bea")).get(f"attempts/{mine.pk}/opponent/")[0] == 404
    assert Api().get(f"attempts/{mine.pk}/opponent/")[0] == 401
    assert ada.get(f"attempts/{mine.pk}/opponent/?strength=perfect")[0] == 400
    assert ada.get(f"attempts/{mine.pk}/opponent/?seed=1")[0] == 400
    assert ada.get(f"attempts/{mine.pk}/opponent/")[1]["strength"] == "medium"


def test_a_player_is_chosen_by_name_and_the_best_ended_game_on_these_cards_is_shown() -> None:
    bea = make_player("Bea")
    mine = open_attempt(make_player("Ada"), easy_deal(), ranked=False)
    path, api = f"attempts/{mine.pk}/rival/", log_in(mine.player)

    def ask(name: str) -> tuple[int, str | int]:
        status, answer = api.get(f"{path}?player={name}")
        return status, answer["id"] if status == 200 else answer["code"]

    assert ask("bea") == (404, "no_game")
    lost = open_attempt(bea, easy_deal())
    log_in(bea).post(f"attempts/{lost.pk}/moves/", {"from_ply": 0, "moves": "g1g2"})
    assert ask("bea") == (404, "no_game"), "it is still played"
    log_in(bea).post(f"attempts/{lost.pk}/resign/")
    assert ask("bea") == (200, lost.pk)
    replay = {"format": "pyramid-replay/1", "deal": easy_deal().code, "moves": easy_line(), "times": [*range(FEWEST)]}
    assert log_in(bea).post("replays/", replay)[0] == 201
    assert ask("BEA") == (200, lost.pk), "the server's clock comes first"
    slow, fast = win(bea, 60_000), win(bea, 50_000, 17)
    assert ask("Bea") == (200, fast.pk)
    moderating.void(attempt=fast)
    assert ask("Bea") == (200, slow.pk)
    win(bea, 40_000, deal=easy_deal("N"))
    assert ask("Bea") == (200, slow.pk), "the same cards under other rules are another deal"
    assert ask("Nobody") == (404, "player")
    assert api.get(path)[1]["code"] == "required"
    assert log_in(bea).get(f"{path}?player=Bea")[0] == 404, "not her attempt"
    assert Api().get(f"{path}?player=Bea")[0] == 401
    fair.ban(player=bea, by=None, because="Cheated.")
    assert ask("Bea") == (404, "player")


def test_while_a_race_is_open_only_oneself_is_found_by_name() -> None:
    race = make_daily("T")
    win(make_player("Bea"), 60_000, race=race)
    ada = make_player("Ada")
    earlier = win(ada, 70_000, ranked=False)
    mine = open_attempt(ada, easy_deal(), race=race)
    api = log_in(ada)
    make_player("Cleo")
    for name in ("Bea", "Cleo"):
        status, answer = api.get(f"attempts/{mine.pk}/rival/?player={name}")
        assert (status, answer["code"], answer["where"]) == (409, "race_open", "player")
    assert api.get(f"attempts/{mine.pk}/rival/?player=Ada")[1]["id"] == earlier.pk
    api.post(f"attempts/{mine.pk}/resign/")
    assert api.get(f"attempts/{mine.pk}/rival/?player=Bea")[0] == 200, "her own game is over"
