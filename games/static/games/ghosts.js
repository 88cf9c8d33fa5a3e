// Whom one plays against: who they are, and the strip that shows how many cards each has removed by now.
import { countPlayed } from "./clock.js";
import * as engine from "./engine.js";
import { call } from "./server.js";
import { change, choices, choose, onChange, state } from "./state.js";
import { MOST_RIVALS, offerRivals, openWindow } from "./windows.js";
import { data, say, write, writeTime } from "./words.js";

const byId = (id) => document.getElementById(id);

// Finding them

const COMPUTERS = ["easy", "medium", "strong"];
const FINDERS = { best: findBest, leader: findLeader, friends: findFriend };

/** The ghosts that the address names: numbers of replays, at most three. */
export function readNamed() {
  const ids = new URLSearchParams(location.search).get("ghost")?.split(",") ?? [];
  return ids.filter((id) => /^[1-9]\d{0,17}$/.test(id)).slice(0, MOST_RIVALS);
}

/** From now on it is those whom the player has chosen. */
function clearNamed() {
  const query = new URLSearchParams(location.search);
  query.delete("ghost");
  history.replaceState(null, "", `${location.pathname}${query.size ? `?${query}` : ""}`);
}

/** Who was asked for, before anybody is found: {key, name}. */
function listWanted() {
  if (data.offline) return [];
  const ids = readNamed();
  if (ids.length) return ids.map((id) => ({ key: id, name: say("ghost") }));
  return choices.against.map((key) => ({ key, name: say(`against_${key}`) }));
}

/**
 * The pace of who was asked for, beside an attempt: {key, name, timeline, end, official_ms, id}, or {key, name, why}
 * where there is nothing to show. id: of a replay; the computer has none.
 */
async function findGhost({ key, name }, attempt) {
  try {
    if (COMPUTERS.includes(key)) return { key, ...(await call("GET", `attempts/${attempt.id}/opponent/?strength=${key}`)) };
    const row = key in FINDERS ? await FINDERS[key](attempt) : { replay: Number(key) };
    if (!row) return { key, name, why: "ghost_none" };
    if (row.replay === attempt.id) return { key, name, why: "ghost_own" };
    const found = await call("GET", `replays/${row.replay}/ghost/`);
    if (found.deal !== attempt.deal) return { key, name, why: "ghost_other" };
    return { key, ...found, name: key === "best" ? name : found.player };
  } catch (error) {
    if (!("status" in error)) throw error;
    if (error.status !== 404) return { key, name, why: "ghost_failed" };
    return { key, name, why: attempt.race ? "ghost_race" : "ghost_hidden" };
  }
}

// Each finds a row of a board; undefined where there is none

async function findLeader({ deal, race, ranked }) {
  const path = race && ranked ? `races/${race.id}` : `deals/${deal}`;
  return (await call("GET", `${path}/board/?limit=1`)).rows[0];
}

const readFriends = async ({ deal }) => (await call("GET", `deals/${deal}/board/?among=friends&limit=100`)).rows;

async function findBest(attempt) {
  return (await readFriends(attempt)).find(({ player }) => player === attempt.player);
}

async function findFriend(attempt) {
  return (await readFriends(attempt)).find(({ player }) => player !== attempt.player);
}

// The strip

const TICK = 500;
const [strip, toggle] = [byId("ghosts"), byId("show-ghosts")];
const list = strip.querySelector("ol");

let wanted = ""; // attempt and who was asked for: what the strip shows
let lines = []; // {ghost, element, parts}; one's own has no ghost

arrange(); // who is known already gets a place before the cards: nothing shifts then
onChange(show);
setInterval(() => lines.length && showProgress(), TICK);

toggle.addEventListener("click", () => {
  choose({ ghostsShown: !choices.ghostsShown });
  arrange();
});

