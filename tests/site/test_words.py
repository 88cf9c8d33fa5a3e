"""Does the page carry every sentence that its scripts say, and nothing else?"""

import re

from games.views import MODULES
from games.words import WORDS
from leaderboard.views.races import RACE_MODULES
from leaderboard.words import WORDS as RACE_WORDS
from tests.site.servers import ROOT


def read_scripts(app: str) -> dict[str, str]:
    return {path.name: path.read_text() for path in sorted((ROOT / app / "static" / app).glob("*.js"))}


TABLE, RACES = read_scripts("games"), read_scripts("leaderboard")
# short names that a script puts together, or takes from what the server sends
PUT_TOGETHER = re.compile("rank_(deal|race|ruleset)|letter_[JQK]|[AJQKcdhs]|easy|medium|hard")


def find_said(scripts: dict[str, str]) -> set[str]:
    return {name for script in scripts.values() for name in re.findall(r"""say\(\s*["'](\w+)["']""", script)}


def test_every_sentence_that_a_script_says_is_there() -> None:
    assert len(find_said(TABLE | RACES)) > 60
    assert find_said(TABLE) <= set(WORDS)
    assert find_said(RACES) <= set(WORDS) | set(RACE_WORDS)


def test_no_sentence_is_carried_in_vain() -> None:
    for words, scripts in ((WORDS, TABLE | RACES), (RACE_WORDS, RACES)):
        text = " ".join(scripts.values())
        for name in words:
            assert PUT_TOGETHER.fullmatch(name) or re.search(rf'"{name}"', text), name


def test_every_module_of_the_table_and_of_a_race_is_fetched_at_once() -> None:
    imported = {name for script in TABLE.values() for name in re.findall(r'from "\./(\w+\.js)"', script)}
    assert {f"games/{name}" for name in imported} == set(MODULES)
    own = {name for script in RACES.values() for name in re.findall(r'from "\./(\w+\.js)"', script)}
    assert {f"leaderboard/{name}" for name in own} == {name for name in RACE_MODULES if name.startswith("leaderboard/")}
