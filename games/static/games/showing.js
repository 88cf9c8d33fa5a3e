// Shows the game: the table, the status above it and what is said below it.
import { countPlayed } from "./clock.js";
import * as engine from "./engine.js";
import { announce, choices, isPaused, mayPause, onChange, state } from "./state.js";
import { makeTable } from "./table.js";
import { fill } from "./windows.js";
import { data, say, write, writeTime } from "./words.js";

const byId = (id) => document.getElementById(id);
const message = byId("message");

export const table = makeTable(byId("table"), {
  tap: (place) => announce("tap", place),
  drop: (place, target) => announce("drop", { place, target }),
});

onChange(show);
setInterval(showTime, 250);

function show() {
  const { game, selected, hint } = state;
  const partners = selected ? engine.partnersOf(game.position, selected) : [];
  document.documentElement.classList.toggle("four-colours", choices.fourColours);
  table.show(game, { selected, partners, hint }, { mirrored: choices.mirrored });
  showHead();
  showStatus();
  showTime();
}

function showHead() {
  const { attempt } = state;
  const { name } = data.rulesets[attempt.ruleset];
  write(byId("ruleset"), name);
  write(byId("kind"), nameKind(attempt));
  write(byId("code"), attempt.deal);
  write(document.querySelector("title"), `${name} – Pyramidion`);
}

function nameKind({ race, ranked, assisted, offline }) {
  if (offline) return say("offline_practice");
  const kind = ranked ? "ranked" : assisted ? "assisted" : "practice";
  if (!race) return say(kind);
  if (race.kind === "sprint") return ranked ? say("sprint") : `${say("sprint")} · ${say(kind)}`;
  const today = new Date().toISOString().slice(0, 10);
  const name = race.kind === "open" ? race.name : race.day === today ? say("daily") : `${say("daily")} ${race.day}`;
  return ranked ? name : `${name} · ${say(kind)}`;
}

function showStatus() {
  const { game, attempt } = state;
  const { position, ruleset } = game;
  const removed = engine.TABLEAU_SIZE - engine.countLeft(position);
  fill("status", {
    moves: engine.countMoves(game),
    points: ruleset.scoring === "none" ? null : game.points,
    removed: `${removed}/28`,
    stock: ruleset.stock === "reserve" ? null : position.stock.length,
  });
  const { passes } = ruleset;
  const pass = passes ? say("pass_of", { pass: position.pass, passes }) : say("pass_any", { pass: position.pass });
  write(byId("pass"), passes === 1 ? "" : pass);
  byId("undo").classList.toggle("dim", !game.log.length || engine.isWon(position));
  byId("hint").classList.toggle("dim", attempt.ranked || engine.isWon(position));
  byId("pause").hidden = !mayPause() || isPaused();
}

function showTime() {
  if (state.attempt) write(byId("time"), writeTime(countPlayed(state.attempt)));
}

/** Say a sentence, also to who hears the page. */
export function tell(sentence, kind = "") {
  message.textContent = "";
  message.className = kind;
  message.textContent = sentence;
}

/** The focus is never nowhere: it goes to the table where what had it is gone. */
export function keepFocus() {
  if (document.activeElement && document.activeElement !== document.body) return;
  if (isPaused()) byId("go-on").focus();
  else table.takeFocus();
}
