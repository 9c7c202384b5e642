// What the boards take, also from reports: `make lint` checks that the documents of games/geometry.py and
// games/replay.py, which web/static/documents.d.ts has, are among it.

/** A place [x, y] on a picture, and more numbers of a view. */
export type Point = number[];

/** A box x, y, width, height. */
export type Box = [number, number, number, number];

export interface Cell {
  name: string;
  move: string;
  x: number;
  y: number;
  layer: number;
}

export interface Region {
  name: string;
  place: string;
  x: number;
  y: number;
  side: number;
  cells: number[];
}

export interface Piece {
  sign: string;
  side: number;
  name: string;
  /** Data of paths in hundredths of a cell. */
  shape: { body: string; lines: string } | null;
}

export interface Geometry {
  game: string;
  name: string;
  sides: [string, string];
  ground: string;
  stones: string;
  /** Whether the name of a move begins with the names of two cells. */
  steps: boolean;
  pieces: Piece[];
  /** Whether the larger area wins. */
  area: boolean;
  width: number;
  height: number;
  layers: number;
  columns: string[];
  rows: string[];
  cells: Cell[];
  lines: [number, number, number, number][];
  stars: number[];
  regions: Region[];
  drops: Record<string, number[] | undefined>;
}

export interface Forbidden {
  cell: number;
  kind: string;
  sign: string;
}

/** A cell, and its piece after a move: its place in `Geometry.pieces`, from 1, or 0. */
export type Change = [number, number];

export interface Replay {
  game: string;
  start?: string;
  /** The drawing after each ply, of a game without cells; nothing about cells is there then. */
  boards?: string[];
  stones: number[];
  first: number;
  moves: string[];
  changes: Change[][];
  regions: Record<number, string | undefined>;
  forbidden: Record<number, Forbidden[] | undefined>;
  legal: string[];
  /** The moves as people write them; empty or missing if they write them as `moves`. */
  names?: string[];
  /** Illegal steps after the last ply that have a reason of their own. */
  refused?: Record<string, string | undefined>;
  result?: string;
  text?: string;
  lines: number[][];
  sides?: string;
  /** A figure for each cell at the end: 1 or 2 on an empty one of a side, else 0. */
  area?: string;
  /** The stones that each side has lost, of a replay whose changes do not take them; missing: the changes do. */
  lost?: [number, number];
}

/** The score that a side gave when it made the move of a ply, from 1; 0 the first player loses, 1 it wins. */
export interface Score {
  ply: number;
  side: number;
  value: number;
}

/** Text and place of a label. */
export type Label = [string, number, number, number];

/** A view of a board (views.js). */
export interface View {
  /** x, y, the size of a cell and its nearness, from 0 to 1. */
  project(x: number, y: number, layer: number): [number, number, number, number];
  labels(): Label[];
}

/** What `append` takes, in lists of any depth; nothing is left out. */
export type Child = Node | string | null | undefined | Child[];

// deno-lint-ignore no-explicit-any
export type Attributes = Record<string, any> | null;
