"""A log of all protocol traffic, line by line, to help debug a player."""

from __future__ import annotations

import time
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import Self

from support.errors import printable, unwritable

TOLD, SAID, COMPLAINED = ">", "<", "!"
"""marks of a line: from us, from its standard output or connection, from its standard error"""
UNFINISHED = "…"
"""stands behind the mark of a line whose newline had not come when we spoke again, or at the end"""
LONGEST = 2**16
"""bytes after which the beginning of a line is taken down without its end"""


class TrafficLog:
    """A file to which every line is appended: seconds, player and number of the session, mark, the line.

    A context manager. A disk that takes no more ends the traffic_log, not the games.
    """

    def __init__(self, path: Path, began: float | None = None, mark: str = "") -> None:
        """Append to `path`, with the seconds since `began` on the monotonic clock, by default since now.

        Where several processes append to one file, each has its `mark` before the numbers of its sessions.

        Raises WorkError if it cannot be written.
        """
        try:
            self._file = path.open("ab", buffering=0)  # a line is written at once: no other one gets into it
        except OSError as error:
            raise unwritable(path, error) from error
        self.path = path
        self.began = time.monotonic() if began is None else began
        self._mark = mark
        self._sessions: Counter[str] = Counter()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(OSError):
            self._file.close()

    def voice(self, player: str) -> Voice:
        """Return the log of the next session with a player."""
        self._sessions[player] += 1
        return Voice(self, f"{player}#{self._mark}{self._sessions[player]}")

    def write(self, label: str, mark: str, line: str) -> None:
        """Append a line."""
        with suppress(OSError, ValueError):  # a full disk; a player that speaks after the end
            self._file.write(f"{time.monotonic() - self.began:.3f} {label} {mark} {line}\n".encode())


class Voice:
    """One session of a traffic_log."""

    def __init__(self, traffic_log: TrafficLog, label: str) -> None:
        self._traffic_log = traffic_log
        self._label = label
        self._begun: dict[str, bytes] = {}
        """of every mark, a line of which the end has not come yet"""

    def hear(self, mark: str, data: bytes) -> None:
        """Take bytes down; what is no UTF-8 or cannot be printed is shown as escapes."""
        if mark == TOLD:
            self.break_off(SAID)
        *lines, self._begun[mark] = (self._begun.get(mark, b"") + data).split(b"\n")
        for line in lines:
            self._traffic_log.write(self._label, mark, _shown(line.rstrip(b"\r")))
        if len(self._begun[mark]) > LONGEST:
            self.break_off(mark)

    def break_off(self, *marks: str) -> None:
        """Take down what these have begun and not ended."""
        for mark in marks:
            if begun := self._begun.pop(mark, b""):
                self._traffic_log.write(self._label, mark + UNFINISHED, _shown(begun))

    def end(self) -> None:
        """Take down what is left."""
        self.break_off(SAID, COMPLAINED)


def _shown(line: bytes) -> str:
    return printable(line.decode(errors="backslashreplace"))
