// The one game of the page. Everybody may read `state`; it changes through `change` alone, which shows it anew.

/**
 * attempt: as the server describes it; game: as the engine plays it; sender: brings its moves to the server.
 * selected, hint: places; told: whether a dead end was told; watching: the timer of a line that is being shown.
 */
export const state = {
  attempt: null,
  game: null,
  sender: null,
  selected: null,
  hint: [],
  told: false,
  watching: null,
};

const KEPT = "pyramidion.choices";

/** How this browser's player likes the table, kept from game to game. */
export const choices = { mirrored: false, fourColours: false, help: true, ruleset: "N", rival: "", against: [], ghostsShown: true };
Object.assign(choices, JSON.parse(localStorage.getItem(KEPT) ?? "{}"));

export function choose(fields) {
  Object.assign(choices, fields);
  localStorage.setItem(KEPT, JSON.stringify(choices));
}

const showers = [];
const followers = new EventTarget();

/** Call `show` after every change, once there is a game. */
export const onChange = (show) => showers.push(show);

export function change(fields) {
  Object.assign(state, fields);
  if (state.game) showers.forEach((show) => show());
}

/** Something happened that another module acts on: tap, drop, stuck, ended, apart, wish, opened. */
export const announce = (name, detail) => followers.dispatchEvent(new CustomEvent(name, { detail }));

export const follow = (name, act) => followers.addEventListener(name, (event) => act(event.detail));

export const isPaused = () => Boolean(state.attempt?.paused_at);

/** Whether a move can be made now. */
export const mayMove = () => Boolean(state.game && !state.attempt.end && !state.watching && !isPaused());

/** Whether this game's clock may stand: in practice outside races. */
export const mayPause = () =>
  Boolean(state.game && !state.attempt.end && !state.attempt.ranked && !state.attempt.race);
