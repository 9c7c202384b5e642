// A game without cells as text: `replay.boards` has its drawing after each ply. It is shown like a Board, for a Replay.
// The letters are as large as the longest line and the highest drawing allow; what is larger still scrolls.

import { el } from "./elements.js";

/** @import { Replay } from "./types.d.ts" */

export class TextBoard {
  /** @param {HTMLElement} element */
  constructor(element) {
    this.element = element;
    /** @type {string[] | undefined} */
    this.boards = undefined;
    this.text = el("pre", { class: "board-text", tabindex: 0, role: "group", "aria-label": "position" });
    element.classList.add("board-box", "text");
    element.replaceChildren(this.text);
  }

  /**
   * Show a replay after `ply` moves, by default all.
   * @param {Replay} replay
   */
  show(replay, ply = replay.moves.length) {
    const boards = replay.boards ?? [];
    if (boards !== this.boards) this.#measure(boards);
    this.text.textContent = boards[ply] ?? "";
    this.text.dataset.ply = String(ply);
  }

  /** @param {string[]} boards */
  #measure(boards) {
    this.boards = boards;
    const drawn = boards.map((board) => board.split("\n"));
    const most = (/** @type {number[]} */ lengths) => String(lengths.reduce((one, other) => Math.max(one, other), 1));
    this.text.style.setProperty("--text-columns", most(drawn.flat().map((line) => [...line].length)));
    this.text.style.setProperty("--text-lines", most(drawn.map((lines) => lines.length)));
  }
}
