"""A child process beside a long work: it ends when its standard input ends, so with its parent, by any death of it."""

from __future__ import annotations

import os
import subprocess
import threading
from collections.abc import Callable, Mapping, Sequence


class Companion:
    """A child whose lines on standard error are read in a thread."""

    def __init__(
        self, command: Sequence[str], take: Callable[[str], None], environment: Mapping[str, str] | None = None
    ) -> None:
        """Start it, by default in our environment; `take` gets its lines in another thread.

        Raises OSError if it cannot be started.
        """
        pipe = subprocess.PIPE
        self._take = take
        self._is_stuck = False
        self._process = subprocess.Popen(
            command,
            stdin=pipe,
            stdout=subprocess.DEVNULL,
            stderr=pipe,
            text=True,
            start_new_session=True,
            env=environment,
        )
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    @property
    def is_running(self) -> bool:
        """Whether it has not ended by itself; at its end all lines have been taken."""
        return self._reader.is_alive()

    def write(self, line: bytes) -> bool:
        """Write to its input without waiting; return whether all of it was taken. After a part nothing more is."""
        assert self._process.stdin is not None
        if self._is_stuck:
            return False
        pipe = self._process.stdin.fileno()
        os.set_blocking(pipe, False)
        try:
            self._is_stuck = os.write(pipe, line) < len(line)
        except OSError:  # it has ended, or reads nothing
            self._is_stuck = True
        return not self._is_stuck

    def wait(self) -> None:
        """Wait until it ends."""
        self._reader.join()

    def close(self, patience_s: float) -> None:
        """End its input, wait, and kill it if it does not end in time."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        try:
            self._process.wait(patience_s)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._reader.join()

    def _read(self) -> None:
        assert self._process.stderr is not None
        with self._process.stderr as lines:
            for line in lines:
                self._take(line.rstrip())
