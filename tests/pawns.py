"""A game whose moves empty cells: hexapawn on three by three, in Python, with pieces of its own."""

from __future__ import annotations

from typing import Self

from fiedler.games import AnyGame
from fiedler.games.board import Kind, Piece
from fiedler.games.errors import IllegalMoveError
from fiedler.games.game import START
from tests.flip import side_and_cells

SIZE = 3
SIGNS = ".Pp"
FIRST = "X;ppp/.../PPP"


class Pawns:
    """A pawn steps forward to an empty cell, or takes a pawn diagonally. The last row wins, or no move of the other."""

    game = "pawns"
    planes_shape = (2, SIZE, SIZE)

    def __init__(self, text: str = START) -> None:
        self.side_to_move, self.cells = side_and_cells(FIRST if text == START else text, SIZE, SIGNS)

    def __str__(self) -> str:
        board = "".join(SIGNS[one] for one in self.cells)
        return f"{'XO'[self.side_to_move]};{board[:3]}/{board[3:6]}/{board[6:]}"

    @property
    def result(self) -> int | None:
        won = 1 in self.cells[:SIZE], 2 in self.cells[-SIZE:]
        if any(won) or not self._moves():
            return 1 if won[0] or (self.side_to_move == 1 and not won[1]) else -1
        return None

    def copy(self) -> Self:
        return type(self)(str(self))

    def legal_moves(self) -> list[int]:
        return [] if self.result is not None else self._moves()

    def play(self, move: int) -> None:
        self.parse_move(self.move_text(move))
        cells = bytearray(self.cells)
        cells[move % 9], cells[move // 9] = cells[move // 9], 0
        self.cells, self.side_to_move = bytes(cells), 1 - self.side_to_move

    def parse_move(self, text: str) -> int:
        for move in self.legal_moves():
            if self.move_text(move) == text:
                return move
        raise IllegalMoveError(f"move: expected a step of a pawn, got {text!r} in {self}")

    def move_text(self, move: int) -> str:
        return "".join(f"{'abc'[cell % SIZE]}{SIZE - cell // SIZE}" for cell in divmod(move, 9))

    def _moves(self) -> list[int]:
        """Return the steps, each nine times the cell before it and the cell after it."""
        own, forward = 1 + self.side_to_move, SIZE if self.side_to_move else -SIZE
        found = []
        for cell in (cell for cell in range(9) if self.cells[cell] == own and 0 <= cell + forward < 9):
            for aside in (-1, 0, 1):
                target = cell + forward + aside
                if 0 <= cell % SIZE + aside < SIZE and self.cells[target] == (3 - own if aside else 0):
                    found.append(9 * cell + target)
        return found


PAWNS = AnyGame(
    id="pawns",
    rules=Pawns,
    name="hexapawn",
    sides=("White", "Black"),
    win_reason="the last row, or no move of the other side",
    description="3×3, pawns that step forward and take diagonally",
    notation="O;ppp/P../.PP",
    example="startpos moves a1a2 b3a2 b1a2",
    board=Kind.SQUARES,
    steps=True,
    pieces=(Piece("P", 0, "white pawn"), Piece("p", 1, "black pawn")),
)
