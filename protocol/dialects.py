"""The registry of dialects, and their detection by the first line."""

from collections.abc import Callable
from dataclasses import dataclass

from protocol import ugi
from protocol.client import Client
from protocol.coordinates import Coordinates
from protocol.host import Host
from protocol.server import Server
from protocol.words import MAX_LINE


@dataclass(frozen=True, slots=True)
class Dialect:
    """One text protocol: both of its sides, and the beginning of a conversation in it."""

    client: Callable[[Coordinates], Client]
    """Makes the manager's side of a conversation."""
    server: Callable[[Host, Coordinates], Server]
    """Makes the engine's side of a conversation."""
    opens: Callable[[str], bool]
    """Whether a line can be the first line of a client."""
    refusal: Callable[[str], bytes]
    """Makes the reason for a refused or ended session into one readable line, in the form of the dialect."""
    coordinates: str = "own"
    """The names of moves: a key of `games.coordinates`."""


DIALECTS = {
    "ugi": Dialect(
        client=lambda _: ugi.UgiClient(),
        server=lambda host, _: ugi.UgiServer(host),
        opens=lambda line: line.split() == ["ugi"],
        refusal=ugi.refusal,
    ),
}
"""Every dialect by name, in the order in which `detect` asks them."""
DEFAULT = "ugi"
"""The dialect of clients whose first line opens no dialect."""


def detect(first_line: str) -> str | None:
    """Return the name of the dialect that `first_line` opens; None if it opens none."""
    return next((name for name, dialect in DIALECTS.items() if dialect.opens(first_line)), None)


class FirstLine:
    """Holds the bytes of a client until its first line shows the dialect. Blank lines are skipped."""

    def __init__(self) -> None:
        self.held = b""

    def feed(self, data: bytes) -> Dialect | None:
        """Take bytes; return the dialect once it is known. Pass `held` to its server then."""
        self.held += data
        while (end := self.held.find(b"\n")) >= 0:
            line = self.held[:end].decode(errors="backslashreplace")
            if line.strip():
                return DIALECTS[detect(line) or DEFAULT]
            self.held = self.held[end + 1 :]
        return DIALECTS[DEFAULT] if len(self.held) > MAX_LINE else None
