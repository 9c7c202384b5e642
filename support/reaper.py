"""The process that outlives a killed manager for a moment and ends its players.

Stand-alone: `python reaper.py` reads lines `+PID` (a process group to end) and `-PID` (it ended by itself) on standard
input. At the end of the input, which also comes with a SIGKILL of the manager, it kills the remaining groups.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterable
from contextlib import suppress


class Reaper:
    """The manager's end: registered groups die with the manager, by any death of it.

    If the process itself is killed, another one takes its place.
    """

    def __init__(self) -> None:
        self._groups: set[int] = set()
        self._process = _start()
        self._closed = False

    def watch(self, group: int) -> None:
        """End this process group if the manager dies."""
        self._groups.add(group)
        self._send(f"+{group}\n")

    def forget(self, group: int) -> None:
        """Remove this group: it has ended, and its number may belong to another group soon."""
        self._groups.discard(group)
        self._send(f"-{group}\n")

    def close(self) -> None:
        """End the registered groups and wait for it; later calls have no effect."""
        self._closed = True
        self._process.communicate()
        if self._process.returncode:  # it was killed, and has ended nothing
            _end(self._groups)

    def _send(self, line: str) -> None:
        if self._closed:  # a program that was slow to die
            return
        try:
            _write(self._process, line)
        except BrokenPipeError:
            with suppress(OSError):  # no process can start now: the next line tries again
                killed, self._process = self._process, _start()
                killed.communicate()
                _write(self._process, "".join(f"+{group}\n" for group in self._groups))


def _start() -> subprocess.Popen[bytes]:
    command = [sys.executable, "-I", "-S", __file__]
    return subprocess.Popen(command, bufsize=0, stdin=subprocess.PIPE, start_new_session=True, cwd="/")


def _write(process: subprocess.Popen[bytes], lines: str) -> None:
    assert process.stdin is not None
    process.stdin.write(lines.encode())


def reap(lines: Iterable[str]) -> None:
    """Follow the lines to their end, then kill the groups that are still registered."""
    groups: set[int] = set()
    for line in lines:
        (groups.add if line[0] == "+" else groups.discard)(int(line[1:]))
    _end(groups)


def _end(groups: Iterable[int]) -> None:
    for group in groups:
        kill_group(group)


def kill_group(group: int) -> None:
    """Kill a process group that may be gone already."""
    try:
        os.killpg(group, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        return


if __name__ == "__main__":
    for asked in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(asked, signal.SIG_IGN)
    reap(sys.stdin)
