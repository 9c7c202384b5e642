"""One client of a server: bytes between its socket and its session. Ours to a manager is one, too."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import socket
import time
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, cast

from engine.host.session import HEARTBEAT_SECONDS, Session, spoken
from engine.port.admission import AdmissionResult, ClientAdmission
from engine.port.bounds import Rate
from engine.port.line_log import is_logged, log_lines
from protocol import DEFAULT, DIALECTS, Dialect, FirstLine, RemoteProtocolError
from protocol.admission import AdmissionClient, Credentials, refused
from support.address import reason
from support.errors import UsageError
from support.fair_queue import GLANCE_SECONDS, Enough, within
from support.keep_alive import keep_alive
from support.transport import abort

if TYPE_CHECKING:
    from engine.port.server import Server

log = logging.getLogger("engine.connection")

FLUSH_SECONDS = 10.0
"""The time for a client to read the last answers after its session."""
ADMISSION_SECONDS = 10.0
"""The time of a client for its token, and of a manager for its answer."""
LONGEST_TIMER = 3600.0
"""Seconds: the loop takes no timers without an end."""
FIRST_LINE_SECONDS = 0.2
"""The wait for the first line of a refused client: the refusal is in its dialect."""
REFUSAL_SECONDS = 1.0
"""The time for a client to read its refusal."""
PARTING_SECONDS = 0.05
"""That of a client that leaves for others."""
TOO_MANY = "too many connections are waiting for admission"
ENDED = "the server ends"


class Connection(asyncio.BufferedProtocol):
    """The driver of one session."""

    def __init__(self, server: Server, peer: str = "", credentials: Credentials | None = None) -> None:
        """`peer` is the key of its limit; `credentials` are ours for the manager that we have dialled."""
        self._server = server
        self.peer = peer
        self._application = None if credentials is None else AdmissionClient(credentials)
        """Our first line for a manager, and its answer."""
        self._admission: ClientAdmission | None = None
        """The admission of a client, until it is decided."""
        self._dialect = None if server.offer.pinned is None else DIALECTS[server.offer.pinned]
        """The dialect of a client, once it is known."""
        self.failure: RemoteProtocolError | None = None
        """The reason why the manager does not admit us."""
        self._loop = asyncio.get_running_loop()
        self._active_at = time.monotonic()
        self.heavy_until = 0.0
        self._held = b""
        """Bytes of the session that wait for its turn."""
        self._timer: asyncio.TimerHandle | None = None
        self._refusal = ""
        """The reason of a refusal that has not been sent yet."""
        self._first_line = FirstLine(spoken(server.offer.game))
        self._has_last_line = False
        """Whether the last line is sent, or will be, a refusal: no more input is taken."""
        self._is_late = False
        """Whether the last line comes late, for a wrong token."""
        self._eof = False
        """Whether the client's stream has ended before its session: after `quit` the end is an orderly one."""
        self.finished: asyncio.Future[bool] = self._loop.create_future()
        """Whether the session came to its own end; known once the connection is closed."""
        self.begun: asyncio.Future[bool] = self._loop.create_future()
        """Whether the session has begun; known once it has, or the connection is closed."""
        self._rate = Rate(server.bounds.rate, self._active_at)
        self._logged = is_logged()
        self._number = next(server.numbers)
        """The number of the connection in the log."""

    # --- the session's driver -----------------------------------------------------------------------------------------

    def work(self, job: Callable[[], None]) -> None:
        """Run a job in a thread.

        Raises:
            WorkError: There is no thread.
        """
        workers = self._server.searchers if self._session.searching else self._server.workers
        workers.work(job)

    def post(self, call: Callable[[], None]) -> None:
        """Pass the result of a job to the loop."""
        with contextlib.suppress(RuntimeError):  # the loop has ended
            self._loop.call_soon_threadsafe(self._posted, call)

    def _posted(self, call: Callable[[], None]) -> None:
        call()
        self._active_at = time.monotonic()
        self._send()
        self._handle_more()

    # --- the socket ---------------------------------------------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Ask a manager for admission, or wait for that of a client, if there is room for it."""
        self._transport = cast("asyncio.Transport", transport)  # that of uvloop only has the same methods
        _set_up(transport.get_extra_info("socket"))
        server = self._server
        if self._application is not None:
            server.dialled.add(self)
            self._transport.write(self._application.first_line)
            self._set_timer(ADMISSION_SECONDS, self._transport.abort)
        elif self._dialect is not None and self._dialect.dials_in:
            self._begin()
        else:
            server.room.enter(self, self.peer, self._make_room)
            if self._finds_room():
                self._wait_for_admission()

    def _wait_for_admission(self) -> None:
        """Wait for the token of a client, or for its first line if it needs none."""
        server = self._server
        self._admission = ClientAdmission(server.access.tokens, self._default.refusal)
        if server.access.tokens is None:
            self._set_timer(min(server.bounds.idle_seconds, LONGEST_TIMER), self._miss_line)
        else:
            self._set_timer(ADMISSION_SECONDS, self._miss_token)

    def _begin(self) -> None:
        """Begin the session."""
        server = self._server
        try:
            self._session = Session(server.offer, self, server.terms)
        except UsageError as error:
            self._refuse(str(error), "memory")
            return
        server.dialled.discard(self)
        server.room.leave(self)
        server.enter(self.peer)
        server.connections.add(self)
        server.terms.counts.sessions += 1
        self._active_at = time.monotonic()
        self._log("session begins")
        self.begun.set_result(True)
        self._set_timer(min(server.bounds.idle_seconds, LONGEST_TIMER), self._check_idle)
        self._send()  # in some dialects we begin

    def _make_room(self) -> None:
        """Leave before admission: for others, or because the server ends."""
        kind, why = ("ended", ENDED) if self._server.room.is_closing else ("waiting", TOO_MANY)
        self._server.terms.counts.refuse(kind)
        self._log("client refused", why=kind)
        self._admission, self._refusal = None, ""
        self._send_last(self._complaint(why), PARTING_SECONDS)

    def _miss_line(self) -> None:
        why = f"expected a line within {self._server.bounds.idle_seconds:g} s, got none; closing"
        self._refuse_admission(AdmissionResult(self._complaint(why), refused="idle"))

    def _miss_token(self) -> None:
        self._refuse_admission(
            AdmissionResult(refused(f"expected token TOKEN within {ADMISSION_SECONDS:g} s"), refused="token")
        )

    def _refuse_admission(self, result: AdmissionResult) -> None:
        """Send the refusal of a client, and drop its input for the time that it has to read it."""
        self._server.terms.counts.refuse(result.refused)
        self._admission = None
        if result.is_guess:
            self._refuse_guess(result.answer)
            return
        self._log("client refused", why=result.refused)
        self._send_last(result.answer)

    def _refuse_guess(self, answer: bytes) -> None:
        """Refuse a wrong token after a while; a few lines in the log count all of them."""
        guesses = self._server.guesses
        delay, number = guesses.miss(self.peer), guesses.to_report()
        if number:
            self._log("client refused", why="token", wrong_tokens=number)
        self._has_last_line = self._is_late = True
        self._server.room.dismiss(self, self._transport.abort)
        self._set_timer(delay, partial(self._send_last, answer))

    def get_buffer(self, sizehint: int) -> memoryview:  # noqa: ARG002
        """Return the buffer for the next bytes; they are taken at once, so that all clients share it."""
        return self._server.buffer

    def buffer_updated(self, nbytes: int) -> None:
        """Handle a small input at once, for a moment; the rest, or an input that fills the buffer, waits for a turn."""
        data = bytes(self._server.buffer[:nbytes])
        if self._has_last_line:
            return
        if self._admission is not None:
            self._admit(self._admission, data)
        elif self._serving:
            self._receive(data, filled=nbytes == len(self._server.buffer))
        elif self._application is not None:
            self._ask(self._application, data)
        else:
            self._listen_for_dialect(data)

    def _admit(self, admission: ClientAdmission, data: bytes) -> None:
        """Take first bytes of a client."""
        result = admission.feed(data)
        if result is None:
            return
        if result.refused:
            self._refuse_admission(result)
            return
        self._admission = None
        if not result.answer:
            self._listen_for_dialect(result.rest)
        elif self._finds_room():
            self._transport.write(result.answer)
            self._begin()
            if self._serving and result.rest:
                self._receive(result.rest, filled=False)

    def _listen_for_dialect(self, data: bytes) -> None:
        """Take bytes of a client that needs no token, up to its first line: then it has its session, or its refusal."""
        dialect = self._first_line.feed(data)
        if dialect is None:
            return
        self._dialect = self._dialect or dialect
        if self._refusal:
            self._send_refusal(self._dialect)
        elif self._finds_room():
            self._begin()
            if self._serving:
                self._receive(self._first_line.held, filled=False)

    def _finds_room(self) -> bool:
        """Return whether there is room for this session; else it is refused."""
        full = self._server.full(self.peer)
        if full is not None:
            self._refuse(*full)
        return full is None

    def _ask(self, application: AdmissionClient, data: bytes) -> None:
        """Take the answer of a manager to our first line."""
        try:
            admitted = application.feed(data)
        except RemoteProtocolError as error:
            self.failure = error
            abort(self._transport)
            return
        if admitted:
            self._application = None
            self._begin()
            if application.rest and self._serving:
                self._receive(application.rest, filled=False)

    def _receive(self, data: bytes, *, filled: bool) -> None:
        """Take bytes of the session; `filled`: they have filled the buffer."""
        self._active_at = time.monotonic()
        if self._logged:
            log_lines("<", data, session=self._number)
        if filled or self._loop.time() < self.heavy_until:
            self._held = data
            self._read(on=False)
            self._server.queue.join(self, heavy=True)
            return
        self._server.queue.note_small_request()
        self._cut(data)
        if self._may_handle:
            self._session.handle_lines(within(GLANCE_SECONDS))
            self._send()
        self._handle_more()

    def _cut(self, data: bytes) -> None:
        """Cut bytes into lines of the session, if they are within its rate."""
        self._session.receive_data(data)
        if not self._rate.take(data.count(b"\n"), self._active_at):
            self._end_for("rate", f"expected at most {self._server.bounds.rate:g} lines in a second, got more; closing")

    def eof_received(self) -> bool:
        """Note the end of the client's stream; pending answers are still sent."""
        if not self._serving and not self._has_last_line:
            self._end_first_line()
        if not self._serving:
            return self._is_late and not self._encrypted
        self._eof = self._session.listening
        if self._held:
            held, self._held = self._held, b""
            self._cut(held)
        self._session.receive_eof()
        self._session.handle_lines(within(GLANCE_SECONDS))
        self._send()
        self._handle_more()
        if self._session.searching:
            self._set_timer(HEARTBEAT_SECONDS, self._beat)
        return not self._encrypted  # TLS has no half-closed connections

    def _end_first_line(self) -> None:
        """Take the first line of a client whose stream ends before the end of this line."""
        if self._admission is not None and self._server.access.tokens is None:
            self._first_line.feed(self._admission.held)
            self._admission = None
        if self._first_line.held and not self._refusal and self._finds_room():
            self._begin()
            self._held = self._first_line.held if self._serving else b""
        else:
            self._send_refusal(self._default)

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the search of a client that has gone."""
        if exc is not None:
            self._log("session lost", why=reason(exc))
        if self._timer is not None:
            self._timer.cancel()
        over = self._serving and not self._eof and self._session.over
        if not self.begun.done():
            self.begun.set_result(False)
        if not self.finished.done():
            self.finished.set_result(over)
        self._server.room.leave(self)
        self._server.dialled.discard(self)
        if self._serving:
            self._server.leave(self.peer)
            self._server.connections.remove(self)
            self._session.close()
            self._log("session ends")

    def pause_writing(self) -> None:
        """Stop reading from a client that does not read: its pending answers stay bounded."""
        if self._serving:
            self._session.congested = True
            self._read(on=False)

    def resume_writing(self) -> None:
        """Resume: the client reads again."""
        if self._serving:
            self._session.congested = False
            self._handle_more()

    def abort(self) -> None:
        """Close a connection without a session."""
        abort(self._transport)

    def end(self) -> None:
        """Close the session from our side: the search stops, written answers are still sent."""
        self._session.close()
        self._close()

    @property
    def _encrypted(self) -> bool:
        return self._transport.get_extra_info("ssl_object") is not None

    @property
    def _serving(self) -> bool:
        return self in self._server.connections

    def _refuse(self, why: str, kind: str) -> None:
        """Send a refusal once the client has shown its dialect, or after a moment."""
        self._server.terms.counts.refuse(kind)
        self._log("client refused", why=kind)
        self._refusal = why
        if self._server.access.tokens is not None:
            self._refusal = ""
            self._send_last(refused(why))
        elif self._dialect is not None:
            self._send_refusal(self._dialect)
        else:
            self._set_timer(FIRST_LINE_SECONDS, lambda: self._send_refusal(self._default))

    @property
    def _default(self) -> Dialect:
        """The dialect of a client without a first line."""
        return self._dialect or DIALECTS[DEFAULT]

    def _complaint(self, why: str) -> bytes:
        """Return the line of a refusal before the session."""
        return refused(why) if self._server.access.tokens is not None else self._default.refusal(why)

    def _send_refusal(self, dialect: Dialect) -> None:
        """Send a refusal, if it has not been sent."""
        why, self._refusal = self._refusal, ""
        if why:
            self._send_last(dialect.refusal(why))

    def _send_last(self, line: bytes, seconds: float = REFUSAL_SECONDS) -> None:
        """Send a line, and drop the client's input until it has read it, for a short time."""
        self._has_last_line, self._is_late = True, False
        self._server.room.dismiss(self, self._transport.abort)
        if self._transport.is_closing():
            return
        self._transport.write(line)
        if self._transport.can_write_eof():
            self._transport.write_eof()
        else:
            self._transport.close()
        self._set_timer(seconds, self._transport.abort)

    # --- received lines -----------------------------------------------------------------------------------------------

    def take_turn(self, enough: Enough) -> bool:
        """Handle received lines until `enough` is true; return whether another turn is needed."""
        if self._held and self._serving:
            data, self._held = self._held, b""
            self._cut(data)
        if self._may_handle:
            self._session.handle_lines(enough)
            self._send()
        if self._may_handle:
            return True
        self._listen()
        return False

    @property
    def _may_handle(self) -> bool:
        return self._serving and self._session.waiting and not self._session.congested

    def _handle_more(self) -> None:
        """Join the queue if lines wait, and read nothing more before they are handled."""
        if self._may_handle:
            self._read(on=False)
            self._server.queue.join(self)
        else:
            self._listen()

    def _listen(self) -> None:
        """Read more, unless an event must come first, which calls again: the end of a job, or a client that reads."""
        session = self._session
        self._read(on=not (self._held or session.busy or session.waiting or session.congested))

    def _read(self, *, on: bool) -> None:
        if self._transport.is_closing():
            return
        if on:
            self._transport.resume_reading()
        else:
            self._transport.pause_reading()

    # --- answers ------------------------------------------------------------------------------------------------------

    def _send(self) -> None:
        data = self._session.data_to_send()
        if data:
            self._transport.write(data)
            if self._logged:
                log_lines(">", data, session=self._number)
        if self._session.over:
            self._close()

    def _close(self) -> None:
        if not self._transport.is_closing():
            self._transport.close()
            self._set_timer(FLUSH_SECONDS, self._transport.abort)

    # --- time ---------------------------------------------------------------------------------------------------------

    def _beat(self) -> None:
        if self._session.searching and not self._transport.is_closing():
            self._set_timer(HEARTBEAT_SECONDS, self._beat)
            self._session.heartbeat()
            self._send()

    def _set_timer(self, seconds: float, call: Callable[[], None]) -> None:
        """Set the one timer of a connection; its last setting is forgotten."""
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self._loop.call_later(seconds, call)

    def _check_idle(self) -> None:
        bound = self._server.bounds.idle_seconds
        left = self._active_at + bound - time.monotonic()
        if left > 0 or self._session.searching or self._session.busy:
            self._set_timer(min(max(left, 1.0), LONGEST_TIMER), self._check_idle)
            return
        self._end_for("idle", f"expected a line within {bound:g} s, got none; closing")

    def _end_for(self, kind: str, why: str) -> None:
        """End the session for a limit."""
        self._server.terms.counts.refuse(kind)
        self._log("session closed", why=kind)
        self._session.refuse(why)
        self._send()
        self.end()

    # --- the log ------------------------------------------------------------------------------------------------------

    def _log(self, event: str, **fields: object) -> None:
        log.info(event, extra={"fields": {"session": self._number, "peer": self.peer, **fields}})


def _set_up(link: socket.socket) -> None:
    """Let small answers leave at once, and the system notice a client that vanishes silently."""
    link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    keep_alive(link, reads=False)  # a GUI may be suspended
