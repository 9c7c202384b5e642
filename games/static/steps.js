// Moves of a piece from a cell to another one, whose names begin with both, as e2e4 and e7e8q do.

import { svg } from "./elements.js";
import { path } from "./paths.js";

/** @import { Geometry, Replay } from "./types.d.ts" */

/** The cells of a step, and the rest of its name, as the letter of a promotion. @typedef {{ from: number, to: number, rest: string }} Step */

const NAME = /^([a-z]\d{1,2})([a-z]\d{1,2})(?!\d)(.*)$/;
const HEAD = { long: 0.34, half: 0.24, shaft: 0.085, gap: 0.12 }; // in cells

/**
 * The step of a move; null if its name has no two cells, or the game has no steps.
 * @param {Geometry} geometry
 * @param {string} move
 * @returns {Step | null}
 */
export function stepOf({ steps, cells }, move) {
  const found = steps ? NAME.exec(move) : null;
  if (found === null) return null;
  const [from, to] = [found[1], found[2]].map((name) => cells.findIndex((cell) => cell.name === name));
  return from < 0 || to < 0 ? null : { from, to, rest: found[3] };
}

/**
 * The cells of the last step after `ply` moves: the piece comes to stand on the first cell that the move changed.
 * @param {Geometry} geometry
 * @param {Replay} replay
 * @param {number} ply
 * @returns {Step | null}
 */
export function lastStep(geometry, { moves, changes }, ply) {
  const step = ply ? stepOf(geometry, moves[ply - 1]) : null;
  return step && { ...step, to: changes[ply - 1]?.[0]?.[0] ?? step.to };
}

/**
 * An arrow between two places.
 * @param {number[]} from
 * @param {number[]} to
 */
export function arrow([x1, y1], [x2, y2]) {
  const length = Math.hypot(x2 - x1, y2 - y1) || 1;
  const [right, down] = [(x2 - x1) / length, (y2 - y1) / length];
  const at = (/** @type {number} */ along, /** @type {number} */ aside) => [x1 + along * right - aside * down, y1 + along * down + aside * right];
  const neck = length - HEAD.long;
  const points = [at(HEAD.gap, -HEAD.shaft), at(neck, -HEAD.shaft), at(neck, -HEAD.half), at(length, 0), at(neck, HEAD.half), at(neck, HEAD.shaft), at(HEAD.gap, HEAD.shaft)];
  return svg("path", { class: "arrow", d: path(points, true) });
}
