// Who stands outside the ranks of a race: the held, guests who won, and who has not won, by cards left.
import { data, say } from "../games/words.js";
import { arrange, makeFold, setLink, write } from "./rows.js";
import { tellEnd } from "./telling.js";
import { playerPage, replayPage } from "./ways.js";

const FIRST_BELOW = 10;

const byId = (id) => document.getElementById(id);

/** The lists of the server as one: {kind, end, ...}. */
const join = (rows, guests) => [
  ...rows.map((row) => ({ ...row, kind: row.held ? "held" : "finished" })),
  ...guests.map((row) => ({ ...row, kind: "finished", end: "won", guest: true, left: 0 })),
];

const order = ({ kind, end, left, official_ms: ms }) =>
  (kind === "held" ? 0 : end === "won" ? 2 ** 32 : 2 ** 40 + left) + (ms ?? 0);

function makeItem() {
  const [element, name, end] = ["li", "a", "a"].map((tag) => document.createElement(tag));
  name.className = end.className = "name";
  const bold = document.createElement("b");
  bold.append(name);
  element.append(bold, " ", end);
  return { element, name, end };
}

/** The list: {show, follow(an entry that is over), take(the server's lists)}. changed: it is another one. */
export function makeOutside(changed) {
  let below = join(data.below, data.guests);
  const kept = new Map(); // player -> item
  const fold = makeFold(
    byId("more-below"),
    FIRST_BELOW,
    { all: (count) => say("show_all", { count }), fewer: () => say("show_fewer") },
    changed,
  );

  function draw(row) {
    const item = kept.get(row.player) ?? makeItem();
    kept.set(row.player, item);
    write(item.name, row.player);
    write(item.end, tellEnd(row));
    setLink(item.name, playerPage(row.player));
    setLink(item.end, replayPage(row.replay));
    item.element.classList.toggle("mine", row.player === data.me);
    return item.element;
  }

  function show() {
    below.sort((a, b) => order(a) - order(b));
    const shown = fold.all ? below : below.slice(0, FIRST_BELOW);
    arrange(byId("below"), shown.map(draw));
    byId("below-part").hidden = !below.length;
    fold.show(below.length);
  }

  function follow(row) {
    below = below.filter(({ player }) => player !== row.player);
    const notWon = row.ranked && row.kind === "finished" && row.end !== "won";
    const guestWon = row.guest && row.kind === "finished" && row.end === "won";
    if (row.kind === "held" || notWon || guestWon) below.push({ ...row, left: 28 - row.removed });
  }

  return { show, follow, take: (rows, guests) => (below = join(rows, guests)) };
}
