"""Publishes a run to a broker.

The log of the run is the queue: while the broker is away nothing is kept in memory, and an event counts as published
when the broker has acknowledged it.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from pathlib import Path

from fiedler.support.errors import WorkError
from fiedler.support.mqtt.broker import Broker
from fiedler.support.mqtt.client import MqttError
from fiedler.support.mqtt.connection import BrokerError, BrokerLink, RefusedError, TakenOverError, connected, pauses
from fiedler.tournament.feeds.handover import GONE_S, Handover
from fiedler.tournament.feeds.publication import Publication, rejected
from fiedler.tournament.feeds.source import ReplacedError, Source
from fiedler.tournament.feeds.tables import Tables
from fiedler.tournament.run import event_log

POLL_S, IDLE_POLL_S = 0.02, 0.5
"""Seconds between two looks at the log while a manager is at work, and while none is."""
WARNING = "warning: "
DRAIN_S = 10.0
"""Seconds in which a feed that is asked to stop publishes the rest."""
STALL_S = 5.0
"""Of them, the seconds without an answer of the broker after which it ends."""
AWAY_S = 2.0
"""Of them, the seconds in which it tries to reach a broker that is away."""


class Feeder:
    """The feed of one run."""

    def __init__(self, folder: Path, broker: Broker, report: Callable[[str], None], url: str | None = None) -> None:
        """`report` takes a line for the user; `url` is the address of the run's web page."""
        self._folder = folder
        self._log = folder / event_log.FILE
        self._name = folder.resolve().name
        self._broker = broker
        self._report = report
        self._url = url
        self._stopped = asyncio.Event()
        self._limit = asyncio.timeout(None)
        self._deadline = self._last_attempt = float("inf")
        self._last: Publication | None = None
        """The last connection."""
        self._is_publishing = False
        self._published = 0

    def stop(self) -> None:
        """Publish the rest, for DRAIN_S at most, and end."""
        if not self._stopped.is_set():
            self._stopped.set()
            now = asyncio.get_running_loop().time()
            self._deadline, self._last_attempt = now + DRAIN_S, now + AWAY_S
            self._limit.reschedule(now + (STALL_S if self._is_publishing else DRAIN_S))

    async def run(self) -> None:
        """Publish until `stop`, or until the run has finished and everything is published.

        Raises:
            UsageError: The run cannot be read.
            WorkError: The broker refuses us, another feed of the run has taken over, or at the end the broker could not
                be reached.
        """
        try:
            async with self._limit:
                await self._run()
        except TimeoutError:
            raise WorkError(f"{self._broker}: too slow; {self._rest}") from None
        finally:
            self._stopped.set()  # a later `stop` has nothing to stop

    async def _run(self) -> None:
        is_anew = False
        while await self._has_begun():
            if is_anew:
                self._report(f"{self._name} was started anew")
            try:
                with Source(self._folder, Tables()) as source:
                    await self._feed(source)
                return
            except ReplacedError:
                is_anew, self._last = True, None
                if not self._log.exists():
                    self._report(f"{WARNING}{self._folder} was removed; waiting for a new run")

    async def _has_begun(self) -> bool:
        """Wait for the log of the run; return whether it is there."""
        while not self._log.exists():
            if self._stopped.is_set():
                return False
            await self._pause(IDLE_POLL_S)
        return True

    async def _feed(self, source: Source[Tables]) -> None:
        """Publish over as many connections as it takes."""
        waits, is_away = pauses(), False
        while True:
            try:
                async with self._connected(source) as publication:
                    where = "connected again" if is_away else f"publishing {self._name} as {publication.topic()}"
                    self._report(f"{self._broker}: {where}, from event {source.published + 1} on")
                    waits, is_away = pauses(), False
                    await self._publish(source, publication)
                    return
            except BrokerError as error:
                if asyncio.get_running_loop().time() >= self._last_attempt:
                    raise WorkError(f"{error}; {self._rest}") from None
                if not is_away:
                    self._report(f"{WARNING}{error}; trying again until it answers")
                is_away = True
                await self._pause(next(waits))
            except RefusedError as error:
                if self._last is None:
                    raise
                raise WorkError(f"{error}; {self._rest}") from None
            except TakenOverError:
                await self._hand_over()
                raise self._taken_over() from None

    @contextlib.asynccontextmanager
    async def _connected(self, source: Source[Tables]) -> AsyncIterator[Publication]:
        publication = Publication(self._broker, self._name, source, self._url)
        async with connected(self._broker, "") as ear, contextlib.AsyncExitStack() as stack:
            handover = Handover(ear, publication.topic, publication.session)
            await handover.listen()
            self._refuse_successor(handover)
            source.start_after(handover.seq)
            identifier = f"{self._broker.base}-feed-{self._name}"
            link = await stack.enter_async_context(connected(self._broker, identifier, will=publication.will))
            await self._begin(publication, link, handover)
            source.start_after(handover.seq)
            source.tables.publish_again(handover.tables)
            kept = stack.pop_all()
        async with kept:
            self._is_publishing = True
            try:
                yield publication
            except MqttError:
                raise
            except BaseException:  # a clean disconnection publishes no will
                await publication.leave()
                raise
            finally:
                self._is_publishing = False

    def _refuse_successor(self, handover: Handover) -> None:
        if self._last is not None and handover.owner not in ("", self._last.session):
            raise self._taken_over()

    def _taken_over(self) -> TakenOverError:
        return TakenOverError(f"{self._broker}: another feed of {self._name} has taken over")

    async def _begin(self, publication: Publication, link: BrokerLink, handover: Handover) -> None:
        """Take over from any other feed of this run, after the last event that it published."""
        await publication.begin(link)
        if not await handover.finish():
            raise rejected(self._broker, self._name)
        self._last = publication

    async def _hand_over(self) -> None:
        """Give the feed that has taken over the number of the last event."""
        if self._last is not None:
            with contextlib.suppress(WorkError, TimeoutError):
                async with asyncio.timeout(GONE_S), connected(self._broker, "") as link:
                    await self._last.hand_over(link)

    async def _publish(self, source: Source[Tables], publication: Publication) -> None:
        while True:
            is_last = self._stopped.is_set()
            self._limit_stall()
            source.look(at_once=is_last)
            has_more = await publication.publish()
            self._published = source.published
            if has_more:
                continue
            if is_last or source.progress.state == "finished":
                await publication.end()
                self._report(f"published up to event {source.published}: {self._name} is {source.state}")
                return
            await publication.wait(POLL_S if source.progress.is_running else IDLE_POLL_S)

    def _limit_stall(self) -> None:
        if self._stopped.is_set():
            stall = asyncio.get_running_loop().time() + STALL_S
            self._limit.reschedule(min(self._deadline, stall))

    async def _pause(self, seconds: float) -> None:
        if self._stopped.is_set():
            await asyncio.sleep(0.2)
            return
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._stopped.wait()

    @property
    def _rest(self) -> str:
        return f"event {self._published + 1} and later ones are not published"
