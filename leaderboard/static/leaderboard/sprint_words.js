// What a sprint tells who looks at it, by its stage.
import { data, say, writeTime } from "../games/words.js";
import { writeMoment } from "./counting.js";
import { countPresent, findPlayer, isIn, lastResult, lastRound } from "./stage.js";

const LEFT = `pyramidion.left.${data.sprint.id}`; // that it was oneself who left

/** A heading and a sentence: {title, text}. */
export function tellStage(sprint, stage) {
  const { title, text } = TELLERS[stage](sprint);
  if (!findPlayer(sprint, data.me)?.left_at || stage === "over") return { title, text };
  return { title, text: lastRound(sprint) ? tellLeft() : `${tellLeft()} ${text}` };
}

/** Keep in mind whether it was oneself who left. */
export const noteLeaving = (left) => (left ? sessionStorage.setItem(LEFT, "1") : sessionStorage.removeItem(LEFT));

/** Why one is out of it. */
const tellLeft = () => say(sessionStorage.getItem(LEFT) ? "you_left" : "you_were_silent");

const TELLERS = {
  lobby: tellLobby,
  set: tellSet,
  countdown: tellCountdown,
  playing: tellPlaying,
  finished: tellFinished,
  watching: tellWatching,
  between: tellBetween,
  over: tellOver,
};

function tellLobby(sprint) {
  const present = countPresent(sprint);
  const title = say(present < 2 ? "waiting_for_players" : "waiting_for_start");
  if (!isIn(sprint, data.me)) {
    const text = present < sprint.most ? say("host_waits", { host: sprint.host ?? "–", present }) : say("is_full");
    return { title, text };
  }
  if (present < 2) return { title, text: say("takes_two") };
  const text = sprint.host === data.me ? tellReady(sprint) : say("host_starts", { host: sprint.host ?? "–" });
  return { title, text };
}

function tellReady({ players, host }) {
  const others = players.filter(({ player, left_at: left }) => !left && player !== host);
  const ready = others.filter((row) => row.ready).length;
  return ready === others.length ? say("all_ready") : say("some_ready", { ready, others: others.length });
}

function tellSet(sprint) {
  const text = say(isIn(sprint, data.me) ? "by_itself" : "join_in_time");
  return { title: say("starts_at", { time: writeMoment(sprint.starts_at) }), text };
}

function tellCountdown(sprint) {
  return { title: say("get_ready"), text: say(isIn(sprint, data.me) ? "cards_come" : "join_in_time") };
}

function nameRound({ best_of: rounds, ...sprint }) {
  return rounds === 1 ? say("round_runs") : say("round_of_runs", { round: lastRound(sprint).number, rounds });
}

function tellPlaying(sprint) {
  return { title: nameRound(sprint), text: say("clock_runs") };
}

function tellFinished(sprint) {
  return { title: nameRound(sprint), text: say("you_are_done") };
}

function tellWatching(sprint) {
  const isMember = isIn(sprint, data.me);
  const later = sprint.best_of > 1 ? (isMember ? "next_round_yours" : "join_next") : "watch_only";
  return { title: nameRound(sprint), text: say(later) };
}

function tellBetween(sprint) {
  return { title: say("round_over", { round: lastResult(sprint)?.number ?? 1 }), text: say("next_comes") };
}

const tellRank = (rank, total) => (rank === 1 ? say("you_are_first") : say("rank_of", { rank, total }));

function tellOver(sprint) {
  if (!sprint.rounds.length) return { title: say("sprint_over"), text: say("nobody_came") };
  const mine = findPlayer(sprint, data.me);
  const first = sprint.players.filter(({ rank }) => rank === 1).map(({ player }) => player);
  const title = mine?.rank ? tellRank(mine.rank, sprint.players.length) : say("sprint_over");
  const waits = sprint.rematch && mine && !mine.left_at ? say("rematch_waits") : "";
  const winner = first.length && mine?.rank !== 1 ? say("winner_is", { player: first.join(", ") }) : "";
  return { title, text: [winner, waits].filter(Boolean).join(" ") };
}

/** What a runner of a round has come to, in a few words. */
export function tellRunner({ state, held, void: isVoid, official_ms: ms, removed, moves }) {
  if (isVoid) return say("is_void");
  if (state === "won") return held ? say("is_held", { time: writeTime(ms, true) }) : writeTime(ms, true);
  if (state === "out") return say("is_out");
  if (state === "waiting") return say("is_waiting");
  if (state === "playing") return say("removed_of", { removed });
  return say(state === "expired" ? "ran_out" : "gave_up", { removed, moves });
}
