"""The moves of chess in standard algebraic notation, as PGN has them (PGN standard, 8.2.3): written, and read.

The reader takes what people and programs write: `0-0` for `O-O`, `e8Q` and `e8(Q)` for `e8=Q`, `ed5` for `exd5`, more
squares than are needed (`Ng1f3`, `e2-e4`), and any of the signs `+ # ! ?` at the end.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from fiedler import native
from fiedler.games.chess_moves import (
    KING,
    PAWN,
    SIZE,
    TARGETS,
    cell_at,
    cell_of,
    end_of,
    kind_of,
    move_of,
    piece_of,
    side_of,
    start_of,
)
from fiedler.games.errors import IllegalMoveError, PositionError
from fiedler.native import Position
from fiedler.support.errors import quoted_input

_LETTERS = "PNBRQK"
_SUFFIXES = "+#!?"
_MOVE = re.compile(
    r"([PNBRQK]?)([a-h]?)([1-8]?)[-x:]?([a-h][1-8])(?:=?([NBRQnbrq])|\(([NBRQ])\))?(?:e\.p\.)?", re.ASCII
)
"""The piece, the file and the rank of its square, its next square, and the piece that a pawn becomes."""
_CASTLES = re.compile(r"([O0])-\1(-\1)?", re.ASCII)
_UCI = re.compile(r"[a-h][1-8][a-h][1-8][nbrq]?", re.ASCII)
_PROMOTIONS = "NBRQ"
"""The pieces that a pawn becomes, in the order of the core's moves, from 1."""


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


def has_form(text: str) -> bool:
    """Return whether a word has the form of a move in this notation; some words of UCI have it, too."""
    bare = text.rstrip(_SUFFIXES)
    return _MOVE.fullmatch(bare) is not None or _CASTLES.fullmatch(bare) is not None


def is_uci(text: str) -> bool:
    """Return whether a word has the form of a move as in UCI: two squares, and the letter of a promotion."""
    return _UCI.fullmatch(text) is not None


def read_move(position: Position, text: str) -> int:
    """Return the legal move of a name in this notation, or as in UCI.

    Raises:
        IllegalMoveError: There is none, or several.
    """
    if is_uci(text):
        return position.parse_move(text)
    found = _named(position, text)
    if len(found) == 1:
        return found[0]
    if not found:
        raise IllegalMoveError(f"move {text}: {_missing(position, text)} in {position}")
    names = (_written(position, move, position.move_text(move)) for move in found)
    raise IllegalMoveError(f"move {text}: expected {' or '.join(names)}")


def _named(position: Position, text: str) -> list[int]:
    """Return the legal moves that a name fits.

    Raises:
        IllegalMoveError: It is not a name.
    """
    bare = text.rstrip(_SUFFIXES)
    if castles := _CASTLES.fullmatch(bare):
        return [move for move in _castling(position) if _is_short(move) == (castles[2] is None)]
    parts = _MOVE.fullmatch(bare)
    if parts is None:
        raise IllegalMoveError(f"move: expected a move such as e2e4, Nf3, exd5, O-O or e8=Q, got {quoted_input(text)}")
    letter, file, rank, target, becomes, named = parts.groups()
    if letter in ("", "P") and not rank:
        file = file or target[0]  # only a pawn that takes changes its file, and its name has the old one
    end = cell_at(cell_of(target))
    promotion = _PROMOTIONS.index((becomes or named).upper()) + 1 if becomes or named else 0
    piece = piece_of(_LETTERS.index(letter) if letter else PAWN, position.side_to_move)
    return [
        move
        for move, start in _to(position, end, promotion, piece)
        if (not file or start % SIZE == ord(file) - ord("a")) and (not rank or start // SIZE == int(rank) - 1)
    ]


def _to(position: Position, end: int, promotion: int, piece: int) -> Iterator[tuple[int, int]]:
    """Yield the legal moves of a kind of pieces to a square, and their first squares; none that castles."""
    cells, target = position.cells, move_of(0, end, promotion)
    for move in position.legal_moves():
        if move % TARGETS == target and cells[cell := cell_at(start_of(move))] == piece:
            castles = kind_of(piece) == KING and _castles(cells, cell, cell_at(end))
            if not castles:
                yield move, start_of(move)


def _castling(position: Position) -> list[int]:
    cells, king = position.cells, piece_of(KING, position.side_to_move)
    return [
        move
        for move in position.legal_moves()
        if cells[start := cell_at(start_of(move))] == king and _castles(cells, start, cell_at(end_of(move)))
    ]


def _is_short(move: int) -> bool:
    return end_of(move) > start_of(move)


def _missing(position: Position, text: str) -> str:
    """Return the reason that a name fits no legal move."""
    bare = text.rstrip(_SUFFIXES)
    if not _CASTLES.fullmatch(bare) and bare[-1:].isdigit():
        promoted = [f"{bare}={letter}" for letter in reversed(_PROMOTIONS) if _named(position, f"{bare}={letter}")]
        if promoted:
            return f"expected {', '.join(promoted[:-1])} or {promoted[-1]}"
    return "not legal"


def _written(position: Position, move: int, name: str) -> str:
    """Return the name without the signs of check and mate."""
    cells, (start, end) = position.cells, squares(name)
    kind = kind_of(cells[start])
    if kind == KING and _castles(cells, start, end):
        return "O-O" if end > start else "O-O-O"
    takes = "x" if cells[end] or (kind == PAWN and start % SIZE != end % SIZE) else ""
    if kind == PAWN:
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
    own = cells[end] and side_of(cells[end]) == side_of(cells[start])
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
    return cell_of(name[:2]), cell_of(name[2:4])
