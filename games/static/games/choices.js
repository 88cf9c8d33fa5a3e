// How this browser's player likes the table, kept from game to game.
const KEPT = "pyramidion.choices";

export const choices = { mirrored: false, fourColours: false, help: true, ruleset: "N", rival: "" };
Object.assign(choices, JSON.parse(localStorage.getItem(KEPT) ?? "{}"));

export function choose(fields) {
  Object.assign(choices, fields);
  localStorage.setItem(KEPT, JSON.stringify(choices));
}
