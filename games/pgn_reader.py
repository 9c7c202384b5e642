"""Games of PGN files as they stand there: tags and words of moves, which a game then reads by its rules.

Comments (`{…}`, `;` to the end of the line), variations (`(…)`), glyphs (`$3`, `!?`), numbers of turns and lines that
begin with `%` are left out (PGN standard, 8.2 and 10). A move with percent codes, as `pgn.py` writes them, is decoded.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote

from fiedler.games.pgn import RESULTS
from fiedler.support.errors import UsageError, quoted_input
from fiedler.support.text_file import lines

_TAG = re.compile(r'\s*\[\s*(\w+)\s+"((?:\\.|[^"\\])*|(?:[^"]|"(?!\s*\]))*)"\s*\]\s*')
"""A tag; a value whose quotes are not escaped, as some programs write it, ends at the first quote before a `]`.

Possessive quantifiers lose the second form of a value in Python 3.11.2.
"""
_TOKEN = re.compile(r"\{[^}]*\}?|[}();]|\$\d*|[^\s{}();$]+")
"""A comment, which may end in another line; a bracket; a glyph; a word."""
_END = re.compile(r"\{[^}]*\}?|[();]|(?<![^\s{}();$])(?:1-0|0-1|1/2-1/2|\*)(?![^\s{}();$])")
"""The ends of a game of which no more moves are asked for; words of moves, most of a file, are passed over."""
_ENDINGS = frozenset(str(result) for result in RESULTS)
_NUMBER = re.compile(r"^\d*\.+", re.ASCII)
"""The number of a turn, or the dots behind it."""
_NO_MOVE = re.compile(r"[!?]+|e\.p\.|\$\d*")


@dataclass(slots=True)
class PgnGame:
    """A game of a file."""

    number: int
    """Its place in the file, from 1."""
    line: int
    """The number of its first line, from 1."""
    tags: dict[str, str] = field(default_factory=dict)
    moves: list[str] = field(default_factory=list)
    """The words of the moves, unchecked."""
    places: list[int] = field(default_factory=list)
    """The line of each move."""
    has_text: bool = False
    """Whether a move or a result was read, or a comment behind the tags: the next tag begins another game."""


def read_games(path: Path, most: int | None = None) -> Iterator[PgnGame]:
    """Yield the games of a file, each with at most `most` moves; by default with all of them.

    Bytes that are not UTF-8 are Latin-1. A game ends at its result, or before the tags of the next one.

    Raises:
        UsageError: The file is not text, or a tag, a comment or a variation is broken: `FILE:LINE: …`.
    """
    reader = _Reader(path, most)
    for line in lines(path, latin1=True):
        yield from reader.take(line)
    yield from reader.end()


class _Reader:
    """The state between two lines."""

    def __init__(self, path: Path, most: int | None) -> None:
        self._path = path
        self._most = most
        self._line = 0
        self._game = PgnGame(1, 1)
        self._comment = 0
        """The line of a comment that is open; 0 without one."""
        self._variations: list[int] = []
        """The lines of the variations that are open."""

    def take(self, line: str) -> Iterator[PgnGame]:
        """Read a line; yield the games that have ended."""
        self._line += 1
        if self._comment or not line.startswith(("[", " [", "%")):
            yield from self._text(line)
        elif line[0] != "%":
            yield from self._tags(line)

    def end(self) -> Iterator[PgnGame]:
        """Yield the last game."""
        if self._comment:
            raise self._error("expected '}' behind a comment, got the end of the file", self._comment)
        yield from self._finish()

    def _tags(self, line: str) -> Iterator[PgnGame]:
        at = 0
        while at < len(line):
            found = _TAG.match(line, at)
            if found is None:
                raise self._error(f'expected a tag such as [White "A"], got {quoted_input(line[at:].strip())}')
            yield from self._tag(found[1], found[2].replace('\\"', '"').replace("\\\\", "\\"))
            at = found.end()

    def _tag(self, name: str, value: str) -> Iterator[PgnGame]:
        if self._game.has_text or name in self._game.tags:  # a game may have tags alone
            yield from self._finish()
        if not self._game.tags:
            self._game.line = self._line
        self._game.tags[name] = value

    def _text(self, line: str) -> Iterator[PgnGame]:
        at = 0
        if self._comment:
            at = line.find("}") + 1 or len(line)
            self._comment = 0 if line[at - 1 : at] == "}" else self._comment
        while at < len(line):
            at = yield from self._same_signs(line, at)

    def _same_signs(self, line: str, at: int) -> Generator[PgnGame, None, int]:
        """Read a line from a place to one where other signs count; return that place, or the end of the line."""
        signs = self._signs()
        for found in signs.finditer(line, at):
            sign = found[0]
            if sign[0] == "{":
                self._game.has_text |= bool(self._game.tags)
                self._comment = self._line if sign[-1] != "}" else 0
            elif sign == ";":
                break
            elif sign == "(":
                self._variations.append(self._line)
            elif sign == ")":
                self._close_variation()
            elif not self._variations:
                yield from self._word(sign)
                if self._signs() is not signs:
                    return found.end()
        return len(line)

    def _signs(self) -> re.Pattern[str]:
        """Return what is read next: everything, or the ends alone."""
        return _END if self._game.has_text and len(self._game.moves) == self._most else _TOKEN

    def _word(self, token: str) -> Iterator[PgnGame]:
        """Read a word of the main line: a move, a number, a result."""
        if token in _ENDINGS:
            self._begin_text()
            yield from self._finish()
        elif not (self._game.has_text and len(self._game.moves) == self._most):
            word = token if token[0].isalpha() else _NUMBER.sub("", token, count=1)
            if word and not _NO_MOVE.fullmatch(word):
                self._begin_text()
                self._keep(word)

    def _begin_text(self) -> None:
        game = self._game
        if not game.has_text:
            game.has_text = True
            game.line = game.line if game.tags else self._line

    def _keep(self, word: str) -> None:
        game = self._game
        if len(game.moves) != self._most:
            game.moves.append(unquote(word) if "%" in word else word)
            game.places.append(self._line)

    def _close_variation(self) -> None:
        if not self._variations:
            raise self._error("expected '(' before ')'")
        self._variations.pop()

    def _finish(self) -> Iterator[PgnGame]:
        """Yield the game that has ended, if there is one, and begin the next one."""
        if self._variations:
            raise self._error("expected ')' behind a variation, got the end of the game", self._variations[0])
        game = self._game
        if game.tags or game.has_text:
            yield game
            self._game = PgnGame(game.number + 1, self._line)

    def _error(self, wrong: str, line: int = 0) -> UsageError:
        return UsageError(f"{self._path}:{line or self._line}: game {self._game.number}: {wrong}")
