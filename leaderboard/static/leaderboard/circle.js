// Among whom the page of a race shows its rows: everybody, friends, a club, or its guests.
import { data } from "../games/words.js";

const names = data.names && new Set(data.names);

export const isEverybody = data.among === "";
export const isGuests = data.among === "guests";
/** Who has not logged in has no friends and no clubs: there is nothing to ask for. */
export const isNobody = names?.size === 0;

/** Whether an entry is of somebody in the circle. */
export const counts = ({ player, guest }) => (isGuests ? guest : !names || names.has(player));

/** What is asked of the server: the same circle. */
export const among = isEverybody || isGuests ? "" : `&among=${data.among}`;
