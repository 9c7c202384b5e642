"""The terms of a session: the resources of its server, the longest search, and the counts."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from fiedler.engine.host.counts import ServerCounts
from fiedler.engine.roster.shares import Shares


@dataclass(frozen=True, slots=True)
class Terms:
    """The same for all sessions of a server; by default without bounds."""

    shares: Shares = field(default_factory=Shares)
    """The memory and the threads of all sessions together."""
    think_seconds: float = math.inf
    """The time of a search; a longer one ends then."""
    counts: ServerCounts = field(default_factory=ServerCounts)
