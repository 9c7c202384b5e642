// The page of a game: its board, its moves, replayed with the arrow keys; live while it runs.
import { Board } from "./board.js";
import { at, el, failed, get, given, main, named } from "./dom.js";
import { clock, counted, left, scoreOf } from "./format.js";
import { Live } from "./live.js";
import { Replay } from "./replay.js";
import { mover } from "./sides.js";
import { TextBoard } from "./text_board.js";

/**
 * @import { Score, Replay as Positions } from "../../games/static/types.d.ts"
 * @import { GameDocument, Geometry, RunningGame } from "./documents.d.ts"
 */

const run = given("run");
const number = given("game");
const path = `/api/runs/${encodeURIComponent(run)}/games/${number}`;

const sides = [el("p", { class: "side first" }), el("p", { class: "side second" })];
const ending = el("p", { class: "answer", role: "status" });
const facts = el("p", { class: "muted" });
const files = el("p", { class: "files" });
const boardBox = el("div", { class: "play-board" });
const control = el("div");
/** @type {Map<number, Score>} */
const scores = new Map(); // ply -> the score of the side that moved there
/** @type {Replay | null} */
let replay = null;
const OVER = "over"; // no line of moves
let asked = "";

/**
 * @param {{ first: string, second: string }} game
 * @param {string[]} [times]
 */
function names(game, times) {
  [game.first, game.second].forEach((name, which) => {
    const link = el("a", { href: `${named("runs", run, "player")}?player=${encodeURIComponent(name)}` }, name);
    sides[which].replaceChildren(el("span", { class: "who" }, link), el("span", { class: "clock" }, times?.[which] ?? ""));
  });
}

/** @param {{ moves: string[] }} found */
function moved(found) {
  if (replay) replay.update(/** @type {Positions} */ (found), [...scores.values()].sort((a, b) => a.ply - b.ply));
  else control.replaceChildren(el("p", { class: "moves" }, found?.moves?.join(" ") ?? ""));
}

/** @returns {Promise<GameDocument>} */
async function read() {
  /** @type {GameDocument} */
  const game = await get(path);
  const seconds = game.seconds?.map((one) => `${one.toFixed(one < 10 ? 2 : 1)} s`);
  names(game, seconds);
  for (const one of game.scores ?? []) scores.set(one.ply, one);
  ending.textContent = game.result ? `${game.result.replaceAll("1/2", "½")}, ${game.reason}` : "This game has not ended.";
  const opening = game.opening.length ? `opening of ${counted(game.opening.length, "move")}` : "";
  const times = game.started && game.finished ? `${clock(game.started)} to ${clock(game.finished)}` : "";
  facts.textContent = [counted(game.moves.length, "move"), opening, times].filter(Boolean).join(" · ");
  const links = game.files.map((form) => el("a", { href: at(`${path}.${form}`), download: "" }, form.toUpperCase()));
  files.replaceChildren(...links.flatMap((link, place) => place ? [" · ", link] : [link]));
  return game;
}

/**
 * Return the board of a game: its cells, or text.
 * @param {GameDocument} game
 * @param {HTMLElement} panel
 */
async function boardOf(game, panel) {
  if (game.replay?.boards) return new TextBoard(boardBox);
  /** @type {Geometry} */
  const geometry = await get(`/api/games/${encodeURIComponent(game.game)}/geometry`);
  panel.classList.toggle("signs", geometry.stones === "signs");
  panel.classList.toggle("white-first", geometry.sides[0].startsWith("White"));
  panel.classList.toggle("stones", geometry.ground === "points");
  return new Board(boardBox, geometry);
}

async function start() {
  const game = await read();
  const crumbs = el("p", { class: "crumbs" }, el("a", { href: named("runs", run) }, run), " › ", el("a", { href: named("runs", run, "games") }, "games"),
    " › ", el("a", { href: `${named("runs", run, "pair")}?${new URLSearchParams({ player: game.first, opponent: game.second })}` }, "this pair"));
  const panel = el("div", { class: "play-panel" }, el("div", { class: "players" }, sides), ending, facts, files, control);
  main.replaceChildren(crumbs, el("h1", null, `Game ${number}`), el("div", { class: "play" }, boardBox, panel));
  if (game.replay) {
    replay = new Replay(control, await boardOf(game, panel), { names: [game.first, game.second], permalink: "#" });
  }
  moved(game.replay ?? game);
  if (!game.result) follow(game);
  main.dataset.ready = "true";
}

/** @param {GameDocument} game */
function follow(game) {
  new Live(`/api/runs/${encodeURIComponent(run)}/live?game=${number}`, {
    /** @param {boolean} open */
    async status(open) { // the game may have ended while there was no stream
      if (open && (await get(path).catch(() => null))?.result) await over();
    },
    /** @param {{ changed: RunningGame[] }} tables */
    async tables({ changed }) {
      for (const board of asked === OVER ? [] : changed) { // a position may come after the end
        names(board, board.clock_ms?.map(left));
        const line = `${new URLSearchParams({ start: game.start, moves: board.moves.join(" "), sides: sidesOf(board) })}`;
        ending.textContent = "running";
        if (line === asked) continue;
        asked = line;
        const found = replay ? await positions(game, line).catch(() => null) : board;
        if (found === null) continue; // the next move asks again
        if (replay) note(board, /** @type {Positions} */ (found));
        if (line === asked) moved(found); // else a later position is on its way
      }
    },
    finished: over,
  });
}

/**
 * Return the side of each move and of the next one, which a game without rules does not know itself.
 * @param {RunningGame} board
 */
function sidesOf(board) {
  return `${board.sides || board.moves.map((_, ply) => ply % 2).join("")}${board.to_move}`;
}

/**
 * @param {GameDocument} game
 * @param {string} line
 * @returns {Promise<Positions>}
 */
function positions({ game }, line) {
  return get(`/api/games/${encodeURIComponent(game)}/replay?${line}`);
}

async function over() {
  asked = OVER;
  const found = await read();
  moved(found.replay ?? found);
}

/**
 * Keep the score of the side that moved last, as the first player's expected score.
 * @param {RunningGame} board
 * @param {Positions} found
 */
function note(board, found) {
  const score = scoreOf(board), ply = board.moves.length;
  if (score === null || !ply) return;
  const expected = 1 / (1 + 10 ** (-score / 400)), side = mover(found, ply - 1);
  scores.set(ply, { ply, side, value: side === 0 ? expected : 1 - expected });
}

start().catch(failed);
