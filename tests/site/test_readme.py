"""Do the README's examples run as they are written?"""

import json
import re
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from tests.site.servers import ROOT

README = (ROOT / "README.md").read_text()
EXAMPLES = re.findall(r"^```sh\n(.*?)^```", README, re.DOTALL | re.MULTILINE)


@pytest.fixture(scope="module")
def answers(daily_server: str) -> list[object]:
    """What the examples print, run in one shell in the order in which they stand."""
    script = "\n".join(["set -eu", *EXAMPLES]).replace("http://127.0.0.1:8000", daily_server)
    # one JSON value a call, each on a line of its own
    script = script.replace("curl -s", "curl -sS --fail -w '\\n'").replace(".venv/bin/python", sys.executable)
    ran = subprocess.run(["bash", "-c", script], cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert ran.returncode == 0, ran.stderr
    return [json.loads(line) for line in ran.stdout.splitlines() if line]


def test_the_examples_print_what_the_text_says(answers: list[object]) -> None:
    refused, first, second, ranked, stored, board, replay, ruleset_board, *daily = answers
    assert json.dumps(refused) in README
    assert (first["ply"], second["ply"]) == (1, 5)
    assert (ranked["ranked"], ranked["end"]) == (True, None)
    assert stored["verdict"]["outcome"] == "won"
    assert [row["replay"] for row in board["rows"]] == [stored["id"]]
    assert replay["verdict"]["legal"]
    assert ruleset_board["rows"] == []
    moved, moved_again, resigned, robot, race_board, below, today = daily
    assert [answer["ply"] for answer in (moved, moved_again)] == [1, 2]
    assert (resigned["ranked"], resigned["end"]) == (True, "resigned")
    assert (robot["end"], robot["held"], robot["places"]) == ("won", "pace", [])
    assert race_board["rows"] == []
    assert [row["held"] for row in below["rows"]] == ["pace", None]
    assert (today["dailies"][0]["entry"]["end"], today["dailies"][0]["players"]) == ("resigned", 2)


def test_the_client_follows_the_daily(daily_server: str) -> None:
    (client,) = re.findall(r"^```python\n(.*?)^```", README, re.DOTALL | re.MULTILINE)
    assert len(client.splitlines()) <= 30
    script = client.replace("127.0.0.1:8000", daily_server.removeprefix("http://"))
    name = "Follower"
    with (
        httpx.Client(base_url=f"{daily_server}/api/v1/", trust_env=False) as api,
        subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True) as running,
    ):
        assert running.stdout is not None
        try:
            assert next(running.stdout).startswith("playing: {")
            token = api.post("players/", json={"name": name, "password": "a long password"}).json()["token"]
            api.headers["Authorization"] = f"Token {token}"
            race = api.get("daily/").json()["dailies"][0]["id"]
            attempt = api.post(f"races/{race}/attempts/", json={}).json()["id"]
            while f"'{name}': 0" not in next(running.stdout):
                pass
            api.post(f"attempts/{attempt}/resign/")
            while (line := next(running.stdout)).startswith("playing:"):
                pass
            assert line == f"{name} finished resigned None\n"
            assert name not in next(running.stdout)
        finally:
            running.kill()


def test_every_file_that_the_readme_names_is_there() -> None:
    for path in re.findall(r"\]\((?!http)([^)#]+)\)", README):
        assert (ROOT / path).exists(), path


def test_every_command_of_the_readme_is_there() -> None:
    for name in re.findall(r"`manage\.py (\w+)", README):
        places = [ROOT / app / "management/commands" / f"{name}.py" for app in ("games", "leaderboard")]
        assert name in ("migrate", "collectstatic", "createsuperuser", "clearsessions") or any(
            map(Path.exists, places)
        ), name


def test_every_setting_that_is_read_is_in_the_table() -> None:
    source = (ROOT / "pyramid_site/settings.py").read_text()
    read = set(re.findall(r"""(?:environ\.get|read_\w+)\(\s*"([A-Z_]+)""", source))
    assert read <= set(re.findall(r"`([A-Z_]+)`", README))
