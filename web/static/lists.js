// The failures and the events of a run, the latest first.
import { el, named } from "./dom.js";
import { clock } from "./format.js";

/**
 * @import { RunModel } from "./run_model.js"
 * @import { RunEvent } from "./documents.d.ts"
 */

export class Failures {
  /** @param {string} run */
  constructor(run) {
    this.run = run;
    this.shown = "";
    this.list = el("ol", { class: "plain" });
    this.none = el("p", { class: "muted" }, "None.");
    this.element = el("section", { id: "failures" }, el("h2", null, "Failures"), this.none, el("div", { class: "tall", tabindex: 0, role: "region", "aria-label": "Failures" }, this.list));
  }

  /** @param {RunModel} state */
  show({ failed, id }) {
    this.none.hidden = failed.length > 0;
    const shown = `${id} ${failed.at(-1)?.number} ${failed.length}`;
    if (this.shown === shown) return;
    this.shown = shown;
    this.list.replaceChildren(
      ...[...failed].reverse().map(({ number, player, termination, detail }) =>
        el("li", null, el("a", { href: named("runs", this.run, "games", number) }, `Game ${number}`), " ", el("a", { href: `${named("runs", this.run, "player")}?player=${encodeURIComponent(player)}` }, player), ": ", el("b", { class: "failed" }, termination), detail ? `: ${detail}` : ""),
      ),
    );
  }
}

export class Events {
  /** @param {string} run */
  constructor(run) {
    this.run = run;
    this.list = el("ol", { class: "plain" });
    this.element = el("section", { id: "events" }, el("h2", null, "Events"), el("div", { class: "tall", tabindex: 0, role: "region", "aria-label": "Events" }, this.list));
    /** @type {Map<number, HTMLLIElement>} */
    this.rows = new Map();
  }

  /** @param {RunModel} state */
  show({ events }) {
    const shown = new Set(events.map(({ seq }) => seq));
    for (const [seq, row] of this.rows) {
      if (shown.has(seq)) continue;
      row.remove();
      this.rows.delete(seq);
    }
    for (const event of events) {
      if (this.rows.has(event.seq)) continue;
      const row = el("li", { class: event.kind }, el("time", { datetime: event.at }, clock(event.at)), " ", ...this.#linked(event));
      this.rows.set(event.seq, row);
      this.list.prepend(row);
    }
  }

  /** @param {RunEvent} event */
  #linked({ kind, text }) {
    const found = kind === "finished" ? /^Finished game (\d+)/.exec(text) : null;
    if (!found) return [text];
    return [el("a", { href: named("runs", this.run, "games", found[1]) }, `Game ${found[1]}`), text.slice(found[0].length)];
  }
}
