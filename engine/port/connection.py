"""One connection of a server, in all its phases: its transport, its one timer, and its lines in the log."""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import Callable, Hashable
from typing import cast

from fiedler.engine.port.serving import Serving
from fiedler.support.address import reason
from fiedler.support.keep_alive import keep_alive

log = logging.getLogger("fiedler.engine.connection")


class Connection:
    """The state that the protocol objects of a connection share.

    Each phase is a protocol object of its own: a door (`ClientDoor`, `ManagerDoor`), then the session
    (`SessionConnection`) or the refusal. Each hands the connection over to the next.
    """

    transport: asyncio.Transport

    def __init__(self, serving: Serving, peer: str, door: Hashable) -> None:
        """`peer` is the key of its limit, `door` the client in the waiting room."""
        self.serving = serving
        self.peer = peer
        self.door = door
        self.number = next(serving.numbers)
        """The number of the connection in the log."""
        self.loop = asyncio.get_running_loop()
        self._timer: asyncio.TimerHandle | None = None

    def made(self, transport: asyncio.BaseTransport) -> None:
        """Begin."""
        self.transport = cast("asyncio.Transport", transport)  # that of uvloop only has the same methods
        _set_up(transport.get_extra_info("socket"))

    def hand_over(self, protocol: asyncio.BufferedProtocol) -> None:
        """Begin the next phase; the timer of the last one is forgotten."""
        self.cancel_timer()
        self.transport.set_protocol(protocol)

    def lost(self, exc: Exception | None) -> None:
        """End."""
        if exc is not None:
            self.log("session lost", why=reason(exc))
        self.cancel_timer()
        self.serving.room.leave(self.door)

    @property
    def is_encrypted(self) -> bool:
        """Whether it has TLS."""
        return self.transport.get_extra_info("ssl_object") is not None

    def set_timer(self, seconds: float, call: Callable[[], None]) -> None:
        """Set the one timer of a connection; its last setting is forgotten."""
        self.cancel_timer()
        self._timer = self.loop.call_later(seconds, call)

    def cancel_timer(self) -> None:
        """Forget the timer."""
        if self._timer is not None:
            self._timer.cancel()

    def note_refusal(self, kind: str) -> None:
        """Count a refusal, and log it."""
        self.serving.terms.counts.refuse(kind)
        self.log("client refused", why=kind)

    def log(self, event: str, **fields: object) -> None:
        """Log an event."""
        log.info(event, extra={"fields": {"session": self.number, "peer": self.peer, **fields}})


def _set_up(link: socket.socket) -> None:
    """Let small answers leave at once, and the system notice a client that vanishes silently."""
    link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    keep_alive(link, reads=False)  # a GUI may be suspended
