"""The dialects that a port understands, and their detection by the first line."""

from collections.abc import Callable
from dataclasses import dataclass

from protocol.errors import RemoteProtocolError
from protocol.ugi import ServerMessages, UgiClient
from protocol.words import quoted


@dataclass(frozen=True, slots=True)
class Dialect:
    """One text protocol: both of its sides, and how a conversation in it begins."""

    server: type[ServerMessages]
    client: type[UgiClient]
    opens: Callable[[str], bool]
    """Tells whether a line can be the first of a conversation."""
    first_line: str
    """The same for people."""


DIALECTS = {
    "ugi": Dialect(ServerMessages, UgiClient, lambda line: line.split() == ["ugi"], "ugi"),
}
"""Every dialect by name, in the order in which `detect` asks them."""


def detect(first_line: str) -> str:
    """Return the name of the dialect that `first_line` opens; RemoteProtocolError if there is none."""
    for name, dialect in DIALECTS.items():
        if dialect.opens(first_line):
            return name
    known = ", ".join(f"{dialect.first_line} ({name})" for name, dialect in DIALECTS.items())
    raise RemoteProtocolError(f"expected a first line of {known}; got {quoted(first_line)}")
