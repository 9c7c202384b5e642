// The games that a person can play here, each with a position of it.

import { Board } from "./board.js";
import { el, get, main, named } from "./dom.js";

const list = el("ul", { class: "games" });
main.replaceChildren(el("h1", {}, "Play"), list);

const { games } = await get("/api/games");
for (const game of games) {
  const picture = el("div", { class: "game-board", "aria-hidden": "true" });
  list.append(el("li", {}, el("a", { href: named("play", game.id) }, picture, el("strong", {}, game.name)), el("p", { class: "muted" }, game.description)));
  const geometry = await get(`/api/games/${encodeURIComponent(game.id)}/geometry`);
  const board = new Board(picture, geometry, { switches: false });
  board.show(await get(`/api/games/${encodeURIComponent(game.id)}/replay?moves=${encodeURIComponent(game.example)}`));
}
main.dataset.ready = "true";
