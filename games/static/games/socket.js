// Moves of a ranked game or a race go over a socket where one is to be had, and over REST where not. The server makes
// the same of both, and from_ply makes a move that went both ways harmless: whatever is in doubt is sent again by REST.
import { postMoves } from "./sending.js";
import { Refused } from "./server.js";

const ANSWER_WITHIN = 5000;
const MOST_BYTES = 4000; // the server refuses frames over 4096
const FIRST_PAUSE = 1000;
const LONGEST_PAUSE = 60_000;

/** A way for the moves of an attempt, as makeSender asks for it: (attempt, body) to a promise; raises Refused. */
export function makeSocketWay(attempt) {
  let socket = null;
  let ready = false;
  let failures = 0;
  let retryAt = 0;
  let closed = false;
  let lastRef = 0;
  const waiting = new Map(); // ref -> what to do with its answer; null: none comes
  open(); // to be ready for the first move

  function open() {
    const address = new URL(`/ws/attempts/${attempt}/`, location.href);
    address.protocol = address.protocol.replace("http", "ws");
    socket = new WebSocket(address);
    socket.onmessage = ({ data }) => hear(JSON.parse(data));
    socket.onclose = lose;
  }

  function hear(frame) {
    if (frame.type === "ready") {
      ready = true;
      failures = 0;
    } else if (frame.type === "answer") {
      waiting.get(frame.ref)?.(frame);
    }
  }

  function lose() {
    socket = null;
    ready = false;
    failures += 1;
    retryAt = Date.now() + Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** failures) * (0.5 + Math.random());
    for (const done of [...waiting.values()]) done(null);
  }

  /** The answer to a frame; null where none has come in time. */
  function ask(body) {
    return new Promise((done) => {
      const ref = ++lastRef;
      const timer = setTimeout(() => finish(null), ANSWER_WITHIN);
      function finish(answer) {
        clearTimeout(timer);
        waiting.delete(ref);
        done(answer);
      }
      waiting.set(ref, finish);
      socket.send(JSON.stringify({ ref, ...body }));
    });
  }

  async function deliver(id, body) {
    if (!socket && !closed && Date.now() >= retryAt) open();
    // nobody waits for a socket: until it is ready, and where it is in trouble, moves go by REST
    if (!ready || socket.readyState !== WebSocket.OPEN || JSON.stringify(body).length > MOST_BYTES) {
      return postMoves(id, body);
    }
    const answer = await ask(body);
    if (!answer) {
      socket?.close();
      return postMoves(id, body);
    }
    if (answer.body.end) close();
    if (answer.status >= 400) throw new Refused(answer.status, answer.body);
    return answer.body;
  }

  function close() {
    closed = true;
    socket?.close();
  }

  return Object.assign(deliver, { close });
}
