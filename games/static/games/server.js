// The page speaks to the server like anybody else, over REST; who plays is told by the session, a cookie that no script
// can read.
import { data } from "./words.js";

const V1 = "/api/v1/";

for (const left of ["token", "player", "guest"]) localStorage.removeItem(`pyramidion.${left}`); // of earlier versions

let player = readPage();

function readPage() {
  const { player: name, guest } = document.body.dataset;
  return name === undefined ? null : { name, guest: guest !== undefined };
}

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

/** Who plays in this browser: {name, guest}; null before the first game. */
export const readPlayer = () => player;

/** What plays without a connection. The page names it: it imports this module, and names with hashes know no circles. */
export const loadOffline = () => import(data.offline_module);

/** One call; raises Refused. The page without a connection answers it by itself. */
export async function call(method, path, body, options) {
  if (data.offline) return (await loadOffline()).callHere(method, path, body);
  return ask(method, path, body, options);
}

/** One call of the server; raises Refused. keepalive: it goes out even where the page is just being left. */
export async function ask(method, path, body, { keepalive = false } = {}) {
  const headers = { "Accept-Language": data.language };
  if (body !== undefined) headers["Content-Type"] = "application/json";
  if (method !== "GET") headers["X-CSRFToken"] = readCookie("csrftoken"); // at each call: every log-in makes a new one
  let response, value;
  try {
    const text = body === undefined ? undefined : JSON.stringify(body);
    response = await fetch(V1 + path, { method, headers, keepalive, body: text });
    value = response.status === 204 ? null : await response.json();
  } catch {
    throw new Refused(0, {});
  }
  if (!response.ok) throw new Refused(response.status, value);
  return value;
}

const readCookie = (name) => document.cookie.match(`(?:^|; )${name}=([^;]*)`)?.[1] ?? "";

// a form of this page may be older than the last log-in: that of a guest, or in another tab
document.addEventListener("submit", ({ target }) => {
  const field = target.querySelector("[name=csrfmiddlewaretoken]");
  if (field) field.value = readCookie("csrftoken");
});

/** A call that starts an attempt: whoever has no player yet plays on as a new guest. */
export async function callAsPlayer(method, path, body) {
  if (player && !player.guest) return call(method, path, body).catch(goLogIn);
  const answer = await call(method, path, body && { ...body, guest: true });
  player = { name: answer.player, guest: true };
  return answer;
}

/** The session of a player with a name is over: to go on as a guest would be a surprise. */
function goLogIn(error) {
  if (error.status === 401) location.assign(`/account/log-in/${hereAsNext()}`);
  throw error;
}

/** The query by which an account page leads back here. */
export const hereAsNext = () => `?${new URLSearchParams({ next: location.pathname + location.search })}`;
