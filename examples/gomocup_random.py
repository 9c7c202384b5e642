"""A complete tournament player in one file: random gomoku over the protocol of Gomocup.

Nothing is imported but Python's own library: copy it, put your own idea into `choose`, and name it in a schedule:

    [[players]]
    name = "mine"
    command = ["python3", "gomocup_random.py"]
    protocol = "gomocup"

It also plays in Piskvork and its like, as a program whose name begins with `pbrain-`. Points are X,Y: the column from
the left and the row from the top, both from 0.
"""

import random
import sys

OWN, OPPONENT = 1, 2


class Board:
    """The stones by their points."""

    def __init__(self) -> None:
        self.clear(15)

    def clear(self, size: int) -> None:
        """Begin a game on a board of `size` points."""
        self.size = size
        self.stones: dict[tuple[int, int], int] = {}

    def put(self, x: int, y: int, side: int) -> None:
        """Put a stone of a side; ValueError if the point is not free."""
        if (x, y) not in self.free():
            raise ValueError(f"{x},{y} is not free")
        self.stones[x, y] = side

    def free(self) -> list[tuple[int, int]]:
        """Return the points without a stone."""
        points = [(x, y) for x in range(self.size) for y in range(self.size)]
        return [point for point in points if point not in self.stones]


def choose(board: Board) -> tuple[int, int]:
    """Return the point to play. This is the place for a better idea."""
    return random.choice(board.free())


def move(board: Board) -> str:
    """Play a move of our own, and return its point."""
    x, y = choose(board)
    board.put(x, y, OWN)
    return f"{x},{y}"


def read_line() -> str:
    """Return the next line, empty at the end; binary input is a wrong line."""
    return sys.stdin.buffer.readline().decode(errors="replace")


def set_up(board: Board) -> None:
    """Read the stones of BOARD, one a line, up to DONE; ValueError for a bad one, after the last line."""
    lines = []
    while (line := read_line()).strip().upper() not in ("DONE", ""):
        lines.append(line)
    stones = [tuple(map(int, line.split(","))) for line in lines]
    board.stones.clear()
    for x, y, side in stones:
        board.put(x, y, side)


def answer(board: Board, command: str, value: str) -> str:
    """Return the answer to a command, empty for none; ValueError for a bad one."""
    match command:
        case "START":
            if not 5 <= int(value) <= 40:
                raise ValueError("expected a size from 5 to 40")
            board.clear(int(value))
            return "OK"
        case "RESTART":
            board.stones.clear()
            return "OK"
        case "TURN":
            x, y = map(int, value.split(","))
            board.put(x, y, OPPONENT)
            return move(board)
        case "BOARD":
            set_up(board)
            return move(board)
        case "BEGIN":
            return move(board)
        case "ABOUT":
            return 'name="gomocup_random", version="1", author="me", country="-"'
        case "INFO":
            key, _, number = value.partition(" ")
            if key == "seed":
                random.seed(int(number))
            return ""
    return f"UNKNOWN {command}"


def main() -> None:
    """Answer commands until END or the end of the input."""
    board = Board()
    for line in iter(read_line, ""):
        command, _, value = line.strip().partition(" ")
        if command.upper() == "END":
            return
        if command:
            try:
                text = answer(board, command.upper(), value)
            except (ValueError, IndexError) as error:  # IndexError: no free point is left
                text = f"ERROR {error}"
            if text:
                print(text, flush=True)  # at once: the manager waits for it


if __name__ == "__main__":
    main()
