// A person plays: against an engine of the server, against another person on the same screen, or watches two engines.

import { Board } from "./board.js";
import { at, el, get, given, main } from "./dom.js";
import { LocalGame, ServerGame } from "./play_games.js";
import { reportText } from "./play_report.js";
import { Replay } from "./replay.js";
import { Setup } from "./play_setup.js";
import { mover } from "./sides.js";

/**
 * @import { Geometry, RivalsDocument } from "./documents.d.ts"
 * @import { ShownGame, Wanted } from "./page_types.d.ts"
 */

const PASS = "pass"; // the move that no cell has
const id = given("game");
/** @type {[Geometry, RivalsDocument]} */
const [geometry, offered] = await Promise.all([get(`/api/games/${id}/geometry`), get(`/api/games/${id}/players`)]);

const words = new URLSearchParams(location.search);
/** @type {LocalGame | ServerGame | null} */
let game = null;
/** @type {ShownGame | null} */
let state = null;
let chosen = false; // a game by the button Start, or one that was begun elsewhere

/**
 * @param {string} text
 * @param {() => void} onclick
 */
const button = (text, onclick) => el("button", { type: "button", onclick }, text);
const boardBox = el("div", { class: "play-board" });
const status = el("p", { class: "play-status", role: "status" });
const reason = el("p", { class: "play-reason muted", "aria-live": "polite" });
const error = el("p", { class: "failed", role: "alert" });
const undo = button("Undo", () => act(() => game?.undo()));
const hint = button("Hint", () => act(() => game?.hint()));
const pass = button("Pass", () => act(() => game?.move(PASS)));
const resign = button("Resign", () => act(() => game?.resign()));
const retry = button("Try again", () => act(() => game?.retry()));
const saves = offered.files.map((form) => el("a", { class: "button", download: `${id}.${form}` }, form.toUpperCase()));
const report = el("p", { class: "play-report" });
const evaluation = el("details", { class: "play-evaluation" }, el("summary", {}, "Evaluation"), report);
const note = el("p", { class: "muted" });
const replayBox = el("div", {});
const setup = new Setup(geometry, offered, (wanted) => act(() => {
  chosen = true;
  return begin(wanted);
}), words.get("side"));

main.replaceChildren(
  el("h1", {}, geometry.name),
  el("div", { class: "play" }, boardBox, el("div", { class: "play-panel" },
    status, reason, error, el("div", { class: "play-buttons" }, pass, undo, hint, resign, retry, saves), note, setup.element, evaluation, replayBox)),
);
const board = new Board(boardBox, geometry, {
  onMove: (move) => act(() => game?.move(move)),
  onReason: (why) => { reason.textContent = why; },
});
/** @type {Replay | null} */
let control = null;

/**
 * Do what a person asked for; an error is shown as its sentence.
 * @param {() => unknown} action
 */
async function act(action) {
  error.textContent = "";
  try {
    await action();
  } catch (failure) {
    error.textContent = /** @type {Error} */ (failure).message;
  }
}

/**
 * Begin a game in place of the last one.
 * @param {Wanted} wanted
 */
async function begin({ names, ...wanted }) {
  if (game) history.replaceState(null, "", location.pathname);
  await game?.close(); // it makes room for the new one
  control?.close();
  state = control = null;
  const next = wanted.first || wanted.second ? new ServerGame(id, wanted, { show, gone, lost }) : new LocalGame(id, names ?? geometry.sides, show);
  await next.begin();
  game = next;
  if (names === undefined) setup.element.open = false;
}

function gone() {
  rest("This game was closed: it was left alone for a while, or the server has ended.");
  document.body.dataset.gone = "true";
}

function lost() {
  rest("The server does not answer. This page tries again.");
}

/**
 * Say why no move can be made; the next state ends it.
 * @param {string} why
 */
function rest(why) {
  status.textContent = why;
  board.close(why);
  for (const button of [pass, undo, hint, resign]) button.disabled = true;
}

/**
 * Show a state: that of web/play/table.py, or of a game without a server.
 * @param {ShownGame} shown
 */
function show(shown) {
  state = shown;
  const over = shown.result !== "*";
  const next = mover(shown.replay, shown.replay.moves.length);
  const yours = shown.people[next];
  if (control === null) board.turnOver(geometry.steps && shown.people[1] && !shown.people[0]);
  control ??= new Replay(replayBox, board, { names: shown.names, permalink: "#" });
  board.close(over || yours ? "" : `it is the turn of ${shown.names[next]}`);
  control.update(shown.replay, shown.scores);
  board.point(shown.hint?.pv[0] ?? null);
  showWords(shown, over ? shown.replay.text ?? "" : yours ? `${turnOf(shown, next)} to move` : `${shown.names[next]} thinks`);
  if (!over && yours && shown.thinks) status.textContent += ", a hint is on its way";
  showButtons(shown, over, yours);
  const record = new URLSearchParams({
    moves: shown.replay.moves.join(" "), first: shown.names[0], second: shown.names[1], result: shown.result, level: shown.level,
  });
  for (const link of saves) link.href = at(`/api/games/${id}/record.${link.textContent.toLowerCase()}?${record}`);
  main.dataset.ready = "true";
}

/**
 * @param {ShownGame} shown
 * @param {string} text
 */
function showWords(shown, text) {
  status.textContent = text;
  error.textContent = shown.error;
  note.textContent = shown.note || (chosen || offered.players.length === 0 ? "" : "Two people play here. Press Start for a game against an engine.");
  document.body.classList.toggle("thinks", shown.thinks);
  const shownReport = shown.hint ?? shown.report;
  evaluation.hidden = !shown.people.includes(false);
  report.textContent = shownReport ? reportText(shownReport, shown.names, shown.hint !== null) : "No search yet.";
}

/**
 * @param {ShownGame} shown
 * @param {boolean} over
 * @param {boolean} yours
 */
function showButtons({ people, replay, thinks, error: failure }, over, yours) {
  pass.hidden = !replay.legal.includes(PASS);
  pass.disabled = over || !yours;
  undo.disabled = !people.includes(true) || replay.moves.length === 0;
  hint.hidden = !(people.includes(true) && people.includes(false));
  hint.disabled = over || !yours || thinks;
  resign.disabled = over || !people.includes(true);
  retry.hidden = !failure || over;
}

/**
 * Return the side to move in words: `Ann, X`.
 * @param {ShownGame} shown
 * @param {number} side
 */
function turnOf({ names }, side) {
  return names[side] === geometry.sides[side] ? geometry.sides[side] : `${names[side]}, ${geometry.sides[side]},`;
}

const known = words.get("id");
if (known !== null) {
  const followed = game = new ServerGame(id, null, { show, gone, lost });
  setup.element.open = false;
  chosen = true;
  await act(() => followed.follow(known));
  if (state === null) await begin(setup.alone());
} else {
  await begin(setup.alone());
}
