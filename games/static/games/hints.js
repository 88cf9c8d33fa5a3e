// Hints, for practice: the server's, shown on the table.
import { nameOf } from "./cards.js";
import * as engine from "./engine.js";
import { call } from "./server.js";
import { tell } from "./showing.js";
import { announce, change, mayMove, state } from "./state.js";
import { say } from "./words.js";

export async function askHint() {
  if (!mayMove()) return;
  if (state.attempt.ranked) {
    tell(say("no_hints"), "bad");
    return;
  }
  const { game, sender } = state;
  tell(say("looking"));
  await sender.settle();
  try {
    const answer = await call("POST", `attempts/${state.attempt.id}/hint/`, {});
    if (state.game !== game) return; // played on meanwhile
    const hint = answer.move ? engine.readToken(answer.move) : [];
    change({ attempt: { ...state.attempt, assisted: true }, hint, selected: null });
    tell(nameCards(answer.sentence), answer.hopeless ? "bad" : "good");
    if (answer.hopeless) announce("stuck", "hopeless");
  } catch (error) {
    tell(error.message || say("failed"), "bad");
  }
}

/** A sentence of the server's with cards in place of cells: a person sees the ten of clubs, not g3. */
function nameCards(sentence) {
  return sentence.replace(/\b[a-h][1-8]\b/g, (place) => {
    const card = engine.cardAt(state.game.position, place);
    return card ? nameOf(card) : place;
  });
}
