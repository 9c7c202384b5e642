// The head of the page of a run: name, state, progress, answer, warnings.
import { el, named } from "./dom.js";
import { clock, counted, number } from "./format.js";

/** @import { RunModel } from "./run_model.js" */

/** @type {Record<string, string>} */
const STOPPED = {
  interrupted: "interrupted: no manager is at work",
  failed: "failed: the manager ended with an error",
};

/**
 * Return the state of a run in words, with the command that resumes it, as far as that is known.
 * @param {{state: string, command?: string | null}} run
 */
export function stateText({ state, command }) {
  if (!(state in STOPPED)) return state;
  return `${STOPPED[state]}; the same command resumes the run${command ? `: ${command}` : ""}`;
}

export class Headline {
  /** @param {string} run */
  constructor(run) {
    this.lost = false;
    this.wrong = "";
    this.shown = "";
    this.title = el("h1", null, run);
    this.state = el("span", { class: "state" }, "");
    this.link = el("p", { class: "warning", role: "status", hidden: true });
    this.bar = el("progress", { max: 1, value: 0, "aria-label": "finished games" });
    this.numbers = el("p", { class: "numbers" });
    this.answer = el("p", { class: "answer" });
    this.notes = el("div");
    this.links = el("nav", { class: "parts", "aria-label": "Parts of this page" });
    this.element = el("section", { class: "wide head" }, this.title, this.state, this.link, this.bar, this.numbers, this.answer, this.notes, this.links);
    const parts = { standings: "Standings", running: "Running games", crosstable: "Crosstable", graph: "Meeting graph", course: "Ratings", failures: "Failures", events: "Events" };
    this.links.append(...Object.entries(parts).map(([id, title]) => el("a", { href: `#${id}` }, title)), el("a", { href: named("runs", run, "games") }, "All games"),
      ...document.body.dataset.public ? [] : [el("a", { href: named("api", "runs", run, "games.pgn"), download: "" }, "PGN"), el("a", { href: named("runs", run, "report.html") }, "Report")]);
  }

  /**
   * Say whether the stream is open.
   * @param {boolean} open
   */
  connected(open) {
    this.lost = !open;
    this.#warn();
  }

  /**
   * Say why there is no data; empty: there is.
   * @param {string} text
   */
  trouble(text) {
    this.wrong = text;
    this.#warn();
  }

  #warn() {
    const text = this.lost ? "No connection to the server; trying again." : this.wrong;
    this.link.hidden = !text;
    if (this.link.textContent !== text) this.link.textContent = text;
  }

  /** @param {RunModel} state */
  show({ name, progress, standings, finished, players }) {
    const games = Math.max(progress.finished, finished);
    this.title.textContent = name;
    this.state.textContent = stateText(progress);
    this.state.dataset.state = progress.state;
    this.bar.max = Math.max(1, progress.expected);
    this.bar.value = games;
    const text = games === progress.finished ? progress.text : progress.text.replace(/^\d+/, String(games));
    const pace = !progress.per_minute ? "" : `${number(progress.per_minute, progress.per_minute < 10 ? 1 : 0)} games per minute`;
    const facts = [progress.game, counted(players.length, "player"), text, pace, progress.time_left, progress.void_text];
    this.numbers.title = "void: an attempt without a fault of the players; given up: a planned game that is not played, since a player was benched or the run was decided";
    this.numbers.textContent = facts.filter(Boolean).join(" · ");
    const said = standings?.answer?.text ?? "";
    const older = standings && standings.games < games ? `, after ${counted(standings.games, "game")}` : "";
    this.answer.textContent = said && said + older;
    const notes = [
      ...Object.entries(progress.benched).map(([player, why]) => `${player} is benched: ${why}`),
      ...Object.entries(progress.away ?? {}).map(([player, since]) => `${player} is away since ${clock(since)}; its games wait`),
      ...Object.entries(progress.absent).map(([player, why]) => `${player} ${why}`),
      ...(standings?.warnings ?? []),
    ];
    if (this.shown !== notes.join("\n")) {
      this.shown = notes.join("\n");
      this.notes.replaceChildren(...notes.map((note) => el("p", { class: "warning" }, note)));
    }
  }
}
