"""The pause before a line to a player: some programs lose a line that follows their answer at once."""

from __future__ import annotations

import asyncio
from collections.abc import Callable


class Rest:
    """Passes bytes on, but not before a player has been silent for a time. The time is on nobody's clock."""

    def __init__(self, seconds: float, write: Callable[[bytes], None]) -> None:
        """`seconds` is the pause after the last output of the player, 0: none."""
        self.until = 0.0
        """The moment, in the loop's seconds, before which nothing is sent."""
        self._seconds = seconds
        self._write = write
        self._loop = asyncio.get_running_loop()
        self._held = bytearray()

    def begin(self) -> None:
        """Begin the pause: the player has sent something. Bytes that are held keep their moment."""
        if self._seconds and not self._held:
            self.until = self._loop.time() + self._seconds

    def write(self, data: bytes) -> None:
        """Send bytes, or hold them until the end of the pause."""
        if self._held:
            self._held += data
        elif self._loop.time() < self.until:
            self._held += data
            self._loop.call_at(self.until, self._release)
        else:
            self._write(data)

    async def over(self) -> None:
        """Wait until nothing is held."""
        if self._held:
            await asyncio.sleep(max(0.0, self.until - self._loop.time()))
            self._release()

    def _release(self) -> None:
        data = bytes(self._held)
        self._held.clear()
        if data:
            self._write(data)
