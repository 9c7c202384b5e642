"""One game as SGF, version FF[4].

SGF has a number for gomoku and none for our other games. All of them put stones on a grid and remove none, which any
program for gomoku can show. So they are written as GM[4] with SGF's own points, `aa` at the top left, on a board of
their size. RU names the game. Black moves first. The layers of `cube` are side by side on a board 16 wide and 4 high,
layer 1 on the left.
"""

from __future__ import annotations

import string
from collections.abc import Iterator, Mapping, Sequence
from functools import cache

from games.board import changed_cell, sheet, spot
from games.game import Game
from games.registry import game as game_of
from games.result import UNFINISHED, Result

_LETTERS = string.ascii_lowercase + string.ascii_uppercase


def sgf_of(game: Game, program: str, properties: Mapping[str, str], moves: Sequence[str]) -> str:
    """Return the game as one game tree on a line.

    `program` has the name and, after a colon, the version of its author; `properties` of the root follow the
    obligatory ones. Their values are texts as they are written: see `sgf_value`.
    """
    height, width = sheet(game.position())
    root = {
        "FF": "4",
        "GM": "4",
        "CA": "UTF-8",
        "AP": program,
        "SZ": str(width) if width == height else f"{width}:{height}",
        "RU": sgf_value(game.id),
        **properties,
    }
    head = "".join(f"{name}[{value}]" for name, value in root.items())
    nodes = "".join(f";{'BW'[ply % 2]}[{point}]" for ply, point in enumerate(_points(game, moves)))
    return f"(;{head}{nodes})\n"


def sgf_result(result: str, reason: str = "") -> str:
    """Return the value of RE for a result and the sign of its reason: `R` resignation, `T` time, `F` forfeit."""
    if result == UNFINISHED:
        return "?"
    ended = Result(result)
    return "0" if ended is Result.DRAW else f"{ended.winner('B', 'W')}+{reason}"


def sgf_value(value: str) -> str:
    """Return a value on one line, with SGF's special characters escaped."""
    return " ".join(value.splitlines()).replace("\\", "\\\\").replace("]", "\\]")


@cache
def _names(game_id: str) -> tuple[str, ...]:
    """Return the point of every cell."""
    start = game_of(game_id).position()
    spots = (spot(start, cell) for cell in range(len(start.cells)))
    return tuple(_LETTERS[column] + _LETTERS[row] for row, column in spots)


def _points(game: Game, moves: Sequence[str]) -> Iterator[str]:
    """Yield the point of each move: the cell that changes when it is played, by its name."""
    names = _names(game.id)
    position = game.position()
    before = position.cells
    for move in moves:
        position.play(position.parse_move(move))
        after = position.cells
        yield names[changed_cell(before, after)]
        before = after
