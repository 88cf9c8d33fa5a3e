// A race as its watchers see it: the state that the server's frames make, and the line that brings them. It knows
// nothing of the page.
import { holdLine } from "./line.js";
import { call } from "./server.js";

const isPlaying = ({ kind }) => kind === "started" || kind === "progress";

/** What is known before the first frame. playing and over: rows by their entry. */
export const startState = () => ({ playing: new Map(), over: new Map(), counts: null, since: null });

/** How many have ended. */
export const countOver = ({ counts }) => (counts ? counts.entered - counts.playing : 0);

/** Follow a frame; returns the rows that say something new. What is said twice changes nothing. */
export function take(state, frame) {
  const known = (row) => state.playing.get(row.entry) ?? state.over.get(row.entry);
  const rows = [...(frame.playing ?? []), ...(frame.rows ?? [])];
  const fresh = rows.filter((row) => JSON.stringify(row) !== JSON.stringify(known(row)));
  if (frame.type === "snapshot") state.playing = new Map();
  for (const row of rows) {
    state.playing.delete(row.entry);
    (isPlaying(row) ? state.playing : state.over).set(row.entry, row);
  }
  for (const entry of frame.gone ?? []) state.playing.delete(entry);
  for (const name of ["phase", "closes_at", "counts", "top", "since"]) {
    if (name in frame) state[name] = frame[name];
  }
  return fresh;
}

/**
 * Keep a state as the race is, until the line is stopped. on: {frame(frame, fresh): it was followed;
 * line("live" | "slow" | "away" | "gone"); back(how many have ended while nothing was heard)}.
 */
export function follow(race, state, on) {
  let left = null; // how many had ended when the line was cut

  function hear(frame) {
    const fresh = take(state, frame);
    on.frame(frame, fresh);
    if (left === null) return fresh.length > 0;
    const ended = Math.max(0, countOver(state) - left);
    left = null;
    on.back(ended);
    return fresh.length > 0;
  }

  const since = () => (state.since ? `?since=${state.since}` : "");
  return holdLine({
    path: () => `/ws/races/${race}/${since()}`,
    ask: () => call("GET", `races/${race}/changes/${since()}`),
    hear,
    line: on.line,
    doubt() {
      left ??= countOver(state);
    },
  });
}
