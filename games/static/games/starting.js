// Starting a game and continuing one: how an attempt comes to lie on the table.
import { timed } from "./clock.js";
import * as engine from "./engine.js";
import { readNamed } from "./ghosts.js";
import { answers } from "./moving.js";
import { makeSender, readKept } from "./sending.js";
import { Refused, call, callAsPlayer, loadOffline, readPlayer } from "./server.js";
import { tell } from "./showing.js";
import { makeSocketWay } from "./socket.js";
import { announce, change, choices, choose, follow, state } from "./state.js";
import { makeRoom } from "./strip.js";
import { askForGame, fill, openWindow } from "./windows.js";
import { data, say } from "./words.js";

const LAST = data.offline ? "pyramidion.offline.attempt" : "pyramidion.attempt"; // the last game of this browser: {id, deal}
const OFFLINE = "pyramidion.offline"; // see `offline.js`
const loading = document.getElementById("loading");

// what was played without a connection is sent once there is a player to send it as
follow("opened", async () => {
  if (!data.offline && localStorage.getItem(OFFLINE)) (await loadOffline()).sendWaiting();
});

follow("apart", async (error) => {
  localStorage.removeItem("pyramidion.unsent");
  const failed = await resume(state.attempt.id);
  if (!failed) tell(error.code === "ply_mismatch" ? say("apart") : error.message, "bad");
});

/** Put an attempt on the table, with the moves of this browser that the server does not know yet. */
function open(attempt) {
  if (attempt.race?.sprint && !attempt.end && !data.race_page) return location.replace(`/sprints/${attempt.race.sprint}/`);
  state.sender?.stop();
  clearInterval(state.watching);
  const ruleset = data.rulesets[attempt.ruleset];
  const { moves } = attempt.replay;
  const stored = moves ? moves.split(" ") : [];
  const kept = attempt.end ? null : readKept(attempt.id);
  const goesOn = kept && stored.every((token, i) => kept[i] === token);
  const { game } = engine.playAll(ruleset, attempt.cards.split(" "), goesOn ? kept.join(" ") : moves);
  const races = !attempt.end && (attempt.ranked || attempt.race); // against the clock: a call less a move
  const sender = makeSender(attempt.id, stored.length, answers, races ? makeSocketWay(attempt.id) : undefined);
  loading.hidden = true;
  if (!data.race_page) showAddress(attempt);
  makeRoom(attempt);
  change({ attempt, game, sender, selected: null, hint: [], told: false, watching: null });
  localStorage.setItem(LAST, JSON.stringify({ id: attempt.id, deal: attempt.deal }));
  choose({ ruleset: attempt.ruleset });
  tell(attempt.note ?? (game.tokens.length ? "" : say("tip", ruleset)));
  if (attempt.end) return announce("ended");
  sender.push(game.tokens);
  announce("opened");
  if (engine.isDeadEnd(game.position)) announce("stuck", "dead_end");
}

/**
 * The address leads back to this game: practice by its code, which anybody may follow; the rest by its number. The
 * ghosts that it names stay as long as the cards do.
 */
function showAddress({ id, deal, ranked, race }) {
  const query = new URLSearchParams(ranked || race ? { attempt: id } : {});
  const ghosts = readNamed();
  if (ghosts.length && (state.attempt ?? { deal }).deal === deal) query.set("ghost", ghosts);
  const path = ranked || race ? "/play/" : `/play/${deal}`;
  history.replaceState(null, "", query.size ? `${path}?${query}` : path);
}

/** Open the attempt that a call answers; "", or why there is none. */
export async function start(ask) {
  tell(say("loading"));
  try {
    open(await timed(ask));
    return "";
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    const why = error.message || say("failed");
    tell(why, "bad");
    if (!state.game) loading.textContent = why;
    return why;
  }
}

const resume = (id) => start(() => call("GET", `attempts/${id}/`));
const startAttempt = (body) => start(() => callAsPlayer("POST", "attempts/", body));

/** The cards of a code, for practice. */
export const practise = (deal) => startAttempt({ deal });

/** Cards that the server deals for practice. */
export const deal = (ruleset) => startAttempt({ ruleset, ranked: false });

/** A new game of one's choice. */
export function newGame() {
  return askForGame(data.rulesets, choices.ruleset, async (wanted) => {
    const refused = await startAttempt(wanted);
    if (!refused && wanted.difficulty && !state.attempt.proven) tell(say("no_pool"));
    return refused;
  });
}

/** Say what a race counts for; its cards are shown by the one tap that starts the clock. */
async function enterRace(race, invite) {
  const guest = readPlayer()?.guest ?? true;
  fill("before", { counts: say("counts_daily"), guest: guest ? say("counts_guest") : "" });
  document.querySelector("#before [data-account]").hidden = !guest;
  if ((await openWindow("before")) !== "start") return location.assign("/");
  return start(() => callAsPlayer("POST", `races/${race}/attempts/`, invite ? { invite_code: invite } : {}));
}

/** The code in the address: the page without a connection is the same for all. */
const readAddress = () => decodeURIComponent(/^\/play\/(.+)$/.exec(location.pathname)?.[1] ?? "");

/** Whether this deal was begun without a connection and goes on there, by this browser's clock. */
function isPlayedOffline(code) {
  const { open } = JSON.parse(localStorage.getItem(OFFLINE) ?? "{}");
  return Boolean(open && !open.end && open.tokens.length && open.deal === code);
}

/** The first game of a visit: what the address names, else the last one, else a new one for practice. */
export async function begin() {
  const query = new URLSearchParams(location.search);
  const last = JSON.parse(localStorage.getItem(LAST) ?? "null");
  if (!data.offline) {
    if (query.get("race")) return enterRace(query.get("race"), query.get("invite"));
    if (query.get("attempt")) return resume(query.get("attempt"));
    if (isPlayedOffline(data.code)) return location.replace(data.offline_page);
  }
  const code = data.offline ? readAddress() : data.code;
  const goesOn = last && (code ? last.deal === code : !query.get("ruleset"));
  if (goesOn && !(await resume(last.id))) return;
  if (code && !((await practise(code)) && data.offline)) return;
  const letter = query.get("ruleset") ?? choices.ruleset;
  return deal(data.rulesets[letter] ? letter : "N");
}
