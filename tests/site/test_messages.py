"""Is everything that a person reads there in German, too?"""

import re

import pytest

from tests import messages
from tests.client import Api

SENTENCES = sorted({sentence for sentence, _place in messages.find_sentences()})
PLACES = re.compile(r"%\((\w+)\)s")


@pytest.fixture(scope="module")
def catalogue():
    return messages.read_catalogue()


def test_sentences_are_found_in_code_and_templates() -> None:
    assert "%(value)s alone" not in SENTENCES
    assert {"There is no such player.", "Rulesets", "Three passes"} <= set(SENTENCES)


@pytest.mark.parametrize("sentence", SENTENCES)
def test_every_sentence_has_a_german_translation_with_the_same_places(sentence, catalogue) -> None:
    message = catalogue.get(sentence)
    assert message is not None, "run `make messages`"
    assert message.string, "write its translation in django.po and run `make messages`"
    assert sorted(PLACES.findall(message.string)) == sorted(PLACES.findall(sentence))


def test_the_catalogue_holds_nothing_that_is_no_longer_said(catalogue) -> None:
    assert {message.id for message in catalogue if message.id} == set(SENTENCES)


def test_the_compiled_catalogue_is_that_of_the_sentences(catalogue) -> None:
    assert messages.COMPILED.read_bytes() == messages.compile_catalogue(catalogue)


def test_the_api_answers_in_the_language_asked_for() -> None:
    replay = {"format": "pyramid-replay/1", "deal": "PY1-N-AAAAAAS", "moves": "g2 g5g7"}
    for language, name, sentence in (
        ("de", "Drei Durchgänge", "7 und 7 ergeben 14; die Summe muss 13 sein."),
        ("de-CH, fr;q=0.5", "Drei Durchgänge", "7 und 7 ergeben 14; die Summe muss 13 sein."),
        ("fr, en;q=0.5", "Three passes", "7 and 7 make 14; the sum must be 13."),
    ):
        api = Api(language=language)
        assert api.get("rulesets/T/")[1]["name"] == name
        assert api.post("replays/validate/", replay)[1]["detail"] == sentence
