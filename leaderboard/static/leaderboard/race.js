// The page of a race: how it stands, its ranks, and everybody's progress as it happens. Frames only say what is to be
// drawn; it is drawn once a picture of the screen, however many frames came.
import { call } from "../games/server.js";
import { data, say, writeTime } from "../games/words.js";
import { agrees, isBetter, place, rank, stands } from "./board.js";
import { follow, startState, take } from "./feed.js";
import { arrange, makeFold, makeRow, write } from "./rows.js";
import { watchTable } from "./watching.js";

const MOST_PLACES = 100;
const FIRST_PLACES = 10;
const FIRST_RUNNERS = 24;
const FIRST_BELOW = 10;
const SETTLE = 3000; // so often who plays is brought into order: calm enough to read
const SPEAK = 1500; // what happens within is told in one sentence
const PATIENCE = 1200; // a line that is back by then was never away
const ROW_CARDS = 7;

const byId = (id) => document.getElementById(id);
const state = startState();
let board = { ...data.board, stale: false };
let below = joinBelow(data.below, data.guests);
let entry = data.entry;
let mayWatch = data.may_watch;
let ahead = 0; // the server's clock less this one, in ms

const now = () => Date.now() + ahead;
const setClock = (frame) => {
  ahead = Date.parse(frame.now) - Date.now();
};

// Drawing once a picture

const dirty = new Set(); // what is to be drawn: "head", "board", "below", "runners"
let drawing = false;
const parts = { head: showHead, board: showBoard, below: showBelow, runners: showRunners };

function draw(...names) {
  for (const name of names) dirty.add(name);
  if (drawing) return;
  drawing = true;
  requestAnimationFrame(() => {
    drawing = false;
    const wanted = [...dirty];
    dirty.clear();
    for (const name of wanted) parts[name]();
  });
}

// How it stands

function showHead() {
  for (const place of document.querySelectorAll("[data-count]")) write(place, state.counts[place.dataset.count]);
  showPhase();
  const enter = byId("enter");
  const over = entry?.over;
  const byCode = byId("invited");
  enter.hidden = !(over || (entry && state.phase !== "closed") || (state.phase === "open" && !byCode));
  write(enter, say(over ? "my_result" : entry ? "go_on" : "enter"));
  enter.href = entry?.attempt ? `/play/?attempt=${entry.attempt}` : `/play/?race=${data.race}`;
  enter.classList.toggle("plain", Boolean(over));
  byId("body").hidden = state.phase === "upcoming";
  byId("before").hidden = state.phase !== "upcoming";
  byId("playing-part").hidden = state.phase === "closed" || state.phase === "withdrawn";
  if (byCode) byCode.hidden = state.phase !== "open" || Boolean(entry);
}

function showPhase() {
  const [opens, closes] = [Date.parse(data.opens_at), Date.parse(state.closes_at)];
  const sentences = {
    upcoming: () => say("opens_in", { time: writeSpan(opens - now()) }),
    open: () => say("closes_in", { time: writeSpan(closes - now()) }),
    grace: () => say("ends_in", { time: writeSpan(closes + 3_600_000 - now()) }),
    closed: () => say("over"),
    withdrawn: () => say("withdrawn"),
  };
  write(byId("phase"), sentences[state.phase]());
}

/** A span that may last days. */
function writeSpan(ms) {
  const days = Math.floor(ms / 86_400_000);
  return days > 0 ? say("days", { days, time: writeTime(ms % 86_400_000) }) : writeTime(ms);
}

// The ranks

const places = new Map(); // player -> row
const arrivals = new Set(); // who has come since the page was opened
const fold = makeFold(
  byId("more-board"),
  FIRST_PLACES,
  { all: (count) => say("show_all", { count }), fewer: () => say("show_fewer") },
  () => draw("board"),
);

function drawPlace(row) {
  const found = places.get(row.player) ?? makeRow("place");
  if (!places.has(row.player)) {
    places.set(row.player, found);
    found.element.dataset.player = row.player;
    found.element.classList.toggle("arrived", arrivals.has(row.player));
  }
  return fillPlace(found, row);
}

