// The page of all sprints: those that wait for players, as they come and go, and the form for a new one.
import { call, callAsPlayer } from "../games/server.js";
import { data, say } from "../games/words.js";
import { showErrors } from "./forms.js";
import { arrange, makeRow, write } from "./rows.js";

const AGAIN = 4000;
const CODE_LETTERS = "abcdefghijkmnpqrstuvwxyz23456789"; // nobody takes one for another
const CODE_LENGTH = 8;

const byId = (id) => document.getElementById(id);
const format = new Intl.DateTimeFormat(data.language, { dateStyle: "medium", timeStyle: "short" });
const form = byId("make");

// The lobbies

const rows = new Map(); // id -> row

function drawLobby(sprint) {
  const row = rows.get(sprint.id) ?? makeRow("lobby");
  rows.set(sprint.id, row);
  const { parts } = row;
  row.element.dataset.sprint = sprint.id;
  parts.link.href = `/sprints/${sprint.id}/`;
  write(parts.name, data.rulesets[sprint.ruleset]);
  write(parts.facts, writeFacts(sprint));
  write(parts.when, sprint.starts_at ? format.format(new Date(sprint.starts_at)) : say("host_says"));
  return row.element;
}

function writeFacts({ host, present, most, best_of: rounds, difficulty, rated }) {
  const facts = [
    host,
    say("present", { present, most }),
    rounds > 1 && say("best_of", { rounds }),
    difficulty && say(difficulty),
    !rated && say("unrated"),
  ];
  return facts.filter(Boolean).join(" · ");
}

async function readLobbies() {
  if (document.hidden) return;
  const found = await call("GET", "sprints/").catch(() => null);
  if (!found) return; // the next time, perhaps
  const ids = new Set(found.rows.map(({ id }) => id));
  for (const id of rows.keys()) if (!ids.has(id)) rows.delete(id);
  arrange(byId("lobbies"), found.rows.map(drawLobby));
  byId("no-lobby").hidden = found.rows.length > 0;
}

// A new one

const drawLetter = (byte) => CODE_LETTERS[byte % CODE_LETTERS.length];
const drawCode = () => Array.from(crypto.getRandomValues(new Uint8Array(CODE_LENGTH)), drawLetter).join("");

/** What is sent: empty fields are left out. */
function readForm() {
  const { who, cards, ruleset, difficulty, deal, players, best_of: rounds, starts } = form.elements;
  const dealt = {
    ruleset: ruleset.value,
    best_of: Number(rounds.value),
    ...(difficulty.value && { difficulty: difficulty.value }),
  };
  return {
    ...(cards.value === "deal" ? { deal: deal.value.trim() } : dealt),
    players: Number(players.value),
    ...(who.value === "invited" && { invite_code: drawCode() }),
    ...(starts.value && { starts_at: new Date(starts.value).toISOString() }),
  };
}

async function makeSprint(event) {
  event.preventDefault();
  const button = form.querySelector("button");
  button.disabled = true;
  try {
    const wanted = readForm();
    const { id } = await callAsPlayer("POST", "sprints/", wanted);
    location.assign(`/sprints/${id}/${wanted.invite_code ? `?invite=${wanted.invite_code}` : ""}`);
  } catch (error) {
    if (!("status" in error)) throw error;
    showErrors(form, error.body.errors ?? [{ where: error.body.where, detail: error.message || say("failed") }]);
    form.querySelector("details").open ||= Boolean(form.querySelector("details [data-error]:not(:empty)"));
    button.disabled = false;
  }
}

function showCards() {
  for (const part of form.querySelectorAll("[data-for]")) part.hidden = part.dataset.for !== form.elements.cards.value;
}

form.addEventListener("submit", makeSprint);
form.addEventListener("change", showCards);
showCards();
document.addEventListener("visibilitychange", readLobbies);
setInterval(readLobbies, AGAIN);
readLobbies();
