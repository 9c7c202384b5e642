// A board of any game as SVG. It knows no rules: `geometry` (games/geometry.py) says what to draw, a replay
// (games/replay.py) what stands there and which moves are legal.
//
//   const board = new Board(element, geometry, { onMove: (move) => … });
//   board.show(replay, ply);
//
// Options: `onMove` takes the move of a click or of Enter, if it is legal; without it the board is a picture. The stone
// is shown at once; until the promise of `onMove` ends, or the next position comes, the board takes no other move.
// `onReason` takes the reason why a cell is no legal move, and an empty text when the position changes.
// Where moves are steps of pieces, a click chooses a piece, and the next one the cell to which it goes.
// `view` is the first view of a board of layers: layers, trays or turn. `switches: false` leaves out their buttons.
// The board is as wide as `element`, and no higher than --board-most (78vh).

import { areaMarks, passMark, takenText } from "./area.js";
import { el, svg } from "./elements.js";
import { path, short } from "./paths.js";
import { refusal } from "./refusal.js";
import { mover } from "./sides.js";
import { promotions, StepChoice } from "./step_choice.js";
import { arrow, lastStep, stepOf } from "./steps.js";
import { crossOrRing, forbiddenSign, markOf, stoneOf } from "./stones.js";
import { boxAround, viewsOf } from "./views.js";

/**
 * @import { Box, Cell, Forbidden, Geometry, Region, Replay, View } from "./types.d.ts"
 * @import { Flat, Turned } from "./views.js"
 */

/**
 * The elements of a cell, and the state that they show.
 * @typedef {{ group: SVGGElement, hit: SVGPathElement, stone: SVGGElement, mark: SVGGElement, content: string,
 *   key: string | null }} Drawn
 */

/**
 * A replay after some of its moves.
 * @typedef {{ replay: Replay, ply: number }} Shown
 */

/**
 * The options of a board.
 * @typedef {{ onMove?: ((move: string) => unknown) | null, onReason?: ((why: string) => void) | null,
 *   view?: string | null, switches?: boolean }} Options
 */

const NARROW = 640; // pixels: on a narrower board two layers are side by side, not all
const SMALL = 30; // pixels: a finger chooses a smaller cell with one tap and plays it with the next
const DRAG = 6; // pixels: a shorter way is a click
const TAP = 350; // milliseconds between the two taps of a double tap
const TURNS = 0.5; // degrees a pixel
/** @type {Record<string, [number, number]>} */
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const MARKS = ["last", "left", "won", "playable", "chosen", "target"];
/** @type {Record<string, string>} */
const TITLES = { layers: "Layers", trays: "Trays", turn: "Turning" };

