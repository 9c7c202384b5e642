// The ranking so far. A row belongs to a player, and moves with it.
import { el, named } from "./dom.js";
import { number, percent } from "./format.js";

const HEADS = [
  ["#", ""], ["player", "left"], ["Elo", ""], ["± 95 %", "", "half of the 95 % interval: the true value lies within it in 19 of 20 cases"], ["", "bar"], ["score", ""], ["points", "more", "a win is a point, a draw half of one"], ["W-D-L", "", "games won, drawn, lost"], ["games", "more"], ["failures", "more", "games lost by an illegal move, by time, by a crash or a lost connection"],
  ["LOS", "", "the likelihood that this player is stronger than the next one"],
];

const MANY = 30; // players above which the table scrolls by itself

export class Standings {
  constructor(run) {
    this.run = run;
    this.rows = new Map();
    this.body = el("tbody");
    const heads = HEADS.map(([text, kind, title]) =>
      el("th", { class: kind || null, scope: "col", title, "aria-label": kind === "bar" ? "interval" : null }, text));
    this.box = el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Standings" });
    this.element = el("section", { id: "standings", class: "wide" }, el("h2", null, "Standings"), this.box);
    this.box.append(el("table", { class: "standings" }, el("thead", null, el("tr", null, heads)), this.body));
  }

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

  #row(name, place) {
    if (!this.rows.has(place)) {
      const link = el("a", { href: named("runs", this.run, "player") + `?player=${encodeURIComponent(name)}` }, name);
      const cells = HEADS.map(([, kind]) => el(kind === "left" ? "th" : "td", { class: kind || null, scope: kind === "left" ? "row" : null }));
      cells[1].append(link);
      const interval = el("i");
      const dot = el("b");
      cells[4].append(interval, dot);
      this.rows.set(place, { element: el("tr", { "data-player": name }, cells), cells, interval, dot });
    }
    return this.rows.get(place);
  }

  #fill(row, rank, [wins, draws, losses], rating, reach, failures, benched) {
    const games = wins + draws + losses;
    const elo = rating?.elo ?? null;
    const even = rating && number(rating.plus) === number(rating.minus);
    const texts = [
      String(rank + 1), null, elo === null ? "" : number(elo),
      elo === null ? "" : even ? number(rating.plus) : `+${number(rating.plus)} −${number(rating.minus)}`,
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

/** A win is a point, a draw half of one. */
function points(wins, draws) {
  return `${wins + Math.floor(draws / 2) || (draws % 2 ? "" : "0")}${draws % 2 ? "½" : ""}`;
}

function span(ratings) {
  const known = ratings.filter((one) => one && one.elo !== null);
  const low = Math.min(...known.map((one) => one.elo - (one.minus ?? 0)));
  const high = Math.max(...known.map((one) => one.elo + (one.plus ?? 0)));
  return [low, Math.max(1, high - low)];
}

function place({ interval, dot }, rating, [low, wide]) {
  const known = rating && rating.elo !== null && rating.plus !== null;
  interval.hidden = dot.hidden = !known;
  if (!known) return;
  const at = (elo) => `${(3 + (94 * (elo - low)) / wide).toFixed(1)}%`;
  interval.style.left = at(rating.elo - rating.minus);
  interval.style.width = `${((94 * (rating.plus + rating.minus)) / wide).toFixed(1)}%`;
  dot.style.left = at(rating.elo);
}
