"""Opening files: one opening per line, in our notation or as Gomocup points."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import games
import native
from games.openings import Opening
from support.errors import UsageError, nearest
from support.text_file import read_text

POINT = re.compile(r"(\d{1,3}),(\d{1,3})")
"""A Gomocup point."""
OWN, GOMOCUP = "own", "gomocup"
COORDINATES = (OWN, GOMOCUP)
"""Values of `[openings] coordinates`."""
SHIPPED = Path(__file__).parents[2] / "configs" / "openings"
"""Folder of the lists in the project, also in an installed wheel."""


def read_openings(game: games.Game, path: Path, coordinates: str | None = None) -> list[Opening]:
    """Read an opening file: one opening per line, moves separated by blanks, `#` comments.

    Moves are in the notation of the game, or with `coordinates` `gomocup` points `x,y`, counted from 0 at the top left.
    By default the first move of the file decides.

    Raises:
        UsageError: a move is illegal, an opening ends the game (`file:line: ...`), or the file is empty or cannot be
            read.

    """
    found = []
    for number, words in _lines(path):
        where = f"{path}:{number}"
        if coordinates is None:
            coordinates = GOMOCUP if POINT.fullmatch(words[0]) else OWN
        moves = tuple(_move_at(game, word, where) for word in words) if coordinates == GOMOCUP else words
        _check(game, moves, where)
        found.append(moves)
    if not found:
        raise UsageError(f"{path}: expected at least one opening, got none")
    return found


def opening_path(folder: Path, file: str) -> Path:
    """Return the path of an opening file: relative to `folder`, or a shipped list by its name without an extension.

    Raises:
        UsageError: there is no such file.

    """
    path = folder / file
    if path.is_file():
        return path
    lists = {path.stem: path for path in SHIPPED.glob("*.txt")}
    if file in lists:
        return lists[file]
    raise UsageError(f"no such file: {path}{nearest(file, lists)}")


def _lines(path: Path) -> Iterator[tuple[int, Opening]]:
    for number, line in enumerate(read_text(path).split("\n"), start=1):
        words = tuple(line.partition("#")[0].split())
        if words:
            yield number, words


def has_points(game: games.Game) -> bool:
    """Return whether a move of the game is a point of a square board, for Gomocup coordinates."""
    position = game.position()
    _, rows, columns = position.planes_shape
    return len(position.cells) == rows * columns == position.num_actions and rows == columns


def _move_at(game: games.Game, word: str, where: str) -> str:
    """Return the point `x,y` in our notation."""
    found = POINT.fullmatch(word)
    if not found:
        raise UsageError(f"{where}: expected a point x,y from the top left, got {word!r}")
    x, y = int(found[1]), int(found[2])
    _, rows, columns = game.position().planes_shape
    if x >= columns or y >= rows:
        raise UsageError(f"{where}: expected a point from 0,0 to {columns - 1},{rows - 1}, got {word!r}")
    return f"{chr(ord('a') + x)}{rows - y}"


def _check(game: games.Game, moves: Opening, where: str) -> None:
    try:
        position = game.position("startpos", moves)
    except native.IllegalMoveError as error:
        raise UsageError(f"{where}: {error}") from error
    if position.result is not None:
        raise UsageError(f"{where}: expected an opening, got a finished game")
