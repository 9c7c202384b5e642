"""From bytes in any portions to lines of text, in bounded memory."""

from collections import deque

from fiedler.protocol.errors import LocalProtocolError
from fiedler.protocol.events import Malformed
from fiedler.protocol.words import MAX_EXCERPT, MAX_LINE, excerpt

_MAX_CUT = 12
"""The characters of a cut at the end of decoded bytes: three bytes of a character, escaped."""


class LineAssembler:
    """Cuts a stream of bytes at its newlines. The lines do not depend on the portions of the bytes.

    A carriage return before the newline is dropped. A line of more than `limit` bytes becomes one Malformed, as soon
    as it is too long, and is skipped up to its newline; a line that is not UTF-8 becomes one Malformed.
    """

    __slots__ = ("_dropping", "_rest", "limit", "lines")

    def __init__(self, limit: int = MAX_LINE) -> None:
        self.limit = limit
        self.lines: deque[str | Malformed] = deque()
        """The lines without their ends, the oldest first; the reader removes them."""
        self._rest = bytearray()
        """The beginning of a line without its newline; at most `limit` bytes."""
        self._dropping = False
        """Whether the stream is inside a line that was too long."""

    @property
    def is_between_lines(self) -> bool:
        """Whether every line has been taken, and the next byte begins another."""
        return not (self.lines or self._rest or self._dropping)

    @property
    def unfinished(self) -> str:
        """The beginning of the line without its newline, as a Malformed would show it."""
        return _shown(bytes(self._rest[: 4 * MAX_EXCERPT]))

    def feed(self, data: bytes) -> None:
        """Take bytes."""
        if not self._rest and not self._dropping and len(data) <= self.limit and data.endswith(b"\n"):
            try:  # nearly every call: whole lines, decoded in one go
                self.lines += data[:-1].decode().replace("\r\n", "\n").removesuffix("\r").split("\n")
            except UnicodeDecodeError:
                pass  # the slow way finds the line
            else:
                return
        *pieces, last = data.split(b"\n")
        for piece in pieces:
            self._end_line(piece)
        self._hold(last)

    def finish(self) -> None:
        """Note the end of the stream. A last line without newline is Malformed: it may have been cut."""
        rest = bytes(self._rest)
        self._rest.clear()
        if rest.strip():
            self.lines.append(Malformed(_shown(rest), "expected a newline, got the end of the stream"))

    def _end_line(self, piece: bytes) -> None:
        if self._dropping:
            self._dropping = False
            return
        self._rest += piece
        line = bytes(self._rest)
        self._rest.clear()
        self.lines.append(self._too_long(line) if len(line) > self.limit else _decoded(line))

    def _hold(self, piece: bytes) -> None:
        if self._dropping:
            return
        self._rest += piece
        if len(self._rest) > self.limit:
            self.lines.append(self._too_long(bytes(self._rest)))
            self._rest.clear()
            self._dropping = True

    def _too_long(self, line: bytes) -> Malformed:
        return Malformed(_shown(line[: self.limit]), f"expected at most {self.limit} bytes on a line, got more")


def _decoded(line: bytes) -> str | Malformed:
    try:
        return line.decode().removesuffix("\r")
    except UnicodeDecodeError as error:
        return Malformed(_shown(line), f"expected UTF-8, got byte 0x{line[error.start]:02x} at offset {error.start}")


def _shown(line: bytes) -> str:
    # most excerpts end in the first portion; four bytes hold a character, so that the others end in the second
    for portion in (MAX_EXCERPT + 40, 4 * MAX_EXCERPT):
        text = line[:portion].decode("utf-8", "backslashreplace")  # slow: it is the cost of binary data
        if len(text) > MAX_EXCERPT + _MAX_CUT or len(line) <= portion:
            break
    return excerpt(text)


def last_lines(data: bytes) -> bytes:
    """Return the end of a portion in place of all of it: its last whole line, and the beginning of the next."""
    end = data.rfind(b"\n")
    begin = data.rfind(b"\n", 0, max(end, 0))
    return data if begin < 0 else data[begin:]  # with the newline: it ends the line that earlier bytes began


def encoded(line: str) -> bytes:
    """Return the bytes of a line, with its newline.

    Raises:
        LocalProtocolError: The line would not arrive unchanged.
    """
    if "\n" in line or "\r" in line:
        raise LocalProtocolError(f"expected one line, got {excerpt(line)!r}")
    # a lone surrogate (from a file name that is not UTF-8, say) must not end the session
    data = line.encode("utf-8", "backslashreplace")
    if len(data) > MAX_LINE:
        raise LocalProtocolError(f"expected at most {MAX_LINE} bytes on a line, got {len(data)}")
    return data + b"\n"
