"""The moves of chess in standard algebraic notation, as PGN has them (PGN standard, 8.2.3)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import native
from games.errors import PositionError
from native import Position

_LETTERS = "PNBRQK"
_PAWN, _KING = 0, 5
_SIZE = 8


def sans(position: Position, moves: Sequence[str]) -> Iterator[str]:
    """Yield the names of moves from a position, such as `Nf3`, `exd5`, `O-O` and `e8=Q+`; each is played there.

    Raises:
        IllegalMoveError: A move is not legal.
    """
    for name in moves:
        move = position.parse_move(name)
        written = _written(position, move, name)
        position.play(move)
        yield written + _threat(position)


def _written(position: Position, move: int, name: str) -> str:
    """Return the name without the signs of check and mate."""
    cells, (start, end) = position.cells, squares(name)
    kind = _kind(cells[start])
    if kind == _KING and _castles(cells, start, end):
        return "O-O" if end > start else "O-O-O"
    takes = "x" if cells[end] or (kind == _PAWN and start % _SIZE != end % _SIZE) else ""
    if kind == _PAWN:
        promotion = f"={name[4].upper()}" if len(name) > 4 else ""
        return f"{name[0] if takes else ''}{takes}{name[2:4]}{promotion}"
    return f"{_LETTERS[kind]}{_which(position, move, name)}{takes}{name[2:4]}"


def _which(position: Position, move: int, name: str) -> str:
    """Return the file, the rank or both of a piece if others of its kind can go to the same square."""
    cells, piece = position.cells, position.cells[squares(name)[0]]
    names = (position.move_text(one) for one in position.legal_moves() if one != move)
    rivals = [one for one in names if one[2:4] == name[2:4] and cells[squares(one)[0]] == piece]
    if not rivals:
        return ""
    if all(one[0] != name[0] for one in rivals):
        return name[0]
    return name[1] if all(one[1] != name[1] for one in rivals) else name[:2]


def _castles(cells: bytes, start: int, end: int) -> bool:
    """Return whether a move of the king castles: two squares aside, or in Chess960 to a rook of its side."""
    own = cells[end] and (cells[end] > len(_LETTERS)) == (cells[start] > len(_LETTERS))
    return bool(own) or abs(start - end) == 2


def _threat(position: Position) -> str:
    """Return the sign of a check or a mate."""
    if position.result is not None and position.ending == "checkmate":
        return "#"
    board, side, castling, _, *numbers = str(position).split("_")
    passed = "_".join([board, "wb"[side == "w"], castling, "-", *numbers])
    try:
        native.Position(position.game, passed)
    except PositionError:  # with the other side to move, it could take the king
        return "+"
    return ""


def squares(name: str) -> tuple[int, int]:
    """Return the places in `Position.cells` of the two squares of a move."""
    start, end = ((_SIZE - int(one[1])) * _SIZE + ord(one[0]) - ord("a") for one in (name[:2], name[2:4]))
    return start, end


def _kind(piece: int) -> int:
    return (piece - 1) % len(_LETTERS)
