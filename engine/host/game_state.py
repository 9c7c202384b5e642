"""The state of a game: a position, and the moves to it, for the queries of a client."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from fiedler.games import AnyGame, Game, frame, go
from fiedler.games.position import Position, has_grid
from fiedler.protocol import START


class GameState:
    """`protocol.GameState`. It does not change; answers are cached."""

    def __init__(
        self,
        game: AnyGame,
        start: str = START,
        moves: tuple[str, ...] = (),
        position: Position | None = None,
        last: int | None = None,
    ) -> None:
        """`moves` from `start` lead to `position`, and the last of them is `last`; by default the game begins."""
        self.position = game.position() if position is None else position
        self.moves = moves
        self._game = game
        self._start = start
        self._last = last

    def after(self, start: str, moves: Sequence[str]) -> GameState:
        """Return the state after `moves` from `start`; it is reached from here if they continue this game.

        Raises:
            PositionError: The start is wrong.
            IllegalMoveError: A move is wrong.
        """
        moves = tuple(moves)
        known = len(self.moves)
        if start == self._start and moves == self.moves:
            return self
        if start == self._start and moves[:known] == self.moves:
            position, last = self.position.copy(), self._last
        else:
            position, last, known = self._game.position(start), None, 0
        for move in moves[known:]:
            last = position.parse_move(move)
            position.play(last)
        return GameState(self._game, start, moves, position, last)

    def played(self, move: str) -> GameState:
        """Return the state after one more move.

        Raises:
            IllegalMoveError: The move is wrong.
        """
        return self.after(self._start, (*self.moves, move))

    @property
    def has_cells(self) -> bool:
        """Whether the board has cells, which `picture` and `background` show."""
        return has_grid(self.position)

    @property
    def side_to_move(self) -> int:
        """0 for the side that moves first from the start of the game, else 1."""
        return self.position.side_to_move

    @property
    def result(self) -> int | None:
        """1 if the side that moves first has won, -1 if the other has, 0 for a draw; None while the game runs."""
        return self.position.result

    @property
    def notation(self) -> str:
        """The position in one word."""
        return str(self.position)

    @cached_property
    def legal_moves(self) -> tuple[str, ...]:
        """Sorted; empty when the game is over."""
        return tuple(sorted(map(self.position.move_text, self.position.legal_moves())))

    @cached_property
    def drawing(self) -> tuple[str, ...]:
        """The drawn board, row by row."""
        return tuple(self._game.draw(self.position, self._last).splitlines())

    @cached_property
    def picture(self) -> tuple[str, ...]:
        """The board in a square frame, the top row first."""
        assert has_grid(self.position)
        return frame.picture(self.position)

    @cached_property
    def background(self) -> tuple[str, ...]:
        """The background of each point of `picture`."""
        assert isinstance(self._game, Game)
        assert has_grid(self.position)
        return frame.background(self._game, self.position)

    @property
    def lead(self) -> float | None:
        """The points by which the first side leads in Go, else None."""
        return go.lead(self.position) if go.is_go(self._game) else None

    @property
    def captured(self) -> tuple[int, int]:
        """The captured stones of each side in Go, else none."""
        if not go.is_go(self._game):
            return 0, 0
        return go.captured(self._game.position(self._start), self.moves, self.position)

    @property
    def won_by(self) -> str:
        """How the finished game, not a draw, was won."""
        return self._game.won_by(self.position)
