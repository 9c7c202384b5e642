"""A game of one's own in plain Python, which imports nothing of Fiedler: breakthrough on a board of 6 x 6.

Each side has two rows of pawns. A pawn moves one square forward, straight or diagonally, onto an empty square; it takes
a piece of the opponent diagonally. The first pawn on the last row wins, and so does the capture of all pawns.

    game = "breakthrough.py:GAME"                         in a schedule beside this file
    engine check-game examples/breakthrough.py:GAME       1,000 random games, in which all is checked
"""

SIZE = 6
FILES = "abcdef"
START = f"X;{'o' * 12}{'.' * 12}{'x' * 12}"
"""The side to move, X or O, and the squares from a6 to f1; X begins and moves up, O moves down."""


class Position:
    """The squares, and the side to move. A move is 36 times the square from which it starts, and its end."""

    def __init__(self, text: str = START) -> None:
        side, _, squares = text.partition(";")
        if side not in ("X", "O") or len(squares) != SIZE * SIZE or set(squares) - set("xo."):
            raise ValueError(f"expected X or O, a semicolon, and 36 of x, o and a point, got {text!r}")
        self.side_to_move = "XO".index(side)
        self.squares = squares

    def __str__(self) -> str:
        return f"{'XO'[self.side_to_move]};{self.squares}"

    @property
    def result(self) -> int | None:
        if "x" in self.squares[:SIZE] or "o" not in self.squares:
            return 1
        return -1 if "o" in self.squares[-SIZE:] or "x" not in self.squares else None

    def copy(self) -> "Position":
        return Position(str(self))

    def legal_moves(self) -> list[int]:
        own, other = "xo" if self.side_to_move == 0 else "ox"
        ahead = -SIZE if self.side_to_move == 0 else SIZE
        moves = []
        for start in range(SIZE * SIZE if self.result is None else 0):
            if self.squares[start] == own:
                for aside in (-1, 0, 1):
                    if 0 <= start % SIZE + aside < SIZE:
                        end = start + ahead + aside
                        if self.squares[end] == "." or (aside and self.squares[end] == other):
                            moves.append(SIZE * SIZE * start + end)
        return moves

    def play(self, move: int) -> None:
        if move not in self.legal_moves():
            raise ValueError(f"no legal move: {move}")
        squares = list(self.squares)
        start, end = divmod(move, SIZE * SIZE)
        squares[end], squares[start] = squares[start], "."
        self.squares = "".join(squares)
        self.side_to_move = 1 - self.side_to_move

    def move_text(self, move: int) -> str:
        return "".join(f"{FILES[square % SIZE]}{SIZE - square // SIZE}" for square in divmod(move, SIZE * SIZE))

    # Capabilities: the board for pages; its mirror image, so that openings that mirror each other count once.
    @property
    def cells(self) -> list[int]:
        return [".xo".index(square) for square in self.squares]

    num_symmetries = 2

    @property
    def key(self) -> int:
        return int.from_bytes(str(self).encode(), "big") % (2**61 - 1)

    def transformed(self, symmetry: int) -> "Position":
        rows = [self.squares[row : row + SIZE] for row in range(0, SIZE * SIZE, SIZE)]
        return Position(f"{'XO'[self.side_to_move]};{''.join(row[::-1] if symmetry else row for row in rows)}")

    def transformed_move(self, symmetry: int, move: int) -> int:
        start, end = (square // SIZE * SIZE + SIZE - 1 - square % SIZE for square in divmod(move, SIZE * SIZE))
        return SIZE * SIZE * start + end if symmetry else move


class Breakthrough:
    """The rules, and the words for readers."""

    id = "breakthrough"
    name = "breakthrough on 6×6"
    sides = ("White (♙)", "Black (♟)")
    description = "6×6, two rows of pawns, which move forward and take diagonally; the first one on the last row wins"
    most_plies = 85
    """Before the last step a pawn makes 4 at most, or 3 from its second row: 42 of each side."""
    takes_turns = True
    board = (SIZE, SIZE)
    pieces = (("♙", 0), ("♟", 1))
    steps = True
    example = "startpos moves a2b3 e5d4 b3b4 f5e4 b4a5 e6e5 a5b6"

    def position(self, text: str) -> Position:
        return Position() if text == "startpos" else Position(text)

    def won_by(self, position: Position) -> str:
        return "a pawn on the last row" if "x" in position.squares and "o" in position.squares else "taking all pawns"


GAME = Breakthrough()
