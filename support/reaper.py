"""The process that outlives a killed manager for a moment and ends its players, and what a player leaves behind.

Stand-alone: `python reaper.py` reads lines `+PID MARK` (a process group to end) and `-PID` (it ended by itself) on
standard input. At the end of the input, which also comes with a SIGKILL of the manager, it kills the remaining groups.

A descendant that has left the group, such as a daemon that has forked twice, is known by the MARK of its program in its
environment. It is killed after the end of the group. (Linux; elsewhere, or without its environment, it survives.)
"""

from __future__ import annotations

import itertools
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Collection, Iterable
from contextlib import suppress

VARIABLE = "FIEDLER_PROGRAM"
"""The environment variable with the mark of a program."""
PAUSE_S = 0.05
"""The time without a line after which the descendants of ended programs are looked for."""
ROUNDS, ROUND_S = 50, 0.01
"""The most looks for them, and the time between two: a killed one may have just started another."""
PORTION = 65536
_NUMBERS = itertools.count(1)


def new_mark() -> str:
    """Return a mark for a program, the value of VARIABLE in its environment."""
    return f"{os.getpid()}.{time.time_ns()}.{next(_NUMBERS)}"


class Reaper:
    """The manager's end: registered groups die with the manager, by any death of it.

    If the process itself is killed, another one takes its place.
    """

    def __init__(self) -> None:
        self._groups: dict[int, str] = {}
        self._process = _start()
        self._closed = False

    def watch(self, group: int, mark: str = "") -> None:
        """End this process group if the manager dies; after its end all others of its `mark` are ended."""
        self._groups[group] = mark
        self._send(_line(group, mark))

    def forget(self, group: int) -> None:
        """Remove this group: it has ended, and its number may belong to another group soon."""
        self._groups.pop(group, None)
        self._send(f"-{group}\n")

    def close(self) -> None:
        """End the registered groups and wait for it; later calls have no effect."""
        self._closed = True
        self._process.communicate()
        if self._process.returncode:  # it was killed, and has ended nothing
            _end(self._groups)
            _sweep({*self._groups.values()})

    def _send(self, line: str) -> None:
        if self._closed:  # a program that was slow to die
            return
        try:
            _write(self._process, line)
        except BrokenPipeError:
            with suppress(OSError):  # no process can start now: the next line tries again
                killed, self._process = self._process, _start()
                killed.communicate()
                _write(self._process, "".join(itertools.starmap(_line, self._groups.items())))


def _start() -> subprocess.Popen[bytes]:
    command = [sys.executable, "-I", "-S", __file__]
    environment = {name: value for name, value in os.environ.items() if name != VARIABLE}  # it outlives a program
    return subprocess.Popen(command, bufsize=0, stdin=subprocess.PIPE, start_new_session=True, cwd="/", env=environment)


def _line(group: int, mark: str) -> str:
    return f"+{group} {mark}\n"


def _write(process: subprocess.Popen[bytes], lines: str) -> None:
    assert process.stdin is not None
    process.stdin.write(lines.encode())


def reap(source: int) -> None:
    """Follow the lines of a file descriptor to their end, then end the groups that are still registered."""
    groups: dict[int, str] = {}
    ended: set[str] = set()
    rest = b""
    while True:
        if not select.select([source], [], [], PAUSE_S if ended else None)[0]:
            _sweep(ended)
            ended.clear()
        elif data := os.read(source, PORTION):
            *lines, rest = (rest + data).split(b"\n")
            for line in lines:
                _follow(line.decode(), groups, ended)
        else:
            break
    _end(groups)
    _sweep(ended.union(groups.values()))


def _follow(line: str, groups: dict[int, str], ended: set[str]) -> None:
    """Register a group, or note the mark of one that has ended."""
    group, _, mark = line[1:].partition(" ")
    if line[0] == "+":
        groups[int(group)] = mark
    else:
        ended.add(groups.pop(int(group), ""))


def _end(groups: Iterable[int]) -> None:
    for group in groups:
        kill_group(group)


def _sweep(marks: Collection[str]) -> None:
    """Kill all processes with one of these marks, until there are none."""
    entries = {f"{VARIABLE}={mark}".encode() for mark in marks if mark}
    for _ in range(ROUNDS if entries else 0):
        found = [process for process in _processes() if not entries.isdisjoint(_environment(process))]
        for process in found:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(process, signal.SIGKILL)
        if not found:
            return
        time.sleep(ROUND_S)


def _processes() -> Iterable[int]:
    try:
        return [int(name) for name in os.listdir("/proc") if name.isdigit()]  # noqa: PTH208 - pathlib starts slowly
    except OSError:  # another system
        return []


def _environment(process: int) -> list[bytes]:
    try:
        with open(f"/proc/{process}/environ", "rb") as file:  # noqa: PTH123
            return file.read().split(b"\0")
    except OSError:  # it has ended, or belongs to somebody else
        return []


def kill_group(group: int) -> None:
    """Kill a process group that may be gone already."""
    try:
        os.killpg(group, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        return


if __name__ == "__main__":
    for asked in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(asked, signal.SIG_IGN)
    reap(sys.stdin.fileno())
