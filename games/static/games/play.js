// The play page, put together: what its buttons, keys and windows do, and the game that it begins with.
import { giveUp, watchLine } from "./ending.js";
import { askAgainst } from "./ghosts.js";
import { askHint } from "./hints.js";
import { act, select } from "./moving.js";
import { pause, resume } from "./pausing.js";
import { call } from "./server.js";
import { keepFocus, table, tell } from "./showing.js";
import { begin, deal, newGame, practise } from "./starting.js";
import { change, choices, choose, follow, isPaused, mayPause, state } from "./state.js";
import { anyWindowOpen, openRules, openWindow } from "./windows.js";
import { data, say } from "./words.js";

const byId = (id) => document.getElementById(id);

// What a window was closed with

const wishes = {
  undo: () => act("U"),
  hint: askHint,
  again: playAgain,
  another: () => (state.attempt.ranked ? newGame() : deal(state.attempt.ruleset)),
  line: watchLine,
  resign: giveUp,
};
follow("wish", (wish) => wishes[wish]?.());

async function playAgain() {
  const { attempt } = state;
  if (!attempt.end) await call("POST", `attempts/${attempt.id}/resign/`, {}).catch(() => null);
  await practise(attempt.deal);
}

async function openMenu() {
  const form = byId("menu").querySelector("form");
  const switches = ["mirrored", "fourColours", "help"];
  for (const name of switches) form.elements[name].checked = choices[name];
  form.oninput = () => {
    choose(Object.fromEntries(switches.map((name) => [name, form.elements[name].checked])));
    change({});
  };
  form.querySelector("[value=resign]").hidden = !state.attempt || Boolean(state.attempt.end);
  byId("menu").querySelector("[name=next]").value = location.pathname + location.search;
  const wanted = await openWindow("menu");
  if (wanted === "against") askAgainst();
  if (wanted === "keys") openWindow("keys");
  if (wanted === "resign") giveUp();
  if (wanted === "screen") {
    if (document.fullscreenElement) document.exitFullscreen();
    else document.documentElement.requestFullscreen().catch(() => null);
  }
}

async function copyCode() {
  const { deal: code } = state.attempt;
  try {
    await navigator.clipboard.writeText(code);
    tell(say("copied"));
  } catch {
    tell(code); // not allowed, or not over a safe connection: at least the whole code is shown
  }
}

// Buttons and keys

const redeal = () => act("R", "stock");
const draw = () => act("D", "stock");

const buttons = {
  undo: wishes.undo,
  hint: askHint,
  new: newGame,
  "show-rules": () => openRules((state.game?.ruleset ?? data.rulesets[choices.ruleset]).slug),
  "open-menu": openMenu,
  code: copyCode,
  pause,
  redeal,
  draw,
};
for (const [id, press] of Object.entries(buttons)) byId(id).addEventListener("click", () => press());

const keys = {
  d: draw,
  r: redeal,
  u: wishes.undo,
  ...(data.race_page ? {} : { h: askHint, n: newGame }), // in a race there is its one game, and no help
  p: () => (isPaused() ? resume() : mayPause() ? pause() : tell(say("no_pause"), "bad")),
  "?": () => openWindow("keys"),
  ArrowRight: () => table.walk(1),
  ArrowDown: () => table.walk(1),
  ArrowLeft: () => table.walk(-1),
  ArrowUp: () => table.walk(-1),
  Escape: () => state.selected && select(null),
};

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || anyWindowOpen()) return;
  if (event.repeat && !event.key.startsWith("Arrow")) return;
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  if (!state.game || !(key in keys)) return;
  event.preventDefault();
  keys[key]();
});

// where a window closes, what had the focus before may be gone
document.addEventListener("close", () => setTimeout(keepFocus), true);

// without a connection the next visit finds what the worker keeps; it must not slow this one down
if (data.worker) {
  window.addEventListener("load", () => navigator.serviceWorker?.register(data.worker).catch(() => null));
}

if (!data.race_page) begin(); // the page of a race begins its games itself
