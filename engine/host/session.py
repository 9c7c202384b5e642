"""One session: the first line of a client, then its dialect in front of a host; bytes in, bytes out, no socket."""

from __future__ import annotations

from collections.abc import Callable

from fiedler import protocol
from fiedler.engine.host.host import Host
from fiedler.engine.host.search import Driver
from fiedler.engine.host.terms import Terms
from fiedler.engine.roster.engine_offer import EngineOffer
from fiedler.games import AnyGame
from fiedler.games.coordinates import fits
from fiedler.protocol import Dialect, FirstLine, Server

HEARTBEAT_SECONDS = 0.1
"""The time between two signs of life to a client that has closed its writing side and waits for a search."""


def spoken(game: AnyGame) -> list[str]:
    """Return the dialects in which an engine here plays this game: those with names for its moves."""
    return [name for name, dialect in protocol.DIALECTS.items() if fits(game, dialect.coordinates)]


class Session:
    """A conversation with one client, who plays with one player.

    It reads no socket and starts no thread: a driver (port/session_connection.py, port/stdio.py) passes the bytes in
    and sends the answers, one call at a time.
    """

    def __init__(self, offer: EngineOffer, driver: Driver, terms: Terms | None = None) -> None:
        """`terms` are those of the server.

        Raises:
            UsageError: The player cannot be made.
            SharesError: This session does not fit into the shares of the server.
        """
        pinned = offer.pinned
        self._host = Host(offer, driver, terms)
        self._first_line = FirstLine(spoken(offer.game))
        self._dialect = protocol.DIALECTS[pinned or protocol.DEFAULT]
        self._server: Server | None = None
        self._closing_line = b""
        self._closed = False
        self._since: float | None = None
        if pinned is not None:
            self._speak(self._dialect)

    @property
    def listening(self) -> bool:
        """Whether the client may still send requests."""
        return not self._closed and (self._server is None or self._server.listening)

    @property
    def over(self) -> bool:
        """Whether neither side sends anything more."""
        return not (self.listening or self.busy or self.searching)

    @property
    def busy(self) -> bool:
        """Whether requests wait: the player is getting ready or forgetting, or the queue behind a search is full."""
        return self._host.busy or (self._server is not None and self._server.full)

    @property
    def waiting(self) -> bool:
        """Whether `handle_lines` has a line to handle now."""
        return self._server is not None and self._server.waiting and not self._host.busy and not self._closed

    @property
    def searching(self) -> bool:
        """Whether a search runs, or has ended and waits for `stop`."""
        return self._host.searching

    def allow_files(self) -> None:
        """Let the client name files of this machine."""
        self._host.reads_files = True

    def count_from(self, moment: float | None) -> None:
        """Let the time of searches count from a moment, in seconds of `time.monotonic`; None: from their requests.

        Only dialects whose managers send the first move command without waiting for an answer do so.
        """
        self._since = moment
        self._host.searcher.since = moment if self._dialect.opens_blindly else None

    @property
    def congested(self) -> bool:
        """Whether the driver cannot send: reports of running searches are dropped."""
        return self._host.searcher.congested

    @congested.setter
    def congested(self, value: bool) -> None:
        self._host.searcher.congested = value

    def receive_data(self, data: bytes) -> None:
        """Take bytes from the client; `handle_lines` fulfils their requests."""
        if self._server is not None:
            self._server.receive_data(data)
        elif (dialect := self._first_line.feed(data)) is not None:
            self._speak(dialect)

    def receive_eof(self) -> None:
        """Note the end of the client's stream. Pending answers still come.

        A search that only `stop` would end, ends now.
        """
        server = self._server or self._speak(self._dialect)
        server.receive_eof()

    def _speak(self, dialect: Dialect) -> Server:
        """Begin the conversation in a dialect."""
        self._dialect = dialect
        self.count_from(self._since)
        server = self._server = dialect.server(self._host, self._host.coordinates(dialect.coordinates))
        if self._first_line.held:
            server.receive_data(self._first_line.held)
        return server

    def handle_lines(self, enough: Callable[[], bool] = lambda: False) -> None:
        """Handle at least one received line, until `enough` is true or a line makes the session busy."""
        while self.waiting:
            assert self._server is not None
            self._server.handle_line()
            if enough():
                return

    def data_to_send(self) -> bytes:
        """Return, once, the bytes for the client."""
        answers = b"" if self._server is None else self._server.data_to_send()
        closing_line, self._closing_line = self._closing_line, b""
        return answers + closing_line

    def heartbeat(self) -> None:
        """Report that a search still runs. Only a write shows whether a half-closed client has gone."""
        if self._server is not None:
            self._server.heartbeat()

    def refuse(self, why: str) -> None:
        """Send the reason for the end of the session."""
        self._closing_line = self._dialect.refusal(why)

    def close(self) -> None:
        """Stop the search at once, without an answer. The player is given back when its search has ended."""
        self._closed = True
        self._host.close()
