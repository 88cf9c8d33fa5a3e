// The pause of a practice game: the clock stands and the table is covered, by hand or while nobody can see the page.
import { startClock, stopClock, timed } from "./clock.js";
import { call } from "./server.js";
import { keepFocus, table, tell } from "./showing.js";
import { announce, change, follow, isPaused, mayPause, onChange, state } from "./state.js";
import { say } from "./words.js";

const LEFT = "pyramidion.left"; // the game that this tab was left in while its clock ran
const cover = document.getElementById("cover");
let calls = Promise.resolve(); // one after the other: what was wanted last is what the server does last

onChange(() => table.cover(isPaused()));
follow("opened", goOnOrWait);
cover.addEventListener("click", resume);

document.addEventListener("visibilitychange", () => {
  if (document.hidden) pause();
});

// Whoever loads this game anew in the same tab goes on at once: the cards and the clock were there until just now
window.addEventListener("pagehide", () => {
  if (mayPause() && !isPaused()) sessionStorage.setItem(LEFT, String(state.attempt.id));
  else sessionStorage.removeItem(LEFT);
});

/** Stop the clock and cover the table, where the game may be paused. */
export function pause() {
  if (!mayPause() || isPaused()) return;
  change({ attempt: stopClock(state.attempt), selected: null, hint: [] });
  tellServer("pause");
  wait();
}

/** The table is covered; the focus is on what uncovers it. */
function wait() {
  tell(say("paused"));
  document.getElementById("go-on").focus();
  pauseAfterMoves();
}

/** A move that arrives after the pause lets the clock run on: then the game is paused once more. */
async function pauseAfterMoves() {
  if (!state.sender.isBusy()) return;
  await state.sender.settle();
  if (isPaused()) tellServer("pause");
}

export function resume() {
  if (!isPaused()) return;
  change({ attempt: startClock(state.attempt) });
  tell(say("resumed"));
  document.activeElement?.blur();
  keepFocus();
  tellServer("resume");
}

function goOnOrWait() {
  const left = Number(sessionStorage.getItem(LEFT));
  sessionStorage.removeItem(LEFT);
  if (left === state.attempt.id && mayPause() && !document.hidden) {
    if (isPaused()) change({ attempt: startClock(state.attempt) });
    tellServer("resume"); // the pause of the page that was left may still be on its way
  } else if (isPaused()) wait();
}

function tellServer(verb) {
  const { id } = state.attempt;
  calls = calls.then(async () => {
    try {
      const ask = () => call("POST", `attempts/${id}/${verb}/`, {}, { keepalive: true });
      // a hidden page may read an answer long after it came: nothing can be told of the clock from that
      const answer = await (verb === "pause" ? ask() : timed(ask));
      const wanted = (verb === "pause") === isPaused();
      if (state.attempt.id === id && wanted) takeClock(answer);
    } catch (error) {
      if (error.status === 409 && state.attempt.id === id) announce("apart", error); // it may not be paused, or has ended
      else if (!("status" in error)) throw error;
    }
  });
}

function takeClock({ now, paused_at, paused_ms }) {
  change({ attempt: { ...state.attempt, now, paused_at, paused_ms } });
}