function fillPlace({ element, parts: cells }, row) {
  write(cells.rank, row.rank);
  write(cells.player, row.player);
  write(cells.time, writeTime(row.official_ms, true));
  write(cells.moves, row.moves);
  element.classList.toggle("mine", row.player === data.me);
  return element;
}

function showBoard() {
  const rows = fold.all ? board.rows : board.rows.slice(0, FIRST_PLACES);
  for (const player of places.keys()) if (!board.rows.some((row) => row.player === player)) places.delete(player);
  arrange(byId("board"), rows.map((row) => drawPlace(row)));
  fold.show(board.rows.length);
  byId("no-board").hidden = board.rows.length > 0;
  showOwn(rows);
}

/** One's own row stands below the others where it is not among them. */
function showOwn(shown) {
  const mine = board.rows.find(({ player }) => player === data.me) ?? board.own;
  const outside = Boolean(mine) && !shown.some(({ player }) => player === data.me);
  byId("own").hidden = !outside;
  byId("to-me").hidden = !outside;
  if (!outside) return;
  const rows = mine === board.own ? (board.around ?? [mine]) : [mine];
  byId("own").replaceChildren(...rows.map((row) => fillPlace(makeRow("place"), row)));
}

async function goToMe() {
  fold.toggle(true);
  if (!board.rows.some(({ player }) => player === data.me)) await readAround();
  requestAnimationFrame(() => {
    const row = document.querySelector("#board .mine") ?? document.querySelector("#own .mine");
    row.scrollIntoView({ block: "center" });
    row.tabIndex = -1;
    row.focus({ preventScroll: true });
  });
}

/** The rows around one's own, of a board that is longer than what the page holds. */
async function readAround() {
  const found = await call("GET", `races/${data.race}/board/?around=me&radius=3`).catch(() => null);
  if (!found) return;
  board.around = found.rows;
  board.own = found.rows.find(({ player }) => player === data.me);
  showBoard();
}

/** The ranks as the server has them: after a time away, and where ours are not its first ten. */
async function readBoard() {
  if (board.stale) return;
  board.stale = true;
  await new Promise((done) => setTimeout(done, 500 + 1000 * Math.random()));
  const path = `races/${data.race}/board/`;
  const asked = [`${path}?limit=${MOST_PLACES}`, `${path}below/`, `${path}guests/`].map((one) => call("GET", one));
  const answers = await Promise.all(asked).catch(() => null);
  board.stale = false;
  if (!answers) return;
  const [found, outside, guests] = answers;
  board = { ...board, total: found.total, rows: rank(found.rows) };
  below = joinBelow(outside.rows, guests.rows);
  draw("board", "below");
}

// Who plays

const runners = new Map(); // entry -> {element, parts, row, until}
const runnersFold = makeFold(
  byId("more-playing"),
  FIRST_RUNNERS,
  { all: (count) => say("show_all", { count }), fewer: () => say("show_fewer") },
  () => settle(true),
);

function makeRunner(row) {
  const made = makeRow("runner");
  write(made.parts.player, row.player);
  made.element.classList.toggle("mine", row.player === data.me);
  made.parts.watch.ariaLabel = made.parts.watch.title = say("watch_player", { player: row.player });
  made.parts.watch.addEventListener("click", () => watchTable(data.race, row.player));
  return made;
}

function showRunners() {
  for (const row of state.playing.values()) {
    const runner = runners.get(row.entry) ?? makeRunner(row);
    runners.set(row.entry, runner);
    if (runner.until) stay(runner);
    if (runner.row !== row) showRunner(runner, row);
    if (runner.watched !== mayWatch) runner.parts.watch.hidden = !mayWatch || row.player === data.me;
    runner.watched = mayWatch;
  }
  for (const [number, runner] of runners) {
    if (!state.playing.has(number) && !runner.until) leave(runner, state.over.get(number));
  }
  const first = Math.max(0, ...[...state.playing.values()].map(({ removed }) => removed));
  for (const { element, row } of runners.values()) element.classList.toggle("ahead", first > 0 && row.removed === first);
  if (runners.size < FIRST_RUNNERS) settle();
}

function showRunner(runner, row) {
  const passes = data.ruleset.stock !== "reserve" && data.ruleset.passes !== 1;
  write(runner.parts.facts, say(passes ? "progress_pass" : "progress", row));
  if (runner.row?.removed !== row.removed) runner.parts.heap.style.clipPath = cutHeap(row.removed);
  runner.row = row;
}

