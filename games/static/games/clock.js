// The server's clock as far as a browser knows it: answers say what it is, so one's own does not matter.

let ahead = 0; // the server's clock less this one, in ms
let within = Infinity; // and by how much that may be wrong

/** A call that is answered with `now`: it was written somewhen between the call and its answer. */
export async function timed(ask) {
  const sent = performance.now();
  const answer = await ask();
  const half = (performance.now() - sent) / 2;
  learn(Date.parse(answer.now) + half - Date.now(), half);
  return answer;
}

/** The quickest answer says it best, until one contradicts it: then this clock was set, or the machine slept. */
function learn(difference, error) {
  if (error > within && Math.abs(difference - ahead) <= error + within) return;
  ahead = difference;
  within = error;
}

/** The server's clock now, in ms since 1970. */
export const readClock = () => Date.now() + ahead;

/** How long an attempt has been played, in ms: until its end, or until now, without its pauses. */
export function countPlayed({ started_at, ended_at, official_ms: official, paused_ms: paused, paused_at, now }) {
  if (official !== null) return official;
  const until = ended_at ?? (paused_at ? now : null); // paused_ms is what it was at `now`
  return (until ? Date.parse(until) : readClock()) - Date.parse(started_at) - paused;
}

/** An attempt whose clock stands from now on, or runs on, before the server has said so. */
export function stopClock(attempt) {
  const now = new Date(readClock()).toISOString();
  return { ...attempt, now, paused_at: now };
}

export function startClock(attempt) {
  const stood = readClock() - Date.parse(attempt.now);
  return { ...attempt, paused_at: null, paused_ms: attempt.paused_ms + Math.round(stood) };
}
