// What the page of a race says: how a game ended, what happens, and how the line is.
import { say, writeTime } from "../games/words.js";
import { stands } from "./board.js";
import { write } from "./rows.js";

const SPEAK = 1500; // what happens within is told in one sentence
const PATIENCE = 1200; // a line that is back by then was never away

const byId = (id) => document.getElementById(id);

/** How an entry ended, in a few words. */
export function tellEnd({ kind, end, guest, ranked, left, official_ms: ms }) {
  const time = writeTime(ms ?? 0, true);
  if (kind === "held") return say("held", { time });
  if (end !== "won") return say(end === "expired" ? "expired" : "resigned", { left });
  return guest ? say("won_guest", { time }) : ranked ? say("won_in", { time }) : say("won_practice");
}

let news = [];

/** Ends are told aloud, in one sentence where many come at once; progress is not. */
export function tell(row, rankOf) {
  if (!news.length) setTimeout(() => speak(rankOf), SPEAK);
  news.push(row);
}

function speak(rankOf) {
  const sentences = news.slice(0, 3).map((row) => {
    const { player, official_ms: ms, removed } = row;
    const at = stands(row) && rankOf(player);
    if (at) return say("news_won", { player, time: writeTime(ms, true), rank: at });
    return `${player}: ${tellEnd({ ...row, left: 28 - removed })}.`;
  });
  byId("news").textContent = news.length > 3 ? say("news_many", { count: news.length }) : sentences.join(" ");
  news = [];
}

let lineTimer = null;

/** Say something in the one short line that is kept free for it. about: the state of the connection that it is true in. */
export function sayLine(sentence, about = "", forMs = 0) {
  clearTimeout(lineTimer);
  const line = byId("line");
  write(line, sentence);
  line.dataset.about = about;
  line.classList.toggle("bad", about === "away");
  if (forMs) lineTimer = setTimeout(() => sayLine(""), forMs);
}

let awayTimer = null;
let toldAway = false;

/** How the line is now: live, slow, away or gone. */
export function showLine(name) {
  document.body.dataset.line = name;
  if (name === "away") {
    awayTimer ??= setTimeout(() => {
      toldAway = true;
      sayLine(say("away"), "away");
    }, PATIENCE);
    return;
  }
  clearTimeout(awayTimer);
  awayTimer = null;
  if (name === "slow") sayLine(say("slow"), name);
  else if (byId("line").dataset.about) sayLine("");
}

/** The line is back; so many have ended meanwhile. */
export function tellBack(ended) {
  if (ended) sayLine(ended === 1 ? say("back_one") : say("back_many", { count: ended }), "", 15_000);
  else if (toldAway) sayLine(say("back"), "", 6000);
  toldAway = false;
}
