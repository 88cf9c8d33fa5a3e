// The windows over the table (dialog elements of the page) and what they ask.
import { hereAsNext, readPlayer } from "./server.js";
import { say } from "./words.js";

const byId = (id) => document.getElementById(id);

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
      element.textContent = text ?? "";
      const row = element.closest("[data-row]") ?? element;
      row.hidden = text === null || text === undefined || text === "";
    }
  }
}

/** Ask for a new game: {deal} | {ruleset, difficulty, ranked}; null where none is wanted. */
export async function askForGame(rulesets, letter) {
  const form = byId("new-game").querySelector("form");
  const guest = readPlayer()?.guest ?? true;
  form.elements.ruleset.value = letter;
  form.elements.code.value = "";
  if (guest) form.elements.mode.value = "practice";
  const ranked = form.querySelector("input[value=ranked]");
  ranked.disabled = guest;
  form.querySelector(".guests").hidden = !guest;
  const refresh = () => {
    const chosen = rulesets[form.elements.ruleset.value];
    const isRanked = form.elements.mode.value === "ranked" && !form.elements.code.value.trim();
    const counts = say(isRanked ? "counts_ranked" : "counts_practice");
    fill("new-game", {
      summary: chosen.summary,
      counts: guest ? `${counts} ${say("guest_ranked")}` : counts,
    });
    form.elements.difficulty.closest("label").hidden = !isRanked;
  };
  form.oninput = refresh;
  refresh();
  if ((await openWindow("new-game")) !== "start") return null;
  const code = form.elements.code.value.trim();
  if (code) return { deal: code };
  return {
    ruleset: form.elements.ruleset.value,
    ranked: form.elements.mode.value === "ranked",
    difficulty: form.elements.difficulty.value,
  };
}

/** The rules of a ruleset, from their own page. */
export async function openRules(slug) {
  const place = byId("rules").querySelector("[data-article]");
  if (place.dataset.slug !== slug) {
    const response = await fetch(`/rules/${slug}/`);
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    place.replaceChildren(page.querySelector("article"));
    place.dataset.slug = slug;
  }
  return openWindow("rules");
}

