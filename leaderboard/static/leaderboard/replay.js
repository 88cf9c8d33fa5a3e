// The page of a replay: a game, or two on the same deal, step by step or as it was played.
import { tellMove } from "../games/cards.js";
import * as engine from "../games/engine.js";
import { makeTable } from "../games/table.js";
import { data, say, write, writeTime } from "../games/words.js";
import { frameAt, frameOfPly, makeFrames, paceOf, realTime } from "./timeline.js";

const SPEEDS = [1, 2, 4, 8, 16];
const NO_MARKS = { selected: null, partners: [], hint: [] };
const KEPT = "pyramidion.replay"; // how this browser's viewer likes it

const byId = (id) => document.getElementById(id);
const choices = { speed: 1, shortened: true, ...JSON.parse(localStorage.getItem(KEPT) ?? "{}") };
const cards = data.cards.split(" ");
const sides = data.lines.map((line, which) => makeSide(line, byId(`side-${which}`)));
const frames = makeFrames(sides.map(({ states, times }) => ({ plies: states.length - 1, times })));

let pace = paceOf(frames, choices.shortened);
let current = 0; // the frame on the tables
let moment = 0; // of the playback, in ms at normal speed
let playing = false;
let last = 0; // when the playback was moved on, by the browser's clock

// The games

function makeSide({ moves, times }, root) {
  const table = makeTable(root.querySelector(".table"), { tap: () => null, drop: () => null });
  const part = (name) => root.querySelector(`[data-part=${name}]`);
  return { times, table, states: playThrough(moves), removed: part("removed"), moves: part("moves") };
}

/** The game after each of its tokens, without the logs: all of them together would be large. */
function playThrough(moves) {
  let game = engine.startGame(data.ruleset, cards);
  const states = [{ ...game, log: [], moves: 0, token: null }];
  for (const token of moves ? moves.split(" ") : []) {
    game = engine.playGame(game, token);
    states.push({ ...game, log: [], tokens: [], moves: engine.countMoves(game), token });
  }
  return states;
}

// Showing a frame

function show(frame) {
  const before = frames[current].plies;
  current = frame;
  const { plies } = frames[current];
  sides.forEach((side, which) => showSide(side, side.states[plies[which]]));
  const { value } = byId("scrub");
  if (Number(value) !== current) byId("scrub").value = current;
  byId("scrub").setAttribute("aria-valuetext", say("ply_of", { ply: plies[0], plies: sides[0].states.length - 1 }));
  write(byId("ply"), `${plies[0]}/${sides[0].states.length - 1}`);
  for (const id of ["first", "back"]) byId(id).disabled = current === 0;
  for (const id of ["forward", "final"]) byId(id).disabled = current === frames.length - 1;
  keepAddress(plies[0]);
  if (!playing) write(byId("told"), tellFrame(before, plies));
  showTime();
}

function showSide(side, state) {
  side.table.show(state, NO_MARKS, {});
  write(side.removed, `${engine.TABLEAU_SIZE - engine.countLeft(state.position)}/28`);
  write(side.moves, String(state.moves));
}

/** What the move that led to a frame did; of two games the one that has moved. */
function tellFrame(before, plies) {
  const which = plies.findIndex((ply, i) => ply !== before[i]);
  const ply = plies[Math.max(which, 0)];
  const { states } = sides[Math.max(which, 0)];
  if (!ply) return say("at_start");
  return tellMove(states[ply].token, states[ply - 1].position, states[ply].position);
}

function showTime() {
  write(byId("clock"), writeTime(realTime(frames, pace, moment), true));
}

/** The address of a ply, without a step back in the browser for each. */
let written = 0;
function keepAddress(ply) {
  clearTimeout(written);
  written = setTimeout(() => history.replaceState(null, "", addressOf(ply)), playing ? 500 : 0);
}

function addressOf(ply) {
  const address = new URL(location.href);
  address.searchParams.delete("ply");
  address.hash = `ply=${ply}`;
  return address;
}

// Moving on

/** Go to a frame by hand: what was playing stops there. */
function go(frame) {
  stop();
  const wanted = Math.min(Math.max(frame, 0), frames.length - 1);
  moment = pace[wanted];
  show(wanted);
}

function start() {
  if (current === frames.length - 1) moment = 0;
  playing = true;
  last = performance.now();
  showPlaying();
  requestAnimationFrame(tick);
}

function stop() {
  playing = false;
  showPlaying();
}

function tick(now) {
  if (!playing) return;
  moment = Math.min(moment + Math.max(0, now - last) * choices.speed, pace.at(-1));
  last = now;
  const frame = frameAt(pace, moment);
  if (frame !== current) show(frame);
  else showTime();
  if (moment < pace.at(-1)) return requestAnimationFrame(tick);
  stop();
  show(current);
}

function showPlaying() {
  byId("play").classList.toggle("playing", playing);
  byId("play").ariaLabel = byId("play").title = say(playing ? "stop_replay" : "start_replay");
}

const toggle = () => (playing ? stop() : start());

function choose(fields) {
  Object.assign(choices, fields);
  localStorage.setItem(KEPT, JSON.stringify(choices));
  for (const button of document.querySelectorAll("[data-speed]")) {
    button.ariaPressed = String(Number(button.dataset.speed) === choices.speed);
  }
}

function shorten(shortened) {
  const real = realTime(frames, pace, moment);
  choose({ shortened });
  pace = paceOf(frames, shortened);
  moment = pace[current] + Math.min(real - frames[current].at, (pace[current + 1] ?? pace[current]) - pace[current]);
}

async function copyLink() {
  try {
    await navigator.clipboard.writeText(addressOf(frames[current].plies[0]).href);
    write(byId("told"), say("link_copied"));
  } catch {
    write(byId("told"), location.href); // not over a safe connection: at least it can be read
  }
}

// Buttons and keys

const buttons = {
  first: () => go(0),
  back: () => go(current - 1),
  play: toggle,
  forward: () => go(current + 1),
  final: () => go(frames.length - 1),
  "copy-link": copyLink,
};
for (const [id, press] of Object.entries(buttons)) byId(id).addEventListener("click", press);
for (const button of document.querySelectorAll("[data-speed]")) {
  button.addEventListener("click", () => choose({ speed: Number(button.dataset.speed) }));
}
byId("scrub").addEventListener("input", ({ target }) => go(Number(target.value)));
byId("shorten").addEventListener("change", ({ target }) => shorten(target.checked));
byId("beside")?.addEventListener("change", ({ target }) => target.form.requestSubmit());

const keys = {
  " ": toggle,
  ArrowRight: buttons.forward,
  ArrowLeft: buttons.back,
  Home: buttons.first,
  End: buttons.final,
  ...Object.fromEntries(SPEEDS.map((speed, i) => [String(i + 1), () => choose({ speed })])),
};

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || !(event.key in keys)) return;
  if (event.target.closest("dialog")) return;
  const focused = event.target.closest("a, button, select, input, summary");
  if (focused?.matches("select") || (event.key === " " && focused && focused !== byId("scrub"))) return;
  event.preventDefault();
  keys[event.key]();
});

/** The ply that the address names: #ply=12 or ?ply=12. */
function readPly() {
  const named = new URLSearchParams(location.hash.slice(1)).get("ply") ?? new URLSearchParams(location.search).get("ply");
  return /^\d+$/.test(named ?? "") ? Number(named) : 0;
}

window.addEventListener("hashchange", () => go(frameOfPly(frames, readPly())));

byId("scrub").max = frames.length - 1;
byId("shorten").checked = choices.shortened;
choose({});
go(frameOfPly(frames, readPly()));
