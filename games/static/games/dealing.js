// The cards of a PY1 deal code (docs/formats.md), for who has no server to ask.

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
const SEED_LENGTH = 7;
const STREAM = "PY1:249915957";
const DECK = [..."cdhs"].flatMap((suit) => [..."A23456789TJQK"].map((rank) => rank + suit));
const JOKERS = ["X1", "X2"];

/** Seven letters by chance. */
export const drawSeed = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(SEED_LENGTH)), (byte) => LETTERS[byte % LETTERS.length]).join("");

/** {letter, seed} of a PY1 code in exact writing; null for anything else. */
export function readCode(code) {
  const found = /^PY1-([A-Z])-([A-Z2-7]{7})$/.exec(code.toUpperCase());
  return found && { letter: found[1], seed: found[2] };
}

/** The cards of a seed in dealing order, with so many jokers in the deck. */
export async function dealCards(seed, jokers) {
  const cards = [...DECK, ...JOKERS.slice(0, jokers)];
  const nextWord = makeStream(seed);
  for (let i = cards.length - 1; i > 0; i -= 1) {
    const j = await drawBelow(nextWord, i + 1);
    [cards[i], cards[j]] = [cards[j], cards[i]];
  }
  return cards;
}

/** The numbers of a seed, each below 2^32: SHA-256 digests one after the other, eight numbers each. */
function makeStream(seed) {
  let words = [];
  let digests = 0;
  return async () => {
    if (!words.length) {
      const text = new TextEncoder().encode(`${STREAM}:${seed}:${digests}`);
      const view = new DataView(await crypto.subtle.digest("SHA-256", text));
      words = Array.from({ length: view.byteLength / 4 }, (_, i) => view.getUint32(4 * i));
      digests += 1;
    }
    return words.shift();
  };
}

/** A number below `most`, each as likely as the others. */
async function drawBelow(nextWord, most) {
  const limit = Math.floor(2 ** 32 / most) * most;
  let word = await nextWord();
  while (word >= limit) word = await nextWord();
  return word % most;
}
