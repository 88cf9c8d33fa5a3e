// Where a sprint stands for who looks at it: functions of what the server said last, and of its clock. Pure.

export const COUNTDOWN = 10_000;
const CALM = 60_000; // a set time is counted in seconds from here on
const SPARE = 30; // ms: the server's clock is known to as much

export const lastRound = ({ rounds }) => rounds.at(-1);
export const findPlayer = ({ players }, name) => players.find(({ player }) => player === name);
export const isIn = (sprint, name) => Boolean(findPlayer(sprint, name) && !findPlayer(sprint, name).left_at);
export const isPlayed = ({ state }) => state === "waiting" || state === "playing";
export const countPresent = ({ players }) => players.filter(({ left_at: left }) => !left).length;
export const hasWon = ({ state, held, void: isVoid }) => state === "won" && !held && !isVoid;

/** The last round that is over; undefined before there is one. */
export const lastResult = ({ rounds }) => rounds.findLast(({ over_at: over }) => over);

/**
 * The stage at a moment: "lobby", "set" (it starts by itself at a time), "countdown", "playing" (oneself), "finished"
 * (oneself; the round goes on), "watching", "between" two rounds, "over". done: the race whose own game has ended, as
 * far as the table knows.
 */
export function findStage(sprint, name, now, done) {
  const round = lastRound(sprint);
  if (sprint.ended_at) return "over";
  if (!round) return sprint.starts_at ? "set" : "lobby";
  if (now < Date.parse(round.opens_at) + SPARE) return round.number === 1 ? "countdown" : "between";
  if (round.over_at) return "between";
  const runner = round.players.find(({ player }) => player === name);
  if (!runner) return "watching";
  return isPlayed(runner) && round.race !== done ? "playing" : "finished";
}

/** What is counted down to in a stage, in ms: a start, or the end of a round that has been won; null: nothing. */
export function findTarget(sprint, stage) {
  const round = lastRound(sprint);
  if (stage === "finished" || stage === "watching") return findClose(sprint);
  if (stage === "set") return Date.parse(sprint.starts_at);
  if (stage === "countdown" || (stage === "between" && !round.over_at)) return Date.parse(round.opens_at);
  return null;
}

/** Whether a countdown to a start is near enough for one number of seconds. */
export const isNear = (stage, left) => left <= CALM && stage !== "finished" && stage !== "watching";

/** When the round that runs is over at the latest, once it has been won; null before. */
export function findClose(sprint) {
  const round = lastRound(sprint);
  return round && !round.over_at && round.players.some(hasWon) ? Date.parse(round.ends_at) : null;
}

/** The next moment at which something becomes due by itself; Infinity where nothing does. */
export function findDue(sprint, now) {
  const round = lastRound(sprint);
  const moments = [];
  if (sprint.ended_at) return Infinity;
  if (!round && sprint.starts_at) moments.push(Date.parse(sprint.starts_at) - COUNTDOWN, Date.parse(sprint.starts_at));
  if (round) moments.push(Date.parse(round.opens_at), Date.parse(round.ends_at));
  return Math.min(...moments.filter((moment) => moment > now), Infinity);
}

/** The runners of a round in their order: as ranked, else who has won, who plays, who has ended unwon, who is out. */
export const orderRunners = (runners) => [...runners].sort((a, b) => measure(a) - measure(b));

function measure({ rank, official_ms: ms, removed, state }) {
  if (rank) return rank;
  if (state === "won") return 1000 + ms / 1e8; // no round takes so long that this is more than one
  if (state === "out") return 4000;
  return (isPlayed({ state }) ? 2000 : 3000) - removed;
}
