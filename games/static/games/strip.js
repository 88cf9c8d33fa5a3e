// The strip of rivals beside one's own game: how many cards each has removed by now. Ghosts run on one's own clock; who
// plays in the same race is shown as it happens.
import { countPlayed } from "./clock.js";
import * as engine from "./engine.js";
import { findGhost, listWanted } from "./ghosts.js";
import { choices, choose, onChange, state } from "./state.js";
import { MOST_RIVALS } from "./windows.js";
import { data, say, write, writeTime } from "./words.js";

const TICK = 500;
const PICK = 5000; // so long whom one sees stays the same
const MOST_IN_COLUMN = 6;
const NEVER = Number.MAX_SAFE_INTEGER; // ms
const FAR = 1000; // further from one's own place than anybody can be

const byId = (id) => document.getElementById(id);
const [strip, toggle] = [byId("ghosts"), byId("show-ghosts")];
const list = strip.querySelector("ol");
const column = matchMedia("(min-width: 60rem) and (min-height: 40rem)");

let wanted = ""; // attempt and who was asked for: what the strip shows
let own = null; // a line is {ghost, player, element, parts}; one's own has neither ghost nor player
let ghosts = [];
let watched = null; // the line whose table is shown
let live = []; // of who plays in the same race
let others = null; // the module that follows them, once a game is in a race: most visits need none of it
let pickedAt = -Infinity;
let races = data.race_page || new URLSearchParams(location.search).has("race"); // whether this game is in a race

arrange(); // who is known already gets a place before the cards: nothing shifts then
onChange(show);
setInterval(() => own && showProgress(), TICK);

column.addEventListener("change", () => {
  pickedAt = -Infinity;
  showLive();
});

toggle.addEventListener("click", () => {
  choose({ ghostsShown: !choices.ghostsShown });
  arrange();
});

/** Keep the place for an attempt's rivals free, before its cards are there. */
export function makeRoom({ race, end }) {
  races = Boolean(race && !end);
  arrange();
}

/** Whether there is a strip, and whether it is open. */
function arrange() {
  const any = races || listWanted().length > 0;
  toggle.hidden = !any;
  toggle.ariaExpanded = String(choices.ghostsShown);
  strip.hidden = !any || !choices.ghostsShown;
}

function show() {
  const { attempt } = state;
  const asked = listWanted();
  const key = JSON.stringify([attempt.id, asked]);
  if (key !== wanted) {
    wanted = key;
    followOthers(attempt);
    fetchAll(asked, key);
  }
  showProgress();
}

async function fetchAll(asked, key) {
  showGhosts(asked); // their names at once, the rest when it is there
  const found = await Promise.all(asked.map((ghost) => findGhost(ghost, state.attempt)));
  if (key === wanted) showGhosts(found);
}

function showGhosts(found) {
  own = makeLine(say("you"));
  ghosts = found.map((ghost) => makeLine(ghost.name, { ghost }));
  watched = null;
  live = [];
  pickedAt = -Infinity;
  arrange();
  showLive();
}

// Who plays in the same race

async function followOthers({ id, race, end }) {
  const wanted = race && !end ? race.id : null;
  if (wanted !== null && !others) {
    others = await import("./live.js");
    others.onLive(showLive);
    if (id !== state.attempt.id) return; // another game was begun meanwhile
  }
  if (!data.race_page) others?.followRace(wanted); // the page of a race follows it anyway
  showLive();
}

function showLive() {
  if (!own || !state.game) return;
  pick();
  showProgress();
}

/** Choose whom to see: who leads, those one follows, then who is nearest, rather those ahead. They stay for a while. */
function pick() {
  const room = Math.max(0, (column.matches ? MOST_IN_COLUMN : MOST_RIVALS) - ghosts.filter(hasGame).length);
  const rivals = others?.listRivals() ?? [];
  const isSound = live.every(({ player }) => rivals.some((row) => row.player === player));
  const isFull = live.length === Math.min(room, rivals.length);
  if (isSound && isFull && Date.now() - pickedAt < PICK) return drawLines();
  pickedAt = Date.now();
  const mine = countOwn();
  const leader = [...rivals].sort(compareLead)[0];
  const far = (row) => (row === leader ? -1 : measure(row, mine));
  const near = [...rivals].sort((a, b) => far(a) - far(b)).slice(0, room);
  live = rivals
    .filter((row) => near.includes(row)) // in the order in which they came: nobody changes places
    .map(({ player }) => live.find((line) => line.player === player) ?? makeLine(player, { player }));
  drawLines();
}

const compareLead = (a, b) =>
  (a.official_ms ?? NEVER) - (b.official_ms ?? NEVER) || b.removed - a.removed || Number(a.over) - Number(b.over);

