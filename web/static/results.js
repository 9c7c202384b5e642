// Results of a player: by its side, in words, and kept up to date while the run goes on.
import { el, get } from "./dom.js";
import { percent } from "./format.js";

/** @import { Counts, Sides } from "./page_types.d.ts" */

const AGAIN_MS = 2000;

/**
 * Wins, draws and losses of both sides together.
 * @param {Sides} sides
 * @returns {Counts}
 */
export function total(sides) {
  return /** @type {Counts} */ (sides[0].map((count, place) => count + sides[1][place]));
}

/**
 * The number of games.
 * @param {Counts} counts
 */
export function played([wins, draws, losses]) {
  return wins + draws + losses;
}

/**
 * The score, 0 to 1, as text; empty without games.
 * @param {Counts} counts
 */
export function points(counts) {
  return played(counts) ? percent((counts[0] + counts[1] / 2) / played(counts)) : "";
}

/**
 * A table of the games that a player began, the others, and all.
 * @param {Sides} sides
 */
export function sidesTable(sides) {
  /** @type {[string, Counts][]} */
  const rows = [["moves first", sides[0]], ["moves second", sides[1]], ["both", total(sides)]];
  const heads = ["", "score", "W-D-L", "games"].map((text) => el("th", { scope: "col", "aria-label": text ? null : "side" }, text));
  const lines = rows.map(([name, counts]) =>
    el("tr", null, el("th", { class: "left", scope: "row" }, name), [points(counts), counts.join("-"), String(played(counts))].map((text) => el("td", null, text))));
  return el("table", null, el("thead", null, el("tr", null, heads)), el("tbody", null, lines));
}

/**
 * Failures { termination: count } as links to the games; `address` returns that of a termination.
 * @param {Record<string, number>} failures
 * @param {(kind: string) => string} address
 */
export function failuresText(failures, address) {
  const found = Object.entries(failures);
  if (!found.length) return el("p", { class: "muted" }, "None.");
  return el("ul", { class: "plain" }, found.map(([kind, count]) => el("li", null, el("a", { href: address(kind) }, `${kind}: ${count}`))));
}

/**
 * Get a document now, and again until it is final, while the page is seen; `show` gets each one that differs.
 * @template {{ final: boolean }} T
 * @param {string} path
 * @param {(found: T) => unknown} show
 */
export async function follow(path, show) {
  let last = "";
  const look = async () => {
    /** @type {T} */
    const found = await get(path);
    const text = JSON.stringify(found);
    if (text !== last) await show(found);
    last = text;
    return !found.final;
  };
  const again = () => setTimeout(async () => {
    if (document.hidden || await look().catch(() => true)) again();
  }, AGAIN_MS);
  if (await look()) again();
}
