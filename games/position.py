"""A position as the rooms above the core need it, and the capabilities that a game may have beyond that.

`Position` is enough for a referee: the rules of a game of two players with complete information, in any language.
`native.Position` has a grid, which in most games is filled cell by cell, and symmetries, and the core searches for its
forced wins (`forced_win.py`); a game in Python needs none of them. A function that uses a capability asks for it:

    if fills_cells(position):
        print(most_plies_left(position), "plies at most")
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, Self, TypeGuard

ForcedWin = tuple[int, list[int]]
"""The most plies until the win, and the moves of one line to it."""


class Position(Protocol):
    """A position of a game. Moves are numbers; their names and `str(position)` are words without blanks."""

    @property
    def game(self) -> str:
        """The id of the game."""

    @property
    def side_to_move(self) -> int:
        """0 first player, 1 second player."""

    @property
    def result(self) -> int | None:
        """None while the game is running; 1 the first player won, -1 the second player won, 0 draw."""

    def copy(self) -> Self:
        """Return a position that `play` on this one leaves alone."""

    def legal_moves(self) -> Sequence[int]:
        """Return the legal moves, always in the same order; none once the game is over."""

    def play(self, move: int) -> None:
        """Play a move.

        Raises:
            IllegalMoveError: It is not legal; nothing has changed.
        """

    def parse_move(self, text: str) -> int:
        """Return the legal move of this name.

        Raises:
            IllegalMoveError: There is none.
        """

    def move_text(self, move: int) -> str:
        """Return the name of a legal move."""

    def __str__(self) -> str:
        """Return the notation; equal positions have equal ones."""


class Grid(Position, Protocol):
    """A position of a game on the cells of a board, of which a move changes any."""

    @property
    def cells(self) -> bytes:
        """Row-major from the top left, layer by layer: 0 empty, else the place of a piece in `AnyGame.pieces`, from 1.

        By default 1 is a stone of the first player, and 2 one of the second.
        """

    @property
    def planes_shape(self) -> tuple[int, int, int]:
        """The planes of a network, and the rows and columns of a layer."""


class Filling(Grid, Protocol):
    """A position of a game in which each move puts a stone of its side on one empty cell, and removes none."""

    @property
    def num_actions(self) -> int:
        """Moves are 0 .. num_actions - 1."""

    @property
    def fills_cells(self) -> bool:
        """True."""

    def is_legal(self, move: int) -> bool:
        """Return whether a move is legal."""

    def forbidden_moves(self) -> dict[int, str]:
        """Return the empty cells where a rule forbids the side to move to play, with the reason."""


class Symmetric(Position, Protocol):
    """A position of a game whose board has symmetries."""

    @property
    def key(self) -> int:
        """64-bit hash; equal positions have equal keys."""

    @property
    def num_symmetries(self) -> int:
        """Their number, with the identity."""

    def transformed(self, symmetry: int) -> Self:
        """Return the position under one of them; 0 is the identity."""

    def transformed_move(self, symmetry: int, move: int) -> int:
        """Return the image of a move."""


class Solvable(Position, Protocol):
    """A position of a game with a search for forced wins of its own."""

    def forced_win(self, nodes: int) -> ForcedWin | None:
        """Return a win by force of the side to move, found among this many positions; None if no win was found."""


def has_grid(position: Position) -> TypeGuard[Grid]:
    """Return whether the game has a board of cells."""
    return hasattr(position, "planes_shape")


def fills_cells(position: Position) -> TypeGuard[Filling]:
    """Return whether each move fills one empty cell: then the game has `forbidden_moves`."""
    return has_grid(position) and getattr(position, "fills_cells", False)


def most_plies_left(position: Filling) -> int:
    """Return the largest possible number of remaining plies: each fills a cell."""
    return position.cells.count(0)


def has_symmetries(position: Position) -> TypeGuard[Symmetric]:
    """Return whether the game has symmetries."""
    return hasattr(position, "transformed")


def is_solvable(position: Position) -> TypeGuard[Solvable]:
    """Return whether the game has a search of its own."""
    return hasattr(position, "forced_win")