/** Whether a ghost has something to show; where not, it makes way for who does. */
const hasGame = ({ ghost }) => Boolean(ghost.timeline);

const measure = ({ followed, over, removed, official_ms: ms }, mine) =>
  (followed ? 0 : 2 * FAR) + (over && ms === null ? FAR : 0) + Math.abs(removed - mine) - (removed > mine ? 0.5 : 0);

const countOwn = () => (state.game ? engine.TABLEAU_SIZE - engine.countLeft(state.game.position) : 0);

// The lines

function makeLine(name, more = {}) {
  const element = byId("ghost-line").content.firstElementChild.cloneNode(true);
  const parts = Object.fromEntries([...element.querySelectorAll("[data-part]")].map((part) => [part.dataset.part, part]));
  const { ghost, player } = more;
  write(parts.name, name);
  parts.name.title = name;
  element.classList.toggle("mine", !ghost && !player);
  element.classList.toggle("live", Boolean(player));
  parts.bar.hidden = Boolean(ghost && !ghost.timeline);
  if (ghost?.why) write(parts.why, say(ghost.why));
  const line = { element, parts, ...more };
  parts.watch.hidden = !ghost?.may_see;
  parts.watch.addEventListener("click", () => watch(line === watched ? null : line));
  return line;
}

/** Show a rival's table beside one's own, and no other; null: none. */
async function watch(line) {
  if (watched) press(watched, false);
  watched = line;
  if (!line) return;
  press(line, true);
  try {
    const { makeGhostTable } = await import("./ghost_table.js");
    line.showTable ??= await makeGhostTable(line.parts.table, line.ghost.id, state.game.cards);
  } catch (error) {
    if (!("status" in error)) throw error;
    write(line.parts.why, say(error.status === 404 ? "ghost_hidden" : "ghost_failed"));
    return press(line, false);
  }
  showProgress();
}

function press({ parts }, isOpen) {
  parts.watch.ariaPressed = String(isOpen);
  parts.table.hidden = !isOpen;
}

let nobody = null; // a line for who has nobody beside them

function drawLines() {
  const rivals = [...(live.length ? ghosts.filter(hasGame) : ghosts), ...live];
  if (!rivals.length && races) rivals.push((nobody ??= makeLine("", { ghost: { why: "nobody_beside" } })));
  const elements = rivals.length ? [own, ...rivals].map(({ element }) => element) : [];
  if (elements.length === list.childElementCount && elements.every((element, i) => element === list.children[i])) return;
  list.replaceChildren(...elements);
}

/** Where a line stands: cards removed, the time of a win that has come, whether it is over unwon. */
function readLine({ ghost, player }, ms, rivals) {
  if (player) return readRival(rivals.find((row) => row.player === player), rivals);
  if (!ghost) return { removed: countOwn(), won: state.attempt.official_ms };
  if (!ghost.timeline) return { removed: -1, won: null };
  const { removed } = ghost.timeline.findLast(({ t }) => t <= ms) ?? { removed: 0 };
  const won = ghost.official_ms !== null && ghost.official_ms <= ms ? ghost.official_ms : null;
  return { removed, won, over: ghost.end !== "won" && ghost.timeline.at(-1).t <= ms };
}

function readRival(row, rivals) {
  if (!row) return { removed: 0, won: null, over: true };
  const { removed, official_ms: won, over } = row;
  const times = [state.attempt, ...rivals].map((one) => one.official_ms);
  const place = won === null ? 0 : 1 + times.filter((ms) => ms !== null && ms < won).length;
  return { removed, won, over: over && won === null, place };
}

function showProgress() {
  if (!state.game || !own) return;
  const ms = countPlayed(state.attempt);
  const rivals = live.length ? others.listRivals() : [];
  const lines = [own, ...ghosts, ...live];
  const places = lines.map((line) => readLine(line, ms, rivals));
  const first = places.reduce((best, place) => (isAhead(place, best) ? place : best), { removed: 0, won: null });
  lines.forEach((line, i) => showLine(line, places[i], isLevel(places[i], first)));
  watched?.showTable?.(ms);
}

const isAhead = (one, other) =>
  (one.won ?? Infinity) < (other.won ?? Infinity) || (one.won === other.won && one.removed > other.removed);

const isLevel = (one, first) => first.removed > 0 && one.won === first.won && one.removed === first.removed;

function showLine({ ghost, element, parts }, { removed, won, over, place }, isFirst) {
  element.classList.toggle("first", isFirst);
  element.classList.toggle("over", Boolean(over));
  parts.first.hidden = !isFirst;
  if (ghost && !ghost.timeline) return;
  write(parts.number, won === null ? String(removed) : `${place ? `${place}. ` : ""}${writeTime(won)}`);
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
