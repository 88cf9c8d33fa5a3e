// How a game ends: the result and what can follow it, dead ends, giving up, a shortest way.
import { countPlayed, timed } from "./clock.js";
import * as engine from "./engine.js";
import { showRivals } from "./rivals.js";
import { call } from "./server.js";
import { tell } from "./showing.js";
import { announce, change, follow, state } from "./state.js";
import { fill, openWindow } from "./windows.js";
import { data, say, writeTime } from "./words.js";

const LINE_PAUSE = 650;
const AGAIN = 2000;

const button = (id, value) => document.querySelector(`#${id} [value=${value}]`);

follow("stuck", offerWayOut);
follow("ended", async () => {
  const attempt = await readAttempt(state.attempt);
  if (attempt.id !== state.attempt.id) return;
  change({ attempt });
  showResult();
});

/** An attempt that has ended with all that is told of it then; asked for until it is answered. */
async function readAttempt(attempt) {
  if (attempt.end) return attempt;
  try {
    return await timed(() => call("GET", `attempts/${attempt.id}/`));
  } catch {
    await new Promise((done) => setTimeout(done, AGAIN));
    return readAttempt(attempt);
  }
}

async function showResult() {
  if (data.race_page) return announce("over");
  const { attempt, game } = state;
  const { verdict } = attempt;
  const won = attempt.end === "won";
  const [best] = await Promise.all([won ? readBest(attempt) : null, showRivals(attempt)]);
  if (attempt !== state.attempt) return; // another game was begun meanwhile
  fill("result", {
    title: won ? say("you_won") : say(attempt.end === "expired" ? "expired" : "given_up"),
    time: writeTime(countPlayed(attempt), won),
    moves: verdict.moves,
    par: writePar(attempt),
    removed: `${verdict.removed}/28`,
    all: `${verdict.removed_all}/${game.cards.length}`,
    points: game.ruleset.scoring === "none" ? null : verdict.points + (attempt.bonus ?? 0),
    rank: attempt.places.map(writePlace).join(", ") || null,
    best,
    code: attempt.deal,
  });
  button("result", "line").hidden = !attempt.line;
  showLink("to-race", attempt.race && findRacePage(attempt.race));
  const shown = won && attempt.ranked && !attempt.held && attempt.race?.kind !== "sandbox";
  showLink("to-result", shown && `/results/${attempt.id}/`);
  showLink("to-replay", verdict.plies && !attempt.offline && `/replays/${attempt.id}/`);
  announce("wish", await openWindow("result"));
}

const findRacePage = ({ id, sprint }) => (sprint ? `/sprints/${sprint}/` : `/races/${id}/`);

function showLink(id, address) {
  const link = document.getElementById(id);
  link.hidden = !address;
  if (address) link.href = address;
}

const writePlace = ({ board, rank, total }) => `${say("rank_of", { rank, total })} ${say(`rank_${board}`)}`;

function writePar({ over_par: over, par, par_proven: proven }) {
  if (over === undefined || over === null) return null;
  return over === 0 && proven ? say("at_par") : say("over_par", { over, par });
}

/** One's best time in this ruleset, this win included; null where it cannot be read. */
async function readBest(attempt) {
  try {
    const { rulesets } = await call("GET", "players/me/");
    const row = rulesets.find(({ ruleset, clock }) => ruleset === attempt.ruleset && clock === "server");
    const best = row?.best_time?.official_ms;
    if (best === undefined) return null;
    const behind = attempt.official_ms - best;
    return behind ? `${writeTime(best, true)} (+${writeTime(behind, true)})` : say("best_now");
  } catch {
    return null;
  }
}

/** No move is left, or no win: said plainly and once, with what can be done. */
async function offerWayOut(why) {
  if (state.told || state.attempt.end) return;
  change({ told: true });
  fill("stuck", { why: say(why) });
  const { ranked } = state.attempt;
  button("stuck", "hint").hidden = ranked || data.race_page || why === "dead_end";
  button("stuck", "again").hidden = ranked || data.race_page;
  button("stuck", "another").hidden = data.race_page;
  button("stuck", "resign").hidden = !ranked && !data.race_page;
  tell(say(why), "bad");
  announce("wish", await openWindow("stuck"));
}

/** End the game unwon, once the player is sure. */
export async function giveUp() {
  if ((await openWindow("give-up")) !== "resign") return;
  try {
    await state.sender.settle();
    change({ attempt: await timed(() => call("POST", `attempts/${state.attempt.id}/resign/`, {})) });
    showResult();
  } catch (error) {
    tell(error.message || say("failed"), "bad");
  }
}

/** Play a shortest line on the table, once the game is over. */
export function watchLine() {
  const { game: played, attempt } = state;
  const line = attempt.line.split(" ");
  const watching = setInterval(() => {
    if (line.length) return change({ game: engine.playGame(state.game, line.shift()) });
    clearInterval(watching);
    change({ game: played, watching: null });
    showResult();
  }, LINE_PAUSE);
  change({ game: engine.startGame(played.ruleset, played.cards), watching });
  tell(say("showing_line"));
}
