"""The moves from a start to a position, as the dialects need them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from fiedler.games import AnyGame
from fiedler.games.errors import IllegalMoveError
from fiedler.games.position import Position
from fiedler.protocol import START
from fiedler.support.errors import UsageError


@runtime_checkable
class MovesFromStart(Protocol):
    """A running game that knows its moves, such as `fiedler.Board`."""

    @property
    def start(self) -> Position:
        """The first position."""

    @property
    def moves(self) -> Sequence[str]:
        """The moves since, in the notation of the game."""


@dataclass(frozen=True, slots=True)
class LineOfPlay:
    """A position, and how it came about."""

    start: str
    """START, or a position in the notation of the game."""
    moves: tuple[str, ...]
    position: Position
    """The position after the moves."""


def line_of_play(game: AnyGame, given: Position | MovesFromStart | str) -> LineOfPlay:
    """Read `given`; a text is `startpos` or a position in one word, then optional `moves M1 M2 …`; or moves alone.

    Raises:
        UsageError: It is not a position of the game, or the game is over.
    """
    if isinstance(given, str):
        position = game.parse_position(given)
        word, typed = game.start_and_moves(given)
        start, moves = game.position(word), game.read_moves(typed, word)
    elif isinstance(given, MovesFromStart):
        start, moves = given.start, [*given.moves]
        position = start
    else:
        start = position = given
        moves = []
    if start.game != game.id:
        raise UsageError(f"position: expected one of {game.id}, got one of {start.game}")
    if position is start and moves:
        try:
            position = game.position(str(start), moves)
        except IllegalMoveError as error:
            raise UsageError(f"position: {error}") from None
    if position.result is not None:
        raise UsageError("position: the game is over")
    word = str(start)
    return LineOfPlay(START if word == str(game.position()) else word, tuple(moves), position)
