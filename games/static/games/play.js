// The play page: one game on the table, answered at once and sent to the server, which stays the judge.
import * as engine from "./engine.js";
import { nameOf } from "./cards.js";
import { makeSender, readKept } from "./sending.js";
import { Refused, call, callAsPlayer, readPlayer } from "./server.js";
import { makeTable } from "./table.js";
import { anyWindowOpen, askForGame, fill, openRules, openWindow } from "./windows.js";
import { data, say, writeTime } from "./words.js";

const LAST = "pyramidion.attempt";
const AHEAD = "pyramidion.ahead";
const CHOICES = "pyramidion.choices";
const SEED_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
const LINE_PAUSE = 650;

const byId = (id) => document.getElementById(id);
const message = byId("message");
const table = makeTable(byId("table"), { tap, drop });
const choices = { mirrored: false, fourColours: false, help: true, ruleset: "N" };
Object.assign(choices, JSON.parse(localStorage.getItem(CHOICES) ?? "{}"));

let attempt = null; // as the server describes it
let game = null;
let sender = null;
let ahead = 0; // the server's clock less this one, in ms
let selected = null;
let hint = [];
let toldDeadEnd = false;
let watching = null; // the timer of a line that is being shown
let hintWanted = 0;

// Showing

function show() {
  const partners = selected ? engine.partnersOf(game.position, selected) : [];
  table.show(game, { selected, partners, hint }, { mirrored: choices.mirrored });
  showStatus();
}

function showStatus() {
  const { position, ruleset } = game;
  const removed = engine.TABLEAU_SIZE - engine.countLeft(position);
  const passes = ruleset.passes;
  fill("status", {
    moves: engine.countMoves(game),
    points: ruleset.scoring === "none" ? null : game.points,
    removed: `${removed}/28`,
    stock: ruleset.stock === "reserve" ? null : position.stock.length,
  });
  const pass = passes ? say("pass_of", { pass: position.pass, passes }) : say("pass_any", { pass: position.pass });
  byId("pass").textContent = passes === 1 ? "" : pass;
  byId("undo").classList.toggle("dim", !game.log.length || engine.isWon(position));
  byId("hint").classList.toggle("dim", attempt.ranked || engine.isWon(position));
}

function showTime() {
  if (!attempt) return;
  const elapsed = attempt.end ? endTime() : Date.now() + ahead - Date.parse(attempt.started_at);
  byId("time").textContent = writeTime(elapsed);
}

const endTime = () => attempt.official_ms ?? Date.parse(attempt.ended_at) - Date.parse(attempt.started_at);

function tell(sentence, kind = "") {
  message.textContent = "";
  message.className = kind;
  message.textContent = sentence;
}

function showHead() {
  const ruleset = data.rulesets[attempt.ruleset];
  byId("ruleset").textContent = ruleset.name;
  const kind = attempt.race ? "daily" : attempt.ranked ? "ranked" : attempt.assisted ? "assisted" : "practice";
  byId("kind").textContent = say(kind);
  byId("code").textContent = attempt.deal;
  document.title = `${ruleset.name} – Pyramidion`;
}

// Starting and continuing

/** Put an attempt on the table, with the moves of this browser that the server does not know yet. */
function open(answer, fresh) {
  sender?.stop();
  clearInterval(watching);
  watching = null;
  attempt = { race: readLast()?.id === answer.id ? readLast().race : undefined, ...answer };
  const ruleset = data.rulesets[attempt.ruleset];
  const cards = attempt.cards.split(" ");
  const stored = attempt.replay.moves;
  const kept = attempt.end ? null : readKept(attempt.id);
  const storedTokens = stored ? stored.split(" ") : [];
  const goesOn = kept && storedTokens.every((token, i) => kept[i] === token);
  const known = engine.playAll(ruleset, cards, goesOn ? kept.join(" ") : stored);
  game = known.game;
  setClock(fresh);
  [selected, hint, toldDeadEnd] = [null, [], false];
  sender = makeSender(attempt.id, storedTokens.length, { stored: onStored, refused: onRefused, apart: onApart, connection });
  localStorage.setItem(LAST, JSON.stringify({ id: attempt.id, deal: attempt.deal, race: attempt.race }));
  choices.ruleset = attempt.ruleset;
  keepChoices();
  showAddress();
  byId("loading").hidden = true;
  showHead();
  show();
  showTime();
  tell(attempt.note ?? (game.tokens.length ? "" : say("tip", ruleset)));
  if (!attempt.end) sender.push(game.tokens);
  if (attempt.end) showResult();
  else if (engine.isDeadEnd(game.position)) offerWayOut("dead_end");
}

