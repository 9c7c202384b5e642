// The reason why no move may fill a cell, in the words of games/refusal.py. It knows no rules: stones, forbidden points
// and the signs of regions are those of a replay (games/replay.py).

import { mover } from "./sides.js";
import { stepOf } from "./steps.js";

/** @import { Geometry, Replay } from "./types.d.ts" */

const AIM = "@"; // the sign of a region in which the next move may be

/**
 * The reason why the cell `index` is closed after the last ply; empty if it is open. `stones` are those after that ply:
 * 0 or the piece of every cell.
 * @param {Geometry} geometry
 * @param {Replay} replay
 * @param {number[]} stones
 * @param {number} index
 */
export function refusal(geometry, replay, stones, index) {
  const ply = replay.moves.length;
  const { name, move } = geometry.cells[index];
  if (replay.result !== "*") return "the game is over";
  if (geometry.steps) return ofPiece(geometry, replay, stones, index);
  if (replay.legal.includes(move)) return "";
  if (geometry.drops[move]) return `column ${move} is full`;
  if (stones[index]) return `${name} is taken`;
  const point = (replay.forbidden[ply] ?? []).find((one) => one.cell === index);
  if (point) return `${name} is forbidden for ${geometry.sides[mover(replay, ply)]}: ${point.kind}`;
  return inRegion(geometry, replay.regions[ply] ?? "", index);
}

/**
 * The reason why a piece may not go from a cell to another one; empty if it may.
 * @param {Geometry} geometry
 * @param {Replay} replay
 * @param {number[]} stones
 * @param {number} from
 * @param {number} to
 */
export function stepRefusal(geometry, replay, stones, from, to) {
  const [start, end] = [from, to].map((index) => geometry.cells[index].name);
  if (replay.result !== "*") return "the game is over";
  if (replay.legal.some((move) => isOf(geometry, move, from, to))) return "";
  const { name, side } = geometry.pieces[stones[from] - 1] ?? { name: "", side: 0 };
  if (name === "" || side !== mover(replay, replay.moves.length)) return ofPiece(geometry, replay, stones, from);
  return replay.refused?.[start + end] ?? `the ${name} on ${start} cannot go to ${end}`;
}

/**
 * The reason why no move begins on a cell; empty if one does.
 * @param {Geometry} geometry
 * @param {Replay} replay
 * @param {number[]} stones
 * @param {number} index
 */
function ofPiece(geometry, replay, stones, index) {
  const { name: cell } = geometry.cells[index], next = mover(replay, replay.moves.length);
  if (!stones[index]) return `${cell} is empty`;
  const { name, side } = geometry.pieces[stones[index] - 1];
  if (side !== next) return `the ${name} on ${cell} cannot move: ${geometry.sides[next]} is to move`;
  if (replay.legal.some((move) => isOf(geometry, move, index))) return "";
  const why = Object.entries(replay.refused ?? {}).find(([move]) => isOf(geometry, move, index))?.[1];
  return `the ${name} on ${cell} cannot move${why ? `: ${why}` : ""}`;
}

/**
 * Whether a move is a step from a cell, and to another one if that is given.
 * @param {Geometry} geometry
 * @param {string} move
 * @param {number} from
 * @param {number} [to]
 */
function isOf(geometry, move, from, to) {
  const step = stepOf(geometry, move);
  return step !== null && step.from === from && (to === undefined || step.to === to);
}

/**
 * @param {Geometry} geometry
 * @param {string} signs
 * @param {number} index
 */
function inRegion({ regions, sides }, signs, index) {
  const open = regions.filter((_, place) => signs[place] === AIM);
  if (open.length === 1) return `play on the ${open[0].place} board`;
  const place = regions.findIndex((region) => region.cells.includes(index));
  return place < 0 ? "" : `the ${regions[place].place} board is closed: ${sides[signs[place] === "O" ? 1 : 0]} has won it`;
}
