"""One connection of a feed: its messages."""

from __future__ import annotations

import time
import uuid
from typing import Any

import msgspec

from fiedler.support.errors import WorkError
from fiedler.support.mqtt.broker import Broker
from fiedler.support.mqtt.connection import BrokerLink
from fiedler.support.mqtt.topics import at
from fiedler.tournament.feeds.handover import imprint
from fiedler.tournament.feeds.home_assistant import device, device_topic
from fiedler.tournament.feeds.payloads import StandingsPayload, StatePayload, TablePayload, encode
from fiedler.tournament.feeds.rate import GameRate
from fiedler.tournament.feeds.source import Source
from fiedler.tournament.feeds.tables import Tables
from fiedler.tournament.feeds.tail import LogLine
from fiedler.tournament.run.events import Rated
from fiedler.tournament.run.live import Board
from fiedler.tournament.run.records import Counts

AT_ONCE = 8
"""Events on their way to the broker."""
STATE_S, STANDINGS_S, TABLES_S = 1.0, 2.0, 0.25
"""Seconds between two publications, at least; a new word in the state is published at once."""
EXPIRY_S = 60
"""Seconds after which the broker forgets the position of a game."""


class Publication:
    """Publishes what a source has, until the connection is lost."""

    def __init__(self, broker: Broker, run: str, source: Source[Tables], url: str | None = None) -> None:
        """`url` is the address of the run's web page."""
        self._broker = broker
        self._run = run
        self._source = source
        self._url = url
        self.session = f"{source.progress.birth}-{uuid.uuid4().hex[:8]}"
        self._link: BrokerLink
        self._state = ""
        self._rate = GameRate()
        self._shown: tuple[int, Counts, float] | None = None
        """The numbers in the last state."""
        self._standings: LogLine | None = None
        """The last ranking that this connection has published."""
        self._due = {"state": 0.0, "standings": 0.0, "tables": 0.0}

    def topic(self, *names: str) -> str:
        """Return a topic of the run."""
        return self._broker.topic("runs", self._run, *names)

    @property
    def will(self) -> tuple[str, bytes]:
        """The state that the broker publishes when the feed vanishes."""
        return self.topic("state"), self._encoded_state("lost")

    async def begin(self, link: BrokerLink) -> None:
        """Publish the state on this connection."""
        self._link = link
        await link.subscribe(self.topic("state"))
        if self._broker.home_assistant:
            await link.publish(
                device_topic(self._broker, self._run), encode(device(self._broker, self._run)), retain=True
            )
        await self._publish_state(self._source.state)

    async def publish(self) -> bool:
        """Publish what has come; return whether there were events, of which more may be left."""
        lines = self._source.tail.lines()[:AT_ONCE]
        if lines:
            await self._link.publish_all(self._message(line) for line in lines)
            self._source.arrived(lines)
        now = time.monotonic()
        is_new = self._source.state != self._state
        if self._is_due("tables", now, TABLES_S) or is_new:
            await self._publish_tables(now)
        if self._source.standings is not self._standings and self._is_due("standings", now, STANDINGS_S):
            await self._publish_standings()
        if is_new or (now >= self._due["state"] and self._shown != self._numbers):
            await self._publish_state(self._source.state)
        return bool(lines)

    async def wait(self, seconds: float) -> None:
        """Wait, and repair the state if another feed's will or last message, or a removal, has replaced it."""
        message = await self._link.receive(seconds)
        if message is not None:
            found = imprint(message[1])
            if found.state in ("lost", "gone", "") and found.session != self.session:
                await self._publish_state(self._state)

    async def end(self) -> None:
        """Publish what waited for its time, and the last state: that of the run, or `gone` while it is running."""
        if self._source.standings is not self._standings:
            await self._publish_standings()
        await self._remove_tables(everything=True)
        await self._publish_state(self._last_state)

    async def leave(self) -> None:
        """Try to publish the last state."""
        await self._link.try_to_publish(self.topic("state"), self._encoded_state(self._last_state))

    async def hand_over(self, link: BrokerLink) -> None:
        """Publish `gone` on another connection for the feed that has taken over; the retained state stays its own."""
        await link.publish(self.topic("state"), self._encoded_state("gone"))

    @property
    def _last_state(self) -> str:
        return "gone" if self._source.progress.is_running else self._source.state

    @property
    def _numbers(self) -> tuple[int, Counts, float]:
        return self._source.published, self._source.progress.counts, self._games_per_minute

    @property
    def _games_per_minute(self) -> float:
        return self._rate.look(time.monotonic(), self._source.progress.counts.finished)

    def _is_due(self, what: str, now: float, pause: float) -> bool:
        if now < self._due[what]:
            return False
        self._due[what] = now + pause
        return True

    def _message(self, line: LogLine) -> tuple[str, bytes]:
        rest = encode({"run": self._run, "session": self.session})
        return self.topic("games" if line.event == "finished" else "events"), line.text[:-1] + b"," + rest[1:]

    async def _publish_state(self, state: str) -> None:
        self._state, self._shown = state, self._numbers
        self._due["state"] = time.monotonic() + STATE_S
        await self._link.publish(self.topic("state"), self._encoded_state(state), retain=True)

    async def _publish_standings(self) -> None:
        line = self._source.standings
        assert line is not None
        players = msgspec.json.decode(line.text, type=Rated, strict=False).players
        payload = StandingsPayload(seq=line.seq, players=players, **self._common())
        await self._link.publish(self.topic("standings"), encode(payload), retain=True)
        self._standings = line

    async def _publish_tables(self, now: float) -> None:
        for table, board in self._source.tables.take(now):
            await self._publish_table(table, board)
        await self._remove_tables()

    async def _remove_tables(self, *, everything: bool = False) -> None:
        for table in self._source.tables.remove(everything=everything):
            await self._link.publish(self.topic("tables", str(table)), b"", qos=0, retain=True)

    async def _publish_table(self, table: int, board: Board) -> None:
        fields = {name: getattr(board, name) for name in board.__struct_fields__}
        payload = TablePayload(ply=len(board.moves), **fields, **self._common())
        topic = self.topic("tables", str(table))
        await self._link.publish(topic, encode(payload), qos=0, retain=True, expires_s=EXPIRY_S)

    def _encoded_state(self, state: str) -> bytes:
        seen = self._source.progress
        payload = StatePayload(
            state=state,
            game=seen.game,
            players=seen.players,
            scheduled=seen.counts.scheduled,
            finished=seen.counts.finished,
            void=seen.counts.void,
            given_up=seen.counts.given_up,
            games_per_minute=self._games_per_minute,
            seq=self._source.published,
            url=self._url,
            **self._common(),
        )
        return encode(payload)

    def _common(self) -> dict[str, Any]:
        return {"at": at(), "run": self._run, "session": self.session}


def rejected(broker: Broker, run: str) -> WorkError:
    """Return the error of a broker that does not pass on the state of a run."""
    topic = broker.topic("runs", run, "state")
    return WorkError(f"{broker}: {topic} does not come back: the user may not write or read it")
