// The list of runs, which renews itself.
import { el, get, main, named } from "./dom.js";
import { clock } from "./format.js";

/**
 * @import { ListedRun } from "./documents.d.ts"
 * @typedef {{ element: HTMLTableRowElement, cells: HTMLTableCellElement[], state: HTMLElement, bar: HTMLProgressElement }} Row
 */

const AGAIN_MS = 3000;
/** @type {Map<string, Row>} */
const rows = new Map(); // by name
const body = el("tbody");
const none = el("p", { class: "muted" }, "There are no runs yet.");
const wrong = el("p", { class: "warning", role: "status", hidden: true });
const HEADS = [["run", "left"], ["game", "left more"], ["state", "left"], ["players", "more"], ["games", ""], ["", "bar more"], ["last game", "more"]];
const heads = HEADS.map(([text, kind]) => el("th", { class: kind || null, scope: "col", "aria-label": text ? null : "progress" }, text));
const table = el("div", { class: "scroll" }, el("table", { class: "runs" }, el("thead", null, el("tr", null, heads)), body));
main.replaceChildren(el("h1", null, "Runs"), wrong, none, table);

/**
 * @param {string} name
 * @returns {Row}
 */
function rowOf(name) {
  let row = rows.get(name);
  if (!row) {
    const cells = HEADS.map(([, kind], place) => el(place ? "td" : "th", { class: kind || null, scope: place ? null : "row" }));
    cells[0].append(el("a", { href: named("runs", name) }, name));
    const state = el("span", { class: "state" });
    const bar = el("progress", { max: 1, value: 0, "aria-label": `finished games of ${name}` });
    cells[2].append(state);
    cells[5].append(bar);
    row = { element: el("tr", null, cells), cells, state, bar };
    rows.set(name, row);
  }
  return row;
}

/**
 * @param {HTMLElement} element
 * @param {string} text
 */
function set(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/**
 * @param {Row} row
 * @param {ListedRun} run
 */
function fill({ cells, state, bar }, run) {
  const is = run.error ? "unreadable" : run.state ?? "";
  set(state, is);
  state.dataset.state = is;
  bar.hidden = Boolean(run.error);
  if (run.error) {
    [run.error, "", "", ""].forEach((text, place) => set(cells[[1, 3, 4, 6][place]], text));
    return;
  }
  const { game, players, finished, expected, given_up, last } = /** @type {Required<ListedRun>} */ (run);
  set(cells[1], game);
  set(cells[3], String(players));
  set(cells[4], `${finished} of ${expected + given_up}${given_up ? `, ${given_up} given up` : ""}`);
  bar.max = Math.max(1, expected);
  bar.value = finished;
  set(cells[6], last ? clock(last) : "");
}

async function show() {
  /** @type {{ runs: ListedRun[] }} */
  const { runs } = await get("/api/runs");
  const names = new Set(runs.map((run) => run.name));
  for (const [name, row] of rows) {
    if (names.has(name)) continue;
    row.element.remove();
    rows.delete(name);
  }
  runs.forEach((run, place) => {
    const row = rowOf(run.name);
    fill(row, run);
    if (body.children[place] !== row.element) body.insertBefore(row.element, body.children[place] ?? null);
  });
  none.hidden = runs.length > 0;
  table.hidden = runs.length === 0;
}

async function keep() {
  if (!document.hidden) {
    try {
      await show();
      wrong.hidden = true;
    } catch {
      wrong.textContent = "No connection to the server; trying again.";
      wrong.hidden = false;
    }
  }
  setTimeout(keep, AGAIN_MS);
}

none.hidden = table.hidden = true;
document.addEventListener("visibilitychange", () => { if (!document.hidden) show().catch(() => {}); });
keep();
