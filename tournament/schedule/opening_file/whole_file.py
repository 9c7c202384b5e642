"""The openings of a file of any form."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from fiedler.games import AnyGame
from fiedler.games.chess import is_chess
from fiedler.games.openings import Opening
from fiedler.games.rule_keys import NO_RULES, GivenRules
from fiedler.support.errors import UsageError
from fiedler.tournament.schedule.opening_file import epd, line_list, pgn
from fiedler.tournament.schedule.opening_file.book import book_lines
from fiedler.tournament.schedule.opening_file.form import FileForm, check_size, form_of
from fiedler.tournament.schedule.opening_file.points import ALIASES, OWN


@dataclass(frozen=True)
class OpeningFile:
    """The openings of a list, an EPD or a PGN."""

    openings: Sequence[Opening]
    coordinates: str
    warnings: tuple[str, ...]
    """Doubts about the form, where the file decides it and no number is negative."""

    @classmethod
    def read(
        cls,
        game: AnyGame,
        path: Path,
        coordinates: str | None = None,
        plies: int = 0,
        rules: GivenRules = NO_RULES,
    ) -> Self:
        """Read a file, and check every opening.

        `coordinates` are those of a list, `plies` the first moves of the games of a PGN; 0: all moves. A start that
        names no rules has `rules`.

        Raises:
            UsageError: It cannot be read, is empty or too large, or an opening is wrong (`file:line: ...`).
        """
        check_size(path)
        found = _read(game, path, ALIASES.get(coordinates or "", coordinates), plies, rules)
        if not found.openings:
            raise UsageError(f"{path}: expected at least one opening, got none")
        return cls(found.openings, found.coordinates, found.warnings)


def drawn_lines(game: AnyGame, path: Path, plies: int, seed: int) -> Iterator[Opening]:
    """Yield the lines that are drawn from a book; see `book_lines`.

    Raises:
        UsageError: The file is not a book, or too large.
    """
    assert is_chess(game), "a game with books"
    check_size(path)
    return book_lines(game, path, plies, seed)


def first_start(game: AnyGame, path: Path) -> str:
    """Return `FILE:LINE` of the first opening of a file that has stones at its start; empty if there is none.

    Raises:
        UsageError: The file cannot be read, is empty or too large.
    """
    check_size(path)
    form = form_of(path)
    if form is FileForm.LIST:
        return line_list.first_start(game, path)
    if form is FileForm.PGN:
        return pgn.first_start(game, path)
    return epd.first_start(path) if form is FileForm.EPD else ""


def _read(game: AnyGame, path: Path, coordinates: str | None, plies: int, rules: GivenRules) -> OpeningFile:
    form = form_of(path)
    if form is FileForm.EPD:
        return OpeningFile(epd.EpdOpenings(game, path), OWN, ())
    if form is FileForm.PGN:
        return OpeningFile(pgn.read_pgn(game, path, plies, rules), OWN, ())
    found = line_list.read_list(game, path, coordinates, rules)
    doubts = tuple(f"{path}: {doubt}" for doubt in found.doubts)
    return OpeningFile(found.openings, found.coordinates, doubts)
