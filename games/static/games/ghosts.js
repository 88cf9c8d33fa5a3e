// Whom one plays against, by the choice of the player: games that were played before, and the computer's.
import { call } from "./server.js";
import { change, choices, choose, state } from "./state.js";
import { MOST_RIVALS, isNamed, nameOf, offerRivals, openWindow } from "./windows.js";
import { data, say } from "./words.js";

const COMPUTERS = ["easy", "medium", "strong"];
const FINDERS = { best: findBest, leader: findLeader, friends: findFriend };
const REFUSALS = { no_game: "ghost_no_game", player: "ghost_nobody", race_open: "ghost_race" };

/** The ghosts that the address names: numbers of replays, at most three. */
export function readNamed() {
  const ids = new URLSearchParams(location.search).get("ghost")?.split(",") ?? [];
  return ids.filter((id) => /^[1-9]\d{0,17}$/.test(id)).slice(0, MOST_RIVALS);
}

/** From now on it is those whom the player has chosen. */
function clearNamed() {
  const query = new URLSearchParams(location.search);
  query.delete("ghost");
  history.replaceState(null, "", `${location.pathname}${query.size ? `?${query}` : ""}`);
}

/** Who was asked for, before anybody is found: {key, name}. */
export function listWanted() {
  if (data.offline || data.race_page) return []; // there one has the others of the race beside one
  const ids = readNamed();
  if (ids.length) return ids.map((id) => ({ key: id, name: say("ghost") }));
  return choices.against.map((key) => ({ key, name: nameOf(key) }));
}

/**
 * The pace of who was asked for, beside an attempt: {key, name, timeline, end, official_ms, id}, or {key, name, why}
 * where there is nothing to show. id: of a replay; the computer has none.
 */
export async function findGhost({ key, name }, attempt) {
  try {
    if (COMPUTERS.includes(key)) return { key, ...(await call("GET", `attempts/${attempt.id}/opponent/?strength=${key}`)) };
    const found = isNamed(key) ? await findNamed(name, attempt) : await findGame(key, attempt);
    if (!found) return { key, name, why: "ghost_none" };
    if (found.id === attempt.id) return { key, name, why: "ghost_own" };
    if (found.deal !== attempt.deal) return { key, name, why: "ghost_other" };
    return { key, ...found, name: key === "best" ? name : found.player };
  } catch (error) {
    if (!("status" in error)) throw error;
    if (error.code in REFUSALS) return { key, name, why: REFUSALS[error.code] };
    if (error.status !== 404) return { key, name, why: "ghost_failed" };
    return { key, name, why: attempt.race ? "ghost_race" : "ghost_hidden" };
  }
}

/** A player's best game on the deal of an attempt; raises Refused where there is none to be seen. */
const findNamed = (name, { id }) => call("GET", `attempts/${id}/rival/?player=${encodeURIComponent(name)}`);

/** The game that a choice or a number of the address means; undefined where there is none. */
async function findGame(key, attempt) {
  const row = key in FINDERS ? await FINDERS[key](attempt) : { replay: Number(key) };
  return row && (row.replay === attempt.id ? { id: row.replay } : call("GET", `replays/${row.replay}/ghost/`));
}

// Each finds a row of a board; undefined where there is none

async function findLeader({ deal, race, ranked }) {
  const path = race && ranked ? `races/${race.id}` : `deals/${deal}`;
  return (await call("GET", `${path}/board/?limit=1`)).rows[0];
}

const readFriends = async ({ deal }) => (await call("GET", `deals/${deal}/board/?among=friends&limit=100`)).rows;

async function findBest(attempt) {
  return (await readFriends(attempt)).find(({ player }) => player === attempt.player);
}

async function findFriend(attempt) {
  return (await readFriends(attempt)).find(({ player }) => player !== attempt.player);
}

/** Ask whom to play against, also in the middle of a game. */
export async function askAgainst() {
  const dialog = document.getElementById("against");
  const form = dialog.querySelector("form");
  const { read, settle } = offerRivals(form, async (name) => (await findNamed(name, state.attempt)).player);
  form.onsubmit = async (event) => {
    if (event.submitter?.value !== "choose") return;
    event.preventDefault();
    if (await settle()) dialog.close("choose");
  };
  if ((await openWindow("against")) !== "choose") return;
  choose({ against: read(), ghostsShown: true });
  clearNamed();
  change({});
}
