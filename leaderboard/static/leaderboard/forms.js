// Forms whose answer comes over REST. data-call: method and path; data-then: where it leads ({id} is the answer's),
// the same page anew where it is left out; data-done: what is said instead. data-asks: what would be changed, for a
// question before it is; data-because: what would be so then.
import { call } from "../games/server.js";
import { say } from "../games/words.js";

const line = document.getElementById("line");

/** The fields that are sent; a form without fields sends an empty object where something is posted. */
function readFields(form, method) {
  const fields = Object.fromEntries(new FormData(form));
  for (const name of Object.keys(fields)) if (fields[name].trim) fields[name] = fields[name].trim();
  return method === "DELETE" ? undefined : fields;
}

/** Whether the player wants what the form does. */
function ask(form) {
  if (!form.dataset.asks) return Promise.resolve(true);
  const dialog = document.getElementById("ask");
  const button = form.querySelector("button");
  dialog.querySelector("h2").textContent = `${button.textContent}: ${form.dataset.asks}`;
  dialog.querySelector("#ask-text").textContent = form.dataset.because;
  dialog.querySelector("[value=yes]").textContent = button.textContent;
  dialog.returnValue = "";
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => resolve(dialog.returnValue === "yes"), { once: true });
  });
}

/** Each sentence stands at its field, the rest at the button. */
export function showErrors(form, errors) {
  for (const place of form.querySelectorAll("[data-error]")) place.textContent = "";
  for (const { where, detail } of errors) {
    const place = form.querySelector(`[data-error="${where ?? ""}"]`) ?? form.querySelector('[data-error=""]');
    place.textContent = detail;
  }
  form.querySelector("[data-error]:not(:empty)")?.parentElement.querySelector("input:not([type=hidden]), textarea")?.focus();
}

function showDone(form) {
  form.closest("dialog")?.close();
  form.reset();
  line.textContent = form.dataset.done;
}

async function send(form) {
  const [method, path] = form.dataset.call.split(" ");
  if (!(await ask(form))) return;
  const button = form.querySelector("button:not([type=button])");
  button.disabled = true;
  try {
    const answer = await call(method, path, readFields(form, method));
    showErrors(form, []);
    if (form.dataset.done) showDone(form);
    else if (form.dataset.then) location.assign(form.dataset.then.replace("{id}", answer?.id));
    else location.reload();
  } catch (error) {
    if (!("status" in error)) throw error;
    showErrors(form, error.body.errors ?? [{ where: error.body.where, detail: error.message || say("failed") }]);
  } finally {
    button.disabled = false;
  }
}

for (const form of document.querySelectorAll("form[data-call]")) {
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    send(form);
  });
}
for (const button of document.querySelectorAll("[data-opens]")) {
  button.addEventListener("click", () => document.getElementById(button.dataset.opens).showModal());
}
for (const button of document.querySelectorAll("[data-closes]")) {
  button.addEventListener("click", () => button.closest("dialog").close());
}
for (const button of document.querySelectorAll("[data-copies]")) {
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(button.dataset.copies);
      line.textContent = say("link_copied");
    } catch {
      line.textContent = button.dataset.copies; // where nothing may be copied it can be read
    }
  });
}
