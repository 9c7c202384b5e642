"""A running game that draws itself."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Self

from fiedler.games import Game
from fiedler.games import game as game_of
from fiedler.games.picture import board_svg
from fiedler.games.refusal import refusal
from fiedler.native import Position
from fiedler.protocol import START
from fiedler.support.errors import UsageError


class Board:
    """A game from its start, with its moves; in a notebook it shows as a picture, in a terminal as text."""

    def __init__(self, game: str, position: str = START, moves: Iterable[str] = ()) -> None:
        """`position` is `startpos` or the notation of the game, then optional `moves M1 M2 …`; then follow `moves`.

        Moves may also stand alone, such as `d d d`.

        Raises:
            UsageError: The game is unknown, or the position or a move is wrong.
        """
        self.game: Game = game_of(game)
        self.game.parse_position(position)
        word, before = self.game.start_and_moves(position)
        self.start: Position = self.game.position(word)
        """The first position."""
        self.position: Position = self.start.copy()
        """The position after the moves."""
        self._moves: list[int] = []
        for move in (*before, *moves):
            self.play(move)

    @property
    def moves(self) -> list[str]:
        """The moves so far, in the notation of the game."""
        return [self.start.move_text(move) for move in self._moves]

    @property
    def legal_moves(self) -> list[str]:
        """The legal moves; none when the game is over."""
        return [self.position.move_text(move) for move in self.position.legal_moves()]

    @property
    def side_to_move(self) -> int:
        """0: the first player; 1: the second one."""
        return self.position.side_to_move

    @property
    def result(self) -> int | None:
        """1 if the first player has won, -1 if the second one has, 0 after a draw; None while the game runs."""
        return self.position.result

    def play(self, move: str) -> Self:
        """Play a move, and return the board.

        Raises:
            UsageError: The move is not legal.
        """
        if why := refusal(self.game, self.position, move):
            raise UsageError(why)
        number = self.game.read_move(self.position, move)
        self.position.play(number)
        self._moves.append(number)
        return self

    def undo(self) -> str:
        """Take the last move back, and return it.

        Raises:
            UsageError: There is none.
        """
        if not self._moves:
            raise UsageError("undo: expected a move to take back, got a board at its start")
        move = self._moves.pop()
        self.position = self.start.copy()
        for earlier in self._moves:
            self.position.play(earlier)
        return self.position.move_text(move)

    def svg(self) -> str:
        """Return the picture: the last move is marked, or the lines that won."""
        if not self._moves:
            return board_svg(self.game, self.position)
        before = self.start.copy()
        for earlier in self._moves[:-1]:
            before.play(earlier)
        return board_svg(self.game, self.position, self._moves[-1], before)

    def _repr_svg_(self) -> str:
        """Return the picture, for notebooks."""
        return self.svg()

    def __str__(self) -> str:
        return self.game.draw(self.position, self._moves[-1] if self._moves else None)

    def __repr__(self) -> str:
        start = START if self.start == self.game.position() else str(self.start)
        return f"Board({self.game.id!r}, {' '.join([start, 'moves', *self.moves] if self._moves else [start])!r})"
