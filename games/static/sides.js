// The side to move in a replay (games/replay.py).

/** @import { Replay } from "./types.d.ts" */

/**
 * The side to move after `ply` moves, 0 or 1.
 * @param {Pick<Replay, "first" | "sides">} replay
 * @param {number} ply
 */
export function mover({ first, sides }, ply) {
  return sides ? Number(sides[ply]) : (first + ply) % 2;
}
