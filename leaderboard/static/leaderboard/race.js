// The page of a race: how it stands, its ranks, and everybody's progress as it happens. Frames only say what is to be
// drawn; it is drawn once a picture of the screen, however many frames came.
import { follow, startState, take } from "../games/feed.js";
import { call } from "../games/server.js";
import { data, say, writeTime } from "../games/words.js";
import { agrees, isBetter, place, rank, stands } from "./board.js";
import { SETTLE, makePlaying } from "./playing.js";
import { arrange, makeFold, makeRow, write } from "./rows.js";
import { sayLine, showLine, tell, tellBack, tellEnd } from "./telling.js";

const MOST_PLACES = 100;
const FIRST_PLACES = 10;
const FIRST_BELOW = 10;

const byId = (id) => document.getElementById(id);
const state = startState();
let board = { ...data.board, stale: false };
let below = joinBelow(data.below, data.guests);
let entry = data.entry;
let mayWatch = data.may_watch;
let ahead = 0; // the server's clock less this one, in ms

const now = () => Date.now() + ahead;
const playing = makePlaying(state, now);
const setClock = (frame) => {
  ahead = Date.parse(frame.now) - Date.now();
};

// Drawing once a picture

const dirty = new Set(); // what is to be drawn: "head", "board", "below", "runners"
let drawing = false;
const parts = { head: showHead, board: showBoard, below: showBelow, runners: () => playing.show(mayWatch) };

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
  if (row.kind === "finished") tell(row, rankOf);
  draw("board", "below");
}

const rankOf = (name) => board.rows.find(({ player }) => player === name)?.rank;

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
playing.show(mayWatch);
playing.settle(true);
setInterval(() => {
  showPhase();
  playing.showTimes();
}, 1000);
setInterval(() => playing.settle(), SETTLE);
follow(data.race, state, { frame: onFrame, line: showLine, back: tellBack });
