"""The end of the process in time, even if a thread or the loop hangs."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Mapping
from contextlib import suppress

GRACE_S = 1.2
"""Seconds from a signal to the end of the process."""


class LastResort:
    """Ends the process GRACE_S after one of its signals.

    A thread notices them, for the main thread may be inside a read of a damaged file, where Python runs no handler.
    """

    def __init__(self, codes: Mapping[int, int], grace_s: float = GRACE_S) -> None:
        """`codes` are the exit codes by signal."""
        self._codes = codes
        self._grace_s = grace_s
        self._ending = threading.Event()

    def listen(self) -> None:
        """Notice every signal from now on; so does the running loop still. Call it in the main thread."""
        come, tell = os.pipe()
        os.set_blocking(tell, False)
        loop = signal.set_wakeup_fd(tell, warn_on_full_buffer=False)
        threading.Thread(target=self._watch, args=(come, loop), daemon=True, name="last resort").start()

    def end(self, code: int) -> None:
        """Begin the time of grace."""
        if not self._ending.is_set():
            self._ending.set()
            timer = threading.Timer(self._grace_s, os._exit, (code,))
            timer.daemon = True
            timer.start()

    def _watch(self, come: int, loop: int) -> None:
        while number := os.read(come, 1):
            with suppress(OSError):  # the loop has ended
                os.write(loop, number)
            if number[0] in self._codes:
                self.end(self._codes[number[0]])
