// Every pair: the score of the player of the row. A cell opens the page of its pair.
import { el, named } from "./dom.js";
import { counted, percent } from "./format.js";

/**
 * @import { RunModel } from "./run_model.js"
 * @import { Counts } from "./page_types.d.ts"
 */

const MOST_CELLS = 40; // players of a table; more of them are a picture
/** @type {Record<string, number[]>} */
const KEYS = {
  ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1],
  PageUp: [-10, 0], PageDown: [10, 0], Home: [0, -Infinity], End: [0, Infinity],
};
const HELP = "arrow keys, Page Up, Page Down, Home and End move, Enter opens a pair";
const DETAILED = 14; // players of a table with wins, draws and losses

export class Crosstable {
  /** @param {string} run */
  constructor(run) {
    this.run = run;
    this.box = el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Crosstable" });
    this.element = el("section", { id: "crosstable", class: "wide" }, el("h2", null, "Crosstable"), this.box, el("p", { class: "muted small" }, "The score of the row against the column; a cell opens the page of the pair."));
    /** @type {Map<number, [number, number, HTMLTableCellElement]>} */
    this.cells = new Map();
    this.order = "";
    /** @type {Mosaic | null} */
    this.mosaic = null;
  }

  /** @param {RunModel} state */
  show(state) {
    const { order } = state;
    if (state.players.length > MOST_CELLS) {
      this.mosaic ??= new Mosaic(this.run, this.box);
      this.mosaic.show(state);
      return;
    }
    if (this.order !== order.join()) this.#build(state, order);
    for (const [a, b, cell] of this.cells.values()) fill(cell, state, a, b);
  }

  /**
   * @param {RunModel} state
   * @param {number[]} order
   */
  #build(state, order) {
    this.order = order.join();
    this.cells.clear();
    const heads = order.map((place, rank) => el("th", { scope: "col", title: state.players[place] }, String(rank + 1)));
    const rows = order.map((a, rank) => {
      const cells = order.map((b) => this.#cell(state, a, b));
      return el("tr", null, el("th", { class: "left name", scope: "row" }, `${rank + 1}  ${state.players[a]}`), cells);
    });
    const table = el("table", { class: state.players.length > DETAILED ? "cross small" : "cross" }, el("thead", null, el("tr", null, el("td"), heads)), el("tbody", null, rows));
    this.box.replaceChildren(table);
  }

  /**
   * @param {RunModel} state
   * @param {number} a
   * @param {number} b
   */
  #cell(state, a, b) {
    if (a === b) return el("td", { class: "self" });
    const link = el("a", { href: pairOf(this.run, state, a, b) }, el("b"), el("span"));
    const cell = el("td", null, link);
    this.cells.set(a * state.players.length + b, [a, b, cell]);
    return cell;
  }
}

