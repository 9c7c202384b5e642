"""The bytes of an engine on their way to the reader of its lines: short input at once, much input in turns of the loop.

A byte costs nearly nothing, a line some microseconds, and a portion may have thousands of lines. So no call takes much
more than a millisecond, and all engines with much input together take a tenth of the loop's time at most.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from time import perf_counter
from typing import Protocol
from weakref import WeakKeyDictionary

from support.turns import TURN_SECONDS, Enough, Turns, within

SLICE = 256
"""The bytes between two looks at the clock, and some more up to the end of a line."""
PORTION_SECONDS = 1e-5
"""The time that a portion of at most SLICE bytes is taken to cost."""
LONGEST_SECONDS = 2 * TURN_SECONDS
"""The longest time of a turn that counts: a longer one is a pause of this machine."""
_TURNS: WeakKeyDictionary[asyncio.AbstractEventLoop, Turns] = WeakKeyDictionary()


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
        """Pass all bytes to `read`, in any portions, and the seconds that this took to `spent`.

        A `source` pushes its bytes to `add`; without one they are pulled, and `turn` is awaited before the next.
        """
        self.heavy_until = 0.0
        self.waiting = b""
        """The bytes that wait for a turn."""
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
        elif len(data) <= SLICE:
            self._spent(PORTION_SECONDS)
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
        waiting, self.waiting = self.waiting, b""
        self._resume()
        return waiting

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
        began, at = perf_counter(), 0
        while at < len(self.waiting):
            whole, since = self.waiting, at
            at = whole.find(b"\n", at + SLICE - 1, at + 2 * SLICE) + 1 or at + SLICE  # whole lines are cheaper
            self._read(whole[since:at])
            if self.waiting is not whole:  # cleared by its reader
                at = 0
            elif enough():
                break
        self.waiting = self.waiting[at:]
        self._spent(min(perf_counter() - began, LONGEST_SECONDS))
        return bool(self.waiting)

    def _wait(self, *, heavy: bool) -> None:
        if self._source is not None and not self.is_paused:
            self._source.pause_reading()
        self.is_paused = True
        _turns(self._loop).join(self, heavy=heavy)

    def _resume(self) -> None:
        if self.is_paused and self._source is not None:
            self._source.resume_reading()
        self.is_paused = False


def _turns(loop: asyncio.AbstractEventLoop) -> Turns:
    """Return the turns of all engines of a loop."""
    found = _TURNS.get(loop)
    if found is None:
        found = _TURNS[loop] = Turns(among_others=True)
    return found


def _nothing() -> None:
    """Do nothing."""
