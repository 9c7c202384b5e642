"""A log of all protocol traffic, line by line, to help debug a player."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Self

from fiedler.support.errors import printable, unwritable

SENT, RECEIVED, STDERR = ">", "<", "!"
"""Marks of a line: to the player, from its standard output or connection, from its standard error."""
UNFINISHED = "…"
"""Follows the mark of a line without a newline at the next message to the player, or at the end."""
LONGEST = 2**16
"""Longest line, in bytes; a longer one is logged in parts."""
MOST = 500
"""Most lines of one portion of output that are logged: each takes some microseconds of the loop."""
LEFT_OUT = "… not logged:"
"""Precedes the number of the others."""


class TrafficLog:
    """A file to which every line is appended: seconds, player and number of the session, mark, the line.

    A context manager. A full disk ends the log, not the games.
    """

    def __init__(self, path: Path, began: float | None = None, mark: str = "") -> None:
        """Append to `path`, with the seconds since `began` on the monotonic clock, by default since now.

        If several processes append to one file, each has its own `mark` before the numbers of its sessions.

        Raises:
            WorkError: the file cannot be written.

        """
        try:
            self._file = path.open("ab", buffering=0)  # writes of whole lines keep those of several processes apart
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

    def session(self, player: str) -> SessionLog:
        """Return the log of the next session with a player."""
        self._sessions[player] += 1
        return SessionLog(self, f"{player}#{self._mark}{self._sessions[player]}")

    def write(self, label: str, mark: str, *lines: str) -> None:
        """Append lines."""
        head = f"{time.monotonic() - self.began:.3f} {label} {mark} "
        with suppress(OSError, ValueError):  # a full disk; output of a player after the end
            self._file.write("".join(f"{head}{line}\n" for line in lines).encode())


class SessionLog:
    """One session in a traffic log."""

    def __init__(self, traffic_log: TrafficLog, label: str) -> None:
        self._traffic_log = traffic_log
        self._label = label
        self._begun: dict[str, bytes] = {}
        """The unfinished line of every mark."""

    def log(self, mark: str, data: bytes) -> None:
        """Log bytes; those that are not printable UTF-8 appear as escapes."""
        if mark == SENT:
            self.flush(RECEIVED)
        whole, newline, begun = (self._begun.get(mark, b"") + data).rpartition(b"\n")
        self._begun[mark] = begun
        if newline:
            self._log_lines(mark, whole)
        if len(self._begun[mark]) > LONGEST:
            self.flush(mark)

    def stderr(self, data: bytes) -> None:
        """Log standard error; no bytes are its end, and that of the session."""
        if data:
            self.log(STDERR, data)
        else:
            self.end()

    def _log_lines(self, mark: str, whole: bytes) -> None:
        lines = whole.split(b"\n", MOST)
        more = lines.pop().count(b"\n") + 1 if len(lines) > MOST else 0
        shown = [_shown(line.rstrip(b"\r")) for line in lines]
        if more:
            shown.append(f"{LEFT_OUT} {more:,} {'line' if more == 1 else 'lines'}")
        self._traffic_log.write(self._label, mark, *shown)

    def flush(self, *marks: str) -> None:
        """Log the unfinished lines of these marks."""
        for mark in marks:
            if begun := self._begun.pop(mark, b""):
                self._traffic_log.write(self._label, mark + UNFINISHED, _shown(begun))

    def end(self) -> None:
        """Log the unfinished lines."""
        self.flush(RECEIVED, STDERR)


def stderr_of(log: SessionLog | None) -> Callable[[bytes], None] | None:
    """Return the receiver of a program's standard error; None without a log."""
    return None if log is None else log.stderr


def _shown(line: bytes) -> str:
    return printable(line.decode(errors="backslashreplace"))
