// The rules as plain functions over plain data: no page, no clock, no server. They are those of games/engine, and
// answer the page at once; the server judges every move again.
//
// A card is its text ("Kd", "Tc", "X1"). A ruleset is a row of GET rulesets/; a rule is a field of it, never a letter.
// A position is {ruleset, tableau, stock, waste, reserve, pass} and is never changed, only followed by another:
//   tableau: 28 cards in layout order, null for a gone one; stock: the next one first; waste: the top one last;
//   reserve: eight columns, the playable card last (no columns where the ruleset has none).
// A game is {ruleset, cards, position, tokens, log, foundation, undos, points}.

const RANKS = "A23456789TJQK";
const ROWS = "abcdefg";
const RESERVE_COLUMNS = 8;
export const TABLEAU_SIZE = 28;
export const TABLEAU_CELLS = [...ROWS].flatMap((row, r) => Array.from({ length: r + 1 }, (_, c) => `${row}${c + 1}`));
export const RESERVE_CELLS = Array.from({ length: RESERVE_COLUMNS }, (_, k) => `h${k + 1}`);
const PLACES = [...TABLEAU_CELLS, ...RESERVE_CELLS, "S", "W"];
const CELL_INDEX = new Map(TABLEAU_CELLS.map((cell, index) => [cell, index]));
const COLUMN_INDEX = new Map(RESERVE_CELLS.map((cell, index) => [cell, index]));
const ORDER = new Map(PLACES.map((place, index) => [place, index]));
const TOKEN = /^(?:([DRU])|((?:[a-h][0-9]|[SW]))((?:[a-h][0-9]|[SW]))?)$/;
const POINTS = {
  tens: { card: 10, pair: 0, single: 0, redeal: 0 },
  cards: { card: 1, pair: 0, single: 0, redeal: 0 },
  points: { card: 0, pair: 20, single: 15, redeal: -10 },
  none: { card: 0, pair: 0, single: 0, redeal: 0 },
};
const BONUS_SECONDS = 600;

/** The two cards that lie on each tableau card, by index; none on the base row. */
export const COVERS = TABLEAU_CELLS.map((cell, index) => {
  const row = ROWS.indexOf(cell[0]);
  return row < ROWS.length - 1 ? [index + row + 1, index + row + 2] : [];
});

/** 1 to 13; 0 for a joker. */
export const valueOf = (card) => RANKS.indexOf(card[0]) + 1;
const isJoker = (card) => card[0] === "X";

// Positions

/** The position before the first move. cards: all of the deal in dealing order. */
export function startPosition(ruleset, cards) {
  const tableau = cards.slice(0, TABLEAU_SIZE);
  const rest = cards.slice(TABLEAU_SIZE);
  if (ruleset.stock === "reserve") {
    const reserve = RESERVE_CELLS.map((_, k) => rest.filter((_card, i) => i % RESERVE_COLUMNS === k));
    return { ruleset, tableau, stock: [], waste: [], reserve, pass: 1 };
  }
  const { start } = ruleset;
  return { ruleset, tableau, stock: rest.slice(start), waste: rest.slice(0, start), reserve: [], pass: 1 };
}

/** Read LETTER TABLEAU STOCK WASTE PASS, as the server writes it; the ruleset is that of the letter. */
export function readPosition(ruleset, text) {
  const [, tableau, stock, waste, pass] = text.split(" ");
  const readRun = (run) => (run === "-" ? [] : run.match(/../g));
  const cards = tableau.replaceAll("/", "").match(/../g);
  const reserve = ruleset.stock === "reserve" ? stock.split("/").map(readRun) : [];
  return {
    ruleset,
    tableau: cards.map((card) => (card === "--" ? null : card)),
    stock: reserve.length ? [] : readRun(stock),
    waste: readRun(waste),
    reserve,
    pass: Number(pass),
  };
}

/** The text that `readPosition` reads. */
export function writePosition({ ruleset, tableau, stock, waste, reserve, pass }) {
  const writeRun = (run) => run.join("") || "-";
  const rows = [...ROWS].map((_, r) => {
    const first = (r * (r + 1)) / 2;
    return tableau.slice(first, first + r + 1).map((card) => card ?? "--").join("");
  });
  const field = reserve.length ? reserve.map(writeRun).join("/") : writeRun(stock);
  return `${ruleset.letter} ${rows.join("/")} ${field} ${writeRun(waste)} ${pass}`;
}

/** Tableau cards left. */
export const countLeft = ({ tableau }) => tableau.reduce((count, card) => count + (card ? 1 : 0), 0);

/** Cards left anywhere. */
export const countAllLeft = (position) =>
  countLeft(position) +
  position.stock.length +
  position.waste.length +
  position.reserve.reduce((count, column) => count + column.length, 0);

/** The card that a place shows or hides, null where it holds none. */
export function cardAt(position, place) {
  if (CELL_INDEX.has(place)) return position.tableau[CELL_INDEX.get(place)];
  if (place === "W") return position.waste.at(-1) ?? null;
  if (place === "S") return position.stock[0] ?? null;
  return position.reserve[COLUMN_INDEX.get(place)]?.at(-1) ?? null;
}

