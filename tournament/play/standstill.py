"""Standstills of this process, for which no player can answer."""

from __future__ import annotations

import asyncio
import time
from typing import Self

BEAT_S = 0.5
"""Seconds between two looks at the time."""
STILL_S = 1.0
"""Seconds by which a look is late after a standstill. A busy machine delays it by less."""


class Standstill:
    """Notices, while it is entered, that the process was stopped, that its machine slept, or had no time for it.

    A standstill of `BEAT_S` + `STILL_S` is noticed always, one of less than `STILL_S` never.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        """Look at the time in this loop."""
        self._loop = loop
        self._seconds = 0.0

    def __enter__(self) -> Self:
        self._beat_again()
        return self

    def __exit__(self, *_: object) -> None:
        self._timer.cancel()

    @property
    def seconds(self) -> float:
        """The length of all standstills so far, up to this moment; 0: there was none."""
        late = time.monotonic() - self._due
        return self._seconds + (late if late >= STILL_S else 0.0)

    def _beat_again(self) -> None:
        self._due = time.monotonic() + BEAT_S
        self._timer = self._loop.call_later(BEAT_S, self._look)

    def _look(self) -> None:
        self._seconds = self.seconds
        self._beat_again()
