"""The games to learn, which are the memory of a run: the positions follow from their moves."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

import msgspec

from fiedler.games import Game
from fiedler.native import Position


class Study(msgspec.Struct, frozen=True, array_like=True):
    """A game with the moves to learn."""

    moves: list[int]
    labels: list[int]
    """For each move of the game the one to learn in its position; −1: none."""
    scores: list[float]
    """For each move the expected score of the side to move by the search, 0 to 1; −1: none."""
    result: int
    """1 the first player won, −1 the second player won, 0 draw."""
    held_out: bool


@dataclass(frozen=True, slots=True)
class Taught:
    """A position with its targets, for the side to move."""

    position: Position
    label: int
    result: float
    """1, 0 or −1."""
    value: float
    """Of a search, −1 to 1; the result where none was."""


def taught(game: Game, study: Study) -> Iterator[Taught]:
    """Yield the positions of a game in which there is a move to learn; the next one changes the position before it."""
    position = game.position()
    for move, label, score in zip(study.moves, study.labels, study.scores, strict=True):
        if label >= 0:
            result = float(study.result if position.side_to_move == 0 else -study.result)
            yield Taught(position, label, result, 2 * score - 1 if score >= 0 else result)
        position.play(move)


def shifted(game: Game, study: Study, stream: random.Random) -> Study | None:
    """Return the game at another place of the board; None if that is against the rules or ends in another way."""
    _, rows, columns = game.position().planes_shape
    cells = {*study.moves, *(label for label in study.labels if label >= 0)}
    down = _steps([cell // columns for cell in cells], rows, stream)
    right = _steps([cell % columns for cell in cells], columns, stream)
    by = down * columns + right
    moved = msgspec.structs.replace(
        study,
        moves=[move + by for move in study.moves],
        labels=[label + by if label >= 0 else label for label in study.labels],
    )
    return moved if by and _ends_alike(game, study, moved) else None


def _steps(places: list[int], size: int, stream: random.Random) -> int:
    return stream.randint(-min(places, default=0), size - 1 - max(places, default=0))


def _ends_alike(game: Game, study: Study, moved: Study) -> bool:
    """Return whether every move and label is legal, and the board has the same result at the end."""
    before, after = game.position(), game.position()
    for move, there, label in zip(study.moves, moved.moves, moved.labels, strict=True):
        if after.result is not None or not after.is_legal(there) or (label >= 0 and not after.is_legal(label)):
            return False
        before.play(move)
        after.play(there)
    return before.result == after.result


class Studies:
    """The games of a run."""

    def __init__(self) -> None:
        self.games: list[Study] = []
        self.wrong = 0
        """Wrong games of the files, which were left out."""

    def dump(self) -> bytes:
        """Return the number of wrong games, and the games, as bytes."""
        return msgspec.msgpack.encode((self.wrong, self.games))

    def load(self, dumped: bytes) -> None:
        """Restore a dump.

        Raises:
            ValueError: The dump is damaged.
        """
        try:
            self.wrong, self.games = msgspec.msgpack.decode(dumped, type=tuple[int, list[Study]])
        except msgspec.MsgspecError as error:
            raise ValueError(f"games: {error}") from None
