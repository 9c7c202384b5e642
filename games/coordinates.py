"""The names of moves in dialects that do not use a game's notation: by the cell that the stone fills."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from fiedler.games.board import Kind, Spot, filled_cell, sheet, spot
from fiedler.games.frame import frame_place, frame_size
from fiedler.games.game import START, AnyGame, Game
from fiedler.games.go import KOMI, PASS, SUICIDE, has_suicide, is_go, komi
from fiedler.games.position import Grid, Position, fills_cells, has_grid


@dataclass(frozen=True)
class Coordinates(ABC):
    """Translates the moves of one game. `before` are the moves from the start that led to the position."""

    game: AnyGame
    start: str = field(default=START, kw_only=True)
    """The start of the games: START, or one that differs from it by its rules alone."""

    @property
    def game_id(self) -> str:
        """The id of the game."""
        return self.game.id

    @cached_property
    def size(self) -> int:
        """Points along a side of the smallest square board that has all of these names; 0 without a board."""
        start = self.game.position()
        return max(sheet(start)) if has_grid(start) else 0

    @property
    def has_i(self) -> bool:
        """Whether a name may begin with the letter I, which boards of Go leave out."""
        return False

    def is_bare(self, start: str) -> bool:
        """Return whether a start differs from that of the game by its rules alone."""
        return self.game.is_bare(start)

    def komi(self, start: str) -> float | None:
        """Return the points that the second player of Go gets in games from a start; None in other games."""
        return komi(start) if is_go(self.game) else None

    def suicide(self, start: str) -> bool | None:
        """Return whether suicide is legal in games of Go from a start; None in other games."""
        return has_suicide(start) if is_go(self.game) else None

    def with_suicide(self, start: str, *, legal: bool) -> str:
        """Return a start of Go in which suicide is legal, or is not."""
        return self.game.with_other_rules(start, {SUICIDE.name: legal})

    def with_komi(self, start: str, points: float) -> str:
        """Return a start of Go with another komi.

        Raises:
            ValueError: The rules have no such komi.
        """
        if wrong := KOMI.wrong(points):
            raise ValueError(wrong)
        return self.game.with_other_rules(start, {KOMI.name: points})

    @abstractmethod
    def write(self, move: str, before: Sequence[str]) -> str:
        """Return the dialect's name of a legal move."""

    @abstractmethod
    def read(self, name: str, before: Sequence[str]) -> str:
        """Return the move of a name.

        Raises:
            ValueError: The name has no move; one line.
        """

    def legal(self, before: Sequence[str]) -> list[str]:
        """Return the names of the legal moves; none when the game is over."""
        position = self.game.position(self.start, before)
        return [self.write(position.move_text(move), before) for move in position.legal_moves()]


class Own(Coordinates):
    """The game's own notation."""

    def write(self, move: str, before: Sequence[str]) -> str:  # noqa: ARG002 - it means the same everywhere
        """Return the move unchanged."""
        return move

    def read(self, name: str, before: Sequence[str]) -> str:  # noqa: ARG002
        """Return the name unchanged: the referee reports its errors."""
        return name


@dataclass(frozen=True)
class OnBoard(Coordinates):
    """Names by the cells of a board."""

    game: Game


@dataclass(frozen=True)
class Cells(OnBoard):
    """The row and the column, on a flat sheet, of the cell that a move fills."""

    spell: Callable[[Spot], str]
    """Returns the name of a cell."""
    spelled: Callable[[str], Spot | None]
    """Returns the cell of a name; None if it is not a name."""

    def write(self, move: str, before: Sequence[str]) -> str:
        """Return the name of the cell that a legal move fills after `before`."""
        position = self.game.position(moves=before)
        return self.spell(_filled(position, position.parse_move(move)))

    def read(self, name: str, before: Sequence[str]) -> str:
        """Return the legal move that fills the cell after `before`.

        Raises:
            ValueError: There is no such move.
        """
        position, cell = self.game.position(moves=before), self.spelled(name)
        for move in position.legal_moves():
            if _filled(position, move) == cell:
                return position.move_text(move)
        raise ValueError(f"expected a legal move as in {self._example(position)}, got {name!r}")

    def _example(self, position: Grid) -> str:
        return self.spell(_filled(position, position.legal_moves()[0])) if position.result is None else "none"


