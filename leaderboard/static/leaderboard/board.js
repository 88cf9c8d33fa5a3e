// The ranks of a race as the page holds them: by official time, then by moves; of equal ones the earlier comes first
// and both have the rank. Pure: rows in, rows out. A row is {player, official_ms, moves, when, replay}.

const TOP = 10; // so many the server names

const compare = (a, b) =>
  a.official_ms - b.official_ms || a.moves - b.moves || (a.when < b.when ? -1 : Number(a.when > b.when));

/** The rows in their order, each with its rank: 1, 2, 2, 4. */
export function rank(rows) {
  const ranked = [];
  for (const row of [...rows].sort(compare)) {
    const before = ranked.at(-1);
    const ties = before && before.official_ms === row.official_ms && before.moves === row.moves;
    ranked.push({ ...row, rank: ties ? before.rank : ranked.length + 1 });
  }
  return ranked;
}

/** The first rows of a board after an entry has changed. most: where the rows are not all of the board, so many. */
export function place(rows, entry, most) {
  const others = rows.filter(({ player }) => player !== entry.player);
  if (!stands(entry)) return rank(others);
  const row = { player: entry.player, official_ms: entry.official_ms, moves: entry.moves, when: entry.ended_at, replay: entry.replay };
  return rank([...others, row]).slice(0, most);
}

/** Whether an entry stands in the ranks. */
export const stands = ({ kind, end, ranked }) => kind === "finished" && end === "won" && ranked;

/** Whether an entry is better than a row. */
export const isBetter = (entry, row) => compare({ ...entry, when: entry.ended_at }, row) < 0;

/** Whether the first rows are those that the server names. */
export const agrees = (rows, top) =>
  top.every(({ player, rank: at }, i) => rows[i]?.player === player && rows[i]?.rank === at) &&
  (top.length === TOP || top.length === rows.length);
