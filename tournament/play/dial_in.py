"""Players that open the connection: a program that is given a port, or one that was started elsewhere."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

from fiedler.client.answer import OWN_PORT, NoCallError, accepted, port_of
from fiedler.client.child import EXHAUSTED, Child
from fiedler.client.command import filled
from fiedler.protocol.makemove import LOAD_MODEL, SET_TIME_PER_MOVE, seconds_text
from fiedler.support.address import parse_address, reason
from fiedler.support.listener import listener
from fiedler.tournament.play.carriers import CLOSE_GRACE_S, Socket
from fiedler.tournament.play.endpoint import Endpoint, Site
from fiedler.tournament.play.machine import MachineError, start
from fiedler.tournament.play.session import Fault, PlayerLostError, PlayerSession
from fiedler.tournament.play.traffic_log import SessionLog, stderr_of
from fiedler.tournament.schedule.schedule import PlayerEntry, Schedule
from fiedler.tournament.termination import Termination


class Call(Socket):
    """The carrier of a session whose player has connected to us."""

    def __init__(self, process: Child | None = None) -> None:
        """`process` is the program of the player, if we started it."""
        super().__init__(lambda data: self.session.feed(data), lambda why: self.session.ended(why))  # noqa: PLW0108
        self.session: PlayerSession
        """The receiver of what comes; set before the connection is made."""
        self._process = process

    def abort(self) -> None:
        """Cut the connection and kill the program."""
        super().abort()
        if self._process is not None:
            self._process.kill()

    async def close(self) -> None:
        """Wait a moment for the player to leave, then cut the connection and kill the program."""
        if self._process is not None:
            await self._process.end(CLOSE_GRACE_S)
        else:
            await asyncio.wait({self.closed}, timeout=CLOSE_GRACE_S)
        await super().close()


class Caller(Endpoint):
    """Endpoints of players that open the connection."""

    def __init__(self, player: PlayerEntry, schedule: Schedule, site: Site) -> None:
        super().__init__(player, schedule, site)
        self._seconds = seconds_text(schedule.limit.movetime_ms or 0)

    @property
    def _options(self) -> Mapping[str, str]:
        """Return the commands that the schedule asks for; some programs do not know them."""
        settings = {}
        if self._player.load_model is not None:
            settings[LOAD_MODEL] = self._player.load_model
        if self._player.send_time:
            settings[SET_TIME_PER_MOVE] = self._seconds
        return settings

    async def _session(self, link: socket.socket, process: Child | None, traffic: SessionLog | None) -> PlayerSession:
        """Return the session over an accepted connection."""
        carrier = Call(process)
        carrier.session = PlayerSession(self.name, carrier, process, self._client(), traffic)
        await asyncio.get_running_loop().connect_accepted_socket(lambda: carrier, link)
        if self.is_elsewhere:
            carrier.keep_alive()
        return carrier.session


class CallingProgram(Caller):
    """`command =`: one process per session, which connects to a port of its own."""

    @asynccontextmanager
    async def _turn(self) -> AsyncIterator[None]:
        """Hold a place until the handshake: only then has the program started."""
        async with self._site.starts:
            yield

    async def _open(self) -> PlayerSession:
        with listener(OWN_PORT) as door:
            traffic = self._session_log()
            process = Child(self._site.reaper, on_stderr=stderr_of(traffic))
            command = filled(self._player.command or (), port_of(door), self._seconds)
            start(process, command, self._folder, self._site.cores)
            try:
                return await self._session(await accepted(door, process), process, traffic)
            except BaseException as error:
                await process.end(0.0)
                if isinstance(error, NoCallError):
                    raise PlayerLostError(self.name, Fault(Termination.CRASH, str(error))) from error
                raise


class ListeningPort(Caller):
    """`listen =`: we listen at an address from the first session to the end; one player connects at a time."""

    is_elsewhere = True

    def __init__(self, player: PlayerEntry, schedule: Schedule, site: Site) -> None:
        super().__init__(player, schedule, site)
        self._listener: socket.socket | None = None

    async def close(self) -> None:
        """End the session, then listen no more."""
        await super().close()
        if self._listener is not None:
            self._listener.close()

    async def _open(self) -> PlayerSession:
        if self._listener is None:
            self._listener = self._bound()
        return await self._session(await accepted(self._listener), None, self._session_log())

    def _bound(self) -> socket.socket:
        address = parse_address(self._player.listen or "")
        try:
            return listener(address)
        except (OSError, UnicodeError) as error:
            if isinstance(error, OSError) and error.errno in EXHAUSTED:
                raise MachineError(f"this machine cannot listen for {self.name!r} now: {reason(error)}") from error
            fault = Fault(Termination.DISCONNECT, f"cannot listen on {address}: {reason(error)}")
            raise PlayerLostError(self.name, fault) from error

    def _late(self, mistake: str) -> Fault:
        if self._idle or mistake:
            return super()._late(mistake)
        return Fault(Termination.TIME, f"did not connect to {self._player.listen} within {self.startup_s:g} s")
