"""Programs that are started in a simulation, in place of those of the system."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from fiedler.client.child import Child
from fiedler.support.reaper import Reaper
from tests.simulated.programs import Output, Program
from tests.simulated.virtual_loop import PROCESS, Process

Launch = Callable[[Process, Sequence[str], Output], Program]
"""Starts the program of a command in a process."""


class SimulatedReaper(Reaper):
    """Ends the processes that it watches. The death of its own process ends them, too."""

    def __init__(self) -> None:
        self._watched: list[Process] = []

    def keep(self, process: Process) -> None:
        self._watched.append(process)

    def close(self) -> None:
        for process in self._watched:
            process.die()


class SimulatedChild(Child):
    """A child whose pipes take no time, and whose output may be read after its end."""

    launch: Launch
    """How programs start; set by the simulation."""

    _own: Process | None = None
    _program: Program | None = None

    def start(
        self, command: Sequence[str], folder: str | Path | None = None, cores: frozenset[int] | None = None
    ) -> None:
        parent = PROCESS.get()
        assert parent is not None
        own = self._own = Process(f"{parent.name}/{Path(command[-1]).name}")
        parent.children.append(own)
        assert isinstance(self._reaper, SimulatedReaper)
        self._reaper.keep(own)
        own.at_death = lambda status: self._soon(parent, self._ended, status)
        output = Output(lambda data: self._soon(parent, self._take, data))
        self._program = type(self).launch(own, command, output)

    def _soon(self, process: Process, call: Callable[[Any], None], word: Any) -> None:
        self._loop.call_soon(call, word, context=process.context)

    def _take(self, data: bytes) -> None:
        if self._on_output is not None and not self.exited.done():
            self._on_output(data)

    def _ended(self, status: int) -> None:
        if self._on_end is not None:
            self._on_end("closed its output")
        if not self.exited.done():
            self.exited.set_result(status)

    def write(self, data: bytes) -> None:
        if self._own is not None and self._program is not None:
            self._soon(self._own, self._program.receive, data)

    def close_input(self) -> None:
        self.write(b"")

    def has_unread(self) -> bool:
        return False

    def kill(self) -> None:
        if self._own is not None:
            self._own.die()


def forget(processes: Sequence[Process]) -> None:
    """Let dead and frozen processes clean up."""
    for process in processes:
        process.bury()
        forget(process.children)
