"""Admission of players that dial in: by name and token; their connections wait for the games."""

from __future__ import annotations

import asyncio
import ssl
from collections import deque
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from fiedler.protocol import RemoteProtocolError
from fiedler.protocol.admission import (
    ALL_CONNECTED,
    EXPECTED_TLS,
    NOT_ADMITTED,
    PLAYER_LINE,
    AdmissionServer,
    Credentials,
    refused,
    welcome,
)
from fiedler.support.address import Address, is_local, reason
from fiedler.support.errors import UsageError
from fiedler.support.guesses import Guesses
from fiedler.support.listener import Acceptor, Encryption, listeners
from fiedler.support.tls import server_context
from fiedler.support.tokens import PlayerTokens, read_player_tokens, warn_in_clear
from fiedler.support.waiting_room import WaitingRoom
from fiedler.tournament.play.carriers import Socket

FIRST_LINE_S = 10.0
"""Most seconds from a connection to the end of its first line."""
REFUSAL_S = 1.0
"""Seconds of a peer to read its refusal."""
PARTING_S = 0.05
"""Seconds for the refusal of a connection that leaves for others."""
MAX_EARLY = 2**16
"""Most bytes of an admitted player before its first game."""
TOO_MANY = "too many connections are waiting for admission"
ENDED = "the run ends"


def _nothing(*_: object) -> None:
    """Do nothing."""


@dataclass(frozen=True)
class Listening:
    """The options of the port for players that dial in."""

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
        try:
            is_open = token_file is None and not is_local(address)
        except (OSError, UnicodeError) as error:
            raise UsageError(f"--listen: cannot listen on {address}: {reason(error)}") from error
        if is_open:
            wrong = f"expected --token-file FILE beyond loopback: anyone who reaches {address} could play, got none"
            raise UsageError(f"--listen: {wrong}")
        tokens = None if token_file is None else read_player_tokens(token_file)
        if cert is None:
            warn_in_clear(address, "tokens and games are", "--cert")
        return cls(address, token_file, tokens, None if cert is None else server_context(cert, key))

    def again(self) -> Listening:
        """Return these options with the tokens that the file has now; raises UsageError."""
        return self if self.token_file is None else replace(self, tokens=read_player_tokens(self.token_file))


class PlayerConnection(Socket):
    """The carrier of a player that dials in: it waits for admission, then for a session."""

    def __init__(self, admission: PlayerAdmission, peer: str) -> None:
        super().__init__(self._read_first_line, self._end)
        self.peer = peer
        """The machine, or network, of the other end."""
        self.player: DialInPlayer | None = None
        """The player, once it is admitted."""
        self.early = b""
        """Bytes that came after admission and before the session."""
        self._admission = admission
        self._first_line = AdmissionServer(PLAYER_LINE)
        self._is_late = False
        """Whether a refusal is to come."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Wait for the first line, for a while."""
        super().connection_made(transport)
        self.keep_alive()
        self._patience = asyncio.get_running_loop().call_later(
            FIRST_LINE_S, self.refuse, f"expected player NAME TOKEN within {FIRST_LINE_S:g} s"
        )
        self._admission.room.enter(self, self.peer, self._make_room)

    def connection_lost(self, exc: Exception | None) -> None:
        """Report the end, to the admission, too."""
        self._patience.cancel()
        super().connection_lost(exc)
        self._admission.remove(self)

    def refuse(self, why: str, seconds: float = REFUSAL_S) -> None:
        """Refuse the connection, and cut it after some seconds."""
        self._patience.cancel()
        self._admission.room.dismiss(self, self.abort)
        self.receiver = _nothing, _nothing
        if self._transport is not None:
            self.write(refused(why))
            self._transport.close()
            self._patience = asyncio.get_running_loop().call_later(seconds, self._transport.abort)

    def refuse_late(self, why: str, seconds: float) -> None:
        """Refuse the connection after some seconds; it takes no place from others until then."""
        self._patience.cancel()
        self._admission.room.dismiss(self, self.abort)
        self.receiver = _nothing, _nothing
        self._is_late = True
        self._patience = asyncio.get_running_loop().call_later(seconds, self.refuse, why)

    def eof_received(self) -> bool:
        """Return whether the connection stays half open, for a refusal that comes late; TLS has no such connections."""
        return self._is_late and self._transport is not None and not self._transport.get_extra_info("sslcontext")

    def _make_room(self) -> None:
        """Leave for others, or because the port ends."""
        self.refuse(ENDED if self._admission.room.is_closing else TOO_MANY, PARTING_S)

    def admit(self, player: DialInPlayer) -> None:
        """Welcome the player."""
        self._patience.cancel()
        self.player = player
        self.early = self._first_line.rest
        self.receiver = self._wait, self._end
        self.write(welcome())

    def _read_first_line(self, data: bytes) -> None:
        try:
            credentials = self._first_line.feed(data)
        except RemoteProtocolError as error:
            self.refuse(str(error))
            return
        if credentials is not None:
            self._admission.answer(self, credentials)

    def _wait(self, data: bytes) -> None:
        self.early += data
        if len(self.early) > MAX_EARLY:
            self.abort()

    def _end(self, _why: str) -> None:
        """End without a session."""