function stay(runner) {
  runner.until = 0;
  runner.element.classList.remove("over");
}

/** Who has ended stays a moment where they were, and says how it ended. */
function leave(runner, row) {
  runner.until = Date.now() + SETTLE;
  runner.element.classList.add("over");
  if (!row) return;
  showRunner(runner, row);
  write(runner.parts.facts, tellEnd({ ...row, left: 28 - row.removed }));
}

/** What is left of the small pyramid: cards leave it row by row from below. */
function cutHeap(removed) {
  let [row, gone] = [ROW_CARDS - 1, removed];
  while (row >= 0 && gone > row) gone -= row-- + 1;
  const x = `${(((ROW_CARDS - 1 - row) / 2 + gone) / ROW_CARDS) * 100}%`;
  const [top, bottom] = [`${(row / ROW_CARDS) * 100}%`, `${((row + 1) / ROW_CARDS) * 100}%`];
  return `polygon(0 0, 100% 0, 100% ${bottom}, ${x} ${bottom}, ${x} ${top}, 0 ${top})`;
}

/** Bring who plays into order: oneself first, then who is furthest. Not while somebody points at them. */
function settle(anyway = false) {
  const list = byId("playing");
  const fresh = [...runners.values()].some(({ element }) => !element.isConnected);
  if (!anyway && !fresh && list.matches(":hover, :focus-within")) return;
  for (const [number, runner] of runners) if (runner.until && runner.until <= Date.now()) runners.delete(number);
  const order = [...runners.values()].sort(
    (a, b) =>
      (b.row.player === data.me) - (a.row.player === data.me) ||
      b.row.removed - a.row.removed ||
      a.row.moves - b.row.moves ||
      a.row.entry - b.row.entry,
  );
  const shown = runnersFold.all ? order : order.slice(0, FIRST_RUNNERS);
  arrange(list, shown.map(({ element }) => element));
  runnersFold.show(runners.size);
  byId("no-playing").hidden = runners.size > 0;
  showTimes();
}

function showTimes() {
  for (const { element, parts: cells, row, until } of runners.values()) {
    if (element.isConnected && !until) write(cells.time, writeTime(now() - Date.parse(row.started_at)));
  }
}

// Outside the ranks

const belowFold = makeFold(
  byId("more-below"),
  FIRST_BELOW,
  { all: (count) => say("show_all", { count }), fewer: () => say("show_fewer") },
  () => draw("below"),
);

/** Who stands outside the ranks: the held, guests who won, then by cards left. */
function joinBelow(rows, guests) {
  return [
    ...rows.map((row) => ({ ...row, kind: row.held ? "held" : "finished" })),
    ...guests.map((row) => ({ ...row, kind: "finished", end: "won", guest: true, left: 0 })),
  ];
}

function tellEnd({ kind, end, guest, ranked, left, official_ms: ms }) {
  const time = writeTime(ms ?? 0, true);
  if (kind === "held") return say("held", { time });
  if (end !== "won") return say(end === "expired" ? "expired" : "resigned", { left });
  return guest ? say("won_guest", { time }) : ranked ? say("won_in", { time }) : say("won_practice");
}

const orderBelow = ({ kind, end, left, official_ms: ms }) =>
  (kind === "held" ? 0 : end === "won" ? 2 ** 32 : 2 ** 40 + left) + (ms ?? 0);

function showBelow() {
  below.sort((a, b) => orderBelow(a) - orderBelow(b));
  const shown = belowFold.all ? below : below.slice(0, FIRST_BELOW);
  const items = shown.map((row) => {
    const item = document.createElement("li");
    const name = document.createElement("b");
    name.textContent = row.player;
    item.append(name, ` ${tellEnd(row)}`);
    item.classList.toggle("mine", row.player === data.me);
    return item;
  });
  byId("below").replaceChildren(...items);
  byId("below-part").hidden = !below.length;
  belowFold.show(below.length);
}

