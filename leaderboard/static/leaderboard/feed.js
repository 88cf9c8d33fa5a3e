// A race as its watchers see it: the state that the server's frames make, and the line that brings them, by socket or,
// where none can be had, by asking again and again. It knows nothing of the page.
import { call } from "../games/server.js";

const GONE = [4400, 4403, 4404]; // closed with one of these, to come again is of no use
const FIRST_WAIT = 500;
const LONGEST_WAIT = 20_000;
const TO_OPEN = 6000; // a socket that has said nothing by then is given up
const TRIES = 1; // so many sockets may fail in a row before the server is asked over REST
const ASK_EVERY = 2500;
const ASK_FOR = 30_000; // then a socket is tried again
const TICK = 5000;
const SLEPT = 4 * TICK; // the clock jumped by as much: the machine slept
const SILENCE = 60_000; // nothing was heard for so long: perhaps nothing happens, perhaps the line is dead

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

/** A wait that grows with the failures, and differs, so that not all come back at the same moment. */
export const waitAfter = (failures) =>
  Math.min(LONGEST_WAIT, FIRST_WAIT * 2 ** Math.max(0, failures - 1)) * (0.5 + Math.random());

/**
 * Keep a state as the race is, for as long as the page is open. on: {frame(frame, fresh): it was followed;
 * line("live" | "slow" | "away" | "gone"); back(how many have ended while nothing was heard)}.
 */
export function follow(race, state, on) {
  let failures = 0;
  let left = null; // how many had ended when the line was cut
  let cut = () => null; // ends what runs now: a socket, or a wait
  let heardAt = Date.now();
  let wasDown = false; // the server itself, as far as is known

  function hear(frame) {
    heardAt = Date.now();
    const fresh = take(state, frame);
    on.frame(frame, fresh);
    if (left === null) return fresh;
    const ended = Math.max(0, countOver(state) - left);
    left = null;
    on.back(ended);
    return fresh;
  }

  function lose() {
    wasDown = true;
    left ??= countOver(state);
    on.line("away");
  }

  /** One socket from beginning to end; resolves with its code, 0 where it never spoke. */
  function useSocket() {
    return new Promise((done) => {
      const address = new URL(`/ws/races/${race}/`, location.href);
      address.protocol = address.protocol.replace("http", "ws");
      if (state.since) address.searchParams.set("since", state.since);
      const socket = new WebSocket(address);
      const tooLate = setTimeout(() => end(0), TO_OPEN);
      let spoke = false;

      function end(code) {
        clearTimeout(tooLate);
        socket.onmessage = socket.onclose = null;
        socket.close();
        done(spoke || GONE.includes(code) ? code : 0);
      }

      socket.onmessage = ({ data }) => {
        clearTimeout(tooLate);
        hear(JSON.parse(data));
        if (!spoke) on.line("live");
        spoke = true;
      };
      socket.onclose = ({ code }) => end(code || 1006);
      cut = () => end(1006);
    });
  }

  const wait = (ms) =>
    new Promise((done) => {
      const timer = setTimeout(done, ms);
      cut = () => {
        clearTimeout(timer);
        done();
      };
    });

  async function ask() {
    return hear(await call("GET", `races/${race}/changes/${state.since ? `?since=${state.since}` : ""}`));
  }

  /** Where REST is to be had and sockets are not; resolves with whether a socket should be tried at once. */
  async function askForAWhile() {
    const until = Date.now() + ASK_FOR;
    try {
      while (Date.now() < until) {
        await ask();
        if (wasDown) return !(wasDown = false); // it is back, perhaps with its sockets
        on.line("slow");
        await wait(ASK_EVERY * (0.8 + 0.4 * Math.random()));
      }
      return true;
    } catch (error) {
      if (!("status" in error)) throw error;
      lose();
      return false;
    }
  }

  async function run() {
    for (;;) {
      const code = await useSocket();
      if (GONE.includes(code)) return on.line("gone");
      failures = code ? 1 : failures + 1;
      if (failures <= TRIES) lose();
      else if (await askForAWhile()) continue;
      await wait(waitAfter(failures));
    }
  }

  /** Whether the line still brings what happens; a dead one is cut, and made anew. */
  async function check() {
    const before = countOver(state);
    const heard = heardAt;
    try {
      heardAt = Date.now();
      left ??= before;
      if ((await ask()).length && Date.now() - heard > TICK) cut();
    } catch (error) {
      if (!("status" in error)) throw error;
      lose();
      cut();
    }
  }

  let tickedAt = Date.now();
  setInterval(() => {
    const now = Date.now();
    const slept = now - tickedAt > SLEPT;
    tickedAt = now;
    if (document.hidden) return;
    if (slept || now - heardAt > SILENCE) check();
  }, TICK);
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden && Date.now() - heardAt > SLEPT) check();
  });
  window.addEventListener("offline", () => {
    lose();
    cut();
  });
  window.addEventListener("online", () => cut());
  run();
}