/** The cells whose cards lie on the card of a tableau cell. */
export function coversOf(position, place) {
  return COVERS[CELL_INDEX.get(place)].filter((i) => position.tableau[i]).map((i) => TABLEAU_CELLS[i]);
}

function plays(position, place) {
  if (!CELL_INDEX.has(place)) return true;
  const most = position.ruleset.lenient ? 1 : 0;
  return Boolean(cardAt(position, place)) && coversOf(position, place).length <= most;
}

function isCoverPair(position, place, other) {
  if (!position.ruleset.cover_pairs || !CELL_INDEX.has(place) || !CELL_INDEX.has(other)) return false;
  const covers = coversOf(position, place);
  return Boolean(cardAt(position, place)) && covers.length === 1 && covers[0] === other && plays(position, other);
}

/** Whether two cards leave together by what they are worth. */
export function canPair(ruleset, card, other) {
  if (ruleset.jokers && (isJoker(card) || isJoker(other))) return true;
  return valueOf(card) + valueOf(other) === ruleset.target;
}

/** Whether a card is worth the target or more. */
export const canLeaveAlone = (ruleset, card) => valueOf(card) >= ruleset.target;

/** Whether the card of a place is there and can be played, with some card or alone. */
export function isAvailable(position, place) {
  if (place === "S" && position.ruleset.stock !== "open") return false;
  return Boolean(cardAt(position, place)) && plays(position, place);
}

/** Whether a card can be chosen: it is available, or can leave with its last cover. */
export const canBeChosen = (position, place) =>
  isAvailable(position, place) || (position.ruleset.cover_pairs && partnersOf(position, place).length > 0);

/** The places of all cards that can be chosen, in reading order. */
export const choosablePlaces = (position) => PLACES.filter((place) => canBeChosen(position, place));

/** The places whose cards can leave together with that of a place. */
export const partnersOf = (position, place) =>
  PLACES.filter((other) => other !== place && !findRefusal(position, place + other));

export function isWon(position) {
  if (position.tableau.some(Boolean)) return false;
  return position.ruleset.goal === "tableau" || !countAllLeft(position);
}

/** Whether there is no legal move in a position that is not won. */
export const isDeadEnd = (position) => !isWon(position) && !legalMoves(position).length;

/** All legal tokens as they are written, no undo: removals by place, D, R. */
export function legalMoves(position) {
  if (isWon(position)) return [];
  const { ruleset } = position;
  const places = PLACES.filter(
    (place) => cardAt(position, place) && (isAvailable(position, place) || (ruleset.cover_pairs && place !== "S")),
  );
  const moves = [];
  places.forEach((place, i) => {
    const card = cardAt(position, place);
    if (plays(position, place) && canLeaveAlone(ruleset, card)) moves.push(place);
    for (const other of places.slice(i + 1)) {
      if (!canPair(ruleset, card, cardAt(position, other))) continue;
      const both = plays(position, place) && plays(position, other);
      if (both || isCoverPair(position, place, other)) moves.push(place + other);
    }
  });
  if (position.stock.length) moves.push("D");
  if (!findRedealRefusal(position)) moves.push("R");
  return moves;
}

// Tokens

/** The parts of a token as sent, null where it is none: ["D"], ["g4"], ["g5", "g1"]. */
export function readToken(token) {
  const match = TOKEN.exec(token);
  return match && match.slice(1).filter((part) => part !== undefined);
}

/** The token of the parts, a pair in its one written order. */
export const writeToken = (places) =>
  places.length === 1 ? places[0] : [...places].sort((a, b) => ORDER.get(a) - ORDER.get(b)).join("");

/** Why a token is refused as {reason, place, ...}; null if it is legal. A position knows no undo. */
export function findRefusal(position, token) {
  const places = readToken(token);
  if (!places) return { reason: "syntax" };
  const known = (place) =>
    "DRUSW".includes(place) || CELL_INDEX.has(place) || (COLUMN_INDEX.has(place) && position.reserve.length > 0);
  const stranger = places.find((place) => !known(place));
  if (stranger) return { reason: "no_such_cell", place: stranger };
  if (places.length === 2 && places[0] === places[1]) return { reason: "same_card", place: places[0] };
  if (isWon(position)) return { reason: "after_end" };
  if (token === "D") return position.stock.length ? null : { reason: "stock_empty" };
  if (token === "R") return findRedealRefusal(position);
  if (token === "U") return { reason: "nothing_to_undo" };
  return findHindrance(position, places) ?? findMisfit(position, places);
}

function findRedealRefusal({ ruleset, stock, waste, pass }) {
  if (stock.length) return { reason: "stock_not_empty" };
  if (ruleset.passes !== null && pass >= ruleset.passes) return { reason: "no_redeal_left" };
  return waste.length ? null : { reason: "waste_empty" };
}

