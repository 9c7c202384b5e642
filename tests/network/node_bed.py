"""A run in a cluster of Ray whose head is beside it, and the only node of the cluster on the far host."""

from __future__ import annotations

import shutil
import tempfile
from asyncio.subprocess import DEVNULL
from pathlib import Path
from typing import Any

import pytest

from fiedler.tournament.cluster.cluster import is_installed
from fiedler.tournament.cluster.local_nodes import SETTINGS
from tests.network.bed import BIN, NOTHING, Bed
from tests.patience import PATIENCE, until
from tests.tournament.schedules import player
from tools.wire.wire import ADDRESSES, FAR, NEAR, Wire

PORT = 6379
CLUSTER = {"lost_s": 10, "wait_s": 15, "tables": 1}


class NodeBed(Bed):
    """A run at a node whose second game waits for the fault."""

    def __init__(self, wire: Wire, folder: Path) -> None:
        if not is_installed():
            pytest.skip("needs the extra `cluster`: Ray")
        super().__init__(wire, folder)
        self._temporary = tempfile.mkdtemp(prefix="r", dir="/tmp")  # Ray needs a short path
        self._released = ""
        """The id of the game that waits for the fault."""

    async def start(self) -> None:
        head = ["--head", f"--port={PORT}", "--num-cpus=0", "--include-dashboard=false"]
        await self._ray(NEAR, *head, f"--temp-dir={self._temporary}")
        await until(lambda: "started" in self.said(), f"no head: {self.said()}")
        await self.start_peer()
        limit = {"nodes": 1, "startup_s": PATIENCE, "stall_s": 5 * PATIENCE}
        await self.start_run(
            [player("a", "held", 2), player("b")],
            "--cluster",
            f"{ADDRESSES[NEAR]}:{PORT}",
            tournament={"games_per_pair": 12},
            limit=limit,
            cluster={**CLUSTER, "folder": str(self.folder)},
        )
        await until((self.folder / "holding").exists, f"no second game began: {self.said()}")
        await until(lambda: len(self.events("started")) == 2, f"no second game is recorded: {self.said()}")
        self._released = self.events("started")[1]["game"]["id"]

    async def start_peer(self) -> None:
        await self._ray(FAR, f"--address={ADDRESSES[NEAR]}:{PORT}", "--num-cpus=1")

    async def come_to(self, word: str, seconds: float) -> str:
        def done() -> list[dict[str, Any]]:
            ended = [*self.events("voided"), *self.events("finished")]
            return [event for event in ended if event["game"]["id"] == self._released]

        await until(done, f"the game has no end: {self.said()}", seconds)
        found = {"voided": "void", "finished": NOTHING}[done()[0]["event"]]
        assert await self.end_run() == 0, self.said()
        finished = self.events("finished")
        assert len({event["game"]["id"] for event in finished}) == len(finished) == 12
        assert {event["game"]["termination"] for event in finished} == {"rules"}
        return found

    async def close(self) -> None:
        await super().close()
        shutil.rmtree(self._temporary, ignore_errors=True)

    async def _ray(self, host: str, *words: str) -> None:
        options = [f"--node-ip-address={ADDRESSES[host]}", "--disable-usage-stats", "--block"]
        settings = [f"{name}={value}" for name, value in SETTINGS.items()]
        command = ["env", *settings, str(BIN / "ray"), "start", *options, "--object-store-memory=80000000", *words]
        await self.wire.inside(host, *command, stdin=DEVNULL, stdout=self.log, stderr=self.log)
