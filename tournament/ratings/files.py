"""Games from PGN and CSV files. Both are read as streams: memory grows with the pairs of players, not the games."""

from __future__ import annotations

import codecs
import csv
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from games import UsageError
from tournament.ratings.results import OUTCOMES, Results

TAG = re.compile(r'\[\s*([A-Za-z0-9_]+)\s+"((?:[^"\\]|\\.)*)"\s*\]\s*')
ESCAPED = re.compile(r"\\(.)")
HEADER = ["white", "black", "result"]
UNDECIDED = {"*", ""}

Game = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class Reading:
    """What a file held: the games with a known result, and how many others were skipped."""

    results: Results
    skipped: int


@dataclass(slots=True)
class _Counter:
    """Passes the games with a known result on and counts the others."""

    skipped: int = 0

    def known(self, games: Iterator[Game]) -> Iterator[Game]:
        for game in games:
            if game[2] in OUTCOMES:
                yield game
            else:
                self.skipped += 1


def read_results(path: Path) -> Reading:
    """Read a .pgn or .csv file, told apart by its ending.

    Raises UsageError, one line with file and line, for a file that cannot be read, is neither, or holds no game with a
    known result.
    """
    readers = {".pgn": pgn_games, ".csv": csv_games}
    if path.suffix.lower() not in readers:
        raise UsageError(f"{path}: expected a run folder or a file ending in .pgn or .csv")
    counter = _Counter()
    try:
        results = Results.from_games(counter.known(readers[path.suffix.lower()](path)))
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror}") from error
    if not results.rows:
        raise UsageError(f"{path}: expected at least one game with the result 1-0, 0-1 or 1/2-1/2, found none")
    return Reading(results, counter.skipped)


def pgn_games(path: Path) -> Iterator[Game]:
    r"""Yield (white, black, result) of each game of a PGN file.

    Our rules: only the tags White, Black and Result count, the movetext is not looked at. A game begins with its first
    tag after movetext, or where one of its tags would come a second time, so files without movetext work too.
    Comments in braces may run over lines; `;` comments and lines that begin with % are skipped. A missing Result tag
    is the result `*`. In names `\"` stands for `"` and `\\` for a backslash; blanks count. Lines that are no UTF-8
    are taken as Latin-1. Raises UsageError for a line that begins with [ and is no tag, a known result without a White
    or Black tag, and a brace that is never closed.
    """
    game = _PgnGame()
    text = _MoveText(path)
    for number, line in _lines(path):
        if text.comment_line or not line.startswith("["):
            game.moves_seen |= text.swallow(number, line)
            continue
        for name, value in _tags(path, number, line):
            if game.tags and (game.moves_seen or name in game.tags):
                yield from game.finished(path)
                game = _PgnGame()
            game.line = game.line or number
            game.tags[name] = value
    text.check_closed()
    if game.tags:
        yield from game.finished(path)


@dataclass(slots=True)
class _PgnGame:
    tags: dict[str, str] = field(default_factory=dict)
    line: int = 0  # of the first tag
    moves_seen: bool = False

    def finished(self, path: Path) -> Iterator[Game]:
        result = self.tags.get("Result", "*")
        for name in ("White", "Black"):
            if result in OUTCOMES and not self.tags.get(name):
                raise UsageError(f'{path}:{self.line}: expected a tag [{name} "name"] in the game that begins here')
        yield self.tags.get("White", ""), self.tags.get("Black", ""), result


@dataclass(slots=True)
class _MoveText:
    """Skips movetext and knows whether a comment in braces is still open."""

    path: Path
    comment_line: int = 0  # where the open comment began; 0 if none is open

    def swallow(self, number: int, line: str) -> bool:
        """Take a line in; return whether it had any movetext."""
        if line.startswith("%") and not self.comment_line:
            return False
        text = line
        while text:
            if self.comment_line:
                _, closed, text = text.partition("}")
                self.comment_line = 0 if closed else self.comment_line
            else:
                before, opened, text = text.partition("{")
                if ";" in before:
                    break
                self.comment_line = number if opened else 0
        return bool(line.strip())

    def check_closed(self) -> None:
        if self.comment_line:
            raise UsageError(f"{self.path}:{self.comment_line}: expected a }} that closes the comment begun here")


def _tags(path: Path, number: int, line: str) -> Iterator[tuple[str, str]]:
    rest = line
    while rest:
        tag = TAG.match(rest)
        if tag is None:
            raise UsageError(f'{path}:{number}: expected a tag [Name "value"], got {rest[:60]!r}')
        yield tag[1], ESCAPED.sub(r"\1", tag[2])
        rest = rest[tag.end() :]


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    for number, line in _raw_lines(path):
        try:
            text = line.decode()
        except UnicodeDecodeError:
            text = line.decode("latin-1")
        yield number, text.rstrip("\r\n")


def _utf8_lines(path: Path) -> Iterator[str]:
    for number, line in _raw_lines(path):
        try:
            yield line.decode()
        except UnicodeDecodeError as error:
            raise UsageError(f"{path}:{number}: expected text in UTF-8") from error


def _raw_lines(path: Path) -> Iterator[tuple[int, bytes]]:
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            yield number, line.removeprefix(codecs.BOM_UTF8) if number == 1 else line


def csv_games(path: Path) -> Iterator[Game]:
    """Yield (white, black, result) of each row of a CSV file with the header `white,black,result`, in UTF-8.

    Blanks in names count, those around a result don't; empty lines are skipped. A result is 1-0, 0-1, 1/2-1/2, or `*`
    or nothing for an unfinished game. Raises UsageError for anything else.
    """
    rows = csv.reader(_utf8_lines(path), strict=True)
    try:
        if [field.strip().lower() for field in next(rows, [])] != HEADER:
            raise UsageError(f"{path}:1: expected the header {','.join(HEADER)}")
        for row in rows:
            if row:
                yield _game(row, f"{path}:{rows.line_num}")
    except csv.Error as error:
        raise UsageError(f"{path}:{rows.line_num}: expected rows of {','.join(HEADER)}: {error}") from error


def _game(row: list[str], where: str) -> Game:
    if len(row) != len(HEADER):
        raise UsageError(f"{where}: expected {len(HEADER)} fields ({','.join(HEADER)}), got {len(row)}")
    white, black, result = row[0], row[1], row[2].strip()
    if not white or not black:
        raise UsageError(f"{where}: expected the names of two players, got {white!r} and {black!r}")
    if result not in OUTCOMES and result not in UNDECIDED:
        raise UsageError(f"{where}: expected a result 1-0, 0-1, 1/2-1/2 or *, got {result!r}")
    return white, black, result
