// Moves: what a tap, a drop or a key means, and what the server says to it.
import { nameOf, tellMove } from "./cards.js";
import * as engine from "./engine.js";
import { table, tell } from "./showing.js";
import { announce, change, choices, follow, mayMove, state } from "./state.js";
import { data, say } from "./words.js";

const MOST_NAMED = 4; // partners; a joker has more than a phone's two lines hold

follow("tap", tap);
follow("drop", ({ place, target }) => drop(place, target));

/** Play a token, or say why not. place: what shakes. */
export function act(token, place) {
  if (!mayMove()) return;
  const before = state.game;
  const refusal = engine.findGameRefusal(before, token);
  if (refusal) return refuse(refusal, place);
  const game = engine.playGame(before, token);
  change({ game, selected: null, hint: [], told: false });
  tell(tellMove(token, before.position, game.position));
  state.sender.push(game.tokens);
  if (engine.isWon(game.position)) tell(say("you_won"), "good");
  else if (engine.isDeadEnd(game.position)) announce("stuck", "dead_end");
}

function refuse(refusal, place) {
  if (!choices.help && refusal.reason === "covered") return;
  tell(refusal.reason in data.words ? say(refusal.reason, refusal) : say("refused"), "bad");
  table.shake(place ?? refusal.place);
}

export function drawOrRedeal() {
  act(state.game?.position.stock.length ? "D" : "R", "stock");
}

function tap(place) {
  if (!mayMove()) return;
  if (place === "stock") return drawOrRedeal();
  if (place === "waste" || place === "foundation") return;
  if (place.startsWith("under")) return refuse({ reason: "covered" }, place);
  const { selected, game } = state;
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

/** Choose a card, or none. */
export function select(place) {
  change({ selected: place });
  if (!place) return tell(say("deselected"), "quiet");
  const { position } = state.game;
  const card = nameOf(engine.cardAt(position, place));
  const partners = engine.partnersOf(position, place).map((other) => nameOf(engine.cardAt(position, other)));
  const named = partners.length > MOST_NAMED ? partners.length : partners.join(", ");
  tell(partners.length ? say("selected", { card, partners: named }) : say("no_partner", { card }), "quiet");
}

/** A card was dropped on another, or on a pile. */
function drop(place, target) {
  if (!mayMove()) return;
  if (target === "foundation") act(place, place);
  else if (target === "waste" || (target === "W" && place === "S" && engine.findRefusal(state.game.position, "SW"))) {
    if (place === "S") act("D", place);
  } else if (target === "stock" || target.startsWith("under")) return;
  else act(place + target, place);
}

/** What a sender of this game does with the server's answers (see `makeSender`). */
export const answers = {
  stored({ hopeless, ply, end }) {
    if (hopeless && ply === state.game.tokens.length) announce("stuck", "hopeless");
    if (end) announce("ended");
  },

  /** The server refuses what the page allowed: it is the judge, so the move is taken back. */
  refused(error, sent) {
    if (error.status === 401 || error.status === 404) {
      tell(error.message || say("failed"), "bad");
      return null;
    }
    const kept = state.game.tokens.slice(0, error.body.at ?? sent);
    change({
      game: engine.playAll(state.game.ruleset, state.game.cards, kept.join(" ")).game,
      selected: null,
      hint: [],
    });
    tell(error.message, "bad");
    return kept;
  },

  /** The attempt stands elsewhere, played on another device perhaps: what is stored counts. */
  apart: (error) => announce("apart", error),

  connection(there) {
    document.getElementById("offline").hidden = there;
    tell(say(there ? "online" : "offline"), there ? "" : "bad");
  },
};
