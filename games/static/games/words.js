// What the page was given by the server, and its sentences in the page's language.

/** The data of the page: {language, words, ...}. */
export const data = JSON.parse(document.getElementById("page-data").textContent);

/** A sentence by its short name, with its places filled. */
export function say(name, params = {}) {
  const sentence = data.words[name];
  if (sentence === undefined) throw new Error(`There is no sentence ${name}.`);
  return sentence.replace(/%\((\w+)\)s/g, (_, key) => params[key]);
}

/** Write an element's text where it differs: a browser works for what is written, changed or not. */
export function write(element, text) {
  if (element.textContent !== text) element.replaceChildren(text); // a new text, not one that has shifted
}

/** 65250 milliseconds: 1:05; with hundredths: 1:05.25. */
export function writeTime(ms, hundredths = false) {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const hours = Math.floor(seconds / 3600);
  const two = (number) => String(number).padStart(2, "0");
  const minutes = Math.floor(seconds / 60) % 60;
  const head = hours ? `${hours}:${two(minutes)}` : String(minutes);
  const tail = hundredths ? `.${two(Math.floor((ms % 1000) / 10))}` : "";
  return `${head}:${two(seconds % 60)}${tail}`;
}
