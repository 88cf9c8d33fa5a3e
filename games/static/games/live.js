// Who plays in the same race at this moment, by its feed: the rivals that one's own game has beside it.
import { follow, startState } from "./feed.js";
import { call, readPlayer } from "./server.js";

const TABLEAU = 28; // cards: all are gone of who has won

let race = null; // whose feed is followed
let feed = null;
let line = null;
let seats = []; // rows of those of whom the feed tells nothing yet, or no more
let names = null; // of whom the player follows, once they are asked for
const showers = [];

/** Call `show` with every change. */
export const onLive = (show) => showers.push(show);

const tell = () => showers.forEach((show) => show());

/** Follow a race, and no other; null: none. */
export function followRace(wanted) {
  if (wanted === race) return;
  line?.stop();
  [race, feed, line, seats] = [wanted, null, null, []];
  if (race === null) return;
  feed = startState();
  line = follow(race, feed, { frame: tell, line: () => null, back: () => null });
  if (!names) readFollowed();
}

/** Who has a place in the race whatever its feed says: rows as `listRivals` returns them. */
export function setSeats(rows) {
  seats = rows;
  tell();
}

async function readFollowed() {
  const player = readPlayer();
  names = new Set();
  if (!player || player.guest) return;
  const { following } = await call("GET", "players/me/following/").catch(() => ({ following: [] }));
  for (const one of following) names.add(one.player);
  tell();
}

/**
 * All in the race but oneself: {player, removed, official_ms (of a win), over, followed}, in the order in which they
 * came.
 */
export function listRivals() {
  const rows = new Map(seats.map((seat) => [seat.player, seat]));
  const told = feed ? [...feed.over.values(), ...feed.playing.values()] : [];
  for (const row of told.sort((a, b) => a.entry - b.entry)) {
    if (row.kind !== "voided") rows.set(row.player, readRow(row));
  }
  rows.delete(readPlayer()?.name);
  return [...rows.values()].map((row) => ({ ...row, followed: Boolean(names?.has(row.player)) }));
}

function readRow({ player, removed, kind, end, official_ms: ms }) {
  const over = kind !== "started" && kind !== "progress";
  const won = over && end === "won";
  return { player, removed: won ? TABLEAU : removed, official_ms: won ? ms : null, over };
}
