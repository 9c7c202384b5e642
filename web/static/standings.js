// The ranking so far. A row belongs to a player, and moves with it.
import { el, named } from "./dom.js";
import { number, percent } from "./format.js";

/**
 * @import { RunModel } from "./run_model.js"
 * @import { StandingsRow } from "./documents.d.ts"
 * @import { Counts } from "./page_types.d.ts"
 * @typedef {{ element: HTMLTableRowElement, cells: HTMLTableCellElement[], interval: HTMLElement, dot: HTMLElement }} Row
 */

const HEADS = [
  ["#", ""], ["player", "left"], ["Elo", ""], ["± 95 %", "", "half of the 95 % interval: the true value lies within it in 19 of 20 cases"], ["", "bar"], ["score", ""], ["points", "more", "a win is a point, a draw half of one"], ["W-D-L", "", "games won, drawn, lost"], ["games", "more"], ["failures", "more", "games lost by an illegal move, by time, by a crash or a lost connection"],
  ["LOS", "", "the likelihood that this player is stronger than the next one"],
];

const MANY = 30; // players above which the table scrolls by itself

export class Standings {
  /** @param {string} run */
  constructor(run) {
    this.run = run;
    /** @type {Map<number, Row>} */
    this.rows = new Map();
    this.body = el("tbody");
    const heads = HEADS.map(([text, kind, title]) =>
      el("th", { class: kind || null, scope: "col", title, "aria-label": kind === "bar" ? "interval" : null }, text));
    this.box = el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Standings" });
    this.element = el("section", { id: "standings", class: "wide" }, el("h2", null, "Standings"), this.box);
    this.box.append(el("table", { class: "standings" }, el("thead", null, el("tr", null, heads)), this.body));
  }

  /** @param {RunModel} state */
  show(state) {
    const totals = state.totals();
    const { ratings } = state;
    const reach = span(ratings);
    const { order } = state;
    this.box.classList.toggle("long", order.length > MANY);
    order.forEach((place, rank) => {
      const row = this.#row(state.players[place], place);
      this.#fill(row, rank, totals[place], ratings[place], reach, state.failures[place], state.progress.benched[state.players[place]]);
      if (this.body.children[rank] !== row.element) this.body.insertBefore(row.element, this.body.children[rank] ?? null);
    });
  }

  /**
   * @param {string} name
   * @param {number} place
   * @returns {Row}
   */
  #row(name, place) {
    let row = this.rows.get(place);
    if (!row) {
      const link = el("a", { href: named("runs", this.run, "player") + `?player=${encodeURIComponent(name)}` }, name);
      const cells = HEADS.map(([, kind]) => el(kind === "left" ? "th" : "td", { class: kind || null, scope: kind === "left" ? "row" : null }));
      cells[1].append(link);
      const interval = el("i");
      const dot = el("b");
      cells[4].append(interval, dot);
      row = { element: el("tr", { "data-player": name }, cells), cells, interval, dot };
      this.rows.set(place, row);
    }
    return row;
  }

  /**
   * @param {Row} row
   * @param {number} rank
   * @param {Counts} counts
   * @param {StandingsRow | undefined} rating
   * @param {[number, number]} reach
   * @param {number} failures
   * @param {string | undefined} benched
   */
  #fill(row, rank, [wins, draws, losses], rating, reach, failures, benched) {
    const games = wins + draws + losses;
    const elo = rating?.elo ?? null;
    const [plus, minus] = [number(rating?.plus), number(rating?.minus)];
    const texts = [
      String(rank + 1), null, elo === null ? "" : number(elo),
      elo === null ? "" : plus === minus ? plus : `+${plus} −${minus}`,
      null, games ? percent((wins + draws / 2) / games) : "", points(wins, draws), `${wins}-${draws}-${losses}`, String(games), failures ? String(failures) : "",
      rating?.los === null || rating?.los === undefined ? "" : percent(rating.los),
    ];
    texts.forEach((text, place) => {
      if (text !== null && row.cells[place].textContent !== text) row.cells[place].textContent = text;
    });
    row.cells[9].classList.toggle("failed", failures > 0);
    row.element.classList.toggle("benched", benched !== undefined);
    place(row, rating, reach);
  }
}

/**
 * A win is a point, a draw half of one.
 * @param {number} wins
 * @param {number} draws
 */
function points(wins, draws) {
  return `${wins + Math.floor(draws / 2) || (draws % 2 ? "" : "0")}${draws % 2 ? "½" : ""}`;
}

/**
 * @param {(StandingsRow | undefined)[]} ratings
 * @returns {[number, number]}
 */
function span(ratings) {
  const ends = ratings.flatMap((one) => (one && one.elo !== null ? [[one.elo - (one.minus ?? 0), one.elo + (one.plus ?? 0)]] : []));
  const low = Math.min(...ends.map((one) => one[0]));
  const high = Math.max(...ends.map((one) => one[1]));
  return [low, Math.max(1, high - low)];
}

/**
 * @param {Row} row
 * @param {StandingsRow | undefined} rating
 * @param {[number, number]} reach
 */
function place({ interval, dot }, rating, [low, wide]) {
  const { elo = null, plus = null, minus = null } = rating ?? {};
  const isKnown = elo !== null && plus !== null && minus !== null;
  interval.hidden = dot.hidden = !isKnown;
  if (!isKnown) return;
  const at = (/** @type {number} */ value) => `${(3 + (94 * (value - low)) / wide).toFixed(1)}%`;
  interval.style.left = at(elo - minus);
  interval.style.width = `${((94 * (plus + minus)) / wide).toFixed(1)}%`;
  dot.style.left = at(elo);
}