/** The last game of this browser: {id, deal, race}. */
const readLast = () => JSON.parse(localStorage.getItem(LAST) ?? "null");

/** A fresh attempt started just now by the server's clock; a browser remembers how far ahead that is. */
function setClock(fresh) {
  if (fresh) localStorage.setItem(AHEAD, String(Date.parse(attempt.started_at) - Date.now()));
  ahead = Number(localStorage.getItem(AHEAD) ?? 0);
}

/** The address leads back to this game: practice by its code, which anybody may follow; the rest by its number. */
function showAddress() {
  const path = attempt.ranked || attempt.race ? `/play/?attempt=${attempt.id}` : `/play/${attempt.deal}`;
  history.replaceState(null, "", path);
}

async function start(ask) {
  tell(say("loading"));
  try {
    const answer = await ask();
    open(answer, !answer.replay.moves && !answer.end);
    return true;
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    tell(error.message || say("failed"), "bad");
    if (!game) byId("loading").textContent = error.message || say("failed");
    return false;
  }
}

const practise = (deal) => start(() => callAsPlayer("POST", "attempts/", { deal }));
const resume = (id) => start(() => callAsPlayer("GET", `attempts/${id}/`));

function randomCode(letter) {
  const bytes = crypto.getRandomValues(new Uint8Array(7));
  return `PY1-${letter}-${Array.from(bytes, (byte) => SEED_LETTERS[byte % 32]).join("")}`;
}

async function enterRace(race) {
  const player = readPlayer();
  const guest = !player || player.guest;
  fill("before", { counts: say("counts_daily"), guest: guest ? say("counts_guest") : "" });
  byId("before").querySelector("[data-account]").hidden = !guest;
  if ((await openWindow("before")) !== "start") return location.assign("/");
  return start(() => callAsPlayer("POST", `races/${race}/attempts/`, {}));
}

async function newGame() {
  const wanted = await askForGame(data.rulesets, choices.ruleset);
  if (!wanted) return;
  if (wanted.deal) return practise(wanted.deal);
  if (!wanted.ranked) return practise(randomCode(wanted.ruleset));
  const body = { ruleset: wanted.ruleset };
  if (wanted.difficulty) body.difficulty = wanted.difficulty;
  const started = await start(() => callAsPlayer("POST", "attempts/", body));
  if (started && wanted.difficulty && !attempt.proven) tell(say("no_pool"));
}

/** The first game of a visit: what the address names, else the last one, else a new one for practice. */
async function begin() {
  const query = new URLSearchParams(location.search);
  const lastOne = readLast();
  if (query.get("race")) return enterRace(query.get("race"));
  if (query.get("attempt")) return resume(query.get("attempt"));
  if (data.code) {
    if (lastOne?.deal === data.code && (await resume(lastOne.id))) return;
    return practise(data.code);
  }
  if (lastOne && !query.get("ruleset") && (await resume(lastOne.id))) return;
  const letter = query.get("ruleset") ?? choices.ruleset;
  await practise(randomCode(data.rulesets[letter] ? letter : "N"));
}

// Moving

