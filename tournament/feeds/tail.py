"""`events.jsonl` as a queue: lines in order, from any number on, also while a manager appends to it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple, Self

import msgspec
from msgspec import Struct

from fiedler.support.errors import UsageError, quoted_input
from fiedler.tournament.run.event_log import FILE

CHUNK = 1 << 20
"""The bytes read at once, if no line is longer."""

LONGEST = 1 << 25
"""The bytes of the longest line: a list of 20,000 players with long names is half as long."""


class LogLine(NamedTuple):
    """A line of the log."""

    seq: int
    text: bytes
    """JSON, without the end of the line."""
    event: str
    """The kind of the event."""
    state: str
    """Of `ended`: the state of the run."""


class _Content(Struct):
    seq: int
    event: str
    state: str = ""


class Tail:
    """A context manager that reads a log; lines stay in it until `advance`."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / FILE
        self._handle = -1
        self._offset = 0
        self._seq = 0
        self._damage = ""
        """Of the line after the last one read."""
        self._lines: list[LogLine] = []
        self._decoder = msgspec.json.Decoder(_Content)
        self.ended = ""
        """The state in the last line read, if that is an `ended`."""

    def __enter__(self) -> Self:
        self._handle = os.open(self._path, os.O_RDONLY | os.O_CLOEXEC)
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._handle)

    @property
    def is_replaced(self) -> bool:
        """Whether another file is in its place: the run was started anew."""
        try:
            return not os.path.samestat(os.fstat(self._handle), self._path.stat())
        except FileNotFoundError:
            return True

    def lines(self) -> list[LogLine]:
        """Return the lines that are left: those read before, or else some further ones; none at the end of the log.

        Raises:
            UsageError: The next line is damaged, or a number is missing.
        """
        if not self._lines and not self._damage:
            self._read()
        if not self._lines and self._damage:
            raise UsageError(f"{self._path}: {self._damage}")
        return self._lines

    def advance(self, count: int) -> None:
        """Drop the first lines: they have arrived."""
        del self._lines[:count]

    def _read(self) -> None:
        size = CHUNK
        while b"\n" not in (data := os.pread(self._handle, size, self._offset)) and len(data) == size:
            if size >= LONGEST:
                self._damage = (
                    f"expected the event with seq {self._seq + 1}, got more than {LONGEST} bytes without an end"
                )
                return
            size *= 2
        whole = data[: data.rfind(b"\n") + 1]  # a manager may be writing the rest
        self._offset += len(whole)
        for text in whole.split(b"\n")[:-1]:
            if not self._take(text):
                break
        if self._lines:
            self.ended = self._lines[-1].state

    def _take(self, text: bytes) -> bool:
        """Append the next line; return False for a damaged one."""
        seq = self._seq + 1
        try:
            found = self._decoder.decode(text)
        except msgspec.MsgspecError:
            self._damage = f"expected the event with seq {seq}, got {quoted_input(text.decode(errors='replace'))}"
            return False
        if found.seq != seq:
            self._damage = f"expected the event with seq {seq}, got seq {found.seq}"
            return False
        self._seq = seq
        self._lines.append(LogLine(seq, text, found.event, found.state))
        return True
