"""Games of the Gomocup manager, files *.psq: the size of the board, a line `x,y,ms` for each move, end lines."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from games.coordinates import coordinates, fits
from games.game import Game
from games.record import OnWrong, RecordedGame, refused, replayed
from support.errors import UsageError, quoted_input, system_reason

HEAD = re.compile(r"Piskvorky (\d+)x(\d+),.*", re.ASCII)
MOVE = re.compile(r"(\d{1,2}),(\d{1,2}),(\d+)", re.ASCII)


def read(path: Path, game: Game, on_wrong: OnWrong = refused) -> Iterator[RecordedGame]:
    """Yield the game of a file, if it is sound and has moves; `on_wrong` receives a wrong one.

    The board decides its result: the lines after the moves (programs, points) are not read.

    Raises:
        UsageError: The file cannot be read; by default also for a wrong game.
    """
    try:
        lines = path.read_text(encoding="latin-1").splitlines()
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {system_reason(error)}") from error
    try:
        found = replayed(game, _moves(path, game, lines))
    except UsageError as error:
        on_wrong(error)
    else:
        if found.moves:
            yield found


def _moves(path: Path, game: Game, lines: list[str]) -> Iterator[tuple[str, str]]:
    """Yield the place of each move, and its name in our notation.

    Raises:
        UsageError: The board has another size, or a line is wrong.
    """
    _check_head(path, game, lines[0] if lines else "")
    points = coordinates(game, "point")
    last = max((number for number, line in enumerate(lines) if MOVE.fullmatch(line.strip())), default=0)
    for number, line in enumerate(lines[1 : last + 1], 2):
        place, found = f"{path}:{number}", MOVE.fullmatch(line.strip())
        if found is None:
            raise UsageError(f"{place}: expected a move X,Y,MILLISECONDS, got {quoted_input(line.strip())}")
        try:
            yield place, points.read(f"{int(found[1]) - 1},{int(found[2]) - 1}", ())
        except ValueError:
            size = points.size
            wrong = quoted_input(line.strip())
            raise UsageError(f"{place}: expected X and Y from 1 to {size}, got {wrong}") from None


def _check_head(path: Path, game: Game, line: str) -> None:
    if not fits(game, "point"):
        raise UsageError(f"{path}: expected a game of stones on points, got {game.id}")
    _, rows, columns = game.position().planes_shape
    found, wanted = HEAD.fullmatch(line.strip()), f"{columns}x{rows}"
    if found is None or f"{found[1]}x{found[2]}" != wanted:
        raise UsageError(f"{path}:1: expected 'Piskvorky {wanted}, …', got {quoted_input(line.strip())}")
