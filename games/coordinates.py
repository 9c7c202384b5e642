"""The names of moves in dialects that do not use a game's notation: by the cell that the stone fills."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from games.board import Spot, changed_cell, spot
from games.game import Game
from native import Position


@dataclass(frozen=True, slots=True)
class Own:
    """The game's own notation."""

    def write(self, move: str, before: Sequence[str]) -> str:  # noqa: ARG002 - it means the same everywhere
        """Return the move as it is."""
        return move

    def read(self, name: str, before: Sequence[str]) -> str:  # noqa: ARG002
        """Return the name as it is: the referee says what is wrong with it."""
        return name


@dataclass(frozen=True, slots=True)
class Cells:
    """The row and the column, on a flat sheet, of the cell that a move fills."""

    game: Game
    spell: Callable[[Spot], str]
    """How a cell is named."""
    spelled: Callable[[str], Spot | None]
    """The cell that a name means; None if it is not a name."""

    def write(self, move: str, before: Sequence[str]) -> str:
        """Return the name of the cell that a legal move fills after `before`."""
        position = self.game.position(moves=before)
        return self.spell(_filled(position, position.parse_move(move)))

    def read(self, name: str, before: Sequence[str]) -> str:
        """Return the legal move that fills the cell after `before`; raises ValueError if there is none."""
        position, cell = self.game.position(moves=before), self.spelled(name)
        for move in position.legal_moves():
            if _filled(position, move) == cell:
                return position.move_text(move)
        raise ValueError(f"expected a legal move as in {self._example(position)}, got {name!r}")

    def _example(self, position: Position) -> str:
        return self.spell(_filled(position, position.legal_moves()[0])) if position.result is None else "none"


def _filled(position: Position, move: int) -> Spot:
    after = position.copy()
    after.play(move)
    return spot(position, changed_cell(position.cells, after.cells))


def _column_row(cell: Spot) -> str:
    return f"{cell[1]},{cell[0]}"


def _from_column_row(name: str) -> Spot | None:
    found = re.fullmatch(r"\s*(\d{1,3})\s*,\s*(\d{1,3})\s*", name, re.ASCII)
    return (int(found[2]), int(found[1])) if found else None


KINDS: dict[str, Callable[[Game], Own | Cells]] = {
    "own": lambda _: Own(),
    "x,y": lambda game: Cells(game, _column_row, _from_column_row),
}
"""By the name that a dialect asks for: its own notation; column and row from the top left, counted from 0."""


def coordinates(game: Game, kind: str) -> Own | Cells:
    """Return how a dialect names the moves of a game; `kind` is one of KINDS."""
    return KINDS[kind](game)
