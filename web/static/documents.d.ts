// The documents of the server (docs/web.md). `python -m tools.schemas` makes this file from its types.

/** The results of a player against another one. */
export interface AgainstOne {
  name: string;
  sides: [[number, number, number], [number, number, number]];
}

/** The chi-square test of one place. */
export interface Agreement {
  /** nan without degrees of freedom. */
  chi_square: number;
  degrees: number;
  /** The probability of differences at least as large by chance alone; nan without degrees of freedom. */
  p_value: number;
  /** Player -> its points there above those expected, in standard deviations. */
  deviations: Record<string, number>;
}

/** The best player. Numbers are scaled Elo; None is unknown, or was not requested. */
export interface Answer {
  /** The sentence, without a full stop. */
  text: string;
  decided: boolean;
  /** The player of the highest rating, or the chosen one of a goal. */
  best: string | null;
  /** The probability that this player is the best one. */
  p_best: number | null;
  second: string | null;
  /** Rating of the first minus that of the second. */
  gap: number | null;
  /** Half of the 95 % interval of the gap. */
  gap_error: number | null;
  /** Missing games to the requested P(best), distributed as those so far, if the ratings stay the same; None if no number suffices, or the tournament is closed. */
  more_games: number | null;
  /** P-value of the hypothesis that all players are equal, in no order; computed only if none is known to be best. */
  p_equal: number | null;
  /** The trend of every series among the players, the longest series first. */
  trends: Trend[];
  /** With a goal, which chooses `best` by its posterior: the probability that it is within the goal's `best` Elo of the best player. */
  p_within: number | null;
  /** With a goal: its expected distance from the best player. */
  loss: number | null;
}

/** A place for a stone. */
export interface Cell {
  /** Its letter and number, after the number of the layer if there are layers. */
  name: string;
  /** The move that fills it, where moves fill cells: of a column that of the column, else its name. */
  move: string;
  /** The middle of the cell. */
  x: number;
  y: number;
  /** From 0, the lowest of a stack. */
  layer: number;
}

/** What one event changes. Players are numbered by their places, from 0. */
export interface Change {
  seq: number;
  at: string;
  kind: string;
  /** A line for the list of events. */
  text?: string;
  /** A finished game: first player, second player, and 0, 1, 2 for a win of the first, a draw, a win of the second. */
  game?: [number, number, number] | null;
  /** Of this game. */
  number?: number;
  failure?: FailedGame | null;
  /** A row of the course of the ratings. */
  ratings?: [number, (number | null)[]] | null;
}

/** The course of the ratings, thinned out. */
export interface Course {
  /** Every how manieth ranking is a row. */
  stride: number;
  /** Rankings so far. */
  looks: number;
  rows: ([number, (number | null)[]])[];
}

/** A game that a player lost by a failure. */
export interface FailedGame {
  number: number;
  player: string;
  termination: string;
  detail: string;
}

/** A point that is forbidden to the side to move. */
export interface Forbidden {
  cell: number;
  /** The rule, such as `double three`. */
  kind: string;
  /** The rule in one or two characters. */
  sign: string;
}

/** A game of the plan; one that is not finished has the moves of its opening alone. */
export interface GameDocument {
  /** From 1. */
  number: number;
  id: string;
  /** The player that moves first. */
  first: string;
  second: string;
  /** The moves that both players are given. */
  opening: string[];
  /** The position before them, in one word. */
  start: string;
  /** All moves, with those of the opening. */
  moves: string[];
  /** `1-0`, `1/2-1/2` or `0-1`; null if it is not finished. */
  result: string | null;
  /** Why it ended, in a word. */
  termination?: string;
  /** The same in a sentence. */
  reason?: string;
  /** ISO 8601. */
  started?: string;
  /** ISO 8601. */
  finished?: string;
  /** Those of both sides; a player that does not search has none. */
  scores?: PlyScore[];
  /** The thinking time of the first and of the second player. */
  seconds?: number[];
  /** The id of the game that is played. */
  game: string;
  /** The positions; null: the game is not known here. */
  replay: Replay | null;
  /** The forms in which it can be saved, `pgn` and `sgf`; none if it is not finished. */
  files: string[];
}

