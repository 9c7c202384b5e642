"""The numbers of chess as the core has them: pieces, cells, squares and moves.

A piece counts from 1, White's and then Black's. A cell is a place in `Position.cells`, from a8 on, row by row; a square
of a move counts from a1 on. A move is (64 × from + to) × 5 + promotion.
"""

from __future__ import annotations

SIZE = 8
KINDS = ("pawn", "knight", "bishop", "rook", "queen", "king")
"""The kinds of pieces in the order of the core."""
PAWN, KNIGHT, BISHOP, ROOK, QUEEN, KING = range(len(KINDS))
_FLIP = SIZE * (SIZE - 1)
_PROMOTIONS = 5
"""None, or to one of four pieces."""
TARGETS = SIZE * SIZE * _PROMOTIONS
"""The moves of a square: a move modulo it is the next square and the promotion, as `move_of(0, to, promotion)`."""


def piece_of(kind: int, side: int) -> int:
    """Return the piece of a place in `KINDS` and a side, 0 or 1."""
    return kind + 1 + side * len(KINDS)


def kind_of(piece: int) -> int:
    """Return the place of a piece in `KINDS`."""
    return (piece - 1) % len(KINDS)


def side_of(piece: int) -> int:
    """Return the side of a piece, 0 or 1."""
    return int(piece > len(KINDS))


def cell_at(square: int) -> int:
    """Return the cell of a square, or the square of a cell."""
    return square ^ _FLIP


def name_of(cell: int) -> str:
    """Return the name of a cell, such as `e4`."""
    return f"{chr(ord('a') + cell % SIZE)}{SIZE - cell // SIZE}"


def cell_of(name: str) -> int:
    """Return the cell of a name such as `e4`."""
    return (SIZE - int(name[1])) * SIZE + ord(name[0]) - ord("a")


def move_of(start: int, end: int, promotion: int = 0) -> int:
    """Return the move between two squares; a promotion is 0, or that of a knight, a bishop, a rook, a queen, from 1."""
    return (SIZE * SIZE * start + end) * _PROMOTIONS + promotion


def start_of(move: int) -> int:
    """Return the square that a move leaves."""
    return move // TARGETS


def end_of(move: int) -> int:
    """Return the square that a move goes to."""
    return move // _PROMOTIONS % (SIZE * SIZE)
