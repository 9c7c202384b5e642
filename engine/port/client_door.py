"""The door for clients: a token if one is demanded, the first line and so the dialect, and room for the session."""

from __future__ import annotations

import asyncio

from fiedler.engine.host.session import spoken
from fiedler.engine.port.admission import ADMISSION_SECONDS, AdmissionResult, ClientAdmission
from fiedler.engine.port.connection import Connection
from fiedler.engine.port.refusal import READ_SECONDS, LastLine, refusal_line, refuse
from fiedler.engine.port.serving import Serving
from fiedler.engine.port.session_connection import LONGEST_TIMER, begin_session
from fiedler.protocol import DEFAULT, DIALECTS, Dialect, FirstLine
from fiedler.protocol.admission import refused

PARTING_SECONDS = 0.05
"""The time to read its refusal of a client that leaves for others."""
TOO_MANY = "too many connections are waiting for admission"
ENDED = "the server ends"


class ClientDoor(asyncio.BufferedProtocol):
    """A client before its session."""

    def __init__(self, serving: Serving, peer: str) -> None:
        """`peer` is the key of its limit."""
        self._serving = serving
        self._connection = Connection(serving, peer, self)
        pinned = serving.offer.pinned
        self._dialect = None if pinned is None else DIALECTS[pinned]
        """The dialect of the client, once it is known."""
        self._admission: ClientAdmission | None = ClientAdmission(serving.tokens, self._default.refusal)
        """None once a client without a token does not need one."""
        self._first_line = FirstLine(spoken(serving.offer.game))

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Wait for the token of a client, or for its first line if it needs none, if there is room for its session."""
        connection, serving = self._connection, self._serving
        connection.made(transport)
        serving.room.enter(self, connection.peer, self._make_room)
        if not self._finds_room():
            return
        if serving.tokens is None:
            connection.set_timer(min(serving.bounds.idle_seconds, LONGEST_TIMER), self._miss_line)
        else:
            connection.set_timer(ADMISSION_SECONDS, self._miss_token)

    @property
    def _default(self) -> Dialect:
        """The dialect of a client without a first line."""
        return self._dialect or DIALECTS[DEFAULT]

    def _finds_room(self) -> bool:
        """Return whether there is room for this session; else it is refused."""
        full = self._serving.full(self._connection.peer)
        if full is not None:
            refuse(self._connection, *full, self._dialect)
        return full is None

    # --- received bytes -----------------------------------------------------------------------------------------------

    def get_buffer(self, sizehint: int) -> memoryview:  # noqa: ARG002
        """Return the buffer for the next bytes; they are taken at once, so that all clients share it."""
        return self._serving.buffer

    def buffer_updated(self, nbytes: int) -> None:
        """Take first bytes of a client."""
        data = bytes(self._serving.buffer[:nbytes])
        if self._admission is None:
            self._listen_for_dialect(data)
        elif (result := self._admission.feed(data)) is not None:
            self._decide(result)

    def _decide(self, result: AdmissionResult) -> None:
        """Follow the decision about a client."""
        if result.is_guess:
            self._refuse_guess(result)
        elif result.refused:
            self._dismiss(result.refused, result.answer)
        elif not result.answer:
            self._admission = None
            self._listen_for_dialect(result.rest)
        elif self._finds_room():
            self._connection.transport.write(result.answer)
            self._begin(result.rest)

    def _listen_for_dialect(self, data: bytes) -> None:
        """Take bytes of a client that needs no token, up to its first line: then it has its session, or its refusal."""
        dialect = self._first_line.feed(data)
        if dialect is None:
            return
        self._dialect = self._dialect or dialect
        if self._finds_room():
            self._begin(self._first_line.held)

    def _begin(self, data: bytes) -> None:
        """Begin the session, with bytes that belong to it."""
        session = begin_session(self._connection, self._dialect)
        if session is not None and data:
            session.receive(data)

    def eof_received(self) -> bool:
        """Take the first line of a client whose stream ends before the end of this line; another one leaves."""
        if self._admission is not None and self._serving.tokens is None:
            self._first_line.feed(self._admission.held)
        self._dialect = self._default
        if not self._first_line.held or not self._finds_room():
            return False
        session = begin_session(self._connection, self._dialect)
        return session is not None and session.receive_end(self._first_line.held)

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the client."""
        self._connection.lost(exc)

    # --- refusals -----------------------------------------------------------------------------------------------------

    def _make_room(self) -> None:
        """Leave before admission: for others, or because the server ends."""
        kind, why = ("ended", ENDED) if self._serving.room.is_closing else ("waiting", TOO_MANY)
        self._dismiss(kind, self._complaint(why), PARTING_SECONDS)

    def _miss_line(self) -> None:
        why = f"expected a line within {self._serving.bounds.idle_seconds:g} s, got none; closing"
        self._dismiss("idle", self._complaint(why))

    def _miss_token(self) -> None:
        self._dismiss("token", refused(f"expected token TOKEN within {ADMISSION_SECONDS:g} s"))

    def _complaint(self, why: str) -> bytes:
        return refusal_line(self._connection, why, self._dialect)

    def _dismiss(self, kind: str, line: bytes, read_seconds: float = READ_SECONDS) -> None:
        self._connection.note_refusal(kind)
        LastLine(self._connection, line, read_seconds).begin()

    def _refuse_guess(self, result: AdmissionResult) -> None:
        """Refuse a wrong token after a while; a few lines in the log count all of them."""
        serving, connection = self._serving, self._connection
        serving.terms.counts.refuse(result.refused)
        delay, number = serving.guesses.miss(connection.peer), serving.guesses.to_report()
        if number:
            connection.log("client refused", why=result.refused, wrong_tokens=number)
        LastLine(connection, result.answer, delay=delay).begin()
