// A game without cells as text: `replay.boards` has its drawing after each ply. It is shown like a Board, for a Replay.

import { el } from "./elements.js";

/** @import { Replay } from "./types.d.ts" */

export class TextBoard {
  /** @param {HTMLElement} element */
  constructor(element) {
    this.element = element;
    this.text = el("pre", { class: "board-text" });
    element.replaceChildren(this.text);
  }

  /**
   * Show a replay after `ply` moves, by default all.
   * @param {Replay} replay
   */
  show(replay, ply = replay.moves.length) {
    this.text.textContent = replay.boards?.[ply] ?? "";
  }
}
