"""Does who watches a race see what happens in it, and does a player's game come through whatever the line does?"""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
from playwright.sync_api import Browser, Page, expect

from tests.browser import table
from tests.browser.conftest import prepare_site
from tests.browser.health import find_barriers, forgive, is_too_wide, watch
from tests.players import FEWEST, easy_deal, own_line
from tests.site.servers import RunningServer, serve

# two entries with the very same moves are not both ranked
MOVES, OTHERS = own_line(101).split(" "), own_line(77).split(" ")
PASSWORD = "correct horse battery"
SOON = 2000  # ms; what is measured is printed, and is far less
# notes in the page when each number of removed cards of a player was drawn, by the clock of this machine
NOTE = """name => {
    window.seen = {};
    new MutationObserver(() => {
        const all = [...document.querySelectorAll(".runner")];
        const runner = all.find(row => row.querySelector("b").textContent === name);
        const removed = runner?.querySelector("[data-part=facts]").textContent.match(/^[0-9]+/)?.[0];
        if (removed) window.seen[removed] ??= performance.timeOrigin + performance.now();
    }).observe(document.getElementById("playing"), {subtree: true, childList: true, characterData: true});
}"""
FOLLOW = """async names => {
    const { call } = await import("/static/games/server.js");
    for (const name of names) await call("PUT", `players/${name}/follow/`, {});
}"""
GIVE_UP = """async race => {
    const { call } = await import("/static/games/server.js");
    const { id } = await call("POST", `races/${race}/attempts/`, {});
    await call("POST", `attempts/${id}/resign/`);
}"""
STAMP = "performance.timeOrigin + performance.now()"


class Rival:
    """A player over REST, in a thread of its own where the test goes on meanwhile."""

    def __init__(self, url: str, name: str) -> None:
        self.client = httpx.Client(base_url=f"{url}/api/v1/", timeout=20)
        token = self.post("players/", {"name": name, "password": PASSWORD})["token"]
        self.client.headers["Authorization"] = f"Token {token}"

    def post(self, path: str, body: Any = None) -> Any:
        answer = self.client.post(path, json=body)
        assert answer.status_code in (200, 201), answer.text
        return answer.json()

    def enter(self, race: int) -> int:
        self.attempt: int = self.post(f"races/{race}/attempts/", {})["id"]
        return self.attempt

    def play(self, from_ply: int, moves: list[str]) -> Any:
        return self.post(f"attempts/{self.attempt}/moves/", {"from_ply": from_ply, "moves": " ".join(moves)})


def make_race(url: str, host: str) -> int:
    """A race on the easy deal; the dailies are other tests'."""
    closes_at = (datetime.now(UTC) + timedelta(hours=1)).isoformat()
    body = {"name": "Live", "deal": easy_deal("N").code, "closes_at": closes_at}
    race: int = Rival(url, host).post("races/", body)["id"]
    return race


def count_removed(moves: int) -> int:
    """The cards of the first so many of MOVES."""
    return sum(len(table.parts(token)) for token in MOVES[:moves])


def runner(page: Page, name: str) -> Any:
    return page.locator(".runner").filter(has=page.get_by_text(name, exact=True))


def open_race(page: Page, url: str, race: int) -> None:
    """The page of a race, with its line open."""
    page.goto(f"{url}/races/{race}/")
    expect(page.locator("body")).to_have_attribute("data-line", "live")


@contextmanager
def player(chromium: Browser, url: str, name: str, wrong: list[str]) -> Iterator[Page]:
    """A signed-up player in a browser of their own."""
    context = chromium.new_context(locale="en-GB", reduced_motion="reduce")
    context.set_default_timeout(20_000)
    page = watch(context.new_page(), wrong)
    page.goto(f"{url}/account/sign-up/")
    page.get_by_label("Name").fill(name)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign up").click()
    expect(page.locator("body")).to_have_attribute("data-player", name)
    yield page
    context.close()


def enter(page: Page, url: str, race: int) -> None:
    page.goto(f"{url}/play/?race={race}")
    page.locator('#before [value="start"]').click()
    expect(page.locator("main .card").first).to_be_visible()


