// The table: cards as buttons that are moved about, never made anew. It shows a game and tells what is tapped,
// dragged and walked to; it knows nothing of the server.
import * as engine from "./engine.js";
import { drawBack, drawFace, nameOf } from "./cards.js";
import { layOut } from "./layout.js";
import { say, write } from "./words.js";

const DRAG_FROM = 7; // pixels
const ROWS = "abcdefg";

/**
 * root: the table's element. on: {tap(place), drop(place, target)}; a place is a cell, "S", "W", "h1".., and for piles
 * "stock", "waste", "foundation".
 */
export function makeTable(root, on) {
  const cards = new Map(); // text -> element
  const piles = {
    stock: makePile("stock"),
    waste: makePile("waste"),
    foundation: makePile("foundation"),
  };
  const buttons = root.querySelector(".pile-buttons");
  const badge = document.createElement("span");
  badge.className = "badge";
  badge.setAttribute("aria-hidden", "true");
  root.append(badge);
  let shown = null; // {game, marks, options}
  let plan = null;
  let dragged = null;
  const lying = new Map(); // place -> element
  const states = new WeakMap(); // what was last written to each card
  let quiet = false; // a drag has just ended: its click is none

  function makePile(name) {
    const pile = document.createElement(name === "stock" ? "button" : "div");
    if (name === "stock") {
      pile.type = "button";
      pile.tabIndex = -1;
      pile.append(drawBack());
    }
    pile.classList.add("pile", name);
    pile.dataset.place = name;
    pile.hidden = true; // until there is a game
    if (name === "foundation") pile.setAttribute("role", "img");
    root.prepend(pile);
    return pile;
  }

  function deal(game) {
    cards.forEach((element) => element.remove());
    cards.clear();
    tabStop = last = null;
    for (const card of game.cards) {
      const element = document.createElement("button");
      element.type = "button";
      element.className = "card";
      element.tabIndex = -1;
      element.append(drawFace(card));
      root.append(element);
      cards.set(card, element);
    }
    root.append(piles.stock, badge);
  }

  /** Show a game. marks: {selected, partners, hint: [places]}; options: {mirrored}. */
  function show(game, marks, options) {
    const fresh = !shown || shown.game.cards !== game.cards;
    const focused = root.contains(document.activeElement);
    if (fresh) {
      root.classList.add("still");
      deal(game);
    }
    shown = { game, marks, options };
    render();
    if (fresh) {
      root.getBoundingClientRect(); // the cards lie where they belong before anything may move
      root.classList.remove("still");
      if (focused) takeFocus();
    }
  }

  function render() {
    if (!shown) return;
    const { game, marks, options } = shown;
    const { position, ruleset } = game;
    const reserve = ruleset.stock === "reserve";
    plan = planFor(reserve, Boolean(options.mirrored));
    lying.clear();
    const put = (card, at, z, place, label, more = {}) => {
      if (place) lying.set(place, cards.get(card));
      setCard(cards.get(card), at, z, place, label, more, marks);
    };
    position.tableau.forEach((card, i) => {
      if (!card) return;
      const cell = engine.TABLEAU_CELLS[i];
      const r = ROWS.indexOf(cell[0]);
      const at = plan.cell(r, Number(cell[1]) - 1);
      put(card, at, 10 + r, cell, describeCell(position, cell, card), { covered: !engine.isAvailable(position, cell) });
    });
    position.waste.forEach((card, i) => {
      const top = i === position.waste.length - 1;
      put(card, plan.waste, 2 + i, top ? "W" : "", say("on_waste", { card: nameOf(card) }), {
        hidden: i < position.waste.length - 2,
        dead: !top,
      });
    });
    position.reserve.forEach((column, k) =>
      column.forEach((card, i) => {
        const top = i === column.length - 1;
        const names = { card: nameOf(card), cover: top ? "" : nameOf(column[i + 1]), column: k + 1 };
        const label = say(top ? "in_reserve" : "under_reserve", names);
        put(card, plan.column(k, i), 10 + i, top ? `h${k + 1}` : `under h${k + 1}`, label, { covered: !top });
      }),
    );
    position.stock.forEach((card, i) => {
      const open = ruleset.stock === "open" && i === 0;
      put(card, plan.stock, open ? 4 : 1, open ? "S" : "", say("on_stock", { card: nameOf(card) }), {
        hidden: !open,
        dead: !open,
      });
    });
    game.foundation.forEach((card, i) => {
      put(card, plan.foundation, 100 + i, "", nameOf(card), { hidden: i < game.foundation.length - 4, dead: true });
    });
    showPiles(game, reserve);
    keepFocus();
  }

  /** The places of a table of this size; asking the browser for the size anew would make it lay out every move. */
  function planFor(reserve, mirrored) {
    if (plan?.reserve === reserve && plan.mirrored === mirrored) return plan;
    const found = layOut(root.clientWidth, root.clientHeight, { reserve, mirrored });
    root.style.setProperty("--w", `${found.w}px`);
    root.style.setProperty("--h", `${found.h}px`);
    placePiles(found);
    return { ...found, reserve, mirrored };
  }

  function setCard(element, { x, y }, z, place, label, { hidden, dead, covered }, marks) {
    const state = {
      at: `translate(${x}px, ${y}px)`,
      z,
      place,
      label,
      pressed: Boolean(place) && marks.selected === place,
      inert: Boolean(dead || hidden),
      look: [
        "card",
        hidden && "gone",
        dead && "dead",
        covered && "covered",
        place && marks.selected === place && "selected",
        marks.partners.includes(place) && "partner",
        marks.hint.includes(place) && "hint",
      ]
        .filter(Boolean)
        .join(" "),
    };
    // a browser works for every attribute that is written, changed or not
    const was = states.get(element) ?? {};
    states.set(element, state);
    if (state.at !== was.at && element !== dragged?.element) element.style.transform = state.at;
    if (state.z !== was.z) element.style.zIndex = z;
    if (state.place !== was.place) element.dataset.place = place;
    if (state.label !== was.label) element.setAttribute("aria-label", label);
    if (state.look !== was.look) element.className = state.look;
    if (state.inert !== was.inert) element.inert = state.inert;
    if (state.pressed !== was.pressed) element.ariaPressed = state.pressed ? "true" : null;
  }

  function showPiles({ position, ruleset, foundation }, reserve) {
    for (const [name, pile] of Object.entries(piles)) {
      pile.hidden = reserve && name !== "foundation";
    }
    const count = position.stock.length;
    const redeal = !engine.findRefusal(position, "R");
    const last = ruleset.passes !== null && position.pass >= ruleset.passes;
    const { stock } = piles;
    stock.classList.toggle("empty", !count);
    stock.classList.toggle("open", ruleset.stock === "open" && count > 0);
    stock.classList.toggle("over", !count && last);
    stock.classList.toggle("hint", shown.marks.hint.some((place) => place === "D" || place === "R"));
    label(stock, count ? say("stock_of", { count }) : last ? say("stock_over") : say("stock_redeal"));
    label(piles.foundation, say("foundation_of", { count: foundation.length }));
    badge.hidden = reserve || !count;
    write(badge, String(count));
    buttons.hidden = reserve;
    buttons.querySelector(".draw").hidden = ruleset.stock !== "open";
    buttons.querySelector(".draw").classList.toggle("dim", !count);
    buttons.querySelector(".redeal").classList.toggle("dim", !redeal);
    buttons.querySelector(".redeal").classList.toggle("ready", redeal);
  }

  function label(element, text) {
    if (element.ariaLabel !== text) element.ariaLabel = text;
  }

  /** Where piles and buttons lie: that changes with the size of the table alone. */
  function placePiles({ stock, w, h, buttons: place, ...places }) {
    const at = ({ x, y }) => `translate(${x}px, ${y}px)`;
    piles.stock.style.transform = at(stock);
    piles.waste.style.transform = at(places.waste);
    piles.foundation.style.transform = at(places.foundation);
    badge.style.transform = `${at({ x: stock.x + w / 2, y: stock.y + h })} translate(-50%, -60%)`;
    buttons.style.transform = at(place);
    buttons.style.width = `${place.width}px`;
    buttons.style.height = `${place.height}px`;
    buttons.classList.toggle("stacked", place.stacked);
  }

  // Walking over what can be played

  /** What the arrows walk over, in reading order. */
  function walkable() {
    const places = engine.choosablePlaces(shown.game.position);
    const found = places.map(find).filter(Boolean);
    if (shown.game.ruleset.stock !== "reserve" && !places.includes("S")) {
      const at = found.findIndex((element) => element.dataset.place === "W");
      found.splice(at < 0 ? found.length : at, 0, piles.stock);
    }
    return found;
  }

  let tabStop = null; // the one card that Tab leads to
  let last = null; // where the focus was

  function setTabStop(element) {
    if (element === tabStop) return;
    if (tabStop) tabStop.tabIndex = -1;
    if (element) element.tabIndex = 0;
    tabStop = element ?? null;
  }

  /** Where the focused card has gone the focus goes to the next that can be played; it is never lost. */
  function keepFocus() {
    const stops = walkable();
    const focused = document.activeElement;
    const current = stops.includes(focused) ? focused : stops.includes(last) ? last : stops[0];
    setTabStop(current);
    const lost = last && !stops.includes(last) && (focused === last || focused === document.body);
    if (lost && current) current.focus({ preventScroll: true });
  }

  root.addEventListener("focusin", (event) => {
    if (buttons.contains(event.target)) return;
    last = event.target;
    setTabStop(last);
  });

  /** Walk so many steps over the cards that can be played. */
  function walk(steps) {
    const stops = walkable();
    if (!stops.length) return;
    const at = stops.indexOf(document.activeElement);
    const next = at < 0 ? (steps > 0 ? 0 : stops.length - 1) : (at + steps + stops.length) % stops.length;
    stops[next].focus({ preventScroll: true });
  }

  /** Cover the table, or show it again: what is covered is neither seen nor heard nor focused. */
  function cover(covered) {
    root.classList.toggle("paused", covered);
  }

  /** Give the focus to the card that Tab leads to. */
  function takeFocus() {
    tabStop?.focus({ preventScroll: true });
  }

  const find = (place) => lying.get(place) ?? piles[place];

  /** The card that a refusal is about shakes; it is back where it was at once. */
  function shake(place) {
    const element = find(place);
    if (!element) return;
    element.classList.remove("shake");
    element.getBoundingClientRect();
    element.classList.add("shake");
    element.addEventListener("animationend", () => element.classList.remove("shake"), { once: true });
  }

  // Tapping and dragging

  root.addEventListener("click", (event) => {
    if (quiet) return;
    const place = event.target.closest("[data-place]")?.dataset.place;
    if (place) on.tap(place);
  });

  root.addEventListener("pointerdown", (event) => {
    const element = event.target.closest(".card[data-place]");
    quiet = false;
    if (!element?.dataset.place || event.button) return;
    dragged = { element, x: event.clientX, y: event.clientY, id: event.pointerId, moved: false };
  });

  root.addEventListener("pointermove", (event) => {
    if (!dragged || event.pointerId !== dragged.id) return;
    const [dx, dy] = [event.clientX - dragged.x, event.clientY - dragged.y];
    if (!dragged.moved) {
      if (Math.hypot(dx, dy) < DRAG_FROM || dragged.element.classList.contains("covered")) return;
      dragged.moved = true;
      dragged.from = dragged.element.style.transform;
      dragged.element.classList.add("dragged");
      root.setPointerCapture(event.pointerId);
    }
    dragged.element.style.transform = `translate(${dx}px, ${dy}px) ${dragged.from}`;
  });

  function endDrag(event, dropped) {
    if (!dragged || event.pointerId !== dragged.id) return;
    const { element, moved, from } = dragged;
    dragged = null;
    if (!moved) return;
    quiet = true;
    element.classList.remove("dragged");
    element.style.transform = from;
    const place = element.dataset.place;
    const target = document
      .elementsFromPoint(event.clientX, event.clientY)
      .map((other) => other.closest("[data-place]"))
      .find((other) => other && other !== element && root.contains(other) && other.dataset.place);
    if (dropped && target) on.drop(place, target.dataset.place);
  }

  root.addEventListener("pointerup", (event) => endDrag(event, true));
  root.addEventListener("pointercancel", (event) => endDrag(event, false));
  new ResizeObserver(() => {
    plan = null;
    root.classList.add("still");
    render();
    root.getBoundingClientRect();
    root.classList.remove("still");
  }).observe(root);

  return { show, walk, shake, cover, takeFocus };
}

function describeCell(position, cell, card) {
  const where = say("in_row", { card: nameOf(card), row: ROWS.indexOf(cell[0]) + 1, column: cell[1] });
  if (engine.isAvailable(position, cell)) return `${where}, ${say("free")}`;
  const covers = engine.coversOf(position, cell).map((other) => nameOf(engine.cardAt(position, other)));
  const names = covers.length === 2 ? say("and", { first: covers[0], second: covers[1] }) : covers[0];
  return `${where}, ${say("covered_by", { cards: names })}`;
}
