"""A complete tournament player in one file: random ultimate tic-tac-toe over makemove.

The player connects to the referee, says OK, and answers commands. Nothing is imported but Python's own library: copy
it, put your own idea into `choose`, and name it in a schedule:

    [[players]]
    name = "mine"
    command = ["python3", "makemove_random.py", "{port}", "{movetime_s}"]
    protocol = "makemove"

A move is a byte: 16 × the local board + its cell, both 0 to 8 from the top left, row by row.
"""

import random
import socket
import sys

LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))


class Position:
    """Nine local boards of nine cells."""

    def __init__(self) -> None:
        self.boards = [["."] * 9 for _ in range(9)]
        self.closed = [False] * 9  # won or full
        self.target: int | None = None  # the board that must be played in; None: any open one
        self.side = "X"

    def play(self, move: int) -> None:
        """Play a legal move."""
        board, cell = divmod(move, 16)
        cells = self.boards[board]
        cells[cell] = self.side
        self.closed[board] = "." not in cells or any(all(cells[place] == self.side for place in line) for line in LINES)
        self.target = None if self.closed[cell] else cell
        self.side = "O" if self.side == "X" else "X"

    def legal_moves(self) -> list[int]:
        """Return the bytes of the legal moves."""
        return [
            16 * board + cell
            for board in range(9)
            for cell in range(9)
            if not self.closed[board] and self.target in (None, board) and self.boards[board][cell] == "."
        ]


def choose(position: Position, seconds: float) -> int:  # noqa: ARG001
    """Return the move to play; the limit is `seconds`. This is the place for a better idea."""
    return random.choice(position.legal_moves())


def main(port: int, seconds: float) -> None:
    """Answer the referee until EXIT."""
    position = Position()
    with socket.create_connection(("127.0.0.1", port)) as link:
        lines = link.makefile(encoding="utf-8", errors="replace")

        def say(answer: str) -> None:
            link.sendall(f"{answer}\n".encode())

        say("OK")
        for line in lines:
            command, _, value = line.strip().partition(":")
            if command == "MAKE_MOVE":  # not sent to us again: we play it ourselves
                move = choose(position, seconds)
                position.play(move)
                say(f"MOVE:{move}")
                continue
            if command == "GAME_RESET":
                position = Position()
            elif command == "APPLY_MOVE" and value in map(str, position.legal_moves()):  # the opponent's, an opening's
                position.play(int(value))
            elif command == "SET_TIME_PER_MOVE":
                seconds = float(value)
            elif command not in ("EXIT", "LOAD_MODEL"):
                say("ERROR:unknown command or illegal move")
                continue
            say("OK")
            if command == "EXIT":
                return


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: makemove_random.py PORT SECONDS")
    main(int(sys.argv[1]), float(sys.argv[2]))
