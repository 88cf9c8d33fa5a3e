// The countdown to a round: large, and told aloud no more often than one can hear.
import { data, say, writeTime } from "../games/words.js";
import { lastRound, isNear } from "./stage.js";

const ALOUD = [30, 10, 5]; // seconds
const DAY = 86_400_000;

const byId = (id) => document.getElementById(id);
const title = document.title;
let isInTitle = false; // whether the countdown is: who looks at another page sees it there
const format = new Intl.DateTimeFormat(data.language, { dateStyle: "medium", timeStyle: "short" });

/** A moment in the reader's own zone. */
export const writeMoment = (moment) => format.format(new Date(moment));

/** Show how long it is to a target. */
export function showCount(sprint, stage, target, now) {
  const left = target === null ? 0 : Math.max(0, target - now);
  const box = byId("count-box");
  box.hidden = target === null;
  const near = target !== null && isNear(stage, left);
  showTitle(near ? Math.ceil(left / 1000) : null);
  if (target === null) return;
  box.classList.toggle("near", near);
  write(byId("count"), near ? String(Math.ceil(left / 1000)) : writeSpan(left));
  write(byId("count-label"), labelCount(sprint, stage));
}

function showTitle(seconds) {
  if (seconds === null && !isInTitle) return;
  isInTitle = seconds !== null;
  const wanted = isInTitle ? `${seconds} · ${title}` : title;
  if (document.title !== wanted) document.title = wanted;
}

function labelCount(sprint, stage) {
  const round = lastRound(sprint);
  if (stage === "finished" || stage === "watching") return say("ends_in");
  if (stage === "set" || sprint.best_of === 1) return say("starts_in");
  return say("round_starts_in", { round: round.number, rounds: sprint.best_of });
}

const writeSpan = (ms) =>
  ms >= DAY ? say("days", { days: Math.floor(ms / DAY), time: writeTime(ms % DAY) }) : writeTime(ms);

function write(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

let aloud = { target: null, from: Infinity }; // how far a countdown was told

/** Say the time to a start at a few moments. */
export function announceCount(stage, target, now) {
  if (stage === "finished" || stage === "watching") return;
  if (target !== aloud.target) aloud = { target, from: Infinity };
  if (target === null) return;
  const seconds = Math.ceil((target - now) / 1000);
  const due = ALOUD.find((moment) => seconds <= moment && moment < aloud.from);
  if (due === undefined || seconds <= 0) return;
  aloud.from = Math.min(...ALOUD.filter((moment) => seconds <= moment));
  byId("news").textContent = say("news_count", { seconds });
}
