// The page of a sprint, from its lobby to its result. The server decides; the page shows where the sprint stands by the
// server's clock, and asks anew when something becomes due. The table of the page comes up while one plays.
import "../games/play.js";
import { readClock, timed } from "../games/clock.js";
import { holdLine, waitAfter } from "../games/line.js";
import { followRace, onLive, setSeats } from "../games/live.js";
import { call, callAsPlayer } from "../games/server.js";
import { keepFocus, tell } from "../games/showing.js";
import { start } from "../games/starting.js";
import { follow, state } from "../games/state.js";
import { closeWindows, fill } from "../games/windows.js";
import { data, say, writeTime } from "../games/words.js";
import { announceCount, showCount } from "./counting.js";
import { drawLobby, showInvite } from "./lobby.js";
import { drawOutcome, showRating } from "./outcome.js";
import { noteLeaving, tellStage } from "./sprint_words.js";
import { findClose, findDue, findStage, findTarget, hasWon, isIn, isPlayed, lastRound } from "./stage.js";
import { showLine } from "./telling.js";

const TICK = 200;
const HEARD = 45_000; // who is silent for two minutes is out
// where no socket can be had: ms from one call to the next
const PACE = { lobby: 2500, set: 4000, countdown: 1500, playing: 3000, finished: 2000, watching: 2000, between: 2000 };
const SELDOM = 6000;

const byId = (id) => document.getElementById(id);
const path = `sprints/${data.sprint.id}/`;
const query = new URLSearchParams(location.search);

let sprint = data.sprint; // as the server said last
let isTimed = false; // whether the server's clock is known; before it is, nothing is counted
let stage = "";
let done = null; // the race whose own game has ended, as the table knows
let asked = null; // the race whose cards were asked for
let tries = 0; // how often they were refused
let lookedFor = 0; // the last moment that was due, and looked at
let isAside = false; // whether one looks at the sprint while one's own game goes on
let toldWin = null; // the race whose first win was told

// What the server says

/** Follow an answer or a frame; an older one than the last changes nothing. */
function hear(said) {
  const told = said.sprint ?? said;
  if (Date.parse(told.now) < Date.parse(sprint.now)) return false;
  const isNew = JSON.stringify({ ...told, now: 0 }) !== JSON.stringify({ ...sprint, now: 0 });
  sprint = { ...told, invite_code: told.invite_code ?? sprint.invite_code ?? query.get("invite") };
  const round = lastRound(sprint);
  followRace(round && !sprint.ended_at ? round.race : null);
  if (round) setSeats(round.players.map(readSeat));
  showInvite(sprint);
  tick();
  draw();
  return isNew;
}

const readSeat = ({ player, removed, official_ms: ms, state: at }) => ({
  player,
  removed,
  official_ms: ms,
  over: !isPlayed({ state: at }),
});

const line = holdLine({
  path: () => `/ws/${path}`,
  ask: askServer,
  askEvery: () => PACE[stage] ?? SELDOM,
  hear,
  line: (name) => showLine(name === "slow" ? "live" : name), // it is asked often enough for nobody to miss anything
});

async function askServer() {
  const answer = await timed(() => call("GET", path));
  isTimed = true;
  return answer;
}

// Where it stands

function tick() {
  const now = isTimed ? readClock() : Date.parse(sprint.now);
  const found = findStage(sprint, data.me, now, done);
  if (found !== stage) enterStage(found);
  if (stage === "playing") playRound();
  showCount(sprint, stage, findTarget(sprint, stage), now);
  announceCount(stage, findTarget(sprint, stage), now);
  showClose(now);
  const due = findDue(sprint, lookedFor);
  if (due > now) return;
  lookedFor = now;
  line.look();
}

function enterStage(found) {
  if (stage) byId("news").textContent = tellStage(sprint, found).title;
  stage = found;
  document.body.dataset.stage = stage;
  isAside = false;
  if (stage !== "playing") closeWindows();
  showTable();
  draw();
  if (stage === "over") showRating(sprint);
}

/** The table while one plays, the sprint for the rest. */
function showTable() {
  const isAtTable = stage === "playing" && !isAside;
  if (document.body.classList.contains("table-page") === isAtTable) return;
  document.body.classList.toggle("table-page", isAtTable);
  window.scrollTo(0, 0);
  if (isAtTable) keepFocus();
  else if (!document.activeElement?.checkVisibility() || document.activeElement === document.body) {
    byId("stage-title").focus();
  }
}