/** Ask whom to play against, also in the middle of a game. */
export async function askAgainst() {
  const read = offerRivals(byId("against").querySelector("form"));
  if ((await openWindow("against")) !== "choose") return;
  choose({ against: read(), ghostsShown: true });
  clearNamed();
  change({});
}

function show() {
  const asked = listWanted();
  const key = JSON.stringify([state.attempt.id, asked]);
  if (key !== wanted) {
    wanted = key;
    fetchAll(asked, key);
  }
  showProgress();
}

async function fetchAll(asked, key) {
  showLines(asked); // their names at once, the rest when it is there
  const found = await Promise.all(asked.map((ghost) => findGhost(ghost, state.attempt)));
  if (key === wanted) showLines(found);
}

function showLines(ghosts) {
  lines = ghosts.length ? [makeLine(null), ...ghosts.map(makeLine)] : [];
  list.replaceChildren(...lines.map(({ element }) => element));
  arrange();
  showProgress();
}

/** Whether there is a strip, and whether it is open. */
function arrange() {
  const any = listWanted().length > 0;
  toggle.hidden = !any;
  toggle.ariaExpanded = String(choices.ghostsShown);
  strip.hidden = !any || !choices.ghostsShown;
}

function makeLine(ghost) {
  const element = byId("ghost-line").content.firstElementChild.cloneNode(true);
  const parts = Object.fromEntries([...element.querySelectorAll("[data-part]")].map((part) => [part.dataset.part, part]));
  const name = ghost?.name ?? say("you");
  write(parts.name, name);
  parts.name.title = name;
  element.classList.toggle("mine", !ghost);
  parts.bar.hidden = Boolean(ghost && !ghost.timeline);
  if (ghost?.why) write(parts.why, say(ghost.why));
  return { ghost, element, parts };
}

/** Where a line stands: cards removed, and the time of a win that has come. */
function readLine(ghost, ms) {
  const { attempt, game } = state;
  if (!ghost) return { removed: engine.TABLEAU_SIZE - engine.countLeft(game.position), won: attempt.official_ms };
  if (!ghost.timeline) return { removed: -1, won: null };
  const { removed } = ghost.timeline.findLast(({ t }) => t <= ms) ?? { removed: 0 };
  const won = ghost.official_ms !== null && ghost.official_ms <= ms ? ghost.official_ms : null;
  return { removed, won, over: ghost.end !== "won" && ghost.timeline.at(-1).t <= ms };
}

function showProgress() {
  if (!state.game) return;
  const ms = countPlayed(state.attempt);
  const places = lines.map(({ ghost }) => readLine(ghost, ms));
  const first = places.reduce((best, place) => (isAhead(place, best) ? place : best), { removed: 0, won: null });
  lines.forEach((line, i) => showLine(line, places[i], isLevel(places[i], first)));
}

const isAhead = (one, other) =>
  (one.won ?? Infinity) < (other.won ?? Infinity) || (one.won === other.won && one.removed > other.removed);

const isLevel = (one, first) => first.removed > 0 && one.won === first.won && one.removed === first.removed;

function showLine({ ghost, element, parts }, { removed, won, over }, isFirst) {
  element.classList.toggle("first", isFirst);
  element.classList.toggle("over", Boolean(over));
  parts.first.hidden = !isFirst;
  if (ghost && !ghost.timeline) return;
  write(parts.number, won === null ? String(removed) : writeTime(won));
  const told = won === null ? say("ghost_removed", { removed }) : say("ghost_won", { time: writeTime(won) });
  write(parts.told, over ? `${told} ${say("ghost_over")}` : told);
  parts.bar.style.setProperty("--removed", removed);
  if (state.attempt.end && ghost?.id) linkBoth(parts.name, ghost.id);
}

/** Once one's own game is over, both can be watched beside each other. */
function linkBoth(place, id) {
  if (place.firstElementChild) return;
  const link = Object.assign(document.createElement("a"), { textContent: place.textContent });
  link.href = `/replays/${state.attempt.id}/?beside=${id}`;
  place.replaceChildren(link);
}
