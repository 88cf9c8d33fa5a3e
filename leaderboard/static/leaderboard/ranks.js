// The ranks on the page of a race. Everybody's are followed entry by entry; those of a circle are asked of the server
// whenever one of it has ended, so that a rank among friends is always the server's.
import { call } from "../games/server.js";
import { data, say, writeTime } from "../games/words.js";
import { agrees, isBetter, place, rank, stands } from "./board.js";
import { among, isEverybody, isGuests, isNobody } from "./circle.js";
import { arrange, makeFold, makeRow, setLink, write } from "./rows.js";
import { beatPage, playerPage, replayPage, ways } from "./ways.js";

const MOST_PLACES = 100;
const FIRST_PLACES = 10;
const KEPT = 1500; // what the server answers may be so old, less than a second in fact

const byId = (id) => document.getElementById(id);
const inOrder = (rows) => (isEverybody ? rank(rows) : rows); // of a circle: the server's order, and its ranks

/** The places in a list, each row kept by its player. */
function makePlaces(list, hasArrived) {
  const kept = new Map(); // player -> row
  return (rows) => {
    const shown = new Set(rows.map(({ player }) => player));
    for (const player of kept.keys()) if (!shown.has(player)) kept.delete(player);
    arrange(list, rows.map((row) => fill(row)));
  };

  function fill(row) {
    const { element, parts } = kept.get(row.player) ?? makeRow("place");
    if (!kept.has(row.player)) {
      kept.set(row.player, { element, parts });
      element.dataset.player = row.player;
      element.classList.toggle("arrived", hasArrived(row.player));
    }
    const time = writeTime(row.official_ms, true);
    write(parts.rank, row.rank);
    write(parts.player, row.player);
    write(parts.time, time);
    write(parts.moves, row.moves);
    setLink(parts.player, playerPage(row.player));
    setLink(parts.time, replayPage(row.replay));
    setLink(parts.beat, beatPage(row.replay), `${parts.beat.title}: ${row.player}, ${time}`);
    element.classList.toggle("mine", row.player === data.me);
    return element;
  }
}

/**
 * The ranks: {show, follow(an entry that is over), read(): as the server has them, check(the first ten as it names
 * them), rankOf(name)}. changed: they are other ones; outside: what the server says of who is not in them.
 */
export function makeRanks(changed, outside) {
  let board = { ...data.board, rows: inOrder(data.board.rows) };
  let asked = false;
  const arrivals = new Set(); // who has come since the page was opened
  const showPlaces = makePlaces(byId("board"), (player) => arrivals.has(player));
  const showOwnPlaces = makePlaces(byId("own"), () => false);
  const fold = makeFold(
    byId("more-board"),
    FIRST_PLACES,
    { all: (count) => say("show_all", { count }), fewer: () => say("show_fewer") },
    changed,
  );

  function show() {
    const rows = fold.all ? board.rows : board.rows.slice(0, FIRST_PLACES);
    byId("board").parentElement.classList.toggle("may-beat", Boolean(ways.code));
    showPlaces(rows);
    fold.show(board.rows.length);
    byId("no-board").hidden = board.rows.length > 0;
    showOwn(rows);
  }

  /** One's own row stands below the others where it is not among them. */
  function showOwn(shown) {
    const mine = board.rows.find(({ player }) => player === data.me) ?? board.own;
    const isOutside = Boolean(mine) && !shown.some(({ player }) => player === data.me);
    byId("own").hidden = !isOutside;
    byId("to-me").hidden = !isOutside;
    showOwnPlaces(!isOutside ? [] : mine === board.own ? (board.around ?? [mine]) : [mine]);
  }

  async function goToMe() {
    fold.toggle(true);
    if (!board.rows.some(({ player }) => player === data.me)) await readAround();
    requestAnimationFrame(() => {
      const row = document.querySelector("#board .mine") ?? document.querySelector("#own .mine");
      row.scrollIntoView({ block: "center" });
      row.tabIndex = -1;
      row.focus({ preventScroll: true });
    });
  }

  /** The rows around one's own, of a board that is longer than what the page holds. */
  async function readAround() {
    const found = await call("GET", `races/${data.race}/board/?around=me&radius=3${among}`).catch(() => null);
    if (!found) return;
    board.around = found.rows;
    board.own = found.rows.find(({ player }) => player === data.me);
    show();
  }

  /** After a time away, where ours are not the server's first ten, and where one of a circle has ended. */
  async function read() {
    if (asked || isNobody) return;
    asked = true;
    await new Promise((done) => setTimeout(done, (isEverybody ? KEPT / 3 : KEPT) + 1000 * Math.random()));
    asked = false; // what happens from now on may be missing in the answer
    const path = `races/${data.race}/board/`;
    const wanted = isGuests
      ? [`${path}guests/?limit=${MOST_PLACES}`]
      : [`${path}?limit=${MOST_PLACES}${among}`, ...["below", "guests"].map((list) => `${path}${list}/?limit=50${among}`)];
    const answers = await Promise.all(wanted.map((one) => call("GET", one))).catch(() => null);
    if (!answers) return;
    const [found, below, guests] = answers;
    const rows = isGuests ? found.rows.map((row) => ({ ...row, rank: row.row })) : inOrder(found.rows);
    board = { ...board, total: found.total, rows };
    if (below) outside(below.rows, guests.rows);
    changed();
  }

  function follow(row) {
    if (stands(row)) arrivals.add(row.player);
    if (!isEverybody) return void read();
    const size = board.rows.length;
    const isWhole = board.total <= size;
    if (board.own && stands(row) && isBetter(row, board.own)) board.own.rank += 1;
    board.rows = place(board.rows, row, isWhole ? Infinity : MOST_PLACES);
    if (isWhole) board.total = board.rows.length;
    changed();
  }

  function check(top) {
    if (isEverybody && !agrees(board.rows, top)) read();
  }

  byId("to-me").addEventListener("click", goToMe);
  byId("board").replaceChildren();
  byId("own").replaceChildren();
  return { show, follow, read, check, rankOf: (name) => board.rows.find(({ player }) => player === name)?.rank };
}
