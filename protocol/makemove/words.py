"""The words of makemove: commands, answers, the byte of a move, seconds."""

import re

from fiedler.protocol.errors import RemoteProtocolError
from fiedler.protocol.limit import MAX_MS
from fiedler.protocol.words import number, quoted

OK = "OK"
MOVE = "MOVE"
ERROR = "ERROR"
GAME_RESET = "GAME_RESET"
APPLY_MOVE = "APPLY_MOVE"
MAKE_MOVE = "MAKE_MOVE"
LOAD_MODEL = "LOAD_MODEL"
SET_TIME_PER_MOVE = "SET_TIME_PER_MOVE"
EXIT = "EXIT"
MAX_BYTE = 255


def read_byte(text: str) -> str:
    """Return the byte of a move in its shortest form.

    Raises:
        RemoteProtocolError: The text is not a whole number from 0 to 255.
    """
    value = number(text.strip())
    if value is None or not 0 <= value <= MAX_BYTE:
        raise RemoteProtocolError(f"expected a whole number from 0 to {MAX_BYTE}, got {quoted(text)}")
    return str(value)


def read_seconds(text: str) -> int:
    """Return a time in milliseconds, from 1 to MAX_MS.

    Raises:
        RemoteProtocolError: The text is not such a time in seconds.
    """
    found = re.fullmatch(r"\s*(\d{1,9}(?:\.\d{0,9})?)\s*", text, re.ASCII)
    ms = round(1000 * float(found[1])) if found else 0
    if not 1 <= ms <= MAX_MS:
        raise RemoteProtocolError(f"expected seconds from 0.001 to {seconds_text(MAX_MS)}, got {quoted(text)}")
    return ms


def seconds_text(ms: int) -> str:
    """Return milliseconds as seconds, such as `0.5`."""
    whole, rest = divmod(ms, 1000)
    return f"{whole}.{rest:03}".rstrip("0").rstrip(".")
