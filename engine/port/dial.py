"""A player that connects to a manager, and again if the connection is lost."""

from __future__ import annotations

import asyncio
import ssl
import sys
from dataclasses import dataclass
from typing import Any

from fiedler.engine.port.manager_door import ManagerDoor
from fiedler.engine.port.server import Server, finish, termination
from fiedler.engine.port.session_connection import SessionConnection
from fiedler.protocol.admission import NOT_ADMITTED, AdmissionError, Credentials
from fiedler.support.address import Address, reason
from fiedler.support.errors import WorkError, first_of, printable
from fiedler.support.keep_alive import keep_alive

FIRST_RETRY_SECONDS = 1.0
"""The time to the first retry; it doubles with every failure."""
LAST_RETRY_SECONDS = 30.0
CONNECT_SECONDS = 10.0
"""The time to connect, with the TLS handshake."""


@dataclass(frozen=True, slots=True)
class Manager:
    """The manager, or referee, that a player dials."""

    address: Address
    credentials: Credentials | None = None
    """Name and token; None: the dialect has no words for them."""
    tls: ssl.SSLContext | None = None
    """None: in the clear."""
    sessions: int = 1
    """The number of connections."""


async def dial(server: Server, manager: Manager) -> int:
    """Play until the manager ends the conversations, or until SIGINT or SIGTERM; return the exit code.

    Only a referee of makemove ends them (`EXIT`); others are dialled again after `quit`. Reports on standard error when
    it is connected, and why it is not.

    Raises:
        WorkError: The manager does not admit the player.
    """
    ended = termination()
    playing = asyncio.create_task(_Dialler(server, manager).play())
    either: set[asyncio.Future[Any]] = {ended, playing}
    await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
    refusal = playing.exception() if playing.done() else None
    playing.cancel()
    code = await finish(server, ended.result() if ended.done() else None)
    if refusal is not None:
        raise refusal
    return code


class _Dialler:
    """The connections to one manager."""

    def __init__(self, server: Server, manager: Manager) -> None:
        self._server = server
        self._manager = manager
        self._reported = ""
        self._has_ended = False
        """Whether the manager has ended the last session by a word: its run may be over."""

    async def play(self) -> None:
        """Keep all connections until the manager has ended them.

        Raises:
            WorkError: The manager does not admit the player.
        """
        refusal: BaseException | None = None
        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(self._manager.sessions):
                    group.create_task(self._keep())
        except* WorkError as refusals:
            refusal = first_of(refusals, WorkError)
        if refusal is not None:  # Python 3.11.2 wraps what is raised inside `except*`
            raise refusal

    async def _keep(self) -> None:
        """Connect, and connect again until a conversation has come to its end."""
        address, retry = self._manager.address, FIRST_RETRY_SECONDS
        while True:
            session = await self._connected()
            if session is not None:
                retry = FIRST_RETRY_SECONDS
                self._report(f"connected to {address}")
                ended = await session.finished
                if ended and self._manager.credentials is None:
                    return
                self._has_ended = ended
                event = f"{address} ended the session" if ended else f"lost {address}"
                self._report(f"{event}; connecting again")
            await asyncio.sleep(retry)
            retry = min(2 * retry, LAST_RETRY_SECONDS)

    async def _connected(self) -> SessionConnection | None:
        """Return a session that has begun; None: there is none now.

        Raises:
            WorkError: The manager does not admit the player.
        """
        manager, loop = self._manager, asyncio.get_running_loop()
        try:
            async with asyncio.timeout(CONNECT_SECONDS) as limit:
                transport, door = await loop.create_connection(
                    lambda: ManagerDoor(self._server.serving, str(manager.address), manager.credentials),
                    manager.address.host,
                    manager.address.port,
                    ssl=manager.tls,
                )
            keep_alive(transport.get_extra_info("socket"))
        except (OSError, UnicodeError) as error:
            late = f"no {'TLS ' if manager.tls else ''}connection within {CONNECT_SECONDS:g} s"
            self._report_failure(late if limit.expired() else reason(error))
            return None
        session = await door.begun
        if session is not None:
            return session
        why = door.failure
        if isinstance(why, AdmissionError) and str(why) == NOT_ADMITTED:
            raise WorkError(f"{manager.address} refused {self._name}: {printable(str(why))}")
        if isinstance(why, AdmissionError):
            self._report_failure(f"refused: {printable(str(why))}")
        else:
            self._report_failure("no answer to the name" if why is None else printable(str(why)))
        return None

    @property
    def _name(self) -> str:
        return repr(self._manager.credentials.name) if self._manager.credentials else "the player"

    def _report_failure(self, why: str) -> None:
        over = ", after it had ended the session: its run may be over" if self._has_ended else ""
        self._report(f"cannot connect to {self._manager.address}: {why}{over}; trying again")

    def _report(self, line: str) -> None:
        """Print a line on standard error, once while it stays the same."""
        if line != self._reported:
            print(line, file=sys.stderr, flush=True)
        self._reported = line
