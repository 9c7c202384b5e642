// The finished games of a run, a player or a pair: filters, rows, sheets. The query of the page chooses.
import { el, get, keepingFocus, named } from "./dom.js";
import { clock, counted } from "./format.js";

/** @import { GamesPage, ListedGame } from "./documents.d.ts" */

/** @type {Record<string, [string, string]>} */
const WINNERS = { "1-0": ["won", ""], "0-1": ["", "won"] };
const HEADS = [["#", ""], ["first", "left"], ["result", ""], ["second", "left"], ["plies", "more"], ["end", "left"], ["finished", "more"]];

export class GameList {
  /**
   * `path` is the page under that of the run: "games", "player", "pair"; `fixed` are the filters that it sets itself.
   * @param {string} run
   * @param {string} path
   * @param {string[]} [fixed]
   */
  constructor(run, path, fixed = []) {
    this.run = run;
    this.path = path;
    this.fixed = fixed;
    this.query = new URLSearchParams(location.search);
    this.form = el("form", { class: "filters", onsubmit: (/** @type {SubmitEvent} */ event) => this.#filter(event) });
    this.count = el("p", { class: "muted", role: "status" });
    this.body = el("tbody");
    this.sheets = el("div");
    const heads = HEADS.map(([text, kind]) => el("th", { class: kind || null, scope: "col" }, text));
    const table = el("table", { class: "game-list" }, el("thead", null, el("tr", null, heads)), this.body);
    this.elements = [this.form, this.count, el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Games" }, table), this.sheets];
  }

  async load() {
    /** @type {GamesPage} */
    const found = await get(`/api/runs/${encodeURIComponent(this.run)}/games?${this.query}`);
    if (!this.form.children.length) this.#build(found);
    this.count.textContent = counted(found.count, "finished game");
    keepingFocus(this.body, () => this.body.replaceChildren(...found.games.map((game) => this.#row(game, found.failures))));
    keepingFocus(this.sheets, () => this.sheets.replaceChildren(this.#sheets(found) ?? ""));
  }

  /** @param {GamesPage} found */
  #build({ players, terminations }) {
    const names = [...players].sort((a, b) => a.localeCompare(b));
    const filters = { player: names, opponent: names, outcome: ["won", "drawn", "lost"], termination: terminations };
    const own = Object.entries(filters).filter(([name]) => !this.fixed.includes(name));
    const all = Object.fromEntries(own.map(([name]) => [name, ""]));
    this.form.append(...own.map(([name, values]) => this.#choice(name, values)), el("button", null, "Filter"), el("a", { href: this.#address({ ...all, page: "" }) }, "all games"));
  }

  /**
   * @param {string} name
   * @param {string[]} values
   */
  #choice(name, values) {
    const options = [el("option", { value: "" }, "any"), ...values.map((value) => el("option", { value, selected: this.query.get(name) === value }, value))];
    return el("label", null, name === "termination" ? "end" : name, el("select", { name }, options));
  }

  /** @param {SubmitEvent} event */
  #filter(event) {
    event.preventDefault();
    const chosen = Object.fromEntries([...this.form.querySelectorAll("select")].map((select) => [select.name, select.value]));
    location.href = this.#address({ ...chosen, page: "" });
  }

  /** @param {Record<string, string>} changes */
  #address(changes) {
    const next = new URLSearchParams(this.query);
    for (const [name, value] of Object.entries(changes)) {
      if (value) next.set(name, value);
      else next.delete(name);
    }
    const text = next.toString();
    return named("runs", this.run, this.path) + (text ? `?${text}` : "");
  }

  /**
   * @param {ListedGame} game
   * @param {string[]} failures
   */
  #row(game, failures) {
    const [first, second] = WINNERS[game.result] ?? ["", ""];
    return el(
      "tr",
      null,
      el("th", { scope: "row" }, el("a", { href: named("runs", this.run, "games", game.number) }, String(game.number))),
      el("td", { class: `left ${first}` }, game.first),
      el("td", null, game.result.replaceAll("1/2", "½")),
      el("td", { class: `left ${second}` }, game.second),
      el("td", { class: "more" }, String(game.plies)),
      el("td", { class: `left reason${failures.includes(game.termination) ? " failed" : ""}` }, game.reason),
      el("td", { class: "more" }, clock(game.finished)),
    );
  }

  /** @param {GamesPage} found */
  #sheets({ page, pages: count }) {
    if (count < 2) return null;
    const link = (/** @type {number} */ number, /** @type {string} */ text) => (number < 1 || number > count ? null : el("a", { href: this.#address({ page: number > 1 ? String(number) : "" }) }, text));
    return el("nav", { class: "sheets", "aria-label": "Sheets" }, link(page - 1, "← newer"), ` ${page} of ${count} `, link(page + 1, "older →"));
  }
}
