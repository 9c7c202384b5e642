// The meeting graph: a line for each pair fills up with its games; the colour of a disc is its rating.
import { el, svg } from "./dom.js";
import { counted, number } from "./format.js";

/** @import { RunModel } from "./run_model.js" */

/** @typedef {{ group: SVGGElement, title: SVGTitleElement, played: SVGLineElement, text: string }} Edge */

const SIZE = 700;
const HIGH = 500;
const MIDDLE = SIZE / 2;
const NAMED = 40; // most players with their names
const COLOURS = [[109, 93, 178], [52, 131, 196], [42, 166, 142], [120, 184, 74], [233, 178, 36]]; // support/drawing/palette.py, RATINGS

export class MeetingGraph {
  constructor() {
    this.lines = svg("g");
    this.discs = svg("g");
    this.picture = svg("svg", { viewBox: `0 0 ${SIZE} ${HIGH}`, class: "graph", role: "img", "aria-label": "Meeting graph" }, this.lines, this.discs);
    this.element = el("section", { id: "graph" }, el("h2", null, "Meeting graph"), this.picture, el("p", { class: "muted small" }, "A line for each pair of the plan; it fills up with the finished games. The lighter a disc, the higher the rating."));
    this.drawn = "";
    /** @type {Map<number, Edge>} */
    this.edges = new Map();
    /** @type {[number, number, number][]} */
    this.spots = []; // x, y, angle
    /** @type {{ disc: SVGCircleElement, title: SVGTitleElement }[]} */
    this.circles = [];
  }

  /** @param {RunModel} state */
  show(state) {
    if (this.drawn !== state.id) this.#build(state);
    const planned = new Map(state.plan.map(([a, b, games]) => [state.key(a, b), games]));
    for (const key of state.counts.keys()) if (!planned.has(key)) planned.set(key, 0);
    for (const [key, games] of planned) this.#line(state, key, games);
    for (const [key, line] of this.edges) if (!planned.has(key)) this.#remove(key, line);
    this.#colour(state);
  }

  /** @param {RunModel} state */
  #build(state) {
    this.drawn = state.id;
    this.edges = new Map();
    const count = state.players.length;
    const isNamed = count <= NAMED;
    const radius = HIGH / 2 - (isNamed ? 40 : 10);
    this.spots = state.players.map((_, place) => {
      const angle = (2 * Math.PI * place) / count - Math.PI / 2;
      return [MIDDLE + radius * Math.cos(angle), HIGH / 2 + radius * Math.sin(angle), angle];
    });
    this.lines.replaceChildren();
    this.circles = this.spots.map(([x, y], place) => {
      const title = svg("title", null, state.players[place]);
      return { title, disc: svg("circle", { cx: x.toFixed(1), cy: y.toFixed(1), r: isNamed ? 9 : 5, class: "disc" }, title) };
    });
    const names = isNamed ? this.spots.map(([x, y, angle], place) => label(state.players[place], x, y, angle)) : [];
    this.discs.replaceChildren(...this.circles.map(({ disc }) => disc), ...names);
  }

  /**
   * @param {RunModel} state
   * @param {number} key
   * @param {number} games
   */
  #line(state, key, games) {
    const a = Math.floor(key / state.players.length);
    const b = key % state.players.length;
    const counts = state.counts.get(key) ?? [0, 0, 0];
    const played = counts[0] + counts[1] + counts[2];
    let edge = this.edges.get(key);
    if (!edge) {
      const ends = { x1: this.spots[a][0].toFixed(1), y1: this.spots[a][1].toFixed(1), x2: this.spots[b][0].toFixed(1), y2: this.spots[b][1].toFixed(1) };
      const title = svg("title");
      const played = svg("line", { ...ends, class: "played", pathLength: 1 });
      edge = { group: svg("g", null, title, svg("line", { ...ends, class: "planned" }), played), title, played, text: "" };
      this.lines.append(edge.group);
      this.edges.set(key, edge);
    }
    const text = `${state.players[a]} – ${state.players[b]}: ${played} of ${counted(Math.max(games, played), "game")}`;
    if (edge.text === text) return;
    edge.text = edge.title.textContent = text;
    edge.played.setAttribute("stroke-dasharray", `${games ? Math.min(1, played / games) : 1} 2`);
    edge.played.classList.toggle("none", played === 0);
  }

  /**
   * @param {number} key
   * @param {Edge} edge
   */
  #remove(key, edge) {
    edge.group.remove();
    this.edges.delete(key);
  }

  /** @param {RunModel} state */
  #colour(state) {
    const { ratings } = state;
    const known = ratings.map((one) => one?.elo).filter((elo) => typeof elo === "number");
    const low = Math.min(...known);
    const wide = Math.max(1, Math.max(...known) - low);
    this.circles.forEach(({ disc, title }, place) => {
      const elo = ratings[place]?.elo ?? null;
      disc.setAttribute("fill", elo === null ? "#888" : mixed((elo - low) / wide));
      title.textContent = elo === null ? state.players[place] : `${state.players[place]}: ${number(elo)} Elo`;
    });
  }
}

/**
 * @param {string} name
 * @param {number} x
 * @param {number} y
 * @param {number} angle
 */
function label(name, x, y, angle) {
  const right = Math.cos(angle) > -0.01;
  const text = svg("text", { x: (x + (right ? 14 : -14)).toFixed(1), y: (y + 4 + 8 * Math.sin(angle)).toFixed(1), "text-anchor": right ? "start" : "end" }, shortened(name));
  if (Math.abs(Math.cos(angle)) < 0.3) {
    text.setAttribute("text-anchor", "middle");
    text.setAttribute("x", x.toFixed(1));
    text.setAttribute("y", (y + (Math.sin(angle) > 0 ? 26 : -16)).toFixed(1));
  }
  return text;
}

/** @param {string} name */
function shortened(name) {
  const signs = [...name];
  return signs.length <= 16 ? name : `${signs.slice(0, 8).join("")}…${signs.slice(-7).join("")}`;
}

/** @param {number} share */
function mixed(share) {
  const at = Math.min(0.9999, Math.max(0, share)) * (COLOURS.length - 1);
  const step = Math.floor(at);
  const channel = (/** @type {number} */ which) => Math.round(COLOURS[step][which] + (at - step) * (COLOURS[step + 1][which] - COLOURS[step][which]));
  return `rgb(${channel(0)},${channel(1)},${channel(2)})`;
}
