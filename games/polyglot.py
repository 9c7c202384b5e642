"""Books of openings of chess in the format of PolyGlot (Fabien Letouzey): the moves of positions, and their weights.

A book is a list of entries of 16 bytes, big-endian, in the order of their keys: the key of a position (8 bytes), a move
(2: three bits each for the file and the rank of the square that it goes to, those of the one that it leaves, and the
promotion), its weight (2), and what a program has learned (4), which is left out. A key is the XOR of 781 random
numbers: 64 of each kind of pieces, 4 to castle, 8 for the file of a pawn that can be taken in passing, one for the turn
of White. They are constants of the format, the first ones of ISAAC-64.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fiedler.games.chess import ChessGame
from fiedler.games.chess_moves import (
    KING,
    PAWN,
    ROOK,
    SIZE,
    cell_at,
    end_of,
    kind_of,
    move_of,
    piece_of,
    side_of,
    start_of,
)
from fiedler.games.isaac64 import isaac64
from fiedler.native import Position
from fiedler.support.errors import UsageError, system_reason
from fiedler.support.text import counted

_ENTRY = np.dtype([("key", ">u8"), ("move", ">u2"), ("weight", ">u2"), ("learn", ">u4")])
_NUMBERS, _CASTLING, _PASSED, _WHITE = 781, 768, 772, 780


@cache
def _numbers() -> tuple[int, ...]:
    return tuple(islice(isaac64(), _NUMBERS))


class PolyglotBook:
    """A book in memory."""

    def __init__(self, game: ChessGame, path: Path) -> None:
        """Read a book, and check it.

        Raises:
            UsageError: The file cannot be read, is not a book, or has no move of the start.
        """
        self._shuffled = "Chess960" in game.pgn_tags().values()
        entries = _entries(path)
        self._keys: NDArray[np.uint64] = entries["key"].astype(np.uint64)
        self._moves, self._weights = entries["move"], entries["weight"]
        if len(wrong := np.flatnonzero(self._keys[1:] < self._keys[:-1])):
            place = f"not so at {wrong[0] + 2:,}"
            raise UsageError(f"{path}: expected the entries of a book in the order of their keys, {place}")
        if not self.moves(game.position()):
            count = counted(len(self._keys), "entry")
            raise UsageError(f"{path}: expected a book for the start of {game.id}, got {count} without a move of it")

    def moves(self, position: Position, last: int | None = None) -> Mapping[int, int]:
        """Return the weights, at least 1, of the legal moves of a position that `last` led to."""
        key = np.uint64(key_of(position, last))
        first, end = np.searchsorted(self._keys, key), np.searchsorted(self._keys, key, "right")
        found: dict[int, int] = {}
        for word, weight in zip(self._moves[first:end].tolist(), self._weights[first:end].tolist(), strict=True):
            move = self._move(position, word)
            if weight and move < position.num_actions and position.is_legal(move):
                found[move] = found.get(move, 0) + weight
        return found

    def _move(self, position: Position, word: int) -> int:
        """Return the move of the core; a king castles by a move to his rook."""
        start, end, promotion = word >> 6 & 63, word & 63, word >> 12
        cells = position.cells
        king, rook = (piece_of(kind, position.side_to_move) for kind in (KING, ROOK))
        if not self._shuffled and cells[cell_at(start)] == king and cells[cell_at(end)] == rook:
            end = start + (2 if end > start else -2)
        return move_of(start, end, promotion)


def key_of(position: Position, last: int | None = None) -> int:
    """Return the key of a position of chess, 64 bits; `last` is the move that led to it.

    A pawn that has just passed counts if a pawn stands beside it that may take it, whether that move is legal or not.
    """
    numbers, key = _numbers(), 0
    for cell, piece in enumerate(position.cells):
        if piece:
            key ^= numbers[64 * (2 * kind_of(piece) + 1 - side_of(piece)) + cell_at(cell)]
    castling = str(position).split("_")[2]
    for place, letter in enumerate("KQkq"):
        if letter in castling:
            key ^= numbers[_CASTLING + place]
    if last is not None and _passed(position, last):
        key ^= numbers[_PASSED + start_of(last) % SIZE]
    return key if position.side_to_move else key ^ numbers[_WHITE]


def _passed(position: Position, last: int) -> bool:
    """Return whether a move was one of a pawn over two squares, beside a pawn of the side to move."""
    cells, start, end = position.cells, start_of(last), end_of(last)
    own = piece_of(PAWN, position.side_to_move)
    if abs(end - start) != 2 * SIZE or kind_of(cells[cell_at(end)]) != PAWN:
        return False
    sides = [end + step for step in (-1, 1) if 0 <= end % SIZE + step < SIZE]
    return any(cells[cell_at(square)] == own for square in sides)


def _entries(path: Path) -> NDArray[np.void]:
    """Return the entries of a book."""
    try:
        size = path.stat().st_size
        if size == 0 or size % _ENTRY.itemsize:
            raise UsageError(f"{path}: expected a book of PolyGlot, entries of 16 bytes, got {size:,} bytes")
        return np.fromfile(path, _ENTRY)
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {system_reason(error)}") from error
