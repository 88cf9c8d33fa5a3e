// The page of a race: how it stands, its ranks, and everybody's progress as it happens. Frames only say what is to be
// drawn; it is drawn once a picture of the screen, however many frames came.
import { follow, startState, take } from "../games/feed.js";
import { call } from "../games/server.js";
import { data, say, writeTime } from "../games/words.js";
import { counts, isEverybody, isNobody } from "./circle.js";
import { makeOutside } from "./outside.js";
import { SETTLE, makePlaying } from "./playing.js";
import { makeRanks } from "./ranks.js";
import { write } from "./rows.js";
import { sayLine, showLine, tell, tellBack } from "./telling.js";
import { ways } from "./ways.js";

const byId = (id) => document.getElementById(id);
const state = startState();
let entry = data.entry;
let mayWatch = data.may_watch;
let ahead = 0; // the server's clock less this one, in ms

const now = () => Date.now() + ahead;
const playing = makePlaying(state, now);
const outside = makeOutside(() => draw("below"));
const ranks = makeRanks(() => draw("board", "below"), outside.take);
const setClock = (frame) => {
  ahead = Date.parse(frame.now) - Date.now();
};

// Drawing once a picture

const dirty = new Set(); // what is to be drawn: "head", "board", "below", "runners"
let drawing = false;
const parts = { head: showHead, board: ranks.show, below: outside.show, runners: () => playing.show(mayWatch) };

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
  enter.hidden = !(over || (entry && state.phase !== "closed") || (state.phase === "open" && !byCode && !data.sprint));
  write(enter, say(over ? "my_result" : entry ? "go_on" : "enter"));
  enter.href = entry?.attempt ? `/play/?attempt=${entry.attempt}` : `/play/?race=${data.race}`;
  enter.classList.toggle("plain", Boolean(over));
  byId("body").hidden = state.phase === "upcoming";
  byId("before").hidden = state.phase !== "upcoming";
  byId("playing-part").hidden = isNobody || state.phase === "closed" || state.phase === "withdrawn";
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

// Following

function onFrame(frame, fresh) {
  setClock(frame);
  if (frame.phase === "open" && byId("body").hidden) byId("news").textContent = say("news_open");
  for (const row of fresh) followEntry(row);
  if (frame.type === "snapshot") ranks.read();
  else ranks.check(state.top);
  if (frame.phase === "closed" || frame.phase === "withdrawn") learnWays(3000 * Math.random()); // everybody hears it at once
  draw("head", "runners");
}

function followEntry(row) {
  if (row.player === data.me) followMe(row);
  if (row.kind === "started" || row.kind === "progress") return;
  if (row.kind !== "voided" && !counts(row)) return; // of one that is void it is not told whose it is
  ranks.follow(row);
  if (isEverybody) outside.follow(row);
  if (row.kind === "finished") tell(row, ranks.rankOf);
  draw("board", "below");
}

function followMe(row) {
  const over = row.kind !== "started" && row.kind !== "progress";
  if (!entry) entry = { attempt: null, over };
  entry.over = over;
  if (over) {
    mayWatch = true;
    learnWays();
  } else ways.code = null;
}

/** The race is over for who looks: its games may be watched, and its deal be played again. */
async function learnWays(wait = 0) {
  if (ways.code) return;
  await new Promise((done) => setTimeout(done, wait));
  const found = await call("GET", `races/${data.race}/`).catch(() => null);
  const isOver = found?.entry ? found.entry.end : found?.phase === "closed" || found?.phase === "withdrawn";
  if (!isOver) return;
  ways.code = found.deal;
  draw("board", "below");
}

// Beginning

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
byId("playing").replaceChildren();
showHead();
ranks.show();
outside.show();
playing.show(mayWatch);
playing.settle(true);
setInterval(() => {
  showPhase();
  playing.showTimes();
}, 1000);
setInterval(() => playing.settle(), SETTLE);
follow(data.race, state, { frame: onFrame, line: showLine, back: tellBack });
