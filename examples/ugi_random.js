// A complete tournament player in one file: random ultimate tic-tac-toe over UGI on standard input and output.
//
// It needs Node.js alone. Copy it, put your own idea into `choose`, and name it in a schedule:
//
//     [[players]]
//     name = "mine"
//     command = ["node", "ugi_random.js"]
//
// Squares are named a1 (bottom left) to i9 (top right). Boards and the cells of a board are numbered 0 to 8 from the
// top left, row by row.

"use strict";

const LINES = [[0, 1, 2], [3, 4, 5], [6, 7, 8], [0, 3, 6], [1, 4, 7], [2, 5, 8], [0, 4, 8], [2, 4, 6]];
const ANY = -1;
const SEED = "option name seed type spin default 0 min 0 max 2147483647";
const PLACES = [...Array(9).keys()];

/**
 * Name a cell of a local board: board 0, cell 0 is a9.
 * @param {number} board
 * @param {number} cell
 */
function square(board, cell) {
  const column = (board % 3) * 3 + (cell % 3);
  const row = Math.floor(board / 3) * 3 + Math.floor(cell / 3);
  return "abcdefghi"[column] + (9 - row);
}

/**
 * @param {string[]} cells
 * @param {string} side
 */
function hasLine(cells, side) {
  return LINES.some((line) => line.every((place) => cells[place] === side));
}

/** Nine local boards, the board that must be played in (ANY: an open one), and the side to move. */
class Position {
  constructor() {
    this.boards = PLACES.map(() => Array(9).fill("."));
    this.won = Array(9).fill("."); // the state of each board: X, O, # (full) or . (open)
    this.target = ANY;
    this.side = "X";
  }

  /**
   * Read `SIDE;BOARDS;CELLS/CELLS/…`: X or O; nine of `XO#.@` (@: the next board); nine times nine of `XO.`.
   * @param {string} text
   */
  static parse(text) {
    if (!/^[XO];[XO#.@]{9};[XO.]{9}(\/[XO.]{9}){8}$/.test(text)) throw new Error(`no position: ${text}`);
    const position = new Position();
    const [side, marks, cells] = text.split(";");
    position.side = side;
    position.boards = cells.split("/").map((board) => [...board]);
    position.target = marks.indexOf("@");
    position.won = [...marks.replaceAll("@", ".")];
    return position;
  }

  /** Return the names of all moves; none when the game is over. */
  legalMoves() {
    if (hasLine(this.won, "X") || hasLine(this.won, "O")) return [];
    const open = PLACES.filter((board) => this.won[board] === "." && [ANY, board].includes(this.target));
    return open.flatMap((board) =>
      PLACES.filter((cell) => this.boards[board][cell] === ".").map((cell) => square(board, cell)),
    );
  }

  /**
   * Play a legal move; another one is an error.
   * @param {string} name
   */
  play(name) {
    if (!this.legalMoves().includes(name)) throw new Error(`illegal move: ${name}`);
    const column = name.charCodeAt(0) - "a".charCodeAt(0);
    const row = 9 - Number(name[1]);
    const board = Math.floor(row / 3) * 3 + Math.floor(column / 3);
    const cell = (row % 3) * 3 + (column % 3);
    this.boards[board][cell] = this.side;
    if (hasLine(this.boards[board], this.side)) this.won[board] = this.side;
    else if (!this.boards[board].includes(".")) this.won[board] = "#";
    this.target = this.won[cell] === "." ? cell : ANY;
    this.side = this.side === "X" ? "O" : "X";
  }
}

let state = Date.now() >>> 0;

/**
 * Return a random number from 0 to bound - 1: mulberry32, since Math.random takes no seed.
 * @param {number} bound
 */
function below(bound) {
  state = (state + 0x6d2b79f5) >>> 0;
  let mixed = Math.imul(state ^ (state >>> 15), state | 1);
  mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
  return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * bound);
}

/**
 * Return the move to play, `none` if there is none. This is the place for a better idea.
 * @param {Position} position
 */
function choose(position) {
  const moves = position.legalMoves();
  return moves.length ? moves[below(moves.length)] : "none";
}

/**
 * Read the words after `position`: `startpos` or `fen TEXT`, then perhaps `moves m1 m2 …`.
 * @param {string[]} words
 */
function readPosition(words) {
  if (!["startpos", "fen"].includes(words[0])) throw new Error("expected startpos or fen");
  const position = words[0] === "fen" ? Position.parse(words[1] ?? "") : new Position();
  const at = words.indexOf("moves");
  for (const move of at < 0 ? [] : words.slice(at + 1)) position.play(move);
  return position;
}

/**
 * Return the answer to a query of a runner that asks its engines about the game.
 * @param {string} query
 * @param {Position} position
 */
function inform(query, position) {
  const over = !position.legalMoves().length;
  if (query === "gameover") return String(over);
  if (query === "p1turn") return String(position.side === "X");
  if (query !== "result") return "unknown";
  if (hasLine(position.won, "X")) return "p1win";
  return hasLine(position.won, "O") ? "p2win" : over ? "draw" : "none";
}

let position = new Position();

/**
 * Return the answer to a line; empty for none. Limits of time do not matter: random is always fast enough.
 * @param {string} line
 */
function answer(line) {
  const [command, ...words] = line.trim().split(/\s+/);
  switch (command) {
    case "ugi":
      return `id name ugi_random_js\nid author Fiedler\n${SEED}\nugiok\n`;
    case "isready":
      return "readyok\n";
    case "setoption":
      if (words[1] === "seed") state = Number(words[3]) >>> 0;
      return "";
    case "uginewgame":
      position = new Position();
      return "";
    case "position":
      position = readPosition(words);
      return "";
    case "query":
      return `response ${inform(words[0], position)}\n`;
    case "go":
      return `bestmove ${choose(position)}\n`;
    case "quit":
      process.exit(0);
  }
  return "";
}

const lines = require("readline").createInterface({ input: process.stdin, terminal: false });
lines.on("line", (line) => {
  let text;
  try {
    text = answer(line);
  } catch (error) {
    text = `info string error: ${/** @type {Error} */ (error).message}\n`;
  }
  if (text) require("fs").writeSync(1, text); // at once: a runner waits for it
});
