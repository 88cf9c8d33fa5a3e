"""Does the page carry every sentence that its scripts say, and nothing else?"""

import re

from games.views import MODULES
from games.words import WORDS
from leaderboard import words
from leaderboard.views.races import RACE_MODULES
from leaderboard.views.replays import MODULES as REPLAY_MODULES
from tests.site.servers import ROOT


def read_scripts(app: str) -> dict[str, str]:
    return {path.name: path.read_text() for path in sorted((ROOT / app / "static" / app).glob("*.js"))}


RACE_WORDS = words.WORDS | words.SPRINT_WORDS
TABLE, RACES = read_scripts("games"), read_scripts("leaderboard")
# short names that a script puts together, or takes from what the server sends
PUT_TOGETHER = re.compile(
    "rank_(deal|race|ruleset)|letter_[JQK]|[AJQKcdhs]|easy|medium|hard|against_(best|leader|friends|easy|medium|strong)"
)


def find_said(scripts: dict[str, str]) -> set[str]:
    return {name for script in scripts.values() for name in re.findall(r"""say\(\s*["'](\w+)["']""", script)}


def test_every_sentence_that_a_script_says_is_there() -> None:
    assert len(find_said(TABLE | RACES)) > 60
    assert find_said(TABLE) <= set(WORDS)
    assert find_said(RACES) <= set(WORDS) | set(RACE_WORDS)


def test_no_sentence_is_carried_in_vain() -> None:
    for carried, scripts in ((WORDS, TABLE | RACES), (RACE_WORDS, RACES)):
        text = " ".join(scripts.values())
        for name in carried:
            assert PUT_TOGETHER.fullmatch(name) or re.search(rf'"{name}"', text), name


def find_imported(scripts: dict[str, str], top: str) -> set[str]:
    """The modules beside a script that it imports, and all that those import."""
    found: set[str] = set()
    new = {top}
    while new:
        new = {name for one in new for name in re.findall(r'from "\./(\w+\.js)"', scripts[one])} - found
        found |= new
    return found


def test_every_module_of_the_table_a_race_and_a_replay_is_fetched_at_once() -> None:
    assert {f"games/{name}" for name in find_imported(TABLE, "play.js")} == set(MODULES)
    for top, modules in (("race.js", RACE_MODULES), ("replay.js", REPLAY_MODULES)):
        own = {name for name in modules if name.startswith("leaderboard/")}
        assert {f"leaderboard/{name}" for name in find_imported(RACES, top)} == own
