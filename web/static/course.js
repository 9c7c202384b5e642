// The ratings over the finished games: a line for each player, the leading ones in colours.
import { el, svg } from "./dom.js";
import { number } from "./format.js";

const WIDE = 640;
const HIGH = 400;
const [LEFT, RIGHT, TOP, BOTTOM] = [46, 140, 10, 32];
const COLOURED = 6;

export class Course {
  constructor() {
    this.picture = svg("svg", { viewBox: `0 0 ${WIDE} ${HIGH}`, class: "course", role: "img", "aria-label": "Ratings over the finished games" });
    this.none = el("p", { class: "muted" }, "The first ranking comes after ten games.");
    this.element = el("section", { id: "course" }, el("h2", null, "Ratings over the games"), this.none, this.picture);
  }

  show(state) {
    const rows = withLast(state);
    this.none.hidden = rows.length > 0;
    this.picture.toggleAttribute("hidden", rows.length === 0);
    const shown = `${state.seq} ${state.standings?.games}`;
    if (!rows.length || this.shown === shown) return;
    this.shown = shown;
    const values = rows.flatMap(([, elo]) => elo).filter((one) => one !== null && one !== undefined);
    const scale = { x: range([rows[0][0], rows.at(-1)[0]]), y: range([lowest(values), -lowest(values.map((one) => -one))]) };
    const { order } = state;
    const names = spread(order.slice(0, COLOURED).map((place, rank) => ({ place, rank, y: py(scale, lastOf(rows, place)) })));
    const grey = order.slice(COLOURED).map((place) => line(rows, place, scale, "other", state.players[place]));
    const bright = order.slice(0, COLOURED).map((place, rank) => line(rows, place, scale, `own${rank}`, state.players[place])).reverse();
    const labels = names.filter(({ y }) => y !== null).map(({ place, rank, y }) => svg("text", { x: WIDE - RIGHT + 8, y: (y + 4).toFixed(1), class: `name own${rank}` }, shortened(state.players[place])));
    this.picture.replaceChildren(...axes(scale), ...grey, ...bright, ...labels);
  }
}

function withLast({ course, standings, players }) {
  const rows = [...course.rows];
  if (standings?.players.length && standings.games >= (rows.at(-1)?.[0] ?? 10)) {
    const elo = new Map(standings.players.map((player) => [player.name, player.elo]));
    rows.push([standings.games, players.map((name) => elo.get(name) ?? null)]);
  }
  return rows;
}

/** Math.min, also of more values than a call takes arguments. */
function lowest(values) {
  return values.reduce((low, one) => Math.min(low, one));
}

function range([low, high]) {
  return high > low ? [low, high] : [low - 1, high + 1];
}

const px = ({ x: [low, high] }, value) => LEFT + ((value - low) / (high - low)) * (WIDE - LEFT - RIGHT);
const py = ({ y: [low, high] }, value) => (value === null ? null : HIGH - BOTTOM - ((value - low) / (high - low)) * (HIGH - TOP - BOTTOM));

function lastOf(rows, place) {
  return rows.at(-1)[1][place] ?? null;
}

function line(rows, place, scale, kind, name) {
  const spots = rows.filter(([, elo]) => elo[place] !== null && elo[place] !== undefined).map(([games, elo]) => `${px(scale, games).toFixed(1)} ${py(scale, elo[place]).toFixed(1)}`);
  return svg("path", { d: spots.length ? `M${spots.join("L")}` : "", class: `line ${kind}` }, svg("title", null, name));
}

/** Move labels apart that would overlap. */
function spread(labels) {
  const known = labels.filter(({ y }) => y !== null).sort((a, b) => a.y - b.y);
  for (let place = 1; place < known.length; place += 1) known[place].y = Math.max(known[place].y, known[place - 1].y + 14);
  let floor = HIGH - BOTTOM;
  for (const one of known.reverse()) {
    one.y = Math.min(one.y, floor);
    floor = one.y - 14;
  }
  return labels;
}

function ticks([low, high], about) {
  const raw = (high - low) / about;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((one) => one >= raw);
  const found = [];
  for (let value = Math.ceil(low / step) * step; value <= high; value += step) found.push(value);
  return found;
}

function axes(scale) {
  const across = ticks(scale.y, 6).map((value) => [
    svg("line", { x1: LEFT, x2: WIDE - RIGHT, y1: py(scale, value), y2: py(scale, value), class: "grid" }),
    svg("text", { x: LEFT - 6, y: py(scale, value) + 4, "text-anchor": "end", class: "muted" }, number(value)),
  ]);
  const along = ticks(scale.x, 6).filter(Number.isInteger).map((value) => svg("text", { x: px(scale, value), y: HIGH - BOTTOM + 16, "text-anchor": "middle", class: "muted" }, String(value)));
  const title = svg("text", { x: (LEFT + WIDE - RIGHT) / 2, y: HIGH - 2, "text-anchor": "middle", class: "muted" }, "games");
  return [...across.flat(), ...along, title];
}

function shortened(name) {
  const signs = [...name];
  return signs.length <= 15 ? name : `${signs.slice(0, 7).join("")}…${signs.slice(-7).join("")}`;
}
