// The server's clock as far as a browser knows it: every fresh attempt says what it is, so one's own does not matter.

let ahead = 0; // the server's clock less this one, in ms

/** A call that is answered with an attempt: what it says of the clock was written half the round trip ago. */
export async function timed(ask) {
  const sent = performance.now();
  const answer = await ask();
  ahead = Date.parse(answer.now) + (performance.now() - sent) / 2 - Date.now();
  return answer;
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
