// What a move did, in words.
import { nameOf } from "./cards.js";
import * as engine from "./engine.js";
import { say } from "./words.js";

/** The sentence of a token that led from one position to another. */
export function tellMove(token, before, after) {
  if (token === "U") return say("undone");
  if (token === "R") return say("redealt");
  if (token === "D") return say("drawn", { card: nameOf(engine.cardAt(after, "W")) });
  const [first, second] = engine.readToken(token).map((place) => nameOf(engine.cardAt(before, place)));
  const left = engine.countLeft(after);
  return second ? say("removed_pair", { first, second, left }) : say("removed_single", { first, left });
}
