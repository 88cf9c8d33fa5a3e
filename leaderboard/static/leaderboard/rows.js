// Lists that change while one looks: rows made of the page's own templates, written only where something is different,
// and moved no more than needed.

const calm = matchMedia("(prefers-reduced-motion: reduce)");
const GLIDE = { duration: 350, easing: "ease-out" };

/** A row of a template of the page: {element, parts: the elements marked data-part, by name}. */
export function makeRow(template) {
  const element = document.getElementById(template).content.firstElementChild.cloneNode(true);
  const parts = {};
  for (const part of element.querySelectorAll("[data-part]")) parts[part.dataset.part] = part;
  return { element, parts };
}

/** Write a text where it is another: a browser works for every text that is written, changed or not. */
export function write(element, text) {
  if (element.textContent !== String(text)) element.textContent = text;
}

/** Let an element lead somewhere, under a name of its own where its text says too little; null: nowhere. */
export function setLink(element, address, name = null) {
  if (element.getAttribute("href") === address && (!name || element.ariaLabel === name)) return;
  if (address) element.setAttribute("href", address);
  else element.removeAttribute("href");
  element.ariaLabel = address ? name : null;
}

/** Bring the children of a list into an order; those that lie elsewhere afterwards glide there. The focus stays. */
export function arrange(list, wanted) {
  const there = [...list.children];
  if (there.length === wanted.length && there.every((element, i) => element === wanted[i])) return;
  const focused = list.contains(document.activeElement) && document.activeElement;
  const before = calm.matches ? null : new Map(there.map((element) => [element, placeOf(element)]));
  const stay = new Set(wanted);
  for (const element of there) if (!stay.has(element)) element.remove();
  let next = list.firstElementChild;
  for (const element of wanted) {
    if (element === next) next = next.nextElementSibling;
    else list.insertBefore(element, next);
  }
  if (focused && focused.isConnected) focused.focus({ preventScroll: true }); // a row that was moved has lost it
  if (before) glide(wanted, before);
}

const placeOf = ({ offsetLeft, offsetTop, offsetParent }) => offsetParent && { x: offsetLeft, y: offsetTop };

function glide(elements, before) {
  const moves = elements.map((element) => [element, before.get(element), placeOf(element)]); // read all, then write
  for (const [element, from, to] of moves) {
    if (!from || !to || (from.x === to.x && from.y === to.y)) continue;
    element.animate([{ transform: `translate(${from.x - to.x}px, ${from.y - to.y}px)` }, { transform: "none" }], GLIDE);
  }
}

/**
 * A list of which only the first are shown until its button is pressed. Returns {all: whether all are shown, toggle,
 * show(count): the button says how many there are}.
 */
export function makeFold(button, first, words, changed) {
  const fold = { all: false, toggle, show };

  function toggle(all = !fold.all) {
    fold.all = all;
    changed();
  }

  function show(count) {
    button.hidden = count <= first;
    write(button, fold.all ? words.fewer() : words.all(count));
    button.ariaExpanded = String(fold.all);
  }

  button.addEventListener("click", () => toggle());
  return fold;
}