@dataclass(frozen=True)
class Squares(OnBoard):
    """The names of the cells where each move is a cell, and the same one in every position."""

    spell: Callable[[Spot], str]
    """How a cell is named."""
    form: str
    """What a name looks like, for messages."""

    def write(self, move: str, before: Sequence[str]) -> str:  # noqa: ARG002 - it means the same everywhere
        """Return the name of the cell."""
        return self._names[move]

    def read(self, name: str, before: Sequence[str]) -> str:  # noqa: ARG002
        """Return the move to this cell, which may be illegal.

        Raises:
            ValueError: There is no such cell.
        """
        if name not in self._moves:
            raise ValueError(f"expected {self.form}, got {name!r}")
        return self._moves[name]

    @cached_property
    def _names(self) -> Mapping[str, str]:
        start = self.game.position()
        return {start.move_text(move): self.spell(_filled(start, move)) for move in start.legal_moves()}

    @cached_property
    def _moves(self) -> Mapping[str, str]:
        return {name: move for move, name in self._names.items()}


LETTERS = "ABCDEFGHJKLMNOPQRSTUVWXYZ"
"""The columns of a Go board: no I."""


@dataclass(frozen=True)
class Vertices(OnBoard):
    """The points of a Go board, A1 bottom left: that of the frame (games/frame.py) which the stone fills; or PASS."""

    @cached_property
    def size(self) -> int:
        """Points along a side of the board."""
        return frame_size(self.game.position())

    def write(self, move: str, before: Sequence[str]) -> str:
        """Return the point that a legal move fills after `before`."""
        return self._points[move][before.count(move) if self._falls else 0]

    def read(self, name: str, before: Sequence[str]) -> str:
        """Return the move that fills this point, which need not be legal.

        Raises:
            ValueError: The board has no such point, or the stone would fall to another one.
        """
        move = self._moves.get(name)
        if move is None:
            raise ValueError(f"expected a point such as {min(self._moves)}, got {name!r}")
        height = before.count(move) if self._falls else 0
        if name not in self._points[move][height : height + 1]:
            raise ValueError(f"expected the point to which the disc falls, got {name!r}")
        return move

    @property
    def _falls(self) -> bool:
        return self.game.board is Kind.COLUMNS

    @cached_property
    def _points(self) -> dict[str, tuple[str, ...]]:
        """Of each move the points that it can fill, the lowest first."""
        start = self.game.position()
        return {start.move_text(move): self._points_of(start, move) for move in start.legal_moves()}

    def _points_of(self, start: Grid, move: int) -> tuple[str, ...]:
        if start.move_text(move) == PASS:
            return (PASS.upper(),)
        column, row = frame_place(start, filled_cell(start, move))
        heights = start.planes_shape[1] if self._falls else 1
        return tuple(f"{LETTERS[column]}{row + height + 1}" for height in range(heights))

    @cached_property
    def _moves(self) -> dict[str, str]:
        return {point: move for move, points in self._points.items() for point in points}


class LineWalk:
    """The position after a line of moves; a line that continues the one before it is not replayed from the start."""

    def __init__(self, game: AnyGame) -> None:
        self._position = game.position()
        self._moves: list[str] = []
        self._game = game

    def after(self, moves: Sequence[str]) -> Position:
        """Return the position after legal moves from the start. It is valid up to the next call."""
        known = len(self._moves)
        if [*moves[:known]] != self._moves:
            self._position, self._moves, known = self._game.position(), [], 0
        for move in moves[known:]:
            self._position.play(self._position.parse_move(move))
            self._moves.append(move)
        return self._position


