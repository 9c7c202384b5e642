// The state of a run: a snapshot, and the changes since. web/run_model.py applies the same changes.

const SHOWN_EVENTS = 60;
const SHOWN_FAILURES = 50;
const MOST_ROWS = 200;

export class RunState {
  constructor(snapshot) {
    Object.assign(this, snapshot);
    this.places = new Map(this.players.map((name, place) => [name, place]));
    this.counts = new Map(this.pairs.map(([a, b, ...counts]) => [this.key(a, b), counts]));
    this.results = new Map();
    this.rank();
  }

  key(a, b) {
    return Math.min(a, b) * this.players.length + Math.max(a, b);
  }

  apply(change) {
    if (change.seq <= this.seq) return;
    this.seq = change.seq;
    if (change.text) {
      this.events.push({ seq: change.seq, at: change.at, kind: change.kind, text: change.text });
      if (this.events.length > SHOWN_EVENTS) this.events.shift();
    }
    if (change.game) this.#count(change);
    if (change.failure) {
      this.failed.push(change.failure);
      if (this.failed.length > SHOWN_FAILURES) this.failed.shift();
      this.failures[this.places.get(change.failure.player)] += 1;
    }
    if (change.ratings) this.#look(change.ratings);
  }

  #count({ game: [first, second, result], number }) {
    const key = this.key(first, second);
    if (!this.counts.has(key)) this.counts.set(key, [0, 0, 0]);
    this.counts.get(key)[first < second ? result : 2 - result] += 1;
    this.results.set(number, ["1-0", "½-½", "0-1"][result]);
    if (this.results.size > 200) this.results.delete(this.results.keys().next().value);
  }

  #look(row) {
    const course = this.course;
    if (course.looks % course.stride === 0) course.rows.push(row);
    course.looks += 1;
    if (course.rows.length > MOST_ROWS) {
      course.rows = course.rows.filter((_, place) => place % 2 === 0);
      course.stride *= 2;
    }
  }

  /** Wins, draws, losses of a player against another one; null if they have not met. */
  against(a, b) {
    const counts = this.counts.get(this.key(a, b));
    return counts ? (a < b ? counts : [...counts].reverse()) : null;
  }

  /** Wins, draws, losses of every player, by place. */
  totals() {
    const found = this.players.map(() => [0, 0, 0]);
    for (const [key, [wins, draws, losses]] of this.counts) {
      const a = found[Math.floor(key / this.players.length)];
      const b = found[key % this.players.length];
      a[0] += wins; a[1] += draws; a[2] += losses;
      b[0] += losses; b[1] += draws; b[2] += wins;
    }
    return found;
  }

  get finished() {
    let sum = 0;
    for (const counts of this.counts.values()) sum += counts[0] + counts[1] + counts[2];
    return sum;
  }

  /**
   * Note the `ratings` by place, undefined for a player without one, and the `order` of the places from the best player
   * down: by rating, without one by score, without games last. All parts of the page show these.
   */
  rank() {
    this.ratings = [];
    for (const player of this.standings?.players ?? []) this.ratings[this.places.get(player.name)] = player;
    const rated = (this.standings?.players ?? []).filter((player) => player.games).map((player) => this.places.get(player.name)).filter((place) => place !== undefined);
    const known = new Set(rated);
    const totals = this.totals();
    const score = ([wins, draws, losses]) => (wins + draws / 2) / (wins + draws + losses || -1); // without games below 0
    const rest = this.players.map((_, place) => place).filter((place) => !known.has(place));
    rest.sort((a, b) => score(totals[b]) - score(totals[a]) || a - b);
    this.order = [...rated, ...rest];
  }

  /** Take the positions of the running games. */
  move({ all, changed = [], ended = [] }) {
    if (all) this.tables = all;
    const boards = new Map(this.tables.map((board) => [board.number, board]));
    for (const number of ended) boards.delete(number);
    for (const board of changed) boards.set(board.number, board);
    this.tables = [...boards.values()];
  }
}
