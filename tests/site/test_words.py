"""Does the page carry every sentence that its scripts say, and nothing else?"""

import re

from games.views import MODULES
from games.words import WORDS
from tests.site.servers import ROOT

SCRIPTS = {
    path.name: path.read_text()
    for folder in ("games/static/games", "leaderboard/static/leaderboard")
    for path in sorted((ROOT / folder).glob("*.js"))
}
# short names that a script puts together, or takes from what the server sends
PUT_TOGETHER = re.compile("rank_(deal|race|ruleset)|letter_[JQK]|[AJQKcdhs]|easy|medium|hard")


def test_every_sentence_that_a_script_says_is_there() -> None:
    said = {name for script in SCRIPTS.values() for name in re.findall(r"""say\(\s*["'](\w+)["']""", script)}
    assert len(said) > 40
    assert said <= set(WORDS)


def test_no_sentence_is_carried_in_vain() -> None:
    scripts = " ".join(SCRIPTS.values())
    for name in WORDS:
        assert PUT_TOGETHER.fullmatch(name) or re.search(rf'"{name}"', scripts), name


def test_every_module_of_the_table_is_fetched_at_once() -> None:
    imported = {name for script in SCRIPTS.values() for name in re.findall(r'from "\./(\w+\.js)"', script)}
    assert {f"games/{name}" for name in imported} == set(MODULES)
