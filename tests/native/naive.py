"""The rules in a slow and obvious form, to test the native core."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import product
from string import ascii_lowercase
from typing import Protocol

from fiedler import games
from fiedler.games.board import Kind
from tests.native.chess_model import PythonChess
from tests.native.go_model import SlowGo
from tests.native.renju_model import Board

DIRECTIONS = ((0, 1), (1, 0), (1, 1), (1, -1))

Place = tuple[int, ...]
"""Row and column from the top left; in the cube after the layer."""


def lines_of(shape: tuple[int, ...], length: int) -> list[list[Place]]:
    """Every straight line of `length` cells on a board of any number of dimensions, each once."""
    lines = {}
    for start in product(*map(range, shape)):
        for step in product((-1, 0, 1), repeat=len(shape)):
            line = [tuple(s + i * d for s, d in zip(start, step, strict=True)) for i in range(length)]
            if any(step) and all(0 <= at < size for at, size in zip(line[-1], shape, strict=True)):
                lines[frozenset(line)] = line
    return list(lines.values())


class Grid:
    """A board on which the players put stones in turn; `length` in a row win."""

    def __init__(self, *shape: int, length: int) -> None:
        self.shape = shape
        self.places: list[Place] = list(product(*map(range, shape)))
        self.stones: dict[Place, int] = {}
        self.lines = lines_of(shape, length)
        self.side = 1

    def winner(self) -> int:
        for line in self.lines:
            owners = {self.stones.get(place, 0) for place in line}
            if len(owners) == 1 and owners != {0}:
                return owners.pop()
        return 0

    def result(self) -> int | None:
        """1 the first player won, -1 the second, 0 draw, None running."""
        winner = self.winner()
        if winner:
            return 1 if winner == 1 else -1
        return 0 if len(self.stones) == len(self.places) else None

    def name(self, place: Place) -> str:
        row, column = place
        return f"{ascii_lowercase[column]}{self.shape[0] - row}"

    def place(self, name: str) -> Place:
        return self.shape[0] - int(name[1:]), ascii_lowercase.index(name[0])

    def moves(self) -> set[str]:
        if self.result() is not None:
            return set()
        return {self.name(place) for place in self.places if place not in self.stones}

    def play(self, name: str) -> None:
        self.stones[self.place(name)] = self.side
        self.side = 3 - self.side

    def cells(self) -> bytes:
        return bytes(self.stones.get(place, 0) for place in self.places)


class TicTacToe(Grid):
    def __init__(self) -> None:
        super().__init__(3, 3, length=3)


class Connect4(Grid):
    def __init__(self) -> None:
        super().__init__(6, 7, length=4)

    def place(self, name: str) -> Place:
        column = ascii_lowercase.index(name)
        return max(row for row in range(6) if (row, column) not in self.stones), column

    def moves(self) -> set[str]:
        return {name[0] for name in super().moves()}


class Uttt(Grid):
    """Nine boards of tic-tac-toe on one 9×9 grid; the macro board is a tenth."""

    def __init__(self) -> None:
        super().__init__(9, 9, length=3)
        self.boards = {place: TicTacToe() for place in product(range(3), range(3))}
        self.macro = TicTacToe()
        self.target: Place | None = None

    def open(self, board: Place) -> bool:
        return self.boards[board[0], board[1]].result() is None

    def winner(self) -> int:
        return self.macro.winner()

    def result(self) -> int | None:
        winner = self.winner()
        if winner:
            return 1 if winner == 1 else -1
        return None if any(map(self.open, self.boards)) else self.without_a_line()

    def without_a_line(self) -> int:
        return 0

    def moves(self) -> set[str]:
        reachable = {board for board in self.boards if self.open(board) and self.target in (None, board)}
        return {name for name in super().moves() if (self.place(name)[0] // 3, self.place(name)[1] // 3) in reachable}

    def play(self, name: str) -> None:
        row, column = self.place(name)
        board, inner = (row // 3, column // 3), (row % 3, column % 3)
        self.boards[board].stones[inner] = self.side
        if self.boards[board].winner():
            self.macro.stones[board] = self.side
        super().play(name)
        self.target = inner if self.open(inner) else None


class UtttMajority(Uttt):
    def without_a_line(self) -> int:
        won = Counter(self.macro.stones.values())
        return (won[1] > won[2]) - (won[1] < won[2])


class Cube(Grid):
    def __init__(self) -> None:
        super().__init__(4, 4, 4, length=4)
        assert len(self.lines) == 76

    def name(self, place: Place) -> str:
        layer, row, column = place
        return f"{layer + 1}{ascii_lowercase[column]}{4 - row}"

    def place(self, name: str) -> Place:
        return int(name[0]) - 1, 4 - int(name[2:]), ascii_lowercase.index(name[1])


class Gomoku(Grid):
    """Five or more in a row win."""

    def __init__(self, size: int) -> None:
        super().__init__(size, size, length=5)

    def runs(self) -> Iterator[tuple[int, int]]:
        """Owner and length of every row that cannot be extended at either end."""
        for ((row, column), owner), (down, right) in product(self.stones.items(), DIRECTIONS):
            if self.stones.get((row - down, column - right)) != owner:
                length = 1
                while self.stones.get((row + length * down, column + length * right)) == owner:
                    length += 1
                yield owner, length

    def wins(self, owner: int, length: int) -> bool:
        return length >= 5

    def winner(self) -> int:
        return next((owner for owner, length in self.runs() if self.wins(owner, length)), 0)


class Standard(Gomoku):
    """Exactly five in a row win, also beside a longer row of the same stone."""

    def wins(self, owner: int, length: int) -> bool:
        return length == 5


class Renju(Gomoku):
    """Black needs exactly five and has forbidden points, White needs five or more."""

    def __init__(self) -> None:
        super().__init__(15)

    def wins(self, owner: int, length: int) -> bool:
        return length == 5 if owner == 1 else length >= 5

    def allowed(self) -> Iterator[Place]:
        """The allowed places of the side to move, as if the game were running."""
        board = Board(self.stones)
        for place in self.places:
            if place not in self.stones and (self.side == 2 or not board.forbidden(place)):
                yield place

    def result(self) -> int | None:
        result = super().result()
        return 0 if result is None and not any(True for _ in self.allowed()) else result

    def moves(self) -> set[str]:
        return set(map(self.name, self.allowed())) if self.result() is None else set()


class Slow(Protocol):
    """A game at some position, played by the names of moves."""

    def moves(self) -> set[str]: ...
    def play(self, name: str) -> None: ...
    def result(self) -> int | None: ...
    def cells(self) -> bytes: ...


_MODELS: dict[str, Callable[[], Slow]] = {
    "tictactoe": TicTacToe,
    "connect4": Connect4,
    "uttt": Uttt,
    "uttt-majority": UtttMajority,
    "cube": Cube,
    "standard15": lambda: Standard(15),
    "renju15": Renju,
    "go9": lambda: SlowGo(9),
    "go13": lambda: SlowGo(13),
    "go19": lambda: SlowGo(19),
    "chess": PythonChess,
    "chess960": lambda: PythonChess(shuffled=True),
}


def model(game: str) -> Slow:
    """A model of the game at its start; of freestyle gomoku in any size, of chess a library of others."""
    if game in _MODELS:
        return _MODELS[game]()
    face = games.game(game)
    assert (face.in_a_row, face.board) == (5, Kind.POINTS), f"write a slow model of {game} into tests/native/naive.py"
    return Gomoku(face.position().planes_shape[1])
