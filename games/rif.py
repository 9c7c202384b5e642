"""Games of RenjuNet's database, *.rif and *.xml: `<game bresult="1" …><move>h8 i9 …</move></game>`."""

from __future__ import annotations

from codecs import BOM_UTF8
from collections.abc import Iterator
from pathlib import Path
from xml.parsers import expat

from fiedler.games.game import Game
from fiedler.games.record import OnEmpty, OnWrong, RecordedGame, ignored, refused, replayed
from fiedler.support.errors import UsageError, quoted_input, system_reason

RESULTS = {"1": 1, "1.0": 1, "0.5": 0, "0,5": 0, "1/2": 0, "½": 0, "0": -1, "0.0": -1}
"""The points of Black, the attribute `bresult` of a game, and the result."""
CHUNK = 1 << 16
"""Bytes that are read at a time."""


def read(path: Path, game: Game, on_wrong: OnWrong = refused, on_empty: OnEmpty = ignored) -> Iterator[RecordedGame]:
    """Yield the games of a file that have moves; `on_wrong` receives those that are wrong, `on_empty` the others.

    `on_empty` also receives a file without games. A byte order mark and blanks before the XML mean nothing.

    Raises:
        UsageError: The file cannot be read, or is not XML; by default also for a wrong game.
    """
    reader = _Reader(path, game, on_empty)
    try:
        with path.open("rb") as file:
            while not reader.ended:
                yield from _sound(reader.feed(file.read(CHUNK)), on_wrong)
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {system_reason(error)}") from error


def _sound(found: list[RecordedGame | UsageError], on_wrong: OnWrong) -> Iterator[RecordedGame]:
    for one in found:
        if isinstance(one, UsageError):
            on_wrong(one)
        else:
            yield one


class _Reader:
    """The parser of one file: it knows the lines of the games, and never holds more than a piece of the file."""

    def __init__(self, path: Path, game: Game, on_empty: OnEmpty) -> None:
        self.ended = False
        self._path = path
        self._game = game
        self._on_empty = on_empty
        self._begun = False
        self._skipped = 0  # lines before the XML
        self._empty = False
        self._any = False  # game so far
        self._found: list[RecordedGame | UsageError] = []
        self._attributes: dict[str, str] | None = None
        self._moves: list[str] | None = None
        self._line = 0
        self._parser = expat.ParserCreate()
        self._parser.buffer_text = True
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._text

    def feed(self, data: bytes) -> list[RecordedGame | UsageError]:
        """Return the games, and the wrong ones, that end in this piece; an empty piece is the end of the file.

        Raises:
            UsageError: The file is not XML.
        """
        self._found = []
        self.ended = not data
        try:
            self._parser.Parse(data if self._begun else self._beginning(data), self.ended)
        except expat.ExpatError as error:
            place, reason = f"{self._path}:{self._skipped + error.lineno}", expat.ErrorString(error.code)
            raise UsageError(f"{place}: expected the XML of a RIF database, got an error: {reason}") from None
        if self.ended and not self._any:
            self._on_empty(str(self._path))
        return self._found

    def _beginning(self, data: bytes) -> bytes:
        """Return the data without what may stand before an XML declaration."""
        found = data.removeprefix(BOM_UTF8).lstrip(b" \t\r\n")
        self._begun = bool(found)
        self._skipped += data[: len(data) - len(found)].count(b"\n")
        return found

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        if tag == "game":
            self._attributes, self._empty, self._any = attributes, True, True
            self._line = self._skipped + self._parser.CurrentLineNumber
        elif tag == "move" and self._attributes is not None:
            self._moves = []

    def _text(self, text: str) -> None:
        if self._moves is not None:
            self._moves.append(text)

    def _end(self, tag: str) -> None:
        if tag == "move" and self._attributes is not None:
            names = "".join(self._moves or []).split()
            try:
                if names:
                    self._empty = False
                    self._found.append(self._record(names, self._attributes))
            except UsageError as error:
                self._found.append(error)
            self._moves = None
        elif tag == "game":
            if self._attributes is not None and self._empty:
                self._on_empty(self._place(self._attributes))
            self._attributes = None

    def _record(self, names: list[str], attributes: dict[str, str]) -> RecordedGame:
        place = self._place(attributes)
        black = attributes.get("bresult", "").strip()
        if black and black not in RESULTS:
            raise UsageError(f"{place}: expected a bresult of 0, 0.5 or 1, got {quoted_input(black)}")
        result = RESULTS[black] if black else None
        return replayed(self._game, ((place, name.lower()) for name in names), result, place)

    def _place(self, attributes: dict[str, str]) -> str:
        return f"{self._path}:{self._line}: game {quoted_input(attributes.get('id', ''))}"
