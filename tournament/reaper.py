"""The process that outlives a killed manager for a moment and ends the players that it left behind.

Stand-alone: `python reaper.py` reads lines `+PID` (a process group to end) and `-PID` (it ended by itself) on standard
input; at the end of the input, which is also what a SIGKILL of the manager gives, it kills the groups that are left.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterable


class Reaper:
    """The manager's end: what is registered here dies with the manager, however that dies."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-S", __file__], stdin=subprocess.PIPE, start_new_session=True, cwd="/"
        )

    def watch(self, group: int) -> None:
        """End this process group should the manager die."""
        self._tell(f"+{group}\n")

    def forget(self, group: int) -> None:
        """Leave this group alone: it has ended, and its number may belong to somebody else soon."""
        self._tell(f"-{group}\n")

    def close(self) -> None:
        """End what is still registered and wait for it."""
        self._process.communicate()

    def _tell(self, line: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(line.encode())
        self._process.stdin.flush()


def reap(lines: Iterable[str]) -> None:
    """Follow the lines to their end, then kill the groups that are still registered."""
    groups: set[int] = set()
    for line in lines:
        (groups.add if line[0] == "+" else groups.discard)(int(line[1:]))
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
