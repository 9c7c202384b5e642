"""One game as SGF, version FF[4].

Go is GM[1], with its komi, its rules and its passes. The rules of Tromp and Taylor have suicide. Without it RU is
Chinese, the rules that programs know by this name: area, positional superko, no suicide.

SGF has a number for gomoku, too, and none for our other games. Most of them put stones on a grid and remove none, which
any program for gomoku can show. So these are written as GM[4] with SGF's own points, `aa` at the top left, on a board
of their size. RU names the game. The first player is Black. AB, AW and PL have the stones of another start than that of
the game, and the side to move there. The layers of `cube` are side by side on a board 16 wide and 4 high, layer 1 on
the left.
"""

from __future__ import annotations

import string
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import TypeGuard

from fiedler.games.board import sheet, spot
from fiedler.games.game import START, AnyGame, Game
from fiedler.games.go import has_suicide, is_go, komi, lead
from fiedler.games.registry import FILLED
from fiedler.games.registry import game as game_of
from fiedler.games.result import UNFINISHED, Result

_COLORS = "BW"
"""The colours of the first and the second player."""
_LETTERS = string.ascii_lowercase + string.ascii_uppercase


def has_sgf(game: AnyGame | None) -> TypeGuard[Game]:
    """Return whether SGF can have a game: Go, or one whose moves put stones on a grid and remove none."""
    return game is not None and (game.id in FILLED or is_go(game))


def sgf_of(game: Game, program: str, properties: Mapping[str, str], moves: Sequence[str], start: str = START) -> str:
    """Return the game after `moves` from `start` as one game tree on a line.

    `program` has the name and, after a colon, the version of its author; `properties` of the root follow the
    obligatory ones. Their values are texts as they are written: see `sgf_value`.
    """
    height, width = sheet(game.position())
    root = {
        "FF": "4",
        "GM": "1" if is_go(game) else "4",
        "CA": "UTF-8",
        "AP": program,
        "SZ": str(width) if width == height else f"{width}:{height}",
        **({"KM": f"{komi(start):g}", "RU": _rules(start)} if is_go(game) else {"RU": sgf_value(game.id)}),
        **properties,
    }
    head = "".join(f"{name}[{value}]" for name, value in root.items())
    nodes = "".join(f";{color}[{point}]" for color, point in _stones(game, moves, start))
    return f"(;{head}{_setup(game, start)}{nodes})\n"


def sgf_result(result: str, reason: str = "") -> str:
    """Return the value of RE for a result and its reason: `R` resignation, `T` time, `F` forfeit, or the points."""
    if result == UNFINISHED:
        return "?"
    ended = Result(result)
    return "0" if ended is Result.DRAW else f"{ended.winner('B', 'W')}+{reason}"


def sgf_points(game: AnyGame, moves: Sequence[str], start: str = START) -> str:
    """Return the points by which a game of Go is won, such as `3.5`; empty while it runs, and in another game."""
    if not is_go(game):
        return ""
    end = game.position(start, moves)
    return "" if end.result is None else f"{abs(lead(end)):g}"


def sgf_value(value: str) -> str:
    """Return a value on one line, with SGF's special characters escaped."""
    return " ".join(value.splitlines()).replace("\\", "\\\\").replace("]", "\\]")


@cache
def _names(game_id: str) -> tuple[str, ...]:
    """Return the point of every cell."""
    start = game_of(game_id).position()
    spots = (spot(start, cell) for cell in range(len(start.cells)))
    return tuple(_LETTERS[column] + _LETTERS[row] for row, column in spots)


def _rules(start: str) -> str:
    return "Tromp-Taylor" if has_suicide(start) else "Chinese"


def _setup(game: Game, start: str) -> str:
    """Return the properties of the stones of a start, and of the side to move."""
    if game.is_bare(start):
        return ""
    position, names = game.position(start), _names(game.id)
    stones = [[names[cell] for cell, stone in enumerate(position.cells) if stone == side] for side in (1, 2)]
    black, white = ("".join(f"[{point}]" for point in points) for points in stones)
    return f"{black and 'AB'}{black}{white and 'AW'}{white}PL[{_COLORS[position.side_to_move]}]"


def _stones(game: Game, moves: Sequence[str], start: str) -> Iterator[tuple[str, str]]:
    """Yield the colour and the point of each move: the cell of its stone, by its name; empty for a pass."""
    names = _names(game.id)
    position = game.position(start)
    for move in moves:
        before = position.copy()
        position.play(position.parse_move(move))
        changes = game.shown(before, position)
        yield _COLORS[before.side_to_move], names[changes[0][0]] if changes else ""
