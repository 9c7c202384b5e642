// A person plays: against an engine of the server, against another person on the same screen, or watches two engines.

import { Board } from "./board.js";
import { at, el, get } from "./dom.js";
import { LocalGame, ServerGame } from "./play_games.js";
import { reportText } from "./play_report.js";
import { Replay } from "./replay.js";
import { Setup } from "./play_setup.js";

const id = document.body.dataset.game;
const main = document.getElementById("main");
const [geometry, offered] = await Promise.all([get(`/api/games/${id}/geometry`), get(`/api/games/${id}/players`)]);

const words = new URLSearchParams(location.search);
let game = null;
let state = null;
let chosen = false; // a game by the button Start, or one that was begun elsewhere

const button = (text, onclick) => el("button", { type: "button", onclick }, text);
const boardBox = el("div", { class: "play-board" });
const status = el("p", { class: "play-status", role: "status" });
const reason = el("p", { class: "play-reason muted", "aria-live": "polite" });
const error = el("p", { class: "failed", role: "alert" });
const undo = button("Undo", () => act(() => game.undo()));
const hint = button("Hint", () => act(() => game.hint()));
const resign = button("Resign", () => act(() => game.resign()));
const retry = button("Try again", () => act(() => game.retry()));
const saves = ["pgn", "sgf"].map((form) => el("a", { class: "button", download: `${id}.${form}` }, form.toUpperCase()));
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
    status, reason, error, el("div", { class: "play-buttons" }, undo, hint, resign, retry, saves), note, setup.element, evaluation, replayBox)),
);
const board = new Board(boardBox, geometry, {
  onMove: (move) => act(() => game.move(move)),
  onReason: (why) => { reason.textContent = why; },
});
let control = null;

/** Do what a person asked for; an error is shown as its sentence. */
async function act(action) {
  error.textContent = "";
  try {
    await action();
  } catch (failure) {
    error.textContent = failure.message;
  }
}

async function begin({ names, ...wanted }) {
  if (game) history.replaceState(null, "", location.pathname);
  await game?.close(); // it makes room for the new one
  control?.close();
  state = control = null;
  const next = wanted.first || wanted.second ? new ServerGame(id, wanted, { show, gone, lost }) : new LocalGame(id, names, show);
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

/** Say why no move can be made; the next state ends it. */
function rest(why) {
  status.textContent = why;
  board.close(why);
  for (const button of [undo, hint, resign]) button.disabled = true;
}

/** Show a state: that of web/play/table.py, or of a game without a server. */
function show(shown) {
  const fresh = control === null;
  state = shown;
  if (fresh) control = new Replay(replayBox, board, { names: state.names, permalink: "#" });
  const over = state.result !== "*";
  const mover = (state.replay.first + state.replay.moves.length) % 2;
  const yours = state.people[mover];
  board.close(over || yours ? "" : `it is the turn of ${state.names[mover]}`);
  control.update(state.replay, state.scores);
  board.point(state.hint?.pv[0] ?? null);
  status.textContent = over ? state.replay.text : yours ? `${turnOf(mover)} to move` : `${state.names[mover]} thinks`;
  if (!over && yours && state.thinks) status.textContent += ", a hint is on its way";
  error.textContent = state.error;
  note.textContent = state.note || (chosen || offered.players.length === 0 ? "" : "Two people play here. Press Start for a game against an engine.");
  document.body.classList.toggle("thinks", state.thinks);
  undo.disabled = !state.people.includes(true) || state.replay.moves.length === 0;
  hint.hidden = !(state.people.includes(true) && state.people.includes(false));
  hint.disabled = over || !yours || state.thinks;
  resign.disabled = over || !state.people.includes(true);
  retry.hidden = !state.error || over;
  const shownReport = state.hint ?? state.report;
  evaluation.hidden = !state.people.includes(false);
  report.textContent = shownReport ? reportText(shownReport, state.names, state.hint !== null) : "No search yet.";
  const record = new URLSearchParams({
    moves: state.replay.moves.join(" "), first: state.names[0], second: state.names[1], result: state.result, level: state.level,
  });
  for (const link of saves) link.href = at(`/api/games/${id}/record.${link.textContent.toLowerCase()}?${record}`);
  main.dataset.ready = "true";
}

/** Return the side to move in words: `Ann, X`. */
function turnOf(side) {
  return state.names[side] === geometry.sides[side] ? geometry.sides[side] : `${state.names[side]}, ${geometry.sides[side]},`;
}

const known = words.get("id");
if (known !== null) {
  game = new ServerGame(id, null, { show, gone, lost });
  setup.element.open = false;
  chosen = true;
  await act(() => game.follow(known));
  if (state === null) await begin(setup.alone());
} else {
  await begin(setup.alone());
}
