"""The first lines of a session that needs admission: who comes, and the answer; bytes in, bytes out.

A client of a server sends `token TOKEN`; a player that dials in sends `player NAME TOKEN`. The answer is `welcome` or
`refused: WHY`; after `welcome` follows the dialect. A token is one word; a name may have several.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from fiedler.protocol.errors import LocalProtocolError, RemoteProtocolError
from fiedler.protocol.lines import encoded
from fiedler.protocol.words import MAX_QUOTED, excerpt, is_words

MAX_FIRST_LINE = 1024
"""Longest first line, and longest answer, in bytes without the newline."""
TOKEN_LINE = "token TOKEN"  # noqa: S105 - the form of a line
"""The form of the first line of a client of a server."""
PLAYER_LINE = "player NAME TOKEN"
"""The form of the first line of a player that dials in."""
NO_TOKEN = "-"  # noqa: S105 - a word in its place
"""The word in place of the token, from a player that has none."""
WELCOME = "welcome"
REFUSED = "refused: "
NOT_ADMITTED = "unknown name or wrong token"
"""The reason of a refusal that no later attempt changes."""
ALL_CONNECTED = "all sessions are connected"
"""The reason of a refusal that a later attempt may change."""
EXPECTED_TLS = "expected TLS, got text; this port is encrypted"
"""The reason of a refusal in the clear, at a port with TLS."""


class AdmissionError(RemoteProtocolError):
    """The peer refused us. The text is its reason."""


class NoAnswerError(RemoteProtocolError):
    """The peer ended the connection before its answer."""


def admission_failure(error: RemoteProtocolError) -> str:
    """Return what the peer did, for a sentence that begins with its name."""
    match error:
        case AdmissionError():
            return f"did not admit us: {error}"
        case NoAnswerError():
            return "closed the connection before it answered the token"
        case _:
            return f"did not answer the token: {error}"


@dataclass(frozen=True, slots=True)
class Credentials:
    """The proof of a client: its token, and its name if it is a player that dials in."""

    token: str = field(repr=False)
    """One word; empty: a player without a token."""
    name: str = ""
    """The name of the player; empty: a client of a server."""

    def line(self) -> bytes:
        """Return the first line.

        Raises:
            LocalProtocolError: The token is not one word, or the name not words, or the line is too long.
        """
        if len(self.token.split()) != 1 and (self.token or not self.name):
            raise LocalProtocolError("expected one word as a token")  # without the token, which is a secret
        if self.name and not is_words(self.name):
            raise LocalProtocolError(f"expected words as a name, got {self.name!r}")
        line = encoded(f"player {self.name} {self.token or NO_TOKEN}" if self.name else f"token {self.token}")
        if len(line) > MAX_FIRST_LINE:
            raise LocalProtocolError(f"expected at most {MAX_FIRST_LINE} bytes of name and token, got {len(line)}")
        return line


def parse_credentials(line: str, expected: str) -> Credentials:
    """Return the credentials of a first line; `expected` is the form of such a line, for messages.

    Raises:
        RemoteProtocolError: The line has none. The text does not quote it: it may hold a token.
    """
    match line.split():
        case ["token", token]:
            return Credentials(token)
        case ["player", name]:
            return Credentials("", name)
        case ["player", *names, token] if names:
            return Credentials("" if token == NO_TOKEN else token, " ".join(names))
        case _:
            raise RemoteProtocolError(f"expected {expected} as the first line")


def welcome() -> bytes:
    """Return the answer to a client that is admitted."""
    return encoded(WELCOME)


def refused(why: str) -> bytes:
    """Return the answer to a client that is refused; the connection is closed after it."""
    return encoded(REFUSED + " ".join(why.split()))


class _FirstLine:
    """Holds bytes until the first line is complete."""

    def __init__(self) -> None:
        self.rest = b""
        """The bytes after the first line, for the dialect; before it is complete, its beginning."""

    def _line(self, data: bytes) -> str | None:
        """Take bytes; return the first line once it is complete.

        Raises:
            RemoteProtocolError: It is too long, or not UTF-8.
        """
        self.rest += data
        first, newline, after = self.rest.partition(b"\n")
        if len(first) > MAX_FIRST_LINE:
            raise RemoteProtocolError(f"expected at most {MAX_FIRST_LINE} bytes in the first line, got more")
        if not newline:
            return None
        self.rest = after
        try:
            return first.decode().strip()
        except UnicodeDecodeError:
            raise RemoteProtocolError("expected a first line in UTF-8") from None


class AdmissionServer(_FirstLine):
    """The side that admits: the first line of a client becomes its credentials; `rest` is for the dialect."""

    def __init__(self, expected: str) -> None:
        """`expected` is the form of the first line here: TOKEN_LINE or PLAYER_LINE."""
        super().__init__()
        self._expected = expected

    def feed(self, data: bytes) -> Credentials | None:
        """Take bytes; return the credentials once they are complete.

        Raises:
            RemoteProtocolError: The first line has none.
        """
        line = self._line(data)
        return None if line is None else parse_credentials(line, self._expected)


class AdmissionClient(_FirstLine):
    """The side that asks: it sends `first_line`, and passes the answer in; `rest` is for the dialect."""

    def __init__(self, credentials: Credentials) -> None:
        """Prepare the first line; raises as `Credentials.line`."""
        super().__init__()
        self.first_line = credentials.line()

    def feed(self, data: bytes) -> bool:
        """Take bytes, none at their end; return whether the answer is complete: `welcome`.

        Raises:
            AdmissionError: The answer is `refused: WHY`.
            NoAnswerError: The peer has ended the connection.
            RemoteProtocolError: The peer's line is another one.
        """
        if not data:
            raise NoAnswerError("expected an answer, got the end of the connection")
        line = self._line(data)
        if line is None or line == WELCOME:
            return line is not None
        if line.startswith(REFUSED.rstrip()):
            raise AdmissionError(line.removeprefix(REFUSED.rstrip()).strip() or "no reason given")
        raise RemoteProtocolError(f"expected {WELCOME} or {REFUSED}WHY, got {excerpt(line, MAX_QUOTED)!r}")
