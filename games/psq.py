"""Games of the Gomocup manager, files *.psq: the size of the board, a line `x,y,ms` for each move, end lines."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from fiedler.games.coordinates import coordinates, fits
from fiedler.games.game import Game
from fiedler.games.record import OnEmpty, OnWrong, RecordedGame, ignored, refused, replayed
from fiedler.support.errors import UsageError, quoted_input
from fiedler.support.text_file import read_text

HEAD = re.compile(r"Piskvorky (\d+)x(\d+)(,.*)?", re.ASCII)
MOVE = re.compile(r"(\d{1,2})\s*,\s*(\d{1,2})(\s*,\s*-?\d+)?", re.ASCII)
"""A move; the time may be missing, as Piskvork reads it."""
BROKEN = re.compile(r"-?\d+[\s,;]+-?\d+", re.ASCII)
"""The beginning of a line that is meant as a move. The end lines are names, a result, the rule and an opening."""

Line = tuple[int, str]
"""The number of a line and its text."""


def read(path: Path, game: Game, on_wrong: OnWrong = refused, on_empty: OnEmpty = ignored) -> Iterator[RecordedGame]:
    """Yield the game of a file, if it is sound and has moves; `on_wrong` receives a wrong one, `on_empty` one without.

    The board decides its result: the lines after the moves (programs, points) are not read. Empty lines mean nothing.

    Raises:
        UsageError: The file cannot be read; by default also for a wrong game.
    """
    every = enumerate(read_text(path, latin1=True).split("\n"), 1)
    lines = [(number, text) for number, line in every if (text := line.strip())]
    try:
        found = replayed(game, _moves(path, game, lines), place=str(path))
    except UsageError as error:
        on_wrong(error)
    else:
        if found.moves:
            yield found
        else:
            on_empty(str(path))


def _moves(path: Path, game: Game, lines: Sequence[Line]) -> Iterator[tuple[str, str]]:
    """Yield the place of each move, and its name in our notation.

    Raises:
        UsageError: The board has another size, or a line is wrong.
    """
    _check_head(path, game, *(lines[0] if lines else (1, "")))
    points = coordinates(game, "point")
    for number, line in _move_lines(path, lines[1:]):
        found = MOVE.fullmatch(line)
        assert found
        try:
            yield f"{path}:{number}", points.read(f"{int(found[1]) - 1},{int(found[2]) - 1}", ())
        except ValueError:
            wrong = f"expected X and Y from 1 to {points.size}, got {quoted_input(line)}"
            raise UsageError(f"{path}:{number}: {wrong}") from None


def _move_lines(path: Path, lines: Sequence[Line]) -> Sequence[Line]:
    """Return the lines of moves, up to the first other one.

    Raises:
        UsageError: That one is meant as a move, or moves follow it.
    """
    end = next((place for place, (_, line) in enumerate(lines) if not MOVE.fullmatch(line)), len(lines))
    number, line = lines[end] if end < len(lines) else (0, "")
    if BROKEN.match(line) or _have_moves(lines[end + 1 :]):
        raise UsageError(f"{path}:{number}: expected a move X,Y,MILLISECONDS, got {quoted_input(line)}")
    return lines[:end]


def _have_moves(lines: Sequence[Line]) -> bool:
    """Return whether end lines have moves. The last one may look like `X,Y`: a rule and the number of an opening."""
    found = [MOVE.fullmatch(line) for _, line in lines]
    return any(one and (one[3] or place < len(found)) for place, one in enumerate(found, 1))


def _check_head(path: Path, game: Game, number: int, line: str) -> None:
    if not fits(game, "point"):
        raise UsageError(f"{path}: expected a game of stones on points, got {game.id}")
    _, rows, columns = game.position().planes_shape
    found, wanted = HEAD.fullmatch(line), f"{columns}x{rows}"
    if found is None or f"{found[1]}x{found[2]}" != wanted:
        raise UsageError(f"{path}:{number}: expected 'Piskvorky {wanted}, …', got {quoted_input(line)}")
