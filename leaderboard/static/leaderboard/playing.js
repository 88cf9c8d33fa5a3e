// Who plays in a race: a row each, with a small pyramid that grows less.
import { data, say, writeTime } from "../games/words.js";
import { counts } from "./circle.js";
import { arrange, makeFold, makeRow, setLink, write } from "./rows.js";
import { tellEnd } from "./telling.js";
import { watchTable } from "./watching.js";
import { playerPage } from "./ways.js";

const FIRST_RUNNERS = 24;
const ROW_CARDS = 7; // of the lowest row of a pyramid
export const SETTLE = 3000; // so often who plays is brought into order: calm enough to read

const byId = (id) => document.getElementById(id);

/** What is left of the small pyramid: cards leave it row by row from below. */
function cutHeap(removed) {
  let [row, gone] = [ROW_CARDS - 1, removed];
  while (row >= 0 && gone > row) gone -= row-- + 1;
  const x = `${(((ROW_CARDS - 1 - row) / 2 + gone) / ROW_CARDS) * 100}%`;
  const [top, bottom] = [`${(row / ROW_CARDS) * 100}%`, `${((row + 1) / ROW_CARDS) * 100}%`];
  return `polygon(0 0, 100% 0, 100% ${bottom}, ${x} ${bottom}, ${x} ${top}, 0 ${top})`;
}

/** The rows of who plays by a state of the race: {show(mayWatch), settle, showTimes}. now: the server's time. */
export function makePlaying(state, now) {
  const runners = new Map(); // entry -> {element, parts, row, until}
  const fold = makeFold(
    byId("more-playing"),
    FIRST_RUNNERS,
    { all: (count) => say("show_all", { count }), fewer: () => say("show_fewer") },
    () => settle(true),
  );

  function makeRunner(row) {
    const made = makeRow("runner");
    write(made.parts.player, row.player);
    setLink(made.parts.player, playerPage(row.player));
    made.element.classList.toggle("mine", row.player === data.me);
    made.parts.watch.ariaLabel = made.parts.watch.title = say("watch_player", { player: row.player });
    made.parts.watch.addEventListener("click", () => watchTable(data.race, row.player));
    return made;
  }

  function show(mayWatch) {
    const rows = [...state.playing.values()].filter(counts);
    for (const row of rows) {
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
    const first = Math.max(0, ...rows.map(({ removed }) => removed));
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

  /** Bring who plays into order: oneself first, then who is furthest. Not while somebody points at them. */
  function settle(anyway = false) {
    const list = byId("playing");
    const hasRoom = list.childElementCount < Math.min(runners.size, FIRST_RUNNERS);
    if (!anyway && !hasRoom && list.matches(":hover, :focus-within")) return;
    for (const [number, runner] of runners) if (runner.until && runner.until <= Date.now()) runners.delete(number);
    const order = [...runners.values()].sort(
      (a, b) =>
        (b.row.player === data.me) - (a.row.player === data.me) ||
        b.row.removed - a.row.removed ||
        a.row.moves - b.row.moves ||
        a.row.entry - b.row.entry,
    );
    const shown = fold.all ? order : order.slice(0, FIRST_RUNNERS);
    arrange(list, shown.map(({ element }) => element));
    fold.show(runners.size);
    byId("no-playing").hidden = runners.size > 0 || state.counts.playing > state.playing.size; // of many the first are told
    showTimes();
  }

  function showTimes() {
    for (const { element, parts: cells, row, until } of runners.values()) {
      if (element.isConnected && !until) write(cells.time, writeTime(now() - Date.parse(row.started_at)));
    }
  }

  return { show, settle, showTimes };
}
