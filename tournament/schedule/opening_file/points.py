"""Moves as points of a square board: from the top left, as Gomocup counts them, or as offsets from the centre."""

from __future__ import annotations

import re

from fiedler.games import AnyGame
from fiedler.games.position import fills_cells, has_grid
from fiedler.support.errors import UsageError

POINT = re.compile(r"([+-]?\d{1,3}),([+-]?\d{1,3})", re.ASCII)
"""A point or an offset."""
OWN, GOMOCUP, CENTRE = "own", "gomocup", "centre"
COORDINATES = (OWN, GOMOCUP, CENTRE)
"""Values of `[openings] coordinates`."""
ALIASES = {"center": CENTRE}
"""Other spellings of them."""


def has_points(game: AnyGame) -> bool:
    """Return whether a move of the game is a point of a square board, for Gomocup coordinates."""
    position = game.position()
    if not fills_cells(position):
        return False
    _, rows, columns = position.planes_shape
    return len(position.cells) == rows * columns == position.num_actions and rows == columns


def board_size(game: AnyGame) -> int:
    """Return the points along a side of the board of a game with points."""
    start = game.position()
    assert has_grid(start), "a game with points"
    return start.planes_shape[2]


def from_centre(game: AnyGame, x: int, y: int) -> tuple[int, int]:
    """Return the point of an offset; the centre of 15×15 is 7,7, that of 20×20 is 10,10."""
    centre = board_size(game) // 2
    return x + centre, y + centre


def is_inside(game: AnyGame, point: tuple[int, int]) -> bool:
    """Return whether a point is on the board."""
    return all(0 <= number < board_size(game) for number in point)


def move_at(game: AnyGame, word: str, form: str, where: str) -> str:
    """Return the point or the offset `x,y` in our notation.

    Raises:
        UsageError: It is none, or not on the board; `where` is its place.
    """
    found = POINT.fullmatch(word)
    if not found:
        wanted = "a point x,y from the top left" if form == GOMOCUP else "an offset x,y from the centre"
        raise UsageError(f"{where}: expected {wanted}, got {word!r}")
    given = int(found[1]), int(found[2])
    x, y = point = from_centre(game, *given) if form == CENTRE else given
    if not is_inside(game, point):
        raise UsageError(f"{where}: {_range(game, form)}, got {word!r}{_hint(form, min(given))}")
    return f"{chr(ord('a') + x)}{board_size(game) - y}"


def _range(game: AnyGame, form: str) -> str:
    size, least = board_size(game), -(board_size(game) // 2) if form == CENTRE else 0
    what = "an offset" if form == CENTRE else "a point"
    return f"expected {what} from {least},{least} to {least + size - 1},{least + size - 1}"


def _hint(form: str, least: int) -> str:
    return f'; offsets from the centre are coordinates = "{CENTRE}"' if form == GOMOCUP and least < 0 else ""
