"""Games from PGN and CSV files. Both are read as streams: memory grows with the pairs of players, not the games."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path

from native import PgnCounter
from support import text_file
from support.errors import UsageError, system_reason
from tournament.ratings.results import OUTCOMES, Results

HEADER = ["white", "black", "result"]
"""Columns of a CSV file."""
EXAMPLE = "Ann,Bob,1-0"
"""A row, for messages."""
UNDECIDED = {"*", ""}
"""Results of unfinished games."""


@dataclass(frozen=True, slots=True)
class Reading:
    """The games of a file with a known result, and the number of other games."""

    results: Results
    skipped: int


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
        raise UsageError(f"{path}: expected at least one game with the result 1-0, 0-1 or 1/2-1/2, found none")
    return reading


def read_pgn(path: Path) -> Reading:
    r"""Count the games of a PGN file.

    Only the tags White, Black and Result count; the movetext is ignored. A game begins with its first tag after
    movetext, or with a repeated tag, so files without movetext work too. Comments in braces may contain line breaks;
    `;` comments and lines that begin with % are skipped. A missing Result tag is the result `*`. In names `\"` means
    `"` and `\\` a backslash; blanks count. Lines that are not UTF-8 are read as Latin-1.

    Raises:
        UsageError: a line begins with [ and is not a tag, a known result has no White or Black tag, or a brace is not
            closed.
    """
    counter = PgnCounter()
    for block in text_file.blocks(path):
        counter.feed(block)
        if counter.complaint is not None:
            break
    counter.finish()
    if counter.complaint is not None:
        line, expected, got = counter.complaint
        raise UsageError(f"{path}:{line}: {expected}" + (f", got {got!r}" if got is not None else ""))
    return Reading(Results(tuple(counter.names), tuple(counter.rows)), counter.skipped)


def read_csv(path: Path) -> Reading:
    """Count the games of a CSV file with the header `white,black,result`.

    Blanks in names count, blanks around a result do not; empty lines are skipped. A result is 1-0, 0-1 or 1/2-1/2; an
    unfinished game has `*` or nothing.

    Raises:
        UsageError: a row has another form.
    """
    rows = csv.reader(text_file.lines(path), strict=True)
    counts: dict[tuple[str, ...], int] = {}
    try:
        if [field.strip().lower() for field in next(rows, [])] != HEADER:
            raise UsageError(f"{path}:1: expected the header {','.join(HEADER)}, then rows such as {EXAMPLE}")
        for row in map(tuple, rows):
            if row in counts:
                counts[row] += 1
            elif row:
                _check(row, f"{path}:{rows.line_num}")
                counts[row] = 1
    except csv.Error as error:
        raise UsageError(f"{path}:{rows.line_num}: expected rows of {','.join(HEADER)}: {error}") from error
    games = [((row[0], row[1], row[2].strip()), count) for row, count in counts.items()]
    known = Results.from_counts((game, count) for game, count in games if game[2] in OUTCOMES)
    return Reading(known, sum(count for game, count in games if game[2] not in OUTCOMES))


def _check(row: tuple[str, ...], where: str) -> None:
    if len(row) != len(HEADER):
        raise UsageError(f"{where}: expected {len(HEADER)} fields ({','.join(HEADER)}), got {len(row)}")
    white, black, result = row[0], row[1], row[2].strip()
    if not white or not black:
        raise UsageError(f"{where}: expected the names of two players, got {white!r} and {black!r}")
    if result not in OUTCOMES and result not in UNDECIDED:
        raise UsageError(f"{where}: expected a result 1-0, 0-1, 1/2-1/2 or *, got {result!r}")
