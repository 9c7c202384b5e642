"""The rules once more, slow and obvious: what the native core is held against."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

LETTERS = "abcdefghi"


def lines_of(rows: int, columns: int, length: int) -> list[list[tuple[int, int]]]:
    """Every straight line of `length` cells on a board, as (row, column) from the top left."""
    lines = []
    for row, column, (down, right) in product(range(rows), range(columns), [(0, 1), (1, 0), (1, 1), (1, -1)]):
        line = [(row + i * down, column + i * right) for i in range(length)]
        if all(0 <= r < rows and 0 <= c < columns for r, c in line):
            lines.append(line)
    return lines


class Grid:
    """A board of stones on which one player after the other puts a stone; `length` in a row win."""

    def __init__(self, rows: int, columns: int, length: int) -> None:
        self.rows, self.columns = rows, columns
        self.stones: dict[tuple[int, int], int] = {}
        self.lines = lines_of(rows, columns, length)
        self.side = 1

    def winner(self) -> int:
        for line in self.lines:
            owners = {self.stones.get(cell, 0) for cell in line}
            if len(owners) == 1 and owners != {0}:
                return owners.pop()
        return 0

    def full(self) -> bool:
        return len(self.stones) == self.rows * self.columns

    def result(self) -> int | None:
        """1 the first player won, -1 the second, 0 draw, None running."""
        winner = self.winner()
        if winner:
            return 1 if winner == 1 else -1
        return 0 if self.full() else None

    def name(self, row: int, column: int) -> str:
        return f"{LETTERS[column]}{self.rows - row}"

    def cell(self, name: str) -> tuple[int, int]:
        return self.rows - int(name[1:]), LETTERS.index(name[0])

    def moves(self) -> set[str]:
        if self.result() is not None:
            return set()
        return {
            self.name(row, column)
            for row, column in product(range(self.rows), range(self.columns))
            if (row, column) not in self.stones
        }

    def play(self, name: str) -> None:
        self.stones[self.cell(name)] = self.side
        self.side = 3 - self.side

    def cells(self) -> bytes:
        return bytes(self.stones.get(cell, 0) for cell in product(range(self.rows), range(self.columns)))


class TicTacToe(Grid):
    def __init__(self) -> None:
        super().__init__(3, 3, 3)


class Connect4(Grid):
    def __init__(self) -> None:
        super().__init__(6, 7, 4)

    def cell(self, name: str) -> tuple[int, int]:
        column = LETTERS.index(name)
        return max(row for row in range(6) if (row, column) not in self.stones), column

    def moves(self) -> set[str]:
        return {name[0] for name in super().moves()}


class Uttt(Grid):
    """Nine boards of tic-tac-toe on one 9×9 grid; the macro board is a tenth."""

    def __init__(self) -> None:
        super().__init__(9, 9, 3)
        self.boards = {place: TicTacToe() for place in product(range(3), range(3))}
        self.macro = TicTacToe()
        self.target: tuple[int, int] | None = None

    def open(self, place: tuple[int, int]) -> bool:
        return self.boards[place].result() is None

    def winner(self) -> int:
        return self.macro.winner()

    def result(self) -> int | None:
        winner = self.winner()
        if winner:
            return 1 if winner == 1 else -1
        return None if any(map(self.open, self.boards)) else 0

    def moves(self) -> set[str]:
        reachable = {place for place in self.boards if self.open(place) and self.target in (None, place)}
        return {name for name in super().moves() if (self.cell(name)[0] // 3, self.cell(name)[1] // 3) in reachable}

    def play(self, name: str) -> None:
        row, column = self.cell(name)
        place, inner = (row // 3, column // 3), (row % 3, column % 3)
        self.boards[place].stones[inner] = self.side
        if self.boards[place].winner():
            self.macro.stones[place] = self.side
        super().play(name)
        self.target = inner if self.open(inner) else None


MODELS: dict[str, Callable[[], Grid]] = {"tictactoe": TicTacToe, "connect4": Connect4, "uttt": Uttt}