/** The request for a game. */
export interface GameRequest {
  /** Its id. */
  game: string;
  /** The engine that moves first; empty: a person. */
  first?: string;
  second?: string;
  /** The time of an engine for a move; without it and `nodes` the one of the ratings. */
  time_ms?: number | null;
  /** Instead of a time; the engine thinks for 30 s at most. */
  nodes?: number | null;
  /** The name of the person; with it a game against a rated player counts. */
  person?: string;
}

/** The games that people play here. */
export interface GamesDocument {
  games: ListedKind[];
}

/** A page of the finished games that were chosen, the last ones first. */
export interface GamesPage {
  /** Games that were chosen. */
  count: number;
  /** From 1. */
  page: number;
  pages: number;
  players: string[];
  /** The values of the filter of that name. */
  terminations: string[];
  /** Those that are the failure of a player. */
  failures: string[];
  games: ListedGame[];
}

/** A board. Indices of cells are those of `Grid.cells`. */
export interface Geometry {
  /** The id of the game. */
  game: string;
  name: string;
  /** The names of the first and the second player. */
  sides: [string, string];
  /** `squares`, `checks`, `holes` or `points`: stones are in squares, of one colour or of two in turn, behind holes, or on the crossings of lines. */
  ground: string;
  /** `signs`, X and O, `discs`, dark and light ones, or `pieces`, the shapes or signs of `pieces`. */
  stones: string;
  /** Whether the name of a move begins with the names of two cells: that of a piece, and its next one. */
  steps: boolean;
  /** The kinds of pieces; those of cells count from 1, 0 is an empty cell. */
  pieces: Piece[];
  /** Whether the larger area wins: stones that moves take are counted beside the board. */
  area: boolean;
  /** Cells in a row of a layer. */
  width: number;
  height: number;
  layers: number;
  /** The letters of the columns, from the left. */
  columns: string[];
  /** The numbers of the rows, from the top. */
  rows: string[];
  cells: Cell[];
  /** The lines of a layer. */
  lines: [number, number, number, number][];
  /** The cells of the star points. */
  stars: number[];
  regions: Region[];
  /** Of a column the cells that its discs fill, the lowest first; empty if a move names its cell. */
  drops: Record<string, number[]>;
}

/** A finished game in a list. */
export interface ListedGame {
  /** Of the plan, from 1. */
  number: number;
  /** The player that moved first. */
  first: string;
  second: string;
  /** `1-0`, `1/2-1/2` or `0-1`. */
  result: string;
  /** Why it ended, in a word. */
  termination: string;
  /** The same in a sentence. */
  reason: string;
  plies: number;
  /** ISO 8601. */
  finished: string;
}

/** A game that people play here. */
export interface ListedKind {
  id: string;
  name: string;
  description: string;
  /** Moves of a game, for a picture; separated by spaces. */
  example: string;
}

/** A run in the list: its name, and its state or the reason why it cannot be shown. The types sort and have a JSON: also those of a run that another program wrote. */
export interface ListedRun {
  name: string;
  /** Why it cannot be shown; nothing else is there then. */
  error?: string;
  game?: string;
  /** `running`, `finished` or `interrupted`. */
  state?: string;
  /** The number of players. */
  players?: number;
  /** Games planned so far, without those given up. */
  scheduled?: number;
  /** Games that the run is going to have. */
  expected?: number;
  finished?: number;
  /** Games that are not played any more: a player was benched, or the run decided. */
  given_up?: number;
  /** The end of the last game; null without one. ISO 8601. */
  last?: string | null;
}

/** A node as JSON: what the manager knows of it, and what follows from its games. */
export interface NodeDocument {
  /** `n1`, `n2` …, in the order in which they joined. */
  name: string;
  address?: string;
  state: NodeState;
  /** The reason of a state other than joining and playing. */
  why?: string;
  tables: number;
  /** The games that ended there. */
  games: number;
  /** Those of them before it joined last. */
  games_before: number;
  /** The void games. */
  void: number;
  /** The moves of its running games, by its last word. */
  plies: number;
  /** Nodes a second of a fixed search. */
  nps: number;
  /** The moment when it joined; empty before. ISO 8601, UTC. */
  joined: string;
  /** The moment of its last word. */
  heard: string;
  /** The players that do not start there, with the reasons. */
  cannot?: Record<string, string>;
  /** Since it joined; null for one that does not play. */
  games_per_minute: number | null;
  /** Whether its results agree with those elsewhere; null: they do not show it. */
  agreement: Agreement | null;
  /** Player -> by how many standard deviations its points here differ from those elsewhere, if by many. */
  outliers: Record<string, number>;
}

