// A line that is lost without a word: a browser notices it after minutes, or never.

const SILENT_MS = 40000; // the server sends `ping` after 15 s without anything else

export class Silence {
  #lost;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;

  /** @param {() => unknown} lost is called when a stream has been silent for too long */
  constructor(lost) {
    this.#lost = lost;
  }

  /**
   * Watch a stream from now on; `begin` is for its other events.
   * @param {EventSource} source
   */
  watch(source) {
    this.begin();
    source.addEventListener("ping", () => this.begin());
  }

  /** Begin to wait anew: the stream is alive. */
  begin() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.#lost, SILENT_MS);
  }

  /** Wait no more. */
  end() {
    clearTimeout(this.#timer);
  }
}
