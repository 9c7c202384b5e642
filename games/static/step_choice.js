// The choice of a step on a board: first a piece, then the cell to which it goes; where several moves lead there, as a
// promotion does, a row of buttons.

import { el, svg } from "./elements.js";
import { stepRefusal } from "./refusal.js";
import { mover } from "./sides.js";
import { stepOf } from "./steps.js";
import { stoneOf } from "./stones.js";

/** @import { Geometry, Replay } from "./types.d.ts" */

/** What a choice of a cell comes to. @typedef {{ moves?: string[], why?: string }} Choice */

export class StepChoice {
  /** @param {Geometry} geometry */
  constructor(geometry) {
    this.geometry = geometry;
    /** The cell of the chosen piece. @type {number | null} */
    this.from = null;
    /** Moves by the cell of the piece and the next one. @type {Map<number, Map<number, string[]>>} */
    this.moves = new Map();
  }

  /**
   * Take the legal moves of a position; no piece is chosen then.
   * @param {Iterable<string>} legal
   */
  begin(legal) {
    this.from = null;
    this.moves = new Map();
    for (const move of legal) {
      const step = stepOf(this.geometry, move);
      if (step === null) continue;
      const targets = this.moves.get(step.from) ?? new Map();
      this.moves.set(step.from, targets.set(step.to, [...targets.get(step.to) ?? [], move]));
    }
  }

  /** @param {number} index */
  isPiece(index) {
    return this.moves.has(index);
  }

  /** @param {number} index */
  isTarget(index) {
    return this.from !== null && this.moves.get(this.from)?.has(index) === true;
  }

  /**
   * Choose a cell: the moves from the chosen piece to it, or else another piece is chosen, or the reason why not.
   * @param {Replay} replay
   * @param {number[]} stones
   * @param {number} index
   * @returns {Choice}
   */
  choose(replay, stones, index) {
    const from = this.from;
    if (from !== null && this.isTarget(index)) return { moves: this.moves.get(from)?.get(index) };
    if (from === null || this.isPiece(index)) {
      this.from = from !== index && this.isPiece(index) ? index : null;
      return {};
    }
    return { why: stepRefusal(this.geometry, replay, stones, from, index) };
  }
}

/**
 * A row of buttons for moves that differ in the new piece alone; `pick` takes one, `leave` is called by Escape.
 * @param {Geometry} geometry
 * @param {Replay} replay
 * @param {string[]} moves
 * @param {{ pick: (move: string) => void, leave: () => void }} calls
 */
export function promotions(geometry, replay, moves, { pick, leave }) {
  const side = mover(replay, replay.moves.length);
  const buttons = [...moves].reverse().map((move) => {
    const sign = stepOf(geometry, move)?.rest ?? "";
    const piece = geometry.pieces.findIndex((one) => one.side === side && one.sign.toLowerCase() === sign.toLowerCase());
    const shown = piece < 0 ? sign : svg("svg", { viewBox: "-.5 -.5 1 1", "aria-hidden": "true", class: "board" }, ...stoneOf(geometry, piece + 1));
    return el("button", { type: "button", "data-move": move, "aria-label": geometry.pieces[piece]?.name ?? sign, onclick: () => pick(move) }, shown);
  });
  const onkeydown = (/** @type {KeyboardEvent} */ event) => {
    const place = buttons.indexOf(/** @type {HTMLButtonElement} */ (event.target));
    const next = { ArrowRight: 1, ArrowLeft: -1 }[event.key] ?? 0;
    if (event.key === "Escape") leave();
    else if (next) buttons[(place + next + buttons.length) % buttons.length].focus();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return el("div", { class: "board-promotion", role: "group", "aria-label": "New piece", onkeydown }, buttons);
}
