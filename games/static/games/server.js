// The page speaks to the server like anybody else: over REST, with a token.
import { data } from "./words.js";

const V1 = "/api/v1/";
const TOKEN = "pyramidion.token";
const PLAYER = "pyramidion.player";
const GUEST = "pyramidion.guest";

/** An answer that is an error: status (0: none came), code, and all that the body says. */
export class Refused extends Error {
  constructor(status, body) {
    super(body.detail ?? "");
    this.status = status;
    this.code = body.code ?? "";
    this.body = body;
  }

  /** Whether the same call may go through later. */
  get mayPass() {
    return this.status === 0 || this.status === 429 || this.status >= 500;
  }
}

/** The player that this browser plays as: {name, guest}; null before the first game. */
export function readPlayer() {
  const name = localStorage.getItem(PLAYER);
  return name && { name, guest: localStorage.getItem(GUEST) === "1" };
}

function keepPlayer(name, guest, token) {
  localStorage.setItem(PLAYER, name);
  localStorage.setItem(GUEST, guest ? "1" : "0");
  if (token) localStorage.setItem(TOKEN, token);
}

/** One call; raises Refused. */
export async function call(method, path, body, { anonymous = false } = {}) {
  const headers = { "Accept-Language": data.language };
  const token = localStorage.getItem(TOKEN);
  if (token && !anonymous) headers.Authorization = `Token ${token}`;
  if (body !== undefined) headers["Content-Type"] = "application/json";
  let response, value;
  try {
    response = await fetch(V1 + path, { method, headers, body: body === undefined ? undefined : JSON.stringify(body) });
    value = response.status === 204 ? null : await response.json();
  } catch {
    throw new Refused(0, {});
  }
  if (!response.ok) throw new Refused(response.status, value);
  return value;
}

/** A call by a player: whoever has no account yet becomes a guest first. */
export async function callAsPlayer(method, path, body) {
  if (!localStorage.getItem(TOKEN)) await startGuest();
  try {
    return await call(method, path, body);
  } catch (error) {
    if (error.status !== 401) throw error;
    forgetPlayer(); // the token has expired: nothing can be done with it
    await startGuest();
    return call(method, path, body);
  }
}

async function startGuest() {
  const answer = await call("POST", "guests/", {}, { anonymous: true });
  keepPlayer(answer.player, true, answer.token);
}

export async function signUp(name, password) {
  if (readPlayer()?.guest) {
    const answer = await call("POST", "guests/me/", { name, password });
    keepPlayer(answer.player, false);
  } else {
    const answer = await call("POST", "players/", { name, password }, { anonymous: true });
    keepPlayer(answer.player, false, answer.token);
  }
}

export async function logIn(name, password) {
  const answer = await call("POST", "tokens/", { name, password }, { anonymous: true });
  keepPlayer(answer.player, false, answer.token);
}

export async function logOut() {
  await call("DELETE", "tokens/current/").catch(() => null);
  forgetPlayer();
}

function forgetPlayer() {
  for (const key of [TOKEN, PLAYER, GUEST]) localStorage.removeItem(key);
}
