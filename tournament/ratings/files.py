"""Games from PGN and CSV files. Both are read as streams: memory grows with the pairs of players, not the games."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from fiedler.native import PgnCounter
from fiedler.support import text_file
from fiedler.support.errors import UsageError, system_reason
from fiedler.support.left_out import Leaving, LeftOut, total
from fiedler.support.text import counted, lines_text
from fiedler.tournament.ratings.results import Results, result_of_table

HEADER = ["white", "black", "result"]
"""Columns of a CSV file."""
EXAMPLE = "Ann,Bob,1-0"
"""A row, for messages."""
UNFINISHED = {"*": "unfinished", "": "no result", "?": "no result"}
"""The results of games to leave out, and the reason."""

QUOTED_FORMULA = re.compile("'+[=+\\-@\t\r\n＝＋－＠]")
"""The beginning of a name that our own tables write with an apostrophe in front."""

Game = tuple[str, str, str]
"""White, Black, result."""


@dataclass(frozen=True, slots=True)
class Reading:
    """The games of a file that count, and those that were left out."""

    results: Results
    left_out: tuple[LeftOut, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def skipped(self) -> int:
        """The number of games that were left out."""
        return total(self.left_out)


def read_results(path: Path) -> Reading:
    """Read a .pgn or .csv file, by its extension.

    Raises:
        UsageError: the file cannot be read, is of another kind, or has no game with a known result. The message has
            file and line.
    """
    readers = {".pgn": read_pgn, ".csv": read_csv}
    if path.suffix.lower() not in readers:
        raise UsageError(f"{path}: expected a run folder or a file ending in .pgn or .csv")
    try:
        reading = readers[path.suffix.lower()](path)
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {system_reason(error)}") from error
    if not reading.results.rows:
        wanted = "expected at least one game with the result 1-0, 0-1 or 1/2-1/2, found none"
        raise UsageError("; ".join([f"{path}: {wanted}", *(one.text() for one in reading.left_out)]))
    return reading


def read_pgn(path: Path) -> Reading:
    r"""Count the games of a PGN file, a list of tokens as in the import format of the standard.

    Only the tags White, Black and Result count; without a Result, or with `?`, the termination marker of the moves
    does. Comments, variations, `;` comments and lines that begin with % are skipped. In names `\"` means `"` and `\\` a
    backslash; blanks count. Values that are not UTF-8 are read as Latin-1. A game without two names or a known result
    is left out; a malformed tag other than these three is skipped with a warning.

    Raises:
        UsageError: a brace is not closed.
    """
    counter = PgnCounter()
    for block in text_file.blocks(path):
        counter.feed(block)
    counter.finish()
    if counter.open_comment:
        raise UsageError(f"{path}:{counter.open_comment}: expected a }} that closes the comment begun here")
    left_out = (LeftOut(str(path), reason, games, tuple(lines)) for reason, games, lines in counter.left_out)
    malformed = (
        f"{path}: {counted(tags, 'malformed tag')} skipped ({lines_text(lines, tags)})"
        for _, tags, lines in counter.malformed_tags
    )
    return Reading(Results(tuple(counter.names), tuple(counter.rows)), tuple(left_out), tuple(malformed))


def read_csv(path: Path) -> Reading:
    """Count the games of a CSV file with the header `white,black,result`.

    Blanks around fields mean nothing; empty lines are skipped. A result is 1-0, 0-1 or 1/2-1/2, or the score of White,
    1, 0.5 or 0; a game with `*` or nothing, or without two names, is left out.

    Raises:
        UsageError: a row has another form.
    """
    rows = csv.reader(text_file.lines(path), strict=True, skipinitialspace=True)
    counts: dict[tuple[str, ...], int] = {}
    found: dict[tuple[str, ...], Game] = {}
    leaving = Leaving(str(path))
    try:
        _check_header(path, rows)
        for row in map(tuple, rows):
            if row in counts:
                counts[row] += 1
            elif any(field.strip() for field in row):
                game = found[row] if row in found else found.setdefault(row, _game(row, f"{path}:{rows.line_num}"))
                reason = _reason(game)
                if reason:
                    leaving.add(reason, rows.line_num)
                else:
                    counts[row] = 1
    except csv.Error as error:
        raise UsageError(f"{path}:{rows.line_num}: expected rows of {','.join(HEADER)}: {error}") from error
    return Reading(Results.from_counts((found[row], count) for row, count in counts.items()), leaving.all)


def _check_header(path: Path, rows: Iterator[list[str]]) -> None:
    header = next(filter(any, rows), [])
    if [field.strip().lower() for field in header] != HEADER:
        raise UsageError(f"{path}:1: expected the header {','.join(HEADER)}, then rows such as {EXAMPLE}")


def _game(row: tuple[str, ...], where: str) -> Game:
    if len(row) != len(HEADER):
        raise UsageError(f"{where}: expected {len(HEADER)} fields ({','.join(HEADER)}), got {len(row)}")
    white, black, result = (_plain(field.strip()) for field in row)
    known = result_of_table(result)
    if known is None and result not in UNFINISHED:
        raise UsageError(f"{where}: expected a result 1-0, 0-1, 1/2-1/2 or *, got {result!r}")
    return white, black, known or result


def _plain(text: str) -> str:
    """Return a name without the apostrophe that keeps a spreadsheet from computing it."""
    return text[1:] if QUOTED_FORMULA.match(text) else text


def _reason(game: Game) -> str:
    """Return why a game is left out; empty if it counts."""
    white, black, result = game
    if result in UNFINISHED:
        return UNFINISHED[result]
    for side, name in (("White", white), ("Black", black)):
        if not name:
            return f"the name of {side} is empty"
        if name == "?":
            return f"the name of {side} is unknown (?)"
    return ""