/** The state of a node. */
export type NodeState = "benched" | "joining" | "left" | "playing" | "refused" | "silent";

/** The nodes of a run as JSON. */
export interface NodesDocument {
  v: number;
  /** The moment of writing; ISO 8601, UTC. */
  at: string;
  /** The address of the cluster. */
  cluster?: string;
  nodes: NodeDocument[];
}

/** The results of a pair as the player sees them, with the ranking. */
export interface PairDocument {
  /** `running`, `finished` or `interrupted`. */
  state: string;
  /** All players of the run. */
  players: string[];
  player: string;
  opponent: string;
  /** Wins, draws, losses in the games that the player began, and in the others. */
  sides: [[number, number, number], [number, number, number]];
  /** The score of the player with its 95 % interval; empty without games. */
  score: string;
  /** Player -> termination -> games lost by this failure. */
  failures: Record<string, Record<string, number>>;
  /** The best player first; empty at the beginning of a run. */
  ranking: RankingRow[];
  /** Whether the run is finished, and the ranking is that of all its games. */
  final: boolean;
}

/** The request to make a move after `ply` moves. */
export interface PersonMove {
  move: string;
  /** The moves so far: a request that comes late is refused. */
  ply: number;
}

/** A kind of piece of one side. */
export interface Piece {
  /** One letter or glyph, which no other kind has: both sides have signs of their own. */
  sign: string;
  /** 0 or 1. */
  side: number;
  /** For readers of a screen; empty: that of the side. */
  name: string;
  /** Its drawing; None: pages and pictures show the sign. */
  shape: Shape | null;
}

/** The state of a game with people. */
export interface PlayState {
  id: string;
  /** Rises with each change. */
  version: number;
  /** The id of the game that is played. */
  game: string;
  names: [string, string];
  /** The limit of the engine in words, such as `0.1 s a move`. */
  level: string;
  /** Whether a person has the first side, and the second one. */
  people: [boolean, boolean];
  replay: Replay;
  /** `1-0`, `1/2-1/2` or `0-1`; `*` while the game runs. */
  result: string;
  /** Whether an engine is at work. */
  thinks: boolean;
  /** Those of the engines, by ply. */
  scores: PlyScore[];
  /** The last one of an engine. */
  report: Report | null;
  /** That of a hint for the person to move. */
  hint: Report | null;
  /** Why an engine failed; empty if none did. */
  error: string;
  /** A sentence about the person's rating, at the end. */
  note: string;
}

/** The results of a player, with the ranking. */
export interface PlayerDocument {
  /** `running`, `finished` or `interrupted`. */
  state: string;
  /** All players of the run. */
  players: string[];
  player: string;
  /** Why it gets no more games; empty if it does. */
  benched: string;
  /** Why it is missing; empty if it is not. */
  absent: string;
  /** Wins, draws, losses in the games that it began, and in the others. */
  sides: [[number, number, number], [number, number, number]];
  opponents: AgainstOne[];
  /** Termination -> its games that it lost by this failure. */
  failures: Record<string, number>;
  /** The best player first; empty at the beginning of a run. */
  ranking: RankingRow[];
  /** Whether the run is finished, and the ranking is that of all its games. */
  final: boolean;
}

/** The score that a side gave when it made the move of a ply. */
export interface PlyScore {
  /** From 1. */
  ply: number;
  /** 0 or 1. */
  side: number;
  /** The expected score of the first player, from 0 to 1. */
  value: number;
}

/** A player in the ranking so far. */
export interface RankingRow {
  name: string;
  /** Null without games. */
  elo: number | null;
  /** Length of the 95 % interval below `elo`. */
  minus: number | null;
  /** Length of the interval above it. */
  plus: number | null;
  /** The likelihood that it is stronger than the next one; null for the last, and where it is unknown. */
  los: number | null;
}

/** A square of cells that is a board of its own. */
export interface Region {
  /** Its number from 1, row by row from the top left. */
  name: string;
  /** Its place in words, such as `top left`. */
  place: string;
  /** The top left corner. */
  x: number;
  y: number;
  side: number;
  /** Indices of `Geometry.cells`. */
  cells: number[];
}

