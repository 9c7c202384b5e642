// The replay of a game beside its board: buttons, keys, the list of moves, the scores of both sides.
// Every step is local: the replay of games/replay.py has all positions.
//
//   const control = new Replay(element, board, { names: ["ann", "bob"], permalink: "#" });
//   control.update(replay, scores);   // again for each move of a running game

import { el } from "./elements.js";
import { ScoreGraph } from "./scores.js";
import { mover } from "./sides.js";

/**
 * @import { Replay as Game, Score } from "./types.d.ts"
 * @import { Board } from "./board.js"
 * @import { TextBoard } from "./text_board.js"
 */

/** @type {Record<string, number>} */
const KEYS = { ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity };
/** @type {[string, string, number][]} */
const BUTTONS = [["«", "first position", -Infinity], ["‹", "back", -1], ["›", "forward", 1], ["»", "last position", Infinity]];

export class Replay {
  /**
   * `names` are those of the players; with `permalink` the fragment of the address is this text and the ply: `#12`.
   * @param {HTMLElement} element
   * @param {Board | TextBoard} board
   * @param {{ names: string[], permalink?: string }} options
   */
  constructor(element, board, { names, permalink = "" }) {
    this.board = board;
    this.permalink = permalink;
    /** @type {Game | null} */
    this.replay = null;
    this.ply = 0;
    this.buttons = BUTTONS.map(([sign, title, step]) =>
      el("button", { type: "button", "aria-label": title, title, onclick: () => this.step(step) }, sign));
    this.state = el("p", { class: "replay-state", "aria-live": "polite" });
    this.list = el("ol", { class: "replay-moves" });
    this.graph = new ScoreGraph(names, (ply) => this.go(ply));
    element.classList.add("replay");
    element.replaceChildren(el("div", { class: "replay-buttons" }, this.buttons), this.state, this.graph.element, this.list);
    this.end = new AbortController();
    document.addEventListener("keydown", (event) => this.#key(event), { signal: this.end.signal });
    if (permalink) addEventListener("hashchange", () => this.#follow(), { signal: this.end.signal });
  }

  /**
   * Show a replay; at its end, or for the first time, its last ply or that of the address.
   * @param {Game} replay
   * @param {Score[]} [scores]
   */
  update(replay, scores = []) {
    const atEnd = this.replay === null || this.ply === this.replay.moves.length;
    const first = this.replay === null;
    this.replay = replay;
    this.#listMoves(replay);
    this.graph.show(scores, replay.moves.length);
    const wanted = first ? this.#addressed() : null;
    this.#show(replay, wanted ?? (atEnd ? replay.moves.length : this.ply));
  }

  /** Take no more keys. */
  close() {
    this.end.abort();
  }

  /**
   * Go by a number of plies, or to an end.
   * @param {number} plies
   */
  step(plies) {
    this.go(this.ply + plies);
  }

  /**
   * Go to a ply.
   * @param {number} ply
   */
  go(ply) {
    if (this.replay === null) return;
    this.#show(this.replay, ply);
    if (this.permalink) history.replaceState(null, "", this.permalink + this.ply);
  }

  #follow() {
    const ply = this.#addressed();
    if (ply !== null && this.replay !== null) this.#show(this.replay, ply);
  }

  /** The ply in the address; null if it has none. */
  #addressed() {
    const { hash } = location;
    if (!this.permalink || !hash.startsWith(this.permalink)) return null;
    const rest = hash.slice(this.permalink.length);
    return /^\d+$/.test(rest) ? Number(rest) : null;
  }

  /**
   * @param {Game} replay
   * @param {number} ply
   */
  #show(replay, ply) {
    const { moves, text } = replay;
    this.ply = Math.max(0, Math.min(ply, moves.length));
    this.board.show(replay, this.ply);
    this.graph.point(this.ply);
    const last = this.ply ? ` ${replay.names?.[this.ply - 1] ?? moves[this.ply - 1]}` : "";
    const end = this.ply === moves.length ? `. ${text}` : "";
    this.state.textContent = `Ply ${this.ply} of ${moves.length}${last}${end}`;
    for (const button of this.list.querySelectorAll("button")) {
      const current = Number(button.dataset.ply) === this.ply;
      if (current) button.setAttribute("aria-current", "step");
      else button.removeAttribute("aria-current");
      if (current) scrollTo(this.list, button);
    }
    this.buttons.slice(0, 2).forEach((button) => { button.disabled = this.ply === 0; });
    this.buttons.slice(2).forEach((button) => { button.disabled = this.ply === moves.length; });
  }

  /** @param {Game} replay */
  #listMoves(replay) {
    /** @type {Node[][]} */
    const rows = []; // of both sides; a side that moves again begins a row
    replay.moves.forEach((move, place) => {
      const button = this.#move(replay.names?.[place] ?? move, place), side = mover(replay, place), last = rows[rows.length - 1];
      if (side && last?.length === 1) last.push(button);
      else rows.push(side ? [skipped(), button] : [button]);
    });
    for (const row of rows.slice(0, -1)) if (row.length < 2) row.push(skipped());
    this.list.replaceChildren(...rows.map((row) => el("li", {}, row)));
  }

  /**
   * @param {string} move
   * @param {number} place
   */
  #move(move, place) {
    return el("button", { type: "button", "data-ply": place + 1, onclick: () => this.go(place + 1) }, move);
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const takesKeys = /** @type {Element} */ (event.target).closest?.("input, select, textarea, [data-cell], [contenteditable]");
    if (!(event.key in KEYS) || takesKeys || scrolls(event) || event.ctrlKey || event.altKey || event.metaKey) return;
    if (this.board.element.offsetParent === null) return; // not on the screen
    event.preventDefault();
    this.step(KEYS[event.key]);
  }
}

/**
 * Whether an arrow key moves a text to the side that is wider than its box.
 * @param {KeyboardEvent} event
 */
function scrolls({ key, target }) {
  const text = /** @type {Element} */ (target).closest?.("pre");
  return Boolean(text && key.startsWith("Arrow") && text.scrollWidth > text.clientWidth);
}

function skipped() {
  return el("span", {}, "…");
}

/**
 * @param {HTMLElement} list
 * @param {HTMLElement} item
 */
function scrollTo(list, item) {
  const top = item.offsetTop - list.offsetTop;
  if (top < list.scrollTop || top > list.scrollTop + list.clientHeight - item.offsetHeight) {
    list.scrollTop = top - list.clientHeight / 2;
  }
}
