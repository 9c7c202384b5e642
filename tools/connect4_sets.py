"""Makes the six sets of Connect 4 positions with exact scores: tests/data/games/connect4_sets.jsonl.

    python -m tools.connect4_sets [--out FILE] [--seed 1] [--count 500] [--hash-mb 512] [--set NAME …]

The stages and difficulties are those of Pascal Pons (Solving Connect 4, part 2: test protocol), as his published
sets hold them; AlphaZero.jl measures its players over these. A position belongs to a set by two numbers: the plies
played, and the plies left until the end of the game if the winner wins as soon and the loser loses as late as
possible (a draw fills the board):

    set             plies played   plies left   drawn with plies
    begin-easy      up to 14       3 to 14      9 to 14
    begin-medium    up to 14       15 to 28     9 to 14
    begin-hard      up to 14       29 or more   7 to 13
    middle-easy     15 to 28       3 to 14      15 to 28
    middle-medium   15 to 28       15 to 27     15 to 27
    end-easy        29 or more     3 to 13      29 to 39

A draw takes a number of plies of its set, all equally likely, and plays as many uniformly random legal moves. It is
dropped if the game has ended or can be won by the next move (Pons's sets have such positions with one move only), if
the set has the position or its mirror image, or if it is not a position of the set. A position is *trivial*, and only
counted, if every legal move keeps the value (win, draw or loss): a position lost with every move, for example.
Nothing is left out for the cost of its solution.

A line is one position: `set`, `moves` (columns a to g from the empty board), `scores` (by column from the left: the
exact score of the move for the side to move, null if the column is full). A score is Pons's: 0 draw, +k win, -k loss,
k = 22 - the number of stones of the winner at the end of the game. A move keeps the value if its score has the sign of
the greatest one.

The solved draws are kept in FILE.part, which also has the trivial ones; the same command resumes after an interruption
and gives the same file. The file is written at the end, or before that with the sets that are full. One process; the
transposition table is kept between positions.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import click
import msgspec
from rich.console import Console
from rich.progress import Progress

from fiedler.games.openings import canonical_key
from fiedler.native import Limits, Negamax, Position, SearchInfo, StopFlag
from fiedler.support.bar import bar
from fiedler.support.console import command_line
from fiedler.support.errors import UsageError
from fiedler.support.files import write_whole

OUT = Path(__file__).parents[1] / "tests" / "data" / "games" / "connect4_sets.jsonl"
CELLS = 42
COLUMNS = 7


@dataclass(frozen=True)
class Range:
    """The plies with which the positions of a set are drawn, and the plies that must be left."""

    plies: tuple[int, int]
    left: tuple[int, int]


SETS = {
    "end-easy": Range((29, 39), (3, 13)),
    "middle-easy": Range((15, 28), (3, 14)),
    "middle-medium": Range((15, 27), (15, 27)),
    "begin-easy": Range((9, 14), (3, 14)),
    "begin-medium": Range((9, 14), (15, 28)),
    "begin-hard": Range((7, 13), (29, CELLS)),
}
"""The cheapest first."""
SHORT = 14
"""The depth of the search that finds the end of an easy position, where it is cheaper than the solution."""


class Solved(msgspec.Struct, frozen=True):
    """A solved draw of a set, trivial or not."""

    set: str
    draw: int
    """The number of the draw, from 0."""
    moves: str
    scores: list[int | None]
    """As in `Line`; empty if the position is lost, with every move."""

    @property
    def trivial(self) -> bool:
        """Whether every legal move keeps the value."""
        signs = {(score > 0) - (score < 0) for score in self.scores if score is not None}
        return len(signs) <= 1


class Line(msgspec.Struct, frozen=True):
    """A line of the file."""

    set: str
    moves: str
    scores: list[int | None]


def plies_left(position: Position, found: SearchInfo) -> int:
    """Return the plies until the end of the game by best play."""
    if found.proven_draw:
        return CELLS - position.ply
    if found.mate is None:
        raise ValueError(f"{position}: not solved")
    return 2 * found.mate - 1 if found.mate > 0 else -2 * found.mate


def score_of(position: Position, found: SearchInfo) -> int:
    """Return the score for the side to move."""
    if found.proven_draw:
        return 0
    end = position.ply + plies_left(position, found)
    winner = (end + 1) // 2  # stones of the side that makes the last move
    won = found.mate is not None and found.mate > 0
    return 22 - winner if won else winner - 22


class Solver:
    """Exact scores; the table is kept."""

    def __init__(self, search: Negamax) -> None:
        self._search = search

    def found_in(self, position: Position, wanted: Range) -> SearchInfo | None:
        """Return the result of the position if the plies left are those of the set."""
        least, most = wanted.left
        found = self._search.search(position, Limits(depth=SHORT), StopFlag())
        if found.mate is None:
            if most <= SHORT and CELLS - position.ply > SHORT:
                return None
            found = self.solved(position)
        return found if least <= plies_left(position, found) <= most else None

    def scores(self, position: Position) -> list[int | None]:
        """Return the score of every column for the side to move, None for a full one."""
        return [self._score(position, column) for column in range(COLUMNS)]

    def _score(self, position: Position, column: int) -> int | None:
        if not position.is_legal(column):
            return None
        child = position.copy()
        child.play(column)
        if child.result is not None:
            return 0 if child.result == 0 else 22 - (child.ply + 1) // 2
        return -score_of(child, self.solved(child))

    def solved(self, position: Position) -> SearchInfo:
        """Return the result of the position."""
        return self._search.search(position, Limits(), StopFlag())


@dataclass
class Making:
    """One set in the making."""

    name: str
    seed: int
    count: int
    seen: set[int] = field(default_factory=set)
    """The canonical keys of its positions, trivial or not."""
    found: list[Solved] = field(default_factory=list)

    @property
    def next_draw(self) -> int:
        """The number of the first draw that was not made, as far as it is known."""
        return self.found[-1].draw + 1 if self.found else 0

    @property
    def kept(self) -> list[Solved]:
        """The positions that are not trivial."""
        return [one for one in self.found if not one.trivial]

    @property
    def full(self) -> bool:
        """Whether it has enough of them."""
        return len(self.kept) >= self.count

    def add(self, solved: Solved) -> None:
        """Take a solved draw."""
        self.seen.add(canonical_key(after(solved.moves)))
        self.found.append(solved)

    def draws(self) -> Iterator[tuple[int, str, Position]]:
        """Yield the further draws that are neither over, nor won by the next move, nor known."""
        number = self.next_draw
        while True:
            rng = random.Random(f"connect4_sets {self.seed} {self.name} {number}")
            moves = random_moves(rng, rng.randint(*SETS[self.name].plies))
            if moves is not None:
                position = after(moves)
                if not wins_now(position) and canonical_key(position) not in self.seen:
                    yield number, moves, position
            number += 1


def random_moves(rng: random.Random, plies: int) -> str | None:
    """Return uniformly random moves from the empty board, None if they end the game."""
    position = Position("connect4")
    moves = ""
    while len(moves) < plies and position.result is None:
        move = rng.choice(position.legal_moves())
        moves += position.move_text(move)
        position.play(move)
    return moves if position.result is None else None


def after(moves: str) -> Position:
    """Return the position after these moves."""
    position = Position("connect4")
    for text in moves:
        position.play(position.parse_move(text))
    return position


def wins_now(position: Position) -> bool:
    """Return whether a move ends the game."""
    for move in position.legal_moves():
        child = position.copy()
        child.play(move)
        if child.result is not None:
            return True
    return False


def make(one: Making, solver: Solver, part: Path, progress: Progress) -> None:
    """Draw and solve until the set is full; every solved draw is a line of `part`."""
    task = progress.add_task(one.name, total=one.count, completed=len(one.kept))
    with part.open("ab") as file:
        for number, moves, position in one.draws():
            if one.full:
                return
            if found := solver.found_in(position, SETS[one.name]):
                lost = found.mate is not None and found.mate < 0
                solved = Solved(one.name, number, moves, [] if lost else solver.scores(position))
                one.add(solved)
                file.write(msgspec.json.encode(solved) + b"\n")
                file.flush()
                progress.update(task, completed=len(one.kept))


def resume(part: Path, seed: int, count: int) -> dict[str, Making]:
    """Return the sets as far as they are in `part`; a line that was cut off is dropped."""
    sets = {name: Making(name, seed, count) for name in SETS}
    if part.is_file():
        whole = part.read_bytes().rpartition(b"\n")[0]
        part.write_bytes(whole + b"\n" if whole else b"")
        for solved in msgspec.json.Decoder(Solved).decode_lines(whole):
            if not sets[solved.set].full:
                sets[solved.set].add(solved)
    return sets


def write(sets: dict[str, Making], out: Path) -> None:
    """Write the full sets to the file."""
    kept = [one for made in sets.values() if made.full for one in made.kept]
    write_whole(out, (msgspec.json.encode(Line(x.set, x.moves, x.scores)).decode() + "\n" for x in kept))


def summary(made: Making) -> str:
    """Return a line on the set."""
    share = len(made.kept) / max(len(made.found), 1)
    return (
        f"{made.name}: {len(made.kept)} positions; {100 * share:.1f} % of the {len(made.found)} drawn are not trivial"
    )


@click.command(help="Make the six sets of Connect 4 positions with exact scores.")
@click.option("--out", default=OUT, type=click.Path(path_type=Path, dir_okay=False), help="The file to write.")
@click.option("--seed", default=1, show_default=True, type=click.IntRange(0))
@click.option("--count", default=500, show_default=True, type=click.IntRange(1), help="Positions of a set.")
@click.option("--hash-mb", default=64, show_default=True, type=click.IntRange(1, 65536), help="MiB of the table.")
@click.option("--set", "names", multiple=True, metavar="NAME", help="A set to make; all of them if none is given.")
def connect4_sets(out: Path, seed: int, count: int, hash_mb: int, names: tuple[str, ...]) -> None:
    """Make the sets and print a line on each."""
    for name in names:
        if name not in SETS:
            raise UsageError(f"--set: expected one of {', '.join(SETS)}, got {name!r}")
    part = out.with_suffix(out.suffix + ".part")
    sets = resume(part, seed, count)
    solver = Solver(Negamax("connect4", hash_mb))
    console = Console(stderr=True, highlight=False)
    for name, one in sets.items():
        if not names or name in names:
            with bar(console) as progress:
                make(one, solver, part, progress)
            console.print(summary(one))
            write(sets, out)


if __name__ == "__main__":
    command_line(connect4_sets)
