"""One session on standard input and output, for GUIs and managers that start programs."""

from __future__ import annotations

import os
import select
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from fiedler.engine.host.session import HEARTBEAT_SECONDS, Session
from fiedler.engine.port.line_log import is_logged, log_lines
from fiedler.engine.port.workers import Workers
from fiedler.engine.roster.engine_offer import EngineOffer
from fiedler.support.address import reason
from fiedler.support.errors import WorkError
from fiedler.support.process_age import process_age

CHUNK = 65536
STOP_SECONDS = 5.0
"""The time for a search to stop, when the session ends before it."""


@contextmanager
def _signals() -> Iterator[tuple[int, int]]:
    """Give a file descriptor that becomes readable with a signal, and the other end, to wake its reader.

    A signal that arrives just before a blocking read is only noted, and the read continues to wait. A wait for this
    descriptor and the input closes that gap: the handler, and so KeyboardInterrupt, runs as soon as the wait is over.
    """
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    of_main = threading.current_thread() is threading.main_thread()
    before = signal.set_wakeup_fd(writing, warn_on_full_buffer=False) if of_main else -1
    try:
        yield reading, writing
    finally:
        if of_main:
            signal.set_wakeup_fd(before)
        os.close(reading)
        os.close(writing)


class Stdio:
    """Drives one session: this thread reads, a search runs in another, a lock lets one of them write."""

    def __init__(self, offer: EngineOffer, reading: int = 0, writing: int = 1) -> None:
        """`reading` and `writing` are file descriptors."""
        self._reading = reading
        self._writing = writing
        self._lock = threading.Condition()
        """Notified when a job is done."""
        self._broken: OSError | None = None
        self._over = threading.Event()
        self._workers = Workers()
        self._session = Session(offer, self)
        self._session.allow_files()
        self._ended = False
        """Whether the input has ended."""
        self._wake: int | None = None
        """Where a thread writes to wake the one that reads."""
        self._is_first = True
        """Whether nothing has been received yet."""

    def work(self, job: Callable[[], None]) -> None:
        """Run a job in a thread.

        Raises:
            WorkError: There is no thread.
        """
        self._workers.work(job)

    def post(self, call: Callable[[], None]) -> None:
        """Pass the result of a job to the session."""
        with self._lock:
            call()
            self._session.handle_lines()
            self._send()
            self._lock.notify_all()
            if not self._session.listening and self._wake is not None:
                os.write(self._wake, b"\0")

    def run(self) -> None:
        """Serve until `quit` or the end of the input, and until every request has been answered.

        A closed output is a normal end.

        Raises:
            WorkError: The answers cannot be written.
        """
        try:
            with _signals() as (signalled, wake):
                self._read(signalled, wake)
            while not self._over.wait(HEARTBEAT_SECONDS):
                self.post(self._beat)
        finally:
            with self._lock:
                self._session.close()
            if not self._session.over:
                self._over.wait(STOP_SECONDS)
        if self._broken is not None:
            raise WorkError(f"standard output: {reason(self._broken)}")

    def _read(self, signalled: int, wake: int) -> None:
        """Receive bytes until the session or the input ends; a byte in `wake` ends the wait for them."""
        self._wake = wake
        try:
            while self._session.listening and not self._ended:
                self._wait_and_receive(signalled)
        finally:
            with self._lock:
                self._wake = None

    def _wait_and_receive(self, signalled: int) -> None:
        self._session.count_from(self._waiting_since())
        ready, _, _ = select.select([self._reading, signalled], [], [])
        if signalled in ready:
            os.read(signalled, CHUNK)
        if self._reading in ready:
            self._receive(os.read(self._reading, CHUNK))

    def _waiting_since(self) -> float | None:
        """Return the moment since which the first bytes may have waited: the start of this process; None: no wait."""
        is_first, self._is_first = self._is_first, False
        waited = is_first and bool(select.select([self._reading], [], [], 0.0)[0])
        return time.monotonic() - process_age() if waited else None

    def _receive(self, data: bytes) -> None:
        with self._lock:
            if data:
                if is_logged():
                    log_lines("<", data)
                self._session.receive_data(data)
            else:
                self._ended = True
                self._session.receive_eof()
            self._session.handle_lines()
            self._send()
            self._lock.wait_for(lambda: not self._session.busy)

    def _beat(self) -> None:
        if self._session.searching:
            self._session.heartbeat()

    def _send(self) -> None:
        data = self._session.data_to_send()
        if data and is_logged():
            log_lines(">", data)
        try:
            while data:
                data = data[os.write(self._writing, data) :]
        except OSError as error:
            self._session.close()
            self._broken = None if isinstance(error, BrokenPipeError) else error
        if self._session.over:
            self._over.set()
