"""The bare lines of a session, for input that no client sends."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable

from fiedler.engine.check.failure import StepError
from fiedler.engine.check.link import Link
from fiedler.engine.check.portions import Portions
from fiedler.protocol.flood import Flood
from fiedler.protocol.mistake import quoted_line


def send(link: Link, data: bytes) -> None:
    """Send bytes over a link.

    Raises:
        StepError: The engine has ended, or does not read.
    """
    try:
        link.send(data)
    except TimeoutError:
        raise StepError("it does not read its input") from None
    except OSError:
        raise StepError(link.end()) from None


class Wire:
    """Lines to the engine and back. Its methods raise StepError if the engine is gone, or sends too much."""

    def __init__(self, link: Link) -> None:
        self.link = link
        self._lines: deque[bytes] = deque()
        self._rest = b""
        self._flood = Flood()

    def send(self, data: bytes) -> None:
        """Send bytes as they are."""
        self._flood.ask()
        send(self.link, data)

    def line(self, seconds: float) -> str | None:
        """Return the next line without its end; None if none comes within `seconds`."""
        portions = Portions(self.link, seconds, self._flood)
        while not self._lines:
            try:
                data = portions.next()
            except TimeoutError:
                return None
            except OSError:
                data = b""
            if not data:
                raise StepError(self.link.end())
            *lines, self._rest = (self._rest + data).split(b"\n")
            self._lines += lines
        return self._lines.popleft().decode(errors="backslashreplace").removesuffix("\r")

    def lines_until(self, is_last: Callable[[str], bool], seconds: float, expected: str) -> list[str]:
        """Return the lines up to the last one of an answer."""
        until = time.monotonic() + seconds
        lines: list[str] = []
        while not lines or not is_last(lines[-1]):
            line = self.line(max(0.0, until - time.monotonic()))
            if line is None:
                sent = f"; it sent {quoted_line(lines[-1])}" if lines else ""
                raise StepError(f"nothing within {seconds:g} s{sent}", expected)
            lines.append(line)
        return lines

    def lines_within(self, seconds: float) -> list[str]:
        """Return the lines that come within a time."""
        until = time.monotonic() + seconds
        lines: list[str] = []
        while (line := self.line(max(0.0, until - time.monotonic()))) is not None:
            lines.append(line)
        return lines