/** Play a token, or say why not. place: what shakes. */
function act(token, place) {
  if (!game || attempt.end || watching) return false;
  const refusal = engine.findGameRefusal(game, token);
  if (refusal) {
    refuse(refusal, place);
    return false;
  }
  const before = game;
  game = engine.playGame(game, token);
  [selected, hint, toldDeadEnd] = [null, [], false];
  hintWanted += 1;
  show();
  tell(tellMove(before, token));
  sender.push(game.tokens);
  if (engine.isWon(game.position)) tell(say("you_won"), "good");
  else if (engine.isDeadEnd(game.position)) offerWayOut("dead_end");
  return true;
}

function tellMove(before, token) {
  if (token === "U") return say("undone");
  if (token === "R") return say("redealt");
  if (token === "D") return say("drawn", { card: nameOf(engine.cardAt(game.position, "W")) });
  const [first, second] = engine.readToken(token).map((place) => nameOf(engine.cardAt(before.position, place)));
  const left = engine.countLeft(game.position);
  return second ? say("removed_pair", { first, second, left }) : say("removed_single", { first, left });
}

function refuse(refusal, place) {
  const quiet = !choices.help && refusal.reason === "covered";
  if (!quiet) {
    tell(refusal.reason in data.words ? say(refusal.reason, refusal) : say("refused"), "bad");
    table.shake(place ?? refusal.place);
  }
}

const stockOpens = () => game.ruleset.stock === "open";

function tap(place) {
  if (!game || attempt.end || watching) return;
  if (place === "stock") return drawOrRedeal();
  if (place === "waste" || place === "foundation") return;
  if (place.startsWith("under")) return refuse({ reason: "covered" }, place);
  const { position, ruleset } = game;
  if (selected === place) return select(null);
  if (selected && !engine.findRefusal(position, selected + place)) return act(selected + place);
  if (!engine.findRefusal(position, place)) return act(place);
  if (!engine.canBeChosen(position, place)) return refuse(engine.findRefusal(position, place), place);
  if (!selected) return select(place);
  const refusal = engine.findRefusal(position, selected + place);
  select(place);
  refuse(refusal.reason === "covered" ? { reason: "covered" } : { ...refusal, target: ruleset.target }, place);
}

function select(place) {
  selected = place;
  show();
  if (!place) return tell(say("deselected"), "quiet");
  const card = nameOf(engine.cardAt(game.position, place));
  const partners = engine.partnersOf(game.position, place).map((other) => nameOf(engine.cardAt(game.position, other)));
  tell(partners.length ? say("selected", { card, partners: partners.join(", ") }) : say("no_partner", { card }), "quiet");
}

function drawOrRedeal() {
  if (game.position.stock.length) act("D", "stock");
  else act("R", "stock");
}

/** A card was dropped on another, or on a pile. */
function drop(place, target) {
  if (!game || attempt.end || watching) return;
  if (target === "foundation") act(place, place);
  else if (target === "waste" || (target === "W" && place === "S" && engine.findRefusal(game.position, "SW"))) {
    if (place === "S") act("D", place);
  } else if (target === "stock" || target.startsWith("under")) return;
  else act(place + target, place);
}

// What the server says

function onStored(answer) {
  if (answer.hopeless && answer.ply === game.tokens.length && !toldDeadEnd) offerWayOut("hopeless");
  if (answer.end) fetchResult();
}

/** The server refuses what the page allowed: it is the judge, so the move is taken back. */
function onRefused(error, sent) {
  if (error.status === 401 || error.status === 404) {
    tell(error.message || say("failed"), "bad");
    return null;
  }
  const at = error.body.at ?? sent;
  const kept = game.tokens.slice(0, at);
  game = engine.playAll(game.ruleset, game.cards, kept.join(" ")).game;
  [selected, hint] = [null, []];
  show();
  tell(error.message, "bad");
  return kept;
}

