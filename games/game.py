"""A game as people see it: its names, how it is drawn, where it starts."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from native import IllegalMoveError, Position, PositionError
from support.errors import UsageError

Draw = Callable[[Position, int | None], str]


@dataclass(frozen=True, slots=True)
class Game:
    """One game of the house; its rules live in the native core under the same id."""

    id: str
    """The name on the command line and in schedules, such as `uttt`."""
    name: str
    """The name for people."""
    sides: tuple[str, str]
    """What people call the first and the second player; boards and notation show their stones as X and O."""
    win_reason: str | Callable[[Position], str]
    """How a game is won, such as `three in a row`; asked of the last position where there are several ways."""
    description: str
    """The rules in a sentence."""
    notation: str
    """What a position looks like in one word, by example."""
    drawing: Draw
    """Draws a position with the last move marked, or the lines that won."""
    rigid_symmetries: int | None = None
    """How many of the core's symmetries, the first ones, move the board as a whole; None: all of them."""
    first_moves: tuple[tuple[str, str], ...] = ()
    """A move of each kind of first moves, and what people call it; empty where they have no names."""

    def position(self, text: str = "startpos", moves: Iterable[str] = ()) -> Position:
        """Return the position of `text` (`startpos` or the one-word notation) after `moves`.

        Raises native.PositionError for a bad text and native.IllegalMoveError for a bad move.
        """
        position = Position(self.id, text)
        for move in moves:
            position.play(position.parse_move(move))
        return position

    @property
    def board_symmetries(self) -> range:
        """The numbers of the symmetries that people see: rotations and reflections of the board."""
        every = self.position().num_symmetries
        return range(every if self.rigid_symmetries is None else self.rigid_symmetries)

    def parse_position(self, text: str) -> Position:
        """Return the position a person means by `startpos|WORD [moves m1 m2 …]`; raises UsageError."""
        text = text.encode(errors="replace").decode()  # bytes that are no text come as lone surrogates
        word, *rest = text.split() or ["startpos"]
        if word == "fen":
            raise UsageError(f"position: leave out 'fen': a notation stands by itself, such as {self.notation!r}")
        if rest and rest[0] != "moves":
            raise UsageError(f"position: expected 'moves' after the position, got {rest[0]!r}")
        try:
            return self.position(word, rest[1:])
        except (PositionError, IllegalMoveError) as error:
            raise UsageError(str(error)) from None

    def draw(self, position: Position, last: int | None = None) -> str:
        """Return the board as lines of text, `last` (the move just played) marked, or the lines that won."""
        return self.drawing(position, last)

    def result_text(self, position: Position) -> str:
        """Say in a few words how the finished game ended, such as `X wins by three in a row`."""
        if position.result is None:
            return f"{self.sides[position.side_to_move]} to move"
        if position.result == 0:
            return "draw"
        return f"{self.sides[position.result < 0]} wins by {self.won_by(position)}"

    def won_by(self, position: Position) -> str:
        """Say how the finished game, which is no draw, was won."""
        return self.win_reason if isinstance(self.win_reason, str) else self.win_reason(position)