/** Why one of the cards cannot be played at all: level by level, the card sent first named first. */
function findHindrance(position, places) {
  if (places.includes("S") && position.ruleset.stock !== "open") return { reason: "not_open", place: "S" };
  for (const place of places) {
    if (place === "S" && !position.stock.length) return { reason: "stock_empty", place };
    if (place === "W" && !position.waste.length) return { reason: "waste_empty", place };
  }
  const gone = places.find((place) => !cardAt(position, place));
  if (gone) return { reason: "gone", place: gone };
  const covered = places.find(
    (place, i) => !plays(position, place) && !isCoverPair(position, place, places[places.length - 1 - i]),
  );
  return covered ? { reason: "covered", place: covered } : null;
}

/** Why available cards do not leave: by what they are worth. */
function findMisfit(position, places) {
  const { ruleset } = position;
  const [card, other] = places.map((place) => cardAt(position, place));
  if (other === undefined) return canLeaveAlone(ruleset, card) ? null : { reason: "not_single", place: places[0] };
  if (canPair(ruleset, card, other)) return null;
  return { reason: "sum", first: valueOf(card), second: valueOf(other), target: ruleset.target };
}

/** The position after a legal token. */
export function playToken(position, token) {
  const { stock, waste, pass } = position;
  if (token === "D") return { ...position, stock: stock.slice(1), waste: [...waste, stock[0]] };
  if (token === "R") return { ...position, stock: waste, waste: [], pass: pass + 1 };
  return readToken(token).reduce(takeCard, position);
}

function takeCard(position, place) {
  const { tableau, stock, waste, reserve } = position;
  if (place === "W") return { ...position, waste: waste.slice(0, -1) };
  if (place === "S") return { ...position, stock: stock.slice(1) };
  if (CELL_INDEX.has(place)) return { ...position, tableau: tableau.with(CELL_INDEX.get(place), null) };
  const k = COLUMN_INDEX.get(place);
  return { ...position, reserve: reserve.with(k, reserve[k].slice(0, -1)) };
}

// Games

/** A game before its first move. */
export function startGame(ruleset, cards) {
  const position = startPosition(ruleset, cards);
  return { ruleset, cards, position, tokens: [], log: [], foundation: [], undos: 0, points: 0 };
}

/** Why the next token is refused in a game; undo is judged by its log. */
export function findGameRefusal(game, token) {
  if (token === "U" && !isWon(game.position)) return game.log.length ? null : { reason: "nothing_to_undo" };
  return findRefusal(game.position, token);
}

/** The game after a legal token, undo tokens too. */
export function playGame(game, token) {
  if (token === "U") {
    const before = game.log.at(-1);
    const log = game.log.slice(0, -1);
    return { ...game, ...before, log, tokens: [...game.tokens, token], undos: game.undos + 1 };
  }
  const { ruleset, position, foundation, points } = game;
  const places = readToken(token);
  const log = [...game.log, { position, foundation, points }];
  if (ruleset.undo !== null && log.length > ruleset.undo) log.shift();
  const gone = token === "D" || token === "R" ? [] : places.map((place) => cardAt(position, place));
  return {
    ...game,
    position: playToken(position, token),
    tokens: [...game.tokens, writeToken(places)],
    log,
    foundation: [...foundation, ...gone],
    points: points + pointsOf(ruleset, token, places),
  };
}

function pointsOf(ruleset, token, places) {
  const scoring = POINTS[ruleset.scoring];
  if (token === "D") return 0;
  if (token === "R") return scoring.redeal;
  const cells = places.filter((place) => CELL_INDEX.has(place)).length;
  return cells * scoring.card + (places.length === 2 ? scoring.pair : scoring.single);
}

/** The moves that count. */
export const countMoves = ({ ruleset, tokens, undos }) => (ruleset.undo_counts ? tokens.length : tokens.length - undos);

/** The bonus of a win; null where no points are scored. */
export const bonusOf = (ruleset, officialMs) =>
  ruleset.scoring === "points" ? Math.max(0, BONUS_SECONDS - Math.floor(officialMs / 1000)) : null;

/** The game after a whole move list, or what stopped it: {game, at, refusal}; refusal is null for a legal one. */
export function playAll(ruleset, cards, moves) {
  let game = startGame(ruleset, cards);
  const tokens = moves === "" ? [] : moves.split(" ");
  for (const [at, token] of tokens.entries()) {
    const refusal = findGameRefusal(game, token);
    if (refusal) return { game, at, token, refusal };
    game = playGame(game, token);
  }
  return { game, at: tokens.length, token: null, refusal: null };
}

/** What a game comes to, in the words of a verdict. */
export function judge(game) {
  const { position, tokens } = game;
  const left = countLeft(position);
  const leftAll = countAllLeft(position);
  return {
    outcome: isWon(position) ? "won" : isDeadEnd(position) ? "dead_end" : "unfinished",
    plies: tokens.length,
    moves: countMoves(game),
    undos: game.undos,
    points: game.points,
    removed: TABLEAU_SIZE - left,
    left,
    removed_all: game.cards.length - leftAll,
    left_all: leftAll,
    pass: position.pass,
  };
}