/** The attempt stands elsewhere, played on another device perhaps: what is stored counts. */
async function onApart(error) {
  localStorage.removeItem("pyramidion.unsent");
  if (await resume(attempt.id)) tell(error.code === "ply_mismatch" ? say("apart") : error.message, "bad");
}

function connection(there) {
  byId("offline").hidden = there;
  tell(say(there ? "online" : "offline"), there ? "" : "bad");
}

async function fetchResult() {
  try {
    attempt = { ...attempt, ...(await call("GET", `attempts/${attempt.id}/`)) };
    show();
    showTime();
    showResult();
  } catch {
    setTimeout(fetchResult, 2000);
  }
}

// The end

async function showResult() {
  const { verdict } = attempt;
  const won = attempt.end === "won";
  const place = attempt.places?.[0];
  const ranks = (attempt.places ?? []).map(
    ({ board, rank, total }) => `${say("rank_of", { rank, total })} ${say(`rank_${board}`)}`,
  );
  fill("result", {
    best: won ? await readBest() : null,
    title: won ? say("you_won") : say(attempt.end === "expired" ? "expired" : "given_up"),
    time: writeTime(endTime(), won),
    moves: verdict.moves,
    removed: `${verdict.removed}/28`,
    points: game.ruleset.scoring === "none" ? null : verdict.points + (attempt.bonus ?? 0),
    code: attempt.deal,
    rank: place ? ranks.join(", ") : null,
    par: attempt.over_par === undefined || attempt.over_par === null
      ? null
      : attempt.over_par === 0 && attempt.par_proven
        ? say("at_par")
        : say("over_par", { over: attempt.over_par, par: attempt.par }),
  });
  byId("result").querySelector("[value=line]").hidden = !attempt.line;
  next(await openWindow("result"));
}

/** One's best time in this ruleset, this win included; null where it cannot be read. */
async function readBest() {
  try {
    const { rulesets } = await call("GET", "players/me/");
    const row = rulesets.find(({ ruleset, clock }) => ruleset === attempt.ruleset && clock === "server");
    const best = row?.best_time?.official_ms;
    if (best === undefined) return null;
    const behind = attempt.official_ms - best;
    return behind ? `${writeTime(best, true)} (+${writeTime(behind, true)})` : say("best_now");
  } catch {
    return null;
  }
}

/** No move is left, or no win: said plainly, with what can be done. */
async function offerWayOut(why) {
  if (toldDeadEnd || attempt.end) return;
  toldDeadEnd = true;
  fill("stuck", { why: say(why) });
  byId("stuck").querySelector("[value=hint]").hidden = attempt.ranked || why === "dead_end";
  byId("stuck").querySelector("[value=again]").hidden = attempt.ranked;
  byId("stuck").querySelector("[value=resign]").hidden = !attempt.ranked;
  tell(say(why), "bad");
  next(await openWindow("stuck"));
}

async function next(wanted) {
  if (wanted === "undo") act("U");
  else if (wanted === "hint") askHint();
  else if (wanted === "again") await playAgain();
  else if (wanted === "another") await (attempt.ranked || attempt.race ? newGame() : practise(randomCode(attempt.ruleset)));
  else if (wanted === "line") watchLine();
  else if (wanted === "resign") await giveUp();
}

async function playAgain() {
  const { deal } = attempt;
  if (!attempt.end) await call("POST", `attempts/${attempt.id}/resign/`, {}).catch(() => null);
  await practise(deal);
}

async function giveUp() {
  if ((await openWindow("give-up")) !== "resign") return;
  try {
    await sender.settle();
    attempt = { ...attempt, ...(await call("POST", `attempts/${attempt.id}/resign/`, {})) };
    showTime();
    showResult();
  } catch (error) {
    tell(error.message || say("failed"), "bad");
  }
}