class DialInPlayer:
    """A player that may dial in, with its connections."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.connections: set[PlayerConnection] = set()
        """All its connections."""
        self.unused: deque[PlayerConnection] = deque()
        """Those without a session."""
        self.changed: Callable[[], None] = _nothing
        """Called when a connection comes or goes."""

    def has_lost_one(self) -> bool:
        """Drop a connection whose player is gone, if there is one; else the system looks for one, for the next time.

        A player that comes back may know of a loss before this machine does.
        """
        for one in list(self.connections):
            if one.check():
                self.drop(one)
                one.lose()
                return True
        return False

    def drop(self, connection: PlayerConnection) -> None:
        """Forget a connection."""
        self.connections.discard(connection)
        with suppress(ValueError):
            self.unused.remove(connection)


class PlayerAdmission:
    """Listens for the players of a run."""

    def __init__(self, options: Listening, names: Iterable[str], most: int, report: Callable[[str], None]) -> None:
        """Admit these players, each with at most `most` connections; `report` takes a line about a refusal.

        Raises:
            UsageError: the token file lacks one of the players.

        """
        self._players: dict[str, DialInPlayer] = {}
        self._options = options
        self._enrol(names, options)
        self._most = most
        self._report = report
        self._reported: set[tuple[str, str]] = set()
        """The names and reasons of reported refusals."""
        self._guesses = Guesses()
        self._unknown = 0
        """The number of refused connections with unknown names."""
        self.room = WaitingRoom()
        """The connections that are not admitted."""
        self._acceptor: Acceptor | None = None
        self.noticed: Callable[[], None] = _nothing
        """Called when a connection of a player comes or goes."""

    async def listen(self) -> None:
        """Listen at the address.

        Raises:
            UsageError: this machine cannot.

        """
        address, tls = self._options.address, self._options.tls
        try:
            sockets = listeners(address)
        except (OSError, UnicodeError) as error:
            raise UsageError(f"--listen: cannot listen on {address}: {reason(error)}") from error
        encryption = None
        if tls is not None:
            encryption = Encryption(tls, refused(EXPECTED_TLS), _nothing)
        self._acceptor = Acceptor(sockets, lambda peer: PlayerConnection(self, peer), self.room, encryption)

    def player(self, name: str) -> DialInPlayer:
        """Return a player of the schedule."""
        return self._players[name]

    def enrol(self, names: Iterable[str]) -> None:
        """Admit further players, whose tokens may have come into the file since.

        Raises:
            UsageError: the token file cannot be used, or lacks one of the players.

        """
        self._enrol(names, self._options.again())

    def _enrol(self, names: Iterable[str], options: Listening) -> None:
        new = {name: DialInPlayer(name) for name in names if name not in self._players}
        for name in new:
            if options.tokens is not None and name not in options.tokens:
                raise UsageError(f"{options.token_file}: expected a line NAME TOKEN for player {name!r}, got none")
        self._options = options
        self._players |= new

    def is_here(self, name: str) -> bool:
        """Return whether a player has a connection."""
        return bool(self._players[name].connections)

    async def close(self) -> None:
        """Admit nobody any more, and end all connections."""
        if self._acceptor is not None:
            await self._acceptor.close()
        self.room.close()
        for connection in [one for player in self._players.values() for one in player.connections]:
            connection.abort()

    def answer(self, connection: PlayerConnection, credentials: Credentials) -> None:
        """Answer a first line."""
        admitted = self._admits(credentials)  # an unknown name takes the same time
        player = self._players.get(credentials.name)
        if player is None:
            self._report_unknown()
            connection.refuse_late(NOT_ADMITTED, self._guesses.miss(connection.peer))
        elif not admitted:
            self._report_refusal(player, NOT_ADMITTED)
            connection.refuse_late(NOT_ADMITTED, self._guesses.miss(connection.peer))
        elif len(player.connections) >= self._most and not player.has_lost_one():
            self._report_refusal(player, ALL_CONNECTED)
            connection.refuse(ALL_CONNECTED)
        else:
            self.room.leave(connection)
            player.connections.add(connection)
            player.unused.append(connection)
            connection.admit(player)
            player.changed()
            self.noticed()

    def remove(self, connection: PlayerConnection) -> None:
        """Note the end of a connection."""
        self.room.leave(connection)
        if connection.player is not None:
            connection.player.drop(connection)
            connection.player.changed()
            self.noticed()

    def _admits(self, credentials: Credentials) -> bool:
        tokens = self._options.tokens
        return tokens is None or tokens.admit(credentials.name, credentials.token)

    def _report_refusal(self, player: DialInPlayer, why: str) -> None:
        """Report a refused connection with a name of the schedule, each reason once."""
        if (player.name, why) not in self._reported:
            self._reported.add((player.name, why))
            self._report(f"a connection as {player.name!r} was refused: {why}; later ones are not reported")

    def _report_unknown(self) -> None:
        """Count a connection with an unknown name, which may be a misplaced token; report 1, 10, 100 ... of them."""
        self._unknown += 1
        if self._unknown == 1:
            self._report("a connection was refused: its name is not in the schedule")
        elif str(self._unknown).strip("0") == "1":
            self._report(f"{self._unknown} connections were refused: their names are not in the schedule")
