// The form for a new game: sides, players, limit, name.

import { el } from "./dom.js";

/**
 * @import { Geometry, Rival, RivalsDocument } from "./documents.d.ts"
 * @import { Wanted } from "./page_types.d.ts"
 */

const TIMES_MS = [100, 300, 1000, 3000, 10000, 30000];
const NODES = [1, 100, 1000, 10000, 100000, 1000000];

export class Setup {
  /**
   * `offered` are the players of the server for this game; `begin` takes the request for a game. `side` is chosen at
   * first for the person, if it is `first` or `second`.
   * @param {Geometry} geometry
   * @param {RivalsDocument} offered
   * @param {(wanted: Wanted) => unknown} begin
   * @param {string | null} side
   */
  constructor(geometry, offered, begin, side = null) {
    this.geometry = geometry;
    const some = offered.players.length > 0;
    this.mode = select("You play", [
      ...(some ? [["first", `${geometry.sides[0]}, first`], ["second", `${geometry.sides[1]}, second`]] : []),
      ["both", "both sides, two people here"],
      ...(some ? [["watch", "neither side, two engines play"]] : []),
    ]);
    if (some && (side === "first" || side === "second")) this.mode.input.value = side;
    /** @type {[string, string][]} */
    const players = offered.players.map((one) => [one.name, labelOf(one)]);
    this.first = select(`${geometry.sides[0]}`, players);
    this.opponent = select("Against", players);
    this.limit = select("Limit", [
      ...TIMES_MS.filter((time) => time <= offered.most_ms).map((time) => [`t${time}`, timeText(time, offered.rated_ms)]),
      ...NODES.map((nodes) => [`n${nodes}`, `${nodes.toLocaleString("en")} ${nodes === 1 ? "node" : "nodes"} a move`]),
    ]);
    this.person = el("input", { maxlength: "40", autocomplete: "off", placeholder: "optional, for a rating" });
    const name = field("Your name", this.person);
    const form = el("form", { onsubmit: (/** @type {SubmitEvent} */ event) => { event.preventDefault(); begin(this.wanted()); } },
      this.mode.box, this.first.box, this.opponent.box, this.limit.box, name.box, el("button", { class: "primary" }, "Start"));
    const look = () => {
      const mode = this.mode.input.value;
      this.first.box.hidden = mode !== "watch";
      this.opponent.box.hidden = this.limit.box.hidden = mode === "both";
      this.opponent.label.textContent = mode === "watch" ? geometry.sides[1] : "Against";
      name.box.hidden = mode === "both" || mode === "watch" || !offered.players.some((one) => one.elo !== null);
    };
    this.mode.input.addEventListener("change", look);
    look();
    const none = some ? [] : [el("p", { class: "muted" }, "This server offers no engines: start it with --play shipped.")];
    this.element = el("details", { class: "play-setup", open: true }, el("summary", {}, "New game"), none, form);
  }

  /**
   * Return the request for a game of two people on this page.
   * @returns {Wanted}
   */
  alone() {
    return { first: "", second: "", names: this.geometry.sides };
  }

  /**
   * Return the request that the form describes.
   * @returns {Wanted}
   */
  wanted() {
    const mode = this.mode.input.value;
    if (mode === "both") return this.alone();
    const opponent = this.opponent.input.value, limit = this.limit.input.value;
    const unit = limit[0] === "t" ? "time_ms" : "nodes";
    return {
      first: mode === "first" ? "" : mode === "watch" ? this.first.input.value : opponent,
      second: mode === "second" ? "" : opponent,
      person: mode === "watch" ? "" : this.person.value.trim(),
      [unit]: Number(limit.slice(1)),
    };
  }
}

/**
 * @param {string} title
 * @param {string[][]} options
 */
function select(title, options) {
  return field(title, el("select", {}, options.map(([value, text]) => el("option", { value }, text))));
}

/**
 * @template {HTMLElement} E
 * @param {string} title
 * @param {E} input
 */
function field(title, input) {
  input.id = `field-${title.replaceAll(/\W/g, "-")}`;
  const label = el("label", { for: input.id }, title);
  return { input, label, box: el("div", { class: "field" }, label, input) };
}

/** @param {Rival} player */
function labelOf({ name, elo, error }) {
  return elo === null ? name : `${name} (${elo > 0 ? "+" : ""}${Math.round(elo)} ± ${Math.round(error ?? 0)} Elo)`;
}

/**
 * @param {number} time
 * @param {number} rated
 */
function timeText(time, rated) {
  return `${time / 1000} s a move${time === rated ? ", rated" : ""}`;
}
