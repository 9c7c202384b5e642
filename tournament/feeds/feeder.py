"""Publishes a run to a broker.

The log of the run is the queue: while the broker is away nothing is kept in memory, and an event counts as published
when the broker has acknowledged it.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path

from support.errors import WorkError
from support.mqtt.broker import Broker
from support.mqtt.connection import BrokerError, BrokerLink, TakenOverError, connected, pauses
from tournament.feeds.handover import Handover
from tournament.feeds.publication import Publication, rejected
from tournament.feeds.source import ReplacedError, Source
from tournament.run import event_log

POLL_S, IDLE_POLL_S = 0.02, 0.5
"""Seconds between two looks at the log while a manager is at work, and while none is."""
WARNING = "warning: "
MOST_REJECTIONS = 3
DRAIN_S = 10.0
"""Seconds in which a feed that is asked to stop publishes the rest."""


class Feeder:
    """The feed of one run."""

    def __init__(self, folder: Path, broker: Broker, say: Callable[[str], None]) -> None:
        """`say` takes a line for the user."""
        self._folder = folder
        self._name = folder.resolve().name
        self._broker = broker
        self._say = say
        self._stopped = asyncio.Event()
        self._deadline = float("inf")
        self._session = ""
        """That of the last connection."""
        self._rejections = 0
        """Consecutive connections that the broker ended when we published our state."""

    def stop(self) -> None:
        """Publish the rest, for DRAIN_S at most, and end."""
        self._stopped.set()
        self._deadline = min(self._deadline, time.monotonic() + DRAIN_S)

    async def run(self) -> None:
        """Publish until `stop`, or until the run has finished and everything is published.

        Raises:
            UsageError: The run cannot be read.
            WorkError: The broker refuses us, another feed of the run has taken over, or at the end the broker could not
                be reached.
        """
        while await self._has_begun():
            try:
                with Source(self._folder) as source:
                    await self._feed(source)
                return
            except ReplacedError:
                self._say(f"{self._name} was started anew")
                self._session = ""

    async def _has_begun(self) -> bool:
        """Wait for the log of the run; return whether it is there."""
        while not (self._folder / event_log.FILE).exists():
            if self._stopped.is_set():
                return False
            await self._pause(IDLE_POLL_S)
        return True

    async def _feed(self, source: Source) -> None:
        """Publish over as many connections as it takes."""
        waits, is_away = pauses(), False
        while True:
            try:
                async with self._connected(source) as publication:
                    where = "connected again" if is_away else f"publishing {self._name} as {publication.topic()}"
                    self._say(f"{self._broker}: {where}, from event {source.published + 1} on")
                    waits, is_away = pauses(), False
                    await self._publish(source, publication)
                    return
            except BrokerError as error:
                if self._rejections == MOST_REJECTIONS:
                    raise rejected(self._broker, self._name) from None
                if time.monotonic() >= self._deadline:
                    raise WorkError(f"{error}; event {source.published + 1} and later ones are not published") from None
                if not is_away:
                    self._say(f"{WARNING}{error}; trying again until it answers")
                is_away = True
                await self._pause(next(waits))

    @contextlib.asynccontextmanager
    async def _connected(self, source: Source) -> AsyncIterator[Publication]:
        publication = Publication(self._broker, self._name, source)
        async with self._taking_over(source, publication) as link:
            self._session = publication.session
            self._rejections += 1
            await publication.begin(link)
            self._rejections = 0
            yield publication

    @contextlib.asynccontextmanager
    async def _taking_over(self, source: Source, publication: Publication) -> AsyncIterator[BrokerLink]:
        """Connect in place of any other feed of this run, after the last event that it published."""
        state = publication.topic("state")
        async with connected(self._broker, "") as ear:
            handover = Handover(ear, source.progress.birth)
            await handover.listen(state, (publication.topic("games"), publication.topic("events")))
            if self._session and handover.owner not in ("", self._session):
                raise TakenOverError(f"{self._broker}: another feed of {self._name} has taken over")
            async with contextlib.AsyncExitStack() as stack:
                will = publication.will(max(handover.seq, source.published))
                identifier = f"{self._broker.base}-feed-{self._name}"
                link = await stack.enter_async_context(connected(self._broker, identifier, will=will))
                await handover.finish(state)
                source.start_after(handover.seq)
                kept = stack.pop_all()
        async with kept:
            yield link

    async def _publish(self, source: Source, publication: Publication) -> None:
        while time.monotonic() < self._deadline:
            source.look()
            if await publication.publish():
                continue
            if self._stopped.is_set() or source.progress.state == "finished":
                await publication.end()
                self._say(f"published up to event {source.published}: {self._name} is {source.state}")
                return
            await publication.wait(POLL_S if source.progress.is_running else IDLE_POLL_S)
        await publication.end()
        raise WorkError(f"{self._broker}: too slow: event {source.published + 1} and later ones are not published")

    async def _pause(self, seconds: float) -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(min(seconds, max(0.1, self._deadline - time.monotonic()))):
                await self._stopped.wait()
        if self._stopped.is_set():
            await asyncio.sleep(0.2)  # it is set for good: attempts until the deadline are not to follow at once
