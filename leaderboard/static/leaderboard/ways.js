// Where names and results on the page of a race lead. Games are watched, and played again, by who may know the cards.
import { data } from "../games/words.js";

/** code: of the deal, as soon as the games on it may be watched. */
export const ways = { code: data.code };

export const playerPage = (name) => `/players/${encodeURIComponent(name)}/`;
export const replayPage = (attempt) => (ways.code && attempt ? `/replays/${attempt}/` : null);
export const beatPage = (attempt) => (ways.code && attempt ? `/play/${ways.code}?ghost=${attempt}` : null);
