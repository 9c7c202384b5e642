"""The bytes of an engine on their way to the reader of its lines: short input at once, much input in turns of the loop.

A byte costs nearly nothing, a line some microseconds, and a portion may have thousands of lines. So no call takes much
more than a millisecond, and all engines with much input together take a tenth of the loop's time at most.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from time import thread_time
from typing import Protocol
from weakref import WeakKeyDictionary

from fiedler.support.fair_queue import TURN_SECONDS, Enough, FairQueue, within

SMALL = 256
"""The bytes of a portion that is passed on at once."""
SLICE, LINE = 64, 1024
"""The bytes between two looks at the clock, and those up to the end of a line beyond them."""
PORTION_SECONDS, LINE_SECONDS = 1e-5, 3e-6
"""The time that a small portion is taken to cost, and each line in it beside that."""
_QUEUES: WeakKeyDictionary[asyncio.AbstractEventLoop, FairQueue] = WeakKeyDictionary()


class Pausable(Protocol):
    """A source of bytes."""

    def pause_reading(self) -> None:
        """Read nothing more for now: the engine waits once the buffers of the system are full."""

    def resume_reading(self) -> None:
        """Read again."""


class Inflow:
    """The input of one engine. While some of it waits, nothing more is read."""

    def __init__(
        self, read: Callable[[bytes], None], spent: Callable[[float], None], source: Pausable | None = None
    ) -> None:
        """Pass all bytes to `read`, in any portions, and the seconds of processor time of that to `spent`.

        A `source` pushes its bytes to `add`; without one they are pulled, and `turn` is awaited before the next.
        """
        self.heavy_until = 0.0
        self.waiting = b""
        """The bytes that wait for a turn, with those before them that have been passed on; empty if none wait."""
        self._at = 0
        """The number of those that have been passed on."""
        self.is_paused = False
        """Whether the source is not read now."""
        self.emptied: Callable[[], None] = _nothing
        """Called when nothing waits any more."""
        self._read, self._spent, self._source = read, spent, source
        self._turned: asyncio.Future[None] | None = None
        self._loop = asyncio.get_running_loop()

    def add(self, data: bytes) -> None:
        """Take bytes that have come."""
        if self.waiting:
            self.waiting += data
        elif len(data) <= SMALL:
            self._spent(PORTION_SECONDS + LINE_SECONDS * data.count(b"\n"))
            self._read(data)
        else:
            self.waiting = data
            heavy = self._loop.time() < self.heavy_until
            if heavy or self._pass_on(within(TURN_SECONDS)):
                self._wait(heavy=heavy)

    def rest(self) -> None:
        """Read nothing more before the next turn."""
        self._wait(heavy=False)

    def clear(self) -> bytes:
        """Return the bytes that wait, which do not any more, and read again."""
        waiting = self.waiting[self._at :]
        self.waiting, self._at = b"", 0
        self._resume()
        return waiting

    def shorten(self, shortened: Callable[[bytes], bytes]) -> None:
        """Let other bytes wait in place of those that do."""
        self.waiting, self._at = shortened(self.waiting[self._at :]), 0

    def take_turn(self, enough: Enough) -> bool:
        """Pass waiting bytes on until `enough` is true; return whether some are left."""
        left = self._pass_on(enough)
        if not left:
            self._resume()
            self.emptied()
        if self._turned is not None and not self._turned.done():
            self._turned.set_result(None)
        return left

    async def turn(self) -> None:
        """Wait until some of the waiting bytes have been passed on."""
        self._turned = self._loop.create_future()
        await self._turned

    def _pass_on(self, enough: Enough) -> bool:
        began = thread_time()  # other processes of a busy machine do not count
        while self.waiting:
            self._read(self._next_slice())
            if enough():
                break
        self._spent(thread_time() - began)
        return bool(self.waiting)

    def _next_slice(self) -> bytes:
        whole, since = self.waiting, self._at
        at = whole.find(b"\n", since + SLICE - 1, since + SLICE + LINE) + 1 or since + SLICE  # whole lines are cheaper
        self.waiting, self._at = (whole, at) if at < len(whole) else (b"", 0)
        return whole[since:at]

    def _wait(self, *, heavy: bool) -> None:
        if self._source is not None and not self.is_paused:
            self._source.pause_reading()
        self.is_paused = True
        _queue(self._loop).join(self, heavy=heavy)

    def _resume(self) -> None:
        if self.is_paused and self._source is not None:
            self._source.resume_reading()
        self.is_paused = False


def _queue(loop: asyncio.AbstractEventLoop) -> FairQueue:
    """Return the queue of all engines of a loop."""
    found = _QUEUES.get(loop)
    if found is None:
        found = _QUEUES[loop] = FairQueue(among_others=True)
    return found


def _nothing() -> None:
    """Do nothing."""
