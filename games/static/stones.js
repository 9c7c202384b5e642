// The pieces of a board as SVG, a cell long and around its middle: X and O, discs, drawn pieces, or their signs.

import { svg } from "./elements.js";

/** @import { Forbidden, Geometry } from "./types.d.ts" */

/**
 * The elements of a piece, by its place in `geometry.pieces`, from 1.
 * @param {Geometry} geometry
 * @param {number} stone
 */
export function stoneOf({ stones, pieces }, stone) {
  if (stones === "pieces") return pieceOf(pieces[stone - 1]);
  if (stones === "signs") return [crossOrRing(stone, "sign")];
  const ring = stone === 2 ? [svg("circle", { class: "ring", r: 0.27 })] : [];
  return [svg("circle", { class: `disc disc${stone}`, r: 0.42 }), ...ring];
}

/** @param {Geometry["pieces"][number]} piece */
function pieceOf({ shape, sign, side }) {
  if (!shape) return [svg("text", { class: `piece piece${side + 1}` }, sign)];
  const parts = [svg("path", { class: "body", d: shape.body }), svg("path", { class: "lines", d: shape.lines })];
  return [svg("g", { class: `shape shape${side + 1}`, transform: "scale(.01)" }, parts)];
}

/**
 * The mark of the last move on its piece.
 * @param {Geometry} geometry
 */
export function markOf({ stones }) {
  if (stones === "discs") return [svg("circle", { class: "dot", r: 0.12 })];
  return [svg("rect", { class: "box", x: -0.42, y: -0.42, width: 0.84, height: 0.84, rx: 0.1 })];
}

/**
 * X or O, of the size of a cell.
 * @param {number} stone
 * @param {string} kind
 */
export function crossOrRing(stone, kind) {
  if (stone === 2) return svg("circle", { class: `${kind} sign2`, r: 0.28 });
  return svg("path", { class: `${kind} sign1`, d: "M-.25-.25L.25.25M.25-.25L-.25.25" });
}

/** @param {Forbidden} point */
export function forbiddenSign({ sign, kind }) {
  return [
    svg("title", {}, `forbidden: ${kind}`),
    svg("path", { class: "cross", d: "M-.3-.3L.3.3M.3-.3L-.3.3" }),
    svg("text", { class: "kind", x: 0.14, y: -0.14 }, sign),
  ];
}
