// How a sprint's rounds went: the one that is played, as it is played; those that are over; who stands where in all.
import { listRivals } from "../games/live.js";
import { call, readPlayer } from "../games/server.js";
import { data, say } from "../games/words.js";
import { arrange, makeRow, write } from "./rows.js";
import { tellRunner } from "./sprint_words.js";
import { isPlayed, lastResult, lastRound, orderRunners } from "./stage.js";

const NEWCOMER = 1500;

const byId = (id) => document.getElementById(id);

/** Show what there is to be seen of the rounds in a stage. */
export function drawOutcome(sprint, stage, attempt) {
  const isLive = stage === "playing" || stage === "finished" || stage === "watching";
  const round = isLive ? lastRound(sprint) : lastResult(sprint);
  const isOnly = stage === "over" && sprint.best_of > 1; // then all rounds are listed below the standing
  byId("round").hidden = !round || isOnly;
  if (round && !isOnly) drawRound(round, isLive ? followRunners(round, attempt) : round.players, isLive);
  byId("watch-race").hidden = !isLive || stage === "playing";
  if (isLive) byId("watch-race").href = `/races/${round.race}/`;
  drawScore(sprint, stage);
  drawRounds(sprint, isOnly);
}

/** The runners of a round with what the race's feed tells of them sooner. */
function followRunners(round, attempt) {
  const live = new Map(listRivals().map((row) => [row.player, row]));
  return round.players.map((runner) => {
    const row = live.get(runner.player);
    if (runner.player === data.me && attempt?.race?.id === round.race && attempt.end) return followMe(runner, attempt);
    if (!row || !isPlayed(runner)) return runner;
    const { removed, official_ms: ms, over } = row;
    if (ms !== null) return { ...runner, state: "won", official_ms: ms, removed };
    return { ...runner, removed, state: over ? "resigned" : removed ? "playing" : runner.state };
  });
}

const followMe = (runner, { end, official_ms: ms, verdict }) =>
  isPlayed(runner) ? { ...runner, state: end, official_ms: ms, removed: verdict.removed } : runner;

const runners = new Map(); // race and name -> row

function drawRound(round, rows, isLive) {
  write(byId("round-title"), isLive ? say("progress_title") : say("round_title", { round: round.number }));
  let place = 0;
  const drawn = orderRunners(rows).map((row) => {
    if (isLive && row.state === "won") place += 1;
    return drawRunner(round, row, isLive ? (row.state === "won" ? place : null) : row.rank, isLive);
  });
  arrange(byId("runners"), drawn);
}

function drawRunner(round, row, rank, isLive) {
  const key = `${round.race} ${row.player}`;
  const runner = runners.get(key) ?? makeRow("standing");
  runners.set(key, runner);
  const { element, parts } = runner;
  write(parts.rank, rank ? `${rank}.` : "");
  write(parts.player, row.player);
  parts.player.href = `/players/${encodeURIComponent(row.player)}/`;
  write(parts.told, tellRunner(row));
  parts.bar.style.setProperty("--removed", row.removed);
  element.classList.toggle("mine", row.player === data.me);
  element.classList.toggle("over", !isPlayed(row) && row.state !== "won");
  parts.replay.hidden = isLive || !row.replay;
  if (row.replay) parts.replay.href = `/replays/${row.replay}/`;
  return element;
}

/** Who has won how many rounds. */
function drawScore(sprint, stage) {
  const rows = sprint.players.filter(({ rank }) => rank);
  byId("score").hidden = sprint.best_of === 1 || !rows.length || stage === "playing";
  rows.sort((a, b) => a.rank - b.rank);
  byId("scores").replaceChildren(
    ...rows.map(({ player, rank, won }) => {
      const { element, parts } = makeRow("total");
      write(parts.rank, `${rank}.`);
      write(parts.player, player);
      parts.player.href = `/players/${encodeURIComponent(player)}/`;
      write(parts.won, String(won));
      element.classList.toggle("mine", player === data.me);
      return element;
    }),
  );
}

/** Every round of a sprint that is over, one below the other. */
function drawRounds(sprint, shown) {
  byId("rounds").hidden = !shown;
  if (!shown || byId("rounds").childElementCount) return;
  for (const round of sprint.rounds) {
    const { element, parts } = makeRow("round-part");
    write(parts.title, say("round_title", { round: round.number }));
    parts.list.append(...orderRunners(round.players).map((row) => drawRunner(round, row, row.rank, false)));
    byId("rounds").append(element);
  }
}

/** What the sprint has made of one's own rating, where it has one. */
export async function showRating(sprint) {
  const player = readPlayer();
  if (!sprint.rated || !player || player.guest || !sprint.rounds.length) return;
  const path = `players/${encodeURIComponent(player.name)}/ratings/?points=${sprint.rounds.length + 1}`;
  const { rulesets } = await call("GET", path).catch(() => ({ rulesets: [] }));
  const curve = rulesets.find(({ ruleset }) => ruleset === sprint.ruleset)?.curve ?? [];
  const first = curve.findIndex((point) => point.sprint === sprint.id);
  if (first < 0) return;
  const points = curve.filter((point) => point.sprint === sprint.id);
  const [before, after] = [curve[first - 1]?.rating ?? NEWCOMER, points.at(-1)];
  const change = after.rating - before;
  const sentence = say("rating_is", { before, after: after.rating, change: change < 0 ? `−${-change}` : `+${change}` });
  write(byId("rating"), after.provisional ? `${sentence} ${say("rating_provisional")}` : sentence);
  byId("rating").hidden = false;
}