/** A picture in place of a table of many players. */
class Mosaic {
  /**
   * @param {string} run
   * @param {HTMLElement} box
   */
  constructor(run, box) {
    this.run = run;
    this.box = box;
    /** @type {RunModel | null} */
    this.state = null;
    /** @type {number[]} */
    this.places = [];
    /** @type {number[] | null} */
    this.chosen = null; // the pair that is pointed at; null: the best player
    this.canvas = el("canvas", { class: "mosaic", tabindex: 0, role: "application", "aria-label": `Crosstable: ${HELP}` });
    this.mark = el("i", { hidden: true });
    this.note = el("p", { "aria-live": "polite" }, " ");
    box.replaceChildren(el("div", { class: "mosaic-box" }, this.canvas, this.mark), this.note);
    box.removeAttribute("tabindex"); // the picture takes the keys
    this.canvas.addEventListener("pointermove", (event) => this.#move(this.#under(event)));
    this.canvas.addEventListener("click", (event) => this.#open(this.#under(event).map((place) => this.places[place])));
    this.canvas.addEventListener("keydown", (event) => this.#key(event));
    this.canvas.addEventListener("focus", () => this.#point());
    this.canvas.addEventListener("blur", () => { this.mark.hidden = true; });
  }

  /** @param {number[]} pair */
  #open([a, b]) {
    if (!this.state) return;
    const player = `${named("runs", this.run, "player")}?player=${encodeURIComponent(this.state.players[a])}`;
    location.href = a === b ? player : pairOf(this.run, this.state, a, b);
  }

  /** @param {RunModel} state */
  show(state) {
    const { order } = state;
    const count = order.length;
    this.state = state;
    this.places = order;
    const ratio = Math.max(4, Math.floor(720 / count));
    if (this.canvas.width !== count * ratio) this.canvas.width = this.canvas.height = count * ratio;
    const paint = /** @type {CanvasRenderingContext2D} */ (this.canvas.getContext("2d"));
    const colours = getComputedStyle(this.box);
    paint.clearRect(0, 0, this.canvas.width, this.canvas.height);
    order.forEach((a, row) =>
      order.forEach((b, column) => {
        const counts = a === b ? null : state.against(a, b);
        if (!counts) return;
        paint.fillStyle = colours.getPropertyValue(`--s${bucket(counts)}`);
        paint.fillRect(column * ratio, row * ratio, ratio, ratio);
      }),
    );
    if (!this.mark.hidden) this.#point();
  }

  /** The row and the column that are pointed at: those of the chosen pair, wherever the ranking puts it. */
  get #at() {
    return this.chosen ? this.chosen.map((place) => this.places.indexOf(place)) : [0, 0];
  }

  /**
   * The row and the column under the mouse.
   * @param {MouseEvent} event
   */
  #under(event) {
    const box = this.canvas.getBoundingClientRect();
    const shares = [(event.clientY - box.top) / box.height, (event.clientX - box.left) / box.width];
    return shares.map((share) => this.#within(Math.floor(share * this.places.length)));
  }

  /** @param {number} place */
  #within(place) {
    return Math.min(this.places.length - 1, Math.max(0, place));
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const [row, column] = this.#at;
    if (event.key === "Enter") this.#open(this.#at.map((place) => this.places[place]));
    else if (event.key in KEYS) this.#move([row + KEYS[event.key][0], column + KEYS[event.key][1]].map((one) => this.#within(one)));
    else return;
    event.preventDefault();
  }

  /** @param {number[]} at */
  #move(at) {
    this.chosen = at.map((place) => this.places[place]);
    this.#point();
  }

  /** Mark the chosen pair, and say what is there. */
  #point() {
    if (!this.state) return;
    const at = this.#at;
    const [a, b] = at.map((place) => this.places[place]);
    const share = 100 / this.places.length;
    this.mark.hidden = false;
    Object.assign(this.mark.style, { top: `${at[0] * share}%`, left: `${at[1] * share}%`, width: `${share}%`, height: `${share}%` });
    const text = a === b ? this.state.players[a] : described(this.state, a, b);
    if (this.note.textContent !== text) this.note.textContent = text;
  }
}

/**
 * Return the address of the page of a pair.
 * @param {string} run
 * @param {RunModel} state
 * @param {number} a
 * @param {number} b
 */
function pairOf(run, state, a, b) {
  return `${named("runs", run, "pair")}?player=${encodeURIComponent(state.players[a])}&opponent=${encodeURIComponent(state.players[b])}`;
}

/** @param {Counts} counts */
function bucket([wins, draws, losses]) {
  return Math.round((10 * (wins + draws / 2)) / Math.max(1, wins + draws + losses));
}

/**
 * @param {RunModel} state
 * @param {number} a
 * @param {number} b
 */
function described(state, a, b) {
  const counts = state.against(a, b);
  const pair = `${state.players[a]} – ${state.players[b]}`;
  if (!counts) return `${pair}: no games`;
  return `${pair}: ${counted(counts[0] + counts[1] + counts[2], "game")}, ${counts[0]} won, ${counts[1]} drawn, ${counts[2]} lost`;
}

/**
 * @param {HTMLTableCellElement} cell
 * @param {RunModel} state
 * @param {number} a
 * @param {number} b
 */
function fill(cell, state, a, b) {
  const counts = state.against(a, b);
  const text = counts ? counts.join("-") : "";
  if (cell.dataset.counts === text) return;
  cell.dataset.counts = text;
  const link = /** @type {HTMLAnchorElement} */ (cell.firstChild);
  link.hidden = !counts;
  if (!counts) return;
  const [wins, draws, losses] = counts;
  const [share, games] = link.children;
  share.textContent = percent((wins + draws / 2) / (wins + draws + losses)).replace(" %", "");
  games.textContent = text;
  link.setAttribute("aria-label", described(state, a, b));
  link.title = described(state, a, b);
  cell.className = `s${bucket(counts)}`;
}
