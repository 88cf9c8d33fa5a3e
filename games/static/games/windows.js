// The windows over the table (dialog elements of the page) and what they ask.
import { logIn, logOut, readPlayer, signUp } from "./server.js";
import { say } from "./words.js";

const byId = (id) => document.getElementById(id);

/** Open a window; resolves with the value of the button that closed it, "" for Esc. */
export function openWindow(id) {
  const dialog = byId(id);
  if (!dialog.open) {
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
  const account = form.querySelector(".guests");
  account.hidden = !guest;
  account.onclick = () => byId("new-game").close("account");
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
  const answer = await openWindow("new-game");
  if (answer === "account") return "account";
  if (answer !== "start") return null;
  const code = form.elements.code.value.trim();
  if (code) return { deal: code };
  return {
    ruleset: form.elements.ruleset.value,
    ranked: form.elements.mode.value === "ranked",
    difficulty: form.elements.difficulty.value,
  };
}

/** The window of the player: sign up, log in, log out. Resolves with whether another player plays now. */
export async function openAccount() {
  const dialog = byId("account");
  const form = dialog.querySelector("form");
  const player = readPlayer();
  const named = Boolean(player && !player.guest);
  fill("account", { who: named ? say("signed_in", { name: player.name }) : say("guest_in"), error: "" });
  for (const part of form.querySelectorAll("[data-for]")) part.hidden = (part.dataset.for === "named") !== named;
  let changed = false;
  form.onsubmit = async (event) => {
    const wanted = event.submitter?.value;
    if (!["sign-up", "log-in", "log-out"].includes(wanted)) return;
    event.preventDefault();
    const { name, password } = form.elements;
    try {
      if (wanted === "log-out") await logOut();
      else await (wanted === "sign-up" ? signUp : logIn)(name.value, password.value);
      changed = wanted !== "sign-up";
      password.value = "";
      dialog.close("done");
    } catch (error) {
      fill("account", { error: error.message || say("failed") });
    }
  };
  await openWindow("account");
  return changed;
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

