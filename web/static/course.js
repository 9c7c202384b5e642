// The ratings over the finished games: a line for each player, the leading ones in colours.
import { el, svg } from "./dom.js";
import { number } from "./format.js";

/**
 * @import { RunModel } from "./run_model.js"
 * @import { CourseRow } from "./page_types.d.ts"
 */

/**
 * The ends of both axes.
 * @typedef {{ x: number[], y: number[] }} Scale
 */

/**
 * The name of a player at the end of its line; `y` is null if it has no rating.
 * @typedef {{ place: number, rank: number, y: number | null }} Name
 */

const WIDE = 640;
const HIGH = 400;
const [LEFT, RIGHT, TOP, BOTTOM] = [46, 140, 10, 32];
const COLOURED = 6;

export class Course {
  constructor() {
    this.shown = "";
    this.picture = svg("svg", { viewBox: `0 0 ${WIDE} ${HIGH}`, class: "course", role: "img", "aria-label": "Ratings over the finished games" });
    this.none = el("p", { class: "muted" }, "The first ranking comes after ten games.");
    this.element = el("section", { id: "course" }, el("h2", null, "Ratings over the games"), this.none, this.picture);
  }

  /** @param {RunModel} state */
  show(state) {
    const rows = withLast(state);
    this.none.hidden = rows.length > 0;
    this.picture.toggleAttribute("hidden", rows.length === 0);
    const shown = `${state.seq} ${state.standings?.games}`;
    if (!rows.length || this.shown === shown) return;
    this.shown = shown;
    const values = rows.flatMap(([, elo]) => elo).filter((one) => typeof one === "number");
    const scale = { x: range([rows[0][0], lastRow(rows)[0]]), y: range([lowest(values), -lowest(values.map((one) => -one))]) };
    const { order } = state;
    const names = spread(order.slice(0, COLOURED).map((place, rank) => nameOf(rows, place, rank, scale)));
    const grey = order.slice(COLOURED).map((place) => line(rows, place, scale, "other", state.players[place]));
    const bright = order.slice(0, COLOURED).map((place, rank) => line(rows, place, scale, `own${rank}`, state.players[place])).reverse();
    const labels = names.filter(hasHeight).map(({ place, rank, y }) => svg("text", { x: WIDE - RIGHT + 8, y: (y + 4).toFixed(1), class: `name own${rank}` }, shortened(state.players[place])));
    this.picture.replaceChildren(...axes(scale), ...grey, ...bright, ...labels);
  }
}

/** @param {RunModel} state */
function withLast({ course, standings, players }) {
  const rows = [...course.rows];
  if (standings?.players.length && standings.games >= (rows.at(-1)?.[0] ?? 10)) {
    const elo = new Map(standings.players.map((player) => [player.name, player.elo]));
    rows.push([standings.games, players.map((name) => elo.get(name) ?? null)]);
  }
  return rows;
}

/**
 * Math.min, also of more values than a call takes arguments.
 * @param {number[]} values
 */
function lowest(values) {
  return values.reduce((low, one) => Math.min(low, one));
}

/** @param {number[]} ends */
function range([low, high]) {
  return high > low ? [low, high] : [low - 1, high + 1];
}

/**
 * @param {Scale} scale
 * @param {number} value
 */
function px({ x: [low, high] }, value) {
  return LEFT + ((value - low) / (high - low)) * (WIDE - LEFT - RIGHT);
}

/**
 * @param {Scale} scale
 * @param {number} value
 */
function py({ y: [low, high] }, value) {
  return HIGH - BOTTOM - ((value - low) / (high - low)) * (HIGH - TOP - BOTTOM);
}

/** @param {CourseRow[]} rows */
function lastRow(rows) {
  return rows[rows.length - 1];
}

/**
 * @param {CourseRow[]} rows
 * @param {number} place
 * @param {number} rank
 * @param {Scale} scale
 * @returns {Name}
 */
function nameOf(rows, place, rank, scale) {
  const last = lastRow(rows)[1][place] ?? null;
  return { place, rank, y: last === null ? null : py(scale, last) };
}

/**
 * @param {Name} name
 * @returns {name is Name & { y: number }}
 */
function hasHeight(name) {
  return name.y !== null;
}

/**
 * @param {CourseRow[]} rows
 * @param {number} place
 * @param {Scale} scale
 * @param {string} kind
 * @param {string} name
 */
function line(rows, place, scale, kind, name) {
  const spots = rows.flatMap(([games, elo]) => {
    const one = elo[place] ?? null;
    return one === null ? [] : [`${px(scale, games).toFixed(1)} ${py(scale, one).toFixed(1)}`];
  });
  return svg("path", { d: spots.length ? `M${spots.join("L")}` : "", class: `line ${kind}` }, svg("title", null, name));
}

/**
 * Move labels apart that would overlap.
 * @param {Name[]} labels
 */
function spread(labels) {
  const known = labels.filter(hasHeight).sort((a, b) => a.y - b.y);
  for (let place = 1; place < known.length; place += 1) known[place].y = Math.max(known[place].y, known[place - 1].y + 14);
  let floor = HIGH - BOTTOM;
  for (const one of known.reverse()) {
    one.y = Math.min(one.y, floor);
    floor = one.y - 14;
  }
  return labels;
}

/**
 * @param {number[]} ends
 * @param {number} about
 */
function ticks([low, high], about) {
  const raw = (high - low) / about;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((one) => one >= raw) ?? 10 * power;
  const found = [];
  for (let value = Math.ceil(low / step) * step; value <= high; value += step) found.push(value);
  return found;
}

/** @param {Scale} scale */
function axes(scale) {
  const across = ticks(scale.y, 6).map((value) => [
    svg("line", { x1: LEFT, x2: WIDE - RIGHT, y1: py(scale, value), y2: py(scale, value), class: "grid" }),
    svg("text", { x: LEFT - 6, y: py(scale, value) + 4, "text-anchor": "end", class: "muted" }, number(value)),
  ]);
  const along = ticks(scale.x, 6).filter(Number.isInteger).map((value) => svg("text", { x: px(scale, value), y: HIGH - BOTTOM + 16, "text-anchor": "middle", class: "muted" }, String(value)));
  const title = svg("text", { x: (LEFT + WIDE - RIGHT) / 2, y: HIGH - 2, "text-anchor": "middle", class: "muted" }, "games");
  return [...across.flat(), ...along, title];
}

/** @param {string} name */
function shortened(name) {
  const signs = [...name];
  return signs.length <= 15 ? name : `${signs.slice(0, 7).join("")}…${signs.slice(-7).join("")}`;
}