export class Board {
  /**
   * @param {HTMLElement} element
   * @param {Geometry} geometry
   * @param {Options} [options]
   */
  constructor(element, geometry, { onMove = null, onReason = null, view = null, switches = true } = {}) {
    this.geometry = geometry;
    this.onMove = onMove;
    this.onReason = onReason;
    this.closed = "";
    this.element = element;
    /** @type {Shown | null} */
    this.shown = null;
    /** @type {string | null} */
    this.hinted = null;
    /** @type {SVGGElement | null} */
    this.ghostly = null;
    /** @type {number | null} */
    this.chosen = null;
    /** The move that waits for its answer, by the plies before it. @type {{ plies: number } | null} */
    this.pending = null;
    this.steps = geometry.steps ? new StepChoice(geometry) : null;
    /** The buttons of a promotion. @type {HTMLElement | null} */
    this.promotion = null;
    this.turned = false;
    this.dragged = false;
    /** @type {number[]} */
    this.stones = [];
    /** @type {Set<string>} */
    this.legal = new Set();
    /** @type {Drawn[]} */
    this.cells = [];
    this.cursor = Math.floor(geometry.height / 2) * geometry.width + Math.floor(geometry.width / 2);
    this.views = viewsOf(geometry, this.#across());
    this.name = view !== null && view in this.views ? view : Object.keys(this.views)[0];
    this.ground = svg("g", { class: "ground", "aria-hidden": "true" });
    this.field = svg("g", { class: "cells" });
    this.overlay = svg("g", { class: "overlay", "aria-hidden": "true" });
    this.svg = svg("svg", { class: `board ${geometry.ground} ${geometry.stones}` });
    element.classList.add("board-box");
    this.taken = el("p", { class: "board-taken" });
    element.replaceChildren(...(switches ? this.#buttons() : []), this.svg, ...(geometry.area ? [this.taken] : []));
    this.#listen();
    this.#build();
    if (geometry.layers > 1) new ResizeObserver(() => this.#resize()).observe(element);
  }

  /**
   * Show a replay after `ply` moves, by default all.
   * @param {Replay} replay
   * @param {number} [ply]
   */
  show(replay, ply = replay.moves.length) {
    const before = this.shown;
    const shown = this.shown = { replay, ply: Math.max(0, Math.min(ply, replay.moves.length)) };
    const isNew = !before || !isSame(before, shown);
    if (isNew) this.#leavePromotion();
    this.#paint(shown, isNew);
    if (before && isNew) this.onReason?.("");
    if (before && before.replay.game === replay.game && shown.ply === before.ply + 1) this.#drop(shown);
  }

  /**
   * Take no move for a reason, such as the turn of an engine; an empty one opens the board again.
   * @param {string} reason
   */
  close(reason) {
    if (this.closed === reason) return;
    this.closed = reason;
    this.onReason?.("");
    this.#leavePromotion();
    if (this.shown) this.#paint(this.shown, true);
  }

  /**
   * Turn a flat board: with true the second player sits below.
   * @param {boolean} turned
   */
  turnOver(turned) {
    if (this.turned === turned || this.geometry.layers > 1) return;
    this.turned = turned;
    this.views = viewsOf(this.geometry, 1, turned);
    this.#leavePromotion();
    this.look(this.name);
  }

  /**
   * Change the view: layers, trays or turn.
   * @param {string} name
   */
  look(name) {
    this.name = name;
    for (const button of /** @type {NodeListOf<HTMLElement>} */ (this.element.querySelectorAll("[data-view]"))) {
      button.setAttribute("aria-pressed", String(button.dataset.view === name));
    }
    this.#build();
    if (this.shown) this.#paint(this.shown);
    this.point(this.hinted);
  }

  /**
   * Mark the cell of a move, as a hint; null marks none.
   * @param {string | null} move
   */
  point(move) {
    this.hinted = move;
    for (const cell of this.cells) cell.group.classList.remove("hinted");
    if (move === null || !this.shown) return;
    const step = stepOf(this.geometry, move);
    if (step) for (const index of [step.from, step.to]) this.cells[index].group.classList.add("hinted");
    const column = this.geometry.drops[move];
    const index = column ? column.find((cell) => this.stones[cell] === 0)
      : this.geometry.cells.findIndex((cell) => cell.move === move);
    if (index !== undefined) this.cells[index]?.group.classList.add("hinted");
  }

  /** Put the keyboard's cursor on the board. */
  focus() {
    this.cells[this.cursor].group.focus();
  }

  // --- the drawing ----------------------------------------------------------------------------------------------------

  get view() {
    return this.views[this.name];
  }

  #across() {
    return this.element.clientWidth && this.element.clientWidth < NARROW ? 2 : this.geometry.layers;
  }

  #resize() {
    const flat = /** @type {Flat} */ (this.views.layers);
    if (flat.across === Math.min(this.#across(), this.geometry.layers)) return;
    this.views.layers = viewsOf(this.geometry, this.#across()).layers;
    this.look(this.name);
  }

  #buttons() {
    if (this.geometry.steps) return [this.#turnButton()];
    if (this.geometry.layers === 1) return [];
    const group = document.createElement("div");
    group.className = "board-views";
    group.setAttribute("role", "group");
    group.setAttribute("aria-label", "View");
    for (const name of Object.keys(this.views)) {
      const button = document.createElement("button");
      button.type = "button";
      button.dataset.view = name;
      button.textContent = TITLES[name];
      button.setAttribute("aria-pressed", String(name === this.name));
      button.addEventListener("click", () => this.look(name));
      group.append(button);
    }
    return [group];
  }

  #turnButton() {
    const onclick = () => this.turnOver(!this.turned);
    return el("div", { class: "board-views" }, el("button", { type: "button", onclick }, "Turn the board"));
  }

  /** Draw everything that no move changes. */
  #build() {
    const hadFocus = this.svg.contains(document.activeElement);
    this.field.replaceChildren();
    this.overlay.replaceChildren();
    this.cells = this.geometry.cells.map((cell, index) => this.#cell(cell, index));
    this.svg.replaceChildren(this.ground, this.field, this.overlay);
    this.svg.dataset.view = this.name;
    this.svg.setAttribute("role", this.onMove ? "group" : "img");
    this.svg.setAttribute("aria-label", this.geometry.name);
    this.#place();
    if (hadFocus) this.focus();
  }

  /**
   * @param {Cell} cell
   * @param {number} index
   * @returns {Drawn}
   */
  #cell(cell, index) {
    const hit = svg("path", { class: "hit" });
    const stone = svg("g", { class: "stone" });
    const mark = svg("g", { class: "mark" });
    const group = svg("g", { class: "cell", "data-cell": index, "data-name": cell.name }, hit, stone, mark);
    if (this.steps && this.onMove) group.append(svg("circle", { class: "spot", r: 0.16, "pointer-events": "none" }));
    if (this.name === "turn") group.prepend(svg("circle", { class: "peg", r: 0.12 }));
    if (this.onMove) {
      group.setAttribute("role", "button");
      group.setAttribute("tabindex", index === this.cursor ? "0" : "-1");
    }
    this.field.append(group);
    return { group, hit, stone, mark, content: "", key: null };
  }

  /** Put everything where the view has it. */
  #place() {
    const { geometry, view } = this;
    const { width, height, layers } = geometry;
    /** @type {number[][]} */
    const corners = [];
    for (let layer = 0; layer < layers; layer++) {
      for (const [x, y] of [[0, 0], [width, 0], [width, height], [0, height]]) corners.push(view.project(x, y, layer));
    }
    const labels = view.labels().map(([text, ...place]) => ({ text, place: view.project(...place) }));
    this.ground.replaceChildren(...this.#planes(corners), ...this.#lines(), ...labels.map(label));
    if (this.name !== "turn") this.#frame(boxAround([...corners, ...labels.map((one) => one.place)], 0.32));
    else this.#frame([-5.3, -5, 10.6, 10]);
    const order = geometry.cells.map((cell, index) => this.#placeCell(cell, index));
    if (this.name === "turn") {
      const active = /** @type {SVGElement | null} */ (document.activeElement);
      order.sort((one, other) => one.near - other.near);
      this.field.append(...order.map((one) => one.group));
      if (active && this.field.contains(active)) active.focus({ preventScroll: true });
    }
    this.#paintOverlay();
  }

  /** @param {Box} box */
  #frame(box) {
    this.svg.setAttribute("viewBox", box.map(short).join(" "));
    this.svg.style.setProperty("--board-text", `${Math.min(0.36, 0.16 + 0.02 * this.geometry.width)}px`);
    this.svg.style.setProperty("--board-ratio", String(box[2] / box[3]));
  }

  /**
   * @param {Cell} cell
   * @param {number} index
   */
  #placeCell(cell, index) {
    const { group, hit } = this.cells[index];
    const [x, y, size, near] = this.view.project(cell.x, cell.y, cell.layer);
    group.setAttribute("transform", `translate(${short(x)} ${short(y)})${size === 1 ? "" : ` scale(${short(size)})`}`);
    if (this.name === "turn") {
      hit.setAttribute("d", "M-.36 0a.36.36 0 1 0 .72 0a.36.36 0 1 0-.72 0Z");
      group.style.opacity = String(0.45 + 0.55 * near);
    } else {
      const corners = [[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]];
      const projected = corners.map(([dx, dy]) => this.view.project(cell.x + dx, cell.y + dy, cell.layer));
      hit.setAttribute("d", path(projected.map(([px, py]) => [(px - x) / size, (py - y) / size]), true));
    }
    return { group, near };
  }

  /** @param {number[][]} corners */
  #planes(corners) {
    const planes = [];
    for (let first = 0; first < corners.length; first += 4) {
      planes.push(svg("path", { class: "plane", d: path(corners.slice(first, first + 4), true) }));
    }
    return planes;
  }

  #lines() {
    const { cells, layers, lines, regions, stars } = this.geometry;
    const found = [];
    const at = (/** @type {[number, number, number]} */ ...place) => this.view.project(...place);
    for (let layer = 0; layer < layers; layer++) {
      const data = lines.map(([x1, y1, x2, y2]) => path([at(x1, y1, layer), at(x2, y2, layer)])).join("");
      if (data) found.push(svg("path", { class: "line", d: data }));
    }
    if (this.geometry.ground === "checks") found.unshift(...this.#checks());
    for (const star of stars) {
      const [x, y] = at(cells[star].x, cells[star].y, cells[star].layer);
      found.push(svg("circle", { class: "star", cx: x, cy: y, r: 0.1 }));
    }
    for (const region of regions) {
      found.push(svg("rect", { class: "region", x: region.x, y: region.y, width: region.side, height: region.side }));
    }
    if (this.geometry.ground === "holes") {
      for (const cell of cells) found.push(svg("circle", { class: "hole", cx: cell.x, cy: cell.y, r: 0.42 }));
    }
    return found;
  }

  /** The dark squares, of which one is at the bottom left, and the rim of the board. */
  #checks() {
    const { cells, width, height } = this.geometry;
    const dark = cells.filter(({ x, y }) => (x + height - y) % 2 === 1);
    const square = (/** @type {Cell} */ { x, y, layer }) =>
      path([[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]].map(([right, down]) => this.view.project(x + right, y + down, layer)), true);
    return [
      svg("path", { class: "dark", d: dark.map(square).join("") }),
      svg("rect", { class: "rim", x: 0, y: 0, width, height }),
    ];
  }