/** Play a shortest line on the table, once the game is over. */
function watchLine() {
  const line = attempt.line.split(" ");
  const played = game;
  let at = 0;
  game = engine.startGame(game.ruleset, game.cards);
  show();
  tell(say("showing_line"));
  watching = setInterval(() => {
    if (at < line.length) {
      game = engine.playGame(game, line[at++]);
      show();
      return;
    }
    clearInterval(watching);
    watching = null;
    game = played;
    show();
    showResult();
  }, LINE_PAUSE);
}

async function askHint() {
  if (!game || attempt.end || watching) return;
  if (attempt.ranked) return tell(say("no_hints"), "bad");
  const wanted = ++hintWanted;
  tell(say("looking"));
  await sender.settle();
  try {
    const answer = await call("POST", `attempts/${attempt.id}/hint/`, {});
    if (wanted !== hintWanted || answer.ply !== game.tokens.length) return; // played on meanwhile
    attempt.assisted = true;
    showHead();
    hint = answer.move ? engine.readToken(answer.move) : [];
    selected = null;
    show();
    tell(nameCards(answer.sentence), answer.hopeless ? "bad" : "good");
    if (answer.hopeless && !toldDeadEnd) offerWayOut("hopeless");
  } catch (error) {
    tell(error.message || say("failed"), "bad");
  }
}

/** A sentence of the server's with cards in place of cells: a person sees the ten of clubs, not g3. */
function nameCards(sentence) {
  return sentence.replace(/\b[a-h][1-8]\b/g, (place) => {
    const card = engine.cardAt(game.position, place);
    return card ? nameOf(card) : place;
  });
}

// Buttons and keys

const keepChoices = () => localStorage.setItem(CHOICES, JSON.stringify(choices));

function applyChoices() {
  document.documentElement.classList.toggle("four-colours", choices.fourColours);
  if (game) show();
}

async function openMenu() {
  const form = byId("menu").querySelector("form");
  for (const name of ["mirrored", "fourColours", "help"]) form.elements[name].checked = choices[name];
  form.oninput = () => {
    for (const name of ["mirrored", "fourColours", "help"]) choices[name] = form.elements[name].checked;
    keepChoices();
    applyChoices();
  };
  form.querySelector("[value=resign]").hidden = !attempt || Boolean(attempt.end);
  byId("menu").querySelector("[name=next]").value = location.pathname + location.search;
  const wanted = await openWindow("menu");
  if (wanted === "keys") openWindow("keys");
  if (wanted === "resign") giveUp();
  if (wanted === "screen") {
    if (document.fullscreenElement) document.exitFullscreen();
    else document.documentElement.requestFullscreen().catch(() => null);
  }
}

async function copyCode() {
  try {
    await navigator.clipboard.writeText(attempt.deal);
    tell(say("copied"));
  } catch {
    tell(attempt.deal); // not allowed, or not over a safe connection: at least the whole code is shown
  }
}

const actions = {
  undo: () => act("U"),
  hint: askHint,
  new: newGame,
  "show-rules": () => openRules((game?.ruleset ?? data.rulesets[choices.ruleset]).slug),
  "open-menu": openMenu,
  code: copyCode,
  redeal: () => act("R", "stock"),
  draw: () => act("D", "stock"),
};
for (const [id, action] of Object.entries(actions)) byId(id).addEventListener("click", action);

const keys = {
  d: () => act("D", "stock"),
  r: () => act("R", "stock"),
  u: actions.undo,
  h: askHint,
  n: newGame,
  "?": () => openWindow("keys"),
  ArrowRight: () => table.walk(1),
  ArrowDown: () => table.walk(1),
  ArrowLeft: () => table.walk(-1),
  ArrowUp: () => table.walk(-1),
  Escape: () => selected && select(null),
};

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || anyWindowOpen()) return;
  if (event.repeat && !event.key.startsWith("Arrow")) return;
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  if (!game || !(key in keys)) return;
  event.preventDefault();
  keys[key]();
});

setInterval(showTime, 250);
applyChoices();
begin();