def test_a_third_screen_shows_two_browsers_and_a_rest_client_as_they_play(
    chromium: Browser, page: Page, server: str, wrong: list[str]
) -> None:
    race = make_race(server, "Host of three")
    with player(chromium, server, "Live Ada", wrong) as ada, player(chromium, server, "Live Bob", wrong) as bob:
        open_race(page, server, race)
        for one in (ada, bob):
            enter(one, server, race)
        rest = Rival(server, "Live Rest")
        rest.enter(race)
        for name in ("Live Ada", "Live Bob", "Live Rest"):
            expect(runner(page, name)).to_be_visible()
        page.evaluate(NOTE, "Live Ada")
        made: dict[str, float] = {}
        for number, token in enumerate(MOVES[:6]):
            table.click(ada, token)
            made[str(count_removed(number + 1))] = ada.evaluate(STAMP)
            expect(runner(page, "Live Ada")).to_contain_text(f"{list(made)[-1]}/28")
        seen = page.evaluate("window.seen")
        took = [round(seen[count] - at) for count, at in made.items()]
        print(f"From a move in one browser to its picture in another, ms: {took}")
        assert max(took) < SOON
        table.click(bob, MOVES[0])
        expect(runner(page, "Live Bob")).to_contain_text(f"{count_removed(1)}/28")

        rest.play(0, OTHERS)
        first = page.locator("#board tr").first
        expect(first).to_have_attribute("data-player", "Live Rest")
        expect(first.locator("[data-part=moves]")).to_have_text(str(FEWEST))
        table.play(ada, MOVES[6:], table.click)
        table.result(ada, FEWEST)
        expect(page.locator("#board tr")).to_have_count(2)
        expect(page.locator("#board tr").nth(1)).to_have_attribute("data-player", "Live Ada")
        expect(page.locator("#news")).to_contain_text("Live Ada has won in")
        expect(page.locator("[data-count=won]")).to_have_text("2")

        open_race(ada, server, race)  # who has ended watches the table of who plays
        expect(ada.locator("#board .mine")).to_contain_text("Live Ada")
        expect(ada.locator("#enter")).to_have_text("See my result")
        runner(ada, "Live Bob").locator("button").click()
        expect(ada.locator("#watched")).to_have_text(f"Live Bob: {count_removed(1)} of 28 removed, moves: 1")
        table.click(bob, MOVES[1])
        expect(ada.locator("#watched")).to_have_text(f"Live Bob: {count_removed(2)} of 28 removed, moves: 2")
        expect(ada.locator('#table .card[data-place^="g"]')).to_have_count(7 - count_removed(2))
        assert find_barriers(ada) == []
        expect(runner(page, "Live Bob").locator("button")).to_be_hidden()
    assert not is_too_wide(page)


def test_who_was_cut_off_is_told_what_happened_meanwhile(
    page: Page, tmp_path: Path, wrong: list[str], chromium: Browser
) -> None:
    env = prepare_site(str(tmp_path))
    with serve(env=env) as first:
        url = first.url.rstrip("/")
        race = make_race(url, "Host of all")
        rest, late = Rival(url, "Before"), Rival(url, "Meanwhile")
        for rival in (rest, late):
            rival.enter(race)
        open_race(page, url, race)
        expect(runner(page, "Meanwhile")).to_be_visible()
        with player(chromium, url, "Playing", wrong) as playing:
            with playing.expect_websocket() as opened:
                enter(playing, url, race)
            socket = opened.value
            assert "/ws/attempts/" in socket.url
            sent: list[str | bytes] = []
            socket.on("framesent", lambda frame: sent.append(frame))
            table.play(playing, MOVES[:3], table.click)
            table.wait_until_stored(playing, " ".join(MOVES[:3]))
            assert sent, "ranked moves go over the socket"
            kill(first)
            table.play(playing, MOVES[3:6], table.click)
            expect(page.locator("#line")).to_have_text("Not connected. Trying again.")
            page.context.set_offline(True)  # the watcher comes back later than the server
            with serve(["--port", str(first.port)], env):
                late.play(0, OTHERS)
                page.context.set_offline(False)
                expect(page.locator("#board tr").first).to_have_attribute("data-player", "Meanwhile")
                expect(page.locator("#line")).to_have_text("You were away: one ended meanwhile.")
                expect(page.locator("body")).to_have_attribute("data-line", "live")
                table.wait_until_stored(playing, " ".join(MOVES[:6]))
                expect(runner(page, "Playing")).to_contain_text(f"{count_removed(6)}/28")
                table.play(playing, MOVES[6:], table.click)
                table.result(playing, FEWEST)
                assert table.stored(playing) == " ".join(MOVES)
                expect(page.locator("#board [data-player=Playing]")).to_be_visible()
                page.goto("about:blank")
                playing.goto("about:blank")
    forgive(wrong, "net::ERR_", "WebSocket")


