"""Games as SGF, version FF[4]: a collection with one game tree per game.

SGF has a number for gomoku and none for our other games. All of them put stones on a grid and remove none, which any
program for gomoku can show. So they are written as GM[4] with SGF's own points, `aa` at the top left, on a board of
their size. RU names the game, the comment of the root has the moves in our notation. Black moves first. The layers of
`cube` are side by side on a board 16 wide and 4 high, layer 1 on the left.
"""

from __future__ import annotations

import string
from collections.abc import Iterator, Sequence

from games import Game
from games.board import changed_cell, sheet, spot
from games.result import Result
from tournament.game import GameRecord
from tournament.report.run import Run, limit_text

_LETTERS = string.ascii_lowercase + string.ascii_uppercase
_REASONS = {"resignation": "R", "time": "T", "illegal move": "F", "crash": "F", "disconnect": "F"}


def sgf(run: Run) -> Iterator[str]:
    """Yield the games of a run, one SGF game tree a line."""
    start = run.game.position()
    spots = (spot(start, cell) for cell in range(len(start.cells)))
    names = [_LETTERS[column] + _LETTERS[row] for row, column in spots]
    for game in run.games():
        properties = "".join(f"{name}[{value}]" for name, value in _root(run, game).items())
        nodes = "".join(f";{'BW'[ply % 2]}[{point}]" for ply, point in enumerate(_points(run.game, game.moves, names)))
        yield f"(;{properties}{nodes})\n"


def _root(run: Run, game: GameRecord) -> dict[str, str]:
    height, width = sheet(run.game.position())
    limit = run.schedule.limit
    timing = {"OT": _text(limit_text(limit))} if limit.base_ms is None else {"TM": f"{limit.base_ms / 1000:g}"}
    if limit.increment_ms:
        timing["OT"] = f"{limit.increment_ms} ms increment"
    moves = " ".join(game.moves)
    return {
        "FF": "4",
        "GM": "4",
        "CA": "UTF-8",
        "AP": f"Fiedler:{_composed(str(run.meta.get('version', '?')))}",
        "SZ": str(width) if width == height else f"{width}:{height}",
        "EV": _text(run.name),
        "RO": str(game.number),
        "GN": _text(game.id),
        "RU": _text(run.game.id),
        "PB": _text(game.first),
        "PW": _text(game.second),
        "DT": game.started[:10],
        **timing,
        "RE": _result(game),
        "C": _text(f"{run.game.name}: {moves} ({game.termination}: {game.detail})"),
    }


def _points(game: Game, moves: tuple[str, ...], names: Sequence[str]) -> Iterator[str]:
    """Yield the point of each move: the cell that changes when it is played, by its name."""
    position = game.position()
    before = position.cells
    for move in moves:
        position.play(position.parse_move(move))
        after = position.cells
        yield names[changed_cell(before, after)]
        before = after


def _result(game: GameRecord) -> str:
    if game.result == Result.DRAW:
        return "0"
    return f"{game.result.winner('B', 'W')}+{_REASONS.get(game.termination, '')}"


def _text(value: str) -> str:
    """Return a value on one line, with SGF's special characters escaped."""
    return " ".join(value.splitlines()).replace("\\", "\\\\").replace("]", "\\]")


def _composed(value: str) -> str:
    """Escape a part of a composed value, which has a colon."""
    return _text(value).replace(":", "\\:")
