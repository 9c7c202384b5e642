"""One session: the first line of a client, then its dialect in front of a host; bytes in, bytes out, no socket."""

from __future__ import annotations

from collections.abc import Callable

import protocol
from engine.host import Host
from engine.search import Driver
from engine.shares import Shares
from games import Game
from games.coordinates import coordinates
from players import Player
from protocol import Dialect, FirstLine, Server

HEARTBEAT_SECONDS = 0.1
"""Between two signs of life to a client that has closed its writing side and waits for a search."""


class Session:
    """A conversation with one client, who plays with one player.

    It reads no socket and starts no thread: a driver (connection.py, stdio.py) brings the bytes and takes the answers
    away, in one place at a time.
    """

    def __init__(self, game: Game, player: Player, driver: Driver, shares: Shares | None = None) -> None:
        """`shares` bound what all sessions take together; raises UsageError if this one does not fit into them."""
        self._game = game
        self._host = Host(game, player, driver, shares)
        self._first_line = FirstLine()
        self._dialect = protocol.DIALECTS[protocol.DEFAULT]
        self._server: Server | None = None
        self._last_words = b""
        self._closed = False

    @property
    def listening(self) -> bool:
        """Tell whether the client may still say something."""
        return not self._closed and (self._server is None or self._server.listening)

    @property
    def over(self) -> bool:
        """Tell whether nothing more will be said on either side."""
        return not (self.listening or self.busy or self.searching)

    @property
    def busy(self) -> bool:
        """Tell whether the player makes ready or forgets; what the client says meanwhile waits for the end of that."""
        return self._host.busy

    @property
    def waiting(self) -> bool:
        """Tell whether lines could be heard now that have not been."""
        return self._server is not None and self._server.waiting and not self._host.busy and not self._closed

    @property
    def searching(self) -> bool:
        """Tell whether a search runs, or has ended and waits for `stop`."""
        return self._host.searching

    @property
    def congested(self) -> bool:
        """Tell whether the driver cannot get rid of what is said: reports of running searches are dropped."""
        return self._host.congested

    @congested.setter
    def congested(self, value: bool) -> None:
        self._host.congested = value

    def receive_data(self, data: bytes) -> None:
        """Take bytes from the client; `hear` does what they say."""
        if self._server is not None:
            self._server.receive_data(data)
        elif (dialect := self._first_line.feed(data)) is not None:
            self._speak(dialect)

    def receive_eof(self) -> None:
        """Take note that the client says nothing more. Answers that it has asked for still come.

        A search that only `stop` would end, ends now.
        """
        server = self._server or self._speak(self._dialect)
        server.receive_eof()

    def _speak(self, dialect: Dialect) -> Server:
        """Begin the conversation in a dialect."""
        self._dialect = dialect
        server = self._server = dialect.server(self._host, coordinates(self._game, dialect.coordinates))
        server.receive_data(self._first_line.held)
        return server

    def hear(self, enough: Callable[[], bool] = lambda: False) -> None:
        """Do what has been said, a line at least, until `enough` says so or a line makes the session busy."""
        while self.waiting:
            assert self._server is not None
            self._server.handle_line()
            if enough():
                return

    def data_to_send(self) -> bytes:
        """Return, once, the bytes for the client."""
        said = b"" if self._server is None else self._server.data_to_send()
        last_words, self._last_words = self._last_words, b""
        return said + last_words

    def heartbeat(self) -> None:
        """Say that a search still runs. Only by writing does one learn that a client has gone and not just ended."""
        if self._server is not None:
            self._server.heartbeat()

    def refuse(self, why: str) -> None:
        """Say why the session ends."""
        self._last_words = self._dialect.refusal(why)

    def close(self) -> None:
        """Stop thinking at once: nobody listens. The player is given back when its search has ended."""
        self._closed = True
        self._host.close()
