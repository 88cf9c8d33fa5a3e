// Whom one plays against, by the choice of the player: games that were played before, and the computer's.
import { call } from "./server.js";
import { change, choices, choose } from "./state.js";
import { MOST_RIVALS, offerRivals, openWindow } from "./windows.js";
import { data, say } from "./words.js";

const COMPUTERS = ["easy", "medium", "strong"];
const FINDERS = { best: findBest, leader: findLeader, friends: findFriend };

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
  if (data.offline) return [];
  const ids = readNamed();
  if (ids.length) return ids.map((id) => ({ key: id, name: say("ghost") }));
  return choices.against.map((key) => ({ key, name: say(`against_${key}`) }));
}

/**
 * The pace of who was asked for, beside an attempt: {key, name, timeline, end, official_ms, id}, or {key, name, why}
 * where there is nothing to show. id: of a replay; the computer has none.
 */
export async function findGhost({ key, name }, attempt) {
  try {
    if (COMPUTERS.includes(key)) return { key, ...(await call("GET", `attempts/${attempt.id}/opponent/?strength=${key}`)) };
    const row = key in FINDERS ? await FINDERS[key](attempt) : { replay: Number(key) };
    if (!row) return { key, name, why: "ghost_none" };
    if (row.replay === attempt.id) return { key, name, why: "ghost_own" };
    const found = await call("GET", `replays/${row.replay}/ghost/`);
    if (found.deal !== attempt.deal) return { key, name, why: "ghost_other" };
    return { key, ...found, name: key === "best" ? name : found.player };
  } catch (error) {
    if (!("status" in error)) throw error;
    if (error.status !== 404) return { key, name, why: "ghost_failed" };
    return { key, name, why: attempt.race ? "ghost_race" : "ghost_hidden" };
  }
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
  const read = offerRivals(document.querySelector("#against form"));
  if ((await openWindow("against")) !== "choose") return;
  choose({ against: read(), ghostsShown: true });
  clearNamed();
  change({});
}
