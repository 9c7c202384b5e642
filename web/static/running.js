// The running games. A game keeps its place until it is over, and its end stays until another one takes the place.
import { Board } from "./board.js";
import { el, get, named } from "./dom.js";
import { left, score, scoreOf } from "./format.js";

/**
 * @import { Change } from "../../games/static/types.d.ts"
 * @import { RunModel } from "./run_model.js"
 * @import { Geometry, RunningGame } from "./documents.d.ts"
 */

export class Running {
  /** @param {string} run */
  constructor(run) {
    this.run = run;
    /** @type {RunModel | null} */
    this.state = null;
    /** @type {(Card | null)[]} */
    this.places = []; // a card or null
    /** @type {Geometry | null | undefined} */
    this.geometry = null;
    this.none = el("p", { class: "muted" }, "No game is running.");
    this.grid = el("div", { class: "boards" });
    this.element = el("section", { id: "running", class: "wide" }, el("h2", null, "Running games"), this.none, this.grid);
  }

  /** @param {RunModel} state */
  show(state) {
    this.state = state;
    if (state.tables.length && this.geometry === null) this.#measure(state);
    const running = new Map(state.tables.map((board) => [board.number, board]));
    const isOver = state.progress.state !== "running";
    this.places.forEach((card, place) => {
      if (!card || running.has(card.number)) return;
      card.end(state.results.get(card.number));
      if (isOver) this.#free(place);
    });
    for (const [number, board] of running) {
      const card = this.places.find((one) => one?.number === number) ?? this.#seat(state, number);
      card.show(board, this.geometry);
    }
    this.none.hidden = this.places.some(Boolean);
  }

  /**
   * @param {RunModel} state
   * @param {number} number
   */
  #seat(state, number) {
    const running = new Set(state.tables.map((board) => board.number));
    let place = this.places.findIndex((card) => card === null || !running.has(card.number));
    if (place < 0) place = this.places.length;
    const card = new Card(this.run, number);
    const old = this.places[place];
    if (old) old.element.replaceWith(card.element);
    else this.grid.insertBefore(card.element, this.grid.children[place] ?? null);
    this.places[place] = card;
    return card;
  }

  /** @param {RunModel} state */
  #measure(state) {
    this.geometry = undefined; // on its way
    if (state.tables[0].cells === null) return;
    get(`/api/games/${encodeURIComponent(state.progress.game)}/geometry`).then(
      (found) => { this.geometry = found; if (this.state) this.show(this.state); },
      () => { this.geometry = null; }, // the next positions ask again
    );
  }

  /** @param {number} place */
  #free(place) {
    this.places[place]?.element.remove();
    this.places[place] = null;
    while (this.places.length && !this.places.at(-1)) this.places.pop();
  }
}

class Card {
  /**
   * @param {string} run
   * @param {number} number
   */
  constructor(run, number) {
    this.number = number;
    this.sides = [side("first"), side("second")];
    this.note = el("p", { class: "muted small" });
    this.moves = el("p", { class: "moves" });
    this.box = el("div", { class: "mini" });
    /** @type {Board | null} */
    this.picture = null;
    /** @type {RunningGame | null} */
    this.board = null;
    this.over = false;
    /** @type {string | undefined} */
    this.result = undefined;
    const link = el("a", { href: named("runs", run, "games", number) }, `Game ${number}`);
    this.element = el("article", { class: "card", "data-game": number }, el("h3", null, link), this.sides.map((one) => one.element), this.box, this.moves, this.note);
  }

  /**
   * @param {RunningGame} board
   * @param {Geometry | null} [geometry]
   */
  show(board, geometry) {
    if (this.board === board && (!geometry || this.picture)) return;
    this.board = board;
    [board.first, board.second].forEach((name, which) => {
      const one = this.sides[which];
      set(one.name, name);
      set(one.clock, board.clock_ms ? left(board.clock_ms[which]) : "");
      one.element.classList.toggle("to-move", board.to_move === which);
    });
    if (geometry && board.cells) this.#draw(board, board.cells, geometry);
    const moves = board.moves.slice(this.picture ? -4 : -8).join(" ");
    set(this.moves, board.moves.length > 8 ? `… ${moves}` : moves);
    const last = scoreOf(board);
    const facts = [`ply ${board.moves.length}`, last === null ? "" : `score ${score(last)}`, board.depth === null ? "" : `depth ${board.depth}`];
    set(this.note, facts.filter(Boolean).join(" · "));
  }

  /**
   * @param {RunningGame} board
   * @param {Change[]} cells
   * @param {Geometry} geometry
   */
  #draw({ moves, sides, to_move, last, regions, lost }, cells, geometry) {
    if (!this.picture) this.picture = new Board(this.box, geometry, { switches: false });
    this.element.classList.toggle("signs", geometry.stones === "signs");
    this.element.classList.toggle("white-first", geometry.sides[0].startsWith("White"));
    this.element.classList.toggle("stones", geometry.ground === "points");
    const stones = geometry.cells.map(() => 0);
    for (const [cell, piece] of cells) stones[cell] = piece;
    /** @type {Change[][]} */
    const changes = moves.map(() => []);
    if (last !== null) changes[moves.length - 1] = [[last, stones[last]]]; // it stands there already
    const replay = { game: geometry.game, start: "", stones, first: 0, moves, changes, regions: { [moves.length]: regions }, forbidden: {}, legal: [], lines: [], sides: sides && sides + to_move, lost: lost ?? undefined };
    this.picture.show(replay);
  }

  /** @param {string} [result] */
  end(result) {
    if (this.over && this.result === result) return;
    this.over = true;
    this.result = result;
    this.element.classList.add("over");
    this.sides.forEach((one) => one.element.classList.remove("to-move"));
    set(this.note, result ? `finished: ${result}` : "over");
  }
}

/** @param {string} kind */
function side(kind) {
  const name = el("span", { class: "who" });
  const clock = el("span", { class: "clock" });
  return { name, clock, element: el("p", { class: `side ${kind}` }, name, clock) };
}

/**
 * @param {HTMLElement} element
 * @param {string} text
 */
function set(element, text) {
  if (element.textContent !== text) element.textContent = text;
}
