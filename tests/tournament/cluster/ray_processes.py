"""The processes of a run at `local:N`: what Ray and we have started, found among the descendants of its manager."""

from __future__ import annotations

import os
import signal
from collections import defaultdict
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

HEAD = b"--node_ip_address=127.0.0.2"
PARENT = 1
"""The place of the parent among the words of `/proc/PID/stat` after the name."""


@dataclass(frozen=True)
class NodeProcesses:
    """The processes of the nodes, by their numbers."""

    raylets: list[int]
    """Those of the nodes, without the head's."""
    actors: list[int]
    tables: list[int]


def node_processes(manager: int) -> NodeProcesses:
    """Return the processes that serve the nodes of a manager now."""
    children: dict[int, list[int]] = defaultdict(list)
    for folder in Path("/proc").iterdir():
        with suppress(OSError):
            if folder.name.isdigit():
                words = (folder / "stat").read_text("utf-8", "replace").rpartition(")")[2].split()
                children[int(words[PARENT])].append(int(folder.name))
    found = NodeProcesses([], [], [])
    waiting = [manager]
    while waiting:
        waiting += children[number := waiting.pop()]
        said = command_line(number)
        if b"raylet/raylet\0" in said and HEAD not in said:
            found.raylets.append(number)
        elif said.startswith(b"ray::Node"):
            found.actors.append(number)
        elif b"fiedler.tournament.run.table_process" in said:
            found.tables.append(number)
    return found


def command_line(number: int) -> bytes:
    """Return the words of a process; nothing if it has ended."""
    with suppress(OSError):
        return Path(f"/proc/{number}/cmdline").read_bytes()
    return b""


def processes(*words: bytes) -> list[int]:
    """Return the processes of this machine with all of these words in their command lines."""
    numbers = [int(folder.name) for folder in Path("/proc").iterdir() if folder.name.isdigit()]
    return [number for number in numbers if all(word in command_line(number) for word in words)]


def node_of(number: int) -> str:
    """Return the address of the node of a raylet, an actor or a table process; empty if it has ended."""
    while number > 1:
        for word in command_line(number).split(b"\0"):
            if word.startswith(b"--node_ip_address="):
                return word.partition(b"=")[2].decode()
        try:
            stat = Path(f"/proc/{number}/stat").read_text("utf-8", "replace")
        except OSError:
            return ""
        number = int(stat.rpartition(")")[2].split()[PARENT])
    return ""


def hit(number: int, with_signal: signal.Signals) -> None:
    """Send a signal to a process, which may just have ended."""
    with suppress(ProcessLookupError):
        os.kill(number, with_signal)
