"""An `engine serve` process of ours, which reports its port as a JSON line on its standard output."""

from __future__ import annotations

import asyncio
import shutil
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import msgspec

from fiedler.client.child import Child
from fiedler.support.reaper import Reaper
from fiedler.tournament.play.machine import start
from fiedler.tournament.play.session import Fault, PlayerLostError
from fiedler.tournament.play.traffic_log import SessionLog, stderr_of
from fiedler.tournament.termination import Termination


class _Listening(msgspec.Struct, tag_field="event", tag="listening"):
    """It listens."""

    address: str
    largest_model_mb: float = 0.0


class _Failed(msgspec.Struct, tag_field="event", tag="failed"):
    """It does not start; the error is also on its standard error."""

    player: str = ""


class ServerProcess:
    """The process, made first, then started."""

    def __init__(self, reaper: Reaper, traffic: SessionLog | None = None) -> None:
        self.process = Child(reaper, self._feed, on_stderr=stderr_of(traffic))
        self.port = 0
        """0: it does not listen yet."""
        self.largest_model_mb = 0.0
        """Of its named players: the memory of the largest model once it is loaded, in MiB."""
        self.failed = ""
        """The name of the player with which it did not start; empty if there is none."""
        self._line = b""
        self._reported = asyncio.Event()

    @property
    def has_ended(self) -> bool:
        """Whether it runs no more."""
        return self.process.exited.done()

    async def start(self, name: str, command: Sequence[str], folder: str, cores: frozenset[int] | None) -> None:
        """Start the `engine serve` of a player, and wait until it listens.

        Raises:
            PlayerLostError: it ended before.
            StartError: the program does not exist.
            MachineError: the machine is out of resources.

        """
        start(self.process, (*command, "--report"), folder, cores)
        self.process.exited.add_done_callback(lambda _: self._reported.set())
        await self._reported.wait()
        if not self.port:
            raise PlayerLostError(name, Fault(Termination.CRASH, self._exit_reason()))

    async def end(self) -> None:
        """Kill it."""
        await self.process.end(0.0)

    def _feed(self, data: bytes) -> None:
        *lines, self._line = (self._line + data).split(b"\n")
        for line in lines:
            with suppress(msgspec.MsgspecError):  # a line of a library
                self._take(msgspec.json.decode(line, type=_Listening | _Failed))

    def _take(self, report: _Listening | _Failed) -> None:
        if isinstance(report, _Failed):
            self.failed = report.player
        else:
            self.port = int(report.address.rpartition(":")[2])
            self.largest_model_mb = report.largest_model_mb
            self._reported.set()

    def _exit_reason(self) -> str:
        line = self.process.last_line.removeprefix("error: ")
        return f"engine serve: {line}" if line else f"engine serve {self.process.exit_message}"


def engine_program() -> str:
    """Return the path of the `engine` command that was installed with this `tournament`."""
    beside = Path(sys.executable).parent / "engine"
    return str(beside) if beside.is_file() else shutil.which("engine") or str(beside)
