// The first page: today's deals, with one's own state in each, and how long they stand.
import { call } from "../games/server.js";
import { data, say, writeTime } from "../games/words.js";

const AGAIN = 4000; // while a daily is still being dealt
const place = document.getElementById("dailies");

function make(name, properties = {}, ...children) {
  const element = Object.assign(document.createElement(name), properties);
  element.append(...children);
  return element;
}

function tellEntry({ end, official_ms: ms, moves, left }) {
  if (!end) return "";
  return end === "won" ? say("my_win", { time: writeTime(ms, true), moves }) : say("my_left", { left });
}

function drawDaily(race) {
  const facts = [race.difficulty && say(race.difficulty), say("players", { count: race.players })];
  const rows = race.top.map(({ rank, player, official_ms: ms }) =>
    make("li", {}, make("span", { textContent: `${rank}.` }), make("b", { textContent: player }), writeTime(ms, true)),
  );
  const { entry } = race;
  const address = entry ? `/play/?attempt=${entry.attempt}` : `/play/?race=${race.id}`;
  const label = !entry ? "play" : entry.end ? "look" : "go_on";
  return make(
    "div",
    { className: "tile" },
    make("strong", { textContent: data.rulesets[race.ruleset] }),
    make("span", { textContent: facts.filter(Boolean).join(" · ") }),
    rows.length ? make("ol", {}, ...rows) : make("span", { textContent: say("nobody") }),
    ...(entry?.end ? [make("span", { textContent: tellEntry(entry) })] : []),
    make(
      "div",
      { className: "ways" },
      make("a", { className: "button", href: address, textContent: say(label) }),
      " ",
      make("a", { href: `/races/${race.id}/`, textContent: say("see_race") }),
    ),
  );
}

const drawMissing = (letter) =>
  make(
    "div",
    { className: "tile" },
    make("strong", { textContent: data.rulesets[letter] }),
    make("span", { textContent: say("dealing") }),
  );

async function show() {
  const today = await call("GET", "daily/");
  const open = today.dailies.filter(({ phase }) => phase === "open");
  place.replaceChildren(...open.map(drawDaily), ...today.missing.map(drawMissing));
  countDown(Date.parse(today.next_at) - Date.parse(today.now) + Date.now());
  if (today.missing.length) setTimeout(show, AGAIN);
}

let timer = null;

function countDown(until) {
  clearInterval(timer);
  const tick = () => {
    const left = until - Date.now();
    if (left <= 0) location.reload();
    document.getElementById("countdown").textContent = say("next_in", { time: writeTime(left) });
  };
  timer = setInterval(tick, 1000);
  tick();
}

// without an answer the page stays as the server wrote it
show().catch((error) => {
  if (!("status" in error)) throw error;
});
