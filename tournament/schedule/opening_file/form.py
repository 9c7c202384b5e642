"""The form of an opening file, by the ending of its name, and the keys of `[openings]` that it takes."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from pathlib import Path

from fiedler.games.chess import is_chess
from fiedler.games.game import AnyGame
from fiedler.support.complaints import Complaint
from fiedler.support.errors import UsageError, nearest, system_reason
from fiedler.tournament.schedule.schedule import Openings

SHIPPED = Path(__file__).parents[3] / "configs" / "openings"
"""Folder of the lists in the project, also in an installed wheel."""
MOST_BYTES = 1 << 30
"""The bytes of the largest file, which is read as a whole."""


class FileForm(Enum):
    """The forms, each by an ending; a list has any other one."""

    LIST = ""
    EPD = ".epd"
    PGN = ".pgn"
    BOOK = ".bin"


def form_of(file: str | Path) -> FileForm:
    """Return the form of a file, by its name."""
    ending = Path(file).suffix.lower()
    return next((form for form in FileForm if form.value == ending), FileForm.LIST)


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


def check_size(path: Path) -> None:
    """Check the size of a file.

    Raises:
        UsageError: It is empty or too large.
    """
    try:
        size = path.stat().st_size
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {system_reason(error)}") from error
    if not size:
        raise UsageError(f"{path}: expected at least one opening, got an empty file")
    if size > MOST_BYTES:
        raise UsageError(f"{path}: expected at most {MOST_BYTES:,} bytes, got {size:,}")


def wrong_keys(table: Openings, game: AnyGame | None) -> Iterator[Complaint]:
    """Yield the keys that do not fit the form of the file; `game` is None if it is unknown."""
    if table.file is None:
        return
    form = form_of(table.file)
    if form in (FileForm.EPD, FileForm.BOOK) and game is not None and not is_chess(game):
        yield "openings.file", f"expected a list or a file *.pgn for {game.id}, got {table.file!r}: it is for chess"
    if form is FileForm.BOOK and not table.plies:
        yield "openings.plies", "expected the number of moves that are drawn from the book, got none"
    if form in (FileForm.LIST, FileForm.EPD) and table.plies:
        yield (
            "openings",
            f"expected one of plies, file, got both: only files *.pgn and *{FileForm.BOOK.value} take plies",
        )
    if form is not FileForm.LIST and table.coordinates is not None:
        yield "openings.coordinates", f"only with a list, got it with {table.file!r}"
    if form is FileForm.BOOK and table.order != "listed":
        yield "openings.order", f"expected 'listed', got {table.order!r}: the lines of a book are drawn"