def kill(server: RunningServer) -> None:
    """Without a word to anybody; its database ends with it."""
    server.process.kill()
    server.process.wait()


NO_SOCKETS = """window.WebSocket = class {
    constructor() { setTimeout(() => this.onclose?.({code: 1006})); }
    close() {}
};"""


def test_where_no_socket_can_be_had_the_page_asks_again_and_again(page: Page, server: str, wrong: list[str]) -> None:
    race = make_race(server, "Host of slow")
    page.add_init_script(
        "window.WebSocket = class { constructor() { setTimeout(() => this.onclose?.({code: 1006})); } close() {} }"
    )
    page.goto(f"{server}/races/{race}/")
    expect(page.locator("body")).to_have_attribute("data-line", "slow")
    rest = Rival(server, "Poll")
    rest.enter(race)
    expect(runner(page, "Poll")).to_be_visible()
    rest.play(0, MOVES)
    expect(page.locator("#board tr")).to_have_attribute("data-player", "Poll")


DEAFEN = """const Real = WebSocket;
window.WebSocket = class extends Real {
    number = document.body.dataset.sockets = Number(document.body.dataset.sockets ?? 0) + 1;
    set onmessage(hear) { super.onmessage = hear && (message => window.deaf === this.number || hear(message)); }
};"""


def test_a_line_that_is_dead_without_a_word_is_found_out_and_made_anew(page: Page, server: str) -> None:
    race = make_race(server, "Host of silence")
    page.clock.install()
    page.add_init_script(DEAFEN)
    open_race(page, server, race)
    rival = Rival(server, "Unheard")
    rival.enter(race)
    expect(runner(page, "Unheard")).to_be_visible()
    page.evaluate("window.deaf = 1")
    rival.play(0, MOVES)
    page.clock.fast_forward(70_000)  # nothing was heard for a minute, or the machine slept
    expect(page.locator("#board tr")).to_have_attribute("data-player", "Unheard")
    expect(page.locator("#line")).to_have_text("You were away: one ended meanwhile.")
    expect(page.locator("body")).to_have_attribute("data-sockets", "2")
    expect(page.locator("body")).to_have_attribute("data-line", "live")


# The state that frames make, in the browser's own words
STATES = """async frames => {
    const {startState, take} = await import("%s");
    const state = startState();
    const fresh = frames.map(frame => take(state, frame).map(row => row.entry));
    return {playing: [...state.playing.keys()].sort(), over: [...state.over.keys()], fresh};
}"""


def row(entry: int, kind: str = "progress", removed: int = 2) -> dict[str, Any]:
    return {"entry": entry, "kind": kind, "removed": removed, "player": f"P{entry}"}


def test_frames_said_twice_or_out_of_a_snapshot_make_the_same_state(page: Page, server: str) -> None:
    page.goto(f"{server}/races/1/")
    address = page.locator("link[href*='games/feed']").get_attribute("href")
    snapshot = {"type": "snapshot", "playing": [row(1), row(2), row(3)], "since": "1"}
    changes = {"type": "changes", "rows": [row(2, "finished"), row(4)], "gone": [3], "since": "2"}
    made = page.evaluate(STATES % address, [snapshot, changes, changes, snapshot | {"playing": [row(4)]}])
    assert made == {"playing": [4], "over": [2], "fresh": [[1, 2, 3], [2, 4], [], []]}


FLOOD = """async ({entries, seconds}) => {
    const rows = n => entries.map(entry => ({...entry, removed: n % 28, moves: n}));
    let worst = 0, last = performance.now(), frames = 0, shift = 0;
    new PerformanceObserver(list => list.getEntries().forEach(one => { shift += one.hadRecentInput ? 0 : one.value; }))
        .observe({type: "layout-shift"});
    const watch = at => { frames += 1; worst = Math.max(worst, at - last); last = at; requestAnimationFrame(watch); };
    requestAnimationFrame(at => { last = at; requestAnimationFrame(watch); });
    for (let n = 1; n <= seconds * 4; n += 1) {
        const frame = {type: "changes", now: new Date().toISOString(), since: "9", rows: rows(n), gone: []};
        window.flood({data: JSON.stringify(frame)});
        await new Promise(done => setTimeout(done, 250));
    }
    return {worst: Math.round(worst), rate: Math.round(frames / seconds), shift};
}"""


