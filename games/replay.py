"""A game ply by ply, as a page shows it: the page knows no rules."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import chain

import msgspec

from fiedler.games.board import AIM, block_signs
from fiedler.games.game import AnyGame, Change
from fiedler.games.position import Filling, Grid, Position, fills_cells, has_grid
from fiedler.games.refusal import has_reasons
from fiedler.games.result import UNFINISHED, Result
from fiedler.games.sides import sides_of
from fiedler.games.territory import owners

_SHORT = {"double three": "33", "double four": "44", "overline": "6", "repetition": "ko", "suicide": "×"}
"""The signs of forbidden points, as the books on renju and Go write them."""


@dataclass(frozen=True, slots=True)
class Forbidden:
    """A point that is forbidden to the side to move."""

    cell: int
    kind: str
    """The rule, such as `double three`."""
    sign: str
    """The rule in one or two characters."""


@dataclass(slots=True)
class Replay:
    """The positions of a game. Cells are indices of `Grid.cells`; ply 0 is the start."""

    game: str
    """The id of the game."""
    start: str
    """The notation of the start."""
    stones: tuple[int, ...]
    """The cells of the start: 0 empty, else the place of a piece in `Geometry.pieces`, from 1."""
    first: int
    """The side of the first ply: 0 or 1."""
    moves: tuple[str, ...]
    changes: tuple[tuple[Change, ...], ...]
    """The cells that each move changes, that of the move first; none of a pass."""
    regions: tuple[str, ...]
    """The sign of each region after each ply, ply 0 included: `X` or `O` won it, `#` it is full, `@` the side to move
    may play there, `.` it may not. Empty if the board has no regions."""
    forbidden: dict[int, tuple[Forbidden, ...]]
    """The forbidden points by ply, where there are any."""
    legal: tuple[str, ...]
    """The legal moves after the last ply."""
    result: str
    """The result after the last ply by the rules, `*` while the game runs."""
    text: str
    """The state after the last ply in a few words."""
    lines: tuple[tuple[int, ...], ...] = field(default=())
    """The lines that won."""
    names: tuple[str, ...] = ()
    """The moves as people write them, such as `Nf3`; empty if they write them as `moves`."""
    refused: dict[str, str] = field(default_factory=dict)
    """Illegal steps after the last ply that have a reason of their own, with it."""
    area: str = ""
    """A figure for each cell at the end of a game that the larger area wins: 1 or 2 on an empty one of a side, else 0.
    Empty while the game runs, and in other games."""
    sides: str = ""
    """The side to move after each ply, ply 0 included: a figure each, 0 or 1. Empty if the sides take turns."""

    @property
    def last_cells(self) -> list[int]:
        """The cells after the last ply, in the form of `stones`."""
        cells = list(self.stones)
        for cell, piece in chain.from_iterable(self.changes):
            cells[cell] = piece
        return cells

    @property
    def lost(self) -> tuple[int, int]:
        """The stones that moves have taken from the first and from the second player, on a board of stones.

        The stone of a suicide is one of them: its cell is empty before and after the move.
        """
        cells, found = list(self.stones), [0, 0]
        for ply, changes in enumerate(self.changes):
            mover = int(self.sides[ply]) if self.sides else (self.first + ply) % 2
            for cell, piece in changes:
                if not piece:
                    found[cells[cell] - 1 if cells[cell] else mover] += 1
                cells[cell] = piece
        return found[0], found[1]


@dataclass(slots=True)
class TextReplay(Replay):
    """The positions of a game without cells, as text; the fields about cells are empty."""

    boards: tuple[str, ...] = ()
    """The drawing after each ply, ply 0 included."""


def replay(
    game: AnyGame, moves: Sequence[str], start: str = "startpos", sides: str = "", *, words: bool = True
) -> Replay:
    """Return the positions of a game after `moves` from `start`, or the one-word notation of another position.

    It is a TextReplay for a game without a board of cells. `sides` has a figure for each ply, the side that moved, as
    a record of a tournament, and may have that of the next move; it counts for a game without rules, whose positions do
    not know it. Without `words` the names of moves and the reasons of refused ones, which take most of the time, are
    left out.

    Raises:
        PositionError: The start is wrong.
        IllegalMoveError: A move is wrong.
    """
    position = game.position(start)
    if game.board is not None and has_grid(position):
        shown = _on_cells(game, position, moves)
    else:
        shown = _as_text(game, position, moves)
    shown.moves = tuple(moves)
    shown.sides = _sides(shown, position) if game.has_rules else _told(sides, len(moves))
    shown.legal = tuple(map(position.move_text, position.legal_moves()))
    shown.result = UNFINISHED if position.result is None else Result.of(position.result)
    shown.text = game.result_text(position)
    shown.lines = game.winning_lines(position)
    if words:
        shown.names = _names(game, moves, start)
        shown.refused = {} if position.result is not None else dict(game.refused_steps(position))
    return shown


def _names(game: AnyGame, moves: Sequence[str], start: str) -> tuple[str, ...]:
    names = tuple(game.pgn_moves(moves, start))
    return () if names == tuple(moves) else names


def _on_cells(game: AnyGame, position: Grid, moves: Sequence[str]) -> Replay:
    """Play moves, and return the cells that they change."""
    shown = Replay(game.id, str(position), tuple(position.cells), position.side_to_move, (), (), (), {}, (), "", "")
    changes, regions = list[tuple[Change, ...]](), [_regions(game, position)]
    _note_forbidden(shown, position, 0)
    for ply, move in enumerate(moves, 1):
        before = position.copy()
        position.play(position.parse_move(move))
        changes.append(tuple(game.shown(before, position)))
        regions.append(_regions(game, position))
        shown.sides += str(before.side_to_move)
        _note_forbidden(shown, position, ply)
    if game.has_area and position.result is not None:
        shown.area = "".join(map(str, owners(position.cells, position.planes_shape[2])))
    if not fills_cells(position) and has_reasons(position, game):  # else the last ply is noted already
        _note_every(shown, position, len(moves))
    shown.changes = tuple(changes)
    shown.regions = tuple(regions) if game.blocks else ()
    return shown


def _as_text(game: AnyGame, position: Position, moves: Sequence[str]) -> TextReplay:
    """Play moves, and return the drawings."""
    shown = TextReplay(game.id, str(position), (), position.side_to_move, (), (), (), {}, (), "", "")
    boards = [game.draw(position)]
    for move in moves:
        number = position.parse_move(move)
        shown.sides += str(position.side_to_move)
        position.play(number)
        boards.append(game.draw(position, number))
    shown.boards = tuple(boards)
    return shown


def _sides(shown: Replay, position: Position) -> str:
    """Return the field of this name; the side to move after the end, which no rule gives, is the other one."""
    turns = "".join(str((shown.first + ply) % 2) for ply in range(len(shown.moves) + 1))
    if position.result is None:
        return "" if shown.sides + str(position.side_to_move) == turns else shown.sides + str(position.side_to_move)
    return "" if shown.sides == turns[:-1] else _with_next(shown.sides)


def _told(sides: str, plies: int) -> str:
    """Return the field of this name from the sides of the plies, with or without the next one."""
    return sides_of([int(side) for side in (sides if len(sides) > plies else _with_next(sides))])


def _with_next(sides: str) -> str:
    """Return the sides of plies, and the other one for the end; empty for none."""
    return f"{sides}{1 - int(sides[-1])}" if sides else ""


def to_json(shown: Replay) -> bytes:
    """Return a replay as a JSON object; its keys are the fields."""
    return msgspec.json.encode(shown)


def _regions(game: AnyGame, position: Grid) -> str:
    """Return the signs of the regions; where the side to move may play is always marked."""
    if not game.blocks:
        return ""
    signs = block_signs(position)
    if position.result is not None or AIM in signs:
        return signs
    return signs.replace(".", AIM)


def _note_forbidden(shown: Replay, position: Grid, ply: int) -> None:
    """Keep the forbidden points of a ply; those of Go, where each eye has one, are kept for the last ply alone."""
    if fills_cells(position):
        _note_every(shown, position, ply)


def _note_every(shown: Replay, position: Filling, ply: int) -> None:
    if found := position.forbidden_moves():
        shown.forbidden[ply] = tuple(Forbidden(cell, kind, _SHORT.get(kind, "!")) for cell, kind in found.items())
