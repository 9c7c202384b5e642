"""A game whose moves change many cells: Othello on six by six, in Python, with a board of cells."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Self

from fiedler.games import AnyGame
from fiedler.games.board import Kind
from fiedler.games.errors import IllegalMoveError, PositionError
from fiedler.games.game import START

SIZE = 6
PASS = SIZE * SIZE
"""The number of the move `pass`, which is legal where no disc can be turned over."""
SIGNS = ".XO"
FIRST = "X;....../....../..OX../..XO../....../......"
DIRECTIONS = [(right, down) for right in (-1, 0, 1) for down in (-1, 0, 1) if right or down]


def side_and_cells(text: str, size: int, signs: str) -> tuple[int, bytes]:
    """Return the side to move and the cells of `SIDE;ROWS`, whose rows have `signs` for 0, 1 and 2."""
    sign, _, board = text.partition(";")
    rows = board.split("/")
    if sign not in ("X", "O") or [len(row) for row in rows] != [size] * size or set(board) - {*signs, "/"}:
        raise PositionError(f"position: expected SIDE;ROWS, got {text!r}")
    return "XO".index(sign), bytes(signs.index(one) for row in rows for one in row)


class Flip:
    """A disc on an empty cell turns over all discs of the opponent between it and another one of its side."""

    game = "flip"
    planes_shape = (2, SIZE, SIZE)

    def __init__(self, text: str = START) -> None:
        self.side_to_move, self.cells = side_and_cells(FIRST if text == START else text, SIZE, SIGNS)

    def __str__(self) -> str:
        rows = (self.cells[at : at + SIZE] for at in range(0, PASS, SIZE))
        return f"{'XO'[self.side_to_move]};{'/'.join(''.join(SIGNS[one] for one in row) for row in rows)}"

    @property
    def result(self) -> int | None:
        if self._places(0) or self._places(1):
            return None
        first, second = self.cells.count(1), self.cells.count(2)
        return (first > second) - (first < second)

    def copy(self) -> Self:
        return type(self)(str(self))

    def legal_moves(self) -> list[int]:
        places = self._places(self.side_to_move)
        return places or ([PASS] if self._places(1 - self.side_to_move) else [])

    def play(self, move: int) -> None:
        if move not in self.legal_moves():
            raise IllegalMoveError(f"move: expected a cell that turns discs over, got {move} in {self}")
        if move != PASS:
            cells = bytearray(self.cells)
            for cell in (move, *self._turned(move, self.side_to_move)):
                cells[cell] = 1 + self.side_to_move
            self.cells = bytes(cells)
        self.side_to_move = 1 - self.side_to_move

    def parse_move(self, text: str) -> int:
        for move in self.legal_moves():
            if self.move_text(move) == text:
                return move
        raise IllegalMoveError(f"move: expected a cell that turns discs over, got {text!r} in {self}")

    def move_text(self, move: int) -> str:
        return "pass" if move == PASS else f"{chr(ord('a') + move % SIZE)}{SIZE - move // SIZE}"

    def _places(self, side: int) -> list[int]:
        return [cell for cell in range(PASS) if not self.cells[cell] and any(self._turned(cell, side))]

    def _turned(self, cell: int, side: int) -> Iterator[int]:
        """Yield the cells that a disc of a side turns over: none is 0, for a disc in a corner stays as it is."""
        row, column = divmod(cell, SIZE)
        for right, down in DIRECTIONS:
            line = list[int]()
            x, y = column + right, row + down
            while 0 <= x < SIZE and 0 <= y < SIZE and self.cells[y * SIZE + x] == 2 - side:
                line.append(y * SIZE + x)
                x, y = x + right, y + down
            if 0 <= x < SIZE and 0 <= y < SIZE and self.cells[y * SIZE + x] == 1 + side:
                yield from line


class Skip(Flip):
    """Without a pass: a side that turns over nothing is skipped, so that the other one moves again."""

    game = "skip"

    def play(self, move: int) -> None:
        super().play(move)
        if not self._places(self.side_to_move):
            self.side_to_move = 1 - self.side_to_move

    def legal_moves(self) -> list[int]:
        return self._places(self.side_to_move)


FLIP = AnyGame(
    id="flip",
    rules=Flip,
    name="Othello on 6×6",
    sides=("Dark (X)", "Light (O)"),
    win_reason="more discs",
    draw_reason="as many discs",
    description="6×6, a disc turns over those of the opponent between it and another one of its side",
    notation="O;....../...X../..XX../..XO../....../......",
    example="startpos moves c5 b5 b4",
    board=Kind.SQUARES,
    most_plies=2 * (PASS - 4),  # no two passes in a row
)
SKIP = replace(
    FLIP, id="skip", rules=Skip, name="Othello on 6×6 without a pass", takes_turns=False, most_plies=PASS - 4
)
