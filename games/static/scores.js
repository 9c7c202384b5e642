// The scores that both sides gave during a game, as the first player sees them: 0 it loses, 1 it wins.

import { el, svg } from "./elements.js";
import { path } from "./paths.js";

/** @import { Score } from "./types.d.ts" */

const WIDTH = 320;
const HEIGHT = 84;
const EDGE = 4;
const DASH = 4;

export class ScoreGraph {
  /**
   * `go` takes the ply of a click.
   * @param {string[]} names
   * @param {(ply: number) => void} go
   */
  constructor(names, go) {
    this.plies = 0;
    this.svg = svg("svg", { class: "score-graph", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", role: "img" });
    this.svg.addEventListener("click", (event) => go(this.#plyAt(event)));
    this.cursor = svg("path", { class: "score-cursor" });
    this.lines = [1, 2].map((side) => svg("path", { class: `score-line score-line${side}` }));
    this.svg.append(svg("path", { class: "score-even", d: path([[0, HEIGHT / 2], [WIDTH, HEIGHT / 2]]) }), this.cursor, ...this.lines);
    const legend = this.legend = names.map((name, side) => el("span", { class: `score-key score-key${side + 1}` }, name));
    this.element = el("figure", { class: "scores" }, this.svg, el("figcaption", {}, "score for ", names[0], ", as seen by ", legend));
    this.element.hidden = true;
    this.svg.setAttribute("aria-label", `scores for ${names[0]}`);
  }

  /**
   * Show scores { ply, side, value }: the side 0 or 1 gave the value when it made the move of the ply, from 1.
   * @param {Score[]} scores
   * @param {number} plies
   */
  show(scores, plies) {
    this.plies = plies;
    this.element.hidden = scores.length === 0;
    this.lines.forEach((line, side) => {
      const points = scores.filter((one) => one.side === side).map((one) => [this.#x(one.ply), y(one.value)]);
      this.legend[side].hidden = points.length === 0;
      line.setAttribute("d", points.length ? path(points.length === 1 ? dash(points[0]) : points) : "");
    });
  }

  /**
   * Mark a ply.
   * @param {number} ply
   */
  point(ply) {
    this.cursor.setAttribute("d", path([[this.#x(ply), 0], [this.#x(ply), HEIGHT]]));
  }

  /** @param {number} ply */
  #x(ply) {
    return EDGE + ((WIDTH - 2 * EDGE) * ply) / Math.max(1, this.plies);
  }

  /** @param {MouseEvent} event */
  #plyAt(event) {
    const box = this.svg.getBoundingClientRect();
    const along = ((event.clientX - box.left) / box.width) * WIDTH;
    return Math.round(((along - EDGE) / (WIDTH - 2 * EDGE)) * this.plies);
  }
}

/**
 * A single point has no line: a short one shows it.
 * @param {number[]} point
 */
function dash([x, height]) {
  return [[x - DASH, height], [x + DASH, height]];
}

/** @param {number} value */
function y(value) {
  return EDGE + (1 - value) * (HEIGHT - 2 * EDGE);
}
