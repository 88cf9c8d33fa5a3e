// A line to the server that is held for as long as it is wanted: a socket, made anew after a growing and random wait;
// calls, again and again, where no socket can be had; one look after the machine slept or nothing was heard for long.

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

/** A wait that grows with the failures, and differs, so that not all come back at the same moment. */
export const waitAfter = (failures) =>
  Math.min(LONGEST_WAIT, FIRST_WAIT * 2 ** Math.max(0, failures - 1)) * (0.5 + Math.random());

/**
 * Hold a line. path(): of the socket; ask(): a frame over REST; askEvery(): ms from one to the next; hear(frame):
 * whether it said something new; line("live" | "slow" | "away" | "gone"); doubt(): from here on something may be missed.
 * Returns {look: ask once, now; stop}.
 */
export function holdLine({ path, ask, hear, line, askEvery = () => ASK_EVERY, doubt = () => null }) {
  const stopped = new AbortController();
  let failures = 0;
  let cut = () => null; // ends what runs now: a socket, or a wait
  let heardAt = Date.now();
  let wasDown = false; // the server itself, as far as is known

  function take(frame) {
    heardAt = Date.now();
    return hear(frame);
  }

  function lose() {
    wasDown = true;
    doubt();
    line("away");
  }

  /** One socket from beginning to end; resolves with its code, 0 where it never spoke. */
  function useSocket() {
    return new Promise((done) => {
      const address = new URL(path(), location.href);
      address.protocol = address.protocol.replace("http", "ws");
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
        take(JSON.parse(data));
        if (!spoke) line("live");
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

  const askOnce = async () => take(await ask());

  /** Where REST is to be had and sockets are not; resolves with whether a socket should be tried at once. */
  async function askForAWhile() {
    const until = Date.now() + ASK_FOR;
    try {
      while (!stopped.signal.aborted && Date.now() < until) {
        await askOnce();
        if (wasDown) return !(wasDown = false); // it is back, perhaps with its sockets
        line("slow");
        await wait(askEvery() * (0.8 + 0.4 * Math.random()));
      }
      return true;
    } catch (error) {
      if (!("status" in error)) throw error;
      lose();
      return false;
    }
  }

  async function run() {
    while (!stopped.signal.aborted) {
      const code = await useSocket();
      if (stopped.signal.aborted) return;
      if (GONE.includes(code)) return line("gone");
      failures = code ? 1 : failures + 1;
      if (failures <= TRIES) lose();
      else if (await askForAWhile()) continue;
      await wait(waitAfter(failures));
    }
  }

  /** Whether the line still brings what happens; a dead one is cut, and made anew. */
  async function check() {
    const heard = heardAt;
    heardAt = Date.now();
    doubt();
    if ((await look()) && Date.now() - heard > TICK) cut();
  }

  async function look() {
    try {
      return await askOnce();
    } catch (error) {
      if (!("status" in error)) throw error;
      if (stopped.signal.aborted) return false;
      lose();
      cut();
      return false;
    }
  }

  let tickedAt = Date.now();
  const ticking = setInterval(() => {
    const now = Date.now();
    const slept = now - tickedAt > SLEPT;
    tickedAt = now;
    if (document.hidden) return;
    if (slept || now - heardAt > SILENCE) check();
  }, TICK);
  const { signal } = stopped;
  signal.addEventListener("abort", () => {
    clearInterval(ticking);
    cut();
  });
  document.addEventListener(
    "visibilitychange",
    () => {
      if (!document.hidden && Date.now() - heardAt > SLEPT) check();
    },
    { signal },
  );
  window.addEventListener(
    "offline",
    () => {
      lose();
      cut();
    },
    { signal },
  );
  window.addEventListener("online", () => cut(), { signal });
  run();
  return { look, stop: () => stopped.abort() };
}
