// Games under way: at a table of the server, or on this page alone. Both call `show` with each new state.

import { at, get, post } from "./dom.js";
import { mover } from "./sides.js";
import { Silence } from "./silence.js";

/**
 * @import { PlayState, Replay } from "./documents.d.ts"
 * @import { ShownGame, Wanted } from "./page_types.d.ts"
 */

/** @typedef {(state: ShownGame) => void} Show */

const HIDDEN_MS = 30000;

/** Two people on one screen; the server gives the positions. */
export class LocalGame {
  /**
   * @param {string} id
   * @param {[string, string]} names
   * @param {Show} show
   */
  constructor(id, names, show) {
    /** @type {number | null} */
    this.resigned = null;
    /** @type {Replay | null} */
    this.replay = null;
    this.id = id;
    this.names = names;
    this.show = show;
  }

  begin() {
    this.resigned = null;
    return this.#set([]);
  }

  get #moves() {
    return this.replay?.moves ?? [];
  }

  /** @param {string} move */
  move(move) {
    return this.#set([...this.#moves, move]);
  }

  undo() {
    const resigned = this.resigned !== null;
    this.resigned = null;
    return this.#set(resigned ? this.#moves : this.#moves.slice(0, -1));
  }

  /** Only a game at a table of the server has an engine that gives hints. */
  hint() {}

  /** Nor has this one an engine that could fail. */
  retry() {}

  resign() {
    if (!this.replay) return;
    this.resigned = mover(this.replay, this.replay.moves.length);
    this.#present(this.replay);
  }

  close() {}

  /** @param {string[]} moves */
  async #set(moves) {
    /** @type {Replay} */
    const replay = await get(`/api/games/${this.id}/replay?moves=${encodeURIComponent(moves.join(" "))}`);
    this.replay = replay;
    this.#present(replay);
  }

  /** @param {Replay} last */
  #present(last) {
    const { names, resigned } = this;
    const replay = resigned === null ? last
      : { ...last, legal: [], result: resigned ? "1-0" : "0-1", text: `${names[resigned]} resigned: ${names[1 - resigned]} wins` };
    this.show({
      names, level: "", replay, result: replay.result, people: [true, true], thinks: false, scores: [], report: null, hint: null, error: "", note: "",
    });
  }
}

/** A game at a table of the server, whose states come as a stream of events. */
export class ServerGame {
  /**
   * `wanted` is the request for a new game. `show` gets the states, `gone` is called when the server has closed the
   * game, `lost` when the server does not answer; a state follows if it answers again.
   * @param {string} id
   * @param {Wanted | null} wanted
   * @param {{ show: Show, gone: () => void, lost: () => void }} calls
   */
  constructor(id, wanted, { show, gone, lost }) {
    this.id = id;
    this.wanted = wanted;
    this.show = show;
    this.gone = gone;
    this.lost = lost;
    this.version = -1;
    this.plies = 0;
    this.key = "";
    /** @type {EventSource | null} */
    this.source = null;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
    this.silence = new Silence(() => {
      this.lost();
      this.#listen();
    });
    this.visibility = () => this.#look();
    document.addEventListener("visibilitychange", this.visibility);
  }

  async begin() {
    const state = await post("/api/play", { game: this.id, ...this.wanted });
    history.replaceState(null, "", `?id=${state.id}`);
    this.#open(state);
  }

  /** @param {string} key */
  async follow(key) {
    this.#open(await get(`/api/play/${encodeURIComponent(key)}`));
  }

  /** @param {string} move */
  move(move) {
    return this.#ask("move", { move, ply: this.plies });
  }

  undo() { return this.#ask("undo"); }
  hint() { return this.#ask("hint"); }
  resign() { return this.#ask("resign"); }
  retry() { return this.#ask("retry"); }

  async close() {
    this.#leave();
    clearTimeout(this.timer);
    document.removeEventListener("visibilitychange", this.visibility);
    if (this.key) await post(`/api/play/${this.key}/close`, {}).catch(() => {});
  }

  /**
   * @param {string} word
   * @param {object} [body]
   */
  async #ask(word, body = {}) {
    this.#take(await post(`/api/play/${this.key}/${word}`, body));
  }

  /** @param {PlayState} state */
  #open(state) {
    this.key = state.id ?? "";
    this.#take(state);
    this.#listen();
  }

  #listen() {
    this.source?.close();
    const source = this.source = new EventSource(at(`/api/play/${this.key}/live`));
    this.silence.watch(source);
    source.addEventListener("state", (event) => {
      this.silence.begin();
      this.#take(JSON.parse(event.data));
    });
    source.addEventListener("gone", () => {
      this.#leave();
      this.gone();
    });
    source.onerror = () => { // a server that has begun anew does not know the game
      if (source.readyState !== EventSource.CLOSED) return this.lost();
      this.silence.end();
      this.gone();
    };
  }

  #leave() {
    this.source?.close();
    this.silence.end();
  }

  /** A page that is hidden for a while needs no stream. */
  #look() {
    clearTimeout(this.timer);
    if (!document.hidden && this.source?.readyState === EventSource.CLOSED) this.#listen();
    if (document.hidden) this.timer = setTimeout(() => this.#leave(), HIDDEN_MS);
  }

  /** @param {PlayState} state */
  #take(state) {
    const { version = 0 } = state;
    if (version < this.version) return;
    this.version = version;
    this.plies = state.replay.moves.length;
    this.show(state);
  }
}
