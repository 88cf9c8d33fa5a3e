"""Is a ranked win shown to others with nothing that spoils it, and not at all when it may not be?"""

import re
from datetime import timedelta
from io import BytesIO

import pytest
from django.test import Client
from django.utils import timezone
from PIL import Image

from games.models import Attempt, Player
from leaderboard import drawing, fair, moderating, people
from leaderboard.models import ResultPicture
from tests.players import EASY_MOVES, EASY_ORDER, easy_deal, make_daily, make_player, open_attempt, win

pytestmark = pytest.mark.django_db


def show(attempt: Attempt, language: str = "en") -> tuple[int, str]:
    answer = Client(headers={"Accept-Language": language, "Accept": "text/html"}).get(f"/results/{attempt.pk}/")
    return answer.status_code, answer.content.decode()


def find_meta(html: str, name: str) -> str:
    found = re.search(f'<meta (?:name|property)="{name}" content="([^"]*)">', html)
    assert found, name
    return found[1]


def find_picture(html: str) -> str:
    """The path of the picture that the page names."""
    address = find_meta(html, "og:image")
    assert address == find_meta(html, "twitter:image")
    return address.removeprefix("http://testserver")


def make_win(name: str = "Ada", ms: int = 182_050, **more: object) -> Attempt:
    return win(make_player(name), ms, 20, race=make_daily("T"), **more)  # type: ignore[arg-type]


def test_the_page_tells_player_time_moves_and_rank_in_both_languages() -> None:
    race = make_daily("T")
    win(make_player("Bea"), 60_000, race=race)
    ada = win(make_player("Ada"), 182_050, 20, race=race)
    status, html = show(ada)
    day = f"{race.day:%-d %b %Y}" if race.day else ""
    text = f"Pyramidion · Three passes · {day} – 3:02.05, 20 moves, rank 2 of 2"
    assert status == 200
    assert find_meta(html, "og:description") == find_meta(html, "description") == text
    assert find_meta(html, "og:title") == "Ada: 3:02.05"
    assert find_meta(html, "twitter:card") == "summary_large_image"
    assert find_meta(html, "og:url") == f"http://testserver/results/{ada.pk}/"
    assert "20 Züge, Rang 2 von 2" in show(ada, "de")[1]


def test_neither_page_nor_picture_tells_a_card_or_a_move() -> None:
    ada = make_win()
    html = show(ada)[1]
    assert EASY_ORDER not in html
    assert EASY_MOVES[:9] not in html
    assert f"/play/?race={ada.entries.get().race_id}&amp;ghost={ada.pk}" in html
    assert f"/replays/{ada.pk}/" not in html  # a stranger may not watch it yet


def test_the_picture_is_a_png_of_its_size_that_may_be_kept() -> None:
    ada = make_win()
    answer = Client().get(find_picture(show(ada)[1]))
    assert answer.status_code == 200
    assert answer["Content-Type"] == "image/png"
    assert "immutable" in answer["Cache-Control"]
    picture = Image.open(BytesIO(answer.content))
    assert (picture.format, picture.size) == ("PNG", drawing.SIZE)
    assert len(answer.content) < 60_000


def test_a_picture_is_drawn_once_and_again_under_another_name_when_its_words_change() -> None:
    ada = make_win()
    first = find_picture(show(ada)[1])
    drawn = Client().get(first).content
    ResultPicture.objects.update(png=b"the stored one")
    assert Client().get(first).content == b"the stored one"
    people.rename(player=ada.player, name="Countess")
    second = find_picture(show(ada)[1])
    assert second != first
    assert Client().get(first)["Location"] == second
    assert Client().get(second).content not in (drawn, b"the stored one")
    assert ResultPicture.objects.count() == 1


def ban(attempt: Attempt) -> None:
    fair.ban(player=attempt.player, by=None, because="Cheated.")


def delete(attempt: Attempt) -> None:
    Player.objects.filter(pk=attempt.player_id).update(guest=True)  # who needs no password for it
    people.delete_account(player=Player.objects.get(pk=attempt.player_id), password=None)


@pytest.mark.parametrize(
    "take_down",
    [
        lambda attempt: moderating.hold(attempt=attempt, because="pace"),
        lambda attempt: moderating.void(attempt=attempt),
        ban,
        delete,
    ],
    ids=["held", "void", "banned", "deleted"],
)
def test_what_may_not_be_shown_is_gone_with_its_picture_at_once(take_down) -> None:
    ada = make_win()
    picture = find_picture(show(ada)[1])
    assert Client().get(picture).status_code == 200
    take_down(ada)
    assert show(ada)[0] == 404
    assert Client().get(picture).status_code == 404


def test_only_ranked_wins_have_a_page() -> None:
    practice = win(make_player("Ada"), 60_000, ranked=False)
    open_one = open_attempt(make_player("Bea"), easy_deal("S"))
    for attempt in (practice, open_one):
        assert show(attempt)[0] == 404
    assert Client().get("/results/999999999/").status_code == 404


def test_once_the_race_is_closed_the_same_deal_is_played_for_practice() -> None:
    yesterday = timezone.now() - timedelta(days=2)
    race = make_daily("T", yesterday.date())
    ada = win(make_player("Ada"), 60_000, race=race, ended_at=race.opens_at + timedelta(hours=1))
    html = show(ada)[1]
    assert f"/play/{race.code}?ghost={ada.pk}" in html
    assert f"/replays/{ada.pk}/" in html


def test_a_name_the_font_cannot_write_is_left_out_of_the_picture() -> None:
    assert drawing.can_write("Zoë Жук Ωλ")
    assert not drawing.can_write("漢字")
    words = drawing.Words("Relaxed", "1 Dec 2026", "漢字", "3:02.05", "41 moves")
    assert drawing.draw_result(words) == drawing.draw_result(words._replace(name="صديق"))
    assert drawing.draw_result(words) != drawing.draw_result(words._replace(name="Ada"))
