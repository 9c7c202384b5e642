"""The limits of one server."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace

from fiedler.engine.roster.shares import machine_share_mb, spare_threads
from fiedler.support.address import Address, is_local

SESSIONS = 256
IDLE_SECONDS = 3600.0


@dataclass(frozen=True, slots=True)
class Bounds:
    """The limits of one server."""

    sessions: int = SESSIONS
    """Concurrent sessions; one more is refused."""
    per_peer: int = SESSIONS
    """Concurrent sessions of one peer; one more is refused."""
    rate: float = math.inf
    """The lines that a client sends in a second, and in one burst; a session beyond it is closed."""
    think_seconds: float = math.inf
    """The time of a search; a longer one ends then."""
    idle_seconds: float = IDLE_SECONDS
    """The time without input from the client and without a search after which a session is closed."""
    memory_mb: int = field(default_factory=machine_share_mb)
    """Trees and tables of all sessions together, in MiB; default half of the machine's. Any excess is refused."""
    threads: int = field(default_factory=spare_threads)
    """The threads of all sessions together beyond those granted to each (one, or `threads` at the start of the engine);
    by default four for each core, and at least 16. Any excess is refused."""

    def changed(
        self,
        sessions: int | None,
        per_peer: int | None,
        rate: float | None,
        think_seconds: float | None,
        idle_seconds: float | None,
        memory_mb: int | None = None,
    ) -> Bounds:
        """Return these limits with others in their places, where they are given."""
        return replace(
            self,
            sessions=sessions or self.sessions,
            per_peer=per_peer or self.per_peer,
            rate=rate or self.rate,
            think_seconds=think_seconds or self.think_seconds,
            idle_seconds=idle_seconds or self.idle_seconds,
            memory_mb=memory_mb or self.memory_mb,
        )


ELSEWHERE = Bounds(per_peer=32, rate=1000.0, think_seconds=60.0)
"""The limits beyond loopback."""


def bounds_at(host: str, port: int) -> Bounds:
    """Return the default limits of a server at this address; an unknown one is not loopback."""
    try:
        return Bounds() if is_local(Address(host, port)) else ELSEWHERE
    except (OSError, UnicodeError):
        return ELSEWHERE


def bounds_of_manager(sessions: int) -> Bounds:
    """Return the limits of a manager that we have dialled: it is trusted, and may pause for any time."""
    return Bounds(sessions=sessions, per_peer=sessions, idle_seconds=math.inf)


class Rate:
    """A bound on the lines of one client: a bucket of as many lines as a second allows."""

    def __init__(self, lines: float, now: float) -> None:
        self._lines = lines
        self._left = lines
        self._at = now

    def take(self, lines: int, now: float) -> bool:
        """Take lines at a time of `time.monotonic`; return whether the bound allows them."""
        self._left = min(self._lines, self._left + self._lines * (now - self._at)) - lines
        self._at = now
        return self._left >= 0.0
