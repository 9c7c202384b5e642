"""Bytes for the table process of a node, and bytes back, in as few calls of its actor as possible.

A call carries all that is to be sent, and returns with the news of the process. A node with one table has one call a
game: a lease goes there, its record comes back. `Heard` goes with a call after each answer, and with the first one: a
manager that gets no answers says nothing that keeps the process from ending. Calls are numbered, and the process gets
their bytes in that order. While an answer is missing, nothing is asked without a lease: should a message be lost, soon
nothing more is asked, the node is lost after `lost_s`, and its games under way are void.
"""

from __future__ import annotations

import asyncio
from functools import partial

from fiedler.tournament.cluster.cluster import NodeCalls
from fiedler.tournament.run.table_messages import Heard, encoded

HEARD = encoded(Heard())

REST_S = 0.05
"""Seconds after news for the next lease, before the node is asked without one."""


class Exchange:
    """The bytes to and from a table process. One call at least is under way, but for a moment after news."""

    def __init__(self, calls: NodeCalls) -> None:
        self._calls = calls
        self._unsent = bytearray()
        self._is_answered = True
        """Whether there was an answer since the last `Heard`."""
        self._planned: asyncio.Handle | None = None
        """The next call, if one is planned."""
        self._number = 0
        """That of the last call."""
        self._under_way: dict[int, asyncio.Task[None]] = {}
        self._is_closed = False
        self._news = asyncio.Queue[tuple[bytes, str] | Exception]()

    def send(self, data: bytes) -> None:
        """Send bytes, with others of this moment; none: ask for news."""
        self._unsent += data
        self._plan(0.0)

    async def news(self) -> tuple[bytes, str]:
        """Return whole messages of the process, and how it ended; both may be empty.

        Raises:
            NodeLostError: there will be none.

        """
        came = await self._news.get()
        if isinstance(came, Exception):
            raise came
        return came

    def close(self) -> None:
        """Give up the calls under way; there are no others."""
        self._is_closed = True
        if self._planned is not None:
            self._planned.cancel()
        for task in self._under_way.values():
            task.cancel()

    def _plan(self, seconds: float) -> None:
        if self._is_closed:
            return
        if self._planned is not None:
            self._planned.cancel()
        loop = asyncio.get_running_loop()
        self._planned = loop.call_later(seconds, self._begin) if seconds else loop.call_soon(self._begin)

    def _begin(self) -> None:
        self._planned = None
        if self._is_answered:
            self._unsent += HEARD
            self._is_answered = False
        data = bytes(self._unsent)
        self._unsent.clear()
        self._number += 1
        task = asyncio.get_running_loop().create_task(self._call(self._number, data))
        self._under_way[self._number] = task
        task.add_done_callback(partial(self._ended, self._number))

    async def _call(self, number: int, data: bytes) -> None:
        try:
            self._news.put_nowait(await self._calls.call("exchange", number, data))
            self._is_answered = True
        except Exception as error:  # `news` raises it
            self._news.put_nowait(error)

    def _ended(self, number: int, task: asyncio.Task[None]) -> None:
        del self._under_way[number]
        if task.cancelled():
            return
        if not (self._under_way or self._planned):
            self._plan(REST_S)
