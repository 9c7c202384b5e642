"""A test bed: a run on the near host, and something on the far one that watches or plays it."""

from __future__ import annotations

import asyncio
import json
import signal
import sys
from abc import ABC, abstractmethod
from asyncio.subprocess import DEVNULL, PIPE, Process
from pathlib import Path
from typing import Any

from tests.patience import PATIENCE, until
from tests.tournament.schedules import Bench, Tables, player
from tests.web.runs import HELD, release
from tools.wire.wire import FAR, NEAR, Wire

BIN = Path(sys.executable).parent
NOTHING = "nothing"
"""The word of a fault that no result shows."""


class Bed(ABC):
    """Both ends of one cell."""

    def __init__(self, wire: Wire, folder: Path) -> None:
        self.wire = wire
        self.folder = folder
        self.bench = Bench(folder)
        self.fault_lasts = False
        """Whether the fault of this cell has no end."""
        self.log = (folder / "log").open("ab")
        """Takes the output of all programs."""

    @abstractmethod
    async def start(self) -> None:
        """Start everything, up to a moment when the fault may begin."""

    @abstractmethod
    async def start_peer(self) -> None:
        """Start what runs on the far host; again after a power-off."""

    def release(self) -> None:
        """Let the run proceed, once the fault has begun."""
        release(self.bench)

    @abstractmethod
    async def come_to(self, word: str, seconds: float) -> str:
        """Wait so many seconds for the word of the fault; return what came instead, or the word."""

    async def close(self) -> None:
        """Close what is left, once the hosts have ended."""
        self.log.close()

    async def near(self, *command: str) -> Process:
        """Start one of our commands beside the run."""
        return await self._start(NEAR, *command)

    async def far(self, *command: str) -> Process:
        """Start one of our commands, or a program of the system, on the far host."""
        return await self._start(FAR, *command)

    async def _start(self, host: str, program: str, *words: str) -> Process:
        own = BIN / program
        path = str(own) if own.exists() else program
        return await self.wire.inside(host, path, *words, stdin=DEVNULL, stdout=self.log, stderr=self.log)

    async def start_run(self, players: list[Tables], *options: str, **tables: Tables) -> None:
        """Start the run of a schedule on the near host."""
        self.bench.write(players, **tables)
        words = ["run", str(self.bench.path), "--results", str(self.bench.results), "--progress", "all", *options]
        self.manager = await self.near("tournament", *words)

    async def start_held_run(self) -> None:
        """Start a run of two players here, which waits in its third game for `release`."""
        await self.start_run([player("a", "held", 3), player("b")], tournament={"games_per_pair": 12}, limit=HELD)
        await until((self.folder / "holding").exists, f"no third game began: {self.said()}")

    @property
    def run(self) -> Path:
        """The folder of the run."""
        return self.bench.results / "test"

    def events(self, kind: str) -> list[dict[str, Any]]:
        """Return the events of the run of one kind, so far."""
        try:
            text = (self.run / "events.jsonl").read_text("utf-8")
        except FileNotFoundError:
            return []
        found = [json.loads(line) for line in text.splitlines(keepends=True) if line.endswith("\n")]
        return [one for one in found if one["event"] == kind]

    async def end_run(self) -> int:
        """Wait for the end of the run; return the exit code of the manager."""
        async with asyncio.timeout(PATIENCE):
            return await self.manager.wait()

    async def stop_run(self) -> int:
        """Interrupt the run; return the exit code of the manager."""
        self.manager.send_signal(signal.SIGTERM)
        return await self.end_run()

    def said(self) -> str:
        """Return the output of all programs so far."""
        return (self.folder / "log").read_text("utf-8", "replace")

    async def until_said(self, text: str) -> None:
        """Wait until a program has printed this."""
        await until(lambda: text in self.said(), f"nobody printed {text!r}")


async def output(wire: Wire, host: str, *command: str) -> str:
    """Return the output of a program that ends."""
    process = await wire.inside(host, *command, stdin=DEVNULL, stdout=PIPE, stderr=DEVNULL)
    return (await process.communicate())[0].decode()
