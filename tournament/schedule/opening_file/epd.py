"""Openings of EPD files: each line is a start, without moves."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import overload

from fiedler.games.epd import read_start
from fiedler.games.errors import PositionError
from fiedler.games.game import AnyGame
from fiedler.games.openings import Opening
from fiedler.support.errors import UsageError
from fiedler.support.text_file import blocks, lines
from fiedler.tournament.schedule.opening_file.soundness import SoundOpenings, UnsoundError


def first_start(path: Path) -> str:
    """Return `FILE:LINE` of the first position of a file; empty if there is none.

    Raises:
        UsageError: It cannot be read as text.
    """
    numbered = enumerate(lines(path, latin1=True), start=1)
    return next((f"{path}:{number}" for number, line in numbered if _is_position(line)), "")


class EpdOpenings(Sequence[Opening]):
    """The openings of a file, each made when it is asked for: some files have millions of lines."""

    def __init__(self, game: AnyGame, path: Path) -> None:
        """Read a file; blank lines and lines that begin with `#` are left out.

        Raises:
            UsageError: It cannot be read as text, or a line is not a position of a running game: `FILE:LINE: …`.
        """
        self._sound, self._path = SoundOpenings(game), path
        self._text = b"".join(blocks(path))
        self._places = array("Q")
        """The first byte of each opening."""
        for number, (place, line) in enumerate(self._lines(), start=1):
            if _is_position(line):
                self._check(number, line)
                self._places.append(place)

    def __len__(self) -> int:
        return len(self._places)

    @overload
    def __getitem__(self, index: int) -> Opening: ...
    @overload
    def __getitem__(self, index: slice) -> list[Opening]: ...
    def __getitem__(self, index: int | slice) -> Opening | list[Opening]:
        """Return an opening, or those of a slice."""
        if isinstance(index, slice):
            return [self._opening(self._line(place)) for place in self._places[index]]
        return self._opening(self._line(self._places[index]))

    def _opening(self, line: str) -> Opening:
        return self._sound.opening(read_start(line), ())

    def _check(self, number: int, line: str) -> None:
        try:
            self._opening(line)
        except (PositionError, UnsoundError) as error:
            raise UsageError(f"{self._path}:{number}: {error}") from error

    def _lines(self) -> Iterator[tuple[int, str]]:
        """Yield the place of each line, and the line."""
        place = 0
        while place < len(self._text):
            yield place, self._line(place)
            end = self._text.find(b"\n", place)
            place = len(self._text) if end < 0 else end + 1

    def _line(self, place: int) -> str:
        """Return the line that begins at a byte; operations may have signs of any encoding."""
        end = self._text.find(b"\n", place)
        return self._text[place : None if end < 0 else end].decode("utf-8-sig" if place == 0 else "utf-8", "replace")


def _is_position(line: str) -> bool:
    return bool(line.strip()) and not line.startswith("#")
