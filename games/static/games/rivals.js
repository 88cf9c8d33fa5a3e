// Oneself against a rival of one's choice, in the window of the result; in a race beside its first three.
import { call } from "./server.js";
import { choices, choose } from "./state.js";
import { fill } from "./windows.js";
import { say, writeTime } from "./words.js";

const part = document.getElementById("rivals");
const field = part.querySelector("input");
const names = document.getElementById("rival-names");
const body = part.querySelector("tbody");

/** Compare an attempt that has ended: with whom the player chose before, else with who stands right above. */
export async function showRivals(attempt) {
  part.hidden = true;
  try {
    const board = await readBoard(attempt);
    const others = board.rows.filter(({ player }) => player !== attempt.player);
    names.replaceChildren(...others.map(({ player }) => new Option(player)));
    field.value = choices.rival || (others.findLast((row) => isFaster(row, attempt)) ?? others[0])?.player || "";
    field.onchange = async () => choose({ rival: (await compare(attempt, board))?.player ?? "" });
    await compare(attempt, board);
    part.hidden = false;
  } catch (error) {
    if (!("status" in error)) throw error; // without an answer the result stands alone
  }
}

field.addEventListener("keydown", (event) => {
  if (event.key !== "Enter") return;
  event.preventDefault(); // it would close the window
  field.blur();
});

const isFaster = (row, attempt) => row.official_ms < (attempt.official_ms ?? Infinity);

/** The board that an attempt counts on, around the player who stands there: {path, rows by rank, top}. */
async function readBoard({ deal, ruleset, ranked, race, places }) {
  const path = race && ranked ? `races/${race.id}` : ranked ? `rulesets/${ruleset}` : `deals/${deal}`;
  const first = race && ranked ? 3 : 0;
  const window = places.length ? `around=me&radius=3${first ? `&top=${first}` : ""}` : "limit=7";
  const found = await call("GET", `${path}/board/?${window}`);
  const top = (found.top ?? found.rows).slice(0, first);
  const rows = [...top, ...found.rows.filter(({ row }) => !top.some((other) => other.row === row))];
  return { path, rows, top };
}

/** Show the rows of the attempt and of the player who is named in the field; who that is, if anybody. */
async function compare(attempt, board) {
  const name = field.value.trim();
  let rival = null;
  let error = "";
  try {
    if (name) rival = await findRival(name, attempt, board);
  } catch (refused) {
    error = refused.message || say("failed");
  }
  fill("rivals", { error, where: rival?.elsewhere ? say("rival_elsewhere", { name: rival.player }) : "" });
  const own = board.rows.find(({ replay }) => replay === attempt.id);
  const mine = { player: attempt.player, rank: own?.rank, official_ms: attempt.official_ms, moves: attempt.verdict.moves };
  const others = [...board.top, ...(rival ? [rival] : [])].filter(({ player }) => player !== attempt.player);
  const rows = [...new Map(others.map((row) => [row.player, row])).values(), mine];
  rows.sort((one, other) => (one.official_ms ?? Infinity) - (other.official_ms ?? Infinity));
  body.replaceChildren(...rows.map((row) => drawRow(row, mine)));
  body.closest("table").hidden = rows.length < 2;
  return rival;
}

/** A rival's row of the board, or else the best of a ruleset; raises Refused where there is no such player or win. */
async function findRival(name, { ruleset, player }, { path, rows }) {
  if (name === player) return null;
  const row = rows.find((other) => other.player === name);
  if (row) return row;
  try {
    const found = await call("GET", `${path}/board/?around=${encodeURIComponent(name)}&radius=0`);
    return found.rows[0];
  } catch (error) {
    if (error.code !== "not_on_board") throw error;
  }
  const { b } = await call("GET", `compare/?a=me&b=${encodeURIComponent(name)}&ruleset=${ruleset}`);
  if (!b.best_time) throw Object.assign(new Error(say("rival_no_win", { name: b.player })), { status: 404 });
  return { player: b.player, official_ms: b.best_time.official_ms, moves: b.best_time.moves, elsewhere: true };
}

function drawRow(row, mine) {
  const line = document.createElement("tr");
  const isMine = row === mine;
  line.classList.toggle("mine", isMine);
  const won = row.official_ms !== null;
  const both = !isMine && won && mine.official_ms !== null;
  line.append(
    cell(row.rank ? `${row.rank}.` : ""),
    cell(isMine ? say("you") : row.player, "name"),
    cell(won ? writeTime(row.official_ms, true) : "–", "number"),
    cell(row.moves, "number"),
    cell(both ? writeDifference(row.official_ms - mine.official_ms, row.moves - mine.moves) : "", "number"),
  );
  return line;
}

function cell(text, className = "") {
  return Object.assign(document.createElement("td"), { textContent: text, className });
}

/** How much more or less than oneself somebody took: −3.15 / +2. */
function writeDifference(ms, moves) {
  const sign = (number) => (number < 0 ? "−" : number > 0 ? "+" : "±");
  const time = writeTime(Math.abs(ms), true).replace(/^0:0?/, "");
  return `${sign(ms)}${time} / ${sign(moves)}${Math.abs(moves)}`;
}
