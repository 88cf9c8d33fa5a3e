// The windows over the table (dialog elements of the page) and what they ask.
import { call, hereAsNext, readPlayer } from "./server.js";
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

// Among those whom one plays against a player by name is "@" and the name

export const isNamed = (key) => key.startsWith("@");
export const nameOf = (key) => (isNamed(key) ? key.slice(1) : say(`against_${key}`));

/**
 * Let a form ask whom to play against. find(name): a promise of the name as its player writes it, raises Refused
 * where there is nobody to play against. Returns read(): the answer, and settle(): a promise of whether it is one, with a name that was
 * typed and not added yet.
 */
export function offerRivals(form, find) {
  const [field, add] = [form.elements.rival, form.querySelector("[data-adds]")];
  const list = form.querySelector("[data-named]");
  const read = () => [...form.elements.against].filter(({ checked }) => checked).map(({ value }) => value);
  const limit = () => {
    const full = read().length >= MOST_RIVALS;
    for (const box of form.elements.against) box.disabled = full && !box.checked;
    field.disabled = add.disabled = full;
  };
  const settle = async () => {
    const name = field.value.trim();
    showRefusal(form, "");
    if (!name || field.disabled) return true;
    try {
      const key = `@${await find(name)}`;
      if (!read().includes(key)) list.append(makeBox(key));
      field.value = "";
    } catch (refused) {
      showRefusal(form, refused.message || say("failed"));
      field.focus();
      return false;
    }
    limit();
    return true;
  };
  list.replaceChildren(...choices.against.filter(isNamed).map(makeBox));
  for (const box of form.elements.against) box.checked = choices.against.includes(box.value);
  field.value = "";
  field.onkeydown = (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault(); // it would send the form
    settle();
  };
  add.onclick = settle;
  list.closest("fieldset").onchange = limit;
  list.closest("fieldset").hidden = data.offline;
  showRefusal(form, "");
  limit();
  suggestFriends();
  return { read, settle };
}

function showRefusal(form, why) {
  const place = form.querySelector("[data-refused]");
  write(place, why);
  place.hidden = !why;
  form.elements.rival.toggleAttribute("aria-invalid", Boolean(why));
}

function makeBox(key) {
  const label = document.createElement("label");
  const box = Object.assign(document.createElement("input"), { type: "checkbox", name: "against", value: key, checked: true });
  label.append(box, Object.assign(document.createElement("span"), { textContent: nameOf(key) }));
  return label;
}

/** Whom one follows is offered for a name; without an answer any name can be typed. */
async function suggestFriends() {
  const list = byId("friend-names");
  if (data.offline || list.childElementCount || (readPlayer()?.guest ?? true)) return;
  const { following } = await call("GET", "players/me/following/").catch(() => ({ following: [] }));
  list.replaceChildren(...following.map(({ player }) => new Option(player)));
}

/**
 * Ask for a new game. start({deal} or {ruleset, ranked, difficulty}): a promise of "", or of why there is none; the
 * window stays open until a game has begun. Resolves with what closed it.
 */
export async function askForGame(rulesets, letter, start) {
  const form = byId("new-game").querySelector("form");
  const { ruleset, code, mode, difficulty } = form.elements;
  const guest = readPlayer()?.guest ?? true;
  const rivals = offerRivals(form, async (name) => (await call("GET", `players/${encodeURIComponent(name)}/`)).name);
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
    if (!(await rivals.settle())) return;
    choose({ against: rivals.read() });
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

