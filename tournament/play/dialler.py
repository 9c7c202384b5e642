"""`dial_in =`: players that connect to the manager and give their name and token."""

from __future__ import annotations

import asyncio
from collections import deque

from fiedler.tournament.play.admission import PlayerConnection
from fiedler.tournament.play.endpoint import Endpoint, Site
from fiedler.tournament.play.session import Fault, PlayerLostError, PlayerSession
from fiedler.tournament.schedule.schedule import PlayerEntry, Schedule
from fiedler.tournament.termination import Termination

LOOK_S = 0.25
"""Seconds between two looks at a player that is absent."""


class Dialler(Endpoint):
    """A player that holds some connections. A game takes one of them, and waits while all are in use."""

    is_elsewhere = True
    is_awaited = True
    is_limited = True

    def __init__(self, player: PlayerEntry, schedule: Schedule, site: Site) -> None:
        super().__init__(player, schedule, site)
        assert site.admission is not None
        self._dial_in_player = site.admission.player(player.name)
        self._dial_in_player.changed = self._look
        self._return_s = max(schedule.limit.startup_s, schedule.limit.reconnect_s)
        self._absent_since: float | None = None
        """The moment of the loss of its last connection, or of the first wait for it."""
        self._was_there = False
        self._waiting: deque[asyncio.Future[PlayerSession | PlayerConnection]] = deque()

    @property
    def _patience_s(self) -> float:
        """The time without a connection that is not yet a failure; the first one has `startup_s`."""
        return self._return_s if self._was_there else self.startup_s

    def idle(self) -> PlayerSession | None:
        """Return an idle session at once; None if there is none."""
        while self._idle and self._idle[-1].fault is not None:
            self._idle.pop().end_log()
        return super().idle()

    async def acquire(self, *, fresh: bool = False) -> PlayerSession:
        """Wait for a connection that is not in use, the game of a player that returns (`fresh`) before all others.

        Raises:
            PlayerLostError: it has no connection, and none came in time; or it did not shake hands.
            OptionError: the player does not offer one of the options.

        """
        clock = asyncio.get_running_loop().time
        deadline = clock() + self._patience_s
        while True:
            found = await self._next(first=fresh)
            if isinstance(found, PlayerSession):
                return found
            session = self._session(found)
            try:
                return await self._shake_hands(session, clock() + self.startup_s)
            except PlayerLostError:
                if not session.line_lost or clock() > deadline:
                    raise

    async def release(self, session: PlayerSession) -> None:
        """Give a session back; the next game takes it."""
        await super().release(session)
        self._look()

    async def _open(self) -> PlayerSession:
        raise AssertionError("the player opens the connection")

    def _session(self, connection: PlayerConnection) -> PlayerSession:
        session = PlayerSession(self.name, connection, None, self._client(), self._session_log())
        connection.receiver = session.feed, session.ended
        if connection.early:
            session.feed(connection.early)
        return session

    async def _next(self, *, first: bool) -> PlayerSession | PlayerConnection:
        """Return a connection as soon as there is one for this call; raises PlayerLostError."""
        turn: asyncio.Future[PlayerSession | PlayerConnection] = asyncio.get_running_loop().create_future()
        (self._waiting.appendleft if first else self._waiting.append)(turn)
        try:
            self._look()
            while not turn.done():
                await asyncio.wait({turn}, timeout=LOOK_S)
                if not turn.done() and self._is_absent():
                    raise PlayerLostError(self.name, Fault(Termination.DISCONNECT, self._absence, absent=True))
        except BaseException:
            self._give_up(turn)
            raise
        return turn.result()

    def _give_up(self, turn: asyncio.Future[PlayerSession | PlayerConnection]) -> None:
        """Leave the queue; a connection that has come meanwhile is for the next one."""
        if not turn.done():
            self._waiting.remove(turn)
            return
        found = turn.result()
        if isinstance(found, PlayerSession):
            self._idle.append(found)
        else:
            self._dial_in_player.unused.appendleft(found)
        self._look()

    def _look(self) -> None:
        """Give connections that are not in use to those who wait."""
        now = asyncio.get_running_loop().time()
        if self._dial_in_player.connections:
            self._was_there, self._absent_since = True, None
        elif self._absent_since is None and (self._waiting or self._was_there):
            self._absent_since = now
        while self._waiting:
            found = self.idle() or (self._dial_in_player.unused.popleft() if self._dial_in_player.unused else None)
            if found is None:
                return
            self._waiting.popleft().set_result(found)

    def _is_absent(self) -> bool:
        """Return whether the player has been without a connection for too long."""
        since = self._absent_since
        return since is not None and asyncio.get_running_loop().time() > since + self._patience_s

    @property
    def _absence(self) -> str:
        verb = "did not dial in again" if self._was_there else "did not dial in"
        return f"{verb} within {self._patience_s:g} s"