/** The positions of a game. Cells are indices of `Grid.cells`; ply 0 is the start. */
export interface Replay {
  /** The id of the game. */
  game: string;
  /** The notation of the start. */
  start: string;
  /** The cells of the start: 0 empty, else the place of a piece in `Geometry.pieces`, from 1. */
  stones: number[];
  /** The side of the first ply: 0 or 1. */
  first: number;
  moves: string[];
  /** The cells that each move changes, that of the move first; none of a pass. */
  changes: [number, number][][];
  /** The sign of each region after each ply, ply 0 included: `X` or `O` won it, `#` it is full, `@` the side to move may play there, `.` it may not. Empty if the board has no regions. */
  regions: string[];
  /** The forbidden points by ply, where there are any. */
  forbidden: Record<string, Forbidden[]>;
  /** The legal moves after the last ply. */
  legal: string[];
  /** The result after the last ply by the rules, `*` while the game runs. */
  result: string;
  /** The state after the last ply in a few words. */
  text: string;
  /** The lines that won. */
  lines: number[][];
  /** The moves as people write them, such as `Nf3`; empty if they write them as `moves`. */
  names: string[];
  /** Illegal steps after the last ply that have a reason of their own, with it. */
  refused: Record<string, string>;
  /** A figure for each cell at the end of a game that the larger area wins: 1 or 2 on an empty one of a side, else 0. Empty while the game runs, and in other games. */
  area: string;
  /** The side to move after each ply, ply 0 included: a figure each, 0 or 1. Empty if the sides take turns. */
  sides: string;
  /** The drawing after each ply, ply 0 included. */
  boards?: string[];
}

/** What an engine reported about a move, as the first player sees it. */
export interface Report {
  /** The ply of the move, from 1. */
  ply: number;
  /** The side that the engine moved for: 0 or 1. */
  side: number;
  /** The expected score of the first player, from 0 to 1; None: the engine gives no evaluation. */
  value: number | null;
  /** Moves to the forced win of the first player; negative: to its forced loss. */
  mate: number | null;
  depth: number | null;
  nodes: number | null;
  nps: number | null;
  /** The moves that the engine expects, its own first. */
  pv: string[];
}

/** An engine that people may play against. */
export interface Rival {
  name: string;
  /** Its measured rating at `rated_ms` a move; null: not measured. */
  elo: number | null;
  /** Half of the 95 % interval of that. */
  error: number | null;
}

/** What a server offers for a game. */
export interface RivalsDocument {
  players: Rival[];
  /** The time a move, in milliseconds, at which the ratings were measured. */
  rated_ms: number;
  /** The longest think time of an engine for a move, in milliseconds. */
  most_ms: number;
  /** The forms in which a game can be saved: `pgn`, `sgf`. */
  files: string[];
}

/** A line of the list of events. */
export interface RunEvent {
  /** Its number in `events.jsonl`. */
  seq: number;
  /** ISO 8601. */
  at: string;
  kind: string;
  text: string;
}

/** A run at one moment. Players are numbered by their places, from 0. */
export interface RunSnapshot {
  /** The number of the last event. */
  seq: number;
  players: string[];
  /** The places of two players, the smaller one first, the wins of the first, draws, losses. */
  pairs: [number, number, number, number, number][];
  /** Games lost by a failure, by the place of the player. */
  failures: number[];
  /** The last of them. */
  failed: FailedGame[];
  /** The last ones. */
  events: RunEvent[];
  course: Course;
  /** `BIRTH-SEQ`: the birth changes when a run starts anew. */
  id: string;
  name: string;
  progress: ShownState;
  plan: [number, number, number][];
  /** Null until there is the first one. */
  standings: Standings | null;
  /** Null for a run that never played in a cluster. */
  nodes: NodesDocument | null;
  /** The running games that a page shows. */
  tables: RunningGame[];
}

/** Why there is no snapshot. */
export interface RunTrouble {
  name: string;
  trouble: string;
}

