"""The price of a wrong token: the refusal comes late, later each time, and the log has a line now and then."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

FIRST_SECONDS = 0.05
"""The delay of the first refusal of a peer; it doubles with every further one."""
MOST_SECONDS = 2.0
"""The longest delay; a client waits 10 s for its answer."""
FORGET_SECONDS = 60.0
"""The time without a wrong token after which a peer begins anew."""
REPORT_SECONDS = 10.0
"""The time between two lines in the log."""
MAX_PEERS = 1024
"""The peers that are remembered, the latest ones."""


@dataclass(slots=True)
class _Peer:
    delay: float
    at: float


class Guesses:
    """The wrong tokens at a port, by peer. A right token is never late, and no peer delays another.

    The delay slows down a client that waits for its answer. Only a long token stops one that does not.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._peers: dict[str, _Peer] = {}
        """The peer of the latest wrong token is last."""
        self._unreported = 0
        self._report_at = -REPORT_SECONDS

    def miss(self, peer: str) -> float:
        """Note a wrong token; return the seconds until its refusal."""
        now, known = self._clock(), self._peers.pop(peer, None)
        if known is None or now - known.at > FORGET_SECONDS:
            delay = FIRST_SECONDS
        else:
            delay = min(2 * known.delay, MOST_SECONDS)
        self._peers[peer] = _Peer(delay, now)
        if len(self._peers) > MAX_PEERS:
            del self._peers[next(iter(self._peers))]
        self._unreported += 1
        return delay

    def to_report(self) -> int:
        """Return the number of wrong tokens for a line in the log now; 0: the last line is too recent."""
        now, number = self._clock(), self._unreported
        if now - self._report_at < REPORT_SECONDS:
            return 0
        self._report_at, self._unreported = now, 0
        return number
