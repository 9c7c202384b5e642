"""The door to a manager that we have dialled: our first line, and its answer."""

from __future__ import annotations

import asyncio

from fiedler.engine.port.admission import ADMISSION_SECONDS
from fiedler.engine.port.connection import Connection
from fiedler.engine.port.serving import Serving
from fiedler.engine.port.session_connection import SessionConnection, begin_session
from fiedler.protocol import DIALECTS, RemoteProtocolError
from fiedler.protocol.admission import AdmissionClient, Credentials
from fiedler.support.transport import abort


class ManagerDoor(asyncio.BufferedProtocol):
    """Ours to a manager, before the session."""

    def __init__(self, serving: Serving, peer: str, credentials: Credentials | None) -> None:
        """`credentials` are ours; None: the dialect has no words for them, and the session begins at once."""
        self._serving = serving
        self._connection = Connection(serving, peer, self)
        self._application = None if credentials is None else AdmissionClient(credentials)
        self.begun: asyncio.Future[SessionConnection | None] = self._connection.loop.create_future()
        """The session; None: there is none, and the connection is closed."""
        self.failure: RemoteProtocolError | None = None
        """The reason why the manager does not admit us."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Ask for admission."""
        connection = self._connection
        connection.made(transport)
        if self._application is None:
            self._begin()
            return
        self._serving.dialled.add(connection.transport)
        connection.transport.write(self._application.first_line)
        connection.set_timer(ADMISSION_SECONDS, connection.transport.abort)

    def get_buffer(self, sizehint: int) -> memoryview:  # noqa: ARG002
        """Return the buffer for the next bytes; they are taken at once, so that all connections share it."""
        return self._serving.buffer

    def buffer_updated(self, nbytes: int) -> None:
        """Take the answer of the manager to our first line."""
        application = self._application
        assert application is not None
        try:
            admitted = application.feed(bytes(self._serving.buffer[:nbytes]))
        except RemoteProtocolError as error:
            self.failure = error
            abort(self._connection.transport)
            return
        if admitted:
            self._begin(application.rest)

    def _begin(self, data: bytes = b"") -> None:
        """Begin the session, with bytes that belong to it."""
        self._serving.dialled.discard(self._connection.transport)
        pinned = self._serving.offer.pinned
        session = begin_session(self._connection, None if pinned is None else DIALECTS[pinned])
        self._report(session)
        if session is not None and data:
            session.receive(data)

    def connection_lost(self, exc: Exception | None) -> None:
        """Report that there is no session."""
        self._connection.lost(exc)
        self._serving.dialled.discard(self._connection.transport)
        self._report(None)

    def _report(self, session: SessionConnection | None) -> None:
        if not self.begun.done():  # nobody may wait any more
            self.begun.set_result(session)