/** Ask for the cards of the round, until they are on the table or there is another stage. */
async function playRound() {
  const { race } = lastRound(sprint);
  if (asked === race) return;
  asked = race;
  if (state.attempt?.race?.id === race) return;
  document.body.classList.add("is-dealing"); // what lies there are the cards of the round before
  const refused = await start(() => call("POST", `${path}attempts/`, {}));
  if (!refused) {
    tries = 0;
    document.body.classList.remove("is-dealing");
    return keepFocus();
  }
  tries += 1;
  setTimeout(() => {
    asked = null;
  }, waitAfter(tries));
  line.look();
}

/** How long the round goes on once it has been won; who was first is told once. */
function showClose(now) {
  const close = findClose(sprint);
  const left = close === null ? "–" : writeTime(Math.max(0, close - now));
  fill("status", { ends: left });
  if (close === null || toldWin === lastRound(sprint).race) return;
  toldWin = lastRound(sprint).race;
  const [first] = lastRound(sprint).players.filter(hasWon).sort((a, b) => a.official_ms - b.official_ms);
  if (first.player === data.me) return;
  const sentence = say("first_win", { player: first.player, time: writeTime(first.official_ms), left });
  if (stage === "playing") tell(sentence);
  else byId("news").textContent = sentence;
}

let drawing = false;

function draw() {
  if (drawing) return;
  drawing = true;
  requestAnimationFrame(() => {
    drawing = false;
    drawLobby(sprint, stage);
    drawOutcome(sprint, stage, state.attempt);
  });
}

// What one does

async function act(verb, body = {}) {
  byId("refused").textContent = "";
  try {
    return await call("POST", `${path}${verb}/`, body);
  } catch (error) {
    if (!("status" in error)) throw error;
    byId("refused").textContent = error.message || say("failed");
    line.look();
    return null;
  }
}

const doIt = async (verb, body) => {
  const answer = await act(verb, body);
  if (answer) hear(answer);
};

async function join(code) {
  byId("refused").textContent = "";
  const invite = code || sprint.invite_code;
  try {
    const answer = await callAsPlayer("POST", `${path}join/`, invite ? { invite_code: invite } : {});
    if (!data.me) return location.replace(location.pathname + location.search); // a new guest: the page learns its name
    noteLeaving(false);
    hear(answer);
  } catch (error) {
    if (!("status" in error)) throw error;
    byId("refused").textContent = error.message || say("failed");
    if (error.code === "invite_code") askForCode();
  }
}

/** The link has another code than the sprint. */
function askForCode() {
  query.delete("invite");
  sprint = { ...sprint, invite_code: null };
  showInvite(sprint);
  draw();
}

async function leave() {
  if (lastRound(sprint) && !sprint.ended_at && !(await askToLeave())) return;
  noteLeaving(true);
  await doIt("leave");
}

function askToLeave() {
  const dialog = byId("leaving");
  dialog.returnValue = "";
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => resolve(dialog.returnValue === "leave"), { once: true });
  });
}

async function meetAgain() {
  const again = await act("rematch");
  if (again) location.assign(`/sprints/${again.id}/`);
}

function lookAside(aside) {
  isAside = aside;
  showTable();
  draw();
}

byId("join").addEventListener("click", () => join());
byId("by-code").addEventListener("submit", (event) => {
  event.preventDefault();
  join(byId("by-code").elements.invite.value.trim());
});
byId("ready").addEventListener("click", () => doIt("ready", { ready: byId("ready").ariaPressed !== "true" }));
byId("start").addEventListener("click", () => doIt("start"));
byId("leave").addEventListener("click", leave);
byId("again").addEventListener("click", meetAgain);
byId("to-table").addEventListener("click", () => lookAside(false));
byId("to-sprint").addEventListener("click", () => lookAside(true));

follow("over", () => {
  done = state.attempt.race?.id ?? null;
  tick();
  draw();
  line.look();
});
onLive(draw);
document.addEventListener("visibilitychange", () => document.hidden || line.look());
setInterval(tick, TICK);
setInterval(() => isIn(sprint, data.me) && line.look(), HEARD);
hear(data.sprint);
line.look(); // which tells the clock
