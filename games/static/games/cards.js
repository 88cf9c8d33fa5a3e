// Cards as pictures (SVG, crisp at any size) and as words, and what a move did with them.
import * as engine from "./engine.js";
import { say } from "./words.js";

const SVG = "http://www.w3.org/2000/svg";
const SUIT_NAMES = "cdhs";

/** What stands in a card's corner: 10, and the letters of the language. */
export function writeRank(card) {
  const rank = card[0];
  if (rank === "T") return "10";
  return "JQK".includes(rank) ? say(`letter_${rank}`) : rank;
}

/** "King of diamonds", "7 of clubs", "Joker". */
export function nameOf(card) {
  if (card[0] === "X") return say("X");
  const rank = "AJQK".includes(card[0]) ? say(card[0]) : writeRank(card);
  return say("card", { rank, suit: say(card[1]) });
}

/** The sentence of a token that led from one position to another. */
export function tellMove(token, before, after) {
  if (token === "U") return say("undone");
  if (token === "R") return say("redealt");
  if (token === "D") return say("drawn", { card: nameOf(engine.cardAt(after, "W")) });
  const [first, second] = engine.readToken(token).map((place) => nameOf(engine.cardAt(before, place)));
  const left = engine.countLeft(after);
  return second ? say("removed_pair", { first, second, left }) : say("removed_single", { first, left });
}

function draw(name, attributes, ...children) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

const use = (id, x, y, size) => draw("use", { href: `#${id}`, x, y, width: size, height: size });

function sheet(...children) {
  const svg = draw("svg", { viewBox: "0 0 100 140", "aria-hidden": "true", focusable: "false" });
  svg.append(draw("rect", { class: "paper", x: 1, y: 1, width: 98, height: 138, rx: 10 }), ...children);
  return svg;
}

/** The face of a card. Rank and suit fill the strip that stays visible where it is covered. */
export function drawFace(card) {
  if (card[0] === "X") {
    const svg = sheet(use("star", 8, 8, 34), use("jester", 22, 54, 56));
    svg.classList.add("joker");
    return svg;
  }
  const text = writeRank(card);
  const rank = draw("text", { class: "rank", x: text === "10" ? 5 : 9, y: 44 }, text);
  if (text === "10") {
    rank.setAttribute("textLength", "48");
    rank.setAttribute("lengthAdjust", "spacingAndGlyphs");
  }
  const suit = `suit-${card[1]}`;
  const court = "JQK".includes(card[0]);
  const middle = court ? [use(`court-${card[0]}`, 19, 54, 62), use(suit, 40, 112, 20)] : [use(suit, 22, 66, 56)];
  const svg = sheet(rank, use(suit, 60, 11, 32), ...middle);
  svg.classList.add(`suit-${card[1]}`, SUIT_NAMES.indexOf(card[1]) % 3 ? "red" : "black");
  return svg;
}

/** The back of every card. */
export function drawBack() {
  const svg = sheet(
    draw("rect", { class: "pattern", x: 7, y: 7, width: 86, height: 126, rx: 6 }),
    use("sun-pyramid", 22, 42, 56),
  );
  svg.classList.add("back");
  return svg;
}
