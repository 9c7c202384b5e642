"""A complete tournament player in one file: random ultimate tic-tac-toe over rowcol on standard input and output.

Nothing is imported but Python's own library: copy it, put your own idea into `choose`, and name it in a schedule:

    [[players]]
    name = "mine"
    command = ["python3", "rowcol_random.py"]
    protocol = "rowcol"

A line is a row and a column, 0 to 8 from the top left. `-1 -1` asks for the first move of the game; every other line is
the opponent's move, and the answer is a move of one's own. One game, then the input ends.
"""

import random
import sys

LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))


class Position:
    """Nine local boards of nine cells, both numbered 0 to 8 from the top left, row by row."""

    def __init__(self) -> None:
        self.boards = [["."] * 9 for _ in range(9)]
        self.closed = [False] * 9  # won or full
        self.target: int | None = None  # the board that must be played in; None: any open one

    def play(self, row: int, column: int, side: str) -> None:
        """Put a stone of `side`, X or O."""
        board, cell = row // 3 * 3 + column // 3, row % 3 * 3 + column % 3
        cells = self.boards[board]
        cells[cell] = side
        self.closed[board] = "." not in cells or any(all(cells[place] == side for place in line) for line in LINES)
        self.target = None if self.closed[cell] else cell

    def legal_moves(self) -> list[tuple[int, int]]:
        """Return rows and columns."""
        return [
            (board // 3 * 3 + cell // 3, board % 3 * 3 + cell % 3)
            for board in range(9)
            for cell in range(9)
            if not self.closed[board] and self.target in (None, board) and self.boards[board][cell] == "."
        ]


def choose(position: Position) -> tuple[int, int]:
    """Return the move to play. This is the place for a better idea."""
    return random.choice(position.legal_moves())


def read_cell(line: str) -> tuple[int, int]:
    """Return the row and the column on a line; 9, 9 if it has none."""
    try:
        row, column = map(int, line.split())
    except ValueError:
        return 9, 9
    return row, column


def main() -> None:
    """Play one game."""
    position = Position()
    for line in (data.decode(errors="replace") for data in sys.stdin.buffer):
        cell = read_cell(line)
        if cell in position.legal_moves():
            position.play(*cell, "O")
        elif cell != (-1, -1):
            print("error: expected a legal move", flush=True)
            continue
        row, column = choose(position)
        position.play(row, column, "X")
        print(row, column, flush=True)  # at once: the manager waits for it


if __name__ == "__main__":
    main()
