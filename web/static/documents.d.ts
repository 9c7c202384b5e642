// The documents of the server (docs/web.md), for the check of types (`make lint`).

import type { Change as CellChange, Replay, Score } from "../../games/static/types.d.ts";

/** Wins, draws, losses. */
export type Counts = [number, number, number];

/** Those of the games that a player began, and of the others. */
export type Sides = [Counts, Counts];

export interface Rating {
  name: string;
  elo: number | null;
  plus: number | null;
  minus: number | null;
  los?: number | null;
  games: number;
}

export interface Standings {
  games: number;
  players: Rating[];
  answer: { text: string } | null;
  warnings: string[];
}

export interface Progress {
  game: string;
  /** The command that resumes the run; empty if it is unknown. */
  command?: string;
  state: string;
  text: string;
  void_text: string;
  time_left: string;
  finished: number;
  expected: number;
  per_minute: number | null;
  /** Player -> reason. */
  benched: Record<string, string>;
  /** Player -> ISO time. */
  away?: Record<string, string>;
  absent: Record<string, string>;
}

/** Finished games, and the Elo of every player by its place. */
export type CourseRow = [number, (number | null | undefined)[]];

export interface Course {
  stride: number;
  looks: number;
  rows: CourseRow[];
}

export interface RunEvent {
  seq: number;
  at: string;
  kind: string;
  text: string;
}

export interface FailedGame {
  number: number;
  player: string;
  termination: string;
  detail: string;
}

/** What one event changes; web/run_model.py. */
export interface Change {
  seq: number;
  at: string;
  kind: string;
  text?: string;
  /** Places of the players; 0, 1, 2 for a win of the first, a draw, a win of the second. */
  game?: [number, number, number];
  number?: number;
  failure?: FailedGame;
  ratings?: CourseRow;
}

/** A running game; tournament/run/live.py and web/running.py. */
export interface Table {
  number: number;
  first: string;
  second: string;
  moves: string[];
  to_move: number;
  /** The side of each move, 0 or 1; empty: they took turns. */
  sides: string;
  clock_ms: [number, number] | null;
  score: number | null;
  depth: number | null;
  /** The cells with a piece; null: the game has no board of cells. */
  cells: CellChange[] | null;
  /** The cell of the last move; null without one. */
  last: number | null;
  regions: string;
  /** The stones that each side has lost; null in games that do not count them. */
  lost: [number, number] | null;
}

export interface Tables {
  all?: Table[];
  changed?: Table[];
  ended?: number[];
}

/** A node of a cluster; tournament/run/node_table.py. A public page has no address and no reasons. */
export interface NodeRow {
  name: string;
  address?: string;
  state: string;
  why?: string;
  tables: number;
  games: number;
  void: number;
  /** Nodes a second of a fixed search; 0: unknown. */
  nps: number;
  heard: string;
  /** Player -> reason. */
  cannot?: Record<string, string>;
  games_per_minute: number | null;
  agreement: { chi_square: number; degrees: number; p_value: number } | null;
  /** Player -> standard deviations. */
  outliers: Record<string, number>;
}

export interface Nodes {
  at: string;
  nodes: NodeRow[];
}

export interface Snapshot {
  id: string;
  name: string;
  seq: number;
  players: string[];
  /** Places of two players, and the wins of the first, draws, losses. */
  pairs: [number, number, number, number, number][];
  failures: number[];
  failed: FailedGame[];
  events: RunEvent[];
  course: Course;
  progress: Progress;
  /** Places of two players, and their games. */
  plan: [number, number, number][];
  standings: Standings | null;
  nodes: Nodes | null;
  tables: Table[];
}

export interface ListedRun {
  name: string;
  error?: string;
  state: string;
  game: string;
  players: number;
  finished: number;
  expected: number;
  given_up: number;
  last: string | null;
}

export interface ListedGame {
  number: number;
  first: string;
  second: string;
  result: string;
  termination: string;
  reason: string;
  plies: number;
  finished: string;
}

export interface GamesPage {
  count: number;
  page: number;
  pages: number;
  players: string[];
  /** The values of the filter of that name. */
  terminations: string[];
  /** Those that are a player's failure. */
  failures: string[];
  games: ListedGame[];
}

/** A game of the plan, finished or not. */
export interface GameDocument {
  number: number;
  game: string;
  first: string;
  second: string;
  opening: string[];
  start: string;
  moves: string[];
  /** The forms in which the finished game can be saved: pgn, sgf. */
  files: string[];
  result: string | null;
  replay: Replay | null;
  reason: string;
  started: string;
  finished: string;
  scores?: Score[];
  seconds?: number[];
}

/** What the documents of a player and of a pair share. */
export interface Results {
  sides: Sides;
  ranking: Rating[];
  final: boolean;
}

export interface PlayerDocument extends Results {
  benched: string;
  absent: string;
  opponents: { name: string; sides: Sides }[];
  failures: Record<string, number>;
}

export interface PairDocument extends Results {
  score: string;
  failures: Record<string, Record<string, number>>;
}

export interface OfferedPlayer {
  name: string;
  elo: number | null;
  error: number | null;
}

export interface Offered {
  players: OfferedPlayer[];
  /** The forms in which a game can be saved. */
  files: string[];
  most_ms: number;
  rated_ms: number;
}

/** The request for a game; `names` are those of two people at this page. */
export interface Wanted {
  first: string;
  second: string;
  names?: [string, string];
  person?: string;
  time_ms?: number;
  nodes?: number;
}

export interface Report {
  value: number | null;
  mate: number | null;
  depth: number | null;
  nodes: number | null;
  nps: number | null;
  pv: string[];
}

/** The state of a game with people; web/play/table.py. */
export interface PlayState {
  id?: string;
  version?: number;
  names: [string, string];
  /** That of the opponent, or empty. */
  level: string;
  people: boolean[];
  replay: Replay;
  result: string;
  thinks: boolean;
  scores: Score[];
  report: Report | null;
  hint: Report | null;
  error: string;
  note: string;
}
