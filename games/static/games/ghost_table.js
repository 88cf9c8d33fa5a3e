// A rival's table beside one's own: a game that was played before, move by move on one's own clock.
import * as engine from "./engine.js";
import { call } from "./server.js";
import { choices } from "./state.js";
import { makeTable } from "./table.js";
import { data } from "./words.js";

const NO_MARKS = { selected: null, partners: [], hint: [] };

/** A table in `root` for a replay on these cards; raises Refused where it may not be seen. Returns show(ms). */
export async function makeGhostTable(root, id, cards) {
  const { ruleset, replay } = await call("GET", `replays/${id}/`);
  const tokens = replay.moves.split(" ");
  const table = makeTable(root, { tap: () => null, drop: () => null });
  const start = engine.startGame(data.rulesets[ruleset], cards);
  let [game, plies] = [start, 0];

  /** Show it as it was so many milliseconds after its start. */
  return function show(ms) {
    const played = replay.times.findLastIndex((time) => time <= ms) + 1;
    if (played < plies) [game, plies] = [start, 0]; // the clock was set back
    for (; plies < played; plies += 1) game = engine.playGame(game, tokens[plies]);
    table.show(game, NO_MARKS, { mirrored: choices.mirrored });
  };
}
