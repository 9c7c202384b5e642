// Games under way: at a table of the server, or on this page alone. Both call `show` with each new state.

import { at, get, post } from "./dom.js";

const HIDDEN_MS = 30000;

/** Two people on one screen; the server gives the positions. */
export class LocalGame {
  constructor(id, names, show) {
    this.id = id;
    this.names = names;
    this.show = show;
  }

  begin() {
    this.resigned = null;
    return this.#set([]);
  }

  move(move) {
    return this.#set([...this.replay.moves, move]);
  }

  undo() {
    const resigned = this.resigned !== null;
    this.resigned = null;
    return this.#set(resigned ? this.replay.moves : this.replay.moves.slice(0, -1));
  }

  resign() {
    this.resigned = (this.replay.first + this.replay.moves.length) % 2;
    this.#present();
  }

  close() {}

  async #set(moves) {
    this.replay = await get(`/api/games/${this.id}/replay?moves=${encodeURIComponent(moves.join(" "))}`);
    this.#present();
  }

  #present() {
    const { names, resigned } = this;
    const replay = resigned === null ? this.replay
      : { ...this.replay, legal: [], result: resigned ? "1-0" : "0-1", text: `${names[resigned]} resigned: ${names[1 - resigned]} wins` };
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
   */
  constructor(id, wanted, { show, gone, lost }) {
    this.id = id;
    this.wanted = wanted;
    this.show = show;
    this.gone = gone;
    this.lost = lost;
    this.version = -1;
    this.visibility = () => this.#look();
    document.addEventListener("visibilitychange", this.visibility);
  }

  async begin() {
    const state = await post("/api/play", { game: this.id, ...this.wanted });
    history.replaceState(null, "", `?id=${state.id}`);
    this.#open(state);
  }

  async follow(key) {
    this.#open(await get(`/api/play/${encodeURIComponent(key)}`));
  }

  move(move) {
    return this.#ask("move", { move, ply: this.plies });
  }

  undo() { return this.#ask("undo"); }
  hint() { return this.#ask("hint"); }
  resign() { return this.#ask("resign"); }
  retry() { return this.#ask("retry"); }

  async close() {
    this.source?.close();
    clearTimeout(this.timer);
    document.removeEventListener("visibilitychange", this.visibility);
    if (this.key) await post(`/api/play/${this.key}/close`, {}).catch(() => {});
  }

  async #ask(word, body = {}) {
    this.#take(await post(`/api/play/${this.key}/${word}`, body));
  }

  #open(state) {
    this.key = state.id;
    this.#take(state);
    this.#listen();
  }

  #listen() {
    this.source?.close();
    this.source = new EventSource(at(`/api/play/${this.key}/live`));
    this.source.addEventListener("state", (event) => this.#take(JSON.parse(event.data)));
    this.source.addEventListener("gone", () => {
      this.source.close();
      this.gone();
    });
    this.source.onerror = () => { // a server that has begun anew does not know the game
      if (this.source.readyState === EventSource.CLOSED) this.gone();
      else this.lost();
    };
  }

  /** A page that is hidden for a while needs no stream. */
  #look() {
    clearTimeout(this.timer);
    if (!document.hidden && this.source?.readyState === EventSource.CLOSED) this.#listen();
    if (document.hidden) this.timer = setTimeout(() => this.source?.close(), HIDDEN_MS);
  }

  #take(state) {
    if (state.version < this.version) return;
    this.version = state.version;
    this.plies = state.replay.moves.length;
    this.show(state);
  }
}
