// Practice without a connection. On the page that the service worker keeps this stands in for the server: it answers the
// calls of a game, by the rules of engine.js and this browser's clock. Games that have ended wait here until they can be
// sent, as replays by the client's clock.
import { dealCards, drawSeed, readCode } from "./dealing.js";
import * as engine from "./engine.js";
import { Refused, ask } from "./server.js";
import { tell } from "./showing.js";
import { data, say } from "./words.js";

const KEPT = "pyramidion.offline"; // {open: the game that is played or was last, waiting: those to be sent}
const LIFE = 86_400_000;
const SOON = 3000;

let { open, waiting } = { open: null, waiting: [], ...JSON.parse(localStorage.getItem(KEPT) ?? "{}") };
let begun = false; // whether this page has had a game
let sending = false;

const keep = () => localStorage.setItem(KEPT, JSON.stringify({ open, waiting }));
const write = (ms) => (ms === null ? null : new Date(ms).toISOString());

// What a game is asked

/** Answer a call as the server would; raises Refused. */
export async function callHere(method, path, body) {
  if (path === "attempts/") await start(body);
  else await answer(path, body);
  begun = true;
  return describe(open);
}

function answer(path, body) {
  const found = /^attempts\/(-\d+)\/(\w*)/.exec(path);
  if (!found) throw new Refused(0, {});
  if (Number(found[1]) !== open?.id) throw new Refused(404, { detail: say("failed") });
  if (found[2]) act[found[2]](body ?? {});
  keep();
}

async function start({ deal, ruleset, ranked, difficulty }) {
  if (begun && (await isReachable())) await goOnline(deal ? `/play/${deal}` : `/play/?ruleset=${ruleset}`);
  if (ranked || difficulty) throw new Refused(409, { detail: say("offline_ranked") });
  const { letter, seed } = deal ? (readCode(deal) ?? {}) : { letter: ruleset, seed: drawSeed() };
  if (!data.rulesets[letter]) throw new Refused(409, { detail: say("offline_code") });
  const cards = await dealCards(seed, data.rulesets[letter].jokers);
  const now = Date.now();
  const times = { started: now, ended: null, paused: 0, pausedAt: null };
  open = { id: -now, deal: `PY1-${letter}-${seed}`, ruleset: letter, cards, tokens: [], times: [], end: null, ...times };
  keep();
}

const act = {
  moves({ from_ply: from, moves }) {
    resumeClock();
    const tokens = moves ? moves.split(" ") : [];
    const all = [...open.tokens.slice(0, from), ...tokens].join(" ");
    const { game, refusal } = engine.playAll(data.rulesets[open.ruleset], open.cards, all);
    if (refusal) throw new Refused(422, { detail: say("refused") });
    const played = Date.now() - open.started - open.paused;
    const now = Math.min(Math.max(played, open.times.at(-1) ?? 0), LIFE); // a device's clock may be set back
    open.times = game.tokens.map((_, i) => open.times[i] ?? now);
    open.tokens = game.tokens;
    if (engine.isWon(game.position)) end("won");
  },
  resign() {
    if (!open.end) end("resigned");
  },
  pause() {
    if (!open.end) open.pausedAt ??= Date.now();
  },
  resume: resumeClock,
  hint() {
    throw new Refused(409, { detail: say("offline_hint") });
  },
};

function resumeClock() {
  if (open.pausedAt !== null && !open.end) open.paused += Date.now() - open.pausedAt;
  if (!open.end) open.pausedAt = null;
}

function end(how) {
  Object.assign(open, { end: how, ended: Date.now() });
  const { deal, tokens, times } = open;
  if (tokens.length) waiting.push({ format: "pyramid-replay/1", deal, moves: tokens.join(" "), times });
  keep();
  if (navigator.onLine) sendWaiting();
}

/** The open game as the server describes an attempt. */
function describe(one) {
  const ruleset = data.rulesets[one.ruleset];
  const { game } = engine.playAll(ruleset, one.cards, one.tokens.join(" "));
  const official = one.end === "won" ? one.times.at(-1) : null;
  return {
    id: one.id,
    player: "",
    deal: one.deal,
    ruleset: one.ruleset,
    ranked: false,
    assisted: false,
    offline: true,
    note: one.end ? null : say("offline_note"),
    started_at: write(one.started),
    ended_at: write(one.ended),
    now: write(Date.now()),
    end: one.end,
    official_ms: official,
    bonus: official === null ? null : engine.bonusOf(ruleset, official),
    paused_ms: one.paused,
    paused_at: one.end ? null : write(one.pausedAt),
    race: null,
    places: [],
    cards: one.cards.join(" "),
    replay: { moves: one.tokens.join(" "), times: one.times },
    verdict: engine.judge(game),
    ply: one.tokens.length,
  };
}

// Back on the line

/** The next game is the server's: leave for it, and answer no more. */
function goOnline(address) {
  location.assign(address);
  return new Promise(() => null);
}

async function isReachable() {
  try {
    return (await fetch("/ping/", { signal: AbortSignal.timeout(SOON) })).ok;
  } catch {
    return false;
  }
}

/** Send what waits, to whoever plays in this browser; a game that is sent twice is stored once. */
export async function sendWaiting() {
  if (sending || !waiting.length) return;
  sending = true;
  let count = 0;
  try {
    while (waiting.length) {
      await ask("POST", "replays/", waiting[0]).then(() => (count += 1), giveUpOn);
      waiting.shift();
      keep();
    }
  } catch {
    // the rest waits on
  }
  sending = false;
  if (count) tell(say("offline_sent", { count }), "good");
  else if (waiting.length) tell(say("offline_kept"));
}

/** A game that the server refuses for good need not wait; one that nobody is logged in for, or has no line, must. */
function giveUpOn(error) {
  if (error.mayPass || error.status === 401) throw error;
}

if (data.offline) window.addEventListener("online", sendWaiting);
