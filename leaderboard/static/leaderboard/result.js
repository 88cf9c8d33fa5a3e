// The page of a result: its text and address, for others.
import { say, write } from "../games/words.js";

const byId = (id) => document.getElementById(id);
const address = document.querySelector("link[rel=canonical]").href;
const text = byId("share-text").textContent;

async function share() {
  try {
    await navigator.share({ text, url: address });
  } catch (error) {
    if (error.name !== "AbortError") write(byId("shared"), say("failed")); // who closes the sheet wants nothing
  }
}

async function copy() {
  try {
    await navigator.clipboard.writeText(`${text}\n${address}`);
    write(byId("shared"), say("text_copied"));
  } catch {
    write(byId("shared"), address); // not over a safe connection: at least it can be read
  }
}

document.querySelector(".share").hidden = false;
byId("share").hidden = !navigator.share;
byId("share").addEventListener("click", share);
byId("copy").addEventListener("click", copy);
