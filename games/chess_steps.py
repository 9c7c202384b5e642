"""The steps of chess that a player may try and the laws refuse: into check, and castling at a wrong time."""

from __future__ import annotations

from collections.abc import Iterator

from fiedler import native
from fiedler.games.chess_moves import BISHOP, KING, KNIGHT, PAWN, QUEEN, ROOK, SIZE, kind_of, name_of, side_of


def refused_steps(position: native.Position) -> dict[str, str]:
    """Return the steps of the side to move that its pieces could make, and the laws refuse, with the reason."""
    if position.result is not None:
        return {}
    legal = {position.move_text(move)[:4] for move in position.legal_moves()}
    king = f"the {('white', 'black')[position.side_to_move]} king"
    found = {name: f"{king} would be in check" for name in _possible(position) if name not in legal}
    castling = {name: f"{king} cannot castle now" for name in _castling(position) if name not in legal}
    return castling | found


def _possible(position: native.Position) -> Iterator[str]:
    """Yield the steps that pieces could make if no king were to be guarded; none that castles or takes in passing."""
    cells, side = position.cells, position.side_to_move
    for start in own(position):
        for end, other in enumerate(cells):
            if (not other or side_of(other) != side) and _reaches(cells, start, end):
                yield name_of(start) + name_of(end)


def _castling(position: native.Position) -> Iterator[str]:
    """Yield the castling moves by name, legal or not, of a king on the first rank of its side."""
    cells, kings = position.cells, [cell for cell in own(position) if kind_of(position.cells[cell]) == KING]
    home = SIZE * (SIZE - 1) * (1 - position.side_to_move)
    for king in kings:
        if position.game == "chess" and king == home + 4:
            yield from (name_of(king) + name_of(king + aside) for aside in (-2, 2))
        elif position.game != "chess" and home <= king < home + SIZE:
            rooks = (cell for cell in range(home, home + SIZE) if cells[cell] == cells[king] - KING + ROOK)
            yield from (name_of(king) + name_of(rook) for rook in rooks)


def _reaches(cells: bytes, start: int, end: int) -> bool:
    """Return whether the piece on a square could go to another one, on which no piece of its side is."""
    kind, side = kind_of(cells[start]), side_of(cells[start])
    (row, column), (to_row, to_column) = divmod(start, SIZE), divmod(end, SIZE)
    down, right = to_row - row, to_column - column
    if kind == PAWN:
        return _pawn_reaches(cells, start, end, (down if side else -down, abs(right)))
    if kind == KNIGHT:
        return {abs(down), abs(right)} == {1, 2}
    if kind == KING:
        return max(abs(down), abs(right)) == 1
    straight, diagonal = not down or not right, abs(down) == abs(right)
    fits = (straight and kind in (ROOK, QUEEN)) or (diagonal and kind in (BISHOP, QUEEN))
    return start != end and fits and _is_free(cells, start, end, max(abs(down), abs(right)))


def _pawn_reaches(cells: bytes, start: int, end: int, way: tuple[int, int]) -> bool:
    """Return whether a pawn could go `way`: squares forward, and aside."""
    if way == (1, 1):
        return cells[end] != 0
    at_home = start // SIZE == (1 if side_of(cells[start]) else SIZE - 2)
    return not cells[end] and (way == (1, 0) or (way == (2, 0) and at_home and not cells[(start + end) // 2]))


def _is_free(cells: bytes, start: int, end: int, steps: int) -> bool:
    """Return whether the squares between two others on a line are empty."""
    return not any(cells[start + (end - start) // steps * step] for step in range(1, steps))


def own(position: native.Position) -> Iterator[int]:
    """Yield the squares of the side to move."""
    side = position.side_to_move
    return (cell for cell, piece in enumerate(position.cells) if piece and side_of(piece) == side)
