"""The common part of servers of dialects with one request a line."""

from abc import ABC, abstractmethod

from fiedler.protocol.errors import HostError, RemoteProtocolError
from fiedler.protocol.events import Malformed
from fiedler.protocol.host import Host
from fiedler.protocol.info import Info
from fiedler.protocol.lines import LineAssembler, encoded
from fiedler.protocol.words import MAX_LINE


class LineServer(ABC):
    """`fiedler.protocol.server.Server` and `Thinker` without the requests. A refused line changes nothing."""

    def __init__(self, host: Host, line_limit: int = MAX_LINE) -> None:
        self.listening = True
        """Whether the client may still send requests."""
        self._host = host
        self._lines = LineAssembler(line_limit)
        self._ended = False
        self._searching = False
        self._out: list[bytes] = []

    @property
    def waiting(self) -> bool:
        """Whether a received line, or the end of the stream, has not been handled."""
        return self.listening and (bool(self._lines.lines) or self._ended)

    @property
    def full(self) -> bool:
        """Whether the driver shall not read: by default no line waits for the end of a search."""
        return False

    def receive_data(self, data: bytes) -> None:
        """Take bytes from the client, in any portions. They are dropped after the end of the conversation."""
        if self.listening:
            self._lines.feed(data)

    def receive_eof(self) -> None:
        """Note the end of the client's stream. Pending answers still come."""
        if not self._ended:
            self._ended = True
            self._lines.finish()

    def handle_line(self) -> None:
        """Fulfil the request of the next line, or refuse it. Blank lines are skipped."""
        if not self.waiting:
            return
        try:
            if not self._lines.lines:
                self._handle_end()
            elif isinstance(line := self._lines.lines.popleft(), Malformed):
                self._handle_malformed(line)
            elif line.strip():
                self._handle(line)
        except (HostError, RemoteProtocolError) as error:
            self._refuse(str(error))

    def heartbeat(self) -> None:  # noqa: B027 - not abstract: most dialects have nothing to send
        """Report that a search still runs; by default the dialect cannot express it."""

    def data_to_send(self) -> bytes:
        """Return, once, the bytes for the client."""
        data = b"".join(self._out)
        self._out.clear()
        return data

    def found(self, info: Info) -> None:  # noqa: B027
        """Receive a report of the search; by default the dialect cannot express it."""

    def failed(self, why: str) -> None:
        """Report the failure of a search; `moved` follows."""
        self._refuse(why)

    def remarked(self, why: str) -> None:  # noqa: B027
        """Receive a remark about the search; by default the dialect cannot express it."""

    @abstractmethod
    def _handle(self, line: str) -> None:
        """Fulfil the request of a line.

        Raises:
            HostError: The player refuses; nothing has changed.
            RemoteProtocolError: The line is wrong; nothing has changed.
        """

    @abstractmethod
    def _refuse(self, why: str) -> None:
        """Send the reason of a refusal."""

    def _handle_malformed(self, line: Malformed) -> None:
        """Refuse a line that is not text, or too long."""
        raise RemoteProtocolError(line.why)

    def _handle_end(self) -> None:
        """End the conversation at the end of the stream."""
        self.listening = False
        self._host.stop_endless()

    def _send(self, line: str) -> None:
        self._out.append(encoded(line))
