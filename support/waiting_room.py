"""The clients of a port before their admission: they have places of their own, shared fairly between addresses."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable
from dataclasses import dataclass

PLACES = 64
"""The clients before admission at one port."""


@dataclass(frozen=True, slots=True)
class _Stay:
    """One client in the room."""

    peer: str
    send_away: Callable[[], None]
    is_dismissed: bool = False


class WaitingRoom:
    """Holds a bounded number of clients that are not admitted yet; admitted ones are outside, and keep their places.

    If the room is full, a newcomer still enters: first a client that has its refusal already leaves, else the oldest
    one of the peer with most clients. So a peer that fills the room pushes out only its own clients, as long as others
    have fewer. One loop uses a room; nothing here waits.

    A protocol of asyncio, or a subclass of a protocol of uvicorn, uses it so:

        def connection_made(self, transport):
            room.enter(self, peer_of(transport.get_extra_info("peername")[0]), transport.abort)
        ...                     # once a token, or the first valid request, admits the client:
            room.leave(self)
        def connection_lost(self, error):
            room.leave(self)    # does nothing if it has left

    A connection that may fall idle again, as between two requests of HTTP, enters again, as the newest. A port with TLS
    passes its room to `Acceptor` (listener.py), which enters each protocol object when its handshake begins.
    """

    def __init__(self, places: int = PLACES) -> None:
        self.places = places
        self.is_closing = False
        """Whether its clients leave because the port ends, not for others."""
        self._stays: dict[Hashable, _Stay] = {}
        """The clients, the oldest first."""

    def __len__(self) -> int:
        return len(self._stays)

    def __contains__(self, client: object) -> bool:
        return client in self._stays

    def enter(self, client: Hashable, peer: str, send_away: Callable[[], None]) -> None:
        """Take in a client of a peer (`peer_of`); `send_away` is called if it must leave for others, and closes it.

        A client that is here already keeps its age; only `send_away` changes.
        """
        self._stays[client] = _Stay(peer, send_away)
        if len(self._stays) > self.places:
            self.make_room()

    def dismiss(self, client: Hashable, send_away: Callable[[], None]) -> None:
        """Note that a client has its refusal, and stays only to read it: it is among the first to leave."""
        stay = self._stays.get(client)
        if stay is not None:
            self._stays[client] = _Stay(stay.peer, send_away, is_dismissed=True)

    def leave(self, client: Hashable) -> None:
        """Forget a client that is admitted or gone, if it is here."""
        self._stays.pop(client, None)

    def make_room(self) -> bool:
        """Send one client away; return whether there was one."""
        if not self._stays:
            return False
        self._stays.pop(self._first_to_leave()).send_away()
        return True

    def close(self) -> None:
        """Send all clients away, because the port ends."""
        self.is_closing = True
        while self.make_room():
            pass

    def _first_to_leave(self) -> Hashable:
        dismissed = next((client for client, stay in self._stays.items() if stay.is_dismissed), None)
        if dismissed is not None:
            return dismissed
        numbers = Counter(stay.peer for stay in self._stays.values())
        return max(self._stays, key=lambda client: numbers[self._stays[client].peer])  # the first of equals: the oldest
