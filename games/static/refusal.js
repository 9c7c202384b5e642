// The reason why no move may fill a cell, in the words of games/refusal.py. It knows no rules: stones, forbidden points
// and the signs of regions are those of a replay (games/replay.py).

import { mover } from "./sides.js";

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
  if (replay.legal.includes(move)) return "";
  if (geometry.drops[move]) return `column ${move} is full`;
  if (stones[index]) return `${name} is taken`;
  const point = (replay.forbidden[ply] ?? []).find((one) => one.cell === index);
  if (point) return `${name} is forbidden for ${geometry.sides[mover(replay, ply)]}: ${point.kind}`;
  return inRegion(geometry, replay.regions[ply] ?? "", index);
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
