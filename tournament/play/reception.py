"""The place where players dial in: it listens, admits by name and token, and keeps connections for the games."""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections import deque
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from protocol import RemoteProtocolError
from protocol.admission import ALL_CONNECTED, NOT_ADMITTED, AdmissionServer, Credentials, refused, welcome
from protocol.words import excerpt
from support.address import Address, is_loopback, reason
from support.errors import UsageError
from support.tls import server_context
from support.tokens import PlayerTokens, read_player_tokens
from tournament.play.carriers import Socket

INTRODUCTION_S = 10.0
"""Most seconds from a connection to the end of its first line."""
MAX_STRANGERS = 64
"""Most connections without an answer to their first line."""
MAX_EARLY = 2**16
"""Most bytes of an admitted player before its first game."""
CROWDED = "too many connections are waiting for admission"
MAX_REPORTS = 20
"""Most refusals that are reported, each name and reason once."""


def _nothing(*_: object) -> None:
    """Do nothing."""


@dataclass(frozen=True)
class Listening:
    """The options of a reception."""

    address: Address
    token_file: Path | None
    tokens: PlayerTokens | None
    """None: any token will do."""
    tls: ssl.SSLContext | None

    @classmethod
    def read(cls, address: Address, token_file: Path | None, cert: Path | None, key: Path | None) -> Listening:
        """Read the files of the options.

        Raises:
            UsageError: a file cannot be used, or one is missing.

        """
        if key is not None and cert is None:
            raise UsageError("--key: only with --cert, which is missing")
        if token_file is None and not _is_local(address):
            wrong = f"expected --token-file FILE beyond loopback: anyone who reaches {address} could play, got none"
            raise UsageError(f"--listen: {wrong}")
        tokens = None if token_file is None else read_player_tokens(token_file)
        return cls(address, token_file, tokens, None if cert is None else server_context(cert, key))


class Visitor(Socket):
    """The carrier of a player that dials in: first a stranger, then admitted, then in a session."""

    def __init__(self, reception: Reception) -> None:
        super().__init__(self._introduce, self._leave)
        self.guest: Guest | None = None
        """The player, once it is admitted."""
        self.early = b""
        """Bytes that came after admission and before the session."""
        self._reception = reception
        self._admission = AdmissionServer()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Wait for the first line, for a while."""
        super().connection_made(transport)
        self.keep_alive()
        self._patience = asyncio.get_running_loop().call_later(
            INTRODUCTION_S, self.turn_away, f"expected player NAME TOKEN within {INTRODUCTION_S:g} s"
        )
        self._reception.meet(self)

    def connection_lost(self, exc: Exception | None) -> None:
        """Report the end, also to the reception."""
        self._patience.cancel()
        super().connection_lost(exc)
        self._reception.miss(self)

    def turn_away(self, why: str) -> None:
        """Refuse the connection."""
        self._patience.cancel()
        self._reception.forget(self)
        self.receiver = _nothing, _nothing
        if self._transport is not None:
            self.write(refused(why))
            self._transport.close()

    def admit(self, guest: Guest) -> None:
        """Welcome the player."""
        self._patience.cancel()
        self.guest = guest
        self.early = self._admission.rest
        self.receiver = self._wait, self._leave
        self.write(welcome())

    def _introduce(self, data: bytes) -> None:
        try:
            credentials = self._admission.feed(data)
        except RemoteProtocolError as error:
            self.turn_away(str(error))
            return
        if credentials is not None:
            self._reception.receive(self, credentials)

    def _wait(self, data: bytes) -> None:
        self.early += data
        if len(self.early) > MAX_EARLY:
            self.abort()

    def _leave(self, _why: str) -> None:
        """End without a session."""


class Guest:
    """A player that may dial in, with its connections."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.connections: set[Visitor] = set()
        """All its connections."""
        self.unused: deque[Visitor] = deque()
        """Those without a session."""
        self.changed: Callable[[], None] = _nothing
        """Called when a connection comes or goes."""


class Reception:
    """Listens for the players of a run."""

    def __init__(self, options: Listening, names: Iterable[str], most: int, report: Callable[[str], None]) -> None:
        """Admit these players, each with at most `most` connections; `report` takes a line about a refusal.

        Raises:
            UsageError: the token file lacks one of the players.

        """
        self._guests = {name: Guest(name) for name in names}
        for name in self._guests:
            if options.tokens is not None and name not in options.tokens:
                raise UsageError(f"{options.token_file}: expected a line NAME TOKEN for player {name!r}, got none")
        self._options = options
        self._most = most
        self._report = report
        self._reported: set[tuple[str, str]] = set()
        self._strangers: set[Visitor] = set()
        self._server: asyncio.Server | None = None

    async def listen(self) -> None:
        """Listen at the address.

        Raises:
            UsageError: this machine cannot.

        """
        loop, address, tls = asyncio.get_running_loop(), self._options.address, self._options.tls
        patience = None if tls is None else INTRODUCTION_S
        try:
            self._server = await loop.create_server(
                lambda: Visitor(self), address.host, address.port, ssl=tls, ssl_handshake_timeout=patience
            )
        except (OSError, UnicodeError) as error:
            raise UsageError(f"--listen: cannot listen on {address}: {reason(error)}") from error

    def guest(self, name: str) -> Guest:
        """Return a player of the schedule."""
        return self._guests[name]

    async def close(self) -> None:
        """Admit nobody any more, and end all connections."""
        if self._server is not None:
            self._server.close()
        for visitor in [*self._strangers, *(one for guest in self._guests.values() for one in guest.connections)]:
            visitor.abort()

    def meet(self, visitor: Visitor) -> None:
        """Note a new connection."""
        self._strangers.add(visitor)
        if len(self._strangers) > MAX_STRANGERS:
            visitor.turn_away(CROWDED)

    def forget(self, visitor: Visitor) -> None:
        """Note that a connection has its answer."""
        self._strangers.discard(visitor)

    def receive(self, visitor: Visitor, credentials: Credentials) -> None:
        """Answer a first line."""
        guest = self._guests.get(credentials.name)
        if guest is None or not self._admits(credentials):
            self._refuse(visitor, credentials.name, NOT_ADMITTED)
        elif len(guest.connections) >= self._most:
            self._refuse(visitor, credentials.name, ALL_CONNECTED)
        else:
            self.forget(visitor)
            guest.connections.add(visitor)
            guest.unused.append(visitor)
            visitor.admit(guest)
            guest.changed()

    def miss(self, visitor: Visitor) -> None:
        """Note the end of a connection."""
        self.forget(visitor)
        if visitor.guest is not None:
            visitor.guest.connections.discard(visitor)
            with suppress(ValueError):
                visitor.guest.unused.remove(visitor)
            visitor.guest.changed()

    def _admits(self, credentials: Credentials) -> bool:
        tokens = self._options.tokens
        return tokens is None or tokens.admit(credentials.name, credentials.token)

    def _refuse(self, visitor: Visitor, name: str, why: str) -> None:
        if (name, why) not in self._reported and len(self._reported) < MAX_REPORTS:
            self._reported.add((name, why))
            self._report(f"a connection as {excerpt(name)!r} was refused: {why}; later ones are not reported")
        visitor.turn_away(why)


def _is_local(address: Address) -> bool:
    """Return whether all numeric addresses of a host can be reached only from this machine."""
    try:
        found = socket.getaddrinfo(address.host, address.port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise UsageError(f"--listen: cannot listen on {address}: {reason(error)}") from error
    return all(is_loopback(str(where[0])) for *_, where in found)
