"""A complete tournament player in one file: random ultimate tic-tac-toe over UGI on standard input and output.

It imports only the standard library: copy it, put your own idea into `choose`, and name it in a schedule:

    [[players]]
    name = "mine"
    command = ["python", "ugi_random.py"]

Squares are named a1 (bottom left) to i9 (top right). Boards and the cells of a board are numbered 0 to 8 from the top
left, row by row.
"""

import random
import sys

LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))
ANY = None


def square(board: int, cell: int) -> str:
    """Name a cell of a local board: board 0, cell 0 is a9."""
    column, row = board % 3 * 3 + cell % 3, board // 3 * 3 + cell // 3
    return "abcdefghi"[column] + str(9 - row)


SQUARES = {square(board, cell): (board, cell) for board in range(9) for cell in range(9)}


def has_line(cells: list[str], side: str) -> bool:
    """Return whether a side has three in a row."""
    return any(all(cells[place] == side for place in line) for line in LINES)


class Position:
    """Nine local boards, the board that must be played in (ANY: an open one), and the side to move."""

    def __init__(self) -> None:
        self.boards = [["."] * 9 for _ in range(9)]
        self.won = ["."] * 9
        """The state of each board: X, O, # (full) or . (open)."""
        self.target: int | None = ANY
        self.side = "X"

    @classmethod
    def parse(cls, text: str) -> "Position":
        """Read `SIDE;BOARDS;CELLS/CELLS/…`: X or O; nine of `XO#.@` (@: the next board); nine times nine of `XO.`."""
        position = cls()
        position.side, marks, cells = text.split(";")
        position.boards = [list(board) for board in cells.split("/")]
        if position.side not in ("X", "O") or [len(board) for board in position.boards] != [9] * 9 or len(marks) != 9:
            raise ValueError(f"no position: {text}")
        position.target = marks.index("@") if "@" in marks else ANY
        position.won = list(marks.replace("@", "."))
        return position

    def play(self, move: str) -> None:
        """Play a legal move.

        Raises:
            ValueError: The move is illegal.
        """
        if move not in self.legal_moves():
            raise ValueError(f"illegal move: {move}")
        board, cell = SQUARES[move]
        self.boards[board][cell] = self.side
        if has_line(self.boards[board], self.side):
            self.won[board] = self.side
        elif "." not in self.boards[board]:
            self.won[board] = "#"
        self.target = cell if self.won[cell] == "." else ANY
        self.side = "O" if self.side == "X" else "X"

    def winner(self) -> str | None:
        """Return the side that has won, or None."""
        return next((side for side in "XO" if has_line(self.won, side)), None)

    def legal_moves(self) -> list[str]:
        """Return all moves; none when the game is over."""
        if self.winner():
            return []
        boards = range(9) if self.target is ANY else [self.target]
        return [
            name
            for name, (board, cell) in SQUARES.items()
            if board in boards and self.won[board] == "." and self.boards[board][cell] == "."
        ]


def choose(position: Position) -> str:
    """Return the move to play, `none` if there is none. This is the place for a better idea."""
    return random.choice(position.legal_moves() or ["none"])


def read_position(words: list[str]) -> Position:
    """Read the words after `position`: `startpos` or `fen TEXT`, then perhaps `moves m1 m2 …`."""
    start, moves = (
        (words[: words.index("moves")], words[words.index("moves") + 1 :]) if "moves" in words else (words, [])
    )
    if start[:1] not in (["fen"], ["startpos"]):
        raise ValueError("expected startpos or fen")
    position = Position.parse(start[1]) if start[0] == "fen" else Position()
    for move in moves:
        position.play(move)
    return position


def answer(query: str, position: Position) -> str:
    """Answer a query of a runner that asks its engines about the game."""
    over, winner = not position.legal_moves(), position.winner()
    if query == "gameover":
        return "true" if over else "false"
    if query == "p1turn":
        return "true" if position.side == "X" else "false"
    if query == "result":
        return {"X": "p1win", "O": "p2win", None: "draw" if over else "none"}[winner]
    return "unknown"


def main() -> None:
    """Speak UGI until `quit` or the end of the input. Limits of time do not matter: random is always fast enough."""
    position = Position()
    for line in (data.decode(errors="replace") for data in sys.stdin.buffer):  # binary input is a wrong line
        match line.split():
            case ["ugi"]:
                say("id name ugi_random", "id author Fiedler")
                say("option name seed type spin default 0 min 0 max 2147483647", "ugiok")
            case ["isready"]:
                say("readyok")
            case ["setoption", "name", "seed", "value", number]:
                random.seed(number)
            case ["uginewgame"]:
                position = Position()
            case ["position", *words]:
                try:
                    position = read_position(words)
                except (ValueError, IndexError) as error:
                    say(f"info string error: {error}")
            case ["query", query]:
                say(f"response {answer(query, position)}")
            case ["go", *_]:
                say(f"bestmove {choose(position)}")
            case ["quit"]:
                return


def say(*lines: str) -> None:
    """Print lines at once: a runner waits for them."""
    print(*lines, sep="\n", flush=True)


if __name__ == "__main__":
    main()
