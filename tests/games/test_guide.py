"""Do the pages of the rules say and draw what the engine plays, in both languages?"""

import re

import pytest
from django.test import Client
from django.utils.translation import override

from games.engine.cards import RANKS, VALUES, read_card, write_card
from games.engine.position import Position
from games.engine.rulesets import RULESETS, Ruleset
from games.examples import draw_removals, draw_table, find_opening, list_covering
from games.guide import explain_covering, explain_table, summarize, write_guide

EACH = pytest.mark.parametrize("ruleset", RULESETS.values(), ids=RULESETS.keys())


def read_page(address: str, language: str = "en") -> str:
    answer = Client().get(address, headers={"accept-language": language})
    assert answer.status_code == 200
    return answer.content.decode()


def tell_all(ruleset: Ruleset) -> list[str]:
    lines = [line for part in write_guide(ruleset) for line in (part.title, *part.lines)]
    return [*lines, summarize(ruleset), explain_table(ruleset), explain_covering(ruleset)]


@EACH
def test_everything_is_said_in_the_readers_language(ruleset: Ruleset) -> None:
    with override("en"):
        english = tell_all(ruleset)
    with override("de"):
        german = tell_all(ruleset)
    assert [one for one, other in zip(english, german, strict=True) if one == other != "Reserve"] == []
    assert len(set(english[:-3])) == len(english) - 3, "the guide says nothing twice"
    page = read_page(f"/rules/{ruleset.slug}/", "de").replace("&#x27;", "'")
    assert [line for line in german if line not in page] == []
    assert "%(" not in page


@EACH
def test_the_marked_cards_of_the_table_can_leave(ruleset: Ruleset) -> None:
    opening = find_opening(ruleset.letter)
    legal = opening.position.legal_moves()
    assert "".join(opening.pair) in legal
    assert opening.alone in legal
    cards = draw_table(ruleset).cards
    assert {card.card for card in cards if card.look == "pair"} == {opening.card(cell) for cell in opening.pair}
    assert [card.card for card in cards if card.look == "alone"] == [opening.card(opening.alone)]
    assert f"{ruleset.target}" in explain_table(ruleset)


@EACH
def test_the_drawn_piles_are_those_of_the_ruleset(ruleset: Ruleset) -> None:
    position: Position = find_opening(ruleset.letter).position
    figure = draw_table(ruleset)
    below = [card for card in figure.cards if card.y > 6 * 72 + 140]
    assert len(figure.cards) - len(below) == 28
    shown = {card.card for card in below if card.card}
    if ruleset.stock == "reserve":
        assert shown == {write_card(card) for column in position.reserve for card in column}
    else:
        tops = position.waste[-1:] + (position.stock[:1] if ruleset.stock == "open" else ())
        assert shown == set(map(write_card, tops))
        assert sum(card.look == "back" for card in below) == 1
    assert len(figure.words) == (2 if ruleset.stock == "reserve" else 3)
    assert all(0 <= card.x <= figure.width - 100 and card.y <= figure.height - 140 for card in figure.cards)


@EACH
def test_the_drawn_pairs_make_the_sum_and_every_rank_has_its_way(ruleset: Ruleset) -> None:
    figures = [
        [card.card for card in figure.cards if card.card[:1] != "X" and card.card] for figure in draw_removals(ruleset)
    ]
    for cards in filter(None, figures):
        values = [VALUES[read_card(card)] for card in cards]
        assert sum(values) == ruleset.target or (len(values) == 1 and values[0] >= ruleset.target)
    assert {card[0] for cards in figures for card in cards} == set(RANKS)
    assert sum(VALUES[read_card(card)] for card in list_covering(ruleset)) == ruleset.target


def test_the_pages_of_the_rulesets_lead_from_one_to_the_next() -> None:
    address, seen = "/rules/relaxed/", []
    while address not in seen:
        seen.append(address)
        page = read_page(address)
        if after := re.search(r'href="([^"]+)" rel="next"', page):
            address = after[1]
            assert f'href="{seen[-1]}" rel="prev"' in read_page(address)
    assert sorted(seen) == sorted(f"/rules/{row.slug}/" for row in RULESETS.values())


def test_what_is_drawn_is_read_out_in_words() -> None:
    page = read_page("/rules/joker/", "de")
    for words in ("Dame + Ass", "10 + 3", "König", "Joker + jede Karte"):
        assert f'<span class="aloud">{words}</span>' in page


def test_a_link_starts_a_game_of_the_ruleset() -> None:
    assert 'href="/play/?ruleset=G">' in read_page("/rules/giza/")


def test_every_drawing_that_a_page_uses_is_on_it() -> None:
    for address in ("/rules/joker/", "/rules/giza/", "/rules/elevens/"):
        page = read_page(address)
        used = set(re.findall(r'<use href="#([^"]+)"', page))
        assert used <= set(re.findall(r'<symbol id="([^"]+)"', page))
        assert len(used) >= 7
