"""Games from PGN and CSV files. Both are read as streams: memory grows with the pairs of players, not the games."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path

from native import PgnCounter
from support.errors import UsageError
from tournament.ratings import text_file
from tournament.ratings.results import OUTCOMES, Results

HEADER = ["white", "black", "result"]
EXAMPLE = "Ann,Bob,1-0"
UNDECIDED = {"*", ""}


@dataclass(frozen=True, slots=True)
class Reading:
    """What a file held: the games with a known result, and how many others were skipped."""

    results: Results
    skipped: int


def read_results(path: Path) -> Reading:
    """Read a .pgn or .csv file, by its ending.

    Raises UsageError, one line with file and line, for a file that cannot be read, is neither, or holds no game with a
    known result.
    """
    readers = {".pgn": read_pgn, ".csv": read_csv}
    if path.suffix.lower() not in readers:
        raise UsageError(f"{path}: expected a run folder or a file ending in .pgn or .csv")
    try:
        reading = readers[path.suffix.lower()](path)
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror}") from error
    if not reading.results.rows:
        raise UsageError(f"{path}: expected at least one game with the result 1-0, 0-1 or 1/2-1/2, found none")
    return reading


def read_pgn(path: Path) -> Reading:
    r"""Count the games of a PGN file.

    Our rules: only the tags White, Black and Result count, the movetext is not looked at. A game begins with its first
    tag after movetext, or where one of its tags would come a second time, so files without movetext work too.
    Comments in braces may run over lines; `;` comments and lines that begin with % are skipped. A missing Result tag
    is the result `*`. In names `\"` stands for `"` and `\\` for a backslash; blanks count. Lines that are no UTF-8
    are taken as Latin-1. Raises UsageError for a line that begins with [ and is no tag, a known result without a White
    or Black tag, and a brace that is never closed.
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

    Blanks in names count, those around a result don't; empty lines are skipped. A result is 1-0, 0-1, 1/2-1/2, or `*`
    or nothing for an unfinished game. Raises UsageError for anything else.
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
