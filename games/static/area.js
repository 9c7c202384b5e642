// What a board of Go shows beside its stones: those that were taken, the points of both sides at the end, a pass.

import { svg } from "./elements.js";
import { mover } from "./sides.js";

/** @import { Geometry, Replay } from "./types.d.ts" */

const PASS = "pass"; // a move that changes no cell
const LINE = { height: 0.36, letter: 0.62 }; // of a board of 9 lines: in cells; the width of a letter by its height

/**
 * The stones that each side has lost after `ply` moves. That of a suicide is one: its cell is empty before and after.
 * @param {Replay} replay
 * @param {number} ply
 */
export function lostStones(replay, ply) {
  if (replay.lost) return replay.lost;
  const now = [...replay.stones], found = [0, 0];
  replay.changes.slice(0, ply).forEach((changes, at) => {
    for (const [cell, piece] of changes) {
      if (!piece) found[now[cell] ? now[cell] - 1 : mover(replay, at)] += 1;
      now[cell] = piece;
    }
  });
  return found;
}

/**
 * The stones that each side has taken, in words.
 * @param {Geometry} geometry
 * @param {Replay} replay
 * @param {number} ply
 */
export function takenText(geometry, replay, ply) {
  const [first, second] = lostStones(replay, ply);
  return `captured by ${shortName(geometry, 0)}: ${second}, by ${shortName(geometry, 1)}: ${first}`;
}

/**
 * The points of both sides at the end: a small square of the colour of its owner on each.
 * @param {Geometry} geometry
 * @param {Replay} replay
 */
export function areaMarks({ cells }, { area = "" }) {
  return cells.flatMap(({ x, y }, index) => Number(area[index] ?? 0)
    ? [svg("rect", { class: `owned owned${area[index]}`, x: x - 0.14, y: y - 0.14, width: 0.28, height: 0.28 })] : []);
}

/**
 * A pass, in words on the board; nothing if the last move was none.
 * @param {Geometry} geometry
 * @param {Replay} replay
 * @param {number} ply
 */
export function passMark(geometry, replay, ply) {
  if (replay.moves[ply - 1] !== PASS) return [];
  const words = `${shortName(geometry, mover(replay, ply - 1))} passes`, size = LINE.height * geometry.width / 9;
  const width = (LINE.letter * words.length + 1.2) * size;
  const place = `translate(${geometry.width / 2} 0)`; // on the upper rim: it hides no point
  return [svg("g", { class: "pass", transform: place },
    svg("rect", { x: -width / 2, y: -size * 0.8, width, height: 1.6 * size, rx: 0.4 * size }),
    svg("text", { "font-size": `${size}px` }, words))];
}

/**
 * The name of a side without its sign: `Black`, not `Black (X)`.
 * @param {Geometry} geometry
 * @param {number} side
 */
function shortName({ sides }, side) {
  return sides[side].replace(/ \(.\)$/, "");
}