function followBelow(row) {
  below = below.filter(({ player }) => player !== row.player);
  const notWon = row.ranked && row.kind === "finished" && row.end !== "won";
  const guestWon = row.guest && row.kind === "finished" && row.end === "won";
  if (row.kind === "held" || notWon || guestWon) below.push({ ...row, left: 28 - row.removed });
}

// What is told

let news = [];

/** Ends are told aloud, in one sentence where many come at once; progress is not. */
function tell(row) {
  if (!news.length) setTimeout(speak, SPEAK);
  news.push(row);
}

function speak() {
  const sentences = news.slice(0, 3).map((row) => {
    const at = board.rows.find(({ player }) => player === row.player)?.rank;
    const { player, official_ms: ms } = row;
    return stands(row) && at ? say("news_won", { player, time: writeTime(ms, true), rank: at }) : say("news_over", { player });
  });
  byId("news").textContent = news.length > 3 ? say("news_many", { count: news.length }) : sentences.join(" ");
  news = [];
}

let lineTimer = null;

/** Say something in the one short line that is kept free for it. about: the state of the connection that it is true in. */
function sayLine(sentence, about = "", forMs = 0) {
  clearTimeout(lineTimer);
  const line = byId("line");
  write(line, sentence);
  line.dataset.about = about;
  line.classList.toggle("bad", about === "away");
  if (forMs) lineTimer = setTimeout(() => sayLine(""), forMs);
}

let awayTimer = null;
let toldAway = false;

function showLine(name) {
  clearTimeout(awayTimer);
  document.body.dataset.line = name;
  if (name === "slow") sayLine(say("slow"), name);
  else if (name === "live" && byId("line").dataset.about) sayLine("");
  if (name !== "away") return;
  awayTimer = setTimeout(() => {
    toldAway = true;
    sayLine(say("away"), "away");
  }, PATIENCE);
}

function tellBack(ended) {
  if (ended) sayLine(ended === 1 ? say("back_one") : say("back_many", { count: ended }), "", 15_000);
  else if (toldAway) sayLine(say("back"), "", 6000);
  toldAway = false;
}

// Following

function onFrame(frame, fresh) {
  setClock(frame);
  if (frame.phase === "open" && byId("body").hidden) byId("news").textContent = say("news_open");
  for (const row of fresh) followEntry(row);
  if (frame.type === "snapshot") readBoard();
  else if (!agrees(board.rows, state.top)) readBoard();
  draw("head", "runners");
}

function followEntry(row) {
  if (row.player === data.me) followMe(row);
  if (row.kind === "started" || row.kind === "progress") return;
  const size = board.rows.length;
  const isWhole = board.total <= size;
  if (stands(row)) arrivals.add(row.player);
  if (board.own && stands(row) && isBetter(row, board.own)) board.own.rank += 1;
  board.rows = place(board.rows, row, isWhole ? Infinity : MOST_PLACES);
  if (isWhole) board.total = board.rows.length;
  followBelow(row);
  if (row.kind === "finished") tell(row);
  draw("board", "below");
}

function followMe(row) {
  const over = row.kind !== "started" && row.kind !== "progress";
  if (!entry) entry = { attempt: null, over };
  entry.over = over;
  if (over) mayWatch = true;
}

// Beginning

byId("to-me").addEventListener("click", goToMe);
byId("share").hidden = false;
byId("share").addEventListener("click", async () => {
  const invite = byId("invited")?.elements.invite.value;
  const address = `${location.origin}/races/${data.race}/${invite ? `?invite=${encodeURIComponent(invite)}` : ""}`;
  try {
    await navigator.clipboard.writeText(address);
    sayLine(say("link_copied"), "", 4000);
  } catch {
    sayLine(address); // not allowed, or not over a safe connection: at least it is shown
  }
});
const invited = byId("invited");
if (invited && !invited.elements.invite.value) {
  invited.elements.invite.value = new URLSearchParams(location.search).get("invite") ?? "";
}

take(state, data.state);
setClock(data.state);
board.rows = rank(board.rows);
byId("playing").replaceChildren();
byId("board").replaceChildren();
showHead();
showBoard();
showBelow();
showRunners();
settle(true);
setInterval(() => {
  showPhase();
  showTimes();
}, 1000);
setInterval(() => settle(), SETTLE);
follow(data.race, state, { frame: onFrame, line: showLine, back: tellBack });
