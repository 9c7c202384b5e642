"""The engine's side of a conversation as its driver sees it, in any dialect."""

from typing import Protocol


class Server(Protocol):
    """The engine's side of one conversation: bytes become calls of its `Host`, its findings become bytes.

    No socket, no thread, no clock. A driver passes the client's bytes on, has them handled line by line, and writes
    `data_to_send`.
    """

    @property
    def listening(self) -> bool:
        """Whether the client may still send requests."""

    @property
    def waiting(self) -> bool:
        """Whether a received line can be handled now."""

    @property
    def full(self) -> bool:
        """Whether the driver shall not read from the client before the end of the search that runs."""

    def receive_data(self, data: bytes) -> None:
        """Take bytes from the client, in any portions."""

    def receive_eof(self) -> None:
        """Note the end of the client's stream. Pending answers still come."""

    def handle_line(self) -> None:
        """Fulfil the request of the next line."""

    def heartbeat(self) -> None:
        """Report that a search still runs, if the dialect can express it."""

    def data_to_send(self) -> bytes:
        """Return, once, the bytes for the client."""