  // --- the state of the position --------------------------------------------------------------------------------------

  /**
   * Return the stones after the ply that is shown: 0 or the piece of every cell.
   * @param {Shown} shown
   */
  #stones({ replay, ply }) {
    const stones = [...replay.stones];
    for (const [cell, piece] of replay.changes.slice(0, ply).flat()) stones[cell] = piece;
    return stones;
  }

  get #atEnd() {
    return this.shown !== null && this.shown.ply === this.shown.replay.moves.length;
  }

  /**
   * @param {Shown} shown
   * @param {boolean} [anew] Whether a piece that was chosen before is no longer.
   */
  #paint(shown, anew = false) {
    const { replay, ply } = shown;
    const stones = this.stones = this.#stones(shown);
    const last = lastCell(shown);
    const left = lastStep(this.geometry, replay, ply)?.from;
    const won = new Set(this.#atEnd ? replay.lines.flat() : []);
    const forbidden = new Map((replay.forbidden[ply] ?? []).map((one) => [one.cell, one]));
    this.legal = new Set(this.#atEnd && this.onMove && !this.closed ? replay.legal : []);
    if (anew) this.steps?.begin(this.legal);
    const playable = stones.map((stone, index) => this.#playable(stone, index));
    this.cells.forEach((cell, index) => {
      const point = forbidden.get(index);
      const marks = [index === last, index === left, won.has(index), playable[index], this.steps?.from === index, this.steps?.isTarget(index) ?? false];
      const content = stones[index] ? `stone${stones[index]}` : point ? `forbidden ${point.sign}` : "";
      const key = `${content} ${marks}`;
      if (cell.key === key) return; // most cells do not change
      cell.key = key;
      MARKS.forEach((name, place) => cell.group.classList.toggle(name, marks[place]));
      if (this.onMove) this.#describe(index, playable[index], this.#labelOf(index, stones[index], point));
      this.#paintCell(cell, content, stones[index], point);
    });
    this.svg.dataset.ply = String(ply);
    this.svg.dataset.mover = String(mover(replay, ply) + 1);
    if (!this.onMove) this.svg.setAttribute("aria-label", `${this.geometry.name}, ply ${ply}`);
    this.#ghost(null);
    this.#paintOverlay();
  }

  /**
   * Describe a cell to a reader of the screen.
   * @param {number} index
   * @param {boolean} playable
   * @param {string} label
   */
  #describe(index, playable, label) {
    const { group } = this.cells[index], target = this.steps?.isTarget(index) ?? false;
    group.setAttribute("aria-disabled", String(!playable && !target));
    group.setAttribute("aria-label", target ? `${label}, a target` : label);
    if (this.steps?.from === index) group.setAttribute("aria-pressed", "true");
    else group.removeAttribute("aria-pressed");
  }

  /**
   * Return whether a click on a cell is a legal move, or chooses a piece that has one; of a column any of its cells is.
   * @param {number} stone
   * @param {number} index
   */
  #playable(stone, index) {
    if (this.steps) return this.steps.isPiece(index);
    const { move } = this.geometry.cells[index];
    return this.legal.has(move) && (this.geometry.drops[move] !== undefined || stone === 0);
  }

  /**
   * @param {number} index
   * @param {number} stone
   * @param {Forbidden} [forbidden]
   */
  #labelOf(index, stone, forbidden) {
    const content = stone ? this.geometry.pieces[stone - 1].name : forbidden ? `forbidden, ${forbidden.kind}` : "empty";
    return `${this.geometry.cells[index].name}: ${content}`;
  }

  /**
   * @param {Drawn} cell
   * @param {string} content
   * @param {number} stone
   * @param {Forbidden} [forbidden]
   */
  #paintCell(cell, content, stone, forbidden) {
    if (cell.content === content) return;
    cell.content = content;
    cell.group.dataset.stone = String(stone);
    if (stone) cell.stone.replaceChildren(...stoneOf(this.geometry, stone));
    else if (forbidden) cell.stone.replaceChildren(...forbiddenSign(forbidden));
    else cell.stone.replaceChildren();
    cell.mark.replaceChildren(...(stone ? markOf(this.geometry) : []));
  }

  /** Draw what lies over the cells: regions and winning lines. */
  #paintOverlay() {
    if (!this.shown) return;
    const { replay, ply } = this.shown;
    const signs = replay.regions[ply] ?? "";
    const won = new Set(this.#atEnd ? replay.lines.flat() : []);
    const everywhere = !/[^@]/.test(signs);
    const regions = this.geometry.regions.map((region, place) => {
      const sign = signs[place];
      return everywhere && sign === "@" ? [] : regionOver(region, sign, won);
    });
    const lines = this.#atEnd ? replay.lines.map((cells) => this.#stroke(cells)) : [];
    this.overlay.replaceChildren(...regions.flat(), ...lines, ...this.#arrow(this.shown),
      ...(this.#atEnd ? areaMarks(this.geometry, replay) : []), ...passMark(this.geometry, replay, ply));
    if (this.geometry.area) this.taken.textContent = takenText(this.geometry, replay, ply);
  }

  /**
   * The arrow of the last step.
   * @param {Shown} shown
   */
  #arrow({ replay, ply }) {
    const step = lastStep(this.geometry, replay, ply);
    return step && step.from !== step.to ? [arrow(this.#middle(step.from), this.#middle(step.to))] : [];
  }

  /** @param {number} index */
  #middle(index) {
    const { x, y, layer } = this.geometry.cells[index];
    return this.view.project(x, y, layer);
  }

  /** @param {number[]} cells */
  #stroke(cells) {
    const [[x1, y1], [x2, y2]] = [cells[0], cells[cells.length - 1]].map((index) => this.#middle(index));
    const length = Math.hypot(x2 - x1, y2 - y1) || 1;
    const [dx, dy] = [(0.35 * (x2 - x1)) / length, (0.35 * (y2 - y1)) / length];
    return svg("path", { class: "win", d: path([[x1 - dx, y1 - dy], [x2 + dx, y2 + dy]]) });
  }

  /**
   * Let the stone of the last move fall into its column.
   * @param {Shown} shown
   */
  #drop(shown) {
    const index = lastCell(shown);
    if (index < 0) return;
    const { move, y } = this.geometry.cells[index];
    if (this.geometry.drops[move] === undefined || matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    this.cells[index].stone.animate(
      [{ transform: `translate(0px, ${-y}px)` }, { transform: "translate(0px, 0px)" }],
      { duration: 110 * Math.sqrt(y), easing: "cubic-bezier(.5, 0, 1, .8)" },
    );
  }

  // --- the person -----------------------------------------------------------------------------------------------------

  #listen() {
    if (this.onMove) {
      this.svg.addEventListener("click", (event) => this.#click(event));
      this.svg.addEventListener("keydown", (event) => this.#key(event));
      this.svg.addEventListener("focusin", (event) => this.#moveCursor(cellOf(event)));
      this.svg.addEventListener("pointerover", (event) => this.#ghost(cellOf(event)));
      this.svg.addEventListener("pointerleave", () => this.#ghost(null));
    }
    if (this.steps && this.onMove) this.#listenToDrags(this.steps);
    if (this.geometry.layers > 1) this.#listenToTurns();
  }

  /**
   * Let the mouse drag a piece to the cell to which it goes; a finger scrolls the page.
   * @param {StepChoice} steps
   */
  #listenToDrags(steps) {
    /** @type {{ index: number, x: number, y: number } | null} */
    let from = null;
    const end = (/** @type {Event} */ event) => {
      const isDrag = from !== null && this.dragged, index = cellOf(event);
      if (isDrag && from !== null) this.cells[from.index].stone.removeAttribute("transform");
      from = null;
      if (isDrag && index !== null && steps.from !== null && index !== steps.from) this.#play(index);
    };
    this.svg.addEventListener("pointerdown", (event) => {
      const index = cellOf(event);
      this.dragged = false;
      from = event.pointerType === "mouse" && index !== null && steps.isPiece(index) && !this.#waits ? { index, x: event.clientX, y: event.clientY } : null;
    });
    this.svg.addEventListener("pointermove", (event) => {
      if (from === null || (!this.dragged && Math.hypot(event.clientX - from.x, event.clientY - from.y) < DRAG)) return;
      const { group, stone, hit } = this.cells[from.index], cell = hit.getBoundingClientRect().width;
      if (!this.dragged) this.field.append(group); // above the others
      if (!this.dragged && steps.from !== from.index) this.#play(from.index);
      this.dragged = true;
      stone.setAttribute("transform", `translate(${short((event.clientX - from.x) / cell)} ${short((event.clientY - from.y) / cell)})`);
    });
    this.svg.addEventListener("pointerup", end);
    this.svg.addEventListener("pointerleave", end);
  }

  #listenToTurns() {
    /** @type {[number, number] | null} */
    let from = null;
    let lastTap = -Infinity;
    this.svg.addEventListener("pointerdown", (event) => {
      this.dragged = false;
      from = this.name === "turn" && event.isPrimary ? [event.clientX, event.clientY] : null;
    });
    this.svg.addEventListener("pointermove", (event) => {
      if (from === null) return;
      const [right, down] = [event.clientX - from[0], event.clientY - from[1]];
      if (!this.dragged && Math.hypot(right, down) < DRAG) return;
      if (!this.dragged) this.svg.setPointerCapture(event.pointerId);
      this.dragged = true;
      from = [event.clientX, event.clientY];
      this.turn(right * TURNS, down * TURNS);
    });
    for (const end of ["pointerup", "pointercancel"]) this.svg.addEventListener(end, () => { from = null; });
    this.svg.addEventListener("click", (event) => {
      if (this.name !== "turn" || this.dragged || this.#isPlayable(cellOf(event))) return;
      if (event.timeStamp - lastTap < TAP) {
        /** @type {Turned} */ (this.view).reset();
        this.#place();
      }
      lastTap = event.timeStamp;
    });
  }

  /**
   * Turn the stack by degrees; other views do not turn.
   * @param {number} right
   * @param {number} down
   */
  turn(right, down) {
    if (this.name !== "turn") return;
    /** @type {Turned} */ (this.view).turn(right, down);
    this.#place();
  }

  /** @param {number | null} index */
  #isPlayable(index) {
    if (this.steps) return index !== null && this.steps.isTarget(index);
    return index !== null && this.onMove !== null && this.cells[index].group.classList.contains("playable");
  }

  /** @param {MouseEvent} event */
  #click(event) {
    const index = cellOf(event);
    if (index === null || this.dragged) return;
    const chosen = this.chosen === index;
    this.chosen = index;
    this.#moveCursor(index);
    if (!this.steps && /** @type {PointerEvent} */ (event).pointerType === "touch" && this.#cellPixels(index) < SMALL && !chosen && this.#isPlayable(index)) {
      this.cells[index].group.focus({ preventScroll: true });
      this.#ghost(index);
      return;
    }
    this.#play(index);
  }

  /** @param {number} index */
  #cellPixels(index) {
    const { width, height } = this.cells[index].group.getBoundingClientRect();
    return Math.min(width, height);
  }

  get #plies() {
    return this.shown?.replay.moves.length ?? 0;
  }

  /** Whether a move waits for its answer; a position with more moves is one, though the promise may end later. */
  get #waits() {
    return this.pending?.plies === this.#plies;
  }

  /** @param {number} index */
  #play(index) {
    if (this.#waits) return;
    if (this.steps && this.#isOpen) this.#chooseStep(this.steps, index);
    else if (this.#isPlayable(index)) this.#send(this.geometry.cells[index].move, index);
    else this.onReason?.(this.#reason(index));
  }

  /** Whether the last position is shown, and moves are taken. */
  get #isOpen() {
    return this.onMove !== null && this.#atEnd && !this.closed && this.shown?.replay.result === "*";
  }

  /**
   * Play a move, and show it at once.
   * @param {string} move
   * @param {number} index Its cell, the last one of a step.
   */
  #send(move, index) {
    this.chosen = null;
    this.#ghost(index);
    this.ghostly?.classList.add("placed");
    const pending = this.pending = { plies: this.#plies };
    Promise.resolve(this.onMove?.(move)).finally(() => {
      if (this.pending !== pending) return;
      this.pending = null;
      if (this.ghostly?.classList.contains("placed")) this.#ghost(null);
    });
  }

  // --- steps of pieces --------------------------------------------------------------------------------------------------

  /**
   * Take a piece, or the cell to which the chosen one goes.
   * @param {StepChoice} steps
   * @param {number} index
   */
  #chooseStep(steps, index) {
    if (!this.shown) return;
    this.#leavePromotion();
    const { moves, why } = steps.choose(this.shown.replay, this.stones, index);
    if (moves?.length === 1) return this.#send(moves[0], index);
    if (moves) return this.#askPromotion(moves, index);
    this.onReason?.(why ?? (steps.from === null && !steps.isPiece(index) ? this.#reason(index) : ""));
    this.#paint(this.shown);
  }

  /**
   * @param {string[]} moves
   * @param {number} index
   */
  #askPromotion(moves, index) {
    if (!this.shown) return;
    const leave = () => {
      this.#leavePromotion();
      this.focus();
    };
    const pick = (/** @type {string} */ move) => {
      leave();
      this.#send(move, index);
    };
    this.promotion = promotions(this.geometry, this.shown.replay, moves, { pick, leave });
    this.svg.before(this.promotion);
    const box = this.element.getBoundingClientRect(), cell = this.cells[index].hit.getBoundingClientRect();
    const most = box.width - this.promotion.offsetWidth;
    this.promotion.style.left = `${Math.max(0, Math.min(most, cell.left - box.left + cell.width / 2 - this.promotion.offsetWidth / 2))}px`;
    this.promotion.style.top = `${cell.top - box.top + (cell.top - box.top > box.height / 2 ? -this.promotion.offsetHeight - 4 : cell.height + 4)}px`;
    this.promotion.querySelector("button")?.focus();
  }

  #leavePromotion() {
    this.promotion?.remove();
    this.promotion = null;
  }

  /** Choose no piece any more. */
  #unchoose() {
    if (this.steps === null || this.steps.from === null || !this.shown) return false;
    this.steps.from = null;
    this.#leavePromotion();
    this.onReason?.("");
    this.#paint(this.shown);
    return true;
  }

  /** @param {number} index */
  #reason(index) {
    if (!this.shown || !this.#atEnd) return "this is an earlier position: only the last one is played on";
    return this.closed || refusal(this.geometry, this.shown.replay, this.stones, index);
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const index = cellOf(event);
    if (index === null || event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.key in ARROWS) {
      const [right, down] = ARROWS[event.key].map((one) => this.turned ? -one : one);
      if (event.shiftKey) this.turn(5 * right, 5 * down);
      else this.cells[this.#neighbour(index, right, down)].group.focus();
    } else if (event.key === "Enter" || event.key === " ") {
      this.#play(index);
    } else if (event.key === "PageUp" || event.key === "PageDown") {
      this.cells[this.#otherLayer(index, event.key === "PageUp" ? 1 : -1)].group.focus();
    } else if (event.key !== "Escape" || !this.#unchoose()) {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }

  /**
   * Return the cell next to another one in a row or column; from the edge of a layer that of the next layer.
   * @param {number} index
   * @param {number} right
   * @param {number} down
   */
  #neighbour(index, right, down) {
    const { cells, width, height, layers } = this.geometry;
    const { x, y, layer } = cells[index];
    let [column, row, stack] = [x - 0.5 + right, y - 0.5 + down, layer];
    if (column < 0 || column >= width) {
      stack += right;
      if (stack < 0 || stack >= layers) return index;
      column = right > 0 ? 0 : width - 1;
    }
    if (row < 0 || row >= height) return index;
    return (stack * height + row) * width + column;
  }

  /**
   * @param {number} index
   * @param {number} up
   */
  #otherLayer(index, up) {
    const { width, height, cells } = this.geometry;
    const other = index + up * width * height;
    return other >= 0 && other < cells.length ? other : index;
  }

  /** @param {number | null} index */
  #moveCursor(index) {
    if (index === null) return;
    this.cells[this.cursor].group.setAttribute("tabindex", "-1");
    this.cursor = index;
    this.cells[index].group.setAttribute("tabindex", "0");
    this.#ghost(index);
  }

  /**
   * Show the stone that a move would put, faintly, where it would come to stand.
   * @param {number | null} index
   */
  #ghost(index) {
    if (index !== null && this.#waits) return;
    this.ghostly?.remove();
    this.ghostly = null;
    if (index === null || !this.shown || !this.#isPlayable(index)) return;
    const { move } = this.geometry.cells[index];
    const landing = this.geometry.drops[move]?.find((cell) => this.stones[cell] === 0) ?? index;
    const side = mover(this.shown.replay, this.shown.ply);
    const stone = this.steps?.from !== null && this.steps ? this.stones[this.steps.from] : 1 + this.geometry.pieces.findIndex((piece) => piece.side === side);
    this.ghostly = svg("g", { class: "ghost" }, ...stoneOf(this.geometry, stone));
    this.cells[landing].group.append(this.ghostly);
  }
}

/**
 * Return the cell of the last move: the first one that it changed; -1 without one.
 * @param {Shown} shown
 */
function lastCell({ replay, ply }) {
  return replay.changes[ply - 1]?.[0]?.[0] ?? -1;
}

/**
 * @param {Shown} one
 * @param {Shown} other
 */
function isSame(one, other) {
  const [a, b] = [one, other].map(({ replay, ply }) => [ply, replay.result, replay.moves.join(" ")].join());
  return a === b;
}

/** @param {Event} event */
function cellOf(event) {
  const group = /** @type {Element} */ (event.target).closest?.("[data-cell]");
  return group ? Number(group.getAttribute("data-cell")) : null;
}

/** @param {{ text: string, place: number[] }} label */
function label({ text, place: [x, y] }) {
  return svg("text", { class: "label", x: short(x), y: short(y) }, text);
}

/**
 * Return the marks over a region: where the next move must be, who won it, that it is full.
 * @param {Region} region
 * @param {string} state
 * @param {Set<number>} won
 */
function regionOver({ x, y, side, cells }, state, won) {
  const wins = cells.some((cell) => won.has(cell)) ? " won" : "";
  const box = (/** @type {string} */ name) => svg("rect", { class: name + wins, x, y, width: side, height: side });
  if (state === "@") return [box("aim")];
  if (state === "#") return [box("closed")];
  if (state !== "X" && state !== "O") return [];
  const middle = `translate(${x + side / 2} ${y + side / 2}) scale(${side})`;
  return [box("closed"), svg("g", { transform: middle }, crossOrRing(state === "X" ? 1 : 2, "big"))];
}