/** A running game with its picture; without `cells` a page lists moves. */
export interface RunningGame {
  /** Number of the game in the schedule, from 1. */
  number: number;
  id: string;
  first: string;
  second: string;
  opening: string[];
  /** All moves, with those of the opening. */
  moves: string[];
  /** Time left of each side after the last move; null without clocks. */
  clock_ms: [number, number] | null;
  /** 0: the first player, 1: the second. */
  to_move: number;
  /** The last score of a player, in centipawns from its own view; null if there is none. */
  score: number | null;
  depth: number | null;
  nps: number | null;
  /** The position before the first move, in one word. */
  start: string;
  /** The side of each move, `0` or `1`; empty if they took turns from the first player on. */
  sides: string;
  /** The cells with a piece, as cell and piece; null: the game has no board of cells. */
  cells: [number, number][] | null;
  /** The cell of the last move; null without one. */
  last: number | null;
  /** The signs of the regions, as in a replay. */
  regions: string;
  /** The stones that each side has lost; null in games that do not count them. */
  lost: [number, number] | null;
}

/** What is new of the running games. */
export interface RunningGamesNews {
  /** All of them, in place of those that a page had. */
  all?: RunningGame[];
  /** Those with a new move. */
  changed?: RunningGame[];
  /** The numbers of those that are over. */
  ended?: number[];
}

/** The runs, running ones first, then the others by their last games, the latest first. */
export interface RunsDocument {
  runs: ListedRun[];
}

/** The drawing of a piece as data of SVG paths, in hundredths of a cell around its middle; y grows downwards. */
export interface Shape {
  /** The silhouette, closed: its fill has the colour of the side. */
  body: string;
  /** The details inside it. */
  lines: string;
}

/** How far a run is. */
export interface ShownState {
  /** Seconds; null if it is unknown. */
  left_s: number | null;
  /** The same in words; empty if it is unknown. */
  time_left: string;
  /** The id of the game that is played. */
  game: string;
  /** Why no more games are planned; empty as long as more may be. */
  over: string;
  /** Games planned so far, without those given up. */
  scheduled: number;
  finished: number;
  /** Attempts without a fault of the players, which do not count. */
  void: number;
  /** The same in words; empty without one. */
  void_text: string;
  /** Games that are not played any more: a player was benched, or the run decided. */
  given_up: number;
  /** Player -> why it gets no more games. */
  benched: Record<string, string>;
  /** Missing player -> the reason. */
  absent: Record<string, string>;
  /** Player that dials in and has no connection -> since when; ISO 8601. */
  away: Record<string, string>;
  /** The command that resumes the run; empty if it is unknown. */
  command: string;
  /** `running`, `finished` or `interrupted`. */
  state: string;
  /** Games that the run is going to have. */
  expected: number;
  /** The finished and the planned games in words. */
  text: string;
  /** Finished games a minute; null while no manager is at work, and at its start. */
  per_minute: number | null;
}

/** The ranking so far: that of `tournament rank --json`, with `los`. At the beginning of a run it has no players. */
export interface Standings {
  /** The games that it rests on. */
  games: number;
  /** The best one first, those without games last. */
  players: StandingsRow[];
  /** Raw Elo that the first player of a game gains. */
  advantage?: number | null;
  /** Raw Elo; the larger, the more draws. */
  draw_elo?: number | null;
  /** Scaled Elo per raw Elo. */
  scale?: number | null;
  /** Who is best, as a sentence and in numbers; null without games. */
  answer: Answer | null;
  warnings: string[];
}

/** A player of the ranking. Ratings are scaled Elo; an unknown number is null. */
export interface StandingsRow {
  name: string;
  /** The mean over all players with games is 0, unless a rating is anchored; null without games. */
  elo: number | null;
  /** Length of the 95 % interval above `elo`. */
  plus: number | null;
  /** Length of the interval below it. */
  minus: number | null;
  games: number;
  /** Points per game, 0 to 1. */
  score: number | null;
  /** Mean Elo of the opponents, weighted by games. */
  opponents: number | null;
  /** Drawn games, 0 to 1. */
  draws: number | null;
  /** The likelihood that it is stronger than the next one; null for the last, and where it is unknown. */
  los: number | null;
}

/** The line through the ratings of a series, in scaled Elo. */
export interface Trend {
  /** The player with the lowest number. */
  first: string;
  last: string;
  players: number;
  /** Value of the line at `last` minus that at `first`. */
  rise: number;
  /** The statistic of the test, positive for a rise; a standard normal number if all these players are equal. */
  z: number;
  /** The probability of a z at least as far from 0 if they are. */
  p_value: number;
}

/** Why a request was refused. */
export interface Refused {
  /** In one sentence. */
  error: string;
}
