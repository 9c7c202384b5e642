"""The output of an engine up to a deadline, within the limits of the manager."""

from __future__ import annotations

import time
from contextlib import suppress

from fiedler.engine.check.failure import StepError
from fiedler.engine.check.link import Link
from fiedler.engine.check.loudness import Loudness
from fiedler.protocol.flood import Flood

LOOK_S = 1.0
"""The time between two looks at the standard error, in seconds."""


class Portions:
    """Portions of bytes. The deadline also counts while they come."""

    def __init__(self, link: Link, seconds: float, flood: Flood | None = None) -> None:
        """Wait `seconds` in all; `flood` has counted the output since the last request, by default none."""
        self.until = time.monotonic() + seconds
        """The deadline, in seconds of `time.monotonic`."""
        self.flood = Flood() if flood is None else flood
        """The output since the last request."""
        self._link = link
        self._has_looked = False
        """Whether there was a look after the deadline."""
        self._worked = time.thread_time()
        """The processor time of this thread at the last portion."""

    def next(self) -> bytes:
        """Return the next bytes, none at their end.

        Raises:
            TimeoutError: None have come by the deadline.
            OSError: The connection is lost.
            StepError: There are too many, or the reading of their lines takes too long.
        """
        before, self._worked = self._worked, time.thread_time()
        if self.flood.works(self._worked - before, time.monotonic):
            raise StepError(self.flood.report(asked=True))
        left = self.until - time.monotonic()
        if left <= 0 and self._has_looked:
            raise TimeoutError
        self._has_looked = left <= 0  # what came while this machine did something else is in time
        data = self._receive(max(0.0, left))
        if self.flood.rises(len(data), time.monotonic) or self.flood.count(data):
            raise StepError(self.flood.report(asked=True))
        return data

    def _receive(self, seconds: float) -> bytes:
        """Return the next bytes; look at the standard error from time to time."""
        if seconds <= LOOK_S:
            return self._link.receive(seconds)
        until = time.monotonic() + seconds
        loudness = Loudness(self._link.stderr_bytes, time.monotonic())
        while (left := until - time.monotonic()) > LOOK_S:
            with suppress(TimeoutError):
                return self._link.receive(LOOK_S)
            if loudness.lasts(self._link.stderr_bytes, time.monotonic()):
                raise StepError(f"{loudness.report()}; the last line there: {self._link.complaint()}")
        return self._link.receive(max(0.0, left))
