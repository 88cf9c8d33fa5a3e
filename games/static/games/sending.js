// Moves on their way to the server: sent as they are made, in order, again and again until one answer says what became
// of them. from_ply makes a repeated call harmless, and what is not yet sent outlives a reload.
import { call } from "./server.js";
import { data } from "./words.js";

// a game without a connection must not push out the moves of one that waits for it
const KEPT = data.offline ? "pyramidion.offline.unsent" : "pyramidion.unsent";
const PAUSES = [500, 1000, 2000, 4000, 8000];

/** The tokens that this browser holds of an attempt, sent or not; null where it knows none. */
export function readKept(attempt) {
  const kept = JSON.parse(localStorage.getItem(KEPT) ?? "null");
  return kept?.attempt === attempt ? kept.tokens : null;
}

/** One way for moves to the server, {from_ply, moves} to a promise of its answer; raises Refused. */
export const postMoves = (attempt, body) => call("POST", `attempts/${attempt}/moves/`, body);

/**
 * attempt: its id; sent: how many of its tokens are stored; deliver: the way for the moves, closed with the sender. on: {stored(answer),
 * refused(error, sent) -> the tokens that are left, or null to stop; apart(error): the attempt stands elsewhere;
 * connection(whether there is one)}.
 */
export function makeSender(attempt, sent, on, deliver = postMoves) {
  let tokens = [];
  let busy = false;
  let failures = 0;
  let stopped = false;
  let waiting = []; // who wants to know when all is stored

  function keep(all) {
    tokens = all;
    localStorage.setItem(KEPT, JSON.stringify({ attempt, tokens }));
  }

  function push(all) {
    keep(all);
    run();
  }

  async function run() {
    if (busy || stopped) return;
    busy = true;
    while (!stopped && sent < tokens.length) {
      const upTo = tokens.length;
      try {
        const answer = await deliver(attempt, { from_ply: sent, moves: tokens.slice(sent, upTo).join(" ") });
        if (stopped) break;
        sent = upTo;
        if (failures) on.connection(true);
        failures = 0;
        on.stored(answer);
      } catch (error) {
        if (stopped) break;
        if (error.mayPass) {
          await pause();
          continue;
        }
        if (error.status === 409 && error.body.state) {
          on.apart(error);
          break;
        }
        const kept = on.refused(error, sent);
        if (!kept) break;
        keep(kept);
      }
    }
    busy = false;
    if (sent >= tokens.length) waiting.splice(0).forEach((done) => done());
  }

  async function pause() {
    failures += 1;
    if (failures === 1) on.connection(false);
    const ms = PAUSES[Math.min(failures, PAUSES.length) - 1];
    await new Promise((done) => {
      const timer = setTimeout(finish, ms);
      function finish() {
        clearTimeout(timer);
        window.removeEventListener("online", finish);
        done();
      }
      window.addEventListener("online", finish);
    });
  }

  const isBusy = () => busy || sent < tokens.length;

  /** Resolves once everything is stored. */
  const settle = () => new Promise((done) => (isBusy() ? waiting.push(done) : done()));

  function stop() {
    stopped = true;
    deliver.close?.();
  }

  return { push, settle, stop, isBusy };
}
