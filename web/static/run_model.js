// The state of a run: a snapshot, and the changes since. web/run_model.py applies the same changes.

/**
 * @import { Change, RunSnapshot, RunningGame, RunningGamesNews, StandingsRow } from "./documents.d.ts"
 * @import { Counts, CourseRow } from "./page_types.d.ts"
 */

const SHOWN_EVENTS = 60;
const SHOWN_FAILURES = 50;
const MOST_ROWS = 200;

export class RunModel {
  /** @param {RunSnapshot} snapshot */
  constructor(snapshot) {
    this.id = snapshot.id;
    this.name = snapshot.name;
    this.seq = snapshot.seq;
    this.players = snapshot.players;
    this.failures = snapshot.failures;
    this.failed = snapshot.failed;
    this.events = snapshot.events;
    this.course = snapshot.course;
    this.progress = snapshot.progress;
    this.plan = snapshot.plan;
    this.standings = snapshot.standings;
    this.nodes = snapshot.nodes;
    this.tables = snapshot.tables;
    /** @type {(StandingsRow | undefined)[]} */
    this.ratings = [];
    /** @type {number[]} */
    this.order = [];
    this.places = new Map(this.players.map((name, place) => [name, place]));
    /** @type {Map<number, Counts>} */
    this.counts = new Map(snapshot.pairs.map(([a, b, ...counts]) => [this.key(a, b), counts]));
    /** @type {Map<number, string>} */
    this.results = new Map();
    this.rank();
  }

  /**
   * @param {number} a
   * @param {number} b
   */
  key(a, b) {
    return Math.min(a, b) * this.players.length + Math.max(a, b);
  }

  /** @param {Change} change */
  apply(change) {
    if (change.seq <= this.seq) return;
    this.seq = change.seq;
    if (change.text) {
      this.events.push({ seq: change.seq, at: change.at, kind: change.kind, text: change.text });
      if (this.events.length > SHOWN_EVENTS) this.events.shift();
    }
    if (change.game) this.#count(change.game, change.number ?? 0);
    if (change.failure) {
      this.failed.push(change.failure);
      if (this.failed.length > SHOWN_FAILURES) this.failed.shift();
      const place = this.places.get(change.failure.player);
      if (place !== undefined) this.failures[place] += 1;
    }
    if (change.ratings) this.#look(change.ratings);
  }

  /**
   * @param {[number, number, number]} game
   * @param {number} number
   */
  #count([first, second, result], number) {
    const key = this.key(first, second);
    const counts = this.counts.get(key) ?? [0, 0, 0];
    counts[first < second ? result : 2 - result] += 1;
    this.counts.set(key, counts);
    this.results.set(number, ["1-0", "½-½", "0-1"][result]);
    const [oldest] = this.results.keys();
    if (this.results.size > 200) this.results.delete(oldest);
  }

  /** @param {CourseRow} row */
  #look(row) {
    const course = this.course;
    if (course.looks % course.stride === 0) course.rows.push(row);
    course.looks += 1;
    if (course.rows.length > MOST_ROWS) {
      course.rows = course.rows.filter((_, place) => place % 2 === 0);
      course.stride *= 2;
    }
  }

  /**
   * Wins, draws, losses of a player against another one; null if they have not met.
   * @param {number} a
   * @param {number} b
   * @returns {Counts | null}
   */
  against(a, b) {
    const counts = this.counts.get(this.key(a, b));
    if (!counts || a < b) return counts ?? null;
    const [wins, draws, losses] = counts;
    return [losses, draws, wins];
  }

  /**
   * Wins, draws, losses of every player, by place.
   * @returns {Counts[]}
   */
  totals() {
    /** @type {Counts[]} */
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
    /** @type {number[]} */
    const rated = [];
    for (const player of this.standings?.players ?? []) {
      const place = this.places.get(player.name);
      if (place === undefined) continue;
      this.ratings[place] = player;
      if (player.games) rated.push(place);
    }
    const known = new Set(rated);
    const totals = this.totals();
    const score = (/** @type {Counts} */ [wins, draws, losses]) => (wins + draws / 2) / (wins + draws + losses || -1); // without games below 0
    const rest = this.players.map((_, place) => place).filter((place) => !known.has(place));
    rest.sort((a, b) => score(totals[b]) - score(totals[a]) || a - b);
    this.order = [...rated, ...rest];
  }

  /**
   * Take the positions of the running games.
   * @param {RunningGamesNews} tables
   */
  move({ all, changed = [], ended = [] }) {
    if (all) this.tables = all;
    const boards = new Map(this.tables.map((board) => [board.number, board]));
    for (const number of ended) boards.delete(number);
    for (const board of changed) boards.set(board.number, board);
    this.tables = [...boards.values()];
  }
}
