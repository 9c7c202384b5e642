"""A port: its sockets, and the clients that it accepts, one at a time, with TLS each after its handshake."""

from __future__ import annotations

import asyncio
import errno
import logging
import socket
import ssl
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from fiedler.support.address import Address, peer_of, reason, resolved
from fiedler.support.waiting_room import WaitingRoom

log = logging.getLogger(__name__)

BACKLOG = 256
"""The number of clients that wait until they are accepted; the system refuses further ones."""
PAUSE_SECONDS = 0.001
"""The time between two accepted clients, so that clients that connect and leave do not delay others."""
NO_ROOM_SECONDS = 1.0
"""The time until the next attempt after the system could not accept a client."""
NO_FILES = frozenset({errno.EMFILE, errno.ENFILE})
"""The errors of a machine, or a process, without a free file for a client: one before admission leaves for it."""
HANDSHAKE_SECONDS = 10.0
"""The time of a client for its TLS handshake."""
TLS_RECORD = b"\x16"
"""The first byte of a TLS handshake."""
MAX_TEXT = 8192
"""The bytes of a client without TLS that are read before its answer."""


def listener(address: Address) -> socket.socket:
    """Return a socket that listens at the first address of a host alone: port 0 picks one free port.

    Raises:
        OSError: The address cannot be used.
        UnicodeError: The host cannot be the name of one.
    """
    family, host = resolved(address)[0]
    return _bound(family, host, address.port)


def listeners(address: Address) -> list[socket.socket]:
    """Return sockets that listen at all addresses of a host that this machine has; raises as `listener`."""
    found: list[socket.socket] = []
    absent: OSError | None = None
    try:
        for family, host in resolved(address):
            try:
                found.append(_bound(family, host, address.port))
            except OSError as error:
                if error.errno != errno.EADDRNOTAVAIL:
                    raise
                absent = error  # `localhost` has an IPv6 address on machines without IPv6
    except OSError:
        for one in found:
            one.close()
        raise
    if not found and absent is not None:
        raise absent
    return found


def _bound(family: int, host: str, port: int) -> socket.socket:
    bound = socket.create_server((host, port), family=family, backlog=BACKLOG)
    bound.setblocking(False)
    return bound


@dataclass(frozen=True, slots=True)
class Encryption:
    """TLS at a port; each handshake has HANDSHAKE_SECONDS."""

    context: ssl.SSLContext
    text_answer: bytes
    """The line for a client that sends text."""
    missed: Callable[[str, str, str], None]
    """Is called with the kind (`handshakes`: it left for others; `handshake`), the peer and the reason."""


class Acceptor:
    """Accepts the clients of a port."""

    def __init__(
        self,
        sockets: Sequence[socket.socket],
        protocol: Callable[[str], asyncio.BaseProtocol],
        room: WaitingRoom,
        encryption: Encryption | None = None,
    ) -> None:
        """Accept until `close`; `protocol` makes the protocol of a client from its peer. The sockets are ours now.

        The protocol enters the room when its connection is made, with its own way to leave; during a TLS handshake it
        is there already.
        """
        self._sockets = sockets
        self._protocol = protocol
        self._room = room
        self._encryption = encryption
        self._handshakes: set[asyncio.Task[None]] = set()
        """The TLS handshakes that run."""
        self._tasks = [asyncio.create_task(self._accept(one)) for one in sockets]

    async def close(self) -> None:
        """Stop listening, and end all handshakes."""
        for task in self._tasks:
            task.cancel()
        await asyncio.wait(self._tasks)
        for one in self._sockets:
            one.close()
        for task in list(self._handshakes):
            task.cancel()

    async def _accept(self, listening: socket.socket) -> None:
        """Accept clients, one at a time, until cancelled."""
        loop = asyncio.get_running_loop()
        while True:
            try:
                link, where = await loop.sock_accept(listening)
                await self._connect(link, peer_of(where[0]))
            except ConnectionError:
                pass  # gone again already
            except OSError as error:
                if error.errno not in NO_FILES or not self._room.make_room():
                    log.warning("cannot accept a client:  %s", reason(error))
                    await asyncio.sleep(NO_ROOM_SECONDS)
            await asyncio.sleep(PAUSE_SECONDS)

    async def _connect(self, link: socket.socket, peer: str) -> None:
        """Connect a client; with TLS a task of its own waits for the handshake."""
        encryption = self._encryption
        if encryption is None:
            await asyncio.get_running_loop().connect_accepted_socket(lambda: self._protocol(peer), link)
            return
        made = self._protocol(peer)
        task = asyncio.create_task(self._encrypt(link, peer, made, encryption))
        self._handshakes.add(task)
        task.add_done_callback(self._handshakes.discard)
        self._room.enter(made, peer, lambda: _give_up(task, peer, encryption))

    async def _encrypt(
        self, link: socket.socket, peer: str, made: asyncio.BaseProtocol, encryption: Encryption
    ) -> None:
        """Connect a client after its TLS handshake; one that does not speak TLS gets a line in the clear."""
        loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout(HANDSHAKE_SECONDS):
                speaks_tls = await _begins_tls(link, encryption.text_answer)
            if not speaks_tls:
                self._drop(link, made)
                encryption.missed("handshake", peer, "text")
                return
            await loop.connect_accepted_socket(
                lambda: made, link, ssl=encryption.context, ssl_handshake_timeout=HANDSHAKE_SECONDS
            )
        except asyncio.CancelledError:
            loop.call_soon(self._drop, link, made)  # after the transport, if there is one
            raise
        except OSError as error:  # ssl.SSLError and TimeoutError are some
            self._drop(link, made)
            encryption.missed("handshake", peer, reason(error))

    def _drop(self, link: socket.socket, made: asyncio.BaseProtocol) -> None:
        link.close()
        self._room.leave(made)


def _give_up(handshake: asyncio.Task[None], peer: str, encryption: Encryption) -> None:
    """End a handshake, because others need its place."""
    encryption.missed("handshakes", peer, "too many at a time")
    handshake.cancel()


async def _begins_tls(link: socket.socket, text_answer: bytes) -> bool:
    """Return whether a client begins with TLS; one that sends text gets the answer."""
    loop = asyncio.get_running_loop()
    readable = loop.create_future()
    loop.add_reader(link, lambda: None if readable.done() else readable.set_result(None))
    try:
        await readable
    finally:
        loop.remove_reader(link)
    if link.recv(1, socket.MSG_PEEK) in {TLS_RECORD, b""}:
        return True
    await loop.sock_recv(link, MAX_TEXT)  # unread bytes would make the system discard the line
    await loop.sock_sendall(link, text_answer)
    link.shutdown(socket.SHUT_WR)
    return False
