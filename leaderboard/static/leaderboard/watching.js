// The table of somebody who plays, as it is played: for who has ended an own entry in the race.
import * as engine from "../games/engine.js";
import { makeTable } from "../games/table.js";
import { data, say } from "../games/words.js";

const byId = (id) => document.getElementById(id);
const NO_MARKS = { selected: null, partners: [], hint: [] };
const AGAIN = 1500;

let table = null;

/** Show the table of a player until the window is closed. */
export function watchTable(race, player) {
  const dialog = byId("watch");
  let socket = null;
  let game = null;
  let timer = null;

  function connect() {
    const address = new URL(`/ws/races/${race}/watch/${encodeURIComponent(player)}/`, location.href);
    address.protocol = address.protocol.replace("http", "ws");
    socket = new WebSocket(address);
    socket.onmessage = (message) => hear(JSON.parse(message.data));
    socket.onclose = ({ code }) => {
      if (code === 4403 || code === 4401) byId("watched").textContent = say("watch_refused");
      else timer = setTimeout(connect, AGAIN * (0.5 + Math.random()));
    };
  }

  function hear(frame) {
    if (frame.type === "table") {
      const cards = game?.cards ?? frame.cards.split(" "); // the same cards: what lies there is moved, not dealt anew
      game = engine.playAll(data.ruleset, cards, frame.moves).game;
    } else {
      for (const token of frame.moves ? frame.moves.split(" ") : []) game = engine.playGame(game, token);
    }
    table.show(game, NO_MARKS, {});
    tell(frame.end);
  }

  function tell(end) {
    const removed = engine.TABLEAU_SIZE - engine.countLeft(game.position);
    const sentence = end === "won" ? "watched_won" : end ? "watched_over" : "watched";
    byId("watched").textContent = say(sentence, { player, removed, moves: engine.countMoves(game) });
  }

  byId("watch-title").textContent = player;
  byId("watched").textContent = "";
  dialog.showModal();
  table ??= makeTable(byId("table"), { tap: () => null, drop: () => null });
  dialog.addEventListener(
    "close",
    () => {
      clearTimeout(timer);
      socket.onclose = null;
      socket.close();
    },
    { once: true },
  );
  connect();
}
