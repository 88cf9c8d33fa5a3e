// What the vectors say, asked of the browser's engine: each function answers with the rows it disagrees with.
import * as engine from "/engine.js";

const rulesetOf = (rulesets, text) => rulesets[text[0]];

function differs(row, found, expected) {
  const [a, b] = [JSON.stringify(found), JSON.stringify(expected)];
  return a === b ? [] : [`${row}: ${a}, not ${b}`];
}

export const checks = {
  starts: (rulesets, rows) =>
    rows.flatMap(([letter, cards, position]) =>
      differs(letter, engine.writePosition(engine.startPosition(rulesets[letter], cards)), position),
    ),

  positions: (rulesets, rows) =>
    rows.flatMap(([text, outcome, moves]) => {
      const position = engine.readPosition(rulesetOf(rulesets, text), text);
      const found = [engine.isWon(position), engine.isDeadEnd(position), engine.legalMoves(position).join(" ") || "-"];
      return [
        ...differs(text, found, [outcome === "won", outcome === "dead_end", moves]),
        ...differs(text, engine.writePosition(position), text),
      ];
    }),

  steps: (rulesets, rows) =>
    rows.flatMap(([text, token, after]) => {
      const position = engine.readPosition(rulesetOf(rulesets, text), text);
      const refusal = engine.findRefusal(position, token);
      return differs(`${text} ${token}`, refusal ?? engine.writePosition(engine.playToken(position, token)), after);
    }),

  refusals: (rulesets, rows) =>
    rows.flatMap(([text, token, reason, place]) => {
      const position = engine.readPosition(rulesetOf(rulesets, text), text);
      const found = engine.findRefusal(position, token);
      return differs(`${text} ${token}`, [found?.reason, found?.place ?? "-"], [reason, place]);
    }),

  games: (rulesets, rows) =>
    rows.flatMap(([letter, cards, moves, verdict]) => {
      const { game, at, token, refusal } = engine.playAll(rulesets[letter], cards, moves);
      const found = refusal ? { legal: false, at, token, reason: refusal.reason } : { legal: true, ...engine.judge(game) };
      const bonus = verdict.bonus === null || verdict.bonus === undefined ? null : verdict.bonus;
      if (bonus !== null && engine.bonusOf(rulesets[letter], verdict.elapsed_ms) !== bonus) return [`${moves}: bonus`];
      const expected = Object.fromEntries(Object.keys(found).map((name) => [name, verdict[name]]));
      return differs(`${letter} ${moves}`, found, expected);
    }),

  perft: (rulesets, rows) =>
    rows.flatMap(([text, depth, lines]) => {
      const count = (position, left) => {
        if (!left) return 1;
        return engine
          .legalMoves(position)
          .reduce((sum, move) => sum + count(engine.playToken(position, move), left - 1), 0);
      };
      return differs(text, count(engine.readPosition(rulesetOf(rulesets, text), text), depth), lines);
    }),
};
