// The windows over the table (dialog elements of the page) and what they ask.
import { hereAsNext, readPlayer } from "./server.js";
import { choices, choose } from "./state.js";
import { data, say, write } from "./words.js";

const byId = (id) => document.getElementById(id);

export const MOST_RIVALS = 3;

/** Open a window; resolves with the value of the button that closed it, "" for Esc. */
export function openWindow(id) {
  const dialog = byId(id);
  if (!dialog.open) {
    for (const link of dialog.querySelectorAll("[data-account]")) link.search = hereAsNext();
    dialog.returnValue = "";
    dialog.showModal();
  }
  return new Promise((done) => dialog.addEventListener("close", () => done(dialog.returnValue), { once: true }));
}

export const closeWindows = () => document.querySelectorAll("dialog[open]").forEach((dialog) => dialog.close(""));

export const anyWindowOpen = () => Boolean(document.querySelector("dialog[open]"));

// a tap beside a window closes it
document.addEventListener("click", (event) => {
  if (event.target instanceof HTMLDialogElement && event.target.open) event.target.close("");
});

/** Fill the places of a window marked data-fill; an empty text hides its place. */
export function fill(id, texts) {
  for (const [name, text] of Object.entries(texts)) {
    for (const element of byId(id).querySelectorAll(`[data-fill="${name}"]`)) {
      write(element, String(text ?? ""));
      const row = element.closest("[data-row]") ?? element;
      row.hidden = text === null || text === undefined || text === "";
    }
  }
}

/** The deal code in what somebody typed or pasted: it may be an address of a game, or have words around it. */
export function findCode(text) {
  const address = /\/play\/([^/?#\s]+)/.exec(text);
  const code = /PY[01]-[A-Z0-9]-[A-Z0-9]{7,48}/i.exec(text);
  return (address?.[1] ?? code?.[0] ?? text).trim();
}

/** Let a form ask whom to play against; returns what reads its answer. */
export function offerRivals(form) {
  const boxes = [...form.elements.against];
  const read = () => boxes.filter(({ checked }) => checked).map(({ value }) => value);
  const limit = () => {
    const full = read().length >= MOST_RIVALS;
    for (const box of boxes) box.disabled = full && !box.checked;
  };
  for (const box of boxes) {
    box.checked = choices.against.includes(box.value);
    box.onchange = limit;
  }
  limit();
  boxes[0].closest("fieldset").hidden = data.offline;
  return read;
}

/**
 * Ask for a new game. start({deal} or {ruleset, ranked, difficulty}): a promise of "", or of why there is none; the
 * window stays open until a game has begun. Resolves with what closed it.
 */
export async function askForGame(rulesets, letter, start) {
  const form = byId("new-game").querySelector("form");
  const { ruleset, code, mode, difficulty } = form.elements;
  const guest = readPlayer()?.guest ?? true;
  const readAgainst = offerRivals(form);
  ruleset.value = letter;
  code.value = "";
  if (guest) mode.value = "practice";
  form.querySelector("input[value=ranked]").disabled = guest;
  form.querySelector(".guests").hidden = !guest || data.offline;

  const refresh = () => {
    const typed = Boolean(code.value.trim());
    const counts = say(mode.value === "ranked" && !typed ? "counts_ranked" : "counts_practice");
    const { summary } = rulesets[ruleset.value];
    fill("new-game", { summary, counts: guest ? `${counts} ${say(data.offline ? "offline_ranked" : "guest_ranked")}` : counts, error: "" });
    code.removeAttribute("aria-invalid");
    difficulty.closest("label").hidden = typed || data.offline;
  };
  form.oninput = refresh;
  form.onsubmit = async (event) => {
    if (event.submitter?.value !== "start") return;
    event.preventDefault();
    choose({ against: readAgainst() });
    const deal = findCode(code.value);
    const dealt = { ruleset: ruleset.value, ranked: mode.value === "ranked" };
    if (difficulty.value) dealt.difficulty = difficulty.value;
    const error = await start(deal ? { deal } : dealt);
    if (!error) return byId("new-game").close("start");
    fill("new-game", { error });
    if (!deal) return;
    code.setAttribute("aria-invalid", "true");
    code.focus();
  };
  refresh();
  const closed = openWindow("new-game");
  form.querySelector("input[name=ruleset]:checked").focus();
  return closed;
}

/** The rules of a ruleset, from their own page. */
export async function openRules(slug) {
  const place = byId("rules").querySelector("[data-article]");
  if (place.dataset.slug !== slug) {
    const response = await fetch(`/rules/${slug}/`).catch(() => null);
    const page = new DOMParser().parseFromString((await response?.text()) ?? "", "text/html");
    const article = page.querySelector("article");
    place.replaceChildren(article ?? say("failed"));
    if (article) place.dataset.slug = slug;
  }
  return openWindow("rules");
}

