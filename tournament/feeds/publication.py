"""One connection of a feed: its messages."""

from __future__ import annotations

import asyncio
import time
import uuid
from typing import Any

import msgspec

from support.errors import WorkError
from support.mqtt.broker import Broker
from support.mqtt.connection import BrokerLink
from support.mqtt.topics import at
from tournament.feeds.handover import heard
from tournament.feeds.payloads import StandingsPayload, StatePayload, TablePayload, encode
from tournament.feeds.source import Source
from tournament.feeds.tail import LogLine
from tournament.run.events import Rated
from tournament.run.live import Board
from tournament.run.store import Counts

AT_ONCE = 8
"""Events on their way to the broker."""
STATE_S, STANDINGS_S, TABLES_S = 1.0, 2.0, 0.25
"""Seconds between two publications, at least; a new word in the state is published at once."""
EXPIRY_S = 60
"""Seconds after which the broker forgets the position of a game."""
ECHO_S = 5.0
"""Seconds within which the broker sends us our own state."""


class Publication:
    """Publishes what a source has, until the connection is lost."""

    def __init__(self, broker: Broker, run: str, source: Source) -> None:
        self._broker = broker
        self._run = run
        self._source = source
        self.session = f"{source.progress.birth}-{uuid.uuid4().hex[:8]}"
        self._link: BrokerLink
        self._state = ""
        self._told: tuple[int, Counts] | None = None
        self._due = {"state": 0.0, "standings": 0.0, "tables": 0.0}

    def topic(self, *names: str) -> str:
        """Return a topic of the run."""
        return self._broker.topic("runs", self._run, *names)

    def will(self, seq: int) -> tuple[str, bytes]:
        """Return what the broker says if we vanish; `seq` is the last event that is known to have arrived."""
        return self.topic("state"), encode(self._payload("lost", seq))

    async def begin(self, link: BrokerLink) -> None:
        """Publish the state, and wait until it comes back. Raises WorkError if it does not."""
        self._link = link
        await link.subscribe(self.topic("state"))
        await self._publish_state(self._source.state)
        deadline = time.monotonic() + ECHO_S
        while (left := deadline - time.monotonic()) > 0:
            message = await link.receive(left)
            if message is not None and heard(message[1]).session == self.session:
                return
        raise rejected(self._broker, self._run)

    async def publish(self) -> bool:
        """Publish what has come; return whether there were events, of which more may be left."""
        lines = self._source.tail.lines()[:AT_ONCE]
        if lines:
            await asyncio.gather(*(self._publish_event(line) for line in lines))
            self._source.arrived(lines)
        now = time.monotonic()
        if self._is_due("tables", now, TABLES_S):
            await self._publish_tables()
        if self._source.standings is not None and self._is_due("standings", now, STANDINGS_S):
            await self._publish_standings()
        await self._publish_progress(now)
        return bool(lines)

    async def wait(self, seconds: float) -> None:
        """Wait, and repair the state if an old will has replaced it."""
        message = await self._link.receive(seconds)
        if message is not None:
            found = heard(message[1])
            if found.state == "lost" and found.session != self.session:
                await self._publish_state(self._state)

    async def end(self) -> None:
        """Publish what waited for its time, and the last state: that of the run, or `gone` while it is running."""
        if self._source.standings is not None:
            await self._publish_standings()
        await self._clear_tables()
        await self._publish_state("gone" if self._source.progress.is_running else self._source.state)

    def _is_due(self, what: str, now: float, pause: float) -> bool:
        if now < self._due[what]:
            return False
        self._due[what] = now + pause
        return True

    async def _publish_event(self, line: LogLine) -> None:
        if line.event:  # else it is not a line of ours
            rest = encode({"run": self._run, "session": self.session})
            topic = self.topic("games" if line.event == "finished" else "events")
            await self._link.publish(topic, line.text[:-1] + b"," + rest[1:])

    async def _publish_progress(self, now: float) -> None:
        changed = (self._source.published, self._source.progress.counts) != self._told
        if self._source.state != self._state or (changed and now >= self._due["state"]):
            await self._publish_state(self._source.state)

    async def _publish_state(self, state: str) -> None:
        self._state = state
        self._told = self._source.published, self._source.progress.counts
        self._due["state"] = time.monotonic() + STATE_S
        payload = encode(self._payload(state, self._source.published))
        await self._link.publish(self.topic("state"), payload, retain=True)

    async def _publish_standings(self) -> None:
        line, self._source.standings = self._source.standings, None
        assert line is not None
        players = msgspec.json.decode(line.text, type=Rated, strict=False).players
        payload = StandingsPayload(seq=line.seq, players=players, **self._common())
        await self._link.publish(self.topic("standings"), encode(payload), retain=True)

    async def _publish_tables(self) -> None:
        for table, board in self._source.tables.take():
            await self._publish_table(table, board)
        if not self._source.progress.is_running:
            await self._clear_tables()

    async def _clear_tables(self) -> None:
        used = self._source.tables.used
        while used:
            await self._link.publish(self.topic("tables", str(used.pop())), b"", qos=0, retain=True)

    async def _publish_table(self, table: int, board: Board) -> None:
        fields = {name: getattr(board, name) for name in board.__struct_fields__}
        payload = TablePayload(ply=len(board.moves), **fields, **self._common())
        topic = self.topic("tables", str(table))
        await self._link.publish(topic, encode(payload), qos=0, retain=True, expires_s=EXPIRY_S)

    def _payload(self, state: str, seq: int) -> StatePayload:
        seen = self._source.progress
        return StatePayload(
            state=state,
            game=seen.game,
            players=seen.players,
            scheduled=seen.counts.scheduled,
            finished=seen.counts.finished,
            void=seen.counts.void,
            seq=seq,
            **self._common(),
        )

    def _common(self) -> dict[str, Any]:
        return {"at": at(), "run": self._run, "session": self.session}


def rejected(broker: Broker, run: str) -> WorkError:
    """Return the error of a broker that does not pass on the state of a run."""
    topic = broker.topic("runs", run, "state")
    return WorkError(f"{broker}: {topic} does not come back: the user may not write or read it")