@dataclass(frozen=True)
class NamedPoints(Coordinates):
    """The points in the names of the moves, in a game without a core: `a1`, `B_a1`, `pass`."""

    _walk: LineWalk = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Begin a walk through the game."""
        object.__setattr__(self, "_walk", LineWalk(self.game))  # the value is frozen

    @property
    def size(self) -> int:
        """Points along a side of the board."""
        return self.game.points

    @cached_property
    def has_i(self) -> bool:
        """Whether a column has the letter I."""
        return any(name.startswith("I") for name in self.legal(()))

    def write(self, move: str, before: Sequence[str]) -> str:  # noqa: ARG002 - it means the same everywhere
        """Return the point of a move, or `PASS`."""
        return move.rpartition("_")[2].upper()

    def read(self, name: str, before: Sequence[str]) -> str:
        """Return the legal move to this point after `before`.

        Raises:
            ValueError: There is no such move.
        """
        position = self._walk.after(before)
        for move in map(position.move_text, position.legal_moves()):
            if self.write(move, before) == name.upper():
                return move
        raise ValueError(f"expected the point of a legal move, got {name!r}")


def _filled(position: Grid, move: int) -> Spot:
    return spot(position, filled_cell(position, move))


def _column_row(cell: Spot) -> str:
    return f"{cell[1]},{cell[0]}"


def _from_column_row(name: str) -> Spot | None:
    found = re.fullmatch(r"\s*(\d{1,3})\s*,\s*(\d{1,3})\s*", name, re.ASCII)
    return (int(found[2]), int(found[1])) if found else None


def _row_column(cell: Spot) -> str:
    return f"{cell[0]} {cell[1]}"


def _byte(cell: Spot) -> str:
    row, column = cell
    board, place = row // 3 * 3 + column // 3, row % 3 * 3 + column % 3
    return str(16 * board + place)


@dataclass(frozen=True, slots=True)
class Naming:
    """A way to name moves, and the games for which it exists."""

    of: Callable[[Game], Coordinates]
    fits: Callable[[Game], bool] = lambda _: True


def _points(game: Game) -> Coordinates:
    last = game.position().planes_shape[1] - 1
    return Squares(game, _column_row, f"X,Y, each from 0 to {last}")


def _has_stones(game: Game) -> bool:
    """Return whether a move puts a stone on the board, which stays there."""
    return fills_cells(game.position())


def _has_nine_boards(game: Game) -> bool:
    """Return whether the board is that of ultimate tic-tac-toe: 3×3 boards of 3×3 cells."""
    return game.board is Kind.BLOCKS and game.blocks == 3


OWN = "own"
"""The game's own notation."""
VERTEX = "vertex"
"""The points of a Go board."""
NAMINGS = {
    OWN: Naming(Own),
    "x,y": Naming(lambda game: Cells(game, _column_row, _from_column_row), _has_stones),
    "point": Naming(_points, lambda game: game.board is Kind.POINTS and _has_stones(game)),
    VERTEX: Naming(Vertices, lambda game: game.board is Kind.POINTS or _has_stones(game)),
    "row column": Naming(
        lambda game: Squares(game, _row_column, "ROW COLUMN, each from 0 to 8"),
        _has_nine_boards,
    ),
    "byte": Naming(
        lambda game: Squares(game, _byte, "16·BOARD + CELL, each from 0 to 8"),
        _has_nine_boards,
    ),
}
"""The namings by their names: the game's own notation; column and row from the top left, counted from 0, of any board,
and of a board of crossings; the points of a Go board; row and column, from the top left, of the 9×9 cells of ultimate
tic-tac-toe; a byte of its boards and of their cells, both numbered row by row from the top left."""


def fits(game: AnyGame, kind: str) -> bool:
    """Return whether the moves of a game have names of this `kind`, one of NAMINGS."""
    if isinstance(game, Game):
        return NAMINGS[kind].fits(game)
    return kind == OWN or (kind == VERTEX and game.points > 0)


def coordinates(game: AnyGame, kind: str, start: str = START) -> Coordinates:
    """Return the coordinates of a dialect for a game that this `kind` of NAMINGS fits.

    The games begin at START, or at a `start` that differs from it by its rules alone.
    """
    if isinstance(game, Game):
        return replace(NAMINGS[kind].of(game), start=start)
    return NamedPoints(game) if kind == VERTEX else Own(game)
