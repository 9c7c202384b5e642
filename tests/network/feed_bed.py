"""`tournament feed` beside the run, and its broker with a subscriber on the far host."""

from __future__ import annotations

import json
from pathlib import Path

from fiedler.support.address import LOOPBACK
from tests.mosquitto import command, message
from tests.network.bed import NOTHING, Bed
from tests.patience import until
from tests.programs import need
from tests.tournament.feeds.feed_process import numbers_of, once
from tools.wire.wire import ADDRESSES, FAR, Wire

PORT = 1883
CONFIG = f"""
listener {PORT} 0.0.0.0
allow_anonymous true
max_queued_messages 0
user root
"""


class FeedBed(Bed):
    """A run whose third game waits for the fault, and whose feed has published the first two."""

    def __init__(self, wire: Wire, folder: Path) -> None:
        need("mosquitto", "mosquitto_sub")
        super().__init__(wire, folder)
        self._messages = folder / "messages"
        self._starts = 0
        """Of the broker."""

    async def start(self) -> None:
        await self.start_peer()
        await self.start_held_run()
        self._feed = await self.near("tournament", "feed", str(self.run), "--broker", f"{ADDRESSES[FAR]}:{PORT}")
        await until(lambda: len(self._numbers()) > 5, f"nothing is published: {self.said()}")

    async def start_peer(self) -> None:
        self._starts += 1
        config = self.folder / "mosquitto.conf"
        config.write_text(CONFIG, "utf-8")
        await self.far("/usr/sbin/mosquitto", "-c", str(config))
        await until(lambda: self.said().count(" running\n") == self._starts, f"no broker: {self.said()}")
        await self.far(
            "mosquitto_pub", "-h", LOOPBACK, "-p", str(PORT), "-t", f"ready/{self._starts}", "-r", "-m", "{}"
        )
        with self._messages.open("ab") as file:
            await self.wire.inside(FAR, *command(PORT, ["#"]), stdout=file, stderr=self.log)
        await until(lambda: f"ready/{self._starts}" in self._text(), f"no subscriber: {self.said()}")

    async def come_to(self, word: str, seconds: float) -> str:
        wanted = "finished" if word == NOTHING else word
        await until(lambda: self._state() == wanted, f"not {wanted}: {self.said()}", seconds)
        if word != NOTHING:
            assert self._feed.returncode is None, f"the feed has given up: {self.said()}"
            return word
        assert await self._feed.wait() == 0
        assert await self.end_run() == 0
        last = self.events("ended")[0]["seq"]
        if self._starts == 1:  # the subscriber was there all the time
            assert once(self._numbers()) == list(range(1, last + 1))
        return NOTHING

    def _text(self) -> str:
        return self._messages.read_text("utf-8") if self._messages.exists() else ""

    def _numbers(self) -> list[int]:
        return numbers_of([message(line) for line in self._text().splitlines(keepends=True) if line.endswith("\n")])

    def _state(self) -> str:
        """Return the last state that was published."""
        states = [line for line in self._text().splitlines() if "/state " in line and line.endswith("}")]
        return str(json.loads(states[-1].split(" ", 3)[3])["state"]) if states else ""
