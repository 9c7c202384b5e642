// The stream of a run: one for each page, closed while the page is hidden, and taken up again where it ended.
import { at } from "./dom.js";
import { Silence } from "./silence.js";

const HIDDEN_MS = 5000;
const AGAIN_MS = 2000;

/** @typedef {Record<string, (content: any) => unknown>} Handlers */

export class Live {
  #path;
  #handlers;
  /** @type {EventSource | null} */
  #source = null;
  #last = "";
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;
  #silence = new Silence(() => {
    this.#handlers.status(false);
    this.#open();
  });

  /**
   * `handlers`: a function for each kind of event, and `status`, which gets true while the stream is open.
   * @param {string} path
   * @param {Handlers} handlers
   */
  constructor(path, handlers) {
    this.#path = path;
    this.#handlers = handlers;
    document.addEventListener("visibilitychange", () => this.#see());
    addEventListener("pagehide", () => this.#close());
    addEventListener("pageshow", (event) => { if (event.persisted) this.#open(); });
    this.#open();
  }

  #open() {
    clearTimeout(this.#timer);
    this.#source?.close();
    const after = this.#last ? `${this.#path.includes("?") ? "&" : "?"}after=${encodeURIComponent(this.#last)}` : "";
    const source = (this.#source = new EventSource(at(this.#path + after)));
    this.#silence.watch(source);
    source.onopen = () => this.#handlers.status(true);
    source.onerror = () => {
      this.#handlers.status(false);
      // a refused connection is tried again by the browser, an answer such as 503 is not
      if (source.readyState === EventSource.CLOSED) this.#timer = setTimeout(() => this.#open(), AGAIN_MS);
    };
    for (const kind of Object.keys(this.#handlers)) {
      if (kind === "status") continue;
      source.addEventListener(kind, (event) => {
        this.#silence.begin();
        if (event.lastEventId) this.#last = event.lastEventId;
        this.#handlers[kind](JSON.parse(event.data));
      });
    }
  }

  #close() {
    clearTimeout(this.#timer);
    this.#silence.end();
    this.#source?.close();
    this.#source = null;
  }

  #see() {
    clearTimeout(this.#timer);
    if (document.hidden) this.#timer = setTimeout(() => this.#close(), HIDDEN_MS);
    else if (this.#source === null || this.#source.readyState === EventSource.CLOSED) this.#open();
  }
}
