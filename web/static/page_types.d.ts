// Types of the pages alone, beside those of the documents of the server, which documents.d.ts has.

import type { Course, GameRequest, PlayerDocument, PlayState } from "./documents.d.ts";

/** Those of the games that a player began, and of the others. */
export type Sides = PlayerDocument["sides"];

/** Wins, draws, losses. */
export type Counts = Sides[0];

/** Finished games, and the Elo of every player by its place. */
export type CourseRow = Course["rows"][0];

/** What was chosen for a game; `names` are those of two people at this page, who need no server. */
export interface Wanted extends Omit<GameRequest, "game"> {
  first: string;
  second: string;
  names?: [string, string];
}

/** The state of a game that is shown; one at this page alone has no place at the server. */
export type ShownGame = Omit<PlayState, "game" | "id" | "version">;
