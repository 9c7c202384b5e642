// Views of a board: where its places (x, y, layer) are on the picture. Lengths count in cells.

/** @import { Box, Geometry, Label, View } from "./types.d.ts" */

const GAP = 1.2;
const TRAY = { lean: 0.42, flat: 0.62, step: 0.75 };
// At first no cell hides the middle of another one.
const TURN = { step: 1.3, yaw: -28, tilt: 18, most: 45, eye: 14 };
const DEGREE = Math.PI / 180;

/** Layers side by side, `across` in a row; the view of every board of one layer. */
export class Flat {
  /**
   * @param {Geometry} geometry
   * @param {number} [across]
   * @param {boolean} [turned] Whether the second player sits below.
   */
  constructor(geometry, across = geometry.layers, turned = false) {
    this.geometry = geometry;
    this.turned = turned;
    this.across = Math.min(across, geometry.layers);
  }

  /**
   * Return x, y, the size of a cell and its nearness, from 0 to 1.
   * @param {number} x
   * @param {number} y
   * @param {number} layer
   * @returns {[number, number, number, number]}
   */
  project(x, y, layer) {
    const { width, height } = this.geometry;
    const column = layer % this.across, row = Math.floor(layer / this.across);
    if (this.turned) [x, y] = [width - x, height - y];
    return [x + column * (width + GAP), y + row * (height + GAP + 0.5), 1, 1];
  }

  /**
   * Return the labels: text and place.
   * @returns {Label[]}
   */
  labels() {
    return everyLayer(this.geometry, (layer) => [
      ...edges(this.geometry, layer, this.turned),
      ...(this.geometry.layers > 1 ? [label(`layer ${layer + 1}`, this.geometry.width / 2, -0.45, layer)] : []),
    ]);
  }
}

/** Transparent trays, one above the other; layer 1 is the lowest. */
export class Trays {
  /** @param {Geometry} geometry */
  constructor(geometry) {
    this.geometry = geometry;
  }

  /**
   * @param {number} x
   * @param {number} y
   * @param {number} layer
   * @returns {[number, number, number, number]}
   */
  project(x, y, layer) {
    const { height, layers } = this.geometry;
    const up = layers - 1 - layer;
    return [x + (height - y) * TRAY.lean, y * TRAY.flat + up * (height * TRAY.flat + TRAY.step), 0.82, 1];
  }

  /** @returns {Label[]} */
  labels() {
    const { width, height } = this.geometry;
    return everyLayer(this.geometry, (layer) => [
      ...edges(this.geometry, layer),
      label(`layer ${layer + 1}`, width + 1, height / 2, layer),
    ]);
  }
}

/** A stack in space, which turns up to 45 degrees to each side. */
export class Turned {
  /** @param {Geometry} geometry */
  constructor(geometry) {
    this.geometry = geometry;
    this.yaw = 0;
    this.tilt = 0;
  }

  reset() {
    this.yaw = 0;
    this.tilt = 0;
  }

  /**
   * Turn by degrees to the right and downwards.
   * @param {number} right
   * @param {number} down
   */
  turn(right, down) {
    const clamp = (/** @type {number} */ angle) => Math.max(-TURN.most, Math.min(TURN.most, angle));
    this.yaw = clamp(this.yaw + right);
    this.tilt = clamp(this.tilt + down);
  }

  /**
   * @param {number} x
   * @param {number} y
   * @param {number} layer
   * @returns {[number, number, number, number]}
   */
  project(x, y, layer) {
    const { width, height, layers } = this.geometry;
    const [right, away, up] = [x - width / 2, height / 2 - y, (layer - (layers - 1) / 2) * TURN.step];
    const yaw = (TURN.yaw + this.yaw) * DEGREE, tilt = (TURN.tilt + this.tilt) * DEGREE;
    const across = right * Math.cos(yaw) + away * Math.sin(yaw);
    const inward = away * Math.cos(yaw) - right * Math.sin(yaw);
    const depth = inward * Math.cos(tilt) - up * Math.sin(tilt);
    const height2d = inward * Math.sin(tilt) + up * Math.cos(tilt);
    const size = TURN.eye / (TURN.eye + depth);
    const reach = width / 2 + TURN.step;
    return [1.45 * across * size, -1.45 * height2d * size, size, Math.max(0, Math.min(1, 0.5 - depth / (2 * reach)))];
  }

  /** @returns {Label[]} */
  labels() {
    const { width, height, layers } = this.geometry;
    const numbers = Array.from({ length: layers }, (_, layer) => label(String(layer + 1), width + 0.2, height + 0.2, layer));
    return [...edges(this.geometry, 0), ...numbers];
  }
}

/**
 * Return the views of a board by name, the first one by default.
 * @param {Geometry} geometry
 * @param {number} across
 * @param {boolean} [turned] Of a flat board, whether the second player sits below.
 * @returns {Record<string, View>}
 */
export function viewsOf(geometry, across, turned = false) {
  if (geometry.layers === 1) return { flat: new Flat(geometry, 1, turned) };
  return { layers: new Flat(geometry, across), trays: new Trays(geometry), turn: new Turned(geometry) };
}

/**
 * Return the box x, y, width, height around places [x, y].
 * @param {number[][]} places
 * @param {number} margin
 * @returns {Box}
 */
export function boxAround(places, margin) {
  const xs = places.map((place) => place[0]), ys = places.map((place) => place[1]);
  const [left, top] = [Math.min(...xs) - margin, Math.min(...ys) - margin];
  return [left, top, Math.max(...xs) + margin - left, Math.max(...ys) + margin - top];
}

/**
 * @param {Geometry} geometry
 * @param {(layer: number) => Label[]} labels
 */
function everyLayer(geometry, labels) {
  return Array.from({ length: geometry.layers }, (_, layer) => labels(layer)).flat();
}

/**
 * The letters and numbers below and on the left, of a turned board, too.
 * @param {Geometry} geometry
 * @param {number} layer
 * @param {boolean} [turned]
 * @returns {Label[]}
 */
function edges(geometry, layer, turned = false) {
  const { columns, rows, width, height } = geometry;
  const [below, left] = turned ? [-0.38, width + 0.38] : [height + 0.38, -0.38];
  return [
    ...columns.map((name, column) => label(name, column + 0.5, below, layer)),
    ...rows.map((name, row) => label(name, left, row + 0.5, layer)),
  ];
}

/**
 * @param {Label} parts
 * @returns {Label}
 */
function label(...parts) {
  return parts;
}
