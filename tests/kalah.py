"""A game whose sides do not take turns, and of which nobody has said how long it may be: a small kalah."""

from __future__ import annotations

from typing import Self

from fiedler.games import AnyGame
from fiedler.games.errors import IllegalMoveError, PositionError
from fiedler.games.game import START
from tests.players import kalah


class Kalah:
    """Most seeds in the own store win; a move is the number of a house, 1 to 3, in the direction of sowing."""

    game = "kalah"

    def __init__(self, text: str = START) -> None:
        try:
            self.side_to_move, self._seeds = kalah.read(kalah.START if text == START else text)
        except ValueError:
            raise PositionError(f"position: expected SIDE;SEEDS such as {kalah.START}, got {text!r}") from None

    def __str__(self) -> str:
        return f"{'XO'[self.side_to_move]};{','.join(map(str, self._seeds))}"

    @property
    def result(self) -> int | None:
        if self.legal_moves():
            return None
        first, second = sum(self._seeds[: kalah.HOUSES + 1]), sum(self._seeds[kalah.HOUSES + 1 :])
        return (first > second) - (first < second)

    def copy(self) -> Self:
        return type(self)(str(self))

    def legal_moves(self) -> list[int]:
        return kalah.full_houses(self.side_to_move, self._seeds)

    def play(self, move: int) -> None:
        self.parse_move(str(move))
        self.side_to_move = kalah.sow(self.side_to_move, self._seeds, move)

    def parse_move(self, text: str) -> int:
        if text not in map(str, self.legal_moves()):
            raise IllegalMoveError(f"move: expected the number of a house with seeds, got {text!r} in {self}")
        return int(text)

    def move_text(self, move: int) -> str:
        return str(move)


KALAH = AnyGame(
    id="kalah",
    rules=Kalah,
    name="small kalah",
    sides=("South", "North"),
    win_reason="more seeds",
    draw_reason="as many seeds",
    description="houses of three seeds are sown; a last seed in the own store gives another move",
    notation="O;3,0,4,1,3,3,3,1",
    example="startpos moves 1 2",
    takes_turns=False,
)
