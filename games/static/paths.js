// Paths of SVG.

/**
 * A number as short text.
 * @param {number} number
 */
export function short(number) {
  return String(Math.round(number * 1000) / 1000);
}

/**
 * The data of a path through points [x, y].
 * @param {number[][]} points
 */
export function path(points, closed = false) {
  return `M${points.map(([x, y]) => `${short(x)} ${short(y)}`).join("L")}${closed ? "Z" : ""}`;
}
