"""A game without a core and without a board: a heap of counters, from which the players take in turn."""

from __future__ import annotations

from typing import Self

from fiedler.games import AnyGame
from fiedler.games.errors import IllegalMoveError, PositionError
from fiedler.games.game import START


class Take:
    """Take 1, 2 or 3 counters, but not as many as the opponent just took. To take the last one wins."""

    game = "take"

    def __init__(self, text: str = START) -> None:
        try:
            sign, heap, last = (text if text != START else "X;11;0").split(";")
            self.side_to_move, self.heap, self.last = "XO".index(sign), int(heap), int(last)
        except ValueError:
            raise PositionError(f"position: expected SIDE;HEAP;LAST, got {text!r}") from None

    def __str__(self) -> str:
        return f"{'XO'[self.side_to_move]};{self.heap};{self.last}"

    @property
    def result(self) -> int | None:
        if not self.heap:
            return 1 if self.side_to_move else -1
        return None if self.legal_moves() else 0

    def copy(self) -> Self:
        return type(self)(str(self))

    def legal_moves(self) -> list[int]:
        return [number for number in (1, 2, 3) if number != self.last and number <= self.heap]

    def play(self, move: int) -> None:
        self.parse_move(str(move))
        self.side_to_move, self.heap, self.last = 1 - self.side_to_move, self.heap - move, move

    def parse_move(self, text: str) -> int:
        if text not in map(str, self.legal_moves()):
            raise IllegalMoveError(f"move: expected a number to take, got {text!r} in {self}")
        return int(text)

    def move_text(self, move: int) -> str:
        return str(move)


TAKE = AnyGame(
    id="take",
    rules=Take,
    name="take counters",
    sides=("First", "Second"),
    win_reason="the last counter",
    draw_reason="a counter that nobody may take",
    most_plies=11,
    description="a heap of counters, from which each takes 1, 2 or 3, but not as many as the opponent just took",
    notation="O;8;3",
    example="startpos moves 3 1 3 1 3",
)
