// Who is in a sprint, what one is told of it, and what one can do.
import { hereAsNext, readPlayer } from "../games/server.js";
import { data, say } from "../games/words.js";
import { arrange, makeRow, write } from "./rows.js";
import { countPresent, findPlayer, isIn, lastRound } from "./stage.js";
import { tellStage } from "./sprint_words.js";

const byId = (id) => document.getElementById(id);
const shares = Boolean(navigator.share);

/** Show a sprint as it stands, but for the results. */
export function drawLobby(sprint, stage) {
  const { title, text } = tellStage(sprint, stage);
  write(byId("stage-title"), title);
  write(byId("stage-text"), text);
  byId("stage-text").hidden = !text;
  showButtons(sprint, stage);
  drawPlayers(sprint, stage);
  show("people", isWaiting(stage) || stage === "countdown");
}

const isWaiting = (stage) => stage === "lobby" || stage === "set";

const show = (id, shown) => {
  byId(id).hidden = !shown;
};

function showButtons(sprint, stage) {
  const isMember = isIn(sprint, data.me);
  const isHost = sprint.host === data.me;
  const mayJoin = !isMember && mayStillJoin(sprint, stage);
  const needsCode = sprint.needs_code && !sprint.invite_code;
  show("join", mayJoin && !needsCode);
  show("by-code", mayJoin && needsCode);
  show("as-guest", mayJoin && (readPlayer()?.guest ?? true));
  const mine = findPlayer(sprint, data.me);
  show("ready", isMember && isWaiting(stage) && !(isHost && stage === "lobby"));
  byId("ready").ariaPressed = String(Boolean(mine?.ready));
  write(byId("ready").querySelector("span"), say(mine?.ready ? "is_ready" : "say_ready"));
  show("start", isMember && isHost && stage === "lobby");
  byId("start").disabled = countPresent(sprint) < 2;
  show("leave", isMember && stage !== "over");
  show("to-table", stage === "playing");
  const waits = Boolean(sprint.rematch);
  show("again", stage === "over" && isMember && sprint.rounds.length > 0);
  write(byId("again"), say(waits ? "to_rematch" : "rematch"));
  show("invite", isMember && isWaiting(stage));
}

/** Whether somebody may come in now: also while a round runs, where another follows. */
function mayStillJoin(sprint, stage) {
  if (stage === "over" || countPresent(sprint) >= sprint.most) return false;
  if (findPlayer(sprint, data.me)?.left_at && lastRound(sprint)) return false;
  return !lastRound(sprint) || stage === "countdown" || sprint.best_of > 1;
}

// The players

const seats = new Map(); // name -> row

function drawPlayers(sprint, stage) {
  const present = sprint.players.filter(({ left_at: left }) => !left);
  for (const name of seats.keys()) if (!present.some(({ player }) => player === name)) seats.delete(name);
  arrange(byId("players"), present.map((row) => drawSeat(row, sprint, stage)));
  write(byId("present"), say("present", { present: present.length, most: sprint.most }));
}

function drawSeat(row, sprint, stage) {
  const seat = seats.get(row.player) ?? makeRow("seat");
  seats.set(row.player, seat);
  const { element, parts } = seat;
  write(parts.player, row.player);
  parts.player.href = `/players/${encodeURIComponent(row.player)}/`;
  write(parts.host, row.player === sprint.host ? say("host") : "");
  write(parts.you, row.player === data.me ? say("you") : "");
  const isReady = row.ready && isWaiting(stage);
  write(parts.ready, isReady ? say("ready") : "");
  element.classList.toggle("is-ready", isReady);
  element.classList.toggle("mine", row.player === data.me);
  return element;
}

// The invitation

/** The link by which others come in; it stands in the address, too, so that this page can be loaded anew. */
export function showInvite(sprint) {
  const search = sprint.needs_code && sprint.invite_code ? `?invite=${encodeURIComponent(sprint.invite_code)}` : "";
  if (location.search !== search) history.replaceState(null, "", location.pathname + search);
  byId("as-guest").querySelector("a").search = hereAsNext();
  byId("link").value = `${location.origin}/sprints/${sprint.id}/${search}`;
}

async function copyLink() {
  const { value } = byId("link");
  try {
    await navigator.clipboard.writeText(value);
    write(byId("copied"), say("link_copied"));
  } catch {
    byId("link").select(); // not allowed, or not over a safe connection: at least it is chosen
  }
}

byId("copy").addEventListener("click", copyLink);
byId("link").addEventListener("focus", () => byId("link").select());
byId("share").hidden = !shares;
byId("share").addEventListener("click", () => {
  navigator.share({ title: "Pyramidion", text: say("invitation"), url: byId("link").value }).catch(() => null);
});
