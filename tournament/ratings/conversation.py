"""A dialogue with a program over its pipes, one question at a time, safe against misbehaviour."""

from __future__ import annotations

import os
import queue
import signal
import subprocess
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import IO

from fiedler.support.errors import UsageError, WorkError, system_reason

CHUNK = 1 << 16
"""Bytes of one read."""
REMEMBERED = 2000
"""Bytes of standard error that are kept."""
GRACE_S = 2.0
"""Seconds for the threads to see the end of the pipes after the program was killed."""


class Conversation:
    """A running command-line program that answers each line and has a command `echo`.

    Use as a context manager: at the end the program and its children are killed. An answer ends with the echo of a
    token that no other output contains. A thread reads standard error all the time. `idle_s` limits the time without
    output and `total_s` the total time, in seconds; `max_bytes` limits the output.

    Raises:
        UsageError: the program cannot be started.
    """

    def __init__(self, program: Path, folder: Path, *, idle_s: float, total_s: float, max_bytes: int) -> None:
        self.program = program
        self.idle_s = idle_s
        self.deadline = time.monotonic() + total_s
        self.room = max_bytes
        self._tokens = 0
        self._chunks: queue.Queue[bytes] = queue.Queue()
        self._errors = bytearray()
        try:
            self._process = subprocess.Popen(
                [program.resolve()],
                cwd=folder,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                start_new_session=True,
            )
        except OSError as error:
            raise UsageError(f"{program}: cannot be started: {system_reason(error)}") from error
        process = self._process
        self._threads = [self._drain(process.stdout, self._chunks.put), self._drain(process.stderr, self._keep_tail)]

    def __enter__(self) -> Conversation:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._kill()
        self._process.wait()
        for thread in self._threads:
            thread.join(GRACE_S)
        for pipe in (self._process.stdin, self._process.stdout, self._process.stderr):
            if pipe:
                pipe.close()

    def ask(self, command: str, *, idle_s: float | None = None) -> str:
        """Send one line and return the answer, which may be empty.

        Raises:
            WorkError: the program ended, or exceeded a limit.
        """
        self._tokens += 1
        token = f"fiedler-{os.getpid()}-{self._tokens}-end"
        self._send(command, f"{command}\necho {token}\n")
        return self._answer(command, token.encode(), idle_s or self.idle_s).decode("utf-8", "replace")

    def _send(self, command: str, lines: str) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(lines.encode())
        except OSError as error:
            raise self._ended(command) from error

    def _answer(self, command: str, token: bytes, idle_s: float) -> bytes:
        answer = bytearray()
        started = time.monotonic()
        while True:
            try:
                chunk = self._chunks.get(timeout=max(0.0, min(idle_s, self.deadline - time.monotonic())))
            except queue.Empty:
                waited = time.monotonic() - started
                raise WorkError(f"{self.program}: no answer to {command!r} after {waited:.0f} s") from None
            if not chunk:
                raise self._ended(command)
            searched = max(0, len(answer) - len(token))
            answer += chunk
            found = answer.find(token, searched)
            if found >= 0:
                return bytes(answer[:found])
            self.room -= len(chunk)
            if self.room < 0:
                raise WorkError(f"{self.program}: endless output in answer to {command!r}")

    def _ended(self, command: str) -> WorkError:
        try:
            reason = f"exit code {self._process.wait(GRACE_S)}"
        except subprocess.TimeoutExpired:
            reason = "it closed its output"
        self._threads[1].join(GRACE_S)
        words = self._errors.decode("utf-8", "replace").split()
        stderr_tail = ": " + " ".join(words)[-200:] if words else ""
        return WorkError(f"{self.program}: ended before it answered {command!r} ({reason}){stderr_tail}")

    def _keep_tail(self, chunk: bytes) -> None:
        self._errors += chunk
        del self._errors[:-REMEMBERED]

    def _drain(self, pipe: IO[bytes] | None, sink: Callable[[bytes], None]) -> threading.Thread:
        def read() -> None:
            assert pipe is not None
            chunk = b"x"
            while chunk:
                try:
                    chunk = os.read(pipe.fileno(), CHUNK)
                except OSError:
                    chunk = b""
                sink(chunk)

        thread = threading.Thread(target=read, daemon=True)
        thread.start()
        return thread

    def _kill(self) -> None:
        try:
            os.killpg(self._process.pid, signal.SIGKILL)
        except ProcessLookupError:
            self._process.kill()
