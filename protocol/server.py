"""The engine's side of a conversation as its driver sees it, in any dialect."""

from typing import Protocol


class Server(Protocol):
    """The engine's side of one conversation: bytes become calls of its `Host`, what it finds becomes bytes.

    No socket, no thread, no clock. A driver hands over what comes, lets it be heard line by line, and writes what is to
    be sent.
    """

    @property
    def listening(self) -> bool:
        """Whether the client may still say something."""

    @property
    def waiting(self) -> bool:
        """Whether something has come that was not heard."""

    def receive_data(self, data: bytes) -> None:
        """Take bytes from the client, in any portions."""

    def receive_eof(self) -> None:
        """Take note that the client says nothing more. Answers that it has asked for still come."""

    def hear(self) -> None:
        """Do what the next line says."""

    def heartbeat(self) -> None:
        """Say that a search still runs, if the dialect has words for it."""

    def data_to_send(self) -> bytes:
        """Return, once, the bytes for the client."""
