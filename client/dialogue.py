"""One dialogue with an engine: questions in a dialect over a carrier, their answers and time-outs."""

from __future__ import annotations

import asyncio
import math
from collections import deque

from fiedler.client.carrier import EngineCarrier
from fiedler.client.errors import EngineGoneError, EngineRefusedError, EngineRulesError
from fiedler.protocol import Client, ClientEvent, Refusal
from fiedler.protocol.blocking import drained
from fiedler.protocol.flood import Flood
from fiedler.support.address import reason
from fiedler.support.errors import printable
from fiedler.support.inflow import Inflow

MAX_EVENTS = 10_000
"""The events of one answer that are kept, the last ones."""


class Dialogue:
    """The requests of a `client` of the dialect, sent to an engine. One task at a time waits for an answer."""

    def __init__(self, carrier: EngineCarrier, client: Client, engine: str, answer_seconds: float | None) -> None:
        """`engine` is its name in messages. `answer_seconds` bound an answer; None: no bound."""
        self.client = client
        """The dialect: its requests are sent with the next `answer`."""
        self._carrier = carrier
        self._engine = engine
        self._answer_seconds = answer_seconds
        self._is_closed = False
        self._grace_until = math.inf
        """The moment, in the loop's seconds, at which an answer is assumed."""
        self._received_at = -math.inf
        """The moment of the last bytes."""
        self._flood = Flood()
        """The output since the last request."""
        self._is_flooded = False
        self._inflow = Inflow(self._read, self._work)
        self._events: deque[ClientEvent] = deque(maxlen=MAX_EVENTS)
        """The events that nobody has taken yet."""

    @property
    def wrong_answer(self) -> str:
        """The engine's output in place of an answer, for the end of a message."""
        return self.client.mistake.report(self.client.unfinished)

    async def answer(
        self, kind: type[ClientEvent], seconds: float | None = None, *, waits: bool = False
    ) -> deque[ClientEvent]:
        """Send the pending bytes and return the last events up to the answer of this `kind`.

        `seconds` are by default those of an answer. A refusal is an error at once, unless `waits`.

        Raises:
            EngineError: The answer is a refusal, or does not come.
        """
        seconds = self._answer_seconds if seconds is None else seconds
        events: deque[ClientEvent] = deque(maxlen=MAX_EVENTS)
        self._flood.ask()
        self._is_flooded = False
        self._grace_until = _now() + (self.client.grace_s or math.inf)
        try:
            async with asyncio.timeout(seconds) as bound:
                while not await self._takes(events, kind, waits=waits):
                    await self._receive()
        except OSError as error:
            if seconds is not None and bound.expired():
                raise self._late(seconds) from None
            raise EngineGoneError(f"{self._engine}: {reason(error)}{self.wrong_answer}") from None
        return events

    def stop(self) -> None:
        """End the search; its move still comes."""
        self.client.stop()
        self._carrier.send(self.client.data_to_send())

    async def close(self) -> None:
        """Send `quit`, give the engine a moment, then close the connection and kill the program."""
        self._is_closed = True
        self.client.quit()
        self._carrier.send(self.client.data_to_send())
        await self._carrier.close()

    async def _takes(self, events: deque[ClientEvent], kind: type[ClientEvent], *, waits: bool) -> bool:
        """Take the events that have come, send the pending bytes, and return whether one event is of this kind."""
        found = False
        self._events += drained(self.client)
        while not found and self._events:
            event = self._events.popleft()
            if isinstance(event, Refusal) and event.why and not waits:
                raise EngineRefusedError(f"{self._engine} refused: {printable(event.why)}")
            events.append(event)
            found = isinstance(event, kind)
        if data := self.client.data_to_send():
            try:
                if (pause := self._received_at + self.client.pause_s - _now()) > 0:
                    await asyncio.sleep(pause)
            finally:  # a search whose task is cancelled now is sent, too, and then stopped
                self._carrier.send(data)
        return found

    async def _receive(self) -> None:
        """Receive bytes, read more of those that wait, or assume an answer that some programs never send."""
        if self._inflow.waiting:
            await self._inflow.turn()
        elif (data := await self._received()) is not None:
            self._received_at = _now()
            if not data:
                raise await self._gone()
            self._is_flooded = self._flood.rises(len(data), _now) or self._flood.count(data)
            if not self._is_flooded:
                self._inflow.add(data)
        if self._is_flooded:
            raise EngineRulesError(f"{self._engine} {self._flood.report(asked=True)}{self.wrong_answer}")

    async def _received(self) -> bytes | None:
        """Return the next bytes; None: an answer was assumed in their place."""
        until = None if self._grace_until == math.inf else self._grace_until
        try:
            async with asyncio.timeout_at(until) as grace:
                return await self._carrier.receive()
        except TimeoutError:
            if not grace.expired():
                raise
            self.client.assume_answer()
            self._grace_until = math.inf
            return None

    def _read(self, data: bytes) -> None:
        self.client.receive_data(data)
        self._events += drained(self.client)

    def _work(self, seconds: float) -> None:
        self._is_flooded = self._is_flooded or self._flood.works(seconds, _now)

    async def _gone(self) -> EngineGoneError:
        """Return the error for the end of the engine's output."""
        if self._is_closed:
            return EngineGoneError(f"{self._engine} was closed")
        message = f"{self._engine} {printable(await self._carrier.end_message())}{self.wrong_answer}"
        return EngineGoneError(message, self._carrier.error_line)

    def _late(self, seconds: float) -> EngineGoneError:
        """Return the error for an answer that does not come in time."""
        lines, mistake = self._flood.all_lines, self.client.mistake
        hint = mistake.report(self.client.unfinished, lines) or mistake.silence(
            received=self._flood.received > 0, lines=lines
        )
        complaint = self._carrier.complaint
        stderr = f"; on standard error: {complaint}" if complaint else ""
        return EngineGoneError(f"{self._engine} had not answered after {seconds:g} s{hint}{stderr}", complaint)


def _now() -> float:
    """Return the seconds of the loop."""
    return asyncio.get_running_loop().time()
