"""A recorded game: its moves, replayed by the rules, and its result."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from fiedler.games.errors import IllegalMoveError
from fiedler.games.game import Game
from fiedler.games.position import Position
from fiedler.support.errors import UsageError
from fiedler.support.text import counted

OnWrong = Callable[[UsageError], None]
"""Receives the error of a wrong game, before the next game is read."""
OnEmpty = Callable[[str], None]
"""Receives the place of a game without moves."""


def refused(error: UsageError) -> None:
    """Raise the error: no game may be wrong.

    Raises:
        UsageError: Always.
    """
    raise error


def ignored(_: str) -> None:
    """Do nothing about a game without moves."""


@dataclass(frozen=True, slots=True)
class RecordedGame:
    """A game of a file."""

    moves: tuple[int, ...]
    """The actions from the start of the game; all are legal."""
    result: int | None
    """1 the first player won, −1 the second player won, 0 draw; None if neither the board nor the file has it."""
    finished: bool
    """Whether the game ended by the rules, not by resignation, agreement or time."""
    place: str = field(default="", compare=False)
    """File, and line if the file has several games."""


def replayed(game: Game, moves: Iterable[tuple[str, str]], result: int | None = None, place: str = "") -> RecordedGame:
    """Return the game of these moves. `result`, that of the file, counts where the board has none.

    A last move that a rule forbids loses the game, and is left out.

    Args:
        game: Its rules.
        moves: The place of each move in a file, and its name in the notation of the game.
        result: As in RecordedGame.
        place: As in RecordedGame.

    Raises:
        UsageError: A move is wrong.
    """
    position, played, named = game.position(), list[int](), list(moves)
    for number, (where, name) in enumerate(named, 1):
        if position.result is not None:
            raise UsageError(f"{where}: expected the end of the game after {counted(number - 1, 'move')}, got {name!r}")
        if number == len(named) and name in map(position.move_text, position.forbidden_moves()):
            return RecordedGame(tuple(played), -1 if position.side_to_move == 0 else 1, finished=True, place=place)
        played.append(_play(position, where, number, name))
    if position.result is None:
        return RecordedGame(tuple(played), result, finished=False, place=place)
    return RecordedGame(tuple(played), position.result, finished=True, place=place)


def _play(position: Position, place: str, number: int, name: str) -> int:
    try:
        move = position.parse_move(name)
        position.play(move)
    except IllegalMoveError:
        raise UsageError(f"{place}: expected a legal move {number} of {position.game}, got {name!r}") from None
    return move
