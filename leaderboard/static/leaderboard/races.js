// The page of all races: times in the reader's own zone, and the form for a new race.
import { call } from "../games/server.js";
import { data, say } from "../games/words.js";

const HOUR = 3_600_000;
const format = new Intl.DateTimeFormat(data.language, { dateStyle: "medium", timeStyle: "short" });
for (const time of document.querySelectorAll("time[datetime]")) time.textContent = format.format(new Date(time.dateTime));

const form = document.getElementById("make");

/** What is sent: empty fields are left out. */
function readForm() {
  const { name, cards, ruleset, deal, opens, hours, invite_code: invite } = form.elements;
  const club = form.dataset.club ?? form.elements.club?.value;
  const opensAt = opens.value ? new Date(opens.value) : null;
  const closesAt = new Date((opensAt?.getTime() ?? Date.now()) + hours.value * HOUR);
  return {
    name: name.value.trim(),
    ...(cards.value === "deal" ? { deal: deal.value.trim() } : { ruleset: ruleset.value }),
    ...(opensAt ? { opens_at: opensAt.toISOString() } : {}),
    closes_at: closesAt.toISOString(),
    ...(club ? { club: Number(club) } : invite.value.trim() ? { invite_code: invite.value.trim() } : {}),
  };
}

/** Each sentence stands at its field, the rest at the button. */
function showErrors(errors) {
  for (const place of form.querySelectorAll("[data-error]")) place.textContent = "";
  for (const { where, detail } of errors) {
    const place = form.querySelector(`[data-error="${where ?? ""}"]`) ?? form.querySelector('[data-error=""]');
    place.textContent = detail;
  }
  const first = form.querySelector("[data-error]:not(:empty)");
  first?.parentElement.querySelector("input, select")?.focus();
}

async function makeRace(event) {
  event.preventDefault();
  const button = form.querySelector("button");
  button.disabled = true;
  try {
    const race = await call("POST", "races/", readForm());
    location.assign(`/races/${race.id}/`);
  } catch (error) {
    if (!("status" in error)) throw error;
    showErrors(error.body.errors ?? [{ where: error.body.where, detail: error.message || say("failed") }]);
  } finally {
    button.disabled = false;
  }
}

/** What goes with the choices: fields of the cards, and an invite code where the race is for no club. */
function showParts() {
  const chosen = [form.elements.cards.value, form.elements.club?.value ?? ""];
  for (const part of form.querySelectorAll("[data-for]")) part.hidden = !chosen.includes(part.dataset.for);
}

if (form) {
  form.addEventListener("submit", makeRace);
  form.addEventListener("change", showParts);
  showParts();
}