KEEP_HEARING = """const Real = WebSocket;
window.WebSocket = class extends Real {
    set onmessage(hear) { super.onmessage = hear; if (hear) window.flood = hear; }
};"""


def test_two_hundred_who_play_are_drawn_smoothly(page: Page, server: str) -> None:
    page.add_init_script(KEEP_HEARING)
    open_race(page, server, make_race(server, "Host of many"))
    entry = {"kind": "progress", "guest": False, "ranked": True, "pass": 1, "started_at": "2026-01-01T00:00:00+00:00"}
    entries = [entry | {"entry": 10_000 + n, "player": f"Many {n}"} for n in range(200)]
    found = page.evaluate(FLOOD, {"entries": entries, "seconds": 2})
    print(f"200 rows changed 4 times a second: {found}")
    expect(page.locator("#more-playing")).to_be_visible()
    assert found["worst"] < 1000
    assert found["shift"] < 0.1


def test_a_race_is_made_shared_and_entered_by_its_code(chromium: Browser, server: str, wrong: list[str]) -> None:
    with player(chromium, server, "Live Host", wrong) as host:
        host.goto(f"{server}/races/")
        host.get_by_role("button", name="Make a race").click()
        expect(host.locator('[data-error="name"]')).not_to_be_empty()
        forgive(wrong, "400 POST")
        host.get_by_label("Name").fill("Tea")
        host.get_by_label("Ruleset").select_option("F")
        host.get_by_label("Invite code").fill("milk first")
        host.get_by_role("button", name="Make a race").click()
        expect(host.locator("h1")).to_have_text("Tea")
        expect(host.get_by_label("Invite code")).to_have_value("milk first")
        address = host.url
        with player(chromium, server, "Live Friend", wrong) as friend:
            friend.goto(f"{address}?invite=milk%20first")
            expect(friend.get_by_label("Invite code")).to_have_value("milk first")
            friend.locator("#invited button").click()
            friend.locator('#before [value="start"]').click()
            expect(friend.locator("main .card").first).to_be_visible()
            expect(runner(host, "Live Friend")).to_be_visible()


def test_ranks_among_friends_are_the_servers_and_follow_the_race(
    chromium: Browser, server: str, wrong: list[str]
) -> None:
    race = make_race(server, "Host of friends")
    friend, other, late = (Rival(server, name) for name in ("Circle Bea", "Circle Cleo", "Circle Dan"))
    with player(chromium, server, "Circle Ada", wrong) as page:
        open_race(page, server, race)
        page.evaluate(FOLLOW, ["Circle Bea", "Circle Dan"])
        page.get_by_role("link", name="Friends", exact=True).click()
        page.wait_for_url("**/?among=friends")
        expect(page.locator("body")).to_have_attribute("data-line", "live")
        for number, rival in enumerate((other, late, friend)):
            rival.enter(race)
            rival.play(0, own_line(300 + number).split(" "))
            if rival is other:
                expect(page.locator("[data-count=won]")).to_have_text("1")
            elif rival is late:
                places = page.locator("#board tr")
                expect(places).to_have_count(1)
                places.get_by_role("link", name="Circle Dan").focus()
        expect(places).to_have_count(2)
        rows = page.request.get(f"{server}/api/v1/races/{race}/board/?among=friends").json()["rows"]
        shown = [place.inner_text().split()[:3] for place in places.all()]
        assert shown == [[str(row["rank"]), *row["player"].split()] for row in rows]
        expect(page.get_by_role("link", name="Circle Dan")).to_be_focused()
        expect(page.get_by_role("link", name="Circle Cleo")).to_have_count(0)
        page.keyboard.press("Enter")
        page.wait_for_url(f"{server}/players/Circle%20Dan/")
        page.go_back()
        expect(places.get_by_role("link")).to_have_count(2)  # to the players: Ada may not know the cards yet
        page.evaluate(GIVE_UP, race)
        expect(places.get_by_role("link")).to_have_count(6)
        places.first.get_by_role("link", name="Beat this").click()
        page.wait_for_url(f"{server}/play/{easy_deal('N').code}?ghost={rows[0]['replay']}")
