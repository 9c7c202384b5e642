"""A server as its connections see it: the offer, the limits, and the parts that they share."""

from __future__ import annotations

import asyncio
import itertools
from collections import Counter
from typing import Protocol

from fiedler.engine.host.terms import Terms
from fiedler.engine.port.bounds import Bounds
from fiedler.engine.port.workers import SearchWorkers, Workers
from fiedler.engine.roster.engine_offer import EngineOffer
from fiedler.support.cores import available
from fiedler.support.fair_queue import FairQueue
from fiedler.support.guesses import Guesses
from fiedler.support.tokens import Tokens
from fiedler.support.waiting_room import WaitingRoom

CHUNK = 8192
"""The bytes that one session may receive before they are handled."""


class OpenSession(Protocol):
    """A session that a server may end."""

    def end(self) -> None:
        """Close the session from our side."""


class Serving:
    """The same for all connections of a server."""

    def __init__(self, offer: EngineOffer, bounds: Bounds, tokens: Tokens | None, terms: Terms) -> None:
        """Each of the `tokens` admits a client; None: no client needs one."""
        self.offer = offer
        self.bounds = bounds
        self.tokens = tokens
        self.terms = terms
        self.connections: set[OpenSession] = set()
        """Those with a session."""
        self.room = WaitingRoom()
        """The clients before admission: without a token a client is admitted by its first line."""
        self.guesses = Guesses()
        """The wrong tokens of clients."""
        self.dialled: set[asyncio.WriteTransport] = set()
        """Ours to a manager, until it admits us."""
        self.numbers = itertools.count(1)
        """The numbers of connections in the log."""
        self.workers = Workers()
        """The threads of short jobs, such as the start of a player, and of the first searches."""
        self.searchers = SearchWorkers(self.workers, len(available()))
        self.queue = FairQueue()
        self.buffer = memoryview(bytearray(CHUNK))
        """The receive buffer of all clients."""
        self._peers: Counter[str] = Counter()
        """The sessions of each peer."""

    def full(self, peer: str) -> tuple[str, str] | None:
        """Return why there is no room for another client, and the kind of that reason; None: there is room."""
        most = self.bounds.sessions
        if len(self.connections) >= most:
            return f"expected at most {most} concurrent sessions; try again later", "sessions"
        if self._peers[peer] >= self.bounds.per_peer:
            return f"expected at most {self.bounds.per_peer} concurrent sessions of one peer", "peer"
        return None

    def enter(self, session: OpenSession, peer: str) -> None:
        """Count a session of a peer."""
        self.connections.add(session)
        self._peers[peer] += 1
        self.terms.counts.sessions += 1

    def leave(self, session: OpenSession, peer: str) -> None:
        """Forget a session of a peer."""
        self.connections.remove(session)
        self._peers[peer] -= 1
        if not self._peers[peer]:
            del self._peers[peer]
